//! CSV as in RFC 4180.

use thiserror::Error;

/// Why a text is not valid CSV.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CsvError {
    /// A quoted field is not closed.
    #[error("line {line}: unclosed quote; close it, or write \"\" for a quote within a quoted field")]
    OpenQuote {
        /// The line of the opening quote.
        line: usize,
    },
    /// A quote inside an unquoted field, or text after a closing quote.
    #[error("line {line}: quote inside an unquoted field; quote the whole field, and write \"\" for a quote within it")]
    StrayQuote {
        /// The line.
        line: usize,
    },
}

/// One CSV record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvRecord {
    /// Its first line, from 1.
    pub line: usize,
    /// Its fields.
    pub fields: Vec<String>,
}

/// Formats fields as one line, quoting where necessary.
pub fn line<S: AsRef<str>>(fields: impl IntoIterator<Item = S>) -> String {
    let mut text = String::new();
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        let field = field.as_ref();
        // A byte-order mark at the beginning of a file would be dropped by readers.
        if field.contains([',', '"', '\n', '\r', '\u{feff}']) {
            text.push_str(&format!("\"{}\"", field.replace('"', "\"\"")));
        } else {
            text.push_str(field);
        }
    }
    // An empty line is not a record, but a record may consist of one empty field.
    if text.is_empty() {
        text.push_str("\"\"");
    }
    text.push('\n');
    text
}

/// Parses a text. Empty lines are skipped; LF and CRLF line ends are accepted.
///
/// # Errors
/// If quotes are unbalanced.
pub fn parse(text: &str) -> Result<Vec<CsvRecord>, CsvError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut records = Vec::new();
    let mut record = CsvRecord { line: 1, fields: Vec::new() };
    let mut field = String::new();
    let (mut line, mut was_quoted) = (1, false);
    let mut chars = text.chars().peekable();
    loop {
        let next = chars.next();
        match next {
            Some('"') if field.is_empty() && !was_quoted => {
                was_quoted = true;
                let opened = line;
                loop {
                    match chars.next() {
                        None => return Err(CsvError::OpenQuote { line: opened }),
                        Some('"') if chars.peek() == Some(&'"') => field.extend(chars.next()),
                        Some('"') => break,
                        Some(c) => {
                            line += usize::from(c == '\n');
                            field.push(c);
                        }
                    }
                }
                if !matches!(chars.peek(), None | Some(',' | '\n' | '\r')) {
                    return Err(CsvError::StrayQuote { line });
                }
            }
            Some('"') => return Err(CsvError::StrayQuote { line }),
            Some(',') => {
                record.fields.push(std::mem::take(&mut field));
                was_quoted = false;
            }
            Some('\r') if matches!(chars.peek(), None | Some('\n')) => {}
            Some('\n') | None => {
                if !(record.fields.is_empty() && field.is_empty() && !was_quoted) {
                    record.fields.push(std::mem::take(&mut field));
                    records.push(std::mem::replace(&mut record, CsvRecord { line: 0, fields: Vec::new() }));
                }
                if next.is_none() {
                    return Ok(records);
                }
                line += 1;
                record.line = line;
                was_quoted = false;
            }
            Some(c) => field.push(c),
        }
    }
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
        assert_eq!(parse("a\n\"b"), Err(CsvError::OpenQuote { line: 2 }));
        assert_eq!(parse("a\nb\"c\""), Err(CsvError::StrayQuote { line: 2 }));
        assert_eq!(parse("\"b\"c"), Err(CsvError::StrayQuote { line: 1 }));
    }

    proptest! {
        #[test]
        fn written_records_are_read_back(rows in prop::collection::vec(prop::collection::vec("[a,\" \n\r]{0,4}", 1..4), 0..5)) {
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
