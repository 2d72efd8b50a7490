//! Reads files: plain facts on the fast path, everything else with the parser, collecting errors.

use std::io;
use std::path::Path;

use super::diagnostic::{Diagnostic, Diagnostics};
use super::fast::plain_fact;
use super::lexer::{LexError, Lexer, SyntaxError, TokenKind, unclosed_comment};
use super::parser::{Parsed, parse_sentence};
use super::sentence::{Notation, Sentence};
use super::source::{MAX_SENTENCE_BYTES, SourceWindow};
use super::symbol::{Constant, SymbolTableFull, Symbols};
use super::term::Term;
use crate::cancel;
use crate::files::visible::ShownPath;

/// A table is full; the message says which one and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CapacityError(pub String);

impl From<SymbolTableFull> for CapacityError {
    fn from(error: SymbolTableFull) -> Self {
        CapacityError(error.to_string())
    }
}

/// Receiver of the sentences of a file.
pub trait Sink {
    /// Returns the table in which constants are interned.
    fn symbols(&mut self) -> &mut Symbols;

    /// Accepts a ground fact.
    ///
    /// `line` is set for examples only and 0 otherwise, because counting lines takes time.
    fn fact(&mut self, line: u64, predicate: &str, args: &[Constant], weight: Option<f64>)
    -> Result<(), CapacityError>;

    /// Accepts a sentence other than a fact; returns diagnostics without location.
    fn sentence(&mut self, file: &Path, sentence: Sentence) -> Result<Vec<Diagnostic>, CapacityError>;
}

/// Role of a file, as far as parsing is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// Facts: a variable is read as a constant, with a warning.
    Facts,
    /// Examples: a variable is an error.
    Examples,
    /// Background: modes may omit their keyword.
    Background,
}

/// Reads a sequence of files; the notation set by one file applies to the next ones.
#[derive(Debug, Default)]
pub struct Reader {
    /// All diagnostics so far.
    pub diagnostics: Diagnostics,
    /// The first notation set by any file, with which later files start.
    default_notation: Option<Notation>,
}

/// An error that ends reading.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {error}")]
    Io {
        /// The file.
        file: String,
        /// The cause.
        error: io::Error,
    },
    /// A table is full.
    #[error("{file}: {error}")]
    Full {
        /// The file.
        file: String,
        /// The table.
        error: CapacityError,
    },
}

impl Reader {
    /// Reads `source` to its end.
    ///
    /// Syntax errors are collected in [`Reader::diagnostics`]; reading resumes after each of them.
    pub fn read<S: Sink>(&mut self, source: &mut SourceWindow, role: FileRole, sink: &mut S) -> Result<(), ReadError> {
        let file = source.file().to_owned();
        let name = |file: &Path| file.shown().to_string();
        let full = |error| ReadError::Full { file: name(&file), error };
        let unreadable = |error| ReadError::Io { file: name(&file), error };
        let mut notation = self.default_notation.unwrap_or_default();
        let mut args: Vec<Constant> = Vec::new();
        source.refill().map_err(unreadable)?;
        if source.had_bom() {
            let help = "save the file without it";
            let message = "the file begins with a byte order mark, which is ignored";
            self.diagnostics.push(Diagnostic::warning("byte-order-mark", message, help).at(source.locate(0, 1)));
        }
        loop {
            self.report_encoding(source);
            if !self.skip_trivia(source).map_err(unreadable)? {
                return Ok(());
            }
            let start = source.cursor();
            if notation == Notation::Prolog && role != FileRole::Background {
                let plain =
                    plain_fact(source.text(), start, sink.symbols(), &mut args).map_err(|error| full(error.into()))?;
                if let Some(fact) = plain {
                    let line = if role == FileRole::Examples { source.line(start) } else { 0 };
                    let name = &source.text()[fact.name_start..fact.name_end];
                    sink.fact(line, name, &args, None).map_err(full)?;
                    source.advance(fact.end);
                    continue;
                }
            }
            cancel::poll();
            let parsed = parse_sentence(source.text(), start, source.at_end(), notation, role == FileRole::Background);
            match parsed {
                Err(LexError::NeedMore) => {
                    if source.text().len() - start > MAX_SENTENCE_BYTES {
                        let message = format!("the sentence exceeds {MAX_SENTENCE_BYTES} bytes");
                        let help = "is this a text file, and does each fact end with a full stop?";
                        self.diagnostics
                            .push(Diagnostic::error("sentence-too-long", message, help).at(source.locate(start, 1)));
                        return Ok(());
                    }
                    source.refill().map_err(unreadable)?;
                }
                Err(LexError::Syntax(error)) => {
                    let diagnostic = Diagnostic::error("syntax", &error.message, &error.help);
                    self.report(diagnostic, source, error.at, error.width);
                    if error.fatal {
                        return Ok(());
                    }
                    recover(source, &error).map_err(unreadable)?;
                }
                Ok(parsed) => {
                    if let Sentence::Notation(chosen) = parsed.sentence {
                        notation = chosen;
                        self.default_notation.get_or_insert(chosen);
                    }
                    let end = parsed.end;
                    self.accept(source, (role, notation), parsed, &mut args, sink).map_err(full)?;
                    source.advance(end);
                }
            }
        }
    }

    /// Adds a diagnostic. Its location takes time linear in the window, so it is computed only if
    /// shown.
    fn report(&mut self, diagnostic: Diagnostic, source: &mut SourceWindow, at: usize, width: usize) {
        if !self.diagnostics.count_if_hidden(&diagnostic, source.file()) {
            self.diagnostics.push(diagnostic.at(source.locate(at, width)));
        }
    }

    fn report_encoding(&mut self, source: &mut SourceWindow) {
        if let Some(at) = source.take_not_utf8() {
            let message = "the text is not valid UTF-8; invalid bytes are read as Latin-1";
            self.diagnostics.push(Diagnostic::warning("not-utf8", message, "save the file as UTF-8").at(at));
        }
    }

    /// Skips white space and comments of any length between sentences; `false` at the end of the
    /// file.
    fn skip_trivia(&mut self, source: &mut SourceWindow) -> io::Result<bool> {
        loop {
            let mut lexer = Lexer::new(source.text(), source.cursor(), source.at_end());
            let result = lexer.skip_trivia();
            let position = lexer.position();
            source.advance(position);
            match result {
                Ok(()) if position < source.text().len() => return Ok(true),
                Ok(()) if source.at_end() => return Ok(false),
                Ok(()) => source.refill()?,
                Err(LexError::NeedMore) => {
                    let rest = &source.text()[position..];
                    if rest.starts_with("/*") {
                        if !self.skip_long_comment(source)? {
                            return Ok(false);
                        }
                    } else if rest.len() > MAX_BUFFERED_COMMENT && !rest.starts_with('\n') && rest != "/" {
                        // A line comment: drop the part that was read.
                        self.skip_long_line(source)?;
                    } else {
                        source.refill()?;
                    }
                }
                Err(LexError::Syntax(error)) => {
                    let at = source.locate(error.at, error.width);
                    self.diagnostics.push(Diagnostic::error("syntax", error.message, error.help).at(at));
                    return Ok(false);
                }
            }
        }
    }

    /// Skips a comment; the cursor is on `/*`, and its end is not in the window.
    fn skip_long_comment(&mut self, source: &mut SourceWindow) -> io::Result<bool> {
        let cursor = source.cursor();
        let opened = source.locate(cursor, 2);
        source.advance(cursor + 2);
        loop {
            let cursor = source.cursor();
            if let Some(end) = source.text()[cursor..].find("*/") {
                source.advance(cursor + end + 2);
                return Ok(true);
            }
            if source.at_end() {
                let SyntaxError { message, help, .. } = unclosed_comment(0);
                self.diagnostics.push(Diagnostic::error("syntax", message, help).at(opened));
                return Ok(false);
            }
            // The last byte may be the star of `*/`.
            let keep = source.text()[cursor..].ends_with('*');
            source.advance(source.text().len() - usize::from(keep));
            source.refill()?;
        }
    }

    /// Skips a line comment whose end is not in the window.
    fn skip_long_line(&mut self, source: &mut SourceWindow) -> io::Result<()> {
        loop {
            let cursor = source.cursor();
            match memchr::memchr(b'\n', &source.text().as_bytes()[cursor..]) {
                Some(end) => {
                    source.advance(cursor + end);
                    return Ok(());
                }
                None => {
                    source.advance(source.text().len());
                    if source.at_end() {
                        return Ok(());
                    }
                    source.refill()?;
                }
            }
        }
    }

    fn accept<S: Sink>(
        &mut self,
        source: &mut SourceWindow,
        (role, notation): (FileRole, Notation),
        parsed: Parsed,
        args: &mut Vec<Constant>,
        sink: &mut S,
    ) -> Result<(), CapacityError> {
        let start = source.cursor();
        let width = parsed.end - start;
        for warning in parsed.warnings {
            let diagnostic = Diagnostic::warning(warning.code, warning.message, warning.help);
            self.report(diagnostic, source, warning.at, warning.width);
        }
        let (atom, negated, weight) = match parsed.sentence {
            Sentence::Fact { atom, negated, weight } => (atom, negated, weight),
            other => {
                for diagnostic in sink.sentence(source.file(), other)? {
                    self.report(diagnostic, source, start, width);
                }
                return Ok(());
            }
        };
        if negated {
            let message = format!("`~{atom}` is ignored: facts that are not stated are false anyway");
            let help = "delete it; negative examples belong in the file of negatives, without `~`";
            self.report(Diagnostic::warning("negated-fact", message, help), source, start, width);
            return Ok(());
        }
        if let Some(variable) = atom.args.iter().find_map(first_variable) {
            // Search after the predicate name, which may contain the same letters.
            let arguments = start + source.text()[start..parsed.end].find('(').unwrap_or(0);
            let at = source.text()[arguments..parsed.end].find(variable).map_or(start, |i| arguments + i);
            if variable == "_" {
                let message = "`_` stands for any constant, but facts and examples are about single ones";
                let help = "write the constant, or quote it to mean one of this name: \"_\"";
                self.report(Diagnostic::error("not-ground", message, help), source, at, variable.len());
                return Ok(());
            }
            let (message, help) = variable_as_constant(variable, notation);
            self.report(Diagnostic::warning("capitalised-constant", message, help), source, at, variable.len());
        }
        if let Some(weight) = weight.filter(|weight| role == FileRole::Examples && !(0.0..=MAX_WEIGHT).contains(weight))
        {
            let message = format!("example weight must be between 0 and {MAX_WEIGHT}, got {weight}");
            let help = "the weight 0 excludes the example; the default is 1";
            self.report(Diagnostic::error("bad-weight", message, help), source, start, width);
            return Ok(());
        }
        args.clear();
        for term in &atom.args {
            args.push(intern_term(sink.symbols(), term)?);
        }
        let line = if role == FileRole::Examples { source.line(start) } else { 0 };
        sink.fact(line, &atom.predicate, args, weight)
    }
}

/// Maximum weight of an example.
pub const MAX_WEIGHT: f64 = 1000.0;

/// Comments shorter than this many bytes are read as a whole.
const MAX_BUFFERED_COMMENT: usize = 1 << 16;

/// Returns message and advice about an argument that the notation makes a variable.
fn variable_as_constant(variable: &str, notation: Notation) -> (String, &'static str) {
    let (rule, help) = match notation {
        Notation::Prolog => (
            "capitalized names are variables in Prolog notation, which is in force",
            "quote it; if capitalized names are constants throughout, write `useStdLogicVariables: true.` before them",
        ),
        Notation::StandardLogic => (
            "lower-case names are variables after `useStdLogicVariables: true.`",
            "quote it; if lower-case names are constants throughout, write `usePrologVariables: true.` before them",
        ),
        Notation::QuestionMark => (
            "names after a question mark are variables after `useLeadingQuestionMarkVariables: true.`",
            "remove the question mark",
        ),
    };
    (format!("`{variable}` is read as a constant, but other programs read it as a variable: {rule}"), help)
}

fn first_variable(term: &Term) -> Option<&str> {
    match term {
        Term::Variable(name) => Some(name),
        Term::Name(_) | Term::Number(_) => None,
        Term::Compound(_, terms) | Term::List(terms) => terms.iter().find_map(first_variable),
    }
}

/// Interns a term by its canonical form, and a variable by its name.
pub fn intern_term(symbols: &mut Symbols, term: &Term) -> Result<Constant, SymbolTableFull> {
    match term {
        Term::Number(value) => symbols.intern_number(*value),
        Term::Variable(name) => symbols.intern(&Term::Name(name.clone()).to_string()),
        _ => symbols.intern(&term.to_string()),
    }
}

/// Moves past an error to where the next sentence probably starts.
fn recover(source: &mut SourceWindow, error: &SyntaxError) -> io::Result<()> {
    // A word at the start of a line begins a sentence: the full stop before it is missing.
    let text = source.text();
    let starts_line = text[..error.at].ends_with('\n') && text[error.at..].starts_with(|c: char| c.is_alphabetic());
    if starts_line && error.at > source.cursor() {
        source.advance(error.at);
        return Ok(());
    }
    source.advance(error.at);
    loop {
        let mut lexer = Lexer::new(source.text(), source.cursor(), source.at_end());
        let next = lexer.token();
        let mut end = lexer.position();
        let found = match next {
            Ok(token) => matches!(token.kind, TokenKind::End | TokenKind::Eof),
            Err(LexError::NeedMore) => {
                if source.text().len() - source.cursor() > MAX_SENTENCE_BYTES {
                    source.advance(source.text().len());
                }
                source.refill()?;
                continue;
            }
            // After an unclosed quote, resume at the next line.
            Err(LexError::Syntax(error)) => {
                end = memchr::memchr(b'\n', &source.text().as_bytes()[error.at..])
                    .map_or(source.text().len(), |i| error.at + i);
                true
            }
        };
        source.advance(end);
        if found {
            return Ok(());
        }
    }
}
