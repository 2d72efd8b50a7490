//! Sizes of models beside their scores: leaves, clauses, rules, units and walks.

use super::common::{averaging_note, notes};
use crate::experiment::Results;
use crate::experiment::external::config::EXTERNAL_KINDS;
use crate::experiment::store::Outcome;
use crate::metric::Column;
use crate::metric::summary::mean;
use crate::report::published::published_clauses;
use crate::report::rows::ReportRow;
use crate::report::table::{Note, Table, TableCell, TableColumn, TableRow, TableStyle, format_mean};

/// Returns the sizes of the models of a run without a sweep; `None` if no row has a result.
pub fn size_table(results: &Results, rows: &[ReportRow<'_>]) -> Option<Table> {
    let has_sweep = rows.iter().any(|row| !row.key().case.is_empty());
    let shown: Vec<(&ReportRow<'_>, Sizes)> = rows.iter().filter_map(|row| Some((row, Sizes::of(row)?))).collect();
    if has_sweep || shown.is_empty() {
        return None;
    }
    let has_preset = rows.iter().any(|row| !row.key().preset.is_empty());
    let has_walks = shown.iter().any(|(_, sizes)| sizes.walks.is_some());
    let mut columns = vec!["dataset", "model"];
    columns.extend(has_preset.then_some("preset"));
    columns.extend(["auc_roc", "auc_pr", "parts", "mean", "smallest", "largest"]);
    columns.extend(has_walks.then_some("walks"));
    let published = |row: &ReportRow<'_>| published_clauses(row.kind, &row.dataset_id);
    let has_published = shown.iter().any(|(row, _)| published(row).is_some());
    columns.extend(has_published.then_some("published"));
    let line = |(row, sizes): &(&ReportRow<'_>, Sizes)| {
        let score = |column| row.average(column).map_or_else(|| "-".to_owned(), |average| format_mean(&average));
        let mut cells = vec![row.key().dataset.clone(), row.key().model.clone()];
        cells.extend(has_preset.then(|| row.key().preset.clone()));
        cells.extend([score(Column::AucRoc), score(Column::AucPr), parts(row.kind).to_owned()]);
        cells.extend([format!("{:.1}", sizes.mean), sizes.smallest.to_string(), sizes.largest.to_string()]);
        cells.extend(has_walks.then(|| sizes.walks.map_or_else(|| "-".to_owned(), |walks| format!("{walks:.1}"))));
        cells.extend(has_published.then(|| published(row).map_or_else(|| "-".to_owned(), |number| number.to_string())));
        TableRow { cells: cells.into_iter().map(TableCell::Text).collect(), is_extra: false }
    };
    let mut notes = notes(results);
    notes.extend(larger_copies(&shown).map(|text| Note { about: None, text }));
    Some(Table {
        name: "sizes".to_owned(),
        title: "Sizes of the models".to_owned(),
        caption: format!(
            "{} Size: mean, smallest and largest number of parts of a model over all folds, of all its trees together.{}{}",
            averaging_note(results),
            if has_walks { " Walks: mean number of inputs of RRBM." } else { "" },
            if has_published { " Published: number of clauses in the paper." } else { "" }
        ),
        columns: columns.into_iter().map(TableColumn::text).collect(),
        rows: shown.iter().map(line).collect(),
        notes,
        style: TableStyle::default(),
    })
}

/// Sizes of the models of a row.
struct Sizes {
    mean: f64,
    smallest: usize,
    largest: usize,
    walks: Option<f64>,
}

impl Sizes {
    fn of(row: &ReportRow<'_>) -> Option<Sizes> {
        // The size of an external model is not known.
        if EXTERNAL_KINDS.contains(&row.kind) {
            return None;
        }
        let outcomes: Vec<&Outcome> = row.group.done().filter_map(|stored| stored.record.result.as_ref()).collect();
        let numbers: Vec<f64> = outcomes.iter().map(|outcome| outcome.leaves as f64).collect();
        let walks: Vec<f64> = outcomes.iter().filter_map(|outcome| Some(outcome.walks? as f64)).collect();
        Some(Sizes {
            mean: mean(&numbers),
            smallest: outcomes.iter().map(|outcome| outcome.leaves).min()?,
            largest: outcomes.iter().map(|outcome| outcome.leaves).max()?,
            walks: (!walks.is_empty()).then(|| mean(&walks)),
        })
    }
}

/// Returns what the size of a kind of model counts.
fn parts(kind: &str) -> &'static str {
    match kind {
        "mln-boost" | "progol" => "clauses",
        "lrnn" => "rules",
        "rrbm-c" | "rrbm-e" => "hidden units",
        _ => "leaves",
    }
}

/// Names explainable trees that have more leaves than the ensemble they are distilled from.
fn larger_copies(shown: &[(&ReportRow<'_>, Sizes)]) -> Option<String> {
    let find_ensemble = |row: &ReportRow<'_>| {
        let is_ensemble = |other: &&(&ReportRow<'_>, Sizes)| {
            let (own, other) = (row.key(), other.0);
            other.kind == "lrbm-boost" && other.key().dataset == own.dataset && other.key().preset == own.preset
        };
        shown.iter().find(is_ensemble)
    };
    let larger = shown.iter().filter(|(row, _)| row.kind == "lrbm-explainable").filter_map(|(row, sizes)| {
        let (_, ensemble) = find_ensemble(row)?;
        let preset = if row.key().preset.is_empty() { String::new() } else { format!(" ({})", row.key().preset) };
        let text = format!("{}{preset} {:.0} against {:.0}", row.key().dataset, sizes.mean, ensemble.mean);
        (sizes.mean > ensemble.mean).then_some(text)
    });
    let larger: Vec<String> = larger.collect();
    let sentence = "Explainable trees with more leaves than the ensemble that they explain";
    (!larger.is_empty()).then(|| format!("{sentence}: {}.", larger.join(", ")))
}
