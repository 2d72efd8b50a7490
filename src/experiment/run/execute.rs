//! One job from its data to its metrics.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::data::Data;
use super::failure::Failure;
use super::fault::Fault;
use super::shared::Shared;
use crate::cancel;
use crate::data::dataset::Dataset;
use crate::data::split::{Fold, Part};
use crate::determinism::{HashMap, IndexMap};
use crate::experiment::store::{self, MODEL, Outcome, PREDICTIONS, Prediction, RunStore, Staging};
use crate::experiment::{Job, JobId};
use crate::files::digest;
use crate::learn::{self, Learner, LrbmExplainable, Model, Progress, Resources, SavedModel, Stored, Task, Trained};
use crate::logic::Diagnostic;
use crate::math::sigmoid;
use crate::metric::{ClassMetrics, Metrics, Output, Ranking, threshold};

/// What all jobs of a run have in common.
pub struct Bench<'a> {
    /// Where results go.
    pub store: &'a RunStore,
    /// The data.
    pub data: Data<'a>,
    /// Ensembles that are to be copied.
    pub ensembles: Shared<JobId, SavedModel, Failure>,
    /// Every job of the plan by the id of its result.
    pub by_id: HashMap<JobId, &'a Job>,
    /// What goes wrong on purpose, in tests.
    pub fault: Option<Fault>,
}

/// What is known of a job while it runs, and of a failed one afterwards.
#[derive(Debug, Default)]
pub struct Attempt {
    pub data: Option<store::Data>,
    pub counts: Option<store::Counts>,
    pub warnings: Vec<String>,
    pub train_seconds: f64,
    pub ensemble_seconds: f64,
    pub score_seconds: f64,
}

/// What of a job is told while it runs.
pub enum Told {
    /// Its dataset was read.
    Opened {
        /// How long that took.
        seconds: f64,
        /// What there is to warn about in it.
        warnings: Vec<String>,
    },
    /// A tree was grown, or another step of learning was taken.
    Step {
        /// How many steps were taken.
        done: usize,
        /// How many there will be.
        of: usize,
    },
}

/// A job at work.
pub struct Execution<'a> {
    /// What it shares with others.
    pub bench: &'a Bench<'a>,
    /// The job.
    pub job: &'a Job,
    /// The id of its result.
    pub id: &'a JobId,
    /// The checksum that its data had when it was planned.
    pub data_checksum: &'a str,
    /// The id of the ensemble it copies.
    pub ensemble_id: Option<&'a JobId>,
    /// Its directory.
    pub workshop: &'a mut Staging,
    /// Who is told.
    pub tell: &'a mut (dyn FnMut(Told) + Send),
}

/// What a job leaves. That it cannot be written is no failure of the job, so whoever asked for it writes it.
pub struct Product {
    /// What it came to.
    pub outcome: Outcome,
    /// The files beside the record, by name.
    pub files: [(&'static str, Vec<u8>); 2],
}

impl Execution<'_> {
    /// Learns, scores and measures.
    pub fn run(mut self, attempt: &mut Attempt) -> Result<Product, Failure> {
        let dataset = self.dataset(attempt)?;
        let fold = self.bench.data.fold(self.job, &dataset).map_err(Failure::error)?;
        let counts = store::Counts::from(&fold.counts);
        self.workshop.log(&format!(
            "fold: {} + {} − to learn from, {} + {} − to test with",
            counts.train_positives, counts.train_negatives, counts.test_positives, counts.test_negatives
        ));
        attempt.counts = Some(counts);
        if let Some(fault) = &self.bench.fault {
            fault.strike(self.job)?;
        }
        cancel::poll();
        let mut trained = self.learn(&fold, attempt)?;
        trained.model.set_time(dataset.time().cloned());
        cancel::poll();
        let began = Instant::now();
        let product = test(&trained.model, &fold);
        attempt.score_seconds = began.elapsed().as_secs_f64();
        let (product, remarks) = product?;
        self.warn(&remarks, attempt);
        self.bench.ensembles.offer(self.id, || trained.model);
        Ok(product)
    }

    fn dataset(&mut self, attempt: &mut Attempt) -> Result<Arc<Dataset>, Failure> {
        let tell = &mut *self.tell;
        let dataset = self.bench.data.dataset(self.job, |dataset, seconds| {
            let warnings = dataset.warnings().iter().map(ToString::to_string).collect();
            tell(Told::Opened { seconds, warnings });
        });
        let dataset = dataset.map_err(Failure::error)?;
        attempt.data = Some(store::Data::of(&dataset));
        if dataset.checksum() != self.data_checksum {
            let id = dataset.id();
            return Err(Failure::error(format!(
                "the data of {id} have changed since the run was planned: plan it again"
            )));
        }
        self.workshop.log(&format!("data: {} {}", dataset.id(), dataset.checksum()));
        Ok(dataset)
    }

    fn learn(&mut self, fold: &Fold, attempt: &mut Attempt) -> Result<Trained<SavedModel>, Failure> {
        let job = self.job;
        let ensemble = match (self.ensemble_id, job.ensemble()) {
            (Some(id), Some(first)) => Some(self.ensemble(id, &first, fold, attempt)?),
            _ => None,
        };
        let began = Instant::now();
        let Part { database, target, examples } = &fold.train;
        let damaged = self.bench.fault.as_ref().and_then(|fault| fault.damaged(job, examples));
        let examples = damaged.as_ref().unwrap_or(examples);
        let forgetful = self.bench.fault.as_ref().and_then(|fault| fault.memory_bytes(job));
        let usual = Resources::default();
        let resources = Resources { memory_bytes: forgetful.unwrap_or(usual.memory_bytes), ..usual };
        let mut grown = self.progress();
        let task = Task { database, target: *target, examples, seed: job.training_seed(), resources };
        let trained = match ensemble {
            Some(ensemble) => {
                let from = ensemble.trees().cloned();
                LrbmExplainable { params: job.params.clone(), from }.fit(&task, &mut grown).map(Trained::saved)
            }
            None => learn::fit(job.kind, &task, &job.params, &mut grown),
        };
        drop(grown);
        attempt.train_seconds = began.elapsed().as_secs_f64();
        let trained = trained.map_err(|error| Failure::of_learning(&error))?;
        self.warn(&trained.warnings, attempt);
        self.workshop.log(&format!("learned in {:.3} s", attempt.train_seconds));
        Ok(trained)
    }

    fn warn(&mut self, warnings: &[Diagnostic], attempt: &mut Attempt) {
        for warning in warnings {
            self.workshop.log(&warning.to_string());
            attempt.warnings.push(warning.to_string());
        }
    }

    /// The very ensemble that stands beside an explainable model: of this run, of the store, or learned again.
    fn ensemble(
        &mut self,
        id: &JobId,
        first: &Job,
        fold: &Fold,
        attempt: &mut Attempt,
    ) -> Result<Arc<SavedModel>, Failure> {
        let bench = self.bench;
        let began = Instant::now();
        let mut learned_here = false;
        let ensemble = bench.ensembles.get(id, || {
            let stored = bench.by_id.get(id).and_then(|job| bench.store.model(job, id));
            if let Some(model) = stored {
                return Ok(model);
            }
            learned_here = true;
            let Part { database, target, examples } = &fold.train;
            let mut grown = self.progress();
            let trained =
                learn::train(first.kind, database, *target, examples, &first.params, first.training_seed(), &mut grown);
            let failure = |error| Failure::error(format!("the ensemble to copy: {error}"));
            trained.map(|trained| trained.model).map_err(failure)
        });
        if learned_here {
            attempt.ensemble_seconds = began.elapsed().as_secs_f64();
            self.workshop.log(&format!("learned the ensemble to copy in {:.3} s", attempt.ensemble_seconds));
        }
        self.workshop.log(&format!("copies the ensemble of job {id}"));
        ensemble
    }

    fn progress(&mut self) -> impl FnMut(Progress) {
        // Whatever copies an ensemble grows trees, as that does.
        let step = if self.job.kind.grows_trees() { "tree" } else { "step" };
        move |at| {
            cancel::poll();
            self.workshop.log(&format!("{step} {} of {}, log-likelihood {:.6}", at.done, at.of, at.log_likelihood()));
            (self.tell)(Told::Step { done: at.done, of: at.of });
        }
    }
}

/// What a test showed, and what there is to say of its scores.
fn test(model: &SavedModel, fold: &Fold) -> Result<(Product, Vec<Diagnostic>), Failure> {
    let Tested { metrics, decided, predictions, remarks } = match model.classes() {
        None => test_binary(model, fold)?,
        Some(_) => test_classes(model, fold)?,
    };
    let predictions = store::predictions(&predictions).map_err(Failure::error)?;
    let text = model.to_readable_json().map_err(Failure::error)?;
    let files = [(MODEL, text.into_bytes()), (PREDICTIONS, predictions)];
    let size = model.size();
    let mut outcome = Outcome {
        metrics: IndexMap::default(),
        undefined: BTreeMap::new(),
        trees: size.trees,
        leaves: size.leaves,
        fidelity: model.trees().and_then(|trees| trees.fidelity),
        classes: decided,
        files: files.iter().map(|(name, bytes)| ((*name).to_owned(), digest::sha256(bytes))).collect(),
    };
    outcome.set_metrics(&metrics);
    Ok((Product { outcome, files }, remarks))
}

/// What a test showed.
struct Tested {
    metrics: Metrics,
    /// What there is to say of several classes.
    decided: Option<ClassMetrics>,
    predictions: Vec<Prediction>,
    remarks: Vec<Diagnostic>,
}

fn test_binary(model: &SavedModel, fold: &Fold) -> Result<Tested, Failure> {
    let score =
        |part: &Part| model.score_with_remarks(&part.database, part.target, &part.examples).map_err(Failure::error);
    let labels = |part: &Part| -> Vec<bool> { part.examples.iter().map(|example| example.positive).collect() };
    // What there is to say of the training examples was said when they were learned from.
    let (train_psi, _) = score(&fold.train)?;
    let ranking = Ranking::new(&train_psi, &labels(&fold.train)).map_err(Failure::error)?;
    let threshold = threshold::best(&ranking);
    let (test, (psi, remarks)) = (&fold.test, score(&fold.test)?);
    let metrics = Metrics::new(Output::LogOdds(&psi), &labels(test), threshold).map_err(Failure::error)?;
    let row = |(example, &psi): (&crate::kb::Example, &f64)| Prediction {
        example: test.database.show_atom(test.target, &example.args),
        label: example.positive,
        psi,
        probability: sigmoid(psi),
    };
    let predictions = test.examples.iter().zip(&psi).map(row).collect();
    Ok(Tested { metrics, decided: None, predictions, remarks: remarks.iter().cloned().collect() })
}

/// Each class against all others, and the means of that. A prediction says of an example and a class whether it is of it, as the files
/// write it: with the class as the last argument.
fn test_classes(model: &SavedModel, fold: &Fold) -> Result<Tested, Failure> {
    let score = |part: &Part| model.score_classes(&part.database, part.target, &part.examples).map_err(Failure::error);
    let labels = |part: &Part| -> Vec<usize> { part.examples.iter().map(|example| example.class as usize).collect() };
    let (train_labels, test_labels) = (labels(&fold.train), labels(&fold.test));
    let mut thresholds = Vec::new();
    for (class, odds) in score(&fold.train)?.iter().enumerate() {
        let labels: Vec<bool> = train_labels.iter().map(|&label| label == class).collect();
        thresholds.push(threshold::best(&Ranking::new(odds, &labels).map_err(Failure::error)?));
    }
    let (test, odds) = (&fold.test, score(&fold.test)?);
    let outputs: Vec<Output<'_>> = odds.iter().map(|row| Output::LogOdds(row)).collect();
    let metrics = Metrics::macro_average(&outputs, &test_labels, &thresholds).map_err(Failure::error)?;
    let decided = ClassMetrics::new(&odds, &test_labels).map_err(Failure::error)?.ok();
    let names = model.classes().unwrap_or_default();
    let mut predictions = Vec::with_capacity(test.examples.len() * names.len());
    for (i, example) in test.examples.iter().enumerate() {
        let atom = test.database.show_atom(test.target, &example.args);
        let without_end = atom.strip_suffix(')').unwrap_or(&atom);
        for (class, name) in names.iter().enumerate() {
            let psi = odds[class][i];
            let example = format!("{without_end},{name})");
            predictions.push(Prediction { example, label: test_labels[i] == class, psi, probability: sigmoid(psi) });
        }
    }
    Ok(Tested { metrics, decided, predictions, remarks: Vec::new() })
}
