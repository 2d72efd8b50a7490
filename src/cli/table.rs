//! Plain-text tables for the terminal, with numbers aligned right.

use std::io::{self, Write};

use crate::report::markdown::padded;

/// A table of text cells.
pub struct TextTable {
    rows: Vec<Vec<String>>,
    right: Vec<bool>,
}

impl TextTable {
    /// Creates a table; a heading that starts with `>` marks a right-aligned column.
    pub fn new(headings: &[&str]) -> Self {
        let right = headings.iter().map(|heading| heading.starts_with('>')).collect();
        TextTable {
            rows: vec![headings.iter().map(|heading| heading.trim_start_matches('>').to_owned()).collect()],
            right,
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints the table, indented by two spaces.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.right.len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, &width), &right) in row.iter().zip(&widths).zip(&self.right) {
                line.push_str("  ");
                line.push_str(&padded(cell, width, right));
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Formats a whole number with thousands separators: 1,234,567.
pub fn thousands(n: impl TryInto<u64>) -> String {
    let digits = n.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = TextTable::new(&["name", ">facts"]);
        table.row(["p/1".into(), thousands(12u64)]);
        table.row(["longer/2".into(), thousands(1_234_567u64)]);
        let mut out = Vec::new();
        table.print(&mut out).unwrap();
        let lines = ["  name          facts", "  p/1              12", "  longer/2  1,234,567", ""];
        assert_eq!(String::from_utf8(out).unwrap(), lines.join("\n"));
        assert_eq!(
            (thousands(0u64), thousands(999u64), thousands(1000u64)),
            ("0".into(), "999".into(), "1,000".into())
        );
    }
}
