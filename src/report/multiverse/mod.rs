//! The report of a multiverse: where published values lie among the universes, and which choices
//! move the results.

mod cells;
mod closest;
mod curve;
mod effects;
mod error;
mod sentences;
mod specifications;
mod tables;

pub use effects::{ChoiceEffect, MainEffects, main_effects};
pub use error::MultiverseError;

use crate::experiment::Results;
use crate::report::figure::FigureScene;
use crate::report::published::{self, PublishedTable};
use crate::report::rows::ReportRow;
use crate::report::table::Table;

use curve::CurveFigures;
use specifications::Specifications;

/// Name of the file of published values in a run directory.
pub use crate::experiment::store::PUBLISHED;

/// The contents of the report.
pub struct MultiverseReport {
    /// The answer, one sentence or list per line.
    pub answer: Vec<String>,
    /// All tables, the main ones first.
    pub tables: Vec<Table>,
    /// Number of main tables.
    pub main_tables: usize,
    /// One figure per dataset.
    pub figures: Vec<FigureScene>,
    /// One figure per model, dataset and metric.
    pub more_figures: Vec<FigureScene>,
}

/// Builds the report; `None` if the experiment has no multiverse.
///
/// # Errors
/// If scores or the published values cannot be read.
pub fn report(results: &Results, rows: &[ReportRow<'_>]) -> Result<Option<MultiverseReport>, MultiverseError> {
    let Some(multiverse) = &results.experiment.multiverse else { return Ok(None) };
    let published = published_tables(results)?;
    let specifications = Specifications::collect(results, multiverse, rows, &published)?;
    let cells = cells::cells(&specifications, &published);
    let closest = closest::closest(&specifications, multiverse, &published);
    let (tables, main_tables) = tables::tables(results, multiverse, &specifications, &cells, &closest);
    let CurveFigures { datasets: figures, cells: more_figures } = curve::figures(&specifications, &cells);
    Ok(Some(MultiverseReport {
        answer: sentences::answer(results, &specifications, &cells, &closest),
        tables,
        main_tables,
        figures,
        more_figures,
    }))
}

/// Returns the published tables that the multiverse compares with.
fn published_tables(results: &Results) -> Result<Vec<PublishedTable>, MultiverseError> {
    let Some(multiverse) = &results.experiment.multiverse else { return Ok(Vec::new()) };
    let copy = results.root.join(PUBLISHED);
    let path = multiverse.published.as_ref().map(|path| if copy.is_file() { copy.clone() } else { path.clone() });
    let mut tables = match &path {
        None => PublishedTable::all().to_vec(),
        Some(path) => {
            let failed = |reason: String| MultiverseError::Published { path: path.display().to_string(), reason };
            let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
            published::read(&text).map_err(failed)?
        }
    };
    if !multiverse.tables.is_empty() {
        tables.retain(|table| multiverse.tables.contains(&table.name));
    }
    Ok(tables)
}
