//! Text tables with aligned columns, from which terminal text and Markdown are written.

use std::{fmt, iter};

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
        let lines = self.lines(3, ' ', escape, |strong| format!("**{}**", escape(strong)));
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

    /// Returns headings and rows as cells of equal width, at least `min`. Rules are rows of `rule`,
    /// repeated.
    fn lines(
        &self,
        min: usize,
        rule: char,
        plain: impl Fn(&str) -> String,
        strong: impl Fn(&str) -> String,
    ) -> Vec<Vec<String>> {
        let mut lines: Vec<Vec<String>> = vec![self.headings.iter().map(|heading| plain(heading)).collect()];
        let mut rules = Vec::new();
        for row in &self.rows {
            if row.line_above {
                rules.push(lines.len());
                lines.push(vec![String::new(); self.headings.len()]);
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
        for at in rules {
            lines[at] = widths.iter().map(|&width| rule.to_string().repeat(width)).collect();
        }
        lines
    }
}

/// Mark of a bold cell in plain text.
pub const STRONG: char = '*';

impl Grid {
    /// Formats the table as plain text of at most this width, if possible: long texts are broken
    /// into lines, and columns that do not fit follow below, with the text columns at the
    /// beginning repeated.
    pub fn fitted(&self, width: usize) -> String {
        let natural = self.text_lines();
        let line =
            natural.first().map_or(0, |line| line.iter().map(|cell| cell.chars().count() + GAP.len()).sum::<usize>());
        if line <= width {
            return self.to_string();
        }
        // Names behind the numbers come first, so that every block has them.
        let names_last = self.is_number.first() == Some(&true) && self.is_number.last() == Some(&false);
        let last = self.headings.len().saturating_sub(1);
        let grid = if names_last { &self.columns(iter::once(last).chain(0..last)) } else { self };
        grid.with_broken_texts(width).in_blocks(width)
    }

    /// Breaks texts that would leave no space for numbers.
    fn with_broken_texts(&self, width: usize) -> Grid {
        let natural: Vec<usize> = match self.text_lines().first() {
            Some(line) => line.iter().map(|cell| cell.chars().count()).collect(),
            None => return self.clone(),
        };
        let labels = self.is_number.iter().take_while(|&&is_number| !is_number).count();
        let space = if labels < natural.len() { width / 2 } else { width };
        let mut limits = natural.clone();
        let words = |column: usize| {
            let cells = self.rows.iter().filter_map(move |row| row.cells.get(column));
            cells.flat_map(|cell| cell.rest.split(' ')).map(|word| word.chars().count())
        };
        let least: Vec<usize> = (self.headings.iter().enumerate())
            .map(|(column, heading)| words(column).fold(NARROWEST.max(heading.chars().count()), usize::max))
            .collect();
        let taken = |limits: &[usize]| limits[..labels].iter().map(|own| own + GAP.len()).sum::<usize>();
        while taken(&limits) > space {
            let reducible = (0..labels).filter(|&column| limits[column] > least[column]);
            match reducible.max_by_key(|&column| limits[column]) {
                Some(widest) => limits[widest] -= 1,
                None => break,
            }
        }
        // Texts after the numbers have what the labels leave.
        let left = width.saturating_sub(taken(&limits) + GAP.len());
        for column in (labels..limits.len()).filter(|&column| !self.is_number[column]) {
            limits[column] = limits[column].min(left.max(least[column]));
        }
        let mut grid = Grid { rows: Vec::new(), ..self.clone() };
        for row in &self.rows {
            let broken: Vec<Vec<GridCell>> =
                row.cells.iter().enumerate().map(|(column, cell)| self.broken(column, cell, limits[column])).collect();
            for line in 0..broken.iter().map(Vec::len).max().unwrap_or(1) {
                let cells = broken.iter().map(|lines| lines.get(line).cloned().unwrap_or_default()).collect();
                let (is_first, line_above) = (row.is_first && line == 0, row.line_above && line == 0);
                grid.rows.push(GridRow { cells, is_first, line_above });
            }
        }
        grid
    }

    /// Returns the lines of a cell.
    fn broken(&self, column: usize, cell: &GridCell, limit: usize) -> Vec<GridCell> {
        if self.is_number[column] || !cell.strong.is_empty() {
            return vec![cell.clone()];
        }
        wrapped(&cell.rest, limit).into_iter().map(|rest| GridCell { strong: String::new(), rest }).collect()
    }

    /// Formats the table as plain text, with columns that do not fit below.
    fn in_blocks(&self, width: usize) -> String {
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
        let blocks = blocks.iter().map(|columns| self.columns((0..labels).chain(columns.iter().copied())).to_string());
        blocks.collect::<Vec<_>>().join("\n")
    }

    /// Returns some of the columns, without the further lines of cells in others.
    fn columns(&self, kept: impl Iterator<Item = usize>) -> Grid {
        let kept: Vec<usize> = kept.collect();
        let cells =
            |row: &GridRow| kept.iter().filter_map(|&column| row.cells.get(column).cloned()).collect::<Vec<GridCell>>();
        let is_empty = |cells: &[GridCell]| cells.iter().all(|cell| cell.strong.is_empty() && cell.rest.is_empty());
        let rows = self.rows.iter().map(|row| GridRow { cells: cells(row), ..row.clone() });
        Grid {
            headings: kept.iter().map(|&column| self.headings[column].clone()).collect(),
            is_number: kept.iter().map(|&column| self.is_number[column]).collect(),
            rows: rows.filter(|row| row.is_first || !is_empty(&row.cells)).collect(),
        }
    }

    fn text_lines(&self) -> Vec<Vec<String>> {
        self.lines(0, '-', str::to_owned, |strong| format!("{STRONG}{strong}"))
    }
}

/// Space between columns of plain text.
const GAP: &str = "  ";

/// Smallest width that texts are broken at.
const NARROWEST: usize = 12;

/// Breaks a text at blanks into lines of at most this many characters, if its words allow it.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

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
    fn long_texts_are_broken() {
        let mut table = Grid::new(&["model", ">n", "finding"]);
        table.row(["Boost (trees=1, max_leaves=2)".into(), "12".into(), "differs from what the spec expects".into()]);
        table.row(["B".into(), "1".into(), String::new()]);
        table.rows[1].line_above = true;
        let expected = [
            "  model             n  finding",
            "  Boost (trees=1,  12  differs from what",
            "  max_leaves=2)        the spec expects",
            "  ---------------  --  -----------------",
            "  B                 1",
        ];
        assert_eq!(table.fitted(40).lines().collect::<Vec<_>>(), expected);
        let narrow = table.fitted(30);
        assert!(narrow.matches("Boost").count() == 2 && narrow.lines().all(|line| line.len() <= 30), "{narrow}");
        // Names behind the numbers come first.
        let mut table = Grid::new(&[">n", ">m", "rule"]);
        table.row(["1234567".into(), "1234567".into(), "a b c d e f g h".into()]);
        let line = |rule: &str, number: &str| format!("  {rule:<11}  {number:>7}").trim_end().to_owned();
        let block = |name: &str| [line("rule", name), line("a b c d e f", "1234567"), line("g h", "")].join("\n");
        assert_eq!(table.fitted(24), format!("{}\n\n{}\n", block("n"), block("m")));
        // Further lines of a text are only where the text is.
        let mut table = Grid::new(&["name", ">n", ">m", "finding"]);
        table.row(["x".into(), "1234567".into(), "1234567".into(), "differs from what the spec expects".into()]);
        assert_eq!(
            table.fitted(24),
            "  name        n        m\n  x     1234567  1234567\n\n  name  finding\n  x     differs from\n        what the spec\n        expects\n"
        );
        assert_eq!(wrapped("a bc d", 4), ["a bc", "d"]);
        assert_eq!(wrapped("abcdef", 3), ["abcdef"]);
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
