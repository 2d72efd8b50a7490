//! Text tables with aligned columns, from which terminal text and Markdown are written.

use std::fmt;

use crate::files::visible::visible;
use crate::report::markdown::escape;

/// A table of text cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Headings.
    pub headings: Vec<String>,
    /// Whether each column is numeric, and so right-aligned.
    pub is_number: Vec<bool>,
    /// Rows.
    pub rows: Vec<GridRow>,
}

/// A row of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridRow {
    /// Cells.
    pub cells: Vec<GridCell>,
    /// Whether it is the first line of a table row.
    pub is_first: bool,
    /// Whether a rule precedes it.
    pub line_above: bool,
}

/// A grid cell, whose beginning can be bold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridCell {
    /// Bold part.
    pub strong: String,
    /// Remaining text.
    pub rest: String,
}

impl GridCell {
    /// Creates a cell without a bold part.
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        GridCell { strong: String::new(), rest: visible(&text).into_owned() }
    }
}

impl Grid {
    /// Creates a table with the given headings; a leading `>` right-aligns the column.
    pub fn new(headings: &[&str]) -> Self {
        let mut grid = Grid::default();
        headings.iter().for_each(|heading| grid.push(heading.trim_start_matches('>'), heading.starts_with('>')));
        grid
    }

    /// Adds a column.
    pub(super) fn push(&mut self, heading: &str, is_number: bool) {
        self.headings.push(heading.to_owned());
        self.is_number.push(is_number);
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().map(GridCell::plain).collect();
        self.rows.push(GridRow { cells, is_first: true, line_above: false });
    }

    /// Returns whether there is no row below the headings.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Formats the table in GitHub Flavored Markdown, readable as plain text.
    pub fn markdown(&self) -> String {
        // Markdown has no rules inside tables; an empty row takes their place.
        let lines = self.lines(3, "", escape, |strong| format!("**{}**", escape(strong)));
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            text.push('|');
            line.iter().for_each(|cell| text.extend([" ", cell, " |"]));
            text.push('\n');
            if index == 0 {
                text.push('|');
                for (cell, right) in line.iter().zip(&self.is_number) {
                    let dashes = "-".repeat(cell.chars().count() + 1);
                    text += &if *right { format!("{dashes}:|") } else { format!(":{dashes}|") };
                }
                text.push('\n');
            }
        }
        text
    }

    /// Returns headings and rows as cells of equal width, at least `min`. Rules are rows of `rule`.
    fn lines(
        &self,
        min: usize,
        rule: &str,
        plain: impl Fn(&str) -> String,
        strong: impl Fn(&str) -> String,
    ) -> Vec<Vec<String>> {
        let mut lines: Vec<Vec<String>> = vec![self.headings.iter().map(|heading| plain(heading)).collect()];
        for row in &self.rows {
            if row.line_above {
                lines.push(vec![rule.to_owned(); self.headings.len()]);
            }
            let shown = |cell: &GridCell| match cell.strong.as_str() {
                "" => plain(&cell.rest),
                bold => strong(bold) + &plain(&cell.rest),
            };
            lines.push(row.cells.iter().map(shown).collect());
        }
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(min)
        };
        let widths: Vec<usize> = (0..self.headings.len()).map(width).collect();
        for line in &mut lines {
            for ((cell, &width), &right) in line.iter_mut().zip(&widths).zip(&self.is_number) {
                *cell = padded(cell, width, right);
            }
        }
        lines
    }
}

/// Mark of a bold cell in plain text.
pub const STRONG: char = '*';

impl Grid {
    /// Formats the table as plain text of at most this width, if possible: columns that do not fit
    /// follow below, with the text columns at the beginning repeated.
    pub fn fitted(&self, width: usize) -> String {
        let labels = self.is_number.iter().take_while(|&&is_number| !is_number).count();
        let widths: Vec<usize> = match self.text_lines().first() {
            Some(line) => line.iter().map(|cell| cell.chars().count() + GAP.len()).collect(),
            None => return self.to_string(),
        };
        let of_labels: usize = widths[..labels].iter().sum();
        let (mut blocks, mut used) = (Vec::<Vec<usize>>::new(), usize::MAX);
        for (column, &own) in widths.iter().enumerate().skip(labels) {
            if used.saturating_add(own) > width {
                blocks.push(Vec::new());
                used = of_labels;
            }
            used += own;
            blocks.last_mut().into_iter().for_each(|block| block.push(column));
        }
        if blocks.len() < 2 {
            return self.to_string();
        }
        let blocks = blocks.iter().map(|columns| self.with_columns(labels, columns).to_string());
        blocks.collect::<Vec<_>>().join("\n")
    }

    /// Returns the first columns and some others.
    fn with_columns(&self, first: usize, others: &[usize]) -> Grid {
        let kept: Vec<usize> = (0..first).chain(others.iter().copied()).collect();
        let cells = |row: &GridRow| kept.iter().filter_map(|&column| row.cells.get(column).cloned()).collect();
        Grid {
            headings: kept.iter().map(|&column| self.headings[column].clone()).collect(),
            is_number: kept.iter().map(|&column| self.is_number[column]).collect(),
            rows: self.rows.iter().map(|row| GridRow { cells: cells(row), ..row.clone() }).collect(),
        }
    }

    fn text_lines(&self) -> Vec<Vec<String>> {
        self.lines(0, "-", str::to_owned, |strong| format!("{STRONG}{strong}"))
    }
}

/// Space between columns of plain text.
const GAP: &str = "  ";

/// Plain text for the terminal, indented by two spaces, with bold cells marked.
impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.text_lines() {
            writeln!(f, "{}", format!("{GAP}{}", line.join(GAP)).trim_end())?;
        }
        Ok(())
    }
}

/// Pads a cell with blanks. Format widths cannot be used: they end at 65,535, and cells come from
/// files.
fn padded(cell: &str, width: usize, right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
    if right { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_columns_are_aligned() {
        let mut table = Grid::new(&["name", ">AUC"]);
        assert!(table.is_empty());
        table.row(["a|b".into(), "0.5".into()]);
        table.row(["ä".into(), "−0.25".into()]);
        let lines = ["| name |   AUC |", "|:-----|------:|", "| a\\|b |   0.5 |", "| ä    | −0.25 |", ""];
        assert_eq!(table.markdown(), lines.join("\n"));
        let mut wide = Grid::new(&["name"]);
        wide.row(["x".repeat(70_000)]);
        assert_eq!(wide.markdown().len(), 3 * 70_005);
    }

    #[test]
    fn wide_tables_continue_below() {
        let mut table = Grid::new(&["name", ">a", ">b", ">c"]);
        table.row(["x".into(), "1".into(), "2".into(), "3".into()]);
        table.rows[0].cells[2] = GridCell { strong: "2".into(), rest: " ± 1".into() };
        assert_eq!(table.fitted(80), "  name  a       b  c\n  x     1  *2 ± 1  3\n");
        assert_eq!(table.fitted(80), table.to_string());
        assert_eq!(table.fitted(17), "  name  a       b\n  x     1  *2 ± 1\n\n  name  c\n  x     3\n");
        // A column that never fits has a block of its own.
        assert_eq!(table.fitted(1).matches("name").count(), 3);
        assert_eq!(Grid::default().fitted(1), "\n");
    }

    #[test]
    fn terminal_columns_are_aligned() {
        let mut table = Grid::new(&["name", ">facts"]);
        table.row(["p/1".into(), "12".into()]);
        table.row(["longer/2".into(), "1,234,567".into()]);
        let lines = ["  name          facts", "  p/1              12", "  longer/2  1,234,567", ""];
        assert_eq!(table.to_string(), lines.join("\n"));
    }
}
