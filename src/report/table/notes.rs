//! `notes.csv`: titles, captions, styles and notes, so that tables can be rebuilt from committed
//! files.
//!
//! Columns: `table`, `kind` (`title`, `caption`, `style` or `note`), `about` (the dataset of a
//! note) and `text`.

use super::model::{Note, Table, TableStyle};
use crate::report::csv::{self, CsvError};

/// File name.
pub const NOTES: &str = "notes.csv";

const STACKED: &str = "stacked";
const COUNTS: &str = "counts";

/// Formats the file for the given tables.
pub fn notes_csv(tables: &[Table]) -> String {
    let mut text = csv::line(["table", "kind", "about", "text"]);
    for table in tables {
        let mut add = |kind: &str, about: &str, said: &str| text += &csv::line([&table.name, kind, about, said]);
        add("title", "", &table.title);
        add("caption", "", &table.caption);
        for (is_on, style) in [(table.style.stacked, STACKED), (table.style.counts, COUNTS)] {
            if is_on {
                add("style", "", style);
            }
        }
        for note in &table.notes {
            add("note", note.about.as_deref().unwrap_or_default(), &note.text);
        }
    }
    text
}

/// Applies the entries of the table `name` to a table; others are ignored.
///
/// # Errors
/// If the text is not valid CSV.
pub fn annotate(table: &mut Table, name: &str, text: &str) -> Result<(), CsvError> {
    table.name = name.to_owned();
    table.style = TableStyle::default();
    for record in csv::parse(text)? {
        let [of, kind, about, text] = record.fields.as_slice() else { continue };
        if of != name {
            continue;
        }
        match kind.as_str() {
            "title" => table.title.clone_from(text),
            "caption" => table.caption.clone_from(text),
            "style" => {
                table.style.stacked |= text == STACKED;
                table.style.counts |= text == COUNTS;
            }
            "note" => {
                let about = Some(about.clone()).filter(|about| !about.is_empty());
                table.notes.push(Note { about, text: text.clone() });
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::frame::csv;
    use super::super::model::tests::example;
    use super::super::read::read;
    use super::*;

    #[test]
    fn tables_are_rebuilt_from_csv_and_notes() {
        let table = example();
        let mut other = example();
        other.name = "other".into();
        let notes = notes_csv(&[other, table.clone()]);
        let mut again = read(&csv(&table).unwrap()).unwrap();
        annotate(&mut again, "example", &notes).unwrap();
        assert_eq!(again, table);
        assert!(annotate(&mut again, "example", "a,\"b\n").is_err());
    }
}
