//! Parts that all tables share: cell values, notes and captions.

use std::collections::BTreeMap;

use crate::data::benchmark::Arity;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::frame::StoredJob;
use crate::experiment::store::JobRow;
use crate::metric::{Column, Undefined};
use crate::report::rows::ReportRow;
use crate::report::table::{CellValue, Note};

/// Metrics that the paper reports.
pub const MAIN: [Column; 2] = [Column::AucRoc, Column::AucPr];

/// Returns our number of a row.
pub(super) fn value(row: &ReportRow<'_>, metric: Column) -> CellValue {
    CellValue {
        ours: row.average(metric),
        missing: row.missing(metric),
        at_chance: row.group.is_at_chance(metric) == Some(true),
        row: (!row.group.jobs.is_empty()).then_some(row.index),
        ..CellValue::default()
    }
}

/// Returns the notes of every table: footnotes about datasets, and what is missing.
pub fn notes(results: &Results) -> Vec<Note> {
    let footnotes = results.stored.footnotes();
    let mut notes: Vec<Note> = footnotes
        .into_iter()
        .map(|(dataset, text)| Note { about: Some(dataset.to_owned()), text: text.to_owned() })
        .collect();
    notes.extend(model_notes(results));
    notes.extend(status_notes(results).into_iter().map(|text| Note { about: None, text }));
    notes
}

/// Returns the notes about models: what their numbers lack beside those of others, and which see
/// other data.
fn model_notes(results: &Results) -> impl Iterator<Item = Note> {
    let no_probabilities = Undefined::NotProbabilities.to_string();
    let lacks_probabilities = |stored: &StoredJob| {
        let outcome = stored.record.result.as_ref().filter(|_| stored.record.key.external.is_some());
        outcome.is_some_and(|outcome| outcome.undefined.get(Column::Cll.name()) == Some(&no_probabilities))
    };
    let scored = results.stored.iter().filter(|stored| lacks_probabilities(stored));
    let scored: IndexSet<&str> = scored.map(|stored| stored.record.row.model.as_str()).collect();
    let mut notes: IndexMap<String, Vec<String>> = IndexMap::default();
    for model in results.experiment.unrepeatable() {
        let text = "not repeatable: the same job may give other scores when it runs again.";
        notes.entry(model.to_owned()).or_default().push(text.to_owned());
    }
    for model in scored {
        let text = "gives scores without probabilities: metrics that need probabilities are empty.";
        notes.entry(model.to_owned()).or_default().push(text.to_owned());
    }
    let in_run = results.datasets();
    for ((model, arity), datasets) in results.experiment.own_arities() {
        let datasets: Vec<&str> = datasets.into_iter().filter(|name| in_run.contains(name)).collect();
        let does = match arity {
            Arity::Original => "keeps predicates of more than two arguments",
            Arity::Binary => "learns from binary predicates in place of longer ones",
        };
        if !datasets.is_empty() {
            let text = format!("{does} on {}.", datasets.join(", "));
            notes.entry(model.to_owned()).or_default().push(text);
        }
    }
    notes.into_iter().map(|(model, texts)| Note { about: Some(model), text: texts.join(" It ") })
}

/// Describes, in sentences, which results of a run are missing.
pub fn status_notes(results: &Results) -> Vec<String> {
    let mut sentences = Vec::new();
    let ended = results.stored.len();
    let refused = results.stored.iter().filter(|stored| stored.record.status.is_refused());
    let failed = results.stored.iter().filter(|stored| !stored.is_done()).count() - refused.clone().count();
    let damaged = results.damaged.len();
    let absent = results.planned.saturating_sub(ended + damaged);
    if absent > 0 {
        sentences.push(format!("Unfinished: {absent} of {} jobs have not been run.", results.planned));
    }
    if damaged > 0 {
        sentences.push(format!(
            "{damaged} of {} results are damaged and left out; run the experiment again to recompute them.",
            results.planned
        ));
    }
    let mut reasons: IndexMap<(&str, &str, &str), usize> = IndexMap::default();
    for stored in refused {
        let JobRow { dataset, model, .. } = &stored.record.row;
        *reasons.entry((dataset, model, stored.record.status.message().unwrap_or_default())).or_default() += 1;
    }
    for ((dataset, model, why), jobs) in reasons {
        sentences.push(format!("{model} does not support {dataset} ({jobs} jobs): {why}."));
    }
    if failed > 0 {
        sentences.push(format!("{failed} of {} jobs failed; their cells say so.", results.planned));
    }
    if results.stale > 0 {
        let stale = results.stale;
        sentences.push(format!("{stale} results were made with another spec than the one here and are left out."));
    }
    sentences
}

/// Describes how the numbers of a run are averaged.
pub(super) fn averaging_note(results: &Results) -> String {
    let started = results.datasets();
    let mut datasets = results.experiment.datasets.iter();
    if datasets.all(|dataset| dataset.seeds.len() == 1 || !started.contains(&dataset.source.name.as_str())) {
        return "Mean ± standard deviation over folds.".to_owned();
    }
    let seeds = seeds_note(results);
    format!(
        "Mean ± standard deviation over the folds of {seeds}; where folds are given, the seeds of a fold are averaged first."
    )
}

/// Describes the number of seeds, with the datasets of the run that have another number.
pub(super) fn seeds_note(results: &Results) -> String {
    let (experiment, started) = (&results.experiment, results.datasets());
    let count = |n: usize| if n == 1 { "one seed".to_owned() } else { format!("{n} seeds") };
    let mut others: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    let in_run = |name: &String| started.contains(&name.as_str());
    for dataset in experiment.datasets.iter().filter(|dataset| in_run(&dataset.source.name)) {
        if dataset.seeds.len() == experiment.seeds.len() {
            continue;
        }
        others.entry(dataset.seeds.len()).or_default().push(&dataset.source.name);
    }
    let others = others.into_iter().map(|(n, names)| format!("{}: {}", names.join(", "), count(n)));
    let others: Vec<String> = others.collect();
    let own = if others.is_empty() { String::new() } else { format!(" ({})", others.join("; ")) };
    count(experiment.seeds.len()) + &own
}
