//! CSV as in RFC 4180.

use csv::{QuoteStyle, ReaderBuilder, StringRecord, WriterBuilder};
use thiserror::Error;

/// Why a text is not valid CSV.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {}", self.what())]
pub struct CsvError {
    /// First line of the record.
    pub line: usize,
}

impl CsvError {
    /// Returns the problem without its line.
    pub fn what(&self) -> &'static str {
        "unbalanced quotes; close every quote, and write \"\" for a quote within a quoted field"
    }
}

/// One CSV record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvRecord {
    /// Its first line, from 1.
    pub line: usize,
    /// Its fields.
    pub fields: Vec<String>,
}

/// Largest magnitude of a score, time or tolerance in a file: no metric reaches it, and sums of
/// squares of such numbers are finite.
pub const LARGEST: f64 = 1e9;

/// Parses a number of at most [`LARGEST`] in magnitude.
pub fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|value| value.abs() <= LARGEST)
}

/// Formats fields as one line, quoting where necessary.
pub fn line<S: AsRef<str>>(fields: impl IntoIterator<Item = S>) -> String {
    let fields: Vec<S> = fields.into_iter().collect();
    // A byte-order mark at the beginning of a file would be dropped by readers.
    let has_mark = fields.iter().any(|field| field.as_ref().contains('\u{feff}'));
    let style = if has_mark { QuoteStyle::Always } else { QuoteStyle::Necessary };
    let mut writer = WriterBuilder::new().quote_style(style).from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(fields.iter().map(|field| field.as_ref().as_bytes()));
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// Parses a text. Empty lines are skipped; LF, CRLF and CR line ends are accepted, and lines are
/// counted by LF.
///
/// # Errors
/// If quotes are unbalanced: such a record would silently take in the next ones.
pub fn parse(text: &str) -> Result<Vec<CsvRecord>, CsvError> {
    let text = text.trim_start_matches('\u{feff}').as_bytes();
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
    let mut records = Vec::new();
    let mut record = StringRecord::new();
    let (mut end, mut line) = (0, 1);
    let count = |byte: u8, bytes: &[u8]| memchr::memchr_iter(byte, bytes).count();
    // The text is valid UTF-8 and records may differ in length, so reading cannot fail.
    while reader.read_record(&mut record).unwrap_or(false) {
        let read = &text[end..reader.position().byte() as usize];
        // The reader skips empty lines, and the second half of a CRLF, before a record.
        let blank = read.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        line += count(b'\n', &read[..blank]);
        if !count(b'"', read).is_multiple_of(2) {
            return Err(CsvError { line });
        }
        records.push(CsvRecord { line, fields: record.iter().map(str::to_owned).collect() });
        (end, line) = (end + read.len(), line + count(b'\n', &read[blank..]));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn records_lines_and_quotes_are_parsed() {
        let text = "\u{feff}a,b\r\n\r\n\"x, \"\"y\"\"\",\n\"two\nlines\",3";
        let of = |line, fields: &[&str]| CsvRecord { line, fields: fields.iter().map(ToString::to_string).collect() };
        let records = [of(1, &["a", "b"]), of(3, &["x, \"y\"", ""]), of(4, &["two\nlines", "3"])];
        assert_eq!(parse(text).unwrap(), records);
        assert_eq!(parse(""), Ok(Vec::new()));
        assert_eq!(parse("a\n\"b"), Err(CsvError { line: 2 }));
        assert_eq!(parse("a\nb\"c,d\ne"), Err(CsvError { line: 2 }));
    }

    proptest! {
        #[test]
        fn written_records_are_read_back(rows in prop::collection::vec(prop::collection::vec("[a,\" \n\r\u{feff}]{0,4}", 1..4), 0..5)) {
            let text: String = rows.iter().map(line).collect();
            let read: Vec<Vec<String>> = parse(&text).unwrap().into_iter().map(|record| record.fields).collect();
            prop_assert_eq!(read, rows);
        }

        #[test]
        fn parsing_never_panics(text in "[a,\"\n\r]{0,20}") {
            let _ = parse(&text);
        }
    }
}
