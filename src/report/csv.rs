//! Comma-separated values as RFC 4180 has them: what is written here can be read by every program, and the other way round.

use thiserror::Error;

/// Why a text is no table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CsvError {
    /// A quoted field that does not end.
    #[error("line {line}: a quote is opened and not closed; close it, or write \"\" for a quote within quotes")]
    OpenQuote {
        /// The line that it starts on.
        line: usize,
    },
    /// A quote amid a field, or something after a closing quote.
    #[error("line {line}: a quote amid a field; quote the whole field, and write \"\" for a quote within it")]
    StrayQuote {
        /// The line.
        line: usize,
    },
}

/// One record of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvRecord {
    /// The line it starts on, from 1.
    pub line: usize,
    /// Its fields.
    pub fields: Vec<String>,
}

/// Fields as one line, each quoted if it has to be.
pub fn line<S: AsRef<str>>(fields: impl IntoIterator<Item = S>) -> String {
    let mut text = String::new();
    for (place, field) in fields.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        let field = field.as_ref();
        // A mark of byte order at the beginning of a file would be taken for no part of it.
        if field.contains([',', '"', '\n', '\r', '\u{feff}']) {
            text.push_str(&format!("\"{}\"", field.replace('"', "\"\"")));
        } else {
            text.push_str(field);
        }
    }
    // An empty line is no record; a record of one empty field is.
    if text.is_empty() {
        text.push_str("\"\"");
    }
    text.push('\n');
    text
}

/// Reads a text; empty lines are left out, and lines may end as on any system.
///
/// # Errors
/// If quotes do not match.
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
    fn fields_lines_and_quotes() {
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
        fn what_is_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a,\" \n\r]{0,4}", 1..4), 0..5)) {
            let text: String = rows.iter().map(line).collect();
            let read: Vec<Vec<String>> = parse(&text).unwrap().into_iter().map(|record| record.fields).collect();
            prop_assert_eq!(read, rows);
        }

        #[test]
        fn no_text_breaks_it(text in "[a,\"\n\r]{0,20}") {
            let _ = parse(&text);
        }
    }
}
