//! Specifications: a universe with one evaluation of its scores.

use super::error::MultiverseError;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::job::UNIVERSE;
use crate::experiment::spec::universe::{Area, Evaluation, Multiverse, Pooling};
use crate::metric::summary::mean;
use crate::metric::{Column, Metrics, Output, Undefined};
use crate::parallel;
use crate::report::published::PublishedTable;
use crate::report::rows::ReportRow;
use crate::report::tables::MAIN;

/// Cost of reading the scores of a universe, in steps of a simple loop.
const STEPS_TO_POOL: usize = 500_000;

/// The choices of a report: those of jobs, then those of evaluations.
#[derive(Clone, Debug)]
pub struct ReportChoice {
    /// Name.
    pub name: String,
    /// Names of the alternatives; the first one is the reference.
    pub alternatives: Vec<String>,
}

/// All specifications of a run.
pub struct Specifications {
    /// The choices: those of jobs, then those of evaluations.
    pub choices: Vec<ReportChoice>,
    /// Evaluations, each with its alternatives; the first one is the reference.
    pub evaluations: Vec<(Vec<usize>, Evaluation)>,
    /// Metrics that are reported.
    pub metrics: Vec<Column>,
    /// Universes by dataset and model, in the order of the spec.
    pub models: Vec<ModelUniverses>,
}

/// The universes of a model on a dataset.
pub struct ModelUniverses {
    /// Name of the dataset.
    pub dataset: String,
    /// Id of the dataset.
    pub dataset_id: String,
    /// Name of the model.
    pub model: String,
    /// Kind of the model.
    pub kind: String,
    /// Complete universes, by name.
    pub universes: IndexMap<String, UniverseValues>,
    /// Number of planned universes.
    pub planned: usize,
    /// Number of universes with a failed or stopped job.
    pub failed: usize,
    /// Number of jobs that were stopped at a limit.
    pub stopped: usize,
    /// Name of the universe with the first alternative of every choice.
    pub reference: Option<String>,
}

/// A complete universe.
pub struct UniverseValues {
    /// Position of its alternative per choice of jobs; `None` if the choice does not vary here.
    pub levels: Vec<Option<usize>>,
    /// Values by evaluation and metric; `None` where undefined.
    pub values: Vec<Vec<Option<f64>>>,
}

/// A value with its alternatives.
#[derive(Clone, Debug)]
pub struct Specification {
    /// Position of its alternative per choice; `None` if the choice does not vary.
    pub levels: Vec<Option<usize>>,
    /// The value.
    pub value: f64,
}

impl Specifications {
    /// Collects the complete universes of a run.
    pub fn collect(
        results: &Results,
        multiverse: &Multiverse,
        rows: &[ReportRow<'_>],
        published: &[PublishedTable],
    ) -> Result<Specifications, MultiverseError> {
        let of_jobs = multiverse
            .choices
            .iter()
            .map(|choice| ReportChoice { name: choice.name.clone(), alternatives: choice.alternatives.clone() });
        let of_scores = multiverse.evaluations.iter().map(|choice| ReportChoice {
            name: choice.name.clone(),
            alternatives: choice.alternatives.iter().map(|(name, _)| name.clone()).collect(),
        });
        let evaluations = evaluations(multiverse);
        let metrics: IndexSet<Column> = published.iter().flat_map(PublishedTable::metrics).chain(MAIN).collect();
        let metrics: Vec<Column> = metrics.into_iter().collect();
        let position = |choice: usize, name: &str| {
            multiverse.choices[choice].alternatives.iter().position(|alternative| alternative == name)
        };
        let read = parallel::map(rows, STEPS_TO_POOL, |row| {
            if !row.progress().is_finished() {
                return Ok(None);
            }
            let level = |choice: usize| position(choice, row.settings.get(&multiverse.choices[choice].name)?);
            let levels = (0..multiverse.choices.len()).map(level).collect();
            let values = values(results, row, &evaluations, &metrics)?;
            Ok::<_, MultiverseError>(Some(UniverseValues { levels, values }))
        });
        let mut models: IndexMap<(&str, &str), ModelUniverses> = IndexMap::default();
        for (row, values) in rows.iter().zip(read) {
            let key = row.key();
            let model = models.entry((&key.dataset, &key.model)).or_insert_with(|| {
                let realized = multiverse.realized(&key.dataset, &key.model);
                ModelUniverses {
                    dataset: key.dataset.clone(),
                    dataset_id: row.dataset_id.clone(),
                    model: key.model.clone(),
                    kind: row.kind.to_owned(),
                    universes: IndexMap::default(),
                    planned: 0,
                    failed: 0,
                    stopped: 0,
                    reference: realized.and_then(|realized| realized.universes.first().cloned().flatten()),
                }
            });
            model.planned += 1;
            let failed = row.failed();
            model.failed += usize::from(!failed.is_empty());
            model.stopped += failed.iter().filter(|stored| stored.record.status.is_stopped()).count();
            if let (Some(values), Some(name)) = (values?, row.settings.get(UNIVERSE)) {
                model.universes.insert(name.clone(), values);
            }
        }
        Ok(Specifications {
            choices: of_jobs.chain(of_scores).collect(),
            evaluations,
            metrics,
            models: models.into_values().collect(),
        })
    }

    /// Returns the specifications of a model with a metric, in the order of the spec.
    pub fn of(&self, model: &ModelUniverses, metric: Column) -> Vec<Specification> {
        let Some(column) = self.metrics.iter().position(|known| *known == metric) else { return Vec::new() };
        let mut all = Vec::new();
        for universe in model.universes.values() {
            for ((levels, _), values) in self.evaluations.iter().zip(&universe.values) {
                if let Some(value) = values[column] {
                    let of_scores = levels.iter().map(|&level| Some(level));
                    let levels = universe.levels.iter().copied().chain(of_scores).collect();
                    all.push(Specification { levels, value });
                }
            }
        }
        all
    }

    /// Returns the value of a universe with an evaluation.
    pub fn value(&self, model: &ModelUniverses, universe: &str, evaluation: usize, metric: Column) -> Option<f64> {
        let column = self.metrics.iter().position(|known| *known == metric)?;
        model.universes.get(universe)?.values.get(evaluation)?[column]
    }

    /// Returns the value of the reference universe with the reference evaluation.
    pub fn reference(&self, model: &ModelUniverses, metric: Column) -> Option<f64> {
        self.value(model, model.reference.as_deref()?, 0, metric)
    }
}

/// Returns the product of the evaluations.
fn evaluations(multiverse: &Multiverse) -> Vec<(Vec<usize>, Evaluation)> {
    let mut all = vec![(Vec::new(), Evaluation::default())];
    for choice in &multiverse.evaluations {
        let extended = all.iter().flat_map(|(levels, evaluation): &(Vec<usize>, Evaluation)| {
            choice
                .alternatives
                .iter()
                .enumerate()
                .map(move |(k, (_, change))| ([levels.as_slice(), &[k]].concat(), evaluation.with(*change)))
        });
        all = extended.collect();
    }
    all
}

/// Returns the values of a universe by evaluation and metric.
fn values(
    results: &Results,
    row: &ReportRow<'_>,
    evaluations: &[(Vec<usize>, Evaluation)],
    metrics: &[Column],
) -> Result<Vec<Vec<Option<f64>>>, MultiverseError> {
    let is_pooled = |evaluation: &Evaluation| evaluation.pooling == Some(Pooling::Pooled);
    let pooled = match evaluations.iter().any(|(_, evaluation)| is_pooled(evaluation)) {
        true => Some(pooled(results, row)?),
        false => None,
    };
    let value = |evaluation: &Evaluation, metric: Column| {
        let column = evaluation.area.unwrap_or(Area::DavisGoadrich).column(metric);
        match pooled.as_ref().filter(|_| is_pooled(evaluation)) {
            Some(pooled) => pooled.as_ref().and_then(|metrics| metrics.get(column).ok()),
            None => {
                let folds: Vec<f64> = row.group.by_split(column).into_iter().map(|(_, value)| value).collect();
                (!folds.is_empty()).then(|| mean(&folds))
            }
        }
    };
    let all = |evaluation: &Evaluation| metrics.iter().map(|&metric| value(evaluation, metric)).collect();
    Ok(evaluations.iter().map(|(_, evaluation)| all(evaluation)).collect())
}

/// Evaluates the predictions of all folds together; `None` if they cannot be ranked, or are not
/// stored.
fn pooled(results: &Results, row: &ReportRow<'_>) -> Result<Option<Metrics>, MultiverseError> {
    let (mut scores, mut labels) = (Vec::new(), Vec::new());
    for stored in row.group.done() {
        let Some(predictions) = results.predictions(stored)? else { return Ok(None) };
        for prediction in predictions {
            scores.push(prediction.psi);
            labels.push(prediction.label);
        }
    }
    Ok(Metrics::new(Output::LogOdds(&scores), &labels, Err(Undefined::NoTrainingScores)).ok())
}
