//! The data model of a table, independent of the output format.

use crate::metric::Column;
use crate::metric::summary::Average;

/// A table of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// File stem.
    pub name: String,
    /// Title.
    pub title: String,
    /// Caption.
    pub caption: String,
    /// Columns, text columns first.
    pub columns: Vec<TableColumn>,
    /// Rows.
    pub rows: Vec<TableRow>,
    /// Notes below the table.
    pub notes: Vec<Note>,
    /// Layout of human-readable formats.
    pub style: TableStyle,
}

/// Layout options of human-readable formats; data files contain everything anyway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStyle {
    /// Whether published numbers are below ours instead of beside them.
    pub stacked: bool,
    /// Whether each cell shows the number of folds.
    pub counts: bool,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Name in files.
    pub name: String,
    /// Kind of its cells.
    pub shape: ColumnKind,
    /// Whether it is set apart from the columns before it.
    pub is_extra: bool,
}

/// Kind of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Our numbers.
    Value,
    /// Our numbers with published ones.
    WithPaper,
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// One cell per column.
    pub cells: Vec<TableCell>,
    /// Whether it is below the rule that separates additional rows.
    pub is_extra: bool,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum TableCell {
    /// Text.
    Text(String),
    /// A number.
    Value(CellValue),
}

/// A number with its annotations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellValue {
    /// Our average, if any.
    pub ours: Option<Average>,
    /// The published number, if any.
    pub paper: Option<PublishedValue>,
    /// Which jobs are missing, in words; empty if none.
    pub missing: String,
    /// Whether our number cannot be told from that of a constant score.
    pub at_chance: bool,
    /// Whether it is the best of its comparison group.
    pub is_best: bool,
    /// Index of the experiment row, for links to its jobs.
    pub row: Option<usize>,
}

/// A published number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedValue {
    /// Mean.
    pub mean: f64,
    /// Standard deviation, if published.
    pub deviation: Option<f64>,
}

/// A note below a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The dataset or model it refers to, which gets a mark; `None` for the whole table.
    pub about: Option<String>,
    /// Text.
    pub text: String,
}

/// Which standard deviation covers the difference between our number and the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Both.
    Both,
    /// Only ours, or none is published.
    Ours,
    /// Only the published one.
    Theirs,
    /// Neither.
    Neither,
    /// Our number is at chance, so that the difference says nothing.
    AtChance,
}

impl Within {
    /// All of them.
    pub(super) const ALL: [Within; 5] = [Within::Both, Within::Ours, Within::Theirs, Within::Neither, Within::AtChance];

    /// Returns the word used in files.
    pub fn name(self) -> &'static str {
        match self {
            Within::Both => "both",
            Within::Ours => "ours",
            Within::Theirs => "theirs",
            Within::Neither => "neither",
            Within::AtChance => "chance",
        }
    }
}

impl CellValue {
    /// Returns our mean minus the published one.
    pub fn difference(&self) -> Option<f64> {
        Some(self.ours?.mean - self.paper?.mean)
    }

    /// Returns which standard deviations cover the difference.
    pub fn within(&self) -> Option<Within> {
        let difference = self.difference()?.abs();
        if self.at_chance {
            return Some(Within::AtChance);
        }
        // Rounding error of the subtraction is no difference: 1 − 0.95 is within 0.05.
        const TOLERANCE: f64 = 1e-12;
        let covers = |deviation: Option<f64>| deviation.is_some_and(|deviation| difference <= deviation + TOLERANCE);
        let name = match (covers(self.ours?.deviation), covers(self.paper?.deviation)) {
            (true, true) => Within::Both,
            (true, false) => Within::Ours,
            (false, true) => Within::Theirs,
            (false, false) => Within::Neither,
        };
        Some(name)
    }
}

impl Table {
    /// Returns the number of the footnote about a dataset or model.
    pub fn mark(&self, name: &str) -> Option<usize> {
        let mut about = self.notes.iter().filter_map(|note| note.about.as_deref());
        about.position(|other| other == name).map(|place| place + 1)
    }

    /// Returns the number of the footnote about the text of a cell, in the columns of datasets and
    /// models.
    pub fn mark_in(&self, column: &TableColumn, text: &str) -> Option<usize> {
        if ["dataset", "model"].contains(&column.name.as_str()) { self.mark(text) } else { None }
    }

    /// Returns the table without the columns after the first `count`.
    pub fn first_columns(&self, count: usize) -> Table {
        let mut table = self.clone();
        table.columns.truncate(count);
        table.rows.iter_mut().for_each(|row| row.cells.truncate(count));
        table
    }

    /// Returns the notes with their numbers: those about datasets and models first.
    pub fn marked_notes(&self) -> impl Iterator<Item = (Option<usize>, &Note)> {
        let of_datasets = self.notes.iter().filter(|note| note.about.is_some());
        let of_all = self.notes.iter().filter(|note| note.about.is_none());
        of_datasets.enumerate().map(|(place, note)| (Some(place + 1), note)).chain(of_all.map(|note| (None, note)))
    }
}

impl TableColumn {
    /// Creates a text column.
    pub fn text(name: &str) -> Self {
        TableColumn { name: name.to_owned(), shape: ColumnKind::Text, is_extra: false }
    }

    /// Creates a column of our numbers.
    pub fn value(name: &str) -> Self {
        TableColumn { name: name.to_owned(), shape: ColumnKind::Value, is_extra: false }
    }

    /// Returns the human-readable heading; metrics have their own titles.
    pub fn heading(&self) -> String {
        Column::named(&self.name).map_or_else(|| self.name.clone(), |metric| metric_title(metric).to_owned())
    }
}

impl TableCell {
    /// Creates a text cell.
    pub fn text(text: impl Into<String>) -> Self {
        TableCell::Text(text.into())
    }
}

/// Returns the human-readable name of a metric.
pub fn metric_title(metric: Column) -> &'static str {
    match metric {
        Column::AucRoc => "AUC-ROC",
        Column::AucPr => "AUC-PR",
        Column::AucRocJar => "AUC-ROC (auc.jar)",
        Column::AucPrJar => "AUC-PR (auc.jar)",
        Column::AveragePrecision => "average precision",
        Column::Cll => "CLL",
        Column::Brier => "Brier",
        Column::Ece => "ECE",
        Column::F1Half => "F1 at ½",
        Column::F1Train => "F1 at train threshold",
    }
}

/// Marks the best numbers of a comparison group. Numbers that print alike are equally good; if
/// all do, none is marked.
pub fn mark_best<'v>(values: impl IntoIterator<Item = &'v mut CellValue>, metric: Column) {
    let mut values: Vec<&mut CellValue> = values.into_iter().filter(|value| value.ours.is_some()).collect();
    // Rounded as printed, so that equal texts are marked alike.
    let printed = |value: &CellValue| value.ours.map_or(f64::NAN, |ours| (ours.mean * 1000.0).round());
    let better = |a: f64, b: f64| if metric.higher_is_better() { a > b } else { a < b };
    let best = values.iter().map(|value| printed(value)).reduce(|a, b| if better(b, a) { b } else { a });
    let Some(best) = best else { return };
    // Means over different numbers of folds are not comparable.
    let folds = |value: &CellValue| value.ours.map(|ours| ours.n);
    if values.windows(2).any(|pair| folds(pair[0]) != folds(pair[1])) {
        return;
    }
    if values.iter().any(|value| printed(value) != best) {
        values.iter_mut().for_each(|value| value.is_best = printed(value) == best);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn average(mean: f64, deviation: f64) -> Option<Average> {
        Some(Average { mean, deviation: Some(deviation), n: 5 })
    }

    fn with_paper(mean: f64, deviation: f64, paper: f64, theirs: Option<f64>) -> CellValue {
        let paper = Some(PublishedValue { mean: paper, deviation: theirs });
        CellValue { ours: average(mean, deviation), paper, ..CellValue::default() }
    }

    /// An example with a footnote, a dataset that is not in the paper, and missing jobs.
    pub fn example() -> Table {
        let mut first = with_paper(0.9446, 0.0504, 0.95, Some(0.05));
        first.is_best = true;
        let absent = CellValue {
            paper: Some(PublishedValue { mean: 0.77, deviation: Some(0.02) }),
            missing: "5 of 5 failed".into(),
            ..CellValue::default()
        };
        let partly = CellValue { missing: "1 of 5 failed".into(), ..with_paper(0.7, 0.01, 0.75, Some(0.01)) };
        let extra = CellValue { ours: Some(Average { mean: 0.5, deviation: None, n: 1 }), ..CellValue::default() };
        let row = |name: &str, first: CellValue, second: CellValue, is_extra| TableRow {
            cells: vec![TableCell::text(name), TableCell::Value(first), TableCell::Value(second)],
            is_extra,
        };
        let column = |name: &str| TableColumn { name: name.into(), shape: ColumnKind::WithPaper, is_extra: false };
        Table {
            name: "example".into(),
            title: "An example".into(),
            caption: "Mean & deviation.".into(),
            columns: vec![TableColumn::text("model"), column("imdb"), column("yeast2")],
            rows: vec![row("A_B", first, absent, false), row("C|D", partly, extra, true)],
            notes: vec![
                Note { about: None, text: "Of 100% of folds.".into() },
                Note { about: Some("yeast2".into()), text: "A substitute.".into() },
            ],
            style: TableStyle { stacked: true, counts: false },
        }
    }

    #[test]
    fn differences_are_classified_by_covering_deviation() {
        // A difference of 0.03, with standard deviations on both sides of it.
        let within = |ours, theirs| with_paper(0.50, ours, 0.53, theirs).within();
        assert_eq!(within(0.04, Some(0.04)), Some(Within::Both));
        assert_eq!(within(0.04, Some(0.02)), Some(Within::Ours));
        assert_eq!(within(0.04, None), Some(Within::Ours));
        assert_eq!(within(0.02, Some(0.04)), Some(Within::Theirs));
        assert_eq!(within(0.02, Some(0.02)), Some(Within::Neither));
        assert_eq!(CellValue { ours: average(0.5, 0.1), ..CellValue::default() }.within(), None);
    }

    #[test]
    fn best_values_are_marked_as_printed() {
        let best = |means: &[f64], metric| -> Vec<bool> {
            let mut values: Vec<CellValue> =
                means.iter().map(|&mean| CellValue { ours: average(mean, 0.1), ..CellValue::default() }).collect();
            mark_best(&mut values, metric);
            values.iter().map(|value| value.is_best).collect()
        };
        assert_eq!(best(&[0.9001, 0.9004, 0.8996, 0.8], Column::AucRoc), [true, true, true, false]);
        assert_eq!(best(&[0.2, 0.1], Column::Brier), [false, true]);
        assert_eq!(best(&[0.2], Column::AucRoc), [false]);
        assert_eq!(best(&[0.5, 0.5], Column::AucRoc), [false, false]);
    }
}
