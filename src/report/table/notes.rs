//! `notes.csv`: what a table says beside its numbers, so that it can be made again from committed files.
//!
//! Its columns are `table`, `kind` (`title`, `caption`, `style` or `note`), `about` (the dataset of a note) and `text`.

use std::io::Cursor;

use polars::prelude::{CsvReadOptions, DataFrame, NamedFrom, PolarsResult, SerReader, Series};

use super::{Note, Style, Table};
use crate::experiment::store;

/// The name of the file.
pub const NOTES: &str = "notes.csv";

const STACKED: &str = "stacked";
const COUNTS: &str = "counts";

/// The file for these tables.
///
/// # Errors
/// If it cannot be made, which would be a bug.
pub fn notes_csv(tables: &[Table]) -> PolarsResult<String> {
    let mut lines: Vec<[&str; 4]> = Vec::new();
    for table in tables {
        let name = table.name.as_str();
        lines.push([name, "title", "", &table.title]);
        lines.push([name, "caption", "", &table.caption]);
        let styles = [(table.style.stacked, STACKED), (table.style.counts, COUNTS)];
        lines.extend(styles.iter().filter(|(is_on, _)| *is_on).map(|(_, style)| [name, "style", "", style]));
        lines.extend(table.notes.iter().map(|note| {
            let about = note.about.as_deref().unwrap_or_default();
            [name, "note", about, note.text.as_str()]
        }));
    }
    let column = |(place, name): (usize, &str)| {
        Series::new(name.into(), lines.iter().map(|line| line[place]).collect::<Vec<_>>()).into()
    };
    let columns = ["table", "kind", "about", "text"].into_iter().enumerate().map(column).collect();
    let bytes = store::csv(&mut DataFrame::new(lines.len(), columns)?)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Gives a table of this name what the file says of it.
///
/// # Errors
/// If the text is no such file.
pub fn annotate(table: &mut Table, name: &str, text: &str) -> PolarsResult<()> {
    let options = CsvReadOptions::default().with_has_header(true).with_infer_schema_length(Some(0));
    let frame = options.into_reader_with_file_handle(Cursor::new(text.as_bytes())).finish()?;
    let column = |name: &str| -> PolarsResult<Vec<String>> {
        Ok(frame.column(name)?.str()?.iter().map(|text| text.unwrap_or_default().to_owned()).collect())
    };
    let (tables, kinds, abouts, texts) = (column("table")?, column("kind")?, column("about")?, column("text")?);
    table.name = name.to_owned();
    table.style = Style::default();
    for (((of, kind), about), text) in tables.into_iter().zip(kinds).zip(abouts).zip(texts) {
        if of != name {
            continue;
        }
        match kind.as_str() {
            "title" => table.title = text,
            "caption" => table.caption = text,
            "style" => {
                table.style.stacked |= text == STACKED;
                table.style.counts |= text == COUNTS;
            }
            _ => table.notes.push(Note { about: Some(about).filter(|about| !about.is_empty()), text }),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::super::{csv, read};
    use super::*;

    #[test]
    fn a_table_comes_back_from_its_two_files() {
        let table = example();
        let mut other = example();
        other.name = "other".into();
        let notes = notes_csv(&[other, table.clone()]).unwrap();
        let mut again = read(&csv(&table).unwrap()).unwrap();
        annotate(&mut again, "example", &notes).unwrap();
        assert_eq!(again, table);
        assert!(annotate(&mut again, "example", "a,b\n1,2\n").is_err());
    }
}
