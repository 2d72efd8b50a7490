//! Execution of one job, from its data to its metrics.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::data::DataCache;
use super::failure::Failure;
use super::fault::Fault;
use super::prefixes::{Prefixes, RoundTimes, TrainedPrefix};
use super::shared::Shared;
use crate::cancel;
use crate::data::benchmark::Benchmark;
use crate::data::split::{Fold, FoldSide};
use crate::data::store::Store;
use crate::determinism::{HashMap, IndexMap};
use crate::experiment::job::{Job, Keep, LearnerConfig, System};
use crate::experiment::key::JobId;
use crate::experiment::planned::{PlannedJob, Prefix};
use crate::experiment::store::{self, MODEL, Outcome, PREDICTIONS, Prediction, RunStore, SCORES, StagingFiles};
use crate::experiment::tune::choice::TrialChoice;
use crate::files::digest;
use crate::learn::{
    self, LearnError, Learner, LrbmExplainable, Model, Progress, Resources, SavedModel, Scored, Stored, Task, Trained,
};
use crate::logic::Diagnostic;
use crate::math::sigmoid;
use crate::metric::{ClassMetrics, Metrics, Output, Ranking, threshold};

/// State shared by all jobs of a run.
pub struct RunContext<'a> {
    /// Run directory.
    pub store: &'a RunStore,
    /// Data cache.
    pub data: DataCache<'a>,
    /// Ensembles to distill.
    pub ensembles: Shared<JobId, SavedModel, Failure>,
    /// Models of jobs that share a training.
    pub prefixes: Prefixes,
    /// Every job of the plan by its id.
    pub by_id: HashMap<JobId, &'a Job>,
    /// Injected fault, in tests.
    pub fault: Option<Fault>,
    /// Working directory of a command; `Some` only in the process of its job.
    pub scratch: Option<PathBuf>,
}

impl<'a> RunContext<'a> {
    /// Prepares these jobs of a plan.
    pub fn new(plan: &'a [PlannedJob], jobs: &[usize], data: &'a Store, store: &'a RunStore) -> Self {
        RunContext {
            store,
            data: DataCache::new(data, jobs.iter().map(|&job| &plan[job].job)),
            ensembles: Shared::new(jobs.iter().filter_map(|&job| plan[job].ensemble.clone())),
            prefixes: Prefixes::new(plan, jobs),
            by_id: plan.iter().map(|planned| (planned.id.clone(), &planned.job)).collect(),
            fault: Fault::from_environment(),
            scratch: None,
        }
    }
}

/// What is known about a job while it runs; also recorded for failed jobs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Attempt {
    pub data: Option<store::DatasetRecord>,
    pub counts: Option<store::ExampleCounts>,
    /// The chosen trial of a tuned job.
    #[serde(default)]
    pub tuning: Option<TrialChoice>,
    pub warnings: Vec<String>,
    pub train_seconds: f64,
    pub ensemble_seconds: f64,
    pub score_seconds: f64,
    /// Number of rounds of the training that the model is a prefix of, if another job did it.
    #[serde(default)]
    pub prefix_of: Option<u32>,
    /// Largest memory of the processes of a command together.
    pub command_peak_bytes: Option<u64>,
    /// Processor seconds of the processes of a command together.
    pub command_cpu_seconds: Option<f64>,
}

/// Progress of a running job.
#[derive(Debug, Serialize, Deserialize)]
pub enum JobProgress {
    /// The dataset was read.
    Opened {
        /// Seconds taken.
        seconds: f64,
        /// Warnings about the data.
        warnings: Vec<String>,
    },
    /// A tree was grown, or another learning step was taken.
    Step {
        /// Steps taken so far.
        done: usize,
        /// Total number of steps.
        of: usize,
    },
}

/// A running job.
pub struct Execution<'a> {
    /// State shared with other jobs.
    pub context: &'a RunContext<'a>,
    /// The job.
    pub job: &'a Job,
    /// Id of the job.
    pub id: &'a JobId,
    /// Checksum of the data when the run was planned.
    pub data_checksum: &'a str,
    /// Id of the ensemble to distill.
    pub ensemble_id: Option<&'a JobId>,
    /// The jobs that one training can serve.
    pub prefix: Option<&'a Prefix>,
    /// Files of the staging directory.
    pub staging: &'a mut StagingFiles,
    /// Listener for progress.
    pub notify: &'a mut (dyn FnMut(JobProgress) + Send),
}

/// Output of a job. The caller writes it, because a failed write is not a failure of the job.
pub struct JobOutput {
    /// Result of the job.
    pub outcome: Outcome,
    /// Files besides the record, by name.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Execution<'_> {
    /// Trains, scores and evaluates.
    pub fn run(mut self, attempt: &mut Attempt) -> Result<JobOutput, Failure> {
        let dataset = self.dataset(attempt)?;
        let fold = self.context.data.fold(self.job, &dataset).map_err(Failure::error)?;
        let counts = store::ExampleCounts::from(&fold.counts);
        self.staging.log(&format!(
            "fold: {} positive and {} negative training examples, {} positive and {} negative test examples",
            counts.train_positives, counts.train_negatives, counts.test_positives, counts.test_negatives
        ));
        attempt.counts = Some(counts);
        if let Some(fault) = &self.context.fault {
            fault.trigger(self.job)?;
        }
        cancel::poll();
        let job = self.job;
        let learner = match &job.system {
            System::Learner(learner) => learner,
            System::External(external) => return self.run_external(external, &fold, attempt),
        };
        let trained = self.learn(learner, &fold, attempt)?;
        cancel::poll();
        let began = Instant::now();
        let product = test(&trained.model, &fold, job.keep);
        attempt.score_seconds = began.elapsed().as_secs_f64();
        let (mut product, warnings) = product?;
        product.outcome.choice = trained.choice.as_ref().map(store::ChoiceRecord::from);
        self.warn(&warnings, attempt);
        self.context.ensembles.offer(self.id, || trained.model);
        Ok(product)
    }

    fn dataset(&mut self, attempt: &mut Attempt) -> Result<Arc<Benchmark>, Failure> {
        let (notify, job) = (&mut *self.notify, self.job);
        let dataset = self.context.data.dataset(self.job, |dataset, seconds| {
            // A split that is impossible is reported when the fold is made.
            let drawn = dataset.drawn_negatives(&job.split).ok().flatten();
            let warnings = dataset.warnings().iter().chain(&drawn).map(ToString::to_string).collect();
            notify(JobProgress::Opened { seconds, warnings });
        });
        let dataset = dataset.map_err(Failure::error)?;
        attempt.data = Some(store::DatasetRecord::of(&dataset));
        if dataset.checksum() != self.data_checksum {
            let id = dataset.id();
            return Err(Failure::error(format!(
                "the data of {id} changed since the run was planned; run the same command again"
            )));
        }
        self.staging.log(&format!("data: {} {}", dataset.id(), dataset.checksum()));
        Ok(dataset)
    }

    fn learn(
        &mut self,
        config: &LearnerConfig,
        fold: &Fold,
        attempt: &mut Attempt,
    ) -> Result<Trained<SavedModel>, Failure> {
        let (job, context) = (self.job, self.context);
        let FoldSide { database, target, examples } = &fold.train;
        let flipped_examples = context.fault.as_ref().and_then(|fault| fault.flipped_examples(job, examples));
        let memory_limit = context.fault.as_ref().and_then(|fault| fault.memory_bytes(job));
        let prefix = self.prefix.filter(|_| flipped_examples.is_none() && memory_limit.is_none());
        if let Some(trained) = prefix.and_then(|_| context.prefixes.take(self.id)) {
            return Ok(self.adopt(trained, attempt));
        }
        let ensemble = match (self.ensemble_id, job.ensemble()) {
            (Some(id), Some(first)) => Some(self.ensemble(id, &first, fold, attempt)?),
            _ => None,
        };
        let began = Instant::now();
        let examples = flipped_examples.as_ref().unwrap_or(examples);
        let defaults = Resources::default();
        let resources = Resources { memory_bytes: memory_limit.unwrap_or(defaults.memory_bytes), ..defaults };
        let mut times = RoundTimes::begin();
        let mut report = self.progress();
        let mut grown = |at: Progress| {
            times.note();
            report(at);
        };
        let task = Task { database, target: *target, examples, seed: job.training_seed(), resources };
        let shorter = prefix.map(|prefix| context.prefixes.shorter(prefix)).unwrap_or_default();
        let trained = match (ensemble, prefix.filter(|_| !shorter.is_empty())) {
            (Some(ensemble), _) => {
                let from = ensemble.trees().cloned();
                // If the preset was chosen, it is that of the ensemble.
                let chosen = from.as_ref().map(|from| config.params.resolved(&from.header.parameters));
                let params = chosen.as_ref().unwrap_or(&config.params).typed();
                let learner = params.map(|params| LrbmExplainable { params, from });
                learner.map_err(LearnError::from).and_then(|learner| learner.fit(&task, &mut grown).map(Trained::saved))
            }
            (None, Some(prefix)) => {
                let lengths: Vec<u32> = [prefix.rounds].into_iter().chain(shorter).collect();
                let trained = learn::fit_prefixes(config.kind, &task, &config.params, &lengths, &mut grown);
                trained.map(|models| context.prefixes.leave_all_but_first(prefix, &lengths, models, &times))
            }
            (None, None) => learn::fit(config.kind, &task, &config.params, &mut grown),
        };
        drop(report);
        attempt.train_seconds = began.elapsed().as_secs_f64();
        let trained = trained.map_err(|error| Failure::of_learning(&error))?;
        self.warn(&trained.warnings, attempt);
        self.staging.log(&format!("trained in {:.3} s", attempt.train_seconds));
        if let Some(choice) = &trained.choice {
            self.staging.log(&choice.describe());
        }
        Ok(trained)
    }

    /// Uses the model that the training of a longer ensemble left for this job.
    fn adopt(&mut self, prefix: TrainedPrefix, attempt: &mut Attempt) -> Trained<SavedModel> {
        let TrainedPrefix { trained, seconds, of_rounds } = prefix;
        (attempt.train_seconds, attempt.prefix_of) = (seconds, Some(of_rounds));
        self.warn(&trained.warnings, attempt);
        self.staging.log(&format!("taken from a training with {of_rounds} rounds, {seconds:.3} s into it"));
        trained
    }

    fn warn(&mut self, warnings: &[Diagnostic], attempt: &mut Attempt) {
        for warning in warnings {
            self.staging.log(&warning.to_string());
            attempt.warnings.push(warning.to_string());
        }
    }

    /// Returns the ensemble that an explainable model distils: from this run, from the store, or
    /// trained again.
    fn ensemble(
        &mut self,
        id: &JobId,
        first: &Job,
        fold: &Fold,
        attempt: &mut Attempt,
    ) -> Result<Arc<SavedModel>, Failure> {
        let context = self.context;
        let began = Instant::now();
        let mut learned_here = false;
        let ensemble = context.ensembles.get(id, || {
            let stored = context.by_id.get(id).and_then(|job| context.store.model(job, id));
            if let Some(model) = stored {
                return Ok(model);
            }
            learned_here = true;
            let Some(LearnerConfig { kind, params, .. }) = first.system.learner() else {
                return Err(Failure::error("an external system cannot be distilled"));
            };
            let FoldSide { database, target, examples } = &fold.train;
            let mut grown = self.progress();
            let seed = first.training_seed();
            let trained = learn::train(*kind, database, *target, examples, params, seed, &mut grown);
            let failure = |error| Failure::error(format!("cannot train the ensemble to distill: {error}"));
            trained.map(|trained| trained.model).map_err(failure)
        });
        if learned_here {
            attempt.ensemble_seconds = began.elapsed().as_secs_f64();
            self.staging.log(&format!("trained the ensemble to distill in {:.3} s", attempt.ensemble_seconds));
        }
        self.staging.log(&format!("distilling the ensemble of job {id}"));
        ensemble
    }

    fn progress(&mut self) -> impl FnMut(Progress) {
        // An explainable model and its ensemble both grow trees.
        let step = if self.job.grows_trees() { "tree" } else { "step" };
        move |at| {
            cancel::poll();
            self.staging.log(&format!("{step} {} of {}, log-likelihood {:.6}", at.done, at.of, at.log_likelihood()));
            (self.notify)(JobProgress::Step { done: at.done, of: at.of });
        }
    }
}

/// Scores and evaluates the test examples; also returns the warnings of scoring.
fn test(model: &SavedModel, fold: &Fold, keep: Keep) -> Result<(JobOutput, Vec<Diagnostic>), Failure> {
    let Evaluation { metrics, class_metrics, predictions, warnings } = match model.classes() {
        None => test_binary(model, fold)?,
        Some(_) => test_classes(model, fold)?,
    };
    let mut files = Vec::new();
    if keep.models {
        let text = model.to_readable_json().map_err(Failure::error)?;
        files.push((MODEL.to_owned(), text.into_bytes()));
    }
    files.extend(kept(&predictions, keep)?);
    let size = model.size();
    let mut outcome = Outcome {
        metrics: IndexMap::default(),
        undefined: BTreeMap::new(),
        trees: size.trees,
        leaves: size.leaves,
        walks: size.walks(),
        fidelity: model.trees().and_then(|trees| trees.fidelity),
        classes: class_metrics,
        choice: None,
        files: files.iter().map(|(name, bytes)| (name.clone(), digest::sha256(bytes))).collect(),
    };
    outcome.set_metrics(&metrics);
    Ok((JobOutput { outcome, files }, warnings))
}

/// Returns the files of predictions that are kept, by name.
pub(super) fn kept(predictions: &[Prediction], keep: Keep) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut files = Vec::new();
    if keep.predictions {
        files.push((PREDICTIONS.to_owned(), store::predictions(predictions).map_err(Failure::error)?));
    }
    if keep.scores {
        files.push((SCORES.to_owned(), store::scores(predictions)));
    }
    Ok(files)
}

/// Evaluation of the test examples.
struct Evaluation {
    metrics: Metrics,
    /// Multi-class metrics.
    class_metrics: Option<ClassMetrics>,
    predictions: Vec<Prediction>,
    warnings: Vec<Diagnostic>,
}

fn test_binary(model: &SavedModel, fold: &Fold) -> Result<Evaluation, Failure> {
    let score = |part: &FoldSide| model.score(&part.database, part.target, &part.examples).map_err(Failure::error);
    let labels = |part: &FoldSide| -> Vec<bool> { part.examples.iter().map(|example| example.positive).collect() };
    // Warnings about the training examples were already given in training.
    let train_psi = score(&fold.train)?.scores;
    let ranking = Ranking::new(&train_psi, &labels(&fold.train)).map_err(Failure::error)?;
    let threshold = threshold::best(&ranking);
    let (test, Scored { scores: psi, warnings }) = (&fold.test, score(&fold.test)?);
    let metrics = Metrics::new(Output::LogOdds(&psi), &labels(test), threshold).map_err(Failure::error)?;
    let row = |(example, &psi): (&crate::kb::Example, &f64)| Prediction {
        example: test.database.show_atom(test.target, &example.args),
        label: example.positive,
        psi,
        probability: Some(sigmoid(psi)),
    };
    let predictions = test.examples.iter().zip(&psi).map(row).collect();
    Ok(Evaluation { metrics, class_metrics: None, predictions, warnings: warnings.iter().cloned().collect() })
}

/// Evaluates each class against all others and averages. Predictions list every example with every
/// class, written as in the data files: with the class as the last argument.
fn test_classes(model: &SavedModel, fold: &Fold) -> Result<Evaluation, Failure> {
    let score =
        |part: &FoldSide| model.score_classes(&part.database, part.target, &part.examples).map_err(Failure::error);
    let labels =
        |part: &FoldSide| -> Vec<usize> { part.examples.iter().map(|example| example.class as usize).collect() };
    let (train_labels, test_labels) = (labels(&fold.train), labels(&fold.test));
    let mut thresholds = Vec::new();
    for (class, odds) in score(&fold.train)?.scores.iter().enumerate() {
        let labels: Vec<bool> = train_labels.iter().map(|&label| label == class).collect();
        thresholds.push(threshold::best(&Ranking::new(odds, &labels).map_err(Failure::error)?));
    }
    let (test, Scored { scores: odds, warnings }) = (&fold.test, score(&fold.test)?);
    let outputs: Vec<Output<'_>> = odds.iter().map(|row| Output::LogOdds(row)).collect();
    let metrics = Metrics::macro_average(&outputs, &test_labels, &thresholds).map_err(Failure::error)?;
    let class_metrics = ClassMetrics::new(&odds, &test_labels).map_err(Failure::error)?.ok();
    let names = model.classes().unwrap_or_default();
    let mut predictions = Vec::with_capacity(test.examples.len() * names.len());
    for (i, example) in test.examples.iter().enumerate() {
        let atom = test.database.show_atom(test.target, &example.args);
        let without_end = atom.strip_suffix(')').unwrap_or(&atom);
        for (class, name) in names.iter().enumerate() {
            let psi = odds[class][i];
            let example = format!("{without_end},{name})");
            predictions.push(Prediction {
                example,
                label: test_labels[i] == class,
                psi,
                probability: Some(sigmoid(psi)),
            });
        }
    }
    Ok(Evaluation { metrics, class_metrics, predictions, warnings: warnings.iter().cloned().collect() })
}
