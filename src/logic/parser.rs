//! From tokens to sentences: facts, clauses and terms. Directives are in [`super::directive`].

use super::directive;
use super::lexer::{LexError, Lexer, SyntaxError, Token, TokenKind};
use super::mode::ModeSymbol;
use super::sentence::{BodyLiteral, Notation, Sentence};
use super::term::{Atom, Term};

/// Terms may nest this deep; real data stays below five.
const DEEPEST_TERM: usize = 100;

/// Something read in another way than the original would, worth a warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// The warning's name.
    pub code: &'static str,
    /// First byte of what it is about.
    pub at: usize,
    /// How many bytes.
    pub width: usize,
    /// What was read, and how.
    pub message: String,
    /// How to write it plainly.
    pub help: &'static str,
}

/// A sentence with what is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The sentence.
    pub sentence: Sentence,
    /// One past its last byte.
    pub end: usize,
    /// What was read in another way than the original would.
    pub remarks: Vec<Remark>,
}

/// Reads one sentence that starts at `start`.
///
/// `modes_may_be_bare` is set in background files, where `p(+a,-b).` is a mode without its word.
pub fn parse_sentence(
    text: &str,
    start: usize,
    complete: bool,
    notation: Notation,
    modes_may_be_bare: bool,
) -> Result<Parsed, LexError> {
    let mut parser = Parser::new(Lexer::new(text, start, complete), notation);
    let sentence = parser.sentence(modes_may_be_bare)?;
    Ok(Parsed { sentence, end: parser.lexer.position(), remarks: parser.remarks })
}

pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    notation: Notation,
    remarks: Vec<Remark>,
}

type Parse<T> = Result<T, LexError>;

impl<'a> Parser<'a> {
    pub(super) fn new(lexer: Lexer<'a>, notation: Notation) -> Self {
        Parser { lexer, notation, remarks: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Parse<Token> {
        self.lexer.token()
    }

    pub(super) fn peek(&self) -> Parse<Token> {
        self.lexer.peek()
    }

    pub(super) fn text(&self, token: &Token) -> &'a str {
        self.lexer.slice(token.start, token.end)
    }

    /// Takes the next token if it is this one.
    pub(super) fn take(&mut self, kind: &TokenKind) -> Parse<bool> {
        let found = self.peek()?.kind == *kind;
        if found {
            self.next()?;
        }
        Ok(found)
    }

    pub(super) fn take_punct(&mut self, c: char) -> Parse<bool> {
        self.take(&TokenKind::Punct(c))
    }

    /// The next token must be a word.
    pub(super) fn word(&mut self, expected: &str, help: &str) -> Parse<&'a str> {
        let token = self.next()?;
        match token.kind {
            TokenKind::Word => Ok(self.text(&token)),
            _ => Err(self.unexpected(&token, expected, help)),
        }
    }

    /// "found this, expected that".
    pub(super) fn unexpected(&self, token: &Token, expected: &str, help: &str) -> LexError {
        let found = match &token.kind {
            TokenKind::Eof => "the end of the file".into(),
            TokenKind::End => format!("the end of the sentence (`{}`)", self.text(token)),
            _ => format!("`{}`", self.text(token)),
        };
        let message = format!("expected {expected}, found {found}");
        SyntaxError::new(token.start, token.end - token.start, message, help).into()
    }

    pub(super) fn remark(&mut self, code: &'static str, start: usize, end: usize, message: String, help: &'static str) {
        self.remarks.push(Remark { code, at: start, width: end - start, message, help });
    }

    fn sentence(&mut self, modes_may_be_bare: bool) -> Parse<Sentence> {
        let first = self.next()?;
        match first.kind {
            TokenKind::Word => {
                if self.peek()?.kind == TokenKind::Punct(':') {
                    self.next()?;
                    return directive::parse(self, &first);
                }
                if modes_may_be_bare && self.is_bare_mode()? {
                    let name = self.text(&first);
                    let message = format!("`{name}(…)` is read as a mode, though it has no `mode:` before it");
                    self.remark("bare-mode", first.start, first.end, message, "write `mode:` before each mode");
                    return directive::mode(self, &first, false);
                }
                self.fact_or_clause(&first, false, None)
            }
            TokenKind::Punct('~') => {
                let name = self.next()?;
                self.fact_or_clause(&name, true, None)
            }
            TokenKind::Punct('!') => Err(SyntaxError::new(
                first.start,
                1,
                "`!` cannot stand before a fact",
                "leave out what is false: whatever is not stated does not hold",
            )
            .into()),
            TokenKind::Number { .. } | TokenKind::Punct('+' | '-') => self.weighted(first),
            TokenKind::Implies => self.goal(&first),
            TokenKind::End => Err(SyntaxError::new(
                first.start,
                1,
                "a full stop without a sentence before it",
                "delete it, or write the fact it was to end",
            )
            .into()),
            _ => Err(self.unexpected(&first, "a fact, a clause or a directive", "a fact looks like `p(a, b).`")),
        }
    }

    /// Behind a number: the fact it weighs.
    pub(super) fn weighted(&mut self, first: Token) -> Parse<Sentence> {
        let weight = self.signed_number(first.clone())?;
        let name = self.next()?;
        if name.kind != TokenKind::Word {
            let width = self.lexer.slice(first.start, name.start).trim_end().len();
            let message = "a number by itself is not a sentence";
            let help = "a weighted fact looks like `0.5 p(a).`; delete the number, or write the fact behind it";
            return Err(SyntaxError::new(first.start, width, message, help).into());
        }
        self.fact_or_clause(&name, false, Some(weight))
    }

    /// `:- dynamic p/1.` and other goals: read and left alone.
    fn goal(&mut self, implies: &Token) -> Parse<Sentence> {
        if self.peek()?.kind == TokenKind::End {
            let message = "`:-` without anything behind it";
            return Err(SyntaxError::new(implies.start, 2, message, "delete it, or write the clause's body").into());
        }
        let text = self.skip_to_end()?;
        Ok(Sentence::Unused(":-".into(), text))
    }

    /// Passes over everything up to and with the next full stop; its text without it.
    pub(super) fn skip_to_end(&mut self) -> Parse<String> {
        self.lexer.skip_trivia()?;
        let start = self.lexer.position();
        let mut after_word = None;
        loop {
            let token = self.next()?;
            match token.kind {
                TokenKind::End => {
                    // The stop inside `fileName=a.txt` ends nothing.
                    let next = self.peek()?;
                    let inside_a_name = next.kind == TokenKind::Word && next.start == token.end;
                    if !(inside_a_name && after_word == Some(token.start)) {
                        return Ok(self.lexer.slice(start, token.start).trim_end().to_owned());
                    }
                }
                TokenKind::Eof => return Err(self.missing_end(&token)),
                _ => {}
            }
            after_word = (token.kind == TokenKind::Word).then_some(token.end);
        }
    }

    fn missing_end(&self, token: &Token) -> LexError {
        self.unexpected(token, "`.` at the end of the sentence", "end each sentence with a full stop")
    }

    /// The full stop that must be here.
    pub(super) fn end(&mut self) -> Parse<()> {
        let token = self.peek()?;
        if token.kind != TokenKind::End {
            return Err(self.missing_end(&token));
        }
        self.next()?;
        Ok(())
    }

    fn fact_or_clause(&mut self, name: &Token, negated: bool, weight: Option<f64>) -> Parse<Sentence> {
        let atom = self.atom(name)?;
        if !self.take(&TokenKind::Implies)? {
            self.end()?;
            return Ok(Sentence::Fact { atom, negated, weight });
        }
        let behind_implies = self.lexer.clone();
        let mut body = Vec::new();
        loop {
            let mut token = self.next()?;
            if token.kind == TokenKind::Punct('!') || self.is_operator_next()? {
                // Arithmetic, comparisons and cuts are of the original's own Prolog: read, not used.
                self.lexer = behind_implies;
                return Ok(Sentence::Unused(format!("{atom} :-"), self.skip_to_end()?));
            }
            let negated = match &token.kind {
                TokenKind::Punct('~') => true,
                TokenKind::Punct('\\') => self.take_punct('+')?,
                TokenKind::Word => self.text(&token) == "not" && self.peek()?.kind == TokenKind::Word,
                _ => false,
            };
            if negated {
                token = self.next()?;
            }
            body.push(BodyLiteral { negated, atom: self.atom(&token)? });
            if !self.take_punct(',')? {
                break;
            }
        }
        self.end()?;
        Ok(Sentence::Clause { head: atom, body })
    }

    fn is_operator_next(&self) -> Parse<bool> {
        let next = self.peek()?;
        Ok(match next.kind {
            TokenKind::Punct(c) => matches!(c, '<' | '>' | '='),
            TokenKind::Word => self.text(&next) == "is",
            _ => false,
        })
    }

    /// An atom whose name was just read.
    pub(super) fn atom(&mut self, name: &Token) -> Parse<Atom> {
        if name.kind != TokenKind::Word {
            return Err(self.unexpected(name, "the name of a predicate", "a fact looks like `p(a, b).`"));
        }
        let predicate = self.text(name).to_owned();
        let args = if self.take_punct('(')? { self.terms(')', 0)? } else { Vec::new() };
        Ok(Atom { predicate, args })
    }

    /// Terms up to a closing bracket; the opening one was read.
    fn terms(&mut self, close: char, depth: usize) -> Parse<Vec<Term>> {
        let mut terms = Vec::new();
        if self.take_punct(close)? {
            return Ok(terms);
        }
        loop {
            terms.push(self.term(depth)?);
            let token = self.next()?;
            match token.kind {
                TokenKind::Punct(',') => {}
                TokenKind::Punct(c) if c == close => return Ok(terms),
                _ => {
                    let help = match token.kind {
                        TokenKind::End | TokenKind::Eof => {
                            "close the bracket; quote a constant that has a full stop in it"
                        }
                        _ => "quote a constant that is not a plain word: \"like this\"",
                    };
                    return Err(self.unexpected(&token, &format!("`,` or `{close}`"), help));
                }
            }
        }
    }

    /// A term.
    pub(super) fn term(&mut self, depth: usize) -> Parse<Term> {
        let token = self.next()?;
        if depth > DEEPEST_TERM {
            let message = format!("terms nest deeper than {DEEPEST_TERM}");
            return Err(SyntaxError::new(token.start, 1, message, "flatten the term into facts").into());
        }
        let term = match &token.kind {
            TokenKind::Word => {
                let word = self.text(&token);
                if self.peek()?.kind == TokenKind::Punct('(') {
                    self.next()?;
                    Term::Compound(word.to_owned(), self.terms(')', depth + 1)?)
                } else if self.notation.is_variable(word) {
                    Term::Variable(word.to_owned())
                } else {
                    Term::Name(word.to_owned())
                }
            }
            TokenKind::Quoted(text) => Term::Name(text.clone()),
            TokenKind::Number { .. } | TokenKind::Punct('+' | '-') => Term::Number(self.signed_number(token.clone())?),
            TokenKind::Punct('[') => Term::List(self.terms(']', depth + 1)?),
            _ => {
                let help = "quote a constant that is not a plain word: \"like this\"";
                return Err(self.unexpected(&token, "a constant, a number or a variable", help));
            }
        };
        match self.peek()?.kind {
            TokenKind::Punct('-' | '+' | '/' | '*') => self.hyphenated(token.start),
            _ => Ok(term),
        }
    }

    /// `a-b`: the original makes an arithmetic term of it, everyone means a name.
    fn hyphenated(&mut self, start: usize) -> Parse<Term> {
        let mut end = start;
        loop {
            let token = self.peek()?;
            match token.kind {
                TokenKind::Word | TokenKind::Number { .. } | TokenKind::Quoted(_) => {}
                TokenKind::Punct('-' | '+' | '/' | '*') => {}
                _ => break,
            }
            end = token.end;
            self.next()?;
        }
        let name = self.lexer.slice(start, end).to_owned();
        let message = format!("`{name}` is read as one constant; other programs read arithmetic");
        self.remark("hyphenated-constant", start, end, message, "quote it to mean a constant");
        Ok(Term::Name(name))
    }

    /// A number whose sign or digits were just read.
    pub(super) fn signed_number(&mut self, first: Token) -> Parse<f64> {
        let (sign, digits) = match first.kind {
            TokenKind::Punct('-') => (-1.0, self.next()?),
            TokenKind::Punct('+') => (1.0, self.next()?),
            _ => (1.0, first.clone()),
        };
        let signed = matches!(first.kind, TokenKind::Punct(_));
        match digits.kind {
            TokenKind::Number { value, bare_exponent } => {
                if bare_exponent {
                    let text = self.text(&digits);
                    let message = format!("`{text}` is read as the number {value}; other programs read a word");
                    let help = "write a fraction before the exponent (1.0e5), or quote it to mean a name";
                    self.remark("scientific-notation", digits.start, digits.end, message, help);
                }
                if !value.is_finite() {
                    let help = "write +inf or -inf to mean infinity";
                    let width = digits.end - first.start;
                    return Err(SyntaxError::new(first.start, width, "the number is too large", help).into());
                }
                Ok(sign * value)
            }
            TokenKind::Word if signed && is_infinity(self.text(&digits)) => Ok(sign * f64::INFINITY),
            TokenKind::Word if signed => {
                let message =
                    format!("`{}` looks like an argument of a mode", self.lexer.slice(first.start, digits.end));
                let help = "modes belong into the background file; quote it to mean a constant";
                Err(SyntaxError::new(first.start, digits.end - first.start, message, help).into())
            }
            _ => Err(self.unexpected(&digits, "digits behind the sign", "a number looks like -5.25 or 1.5e-3")),
        }
    }

    /// Whether the arguments ahead hold the symbol of a mode: `+person`, but not `+3`.
    fn is_bare_mode(&self) -> Parse<bool> {
        let mut ahead = self.lexer.clone();
        if ahead.token()?.kind != TokenKind::Punct('(') {
            return Ok(false);
        }
        let (mut argument_starts, mut depth) = (true, 1);
        loop {
            let token = ahead.token()?;
            match token.kind {
                TokenKind::Punct('(') => depth += 1,
                TokenKind::Punct(')') => depth -= 1,
                TokenKind::Punct(c) if argument_starts && ModeSymbol::from_char(c).is_some() => {
                    let next = ahead.peek()?;
                    if next.kind == TokenKind::Word && !is_infinity(self.text(&next)) {
                        return Ok(true);
                    }
                }
                TokenKind::End | TokenKind::Eof => return Ok(false),
                _ => {}
            }
            if depth == 0 {
                return Ok(false);
            }
            argument_starts = matches!(token.kind, TokenKind::Punct(',' | '('));
        }
    }
}

fn is_infinity(word: &str) -> bool {
    word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity")
}
