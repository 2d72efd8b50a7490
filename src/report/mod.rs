//! What people read of a run: tables, figures, drawings and the page, comparisons and the gate.
//!
//! Reports, comparisons and the gate start from [`crate::experiment::Results`]; [`explanation`] and [`importance`] are of a model and
//! its data. Nothing here changes a run directory but for the files of the report itself.

pub mod claims;
pub mod compare;
pub mod csv;
pub mod drawing;
pub mod explanation;
pub mod figure;
pub mod gate;
pub mod importance;
pub mod markdown;
pub mod page;
pub mod published;
pub mod rows;
pub mod splice;
pub mod table;
pub mod tables;

mod summary;
mod write;

pub use write::{WriteError, Written};

use crate::experiment::Results;
use claims::Judged;
use figure::{Figure, FigureError, Published, figures};
use published::PublishedTable;
use rows::ReportRow;
use table::Table;

/// Everything that a report says, before it is written.
#[derive(Debug)]
pub struct Report<'r> {
    /// The run.
    pub results: &'r Results,
    /// Its rows.
    pub rows: Vec<ReportRow<'r>>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// How many of the tables, from the first, answer the question of the experiment.
    pub main_tables: usize,
    /// Its figures.
    pub figures: Vec<Figure>,
    /// What it says of the paper's claims.
    pub claims: Vec<Judged>,
}

impl<'r> Report<'r> {
    /// Makes a report of a run.
    ///
    /// # Errors
    /// If predictions of a job cannot be read.
    pub fn new(results: &'r Results) -> Result<Self, FigureError> {
        let rows = rows::rows(results);
        let tables = tables::tables(results, &rows);
        let main_tables = tables::main_tables(results, &rows).len();
        let claims = claims::judge(&rows);
        let figures = figures(results, &beside(results, &rows))?;
        Ok(Report { results, tables, main_tables, figures, claims, rows })
    }
}

/// What the paper publishes, by the names that the run has for datasets and models.
fn beside(results: &Results, rows: &[ReportRow<'_>]) -> Vec<Published> {
    let Some(table) = results.experiment.compare.paper.as_deref().and_then(PublishedTable::find) else {
        return Vec::new();
    };
    let of_row = |row: &ReportRow<'_>| -> Vec<Published> {
        let fits = table.cells.iter().filter(|cell| cell.dataset == row.dataset_id && cell.kind == row.kind);
        let (dataset, model) = (&row.key().dataset, &row.key().model);
        fits.map(|cell| Published {
            dataset: dataset.clone(),
            model: model.clone(),
            column: cell.metric,
            mean: cell.mean,
        })
        .collect()
    };
    // Presets share what the paper says of their model.
    let mut published: Vec<Published> = Vec::new();
    for one in rows.iter().flat_map(of_row) {
        if !published.contains(&one) {
            published.push(one);
        }
    }
    published
}
