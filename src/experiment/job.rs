//! Jobs: one model, trained and tested on one fold of one dataset with one seed.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::dataset_ref::DatasetRef;
use super::external::config::{External, ScoreSource};
use super::external::template;
use super::key::{DATA_VERSION, InnerKey, JobKey, LearnerKey, NEGATIVES_VERSION, TuningKey};
use super::tune::config::{Trial, TrialConfig, TrialId, TrialSystem, Tuning};
use crate::data::split::SplitOptions;
use crate::determinism::{IndexMap, Stream};
use crate::files::digest;
use crate::learn::{Kind, Params, Preset, auto};

/// Name of the setting that identifies the universe of a job in a multiverse.
pub const UNIVERSE: &str = "universe";

/// One training run and one test run.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The dataset.
    pub dataset: Arc<DatasetRef>,
    /// Name of the model in the experiment.
    pub model: String,
    /// What is trained and tested.
    pub system: System,
    /// Preset the parameters start from. It is part of the row: `paper` and `lookahead` are never
    /// mixed.
    pub preset: Option<Preset>,
    /// Values set by the sweep, by name. A listed case has the name `case`.
    pub settings: IndexMap<String, String>,
    /// How the examples are split; the number of folds is always given and the seed is the job's.
    pub split: SplitOptions,
    /// Fold index from 0, as [`crate::data::benchmark::Benchmark::fold`] takes it.
    pub fold: usize,
    /// Seed of the experiment.
    pub seed: u64,
    /// Time and memory limits.
    pub limits: Limits,
    /// Its trials, if the model is tuned: it runs with the parameters of the best one.
    pub tuning: Option<Arc<Tuning>>,
    /// The trial and the inner fold, if it is a trial of a tuned job.
    pub trial: Option<Trial>,
    /// What is stored of the result.
    pub keep: Keep,
}

/// What is stored of a job besides its record with the metrics. It changes no result, so it is not
/// part of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The model.
    pub models: bool,
    /// The prediction of every test example.
    pub predictions: bool,
    /// The numbers of positive and negative test examples at each score.
    pub scores: bool,
}

impl Default for Keep {
    fn default() -> Self {
        Keep { models: true, predictions: true, scores: false }
    }
}

impl Keep {
    /// Returns whether jobs are small and many: they have no log, and are not synced to disk. A
    /// result that a crash of the machine damages fails its checksum, and its job runs again.
    pub fn is_compact(self) -> bool {
        !self.models && !self.predictions
    }
}

/// What is trained and tested: a learner of this library, or a system outside of it.
#[derive(Clone, Debug, PartialEq)]
pub enum System {
    /// A learner of this library.
    Learner(LearnerConfig),
    /// A command, or scores that were made elsewhere.
    External(Box<External>),
}

/// A learner with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerConfig {
    /// Kind of the model.
    pub kind: Kind,
    /// Parameters; in a job, their seed is [`Job::training_seed`].
    pub params: Params,
    /// Ensemble to distill: `Some` if and only if the kind is [`Kind::LrbmExplainable`].
    pub from: Option<Ensemble>,
}

impl LearnerConfig {
    /// Returns whether training positives are evidence for other examples.
    pub fn is_recursive(&self) -> bool {
        self.params.recursive() || self.from.as_ref().is_some_and(|from| from.params.recursive())
    }

    /// Sets the seed of the parameters.
    pub fn set_seed(&mut self, seed: u64) {
        self.params.set_seed(seed);
        if let Some(from) = &mut self.from {
            from.params.set_seed(seed);
        }
    }
}

impl System {
    /// Returns the name of its kind.
    pub fn kind_name(&self) -> &'static str {
        match self {
            System::Learner(learner) => learner.kind.name(),
            System::External(external) => external.kind_name(),
        }
    }

    /// Returns the learner, if it is one.
    pub fn learner(&self) -> Option<&LearnerConfig> {
        match self {
            System::Learner(learner) => Some(learner),
            System::External(_) => None,
        }
    }

    /// Returns the external system, if it is one.
    pub fn external(&self) -> Option<&External> {
        match self {
            System::Learner(_) => None,
            System::External(external) => Some(external),
        }
    }
}

/// The ensemble that an explainable model distils, trained on the same fold with the same seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    /// Name of its model in the experiment; `None` if the explainable model trains its own
    /// ensemble.
    pub model: Option<String>,
    /// Kind of the ensemble.
    pub kind: Kind,
    /// Parameters of the ensemble.
    pub params: Params,
}

/// Limits of a job. They change no result, so they are not part of the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum wall time.
    pub time: Option<Duration>,
    /// Maximum resident memory of the job's process.
    pub memory_bytes: Option<u64>,
    /// Whether the job runs in a process of its own even without a memory limit.
    pub isolate: bool,
}

impl Limits {
    /// Returns whether the job runs in a process of its own. Memory is measured per process, so a
    /// memory limit requires it.
    pub fn is_isolated(&self) -> bool {
        self.isolate || self.memory_bytes.is_some()
    }
}

impl Job {
    /// Returns the fold number from 1.
    pub fn fold_number(&self) -> usize {
        self.fold + 1
    }

    /// Returns the training seed: one per seed, dataset and fold, shared by all models, so that an
    /// explainable model distils exactly the ensemble of the same experiment.
    pub fn training_seed(&self) -> u64 {
        training_seed(self.seed, &self.dataset.dataset_id(), self.fold)
    }

    /// Returns the job of the ensemble that an explainable model distils. If the ensemble is a
    /// model of the experiment, this is the job that trains it, with the same key.
    pub fn ensemble(&self) -> Option<Job> {
        let Ensemble { model, kind, params } = self.system.learner()?.from.clone()?;
        let model = model.unwrap_or_else(|| self.model.clone());
        let system = System::Learner(LearnerConfig { kind, params, from: None });
        Some(Job { model, system, ..self.clone() })
    }

    /// Returns the jobs of its trials, in order; empty unless the model is tuned.
    pub fn trials(&self) -> Vec<Job> {
        let Some(tuning) = &self.tuning else { return Vec::new() };
        let job = |id: TrialId| {
            let TrialConfig { settings, system } = &tuning.trials[id.trial - 1];
            Job { trial: Some(Trial { id, settings: settings.clone() }), ..self.with_trial(system) }
        };
        tuning.ids().map(job).collect()
    }

    /// Returns the job with the parameters of a trial, not tuned itself.
    pub fn with_trial(&self, trial: &TrialSystem) -> Job {
        let mut system = self.system.clone();
        match (&mut system, trial) {
            (System::Learner(learner), TrialSystem::Learner { params, from }) => {
                learner.params = params.clone();
                if let (Some(ensemble), Some(params)) = (&mut learner.from, from) {
                    ensemble.params = params.clone();
                }
                learner.set_seed(self.training_seed());
            }
            (System::External(external), TrialSystem::External(params)) => external.params = params.clone(),
            (System::Learner(_), TrialSystem::External(_)) | (System::External(_), TrialSystem::Learner { .. }) => {}
        }
        let recursive = system.learner().is_some_and(LearnerConfig::is_recursive);
        let split = SplitOptions { recursive, ..self.split };
        Job { system, split, tuning: None, trial: None, ..self.clone() }
    }

    /// Returns the path of its file of scores, relative to the spec, if it has one. Scores have no
    /// parameters, so all their settings change the split, and `{case}` names the folder that an
    /// export of the same spec has for it.
    pub fn scores_path(&self) -> Option<String> {
        let ScoreSource::Files(path) = &self.system.external()?.source else { return None };
        let value = |name: &str| match name {
            "dataset" => Some(self.dataset.name.clone()),
            "case" => Some(case_folder(&self.settings)),
            "fold" => Some(self.fold_number().to_string()),
            "seed" => Some(self.seed.to_string()),
            _ => None,
        };
        // Placeholders were checked with the spec.
        Some(template::expand(path, value).unwrap_or_else(|_| path.clone()))
    }

    /// Returns whether its model is a sum of trees.
    pub fn grows_trees(&self) -> bool {
        self.system.learner().is_some_and(|learner| learner.kind.grows_trees())
    }

    /// Returns whether the job runs in a process of its own: a command always does, so that its
    /// process group can be ended.
    pub fn is_isolated(&self) -> bool {
        self.limits.is_isolated() || self.runs_command()
    }

    /// Returns whether the job starts a command.
    pub fn runs_command(&self) -> bool {
        self.system.external().is_some_and(|external| external.command().is_some())
    }

    /// Returns everything that can change the result, given the checksum of the data.
    pub fn key(&self, data_checksum: &str) -> JobKey {
        let mut algorithm = BTreeMap::from([("data".to_owned(), DATA_VERSION)]);
        let from = self.system.learner().and_then(|learner| learner.from.as_ref());
        let (learner, kind, external) = match &self.system {
            System::Learner(LearnerConfig { kind, params, .. }) => (learner_key(*kind, params), Some(*kind), None),
            System::External(external) => {
                let kind = external.kind_name().to_owned();
                let learner = LearnerKey { kind, parameters: external.params.clone() };
                (learner, external.features().map(|features| features.kind()), Some(external.key()))
            }
        };
        for kind in kind.into_iter().chain(from.map(|from| from.kind)) {
            algorithm.insert(kind.name().to_owned(), kind.info().version);
        }
        if self.system.learner().is_some_and(|learner| learner.params.is_auto()) {
            algorithm.insert(Preset::Auto.name().to_owned(), auto::VERSION);
        }
        // Since version 1, a directory that lists enough negatives has no drawn ones.
        if self.dataset.is_directory() && self.dataset.variant.negatives.is_none() {
            algorithm.insert("negatives".to_owned(), NEGATIVES_VERSION);
        }
        JobKey {
            learner,
            from: from.map(|from| learner_key(from.kind, &from.params)),
            external,
            dataset: self.dataset.key(),
            data_checksum: data_checksum.to_owned(),
            folds: self.split.folds.unwrap_or_default(),
            negatives_per_positive: self.split.negatives_per_positive,
            train_fraction: self.split.train_fraction,
            fold: self.fold_number(),
            seed: self.seed,
            inner: self.trial.as_ref().map(|Trial { id, .. }| InnerKey { fold: id.inner_fold, folds: id.inner_folds }),
            tuning: self.tuning.as_ref().map(|tuning| self.tuning_key(tuning)),
            algorithm,
        }
    }

    fn tuning_key(&self, tuning: &Tuning) -> TuningKey {
        let learner = |trial: &TrialSystem| match (&self.system, trial) {
            (System::Learner(learner), TrialSystem::Learner { params, from }) => {
                let ensemble = learner.from.as_ref().zip(from.as_ref());
                (learner_key(learner.kind, params), ensemble.map(|(known, params)| learner_key(known.kind, params)))
            }
            (system, TrialSystem::External(parameters)) => {
                (LearnerKey { kind: system.kind_name().to_owned(), parameters: parameters.clone() }, None)
            }
            (System::External(external), TrialSystem::Learner { .. }) => {
                (LearnerKey { kind: external.kind_name().to_owned(), parameters: BTreeMap::new() }, None)
            }
        };
        let trials: Vec<_> = tuning.trials.iter().map(|trial| learner(&trial.system)).collect();
        let text = serde_json::to_string(&trials).unwrap_or_default();
        TuningKey {
            metric: tuning.metric.name().to_owned(),
            folds: tuning.folds,
            trials: tuning.trials.len(),
            parameters: digest::sha256(text.as_bytes()),
        }
    }

    /// Returns the sweep settings as text: `trees=5, node_size=1`, or the name of a listed case.
    pub fn case(&self) -> String {
        case_text(&self.settings)
    }

    /// Returns the name of the preset; empty without one.
    pub fn preset_name(&self) -> &'static str {
        self.preset.map(Preset::name).unwrap_or_default()
    }

    /// Returns the model with preset and case, such as `LRBM-Boost (paper, trees=5)`.
    pub fn label(&self) -> String {
        label(&self.model, self.preset_name(), &self.case())
    }

    /// Returns the directory of the result, relative to the run directory:
    /// `jobs/<dataset>/<model>/<preset and case>/fold<k>-seed<s>`.
    ///
    /// It identifies the row of the experiment, not its parameters: a changed parameter is thereby
    /// detected as a change of the same row. A trial adds `-trial<n>-inner<k>`.
    pub fn directory(&self) -> PathBuf {
        let mut path = self.outer_directory();
        if let (Some(Trial { id, .. }), Some(name)) = (&self.trial, path.file_name()) {
            let name = format!("{}-trial{}-inner{}", name.to_string_lossy(), id.trial, id.inner_fold);
            path.set_file_name(name);
        }
        path
    }

    /// Returns the directory of the tuned job of a trial; of another job its own.
    pub fn outer_directory(&self) -> PathBuf {
        let mut case = vec![self.preset_name().to_owned(), case_folder_text(&self.settings)];
        case.retain(|part| !part.is_empty());
        let case = if case.is_empty() { "default".to_owned() } else { case.join(",") };
        let mut path = PathBuf::from("jobs");
        path.extend([safe_name(&self.dataset.name), safe_name(&self.model), safe_name(&case)]);
        path.join(format!("fold{}-seed{}", self.fold_number(), self.seed))
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} fold {} seed {}", self.dataset.name, self.label(), self.fold_number(), self.seed)?;
        match &self.trial {
            Some(Trial { id, .. }) => write!(f, " trial {} inner fold {}", id.trial, id.inner_fold),
            None => Ok(()),
        }
    }
}

/// Formats a model with its preset and case, if present.
pub(super) fn label(model: &str, preset: &str, case: &str) -> String {
    let parts: Vec<&str> = [preset, case].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { model.to_owned() } else { format!("{model} ({})", parts.join(", ")) }
}

/// Formats sweep settings.
pub(crate) fn case_text(settings: &IndexMap<String, String>) -> String {
    shown_settings(settings).collect::<Vec<_>>().join(", ")
}

/// Formats sweep settings as part of a file name.
fn case_folder_text(settings: &IndexMap<String, String>) -> String {
    shown_settings(settings).collect::<Vec<_>>().join(",")
}

/// Returns the name of the folder of a case, for files that people place; empty without a sweep.
pub(crate) fn case_folder(settings: &IndexMap<String, String>) -> String {
    let text = case_folder_text(settings);
    if text.is_empty() { text } else { safe_name(&text) }
}

fn shown_settings(settings: &IndexMap<String, String>) -> impl Iterator<Item = String> + '_ {
    // The name of a universe stands for all its settings.
    let is_universe = settings.contains_key(UNIVERSE);
    let shown = settings.iter().filter(move |(key, _)| !is_universe || key.as_str() == UNIVERSE);
    shown.map(|(key, value)| match key.as_str() {
        "case" => value.clone(),
        _ => format!("{key}={value}"),
    })
}

/// Derives the training seed for a fold of the dataset with this id. It has 53 bits so that every
/// JSON reader represents it exactly.
pub fn training_seed(seed: u64, dataset: &str, fold: usize) -> u64 {
    Stream::new(seed, &[dataset, &format!("fold {}", fold + 1), "training"]).bits() >> 11
}

fn learner_key(kind: Kind, params: &Params) -> LearnerKey {
    let mut parameters = params.to_values();
    // The training seed follows from the seed, dataset and fold, which are part of the key.
    parameters.remove("seed");
    LearnerKey { kind: kind.name().to_owned(), parameters }
}

/// File names reserved by some operating systems.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Returns a portable file name: letters, digits and `-_.,=+` are kept, everything else becomes
/// `-`. A changed name gets a hash suffix, so that distinct names stay distinct.
pub fn safe_name(name: &str) -> String {
    const LONGEST: usize = 80;
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-_.,=+".contains(c) { c } else { '-' };
    let mut safe: String = name.chars().map(keep).take(LONGEST).collect();
    let stem = safe.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_port = ["com", "lpt"].iter().any(|port| stem.len() == 4 && stem.starts_with(port));
    let is_taken = RESERVED.contains(&stem.as_str()) || is_port;
    if safe != name || safe.starts_with('.') || safe.ends_with('.') || safe.is_empty() || is_taken {
        let hash = digest::sha256(name.as_bytes());
        safe = format!("{}-{}", safe.trim_matches('.'), hash.get(..8).unwrap_or_default());
        safe = safe.trim_start_matches('-').to_owned();
        if is_taken {
            safe.insert(0, '_');
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_directories_are_safe_and_apart() {
        for same in ["LRBM-Boost", "paper,trees=5", "imdb", "a.b"] {
            assert_eq!(safe_name(same), same);
        }
        let odd = ["a b", "a/b", "a\\b", "..", ".", "", "con", "nul.txt", "com1", "ä", "a:b", &"x".repeat(300), "x."];
        let mut safe: Vec<String> = odd.iter().map(|name| safe_name(name)).collect();
        for name in &safe {
            assert!(name.len() < 100 && !name.starts_with('.') && !name.ends_with('.'), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.,=+".contains(c)), "{name}");
            assert!(!RESERVED.contains(&name.split('.').next().unwrap()), "{name}");
        }
        safe.sort();
        safe.dedup();
        assert_eq!(safe.len(), odd.len());
    }
}
