//! Selection of the tables of a run.

use super::classes::classes_table;
use super::everything::{RESULTS, all_metrics, results_table};
use super::paper::paper_tables;
use super::recorded::recorded_table;
use super::seconds::{memory_table, processor_table, seconds_table};
use super::significance::significance_table;
use super::sizes::size_table;
use super::sweep::{sweep_tables, transposed_tables};
use super::tuning::{choice_table, tuning_table};
use super::variants::variant_tables;
use super::verdicts::{comparison_table, verdict_table};
use crate::experiment::Results;
use crate::report::claims::JudgedClaim;
use crate::report::published::PublishedTable;
use crate::report::rows::ReportRow;
use crate::report::table::Table;

/// Returns all tables of a run, main tables first, and the number of main tables.
pub fn tables(results: &Results, rows: &[ReportRow<'_>], claims: &[JudgedClaim]) -> (Vec<Table>, usize) {
    let mut tables = main_tables(results, rows);
    tables.extend(size_table(results, rows));
    tables.extend(tuning_table(results, rows));
    tables.extend(verdict_table(results, claims));
    let main = tables.len();
    tables.extend(transposed_tables(results, rows));
    if !tables.iter().any(|table| table.name == RESULTS) {
        tables.push(results_table(results, rows));
    }
    tables.extend(comparison_table(results, claims));
    tables.extend(significance_table(results));
    tables.extend(choice_table(results, rows));
    tables.push(all_metrics(results, rows));
    tables.extend(seconds_table(results, rows));
    tables.extend(processor_table(results, rows));
    tables.extend(memory_table(results, rows));
    tables.extend(recorded_table(results));
    (tables, main)
}

/// Returns the tables that answer the question of the experiment.
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
