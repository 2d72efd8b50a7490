//! Reads a whole file: plain facts by the short way, everything else by the parser, errors collected on the way.

use std::io;
use std::path::Path;

use super::diagnostic::{Diagnostic, Diagnostics};
use super::fast::plain_fact;
use super::lexer::{LexError, Lexer, SyntaxError, TokenKind, unclosed_comment};
use super::parser::{Parsed, parse_sentence};
use super::sentence::{Notation, Sentence};
use super::source::{LONGEST_SENTENCE, Source};
use super::symbol::{Constant, Symbols, SymbolsFull};
use super::term::Term;

/// No more can be stored: says which table is full, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Full(pub String);

impl From<SymbolsFull> for Full {
    fn from(error: SymbolsFull) -> Self {
        Full(error.to_string())
    }
}

/// What is made of the sentences of a file.
pub trait Sink {
    /// The table in which constants are interned.
    fn symbols(&mut self) -> &mut Symbols;

    /// A ground fact. Its line is told for examples only, 0 otherwise: counting lines is not free.
    fn fact(&mut self, line: u64, predicate: &str, args: &[Constant], weight: Option<f64>) -> Result<(), Full>;

    /// Any sentence but a fact. What there is to say of it comes back as diagnostics without a place.
    fn sentence(&mut self, file: &Path, sentence: Sentence) -> Result<Vec<Diagnostic>, Full>;
}

/// What a file is for, as far as reading goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Facts: a variable is taken for a constant, with a warning.
    Facts,
    /// Examples: a variable is an error.
    Examples,
    /// Background: modes may be bare.
    Background,
}

/// Reads files one after another; what one file sets can hold for the next.
#[derive(Debug, Default)]
pub struct Reader {
    /// Everything found so far.
    pub diagnostics: Diagnostics,
    /// The first notation that any file set: later files start with it.
    default_notation: Option<Notation>,
}

/// Nothing more can be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {error}")]
    Io {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// The tables are full.
    #[error("{file}: {error}")]
    Full {
        /// The file.
        file: String,
        /// Which table.
        error: Full,
    },
}

impl Reader {
    /// Reads `source` to its end.
    ///
    /// Errors in the text are collected in [`Reader::diagnostics`]; reading goes on behind each.
    pub fn read<S: Sink>(&mut self, source: &mut Source, role: Role, sink: &mut S) -> Result<(), ReadError> {
        let file = source.file().to_owned();
        let name = |file: &Path| file.display().to_string();
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
            self.tell_encoding(source);
            if !self.skip_trivia(source).map_err(unreadable)? {
                return Ok(());
            }
            let start = source.cursor();
            if notation == Notation::Prolog && role != Role::Background {
                let plain =
                    plain_fact(source.text(), start, sink.symbols(), &mut args).map_err(|error| full(error.into()))?;
                if let Some(fact) = plain {
                    let line = if role == Role::Examples { source.line(start) } else { 0 };
                    let name = &source.text()[fact.name_start..fact.name_end];
                    sink.fact(line, name, &args, None).map_err(full)?;
                    source.advance(fact.end);
                    continue;
                }
            }
            let parsed = parse_sentence(source.text(), start, source.at_end(), notation, role == Role::Background);
            match parsed {
                Err(LexError::NeedMore) => {
                    if source.text().len() - start > LONGEST_SENTENCE {
                        let message = format!("a sentence longer than {LONGEST_SENTENCE} bytes");
                        let help = "is this a text file, and does each fact end with a full stop?";
                        self.diagnostics
                            .push(Diagnostic::error("sentence-too-long", message, help).at(source.locate(start, 1)));
                        return Ok(());
                    }
                    source.refill().map_err(unreadable)?;
                }
                Err(LexError::Syntax(error)) => {
                    let diagnostic = Diagnostic::error("syntax", &error.message, &error.help);
                    self.tell(diagnostic, source, error.at, error.width);
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
                    self.accept(source, role, parsed, &mut args, sink).map_err(full)?;
                    source.advance(end);
                }
            }
        }
    }

    /// Adds a diagnostic. Finding its place takes as long as the window is, so that is done only for those that are shown.
    fn tell(&mut self, diagnostic: Diagnostic, source: &mut Source, at: usize, width: usize) {
        if !self.diagnostics.counted(&diagnostic, source.file()) {
            self.diagnostics.push(diagnostic.at(source.locate(at, width)));
        }
    }

    fn tell_encoding(&mut self, source: &mut Source) {
        if let Some(at) = source.take_not_utf8() {
            let message = "the text is not UTF-8; it is read as Latin-1 here";
            self.diagnostics.push(Diagnostic::warning("not-utf8", message, "save the file as UTF-8").at(at));
        }
    }

    /// Passes over spaces and comments between sentences, however long; `false` at the end of the file.
    fn skip_trivia(&mut self, source: &mut Source) -> io::Result<bool> {
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
                    } else if rest.len() > KEPT_OF_COMMENT && !rest.starts_with('\n') && rest != "/" {
                        // A comment of one line: forget what was read of it, keep two bytes that open it again.
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

    /// The cursor is on `/*`, and its end is not in the window.
    fn skip_long_comment(&mut self, source: &mut Source) -> io::Result<bool> {
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

    /// The cursor is on a comment of one line whose end is not in the window.
    fn skip_long_line(&mut self, source: &mut Source) -> io::Result<()> {
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
        source: &mut Source,
        role: Role,
        parsed: Parsed,
        args: &mut Vec<Constant>,
        sink: &mut S,
    ) -> Result<(), Full> {
        let start = source.cursor();
        let whole = parsed.end - start;
        for remark in parsed.remarks {
            let diagnostic = Diagnostic::warning(remark.code, remark.message, remark.help);
            self.tell(diagnostic, source, remark.at, remark.width);
        }
        let (atom, negated, weight) = match parsed.sentence {
            Sentence::Fact { atom, negated, weight } => (atom, negated, weight),
            other => {
                for diagnostic in sink.sentence(source.file(), other)? {
                    self.tell(diagnostic, source, start, whole);
                }
                return Ok(());
            }
        };
        if negated {
            let message = format!("`~{atom}` is left out: what is not stated does not hold anyway");
            let help = "delete it; negative examples belong into the file of negatives, without `~`";
            self.tell(Diagnostic::warning("negated-fact", message, help), source, start, whole);
            return Ok(());
        }
        if let Some(variable) = atom.args.iter().find_map(first_variable) {
            // Behind the name of the predicate, which may have the same letters.
            let arguments = start + source.text()[start..parsed.end].find('(').unwrap_or(0);
            let at = source.text()[arguments..parsed.end].find(variable).map_or(start, |i| arguments + i);
            if role == Role::Examples {
                let message = format!("the variable `{variable}` in an example, which must be ground");
                let help = format!("quote it to mean a constant: \"{variable}\"");
                self.tell(Diagnostic::error("example-not-ground", message, help), source, at, variable.len());
                return Ok(());
            }
            let message = format!("`{variable}` is read as a constant; other programs read a variable");
            let help = "quote it, or set the notation with `useStdLogicVariables: true.`";
            self.tell(Diagnostic::warning("capitalised-constant", message, help), source, at, variable.len());
        }
        if let Some(weight) = weight.filter(|weight| role == Role::Examples && !(0.0..=MOST_WEIGHT).contains(weight)) {
            let message = format!("an example cannot have the weight {weight}");
            let help =
                format!("give a number from 0, which leaves the example out, to {MOST_WEIGHT}; 1 is the usual weight");
            self.tell(Diagnostic::error("bad-weight", message, help), source, start, whole);
            return Ok(());
        }
        args.clear();
        for term in &atom.args {
            args.push(intern_term(sink.symbols(), term)?);
        }
        let line = if role == Role::Examples { source.line(start) } else { 0 };
        sink.fact(line, &atom.predicate, args, weight)
    }
}

/// The most an example may count.
pub const MOST_WEIGHT: f64 = 1000.0;

/// A comment shorter than this is simply read whole.
const KEPT_OF_COMMENT: usize = 1 << 16;

fn first_variable(term: &Term) -> Option<&str> {
    match term {
        Term::Variable(name) => Some(name),
        Term::Name(_) | Term::Number(_) => None,
        Term::Compound(_, terms) | Term::List(terms) => terms.iter().find_map(first_variable),
    }
}

/// Interns a term by its canonical print; a variable as the name it has.
pub fn intern_term(symbols: &mut Symbols, term: &Term) -> Result<Constant, SymbolsFull> {
    match term {
        Term::Number(value) => symbols.intern_number(*value),
        Term::Variable(name) => symbols.intern(&Term::Name(name.clone()).to_string()),
        _ => symbols.intern(&term.to_string()),
    }
}

/// Moves behind an error, to where the next sentence is likely to start.
fn recover(source: &mut Source, error: &SyntaxError) -> io::Result<()> {
    // A word at the beginning of a line starts a sentence: the full stop before it is what was missing.
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
                if source.text().len() - source.cursor() > LONGEST_SENTENCE {
                    source.advance(source.text().len());
                }
                source.refill()?;
                continue;
            }
            // Behind an unclosed quote the next line is as good a place as any.
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
