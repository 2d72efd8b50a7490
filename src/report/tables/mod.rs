//! Which tables a run has: the paper's own, one for each setting that a sweep varies, one for each dataset with several variants, two of
//! everything, and what models cost.

mod classes;
mod everything;
mod paper;
mod seconds;
mod significance;
mod sweep;
mod variants;

pub use classes::classes_table;
pub use everything::{all_metrics, results_table};
pub use paper::paper_tables;
pub use seconds::seconds_table;
pub use significance::significance_table;
pub use sweep::sweep_tables;
pub use variants::variant_tables;

use super::published::PublishedTable;
use super::rows::ReportRow;
use super::table::{Note, Table, Value};
use crate::determinism::IndexMap;
use crate::experiment::Results;
use crate::experiment::store::Row;
use crate::metric::Column;

/// The metrics that the paper reports.
pub const MAIN: [Column; 2] = [Column::AucRoc, Column::AucPr];

/// Every table of a run, the most telling first.
pub fn tables(results: &Results, rows: &[ReportRow<'_>]) -> Vec<Table> {
    let mut tables = main_tables(results, rows);
    if !tables.iter().any(|table| table.name == everything::RESULTS) {
        tables.push(results_table(results, rows));
    }
    tables.extend(significance_table(results));
    tables.push(all_metrics(results, rows));
    tables.extend(seconds_table(results, rows));
    tables
}

/// The tables that answer the question of the experiment.
pub fn main_tables(results: &Results, rows: &[ReportRow<'_>]) -> Vec<Table> {
    let published = results.experiment.compare.paper.as_deref().and_then(PublishedTable::find);
    let mut tables = published.map(|published| paper_tables(results, rows, published)).unwrap_or_default();
    tables.extend(sweep_tables(results, rows));
    tables.extend(variant_tables(results, rows));
    if tables.is_empty() {
        tables.push(results_table(results, rows));
    }
    tables.extend(classes_table(results, rows));
    tables
}

/// Our number of a row.
fn value(row: &ReportRow<'_>, metric: Column) -> Value {
    Value {
        ours: row.average(metric),
        lack: row.lack(metric),
        row: (!row.group.jobs.is_empty()).then_some(row.index),
        ..Value::default()
    }
}

/// What every table must say: of datasets, and of what is missing.
fn notes(results: &Results) -> Vec<Note> {
    let footnotes = results.footnotes();
    let mut notes: Vec<Note> = footnotes
        .into_iter()
        .map(|(dataset, text)| Note { about: Some(dataset.to_owned()), text: text.to_owned() })
        .collect();
    notes.extend(state(results).into_iter().map(|text| Note { about: None, text }));
    notes
}

/// What of a run is not there, in sentences.
pub fn state(results: &Results) -> Vec<String> {
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
            "{damaged} of {} results are damaged and left out: running again makes them anew.",
            results.planned
        ));
    }
    let mut reasons: IndexMap<(&str, &str, &str), usize> = IndexMap::default();
    for stored in refused {
        let Row { dataset, model, .. } = &stored.record.row;
        *reasons.entry((dataset, model, stored.record.status.message().unwrap_or_default())).or_default() += 1;
    }
    for ((dataset, model, why), jobs) in reasons {
        sentences.push(format!("{model} on {dataset} refused ({jobs} jobs): {why}."));
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

/// How numbers of a run are to be read.
fn reading(results: &Results) -> String {
    let seeds = match results.experiment.seeds.len() {
        1 => String::new(),
        n => format!("; {n} seeds of a fold are averaged first"),
    };
    format!("Mean ± standard deviation over folds{seeds}.")
}
