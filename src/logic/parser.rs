//! Parses tokens into sentences.

use super::directive;
use super::grammar::{Parse, ParseWarning, Parser, is_infinity};
use super::lexer::{LexError, Lexer, SyntaxError, Token, TokenKind};
use super::mode::ModeSymbol;
use super::sentence::{Notation, Sentence};

/// A parsed sentence with its warnings.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The sentence.
    pub sentence: Sentence,
    /// One past its last byte.
    pub end: usize,
    /// What BoostSRL would interpret differently.
    pub warnings: Vec<ParseWarning>,
}

/// Parses the sentence that begins at `start`.
///
/// `allow_bare_modes` is set for background files, where `p(+a,-b).` is a mode without its keyword.
pub fn parse_sentence(
    text: &str,
    start: usize,
    complete: bool,
    notation: Notation,
    allow_bare_modes: bool,
) -> Result<Parsed, LexError> {
    let mut parser = Parser::new(Lexer::new(text, start, complete), notation);
    let sentence = parser.sentence(allow_bare_modes)?;
    Ok(Parsed { sentence, end: parser.lexer.position(), warnings: parser.warnings })
}

impl Parser<'_> {
    fn sentence(&mut self, allow_bare_modes: bool) -> Parse<Sentence> {
        let first = self.next()?;
        match first.kind {
            TokenKind::Word => {
                if self.peek()?.kind == TokenKind::Punct(':') {
                    self.next()?;
                    return directive::parse(self, &first);
                }
                if allow_bare_modes && self.is_bare_mode()? {
                    let name = self.text(&first);
                    let message = format!("`{name}(…)` is read as a mode although it lacks `mode:`");
                    self.warn("bare-mode", first.start, first.end, message, "write `mode:` before each mode");
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
                "a fact cannot be negated with `!`",
                "delete it: a fact that is not stated is false",
            )
            .into()),
            TokenKind::Number { .. } | TokenKind::Punct('+' | '-') => self.weighted(first),
            TokenKind::Implies => self.goal(&first),
            TokenKind::End => Err(SyntaxError::new(
                first.start,
                1,
                "full stop without a sentence before it",
                "delete it, or write the missing fact before it",
            )
            .into()),
            _ => Err(self.unexpected(&first, "a fact, a clause or a directive", "a fact looks like `p(a, b).`")),
        }
    }

    /// Skips `:- dynamic p/1.` and other goals, which are unused.
    fn goal(&mut self, implies: &Token) -> Parse<Sentence> {
        if self.peek()?.kind == TokenKind::End {
            let message = "`:-` without a body";
            return Err(SyntaxError::new(implies.start, 2, message, "delete it, or write the clause's body").into());
        }
        let text = self.skip_to_end()?;
        Ok(Sentence::Unused(":-".into(), text))
    }

    /// Returns whether the arguments ahead contain a mode symbol: `+person`, but not `+3`.
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

#[cfg(test)]
mod tests;
