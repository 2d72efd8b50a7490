//! One job: one model, trained on one fold of one dataset with one seed, and tested.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::dataset_ref::Source;
use super::key::{DATA_VERSION, JobKey, LearnerKey, algorithm_version};
use crate::data::split::Split;
use crate::determinism::{IndexMap, Stream};
use crate::files::digest;
use crate::learn::{Kind, Params, Preset};

/// One training and one test.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The data.
    pub dataset: Arc<Source>,
    /// The model's name in the experiment.
    pub model: String,
    /// What kind of model it is.
    pub kind: Kind,
    /// The preset its parameters start from. It is part of the row: `paper` and `lookahead` are never mixed.
    pub preset: Option<Preset>,
    /// Its parameters; their seed is [`Job::training_seed`].
    pub params: Params,
    /// The ensemble to copy: there if and only if the kind is [`Kind::LrbmExplainable`].
    pub from: Option<Ensemble>,
    /// What the sweep sets in this job, by name. A listed case has the name `case`.
    pub settings: IndexMap<String, String>,
    /// How the examples are split; the number of folds is never left open, and its seed is that of the job.
    pub split: Split,
    /// The fold, from 0, as [`crate::data::dataset::Dataset::fold`] takes it.
    pub fold: usize,
    /// Where the random draws start.
    pub seed: u64,
    /// When to give up.
    pub limits: Limits,
}

/// The ensemble that an explainable model copies: trained on the same fold with the same seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    /// The name of its model in the experiment; `None` if the explainable model has an ensemble of its own.
    pub model: Option<String>,
    /// What kind of model it is.
    pub kind: Kind,
    /// Its parameters.
    pub params: Params,
}

/// When to give up on a job. Limits change no result, so they are no part of the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The longest it may take.
    pub time: Option<Duration>,
    /// The most memory it may use.
    pub memory_bytes: Option<u64>,
}

impl Job {
    /// The fold as people count it, from 1.
    pub fn fold_number(&self) -> usize {
        self.fold + 1
    }

    /// The seed to train with: one for each seed, dataset and fold, the same for all models, so that an explainable
    /// model copies the very ensemble that stands beside it.
    pub fn training_seed(&self) -> u64 {
        training_seed(self.seed, &self.dataset, self.fold)
    }

    /// The job of the ensemble that an explainable model copies. If the ensemble is a model of the experiment, this is the very job
    /// that trains it, with the same key.
    pub fn ensemble(&self) -> Option<Job> {
        let Ensemble { model, kind, params } = self.from.clone()?;
        let model = model.unwrap_or_else(|| self.model.clone());
        Some(Job { model, kind, params, from: None, ..self.clone() })
    }

    /// What can change the result, given the checksum of the data.
    pub fn key(&self, data_checksum: &str) -> JobKey {
        let mut algorithm = BTreeMap::from([("data".to_owned(), DATA_VERSION)]);
        for kind in std::iter::once(self.kind).chain(self.from.as_ref().map(|from| from.kind)) {
            algorithm.insert(kind.name().to_owned(), algorithm_version(kind));
        }
        JobKey {
            learner: learner_key(self.kind, &self.params),
            from: self.from.as_ref().map(|from| learner_key(from.kind, &from.params)),
            dataset: self.dataset.key(),
            data_checksum: data_checksum.to_owned(),
            folds: self.split.folds.unwrap_or_default(),
            negatives_per_positive: self.split.negatives_per_positive,
            fold: self.fold_number(),
            seed: self.seed,
            algorithm,
        }
    }

    /// What the sweep sets, as text: `trees=5, node_size=1`, or the name of a listed case; empty without a sweep.
    pub fn case(&self) -> String {
        case_text(&self.settings)
    }

    /// The name of the preset; empty without one.
    pub fn preset_name(&self) -> &'static str {
        let named = |preset| Preset::ALL.iter().find(|(_, known)| *known == preset).map(|(name, _)| *name);
        self.preset.and_then(named).unwrap_or_default()
    }

    /// The model with everything that tells its rows apart: `LRBM-Boost`, `LRBM-Boost (paper)` or `LRBM-Boost (paper, trees=5)`.
    pub fn label(&self) -> String {
        label(&self.model, self.preset_name(), &self.case())
    }

    /// The directory of its result below the run directory: `jobs/<dataset>/<model>/<preset and case>/fold<k>-seed<s>`.
    ///
    /// It says which row of the experiment this is and nothing of parameters, so that a changed parameter is seen as a change.
    pub fn directory(&self) -> PathBuf {
        let mut case = vec![self.preset_name().to_owned()];
        case.extend(shown_settings(&self.settings));
        case.retain(|part| !part.is_empty());
        let case = if case.is_empty() { "default".to_owned() } else { case.join(",") };
        let mut path = PathBuf::from("jobs");
        path.extend([safe_name(&self.dataset.name), safe_name(&self.model), safe_name(&case)]);
        path.join(format!("fold{}-seed{}", self.fold_number(), self.seed))
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} fold {} seed {}", self.dataset.name, self.label(), self.fold_number(), self.seed)
    }
}

/// A model with its preset and case, as far as it has them.
pub(super) fn label(model: &str, preset: &str, case: &str) -> String {
    let parts: Vec<&str> = [preset, case].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { model.to_owned() } else { format!("{model} ({})", parts.join(", ")) }
}

/// What a sweep sets, as text.
pub(crate) fn case_text(settings: &IndexMap<String, String>) -> String {
    shown_settings(settings).collect::<Vec<_>>().join(", ")
}

fn shown_settings(settings: &IndexMap<String, String>) -> impl Iterator<Item = String> + '_ {
    settings.iter().map(|(key, value)| match key.as_str() {
        "case" => value.clone(),
        _ => format!("{key}={value}"),
    })
}

/// The seed to train with. Few enough bits that every reader of JSON can hold it.
pub(super) fn training_seed(seed: u64, dataset: &Source, fold: usize) -> u64 {
    Stream::new(seed, &[&dataset.dataset_id(), &format!("fold {}", fold + 1), "training"]).bits() >> 11
}

fn learner_key(kind: Kind, params: &Params) -> LearnerKey {
    let mut parameters = params.to_values(kind);
    // It follows from the seed, the dataset and the fold, which stand in the key themselves.
    parameters.remove("seed");
    LearnerKey { kind: kind.name().to_owned(), parameters }
}

/// Names that some system keeps for itself.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A name for a file on every system: letters, digits and `-_.,=+` stay, everything else becomes `-`; a name that had to
/// change gets a few digits of its hash, so that two of them stay two.
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
