//! Reads facts of published files with the common reader and writes them in BoostSRL syntax.

use std::fmt::Write;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::error::AdaptError;
use super::input::AdaptorInput;
use crate::data::layout;
use crate::logic::term::write_name;
use crate::logic::{
    CapacityError, Constant, Diagnostic, FileRole, ReadError, Reader, Sentence, Sink, SourceWindow, Symbols,
};

/// Reads the facts of a file in turn; `each` receives the predicate in lower case. Returns goals
/// (`:- p(a).`) as text.
pub(super) fn read_facts(
    input: &AdaptorInput<'_>,
    path: &Path,
    each: impl FnMut(&Symbols, &str, &[Constant]),
) -> Result<Vec<String>, AdaptError> {
    let file = || path.display().to_string();
    let opened = layout::open(path).map_err(|error| ReadError::Io { file: file(), error })?;
    let mut sink = FactVisitor { symbols: Symbols::new(), predicate: String::new(), each, goals: Vec::new() };
    let mut reader = Reader::default();
    reader.read(&mut SourceWindow::new(path, opened), FileRole::Facts, &mut sink)?;
    if reader.diagnostics.has_errors() {
        return Err(AdaptError::Invalid { id: input.id().to_owned(), found: reader.diagnostics });
    }
    Ok(sink.goals)
}

struct FactVisitor<F> {
    symbols: Symbols,
    /// A buffer reused for every fact.
    predicate: String,
    each: F,
    goals: Vec<String>,
}

impl<F: FnMut(&Symbols, &str, &[Constant])> Sink for FactVisitor<F> {
    fn symbols(&mut self) -> &mut Symbols {
        &mut self.symbols
    }

    fn fact(
        &mut self,
        _line: u64,
        predicate: &str,
        args: &[Constant],
        _weight: Option<f64>,
    ) -> Result<(), CapacityError> {
        self.predicate.clear();
        self.predicate.extend(predicate.chars().flat_map(char::to_lowercase));
        (self.each)(&self.symbols, &self.predicate, args);
        Ok(())
    }

    fn sentence(&mut self, _file: &Path, sentence: Sentence) -> Result<Vec<Diagnostic>, CapacityError> {
        if let Sentence::Unused(name, text) = sentence
            && name == ":-"
        {
            self.goals.push(text);
        }
        Ok(Vec::new())
    }
}

/// Appends a fact as a line.
pub(super) fn write_fact(text: &mut String, symbols: &Symbols, predicate: &str, args: &[Constant]) {
    text.push_str(predicate);
    for (i, &arg) in args.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{}", if i == 0 { '(' } else { ',' }, symbols.show(arg));
    }
    text.push_str(if args.is_empty() { ".\n" } else { ").\n" });
}

/// Returns a name as written in files, quoted if necessary.
pub(super) fn name(text: &str) -> String {
    let mut written = String::new();
    // Writing to a string cannot fail.
    let _ = write_name(&mut written, text);
    written
}

/// Appends a fact with two arguments that are already quoted.
pub(super) fn write_pair(text: &mut String, predicate: &str, first: &str, second: &str) {
    let _ = writeln!(text, "{predicate}({first},{second}).");
}

/// Calls `each` with every line and its number; lines that are not UTF-8 are decoded as Latin-1.
pub(super) fn each_line(
    path: &Path,
    mut each: impl FnMut(usize, &str) -> Result<(), AdaptError>,
) -> Result<(), AdaptError> {
    let unreadable = |error| ReadError::Io { file: path.display().to_string(), error };
    let mut reader = BufReader::new(layout::open(path).map_err(unreadable)?);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(unreadable)? == 0 {
            break;
        }
        match std::str::from_utf8(&bytes) {
            Ok(line) => each(number, line.trim_end())?,
            Err(_) => each(number, bytes.iter().map(|&b| char::from(b)).collect::<String>().trim_end())?,
        }
    }
    Ok(())
}
