//! Tables in GitHub Flavored Markdown, with aligned columns so that they are readable as plain
//! text.

use std::fmt;

/// Builder of a Markdown table.
#[derive(Clone, Debug)]
pub struct MarkdownTable {
    rows: Vec<Vec<String>>,
    right: Vec<bool>,
}

impl MarkdownTable {
    /// Creates a table with the given headings; a leading `>` right-aligns the column.
    pub fn new(headings: &[&str]) -> Self {
        let right = headings.iter().map(|heading| heading.starts_with('>')).collect();
        MarkdownTable {
            rows: vec![headings.iter().map(|heading| escape(heading.trim_start_matches('>'))).collect()],
            right,
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| escape(&cell)).collect());
    }

    /// Adds a row of cells that already are Markdown.
    pub fn marked_up_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Returns whether there is no row below the headings.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }
}

impl fmt::Display for MarkdownTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..self.right.len()).map(width).collect();
        for (index, row) in self.rows.iter().enumerate() {
            write!(f, "|")?;
            for ((cell, &width), &right) in row.iter().zip(&widths).zip(&self.right) {
                write!(f, " {} |", padded(cell, width, right))?;
            }
            writeln!(f)?;
            if index == 0 {
                write!(f, "|")?;
                for (&width, &right) in widths.iter().zip(&self.right) {
                    let dashes = "-".repeat(width + 1);
                    write!(f, "{}", if right { format!("{dashes}:|") } else { format!(":{dashes}|") })?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

/// Pads a cell with blanks. Format widths cannot be used: they end at 65,535, and cells come from
/// files.
pub fn padded(cell: &str, width: usize, right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
    if right { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") }
}

/// Escapes text so that it cannot end a cell, start markup or break a line.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // `<` starts markup only before a name; before a number it is literal.
        let starts_tag =
            c == '<' && chars.peek().is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(*next));
        match c {
            '|' | '*' | '`' | '\\' | '[' => escaped.push('\\'),
            _ if starts_tag => escaped.push('\\'),
            _ => {}
        }
        escaped.push(if matches!(c, '\n' | '\r') { ' ' } else { c });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = MarkdownTable::new(&["name", ">AUC"]);
        assert!(table.is_empty());
        table.row(["a|b".into(), "0.5".into()]);
        table.row(["ä".into(), "−0.25".into()]);
        let lines = ["| name |   AUC |", "|:-----|------:|", "| a\\|b |   0.5 |", "| ä    | −0.25 |", ""];
        assert_eq!(table.to_string(), lines.join("\n"));
        let mut wide = MarkdownTable::new(&["name"]);
        wide.row(["x".repeat(70_000)]);
        assert_eq!(wide.to_string().len(), 3 * 70_005);
        assert_eq!(escape("<b> <0.001 a\nb [x]"), "\\<b> <0.001 a b \\[x]");
    }
}
