//! Layout of a table as a text table, shared by Markdown, LaTeX and the terminal.

use super::model::{CellValue, ColumnKind, Table, TableCell, Within};
use super::text::{Grid, GridCell, GridRow};
use crate::metric::summary::Average;

/// Heading of the column that says which standard deviation covers a difference.
pub const WITHIN: &str = "within sd";

/// Placeholder of a missing number.
const NONE: &str = "–";

/// Formats a mean with its standard deviation, three decimals.
pub fn format_mean(average: &Average) -> String {
    format!("{:.3}{}", average.mean, deviation(average.deviation))
}

/// Formats a difference with its sign.
pub fn format_difference(difference: f64) -> String {
    match format!("{difference:+.3}").as_str() {
        "+0.000" | "-0.000" => "0.000".to_owned(),
        // The minus sign is as wide as the plus sign.
        text => text.replace('-', "−"),
    }
}

fn deviation(deviation: Option<f64>) -> String {
    deviation.map_or_else(String::new, |deviation| format!(" ± {deviation:.3}"))
}

impl CellValue {
    /// Describes which standard deviation covers the difference.
    pub fn within_phrase(&self) -> &'static str {
        match self.within() {
            Some(Within::Both) => "within both sd",
            Some(Within::Ours) => "within our sd",
            Some(Within::Theirs) => "within their sd",
            Some(Within::Neither) => "outside",
            Some(Within::AtChance) => "at chance",
            None => "",
        }
    }

    /// Like [`CellValue::within_phrase`] in one word, for the column [`WITHIN`].
    pub fn within_word(&self) -> &'static str {
        match self.within() {
            Some(Within::Neither) => "no",
            Some(Within::AtChance) => "at chance",
            Some(within) => within.name(),
            None => "",
        }
    }

    /// Formats the published number with the published digits.
    pub fn format_published(&self) -> Option<String> {
        let paper = self.paper?;
        let deviation = paper.deviation.map_or_else(String::new, |deviation| format!(" ± {}", trimmed(deviation)));
        Some(format!("{}{deviation}", trimmed(paper.mean)))
    }
}

impl Table {
    /// Lays the table out as text.
    pub fn grid(&self) -> Grid {
        let has_paper = self.columns.iter().any(|column| column.shape == ColumnKind::WithPaper);
        let stacked = self.style.stacked && has_paper;
        let mut grid = Grid::default();
        let texts = self.columns.iter().take_while(|column| column.shape == ColumnKind::Text).count();
        for (column_index, column) in self.columns.iter().enumerate() {
            if stacked && column_index == texts {
                grid.push("", false);
            }
            let heading = marked(column.heading(), self.mark(&column.name));
            grid.push(&heading, column.shape != ColumnKind::Text);
            if column.shape == ColumnKind::WithPaper && !stacked {
                grid.push(&format!("paper {heading}"), true);
                grid.push("difference", true);
                grid.push(WITHIN, false);
            }
        }
        let first_extra = self.rows.iter().position(|row| row.is_extra);
        for (row_index, row) in self.rows.iter().enumerate() {
            let has_paper =
                row.cells.iter().any(|cell| matches!(cell, TableCell::Value(value) if value.paper.is_some()));
            for &line in if stacked && has_paper { &CellLine::ALL[..] } else { &[CellLine::Ours] } {
                let mut cells = Vec::new();
                for (column_index, (column, cell)) in self.columns.iter().zip(&row.cells).enumerate() {
                    if stacked && column_index == texts {
                        cells.push(GridCell::plain(line.name()));
                    }
                    match cell {
                        TableCell::Text(_) if line != CellLine::Ours => cells.push(GridCell::default()),
                        TableCell::Text(text) => {
                            let mark = self.mark_in(column, text);
                            cells.push(GridCell::plain(marked(text.clone(), mark)));
                        }
                        TableCell::Value(value) => {
                            cells.push(self.line(value, line));
                            if column.shape == ColumnKind::WithPaper && !stacked {
                                cells.push(self.line(value, CellLine::Paper));
                                cells.push(GridCell::plain(value.difference().map_or(NONE.into(), format_difference)));
                                cells.push(GridCell::plain(value.within_word()));
                            }
                        }
                    }
                }
                // One rule precedes all additional rows.
                let line_above = line == CellLine::Ours && Some(row_index) == first_extra;
                grid.rows.push(GridRow { cells, is_first: line == CellLine::Ours, line_above });
            }
        }
        grid
    }

    /// Lays the table out as [`Table::grid`] does, with texts that are numbers at the right as
    /// well. Leading numbers name a row and stay.
    pub fn aligned_grid(&self) -> Grid {
        let mut grid = self.grid();
        let is_spread = grid.headings.len() != self.columns.len();
        let first = (0..self.columns.len()).find(|&column| !self.has_numbers(column)).unwrap_or(self.columns.len());
        if !is_spread {
            for column in first..self.columns.len() {
                grid.is_number[column] |= self.has_numbers(column);
            }
        }
        grid
    }

    /// Returns whether a column has numbers: values, or texts that start with a number.
    pub fn has_numbers(&self, column: usize) -> bool {
        let number = |text: &str| {
            let text = text.trim_start_matches(['<', '≥', ' ']);
            let start = text.split([' ', '%']).next().unwrap_or_default().replace('−', "-");
            start.parse::<f64>().is_ok()
        };
        let texts = || {
            self.rows.iter().filter_map(|row| match row.cells.get(column) {
                Some(TableCell::Text(text)) if !["", "–", "-"].contains(&text.as_str()) => Some(text.as_str()),
                _ => None,
            })
        };
        self.columns[column].shape != ColumnKind::Text || (texts().next().is_some() && texts().all(number))
    }

    fn line(&self, value: &CellValue, line: CellLine) -> GridCell {
        match line {
            CellLine::Ours => self.ours(value),
            CellLine::Paper => GridCell::plain(value.format_published().unwrap_or_else(|| NONE.to_owned())),
            CellLine::Difference => GridCell::plain(value.difference().map_or(NONE.to_owned(), |difference| {
                format!("{}, {}", format_difference(difference), value.within_phrase())
            })),
        }
    }

    fn ours(&self, value: &CellValue) -> GridCell {
        let missing = if value.missing.is_empty() { String::new() } else { format!(" ({})", value.missing) };
        let Some(ours) = &value.ours else { return GridCell::plain(format!("{NONE}{missing}")) };
        let count = if self.style.counts { format!(" ({})", ours.n) } else { String::new() };
        let (mean, rest) = (format!("{:.3}", ours.mean), format!("{}{count}{missing}", deviation(ours.deviation)));
        if value.is_best { GridCell { strong: mean, rest } } else { GridCell::plain(mean + &rest) }
    }
}

/// Formats a number with its published digits.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.4}");
    text.strip_suffix("00").unwrap_or(&text).to_owned()
}

fn marked(text: String, mark: Option<usize>) -> String {
    mark.map_or_else(|| text.clone(), |mark| format!("{text} [{mark}]"))
}

/// Which of its numbers a line of a cell shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellLine {
    Ours,
    Paper,
    Difference,
}

impl CellLine {
    const ALL: [CellLine; 3] = [CellLine::Ours, CellLine::Paper, CellLine::Difference];

    fn name(self) -> &'static str {
        match self {
            CellLine::Ours => "ours",
            CellLine::Paper => "paper",
            CellLine::Difference => "difference",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::example;
    use super::*;

    fn texts(row: &GridRow) -> Vec<String> {
        row.cells.iter().map(|cell| format!("{}{}", cell.strong, cell.rest)).collect()
    }

    #[test]
    fn stacked_style_puts_published_numbers_below_ours() {
        let grid = example().grid();
        assert_eq!(grid.headings, ["model", "", "imdb", "yeast2 [1]"]);
        let rows: Vec<Vec<String>> = grid.rows.iter().map(texts).collect();
        assert_eq!(rows[0], ["A_B", "ours", "0.945 ± 0.050", "– (5 of 5 failed)"]);
        assert_eq!(rows[1], ["", "paper", "0.95 ± 0.05", "0.77 ± 0.02"]);
        assert_eq!(rows[2], ["", "difference", "−0.005, within both sd", "–"]);
        assert_eq!(rows[3], ["C|D", "ours", "0.700 ± 0.010 (1 of 5 failed)", "0.500"]);
        assert_eq!(rows[5], ["", "difference", "−0.050, outside", "–"]);
        assert_eq!(grid.rows[0].cells[2].strong, "0.945");
        let lines: Vec<bool> = grid.rows.iter().map(|row| row.line_above).collect();
        assert_eq!(lines, [false, false, false, true, false, false]);
    }

    #[test]
    fn flat_style_puts_published_numbers_beside_ours() {
        let mut table = example();
        table.style = super::super::model::TableStyle { stacked: false, counts: true };
        let grid = table.grid();
        assert_eq!(grid.headings[1..5], ["imdb", "paper imdb", "difference", "within sd"]);
        let first = texts(&grid.rows[0]);
        assert_eq!(first[1..5], ["0.945 ± 0.050 (5)", "0.95 ± 0.05", "−0.005", "both"]);
        assert_eq!(grid.rows.len(), 2);
    }

    #[test]
    fn numbers_are_formatted() {
        assert_eq!((trimmed(0.9719), trimmed(0.961), trimmed(0.95)), ("0.9719".into(), "0.9610".into(), "0.95".into()));
        assert_eq!(format_difference(-0.00001), "0.000");
        assert_eq!(format_difference(-0.0126), "−0.013");
        assert_eq!(format_difference(0.25), "+0.250");
    }
}
