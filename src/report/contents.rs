//! The contents of a report: rows, tables, figures and claims, before they are written.

use super::answer::answer;
use super::claims::{self, JudgedClaim};
use super::figure::{Figure, FigureError, FigureScene, PublishedMean, figures};
use super::multiverse::{self, MultiverseError, MultiverseReport};
use super::published::PublishedTable;
use super::rows::{self, ReportRow};
use super::table::Table;
use super::tables;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::determinism::IndexSet;
use crate::experiment::Results;

/// Why a report cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A figure cannot be drawn.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// The multiverse cannot be evaluated.
    #[error(transparent)]
    Multiverse(#[from] MultiverseError),
}

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
    /// Figures that are written but not shown in the page.
    pub more_figures: Vec<Figure>,
    /// The paper's claims, evaluated on this run.
    pub claims: Vec<JudgedClaim>,
}

impl<'r> Report<'r> {
    /// Builds the report of a run.
    ///
    /// # Errors
    /// If predictions of a job cannot be read.
    pub fn new(results: &'r Results) -> Result<Self, ReportError> {
        let rows = of_started_datasets(results);
        if let Some(MultiverseReport { answer, tables, main_tables, figures, more_figures }) =
            multiverse::report(results, &rows)?
        {
            // Universes are many: tables and figures summarize them, and `metrics.csv` lists all.
            let rows = Vec::new();
            let paint = |scenes: Vec<FigureScene>| scenes.into_par_iter().map(FigureScene::paint).collect();
            let (figures, more_figures): (Result<_, _>, Result<_, _>) = (paint(figures), paint(more_figures));
            let (figures, more_figures) = (figures?, more_figures?);
            return Ok(Report {
                results,
                rows,
                answer,
                tables,
                main_tables,
                figures,
                more_figures,
                claims: Vec::new(),
            });
        }
        let claims = claims::judge(&rows);
        let (tables, main_tables) = tables::tables(results, &rows, &claims);
        let figures = figures(results, &published_means(results, &rows))?;
        let answer = answer(&rows);
        Ok(Report { results, answer, tables, main_tables, figures, more_figures: Vec::new(), claims, rows })
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
