//! Lexer for the BoostSRL family of file formats.

use super::term::{is_word_char, looks_numeric};

/// Kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// A bare word; its text is the token's slice.
    Word,
    /// A quoted constant, unescaped.
    Quoted(String),
    /// An unsigned number.
    Number {
        /// The value.
        value: f64,
        /// Whether it is written as `1e5` or `1e-5`, which BoostSRL reads as a word or a
        /// subtraction.
        bare_exponent: bool,
    },
    /// `:-`
    Implies,
    /// `.` or `;`
    End,
    /// Any other single character.
    Punct(char),
    /// End of the file.
    Eof,
}

/// A token with its byte range.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Reason why no token was produced.
#[derive(Clone, Debug, PartialEq)]
pub enum LexError {
    /// The token continues past the buffered text; more input is available.
    NeedMore,
    /// The text is malformed.
    Syntax(SyntaxError),
}

/// A syntax error with its byte range.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxError {
    /// First byte of the offending text.
    pub at: usize,
    /// Length of the offending text in bytes.
    pub width: usize,
    /// What is wrong, as one lower-case sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Whether parsing cannot resume after this error.
    pub fatal: bool,
}

impl SyntaxError {
    /// Creates a non-fatal error.
    pub fn new(at: usize, width: usize, message: impl Into<String>, help: impl Into<String>) -> Self {
        SyntaxError { at, width: width.max(1), message: message.into(), help: help.into(), fatal: false }
    }

    fn fatal(mut self) -> Self {
        self.fatal = true;
        self
    }
}

impl From<SyntaxError> for LexError {
    fn from(error: SyntaxError) -> Self {
        LexError::Syntax(error)
    }
}

/// Lexer over a text that may be a prefix of a longer one.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    position: usize,
    /// Whether the text reaches the end of the file.
    complete: bool,
}

impl<'a> Lexer<'a> {
    /// Creates a lexer that starts at `position`.
    pub fn new(text: &'a str, position: usize, complete: bool) -> Self {
        Lexer { text, position, complete }
    }

    /// Returns the text between two positions.
    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    /// Returns the byte position of the lexer.
    pub fn position(&self) -> usize {
        self.position
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.position..]
    }

    fn need_more<T>(&self) -> Result<Option<T>, LexError> {
        if self.complete { Ok(None) } else { Err(LexError::NeedMore) }
    }

    /// Skips white space and comments.
    pub fn skip_trivia(&mut self) -> Result<(), LexError> {
        loop {
            let rest = self.rest();
            let spaces = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)).count();
            self.position += spaces;
            match &rest[spaces..] {
                [b'%', ..] | [b'/', b'/', ..] => match memchr::memchr(b'\n', self.rest()) {
                    Some(end) => self.position += end,
                    None => {
                        self.need_more::<()>()?;
                        self.position = self.text.len();
                    }
                },
                [b'/', b'*', ..] => match memchr::memmem::find(&self.rest()[2..], b"*/") {
                    Some(end) => self.position += end + 4,
                    None => {
                        self.need_more::<()>()?;
                        return Err(unclosed_comment(self.position).into());
                    }
                },
                [b'/'] => {
                    self.need_more::<()>()?;
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    /// Consumes and returns the next token.
    pub fn token(&mut self) -> Result<Token, LexError> {
        self.skip_trivia()?;
        let start = self.position;
        let Some(first) = self.text[start..].chars().next() else {
            self.need_more::<()>()?;
            return Ok(Token { kind: TokenKind::Eof, start, end: start });
        };
        let (kind, length) = match first {
            '"' | '\'' => self.quoted(first)?,
            c if is_word_char(c) => self.word()?,
            ':' => match self.rest().get(1) {
                Some(b'-') => (TokenKind::Implies, 2),
                Some(_) => (TokenKind::Punct(':'), 1),
                None => {
                    self.need_more::<()>()?;
                    (TokenKind::Punct(':'), 1)
                }
            },
            '.' | ';' => (TokenKind::End, 1),
            c => (TokenKind::Punct(c), c.len_utf8()),
        };
        self.position = start + length;
        Ok(Token { kind, start, end: self.position })
    }

    /// Returns the next token without consuming it.
    pub fn peek(&self) -> Result<Token, LexError> {
        self.clone().token()
    }

    fn word(&self) -> Result<(TokenKind, usize), LexError> {
        let rest = &self.text[self.position..];
        let length = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
        // A number may continue after the word, which takes two more characters to decide.
        if rest.len() < length + 3 {
            self.need_more::<()>()?;
        }
        let word = &rest[..length];
        if !looks_numeric(word) {
            return Ok((TokenKind::Word, length));
        }
        let bytes = rest.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let number = |text: &str, bare_exponent| {
            let value = text.parse().unwrap_or(f64::NAN);
            (TokenKind::Number { value, bare_exponent }, text.len())
        };
        let ends_in_exponent = word.ends_with(['e', 'E']);
        if ends_in_exponent || word.contains(['e', 'E']) {
            // `1e5` is one word, but `1e-5` begins with the word `1e`.
            if !ends_in_exponent {
                return Ok(number(word, true));
            }
            let signed = matches!(bytes.get(length), Some(b'+' | b'-'));
            let exponent = if signed { digits(length + 1) } else { 0 };
            if exponent == 0 {
                return Ok((TokenKind::Word, length));
            }
            self.must_see(length + 1 + exponent)?;
            return Ok(number(&rest[..length + 1 + exponent], true));
        }
        if bytes.get(length) != Some(&b'.') || digits(length + 1) == 0 {
            return Ok(number(word, false));
        }
        let mut end = length + 1 + digits(length + 1);
        self.must_see(end + 2)?;
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits((end + 1 + sign).min(bytes.len()));
            if exponent > 0 {
                end += 1 + sign + exponent;
                self.must_see(end)?;
            }
        }
        Ok(number(&rest[..end], false))
    }

    /// Requests more input if nothing follows the next `length` bytes.
    fn must_see(&self, length: usize) -> Result<(), LexError> {
        if self.position + length >= self.text.len() {
            self.need_more::<()>()?;
        }
        Ok(())
    }

    fn quoted(&self, quote: char) -> Result<(TokenKind, usize), LexError> {
        let rest = &self.text[self.position..];
        let mut content = String::new();
        let mut chars = rest.char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            match c {
                _ if c == quote => return Ok((TokenKind::Quoted(content), i + 1)),
                '\\' => match chars.next() {
                    Some((_, 'n')) => content.push('\n'),
                    Some((_, 'r')) => content.push('\r'),
                    Some((_, 't')) => content.push('\t'),
                    Some((_, escaped @ ('"' | '\'' | '\\'))) => content.push(escaped),
                    // Any other backslash is literal, as in a file path.
                    Some((_, other)) => content.extend(['\\', other]),
                    None => break,
                },
                '\n' => {
                    let help = format!("close the quote with {quote} on the same line, or write \\n for a line break");
                    return Err(SyntaxError::new(self.position, 1, "unclosed quote", help).into());
                }
                _ => content.push(c),
            }
        }
        self.need_more::<()>()?;
        let help = format!("close it with {quote}");
        Err(SyntaxError::new(self.position, 1, "unclosed quote", help).fatal().into())
    }
}

/// Returns the error for a block comment that never ends.
pub fn unclosed_comment(at: usize) -> SyntaxError {
    SyntaxError::new(at, 2, "unclosed comment", "close it with */, or write // for a line comment").fatal()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut lexer = Lexer::new(text, 0, true);
        let mut all = Vec::new();
        loop {
            match lexer.token().unwrap().kind {
                TokenKind::Eof => return all,
                kind => all.push(kind),
            }
        }
    }

    fn number(value: f64) -> TokenKind {
        TokenKind::Number { value, bare_exponent: false }
    }

    #[test]
    fn numbers_are_lexed_as_the_format_specifies() {
        use TokenKind::{End, Punct, Word};
        assert_eq!(kinds("12."), [number(12.0), End]);
        assert_eq!(kinds("12.5."), [number(12.5), End]);
        assert_eq!(kinds("007"), [number(7.0)]);
        assert_eq!(kinds("1.5e5 1.5e-5 1.5E+2"), [number(1.5e5), number(1.5e-5), number(150.0)]);
        assert_eq!(kinds("-5.25"), [Punct('-'), number(5.25)]);
        assert_eq!(kinds("1a 1e"), [Word, Word]);
        for (text, value) in [("1e5", 1e5), ("1e-5", 1e-5), ("2E+3", 2e3)] {
            assert_eq!(kinds(text), [TokenKind::Number { value, bare_exponent: true }]);
        }
        assert_eq!(kinds("1.5e)"), [number(1.5), Word, Punct(')')]);
    }

    #[test]
    fn comments_are_skipped_and_quotes_unescaped() {
        assert_eq!(kinds("// x\n% y\n/* z\n */ a // end"), [TokenKind::Word]);
        assert_eq!(
            kinds(r#"'it\'s' "a \"b\"" "c:\d""#),
            [TokenKind::Quoted("it's".into()), TokenKind::Quoted("a \"b\"".into()), TokenKind::Quoted("c:\\d".into()),]
        );
        assert!(Lexer::new("\"abc", 0, true).token().is_err());
        assert!(Lexer::new("/* abc", 0, true).token().is_err());
    }

    #[test]
    fn an_incomplete_token_requests_more_input() {
        for text in ["abc", "12", "12.", "12.5", "1.5e", "1e-", "\"ab", "/", "/* x", "// x", ":", ""] {
            assert_eq!(Lexer::new(text, 0, false).token(), Err(LexError::NeedMore), "{text:?}");
        }
    }
}
