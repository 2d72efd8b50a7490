//! What people read of a run: tables, figures, drawings and the page, comparisons and the gate.
//!
//! Everything starts from [`crate::experiment::Results`]. Nothing here changes a run directory but for the files of the
//! report itself.

pub mod claims;
pub mod compare;
pub mod csv;
pub mod drawing;
pub mod figure;
pub mod gate;
pub mod markdown;
pub mod page;
pub mod paired;
pub mod published;
pub mod rows;
pub mod splice;
pub mod table;
pub mod tables;

mod standin;
mod summary;
mod write;

pub use write::{WriteError, Written};

use crate::experiment::Results;
use claims::Judged;
use rows::ReportRow;
use standin::{Figure, figures};
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
    pub fn new(results: &'r Results) -> Self {
        let rows = rows::rows(results);
        let tables = tables::tables(results, &rows);
        let main_tables = tables::main_tables(results, &rows).len();
        let claims = claims::judge(&rows);
        Report { results, tables, main_tables, figures: figures(results), claims, rows }
    }
}
