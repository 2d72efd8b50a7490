//! The contents of a report: rows, tables, figures and claims, before they are written.

use super::answer::answer;
use super::claims::{self, JudgedClaim};
use super::figure::{Figure, FigureError, PublishedMean, figures};
use super::published::PublishedTable;
use super::rows::{self, ReportRow};
use super::table::Table;
use super::tables;
use crate::determinism::IndexSet;
use crate::experiment::Results;

/// All contents of a report, before it is written.
#[derive(Debug)]
pub struct Report<'r> {
    /// The run.
    pub results: &'r Results,
    /// One row per dataset, model, preset and case.
    pub rows: Vec<ReportRow<'r>>,
    /// The answer in one or two sentences.
    pub answer: Vec<String>,
    /// All tables, the main ones first.
    pub tables: Vec<Table>,
    /// Number of main tables: those that answer the question of the experiment.
    pub main_tables: usize,
    /// All figures.
    pub figures: Vec<Figure>,
    /// The paper's claims, evaluated on this run.
    pub claims: Vec<JudgedClaim>,
}

impl<'r> Report<'r> {
    /// Builds the report of a run.
    ///
    /// # Errors
    /// If predictions of a job cannot be read.
    pub fn new(results: &'r Results) -> Result<Self, FigureError> {
        let rows = of_started_datasets(results);
        let claims = claims::judge(&rows);
        let (tables, main_tables) = tables::tables(results, &rows, &claims);
        let figures = figures(results, &published_means(results, &rows))?;
        Ok(Report { results, answer: answer(&rows), tables, main_tables, figures, claims, rows })
    }
}

/// Returns the rows of datasets that have a job; the notes of tables say how many jobs have not
/// been run.
fn of_started_datasets(results: &Results) -> Vec<ReportRow<'_>> {
    let stored = results.stored.iter().map(|stored| stored.record.row.dataset.as_str());
    let damaged = results.damaged.iter().map(|job| job.key.dataset.as_str());
    let started: IndexSet<&str> = stored.chain(damaged).collect();
    let mut rows = rows::rows(results);
    rows.retain(|row| started.contains(row.key().dataset.as_str()));
    rows.iter_mut().enumerate().for_each(|(index, row)| row.index = index);
    rows
}

/// Returns the published means, under the names that the run uses for datasets and models.
fn published_means(results: &Results, rows: &[ReportRow<'_>]) -> Vec<PublishedMean> {
    let Some(table) = results.experiment.compare.paper.as_deref().and_then(PublishedTable::find) else {
        return Vec::new();
    };
    let of_row = |row: &ReportRow<'_>| -> Vec<PublishedMean> {
        let fits = table.cells.iter().filter(|cell| cell.dataset == row.dataset_id && cell.kind == row.kind);
        let (dataset, model) = (&row.key().dataset, &row.key().model);
        fits.map(|cell| PublishedMean {
            dataset: dataset.clone(),
            model: model.clone(),
            column: cell.metric,
            mean: cell.mean,
        })
        .collect()
    };
    // Presets of a model share its published numbers.
    let mut published: Vec<PublishedMean> = Vec::new();
    for one in rows.iter().flat_map(of_row) {
        if !published.contains(&one) {
            published.push(one);
        }
    }
    published
}
