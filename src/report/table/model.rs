//! The data model of a table, independent of the output format.

use crate::metric::Column;
use crate::metric::summary::Average;

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The stem of its files.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// Its columns: those with text first.
    pub columns: Vec<TableColumn>,
    /// Its rows.
    pub rows: Vec<TableRow>,
    /// What must be said of it.
    pub notes: Vec<Note>,
    /// How people are to see it.
    pub style: TableStyle,
}

/// How people see the numbers of a table; programs see all of them anyway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStyle {
    /// Whether the published number stands below ours instead of beside it.
    pub stacked: bool,
    /// Whether the number of folds stands in every cell.
    pub counts: bool,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name in files.
    pub name: String,
    /// What its cells hold.
    pub shape: ColumnKind,
    /// Whether it stands apart from the columns before it.
    pub is_extra: bool,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Our numbers.
    Value,
    /// Our numbers and those of the paper.
    WithPaper,
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// A cell for each column.
    pub cells: Vec<TableCell>,
    /// Whether it stands below a line.
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

/// A number with what belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellValue {
    /// Ours; none if there is none.
    pub ours: Option<Average>,
    /// What the paper says.
    pub paper: Option<PublishedValue>,
    /// What is missing of ours, in words; empty if nothing is.
    pub missing: String,
    /// Whether it is the best of those it is to be compared with.
    pub is_best: bool,
    /// The row of the experiment it comes from, for links to its jobs.
    pub row: Option<usize>,
}

/// A published number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedValue {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, where it is printed.
    pub deviation: Option<f64>,
}

/// What must be said under a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The dataset that it is about, which gets a mark; none for the whole table.
    pub about: Option<String>,
    /// What is to be said.
    pub text: String,
}

/// Whose standard deviation covers the difference between our number and the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Ours and the published one.
    Both,
    /// Only ours, or there is no published one.
    Ours,
    /// Only the published one.
    Theirs,
    /// None.
    Neither,
}

impl Within {
    /// All of them.
    pub(super) const ALL: [Within; 4] = [Within::Both, Within::Ours, Within::Theirs, Within::Neither];

    /// The word in files.
    pub fn name(self) -> &'static str {
        match self {
            Within::Both => "both",
            Within::Ours => "ours",
            Within::Theirs => "theirs",
            Within::Neither => "neither",
        }
    }
}

impl CellValue {
    /// Ours minus the published one.
    pub fn difference(&self) -> Option<f64> {
        Some(self.ours?.mean - self.paper?.mean)
    }

    /// Whether the difference lies within one standard deviation, and of whom.
    pub fn within(&self) -> Option<Within> {
        let difference = self.difference()?.abs();
        // What the last bit of a subtraction says is nobody's difference: 1 − 0.95 is within 0.05.
        const DUST: f64 = 1e-12;
        let covers = |deviation: Option<f64>| deviation.is_some_and(|deviation| difference <= deviation + DUST);
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
    /// The mark of a dataset that a note is about.
    pub fn mark(&self, dataset: &str) -> Option<usize> {
        let mut about = self.notes.iter().filter_map(|note| note.about.as_deref());
        about.position(|name| name == dataset).map(|place| place + 1)
    }

    /// The notes with their marks: those of datasets first, in the order of their marks.
    pub fn marked_notes(&self) -> impl Iterator<Item = (Option<usize>, &Note)> {
        let of_datasets = self.notes.iter().filter(|note| note.about.is_some());
        let of_all = self.notes.iter().filter(|note| note.about.is_none());
        of_datasets.enumerate().map(|(place, note)| (Some(place + 1), note)).chain(of_all.map(|note| (None, note)))
    }
}

impl TableColumn {
    /// A column of text.
    pub fn text(name: &str) -> Self {
        TableColumn { name: name.to_owned(), shape: ColumnKind::Text, is_extra: false }
    }

    /// A column of our numbers.
    pub fn value(name: &str) -> Self {
        TableColumn { name: name.to_owned(), shape: ColumnKind::Value, is_extra: false }
    }

    /// The heading that people read: metrics have names of their own.
    pub fn heading(&self) -> String {
        Column::named(&self.name).map_or_else(|| self.name.clone(), |metric| metric_title(metric).to_owned())
    }
}

impl TableCell {
    /// A cell of text.
    pub fn text(text: impl Into<String>) -> Self {
        TableCell::Text(text.into())
    }
}

/// The name of a metric that people read.
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

/// Marks the best of numbers that are to be compared; those that look alike to readers are equally good, and where all look
/// alike there is no best.
pub fn mark_best<'v>(values: impl IntoIterator<Item = &'v mut CellValue>, metric: Column) {
    let mut values: Vec<&mut CellValue> = values.into_iter().filter(|value| value.ours.is_some()).collect();
    // As it is printed, so that no two cells with the same text differ in weight.
    let printed = |value: &CellValue| value.ours.map_or(f64::NAN, |ours| (ours.mean * 1000.0).round());
    let better = |a: f64, b: f64| if metric.higher_is_better() { a > b } else { a < b };
    let best = values.iter().map(|value| printed(value)).reduce(|a, b| if better(b, a) { b } else { a });
    let Some(best) = best else { return };
    // Means over other folds are not compared.
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

    /// Two datasets, of which one needs a note and one is not in the paper; something is missing.
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
    fn whose_deviation_covers_a_difference() {
        // A difference of 0.03 with_paper deviations on both sides of it.
        let within = |ours, theirs| with_paper(0.50, ours, 0.53, theirs).within();
        assert_eq!(within(0.04, Some(0.04)), Some(Within::Both));
        assert_eq!(within(0.04, Some(0.02)), Some(Within::Ours));
        assert_eq!(within(0.04, None), Some(Within::Ours));
        assert_eq!(within(0.02, Some(0.04)), Some(Within::Theirs));
        assert_eq!(within(0.02, Some(0.02)), Some(Within::Neither));
        assert_eq!(CellValue { ours: average(0.5, 0.1), ..CellValue::default() }.within(), None);
    }

    #[test]
    fn the_best_is_what_looks_best() {
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
