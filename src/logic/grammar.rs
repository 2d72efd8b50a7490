//! Recursive-descent parser for terms, atoms, facts and clauses, shared by sentences, directives
//! and rules.

use super::lexer::{LexError, Lexer, SyntaxError, Token, TokenKind};
use super::sentence::{BodyLiteral, Notation, Sentence};
use super::term::{Atom, Term};

/// Maximum nesting depth of terms; real data stays below five.
const MAX_TERM_DEPTH: usize = 100;

/// A warning about text that BoostSRL would interpret differently.
#[derive(Clone, Debug, PartialEq)]
pub struct ParseWarning {
    /// Code of the diagnostic.
    pub code: &'static str,
    /// First byte of the text concerned.
    pub at: usize,
    /// Length of the text concerned in bytes.
    pub width: usize,
    /// What was read, and how.
    pub message: String,
    /// How to write it unambiguously.
    pub help: &'static str,
}

/// Result of a parsing step.
pub(super) type Parse<T> = Result<T, LexError>;

/// Parser state: the lexer, the notation in force and the warnings so far.
pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    notation: Notation,
    pub(super) warnings: Vec<ParseWarning>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(lexer: Lexer<'a>, notation: Notation) -> Self {
        Parser { lexer, notation, warnings: Vec::new() }
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

    /// Consumes the next token if it is of this kind.
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

    /// Consumes the next token, which must be a word.
    pub(super) fn word(&mut self, expected: &str, help: &str) -> Parse<&'a str> {
        let token = self.next()?;
        match token.kind {
            TokenKind::Word => Ok(self.text(&token)),
            _ => Err(self.unexpected(&token, expected, help)),
        }
    }

    /// Returns the error "expected …, found …".
    pub(super) fn unexpected(&self, token: &Token, expected: &str, help: &str) -> LexError {
        let found = match &token.kind {
            TokenKind::Eof => "the end of the file".into(),
            TokenKind::End => format!("the end of the sentence (`{}`)", self.text(token)),
            _ => format!("`{}`", self.text(token)),
        };
        let message = format!("expected {expected}, found {found}");
        SyntaxError::new(token.start, token.end - token.start, message, help).into()
    }

    pub(super) fn warn(&mut self, code: &'static str, start: usize, end: usize, message: String, help: &'static str) {
        self.warnings.push(ParseWarning { code, at: start, width: end - start, message, help });
    }

    /// Parses the fact after a weight.
    pub(super) fn weighted(&mut self, first: Token) -> Parse<Sentence> {
        let weight = self.signed_number(first.clone())?;
        let name = self.next()?;
        if name.kind != TokenKind::Word {
            let width = self.lexer.slice(first.start, name.start).trim_end().len();
            let message = "a number alone is not a sentence";
            let help = "a weighted fact looks like `0.5 p(a).`; delete the number, or write the fact after it";
            return Err(SyntaxError::new(first.start, width, message, help).into());
        }
        self.fact_or_clause(&name, false, Some(weight))
    }

    /// Skips up to and including the next full stop; returns the text before it.
    pub(super) fn skip_to_end(&mut self) -> Parse<String> {
        self.lexer.skip_trivia()?;
        let start = self.lexer.position();
        let mut after_word = None;
        loop {
            let token = self.next()?;
            match token.kind {
                TokenKind::End => {
                    // The dot inside `fileName=a.txt` ends nothing.
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

    /// Consumes the full stop, which is required here.
    pub(super) fn end(&mut self) -> Parse<()> {
        let token = self.peek()?;
        if token.kind != TokenKind::End {
            return Err(self.missing_end(&token));
        }
        self.next()?;
        Ok(())
    }

    /// Returns whether a token, with the `+` of `\+`, which is consumed, negates the next literal.
    pub(super) fn is_negation(&mut self, token: &Token) -> Parse<bool> {
        match &token.kind {
            TokenKind::Punct('~') => Ok(true),
            TokenKind::Punct('\\') => self.take_punct('+'),
            TokenKind::Word => Ok(self.text(token) == "not" && self.peek()?.kind == TokenKind::Word),
            _ => Ok(false),
        }
    }

    pub(super) fn fact_or_clause(&mut self, name: &Token, negated: bool, weight: Option<f64>) -> Parse<Sentence> {
        let atom = self.atom(name)?;
        if !self.take(&TokenKind::Implies)? {
            self.end()?;
            return Ok(Sentence::Fact { atom, negated, weight });
        }
        let after_implies = self.lexer.clone();
        let mut body = Vec::new();
        loop {
            let mut token = self.next()?;
            if token.kind == TokenKind::Punct('!') || self.is_operator_next()? {
                // Arithmetic, comparisons and cuts are specific to BoostSRL's Prolog; they are
                // unused.
                self.lexer = after_implies;
                return Ok(Sentence::Unused(format!("{atom} :-"), self.skip_to_end()?));
            }
            let negated = self.is_negation(&token)?;
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

    /// Parses an atom after its name.
    pub(super) fn atom(&mut self, name: &Token) -> Parse<Atom> {
        if name.kind != TokenKind::Word {
            return Err(self.unexpected(name, "the name of a predicate", "a fact looks like `p(a, b).`"));
        }
        let predicate = self.text(name).to_owned();
        let args = if self.take_punct('(')? { self.terms(')', 0)? } else { Vec::new() };
        Ok(Atom { predicate, args })
    }

    /// Parses terms up to a closing bracket, after the opening one.
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
                            "close the bracket; quote a constant that contains a full stop"
                        }
                        _ => "quote a constant that is not a plain word: \"like this\"",
                    };
                    return Err(self.unexpected(&token, &format!("`,` or `{close}`"), help));
                }
            }
        }
    }

    /// Parses a term.
    pub(super) fn term(&mut self, depth: usize) -> Parse<Term> {
        let token = self.next()?;
        if depth > MAX_TERM_DEPTH {
            let message = format!("terms nest deeper than {MAX_TERM_DEPTH}");
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

    /// Parses `a-b` as a name; BoostSRL makes an arithmetic term of it, which no author intends.
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
        let message = format!("`{name}` is read as one constant; other programs read it as arithmetic");
        self.warn("hyphenated-constant", start, end, message, "quote it to mean a constant");
        Ok(Term::Name(name))
    }

    /// Parses a number after its sign or digits.
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
                    let message = format!("`{text}` is read as the number {value}; other programs read it as a word");
                    let help = "write a fraction before the exponent (1.0e5), or quote it to mean a name";
                    self.warn("scientific-notation", digits.start, digits.end, message, help);
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
                let message = format!("`{}` looks like a mode argument", self.lexer.slice(first.start, digits.end));
                let help = "modes belong in the background file; quote it to mean a constant";
                Err(SyntaxError::new(first.start, digits.end - first.start, message, help).into())
            }
            _ => Err(self.unexpected(&digits, "digits after the sign", "a number looks like -5.25 or 1.5e-3")),
        }
    }
}

pub(super) fn is_infinity(word: &str) -> bool {
    word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity")
}
