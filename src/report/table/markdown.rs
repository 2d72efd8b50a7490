//! Markdown writer.

use std::fmt::Write;

use super::model::Table;
use crate::report::markdown::escape;

/// Formats the table with caption and notes.
pub fn markdown(table: &Table) -> String {
    let mut text = table.grid().markdown();
    // Writing to a string cannot fail.
    if !table.caption.is_empty() {
        let _ = writeln!(text, "\n{}", escape(&table.caption));
    }
    for (mark, note) in table.marked_notes() {
        let _ = match (mark, &note.about) {
            (Some(mark), Some(about)) => writeln!(text, "\n\\[{mark}] {}: {}", escape(about), escape(&note.text)),
            _ => writeln!(text, "\n{}", escape(&note.text)),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::example;
    use super::*;

    #[test]
    fn example_table_is_formatted() {
        let expected = "\
| model |            |                          imdb |       yeast2 \\[1] |
|:------|:-----------|------------------------------:|------------------:|
| A_B   | ours       |             **0.945** ± 0.050 | – (5 of 5 failed) |
|       | paper      |                   0.95 ± 0.05 |       0.77 ± 0.02 |
|       | difference |        −0.005, within both sd |                 – |
|       |            |                               |                   |
| C\\|D  | ours       | 0.700 ± 0.010 (1 of 5 failed) |             0.500 |
|       | paper      |                   0.75 ± 0.01 |                 – |
|       | difference |               −0.050, outside |                 – |

Mean & deviation.

\\[1] yeast2: A substitute.

Of 100% of folds.
";
        assert_eq!(markdown(&example()), expected);
    }
}
