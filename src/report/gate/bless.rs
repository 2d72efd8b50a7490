//! Makes a baseline of a run.

use thiserror::Error;

use super::baseline::rounded;
use super::{Baseline, Row, was_not_available};
use crate::experiment::results::Group;
use crate::experiment::{Experiment, Results};
use crate::metric::{Average, Column};

/// Why a run is not made a baseline.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotBlessed {
    /// It has no result.
    #[error("{0} has no result: there is nothing to bless")]
    Empty(String),
    /// It has not all it should have.
    #[error(
        "{run}: {row} has a result for {done} of {jobs} jobs; `lrbm run` finishes it, --retry-failed tries failed jobs again"
    )]
    Unfinished {
        /// The run directory.
        run: String,
        /// The row that is not finished.
        row: String,
        /// How many jobs have a result.
        done: usize,
        /// How many there are.
        jobs: usize,
    },
}

/// A new baseline, and how it differs from the old one.
#[derive(Clone, Debug, PartialEq)]
pub struct Blessed {
    /// The new baseline.
    pub baseline: Baseline,
    /// Rows that were not there before.
    pub added: Vec<Row>,
    /// Rows with another mean, standard deviation or number of folds: before and now.
    pub changed: Vec<(Row, Row)>,
    /// Rows that the run does not have any more.
    pub removed: Vec<Row>,
    /// How many rows stay as they are because their data were not there.
    pub kept: usize,
}

/// Makes a baseline of a run, in place of an old one if there is one. A row keeps its tolerance, and rows of datasets
/// whose data were not there stay; new rows get `tolerance`.
///
/// # Errors
/// If the run has no result, or jobs of its datasets have none.
pub fn bless(
    results: &Results,
    old: Option<&Baseline>,
    metrics: &[Column],
    tolerance: f64,
) -> Result<Blessed, NotBlessed> {
    let run = results.root.display().to_string();
    let groups = results.groups();
    if !groups.iter().any(|group| group.done().next().is_some()) {
        return Err(NotBlessed::Empty(run));
    }
    if let Some((row, done, jobs)) = unfinished(results, &groups) {
        return Err(NotBlessed::Unfinished { run, row, done, jobs });
    }
    let known = |group: &_, metric| old.and_then(|old| old.get(dataset(group), &label(group), metric));
    let mut blessed =
        Blessed { baseline: Baseline::default(), added: Vec::new(), changed: Vec::new(), removed: Vec::new(), kept: 0 };
    for group in &groups {
        for &metric in metrics {
            let Some(Average { mean, deviation, n }) = group.average(metric) else { continue };
            let average = Average { mean: rounded(mean), deviation: deviation.map(rounded), n };
            let before = known(group, metric);
            let tolerance = before.map_or(tolerance, |row| row.tolerance);
            let row = Row { dataset: dataset(group).to_owned(), model: label(group), metric, average, tolerance };
            match before {
                None => blessed.added.push(row.clone()),
                Some(before) if before.average != row.average => blessed.changed.push((before.clone(), row.clone())),
                Some(_) => {}
            }
            blessed.baseline.insert(row);
        }
    }
    for row in old.iter().flat_map(|old| old.rows()) {
        if blessed.baseline.get(&row.dataset, &row.model, row.metric).is_some() {
            continue;
        }
        if was_not_available(results, &row.dataset) {
            blessed.kept += 1;
            blessed.baseline.insert(row.clone());
        } else {
            blessed.removed.push(row.clone());
        }
    }
    Ok(blessed)
}

/// The first row of a dataset with results that lacks some, with the number of jobs that have one and that should.
fn unfinished(results: &Results, groups: &[Group<'_>]) -> Option<(String, usize, usize)> {
    let Experiment { datasets, seeds, limits, .. } = &results.experiment;
    for part in datasets {
        let name = &part.source.name;
        let of_part = |group: &&Group<'_>| group.key.dataset == *name;
        let Some(first) = groups.iter().find(of_part).and_then(|group| group.jobs.first()) else { continue };
        let jobs = first.record.key.folds * seeds.len();
        // One job stands for its row.
        for job in part.jobs(&seeds[..seeds.len().min(1)], 1, *limits) {
            let group = groups.iter().filter(of_part).find(|group| group.key.label() == job.label());
            let done = group.map_or(0, |group| group.done().count());
            if done < jobs {
                return Some((format!("{name} {}", job.label()), done, jobs));
            }
        }
    }
    None
}

fn dataset<'g>(group: &'g Group<'_>) -> &'g str {
    &group.key.dataset
}

fn label(group: &Group<'_>) -> String {
    group.key.label()
}
