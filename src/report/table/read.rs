//! A table read back from its CSV.

use std::io::Cursor;

use polars::prelude::{CsvReadOptions, DataFrame, PolarsError, SerReader};

use super::frame::{BEST, COUNT, DIFFERENCE, EXTRA, LACK, MEAN, PAPER, PAPER_SD, SD, WITHIN};
use super::{Cell, Paper, Shape, Style, Table, TableColumn, TableRow, Value, Within};
use crate::metric::summary::Average;

/// Why a text is no table of ours.
#[derive(Debug, thiserror::Error)]
pub enum ReadTableError {
    /// It is no CSV.
    #[error("it is no CSV: {0}")]
    Csv(#[from] PolarsError),
    /// A cell that should hold a number does not.
    #[error("row {row}, column {column}: `{found}` is not {allowed}")]
    Cell {
        /// The row, from 1, headings not counted.
        row: usize,
        /// The column.
        column: String,
        /// What stands there.
        found: String,
        /// What may stand there.
        allowed: &'static str,
    },
}

/// Reads what [`super::csv`] writes; name, title, caption and notes are not part of it.
///
/// # Errors
/// If it is no CSV, or a cell does not hold what its column should.
pub fn read(text: &str) -> Result<Table, ReadTableError> {
    let options = CsvReadOptions::default().with_has_header(true).with_infer_schema_length(Some(0));
    let frame = options.into_reader_with_file_handle(Cursor::new(text.as_bytes())).finish()?;
    let names: Vec<String> = frame.get_column_names().iter().map(|name| name.to_string()).collect();
    let reader = Reader { frame: &frame, names: &names };
    let mut columns = Vec::new();
    let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); frame.height()];
    for name in &names {
        if let Some(base) = name.strip_suffix(MEAN) {
            let has_paper = names.contains(&format!("{base}{PAPER}"));
            let shape = if has_paper { Shape::Against } else { Shape::Value };
            columns.push(TableColumn { name: base.to_owned(), shape, is_extra: false });
            for (row, cells) in cells.iter_mut().enumerate() {
                cells.push(Cell::Value(reader.value(base, row)?));
            }
        } else if !is_part(name, &names) && name != EXTRA {
            columns.push(TableColumn::text(name));
            for (row, cells) in cells.iter_mut().enumerate() {
                cells.push(Cell::text(reader.text(name, row)?.unwrap_or_default()));
            }
        }
    }
    let mut rows = Vec::new();
    for (row, cells) in cells.into_iter().enumerate() {
        rows.push(TableRow { cells, is_extra: reader.flag(EXTRA, row)? });
    }
    let empty = String::new;
    let style = Style::default();
    Ok(Table { name: empty(), title: empty(), caption: empty(), columns, rows, notes: Vec::new(), style })
}

/// Whether a column belongs to one of numbers.
fn is_part(name: &str, names: &[String]) -> bool {
    let ends = [PAPER_SD, SD, COUNT, BEST, PAPER, DIFFERENCE, WITHIN, LACK];
    let base = ends.iter().find_map(|end| name.strip_suffix(end));
    base.is_some_and(|base| names.contains(&format!("{base}{MEAN}")))
}

struct Reader<'f> {
    frame: &'f DataFrame,
    names: &'f [String],
}

impl Reader<'_> {
    fn text(&self, column: &str, row: usize) -> Result<Option<&str>, ReadTableError> {
        if !self.names.iter().any(|name| name == column) {
            return Ok(None);
        }
        let text = self.frame.column(column)?.str()?.get(row);
        Ok(text.filter(|text| !text.is_empty()))
    }

    fn parsed<T: std::str::FromStr>(
        &self,
        column: &str,
        row: usize,
        allowed: &'static str,
    ) -> Result<Option<T>, ReadTableError> {
        let Some(text) = self.text(column, row)? else { return Ok(None) };
        let wrong = |_| ReadTableError::Cell { row: row + 1, column: column.into(), found: text.into(), allowed };
        text.parse().map(Some).map_err(wrong)
    }

    fn number(&self, column: &str, row: usize) -> Result<Option<f64>, ReadTableError> {
        self.parsed(column, row, "a number")
    }

    fn flag(&self, column: &str, row: usize) -> Result<bool, ReadTableError> {
        Ok(self.parsed(column, row, "true or false")?.unwrap_or(false))
    }

    fn value(&self, base: &str, row: usize) -> Result<Value, ReadTableError> {
        let name = |end: &str| format!("{base}{end}");
        let deviation = self.number(&name(SD), row)?;
        let n = self.parsed(&name(COUNT), row, "a whole number")?.unwrap_or(0);
        let ours = self.number(&name(MEAN), row)?.map(|mean| Average { mean, deviation, n });
        let paper_deviation = self.number(&name(PAPER_SD), row)?;
        let paper = self.number(&name(PAPER), row)?.map(|mean| Paper { mean, deviation: paper_deviation });
        if let Some(within) = self.text(&name(WITHIN), row)?
            && !Within::ALL.iter().any(|known| known.name() == within)
        {
            let allowed = "one of both, ours, theirs and neither";
            return Err(ReadTableError::Cell { row: row + 1, column: name(WITHIN), found: within.into(), allowed });
        }
        let lack = self.text(&name(LACK), row)?.unwrap_or_default().to_owned();
        Ok(Value { ours, paper, lack, is_best: self.flag(&name(BEST), row)?, row: None })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::super::{csv, markdown};
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let table = example();
        let mut again = read(&csv(&table).unwrap()).unwrap();
        again.style = table.style;
        again.notes = table.notes.clone();
        again.caption = table.caption.clone();
        assert_eq!(markdown(&again), markdown(&table));
        assert_eq!((&again.columns, &again.rows), (&table.columns, &table.rows));
    }

    #[test]
    fn wrong_cells_are_named() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(message("a,b_mean,b_sd\nx,0.5,\ny,high,0.1\n"), "row 2, column b_mean: `high` is not a number");
        assert_eq!(message("b_mean,b_best\n0.5,yes\n"), "row 1, column b_best: `yes` is not true or false");
        assert!(message("a,b\n1,2,3,4\n").starts_with("it is no CSV: "));
    }
}
