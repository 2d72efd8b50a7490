//! Tables for Markdown.

use std::fmt::Write;

use super::{GridCell, Table};

/// The table with its caption and notes.
pub fn markdown(table: &Table) -> String {
    let grid = table.grid();
    let mut text = String::new();
    line(&mut text, grid.headings.iter().map(|heading| inline(heading)));
    line(&mut text, grid.is_number.iter().map(|&is_number| if is_number { "---:" } else { "---" }.to_owned()));
    for row in &grid.rows {
        if row.line_above {
            // Markdown has no line inside a table; an empty row keeps apart what the line would.
            line(&mut text, grid.headings.iter().map(|_| String::new()));
        }
        line(&mut text, row.cells.iter().map(shown));
    }
    if !table.caption.is_empty() {
        let _ = writeln!(text, "\n{}", inline(&table.caption));
    }
    for (mark, note) in table.marked_notes() {
        let _ = match (mark, &note.about) {
            (Some(mark), Some(about)) => writeln!(text, "\n[{mark}] {}: {}", inline(about), inline(&note.text)),
            _ => writeln!(text, "\n{}", inline(&note.text)),
        };
    }
    text
}

fn line(out: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

fn shown(cell: &GridCell) -> String {
    let strong = if cell.strong.is_empty() { String::new() } else { format!("**{}**", inline(&cell.strong)) };
    format!("{strong}{}", inline(&cell.rest))
}

/// Text with everything escaped that would mean something to Markdown or to HTML.
pub fn inline(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '|' | '<' | '>' | '~' | '$' => escaped.extend(['\\', c]),
            '&' => escaped.push_str("&amp;"),
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn a_table_by_hand() {
        let expected = "\
| model |  | imdb | yeast2 [1] |
| --- | --- | ---: | ---: |
| A\\_B | ours | **0.945** ± 0.050 | – (5 of 5 failed) |
|  | paper | 0.95 ± 0.05 | 0.77 ± 0.02 |
|  | difference | −0.005, within both sd | – |
|  |  |  |  |
| C\\|D | ours | 0.700 ± 0.010 (1 of 5 failed) | 0.500 |
|  | paper | 0.75 ± 0.01 | – |
|  | difference | −0.050, outside | – |

Mean &amp; deviation.

[1] yeast2: A substitute.

Of 100% of folds.
";
        assert_eq!(markdown(&example()), expected);
    }

    #[test]
    fn names_cannot_break_out() {
        assert_eq!(inline("<b>a|b</b>\n*c*"), "\\<b\\>a\\|b\\</b\\> \\*c\\*");
    }
}
