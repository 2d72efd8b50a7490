//! CSV and TSV files as typed columns.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use super::checks::{INFINITE, SourceError, check_column_count, check_text, column_names, unreadable};
use crate::data::import::{SourceColumn, Values};
use crate::files::visible::ShownPath;

/// The most bytes of a record: without a limit, a file without line ends or with an unclosed quote
/// would be read into memory as one.
const MAX_RECORD: u64 = 64 << 20;

/// Reads a file with a header line.
pub fn read(path: &Path, tabs: bool) -> Result<Vec<SourceColumn>, SourceError> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let start = reader.fill_buf().map_err(|error| unreadable(path, &error))?;
    if start.is_empty() {
        let problem = "the file is empty: the first line must name the columns";
        return Err(SourceError::in_file(path, problem));
    }
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        return Err(SourceError::in_file(path, "the text is UTF-16: save it as UTF-8"));
    }
    let delimiter = if tabs { b'\t' } else { delimiter(start) };
    if start.starts_with(&[0xef, 0xbb, 0xbf]) {
        reader.consume(3);
    }
    let budget = Rc::new(Cell::new(MAX_RECORD));
    let quotes = Rc::new(Cell::new(Quotes::new(delimiter)));
    let limited = Limited { inner: reader, budget: Rc::clone(&budget), quotes: Rc::clone(&quotes) };
    // Lengths are checked here, where the message can name the columns.
    let mut records =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(limited);
    let mut record = csv::ByteRecord::new();
    let mut names: Option<Vec<String>> = None;
    let mut columns: Vec<Vec<Option<String>>> = Vec::new();
    loop {
        let line = records.position().line();
        let place = format!("{}:{line}", path.shown());
        match records.read_byte_record(&mut record) {
            Ok(true) => budget.set(MAX_RECORD),
            Ok(false) => break,
            Err(error) => return Err(SourceError::new(place, describe(&error))),
        }
        if let Some(line) = quotes.get().unclosed() {
            let problem = "a quote in the record that starts here is not closed before the end of the file: add the \
                           closing `\"`, or write a quote in a quoted field twice";
            return Err(SourceError::new(format!("{}:{line}", path.shown()), problem));
        }
        let Some(names) = &names else {
            check_column_count(&place, record.len())?;
            let found = (0..record.len()).map(|i| text(&record, i, &place, &format!("column {}", i + 1)));
            let found = column_names(&place, found.collect::<Result<_, _>>()?)?;
            columns = vec![Vec::new(); found.len()];
            names = Some(found);
            continue;
        };
        if record.len() != names.len() {
            let problem = format!(
                "{} fields, but the header has {}: quote fields that contain the separator `{}` or a line break",
                record.len(),
                names.len(),
                char::from(delimiter).escape_default()
            );
            return Err(SourceError::new(place, problem));
        }
        for (i, column) in columns.iter_mut().enumerate() {
            let text = text(&record, i, &place, &format!("column `{}`", names[i]))?;
            column.push((!text.is_empty()).then_some(text));
        }
    }
    let column = |(name, texts): (String, Vec<Option<String>>)| match Values::infinite(&texts) {
        Some(row) => {
            let place = format!("{}: column `{name}`, row {}", path.shown(), row + 1);
            Err(SourceError::new(place, INFINITE))
        }
        None => Ok(SourceColumn { name, values: Values::of_texts(texts) }),
    };
    names.unwrap_or_default().into_iter().zip(columns).map(column).collect()
}

/// Returns the separator of the header: a comma, or if it has none, `;` or a tab.
fn delimiter(start: &[u8]) -> u8 {
    let header = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut candidates = [b',', b';', b'\t'].into_iter();
    candidates.find(|byte| header.contains(byte)).unwrap_or(b',')
}

fn text(record: &csv::ByteRecord, i: usize, place: &str, column: &str) -> Result<String, SourceError> {
    let problem = match std::str::from_utf8(&record[i]) {
        Ok(text) => match check_text(text) {
            Ok(()) => return Ok(text.to_owned()),
            Err(problem) => problem,
        },
        Err(error) => {
            let byte = record[i][error.valid_up_to()];
            format!("the byte 0x{byte:02x} is not UTF-8: save the file as UTF-8 (it may be Latin-1 or binary)")
        }
    };
    Err(SourceError::new(format!("{place}: {column}"), problem))
}

fn describe(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

/// Where in a record the bytes that were read end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    RecordStart,
    FieldStart,
    Unquoted,
    Quoted,
    /// After a quote in a quoted field, which ends it unless another one follows.
    AfterQuote,
}

/// Follows quotes by the rules of the parser, which takes the end of the file for the end of a
/// quoted field.
#[derive(Clone, Copy)]
struct Quotes {
    delimiter: u8,
    place: Place,
    line: u64,
    /// The line at which the last record starts.
    record: u64,
    has_ended: bool,
}

impl Quotes {
    fn new(delimiter: u8) -> Self {
        Quotes { delimiter, place: Place::RecordStart, line: 1, record: 1, has_ended: false }
    }

    /// Takes the next bytes; none at the end of the file.
    fn follow(&mut self, bytes: &[u8]) {
        self.has_ended |= bytes.is_empty();
        for &byte in bytes {
            let is_line_end = matches!(byte, b'\r' | b'\n');
            if self.place == Place::RecordStart && !is_line_end {
                self.record = self.line;
            }
            self.line += u64::from(byte == b'\n');
            self.place = match self.place {
                Place::Quoted if byte == b'"' => Place::AfterQuote,
                Place::Quoted => Place::Quoted,
                Place::RecordStart | Place::FieldStart | Place::AfterQuote if byte == b'"' => Place::Quoted,
                _ if byte == self.delimiter => Place::FieldStart,
                _ if is_line_end => Place::RecordStart,
                _ => Place::Unquoted,
            };
        }
    }

    /// Returns the line at which the last record starts if the file ends in a quoted field of it.
    fn unclosed(self) -> Option<u64> {
        (self.has_ended && self.place == Place::Quoted).then_some(self.record)
    }
}

/// A reader that fails when a record is too long, and follows quotes.
struct Limited<R> {
    inner: R,
    /// The bytes left for the current record.
    budget: Rc<Cell<u64>>,
    quotes: Rc<Cell<Quotes>>,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let mut quotes = self.quotes.get();
        quotes.follow(&buffer[..count]);
        self.quotes.set(quotes);
        match self.budget.get().checked_sub(count as u64) {
            Some(left) => self.budget.set(left),
            None => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a record of more than 64 MiB: a quote may be unclosed, or the file is not CSV",
                ));
            }
        }
        Ok(count)
    }
}
