//! Texts for people: Markdown, or plain text within the width of a terminal.

use super::text::{Grid, wrapped};
use crate::files::visible::visible;
use crate::report::markdown::escape;

/// How a text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Markdown, for files and pipes.
    Markdown,
    /// Plain text of at most this many columns.
    Terminal(usize),
}

impl Layout {
    /// Formats a table.
    pub fn table(self, grid: &Grid) -> String {
        match self {
            Layout::Markdown => grid.markdown(),
            Layout::Terminal(width) => grid.fitted(width),
        }
    }

    /// Formats a heading.
    pub fn heading(self, text: &str) -> String {
        match self {
            Layout::Markdown => format!("## {}", escape(text)),
            Layout::Terminal(_) => visible(text).into_owned(),
        }
    }

    /// Formats names and sentences from data.
    pub fn text(self, text: &str) -> String {
        match self {
            Layout::Markdown => escape(text),
            Layout::Terminal(_) => visible(text).into_owned(),
        }
    }

    /// Breaks the lines of a finished text that are too long. Lines of tables start with a blank
    /// and stay.
    pub fn wrap(self, text: String) -> String {
        let Layout::Terminal(width) = self else { return text };
        let line = |line: &str| match line.starts_with(' ') {
            true => format!("{line}\n"),
            false => wrapped(line, width).join("\n") + "\n",
        };
        text.lines().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_escaped_and_terminals_are_not_exceeded() {
        assert_eq!(Layout::Markdown.text("a [b] c"), escape("a [b] c"));
        assert_eq!(Layout::Terminal(5).text("a [b] c"), "a [b] c");
        assert_eq!(
            Layout::Terminal(5).wrap("a [b] c\n\n  table of many columns\n".into()),
            "a [b]\nc\n\n  table of many columns\n"
        );
        assert_eq!(Layout::Markdown.wrap("a [b] c".into()), "a [b] c");
        assert_eq!([Layout::Markdown, Layout::Terminal(9)].map(|layout| layout.heading("x")), ["## x", "x"]);
        let mut grid = Grid::new(&["a", ">b"]);
        grid.row(["x".into(), "1".into()]);
        assert_eq!(Layout::Terminal(20).table(&grid), grid.to_string());
        assert_eq!(Layout::Markdown.table(&grid), grid.markdown());
    }
}
