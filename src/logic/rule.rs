//! Parser for files of hand-written rules.
//!
//! ```text
//! % comments as in all formats of the family
//! -1.8 advisedby(_, _).                                            the bias (prior log-odds)
//! 2.5 advisedby(A, B) :- publication(T, A), publication(T, B).     a rule with its weight
//! advisedby(A, B) :- taughtby(C, B), ta(C, A), \+ student(B).      \+ negates within one grounding
//! advisedby(A, _) :- student(A), not (publication(T, A)).          no grounding exists
//! advisedby(_, B) :- at_least(3, (publication(T, B))).             at least 3 groundings exist
//! active(M) :- lumo(M, E), E <= -1.5.                              also <, >= and >
//! collab(P, Q) = 3 :- actedin(P, M), actedin(Q, M).                a rule for one class
//! ```

use std::io::Cursor;
use std::path::Path;

use super::clause::Comparison;
use super::diagnostic::{Diagnostic, Diagnostics, Location};
use super::grammar::{Parse, Parser};
use super::lexer::{LexError, Lexer, SyntaxError, TokenKind};
use super::sentence::{BodyLiteral, Notation};
use super::source::SourceWindow;
use super::term::{Atom, Term};

/// An at-least-k condition on a conjunction.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedCondition {
    /// Whether at least `at_least` groundings must exist (`true`) or must not (`false`).
    pub holds: bool,
    /// Minimum number of groundings.
    pub at_least: f64,
    /// The conjunction.
    pub body: Vec<BodyLiteral>,
}

/// A rule as parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedRule {
    /// The weight before the rule.
    pub weight: Option<f64>,
    /// The head.
    pub head: Atom,
    /// The class the rule votes for.
    pub class: Option<Term>,
    /// The literals of the body.
    pub body: Vec<BodyLiteral>,
    /// The existence and count conditions of the body.
    pub conditions: Vec<ParsedCondition>,
    /// Location of the head.
    pub location: Location,
}

/// Parses rules; `file` is the name shown in messages.
///
/// # Errors
/// All syntax errors of the text.
pub fn parse_rules(file: &Path, text: &str) -> Result<Vec<ParsedRule>, Diagnostics> {
    let mut source = SourceWindow::with_chunk(file, Box::new(Cursor::new(text.as_bytes().to_vec())), text.len() + 1);
    // Reading from memory cannot fail.
    while !source.at_end() && source.refill().is_ok() {}
    // The window strips a byte order mark.
    let text = source.text().to_owned();
    let (mut rules, mut diagnostics, mut start) = (Vec::new(), Diagnostics::default(), 0);
    loop {
        let mut parser = Parser::new(Lexer::new(&text, start, true), Notation::Prolog);
        match parser.rule() {
            Ok(None) => break,
            Ok(Some((mut rule, at, width))) => {
                rule.location = source.locate(at, width);
                rules.push(rule);
                start = parser.lexer.position();
            }
            Err(LexError::Syntax(error)) => {
                let diagnostic = Diagnostic::error("syntax", &error.message, &error.help);
                if !diagnostics.count_if_hidden(&diagnostic, file) {
                    diagnostics.push(diagnostic.at(source.locate(error.at, error.width)));
                }
                match next_sentence(&text, &error).filter(|_| !error.fatal) {
                    Some(next) => start = next,
                    None => break,
                }
            }
            // Cannot occur, since the text is complete.
            Err(LexError::NeedMore) => break,
        }
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(rules) }
}

/// Returns where the next sentence starts after an error.
fn next_sentence(text: &str, error: &SyntaxError) -> Option<usize> {
    let mut lexer = Lexer::new(text, error.at, true);
    loop {
        match lexer.token() {
            Ok(token) if token.kind == TokenKind::End => return Some(token.end),
            Ok(token) if token.kind == TokenKind::Eof => return None,
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

/// Syntax reminder for messages.
const EXAMPLE: &str = "a rule looks like `0.5 target(A, B) :- p(A, X), \\+ q(X), not (r(B, Y)).`";

impl Parser<'_> {
    /// Parses a rule; returns it with the offset and length of its head, or `None` at the end.
    fn rule(&mut self) -> Parse<Option<(ParsedRule, usize, usize)>> {
        let mut token = self.next()?;
        if token.kind == TokenKind::Eof {
            return Ok(None);
        }
        let mut weight = None;
        if matches!(token.kind, TokenKind::Number { .. } | TokenKind::Punct('+' | '-')) {
            weight = Some(self.signed_number(token)?);
            token = self.next()?;
        }
        if token.kind != TokenKind::Word {
            return Err(self.unexpected(&token, "a rule", EXAMPLE));
        }
        let start = token.start;
        let head = self.atom(&token)?;
        let end = self.lexer.position();
        let class = if self.take_punct('=')? { Some(self.term(0)?) } else { None };
        let location =
            Location { file: Default::default(), line: 0, column: 0, text: String::new(), caret: 0, width: 1 };
        let mut rule = ParsedRule { weight, head, class, body: Vec::new(), conditions: Vec::new(), location };
        if self.take(&TokenKind::Implies)? {
            loop {
                self.body_item(&mut rule)?;
                if !self.take_punct(',')? {
                    break;
                }
            }
        }
        self.end()?;
        Ok(Some((rule, start, end - start)))
    }

    /// Parses a literal or condition of the body.
    fn body_item(&mut self, rule: &mut ParsedRule) -> Parse<()> {
        let ahead = self.lexer.clone();
        let token = self.next()?;
        let word = if token.kind == TokenKind::Word { self.text(&token) } else { "" };
        let next = self.peek()?;
        let open = next.kind == TokenKind::Punct('(');
        match word {
            "true" if !open => {}
            "exists" if open => {
                let body = self.group()?;
                rule.conditions.push(ParsedCondition { holds: true, at_least: 1.0, body });
            }
            "at_least" if open => rule.conditions.push(self.count_condition(true)?),
            "not" if open => {
                let body = self.group()?;
                rule.conditions.push(ParsedCondition { holds: false, at_least: 1.0, body });
            }
            "not" if next.kind == TokenKind::Word && self.text(&next) == "at_least" => {
                self.next()?;
                rule.conditions.push(self.count_condition(false)?);
            }
            _ => {
                self.lexer = ahead;
                rule.body.push(self.literal()?);
            }
        }
        Ok(())
    }

    /// Parses `(k, (p(A, X), q(X)))` after `at_least`.
    fn count_condition(&mut self, holds: bool) -> Parse<ParsedCondition> {
        let help = "write it as at_least(3, (p(A, X), q(X)))";
        let expect = |parser: &mut Self, c: char| {
            let token = parser.next()?;
            if token.kind == TokenKind::Punct(c) {
                Ok(())
            } else {
                Err(parser.unexpected(&token, &format!("`{c}`"), help))
            }
        };
        expect(self, '(')?;
        let first = self.next()?;
        let at_least = self.signed_number(first)?;
        expect(self, ',')?;
        let body = self.group()?;
        expect(self, ')')?;
        Ok(ParsedCondition { holds, at_least, body })
    }

    /// Parses literals in parentheses.
    fn group(&mut self) -> Parse<Vec<BodyLiteral>> {
        let open = self.next()?;
        if open.kind != TokenKind::Punct('(') {
            return Err(self.unexpected(&open, "`(`", "write the conjunction in brackets: (p(A, X), q(X))"));
        }
        let mut body = Vec::new();
        loop {
            body.push(self.literal()?);
            let token = self.next()?;
            match token.kind {
                TokenKind::Punct(',') => {}
                TokenKind::Punct(')') => return Ok(body),
                _ => return Err(self.unexpected(&token, "`,` or `)`", "close the bracket around the conjunction")),
            }
        }
    }

    /// Parses an optionally negated literal: `p(A)`, `\+ p(A)`, `~p(A)`, `not p(A)`, `A <= 0.5`.
    fn literal(&mut self) -> Parse<BodyLiteral> {
        let mut ahead = self.lexer.clone();
        let mut token = self.next()?;
        let negated = self.is_negation(&token)?;
        if negated {
            ahead = self.lexer.clone();
            token = self.next()?;
        }
        let is_number = matches!(token.kind, TokenKind::Number { .. } | TokenKind::Punct('+' | '-'));
        let is_compared = matches!(self.peek()?.kind, TokenKind::Punct('<' | '>' | '='));
        let is_term = matches!(token.kind, TokenKind::Word | TokenKind::Quoted(_));
        if is_number || (is_term && is_compared) {
            self.lexer = ahead;
            return Ok(BodyLiteral { negated, atom: self.comparison()? });
        }
        if token.kind != TokenKind::Word {
            return Err(self.unexpected(&token, "the name of a predicate", EXAMPLE));
        }
        Ok(BodyLiteral { negated, atom: self.atom(&token)? })
    }

    /// Parses a comparison; `<` and `>=` become the built-in ones with their sides swapped.
    fn comparison(&mut self) -> Parse<Atom> {
        let left = self.term(0)?;
        let sign = self.next()?;
        let (comparison, swapped) = match sign.kind {
            TokenKind::Punct('<') if self.take_punct('=')? => (Comparison::AtMost, false),
            TokenKind::Punct('<') => (Comparison::Above, true),
            TokenKind::Punct('>') if self.take_punct('=')? => (Comparison::AtMost, true),
            TokenKind::Punct('>') => (Comparison::Above, false),
            // Prolog's spelling of <=.
            TokenKind::Punct('=') if self.take_punct('<')? => (Comparison::AtMost, false),
            _ => {
                let help = "compare numbers as in `p(A, X), X <= 0.5`; repeat a variable to mean equality";
                return Err(self.unexpected(&sign, "`<=`, `<`, `>=` or `>`", help));
            }
        };
        let right = self.term(0)?;
        let args = if swapped { vec![right, left] } else { vec![left, right] };
        Ok(Atom { predicate: comparison.name().to_owned(), args })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<ParsedRule>, Diagnostics> {
        parse_rules(Path::new("rules.txt"), text)
    }

    #[test]
    fn all_forms_of_rules_are_parsed() {
        let text = r"% a comment
            -1.8 h(_, _).
            2.5 h(A, B) :- p(A, X), \+ q(X), not q(A), ~q(B).
            h(A, B) = 3 :- true, not (p(A, X), \+ q(X)), at_least(3, (p(B, Y))), not at_least(2, (q(A))), exists (q(B)).";
        let rules = parse(text).unwrap();
        assert_eq!(rules.len(), 3);
        assert_eq!((rules[0].weight, rules[0].body.len()), (Some(-1.8), 0));
        assert_eq!(rules[1].body.iter().map(|l| l.negated).collect::<Vec<_>>(), [false, true, true, true]);
        assert_eq!((rules[1].location.line, rules[1].location.column), (3, 17));
        assert_eq!(rules[2].class, Some(Term::Number(3.0)));
        assert!(rules[2].body.is_empty());
        let conditions: Vec<_> = rules[2].conditions.iter().map(|c| (c.holds, c.at_least, c.body.len())).collect();
        assert_eq!(conditions, [(false, 1.0, 2), (true, 3.0, 1), (false, 2.0, 1), (true, 1.0, 1)]);
        assert!(rules[2].conditions[0].body[1].negated);
    }

    #[test]
    fn comparisons_are_normalized() {
        let text = r"h(A) :- p(A, X), X <= -0.5, X > 2. h(A) :- p(A, X), \+ X<3, not (q(A, Y), 1e-3 >= Y), 5 =< X.";
        let rules = parse(text).unwrap();
        let shown = |body: &[BodyLiteral]| -> Vec<(bool, String)> {
            let one = |BodyLiteral { negated, atom }: &BodyLiteral| {
                let args: Vec<String> = atom.args.iter().map(Term::to_string).collect();
                (*negated, format!("{}({})", atom.predicate, args.join(", ")))
            };
            body[1..].iter().map(one).collect()
        };
        let is = |words: &[&str]| -> Vec<(bool, String)> {
            words.iter().map(|word| (word.starts_with('\\'), word.trim_start_matches('\\').to_owned())).collect()
        };
        assert_eq!(shown(&rules[0].body), is(&["<=(X, -0.5)", ">(X, 2)"]));
        assert_eq!(shown(&rules[1].body), is(&[r"\>(3, X)", "<=(5, X)"]));
        assert_eq!(shown(&rules[1].conditions[0].body), is(&["<=(Y, 0.001)"]));
        let error = parse("h(A) :- p(A, X), X = 3.").unwrap_err().to_string();
        assert!(error.contains("rules.txt:1:20") && error.contains("expected `<=`, `<`, `>=` or `>`"), "{error}");
    }

    #[test]
    fn errors_point_at_their_location() {
        let errors = |text: &str| parse(text).unwrap_err().to_string();
        assert!(errors("h(A) :- p(A), !.").contains("rules.txt:1:15: error[syntax]: expected the name of a predicate"));
        assert!(errors("h(A) :- at_least(p(A)).").contains("error[syntax]"));
        assert!(errors("h(A) :- not (p(A).").contains("expected `,` or `)`"));
        assert!(errors("h(A) :- p(A)").contains("end each sentence with a full stop"));
        // Both errors are reported, and the valid rule between them is not.
        let both = errors("h(A) :- .\nh(A) :- p(A).\n:- p(A).");
        assert!(both.contains("rules.txt:1:9") && both.contains("rules.txt:3:1") && !both.contains(":2:"), "{both}");
    }
}
