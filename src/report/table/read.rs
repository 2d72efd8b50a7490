//! Reader of table CSVs.

use super::frame::{BEST, COUNT, DIFFERENCE, EXTRA, LACK, MEAN, PAPER, PAPER_SD, SD, WITHIN};
use super::model::{
    CellValue, ColumnKind, PublishedValue, Table, TableCell, TableColumn, TableRow, TableStyle, Within,
};
use crate::metric::Average;
use crate::report::csv::{self, CsvError, CsvRecord};

/// Why a text is not a table.
#[derive(Debug, thiserror::Error)]
pub enum ReadTableError {
    /// Invalid CSV.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// No header line.
    #[error("the file is empty; the first line must name the columns")]
    Empty,
    /// A row of the wrong length.
    #[error("line {line}: expected {columns} cells, got {found}")]
    Width {
        /// The line.
        line: usize,
        /// Number of cells found.
        found: usize,
        /// Number of columns.
        columns: usize,
    },
    /// A cell with an invalid value.
    #[error("line {line}, column {column}: expected {allowed}, got `{found}`")]
    Cell {
        /// The line.
        line: usize,
        /// The column.
        column: String,
        /// The value found.
        found: String,
        /// The values accepted.
        allowed: &'static str,
    },
}

/// Parses the output of [`super::csv`], which has no name, title, caption or notes.
///
/// # Errors
/// If the text is not valid CSV, or a cell is invalid.
pub fn read(text: &str) -> Result<Table, ReadTableError> {
    let mut records = csv::parse(text)?.into_iter();
    let names = records.next().ok_or(ReadTableError::Empty)?.fields;
    let mut rows = Vec::new();
    for record in records {
        if record.fields.len() != names.len() {
            let (line, found, columns) = (record.line, record.fields.len(), names.len());
            return Err(ReadTableError::Width { line, found, columns });
        }
        rows.push(read_row(&RecordReader { names: &names, record: &record })?);
    }
    let mut columns = Vec::new();
    for name in &names {
        if let Some(base) = name.strip_suffix(MEAN) {
            let has_paper = names.contains(&format!("{base}{PAPER}"));
            let shape = if has_paper { ColumnKind::WithPaper } else { ColumnKind::Value };
            columns.push(TableColumn { name: base.to_owned(), shape, is_extra: false });
        } else if is_text(name, &names) {
            columns.push(TableColumn::text(name));
        }
    }
    let empty = String::new;
    let style = TableStyle::default();
    Ok(Table { name: empty(), title: empty(), caption: empty(), columns, rows, notes: Vec::new(), style })
}

fn read_row(reader: &RecordReader<'_>) -> Result<TableRow, ReadTableError> {
    let mut cells = Vec::new();
    for name in reader.names {
        if let Some(base) = name.strip_suffix(MEAN) {
            cells.push(TableCell::Value(reader.value(base)?));
        } else if is_text(name, reader.names) {
            cells.push(TableCell::text(reader.text(name).unwrap_or_default()));
        }
    }
    Ok(TableRow { cells, is_extra: reader.flag(EXTRA)? })
}

/// Returns whether a column is text, rather than part of a numeric column.
fn is_text(name: &str, names: &[String]) -> bool {
    let ends = [PAPER_SD, SD, COUNT, BEST, PAPER, DIFFERENCE, WITHIN, LACK];
    let base = ends.iter().find_map(|end| name.strip_suffix(end));
    name != EXTRA && !base.is_some_and(|base| names.contains(&format!("{base}{MEAN}")))
}

/// A record accessed by column name; empty cells are `None`.
struct RecordReader<'r> {
    names: &'r [String],
    record: &'r CsvRecord,
}

impl RecordReader<'_> {
    fn text(&self, column: &str) -> Option<&str> {
        let index = self.names.iter().position(|name| name == column)?;
        Some(self.record.fields[index].as_str()).filter(|text| !text.is_empty())
    }

    fn parsed<T: std::str::FromStr>(&self, column: &str, allowed: &'static str) -> Result<Option<T>, ReadTableError> {
        let Some(text) = self.text(column) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| self.wrong(column, text, allowed))
    }

    fn wrong(&self, column: &str, found: &str, allowed: &'static str) -> ReadTableError {
        ReadTableError::Cell { line: self.record.line, column: column.to_owned(), found: found.to_owned(), allowed }
    }

    fn number(&self, column: &str) -> Result<Option<f64>, ReadTableError> {
        self.parsed(column, "a number")
    }

    fn flag(&self, column: &str) -> Result<bool, ReadTableError> {
        Ok(self.parsed(column, "true or false")?.unwrap_or(false))
    }

    fn value(&self, base: &str) -> Result<CellValue, ReadTableError> {
        let name = |end: &str| format!("{base}{end}");
        let deviation = self.number(&name(SD))?;
        let n = self.parsed(&name(COUNT), "a whole number")?.unwrap_or(0);
        let ours = self.number(&name(MEAN))?.map(|mean| Average { mean, deviation, n });
        let paper_deviation = self.number(&name(PAPER_SD))?;
        let paper = self.number(&name(PAPER))?.map(|mean| PublishedValue { mean, deviation: paper_deviation });
        if let Some(within) = self.text(&name(WITHIN))
            && !Within::ALL.iter().any(|known| known.name() == within)
        {
            return Err(self.wrong(&name(WITHIN), within, "one of both, ours, theirs, neither and chance"));
        }
        let missing = self.text(&name(LACK)).unwrap_or_default().to_owned();
        let at_chance = self.text(&name(WITHIN)) == Some(Within::AtChance.name());
        Ok(CellValue { ours, paper, missing, at_chance, is_best: self.flag(&name(BEST))?, row: None })
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::csv;
    use super::super::markdown::markdown;
    use super::super::model::tests::example;
    use super::*;

    #[test]
    fn written_tables_are_read_back() {
        let table = example();
        let mut again = read(&csv(&table).unwrap()).unwrap();
        again.style = table.style;
        again.notes = table.notes.clone();
        again.caption = table.caption.clone();
        assert_eq!(markdown(&again), markdown(&table));
        assert_eq!((&again.columns, &again.rows), (&table.columns, &table.rows));
    }

    #[test]
    fn invalid_cells_are_errors() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            message("a,b_mean,b_sd\nx,0.5,\ny,high,0.1\n"),
            "line 3, column b_mean: expected a number, got `high`"
        );
        assert_eq!(message("b_mean,b_best\n0.5,yes\n"), "line 2, column b_best: expected true or false, got `yes`");
        assert_eq!(message("a,b\n1,2,3,4\n"), "line 2: expected 2 cells, got 4");
        assert!(message("").starts_with("the file is empty"));
        assert!(message("a\n\"b\n").starts_with("line 2: unbalanced quotes"));
    }
}
