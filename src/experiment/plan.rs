//! The plan of an experiment: every job in a fixed order, and why it is outstanding.
//!
//! The state of a job is a pure function of the plan and the run directory.

use std::fmt;
use std::sync::Arc;

use super::dataset_ref::DatasetRef;
use super::job::Job;
use super::key::{JobKey, LearnerKey, TuningKey};
use super::planned::PlannedJob;
use super::spec::Experiment;
use super::store::Status;
use crate::data::adapt;
use crate::data::benchmark::{BenchmarkError, published_checksum};
use crate::data::split::SplitOptions;
use crate::data::store::{Store, StoreError};
use crate::files::visible::visible;
use crate::parallel;

/// All jobs of an experiment.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Jobs ordered by dataset, seed, fold and row of the spec.
    pub jobs: Vec<PlanEntry>,
    /// Datasets that are not fetched; their jobs are listed nevertheless.
    pub missing: Vec<MissingDataset>,
}

/// A job of the plan with the checksum of its data.
#[derive(Clone, Debug)]
pub struct PlanEntry {
    /// The job.
    pub job: Job,
    /// Checksum of the data; `None` if they are not available.
    pub data_checksum: Option<String>,
}

/// A dataset that is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingDataset {
    /// Name in the experiment.
    pub name: String,
    /// Id to fetch it by.
    pub id: String,
    /// Number of jobs that need it.
    pub jobs: usize,
}

/// Checksum and number of folds of a dataset.
struct DataInfo {
    checksum: Option<String>,
    folds: usize,
}

impl Plan {
    /// Expands an experiment with the available data.
    ///
    /// # Errors
    /// If data are damaged or do not offer the variant that the experiment needs.
    pub fn new(experiment: &Experiment, data: &Store) -> Result<Plan, BenchmarkError> {
        let mut plan = Plan { jobs: Vec::new(), missing: Vec::new() };
        for part in &experiment.datasets {
            let seed = part.seeds.first().copied().unwrap_or_default();
            let DataInfo { checksum, folds } = look(&part.source, data, &part.split(seed))?;
            let jobs = part.jobs(&part.seeds, folds, experiment.limits);
            let mut checksums = vec![(Arc::clone(&part.source), checksum.clone())];
            if checksum.is_none() {
                let DatasetRef { name, id, .. } = (*part.source).clone();
                plan.missing.push(MissingDataset { name, id, jobs: jobs.len() });
            }
            for job in jobs {
                // Rows of a multiverse share the variants of their dataset.
                let is_same = |(source, _): &&(Arc<DatasetRef>, _)| Arc::ptr_eq(source, &job.dataset);
                let known = checksums.iter().find(is_same).map(|(_, checksum)| checksum.clone());
                let data_checksum = match known {
                    Some(checksum) => checksum,
                    None => {
                        let found = look(&job.dataset, data, &job.split)?.checksum;
                        checksums.push((Arc::clone(&job.dataset), found.clone()));
                        found
                    }
                };
                plan.jobs.push(PlanEntry { job, data_checksum });
            }
        }
        Ok(plan)
    }

    /// Returns the command that fetches the missing datasets; `None` if none is missing.
    pub fn fetch_command(&self) -> Option<String> {
        let mut ids: Vec<&str> = self.missing.iter().map(|missing| missing.id.as_str()).collect();
        ids.dedup();
        (!ids.is_empty()).then(|| format!("lrbm datasets fetch {}", ids.join(" ")))
    }

    /// Drops the jobs whose data are not available.
    pub fn available(mut self) -> Plan {
        self.jobs.retain(|entry| entry.data_checksum.is_some());
        self
    }

    /// Returns the jobs whose data are available, with their ids, and the positions among them of
    /// selected jobs of the plan.
    pub fn planned(&self, selected: &[usize]) -> (Vec<PlannedJob>, Vec<usize>) {
        let checksum_of = |job: &usize| self.jobs[*job].data_checksum.as_deref();
        let available: Vec<usize> = (0..self.jobs.len()).filter(|job| checksum_of(job).is_some()).collect();
        let planned = parallel::map(&available, STEPS_TO_HASH, |job| {
            PlannedJob::new(self.jobs[*job].job.clone(), checksum_of(job).unwrap_or_default())
        });
        let positions = selected.iter().filter_map(|job| available.binary_search(job).ok()).collect();
        (planned, positions)
    }
}

/// Cost of the id of a job, in steps of a simple loop.
const STEPS_TO_HASH: usize = 20_000;

/// Returns the checksum and the number of folds. Published datasets are not read; their files are
/// compared with their checksums when a job opens them.
fn look(source: &DatasetRef, data: &Store, split: &SplitOptions) -> Result<DataInfo, BenchmarkError> {
    let Some(manifest) = source.manifest() else {
        let dataset = source.open(data)?;
        return Ok(DataInfo { checksum: Some(dataset.checksum().to_owned()), folds: dataset.fold_count(split)? });
    };
    let folds = split.folds.or_else(|| source.known_folds()).unwrap_or(manifest.folds.count);
    let record = match data.record(&manifest.id) {
        Ok(record) if !record.is_empty() => Some(record),
        Ok(_) | Err(StoreError::NotFetched { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    if record.is_none() {
        return Ok(DataInfo { checksum: None, folds });
    }
    adapt::prepare(data, manifest, &mut |_| {})?;
    Ok(DataInfo { checksum: Some(published_checksum(data, manifest, &source.variant)?), folds })
}

/// The previous result of a job in a run directory.
#[derive(Clone, Debug, PartialEq)]
pub enum Previous {
    /// The job ended.
    Ended {
        /// Key it was run with.
        key: Box<JobKey>,
        /// How it ended.
        status: Status,
    },
    /// The result was modified after it was written; the description of the damage.
    Damaged(String),
}

/// State of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum JobState {
    /// It has a result.
    Done,
    /// It has to run.
    Outstanding(Reason),
    /// It failed before with the same key and runs again only on request.
    Failed(String),
    /// The model kind does not support the dataset.
    Refused(String),
    /// Its data are not available.
    NoData,
}

/// Why a job has to run.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// There is no result.
    NoResult,
    /// The result was modified after it was written.
    Damaged(String),
    /// The result has another key.
    Changed(Vec<Change>),
}

/// A difference between the recorded and the current key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Parameters, split or variant, each as `name old → new`.
    Parameters(Vec<String>),
    /// The data.
    Data,
    /// The external system: its command, version, files or scores.
    External(Vec<String>),
    /// The algorithm version.
    Algorithm,
    /// Results of trials, so that the choice may differ.
    Trials,
}

impl PlanEntry {
    /// Returns everything that can change the result; `None` if the data are not available.
    pub fn key(&self) -> Option<JobKey> {
        self.data_checksum.as_deref().map(|checksum| self.job.key(checksum))
    }

    /// Returns the state of the job given its previous result.
    pub fn state(&self, previous: Option<&Previous>) -> JobState {
        self.key().map_or(JobState::NoData, |key| JobState::of(&key, previous))
    }
}

impl JobState {
    /// Returns the state of a job with this key given its previous result.
    pub fn of(key: &JobKey, previous: Option<&Previous>) -> JobState {
        match previous {
            None => JobState::Outstanding(Reason::NoResult),
            Some(Previous::Damaged(what)) => JobState::Outstanding(Reason::Damaged(what.clone())),
            Some(Previous::Ended { key: old, status }) => match changes(old, key) {
                changes if changes.is_empty() => JobState::ended(status),
                changes => JobState::Outstanding(Reason::Changed(changes)),
            },
        }
    }

    /// Returns the state of a job that ended with the same key.
    pub fn ended(status: &Status) -> JobState {
        match status.message() {
            None => JobState::Done,
            Some(message) if status.is_refused() => JobState::Refused(message.to_owned()),
            Some(message) => JobState::Failed(message.to_owned()),
        }
    }

    /// Returns whether the job has to run; `fresh` repeats every job, `retry_failed` failed ones.
    pub fn is_outstanding(&self, fresh: bool, retry_failed: bool) -> bool {
        match self {
            JobState::Outstanding(_) => true,
            // With the same program and data, an unsupported dataset stays unsupported.
            JobState::Done | JobState::Refused(_) => fresh,
            JobState::Failed(_) => fresh || retry_failed,
            JobState::NoData => false,
        }
    }

    /// Returns the state as printed by `lrbm plan`.
    pub fn name(&self) -> &'static str {
        match self {
            JobState::Done => "done",
            JobState::Outstanding(_) => "to do",
            JobState::Failed(_) => "failed",
            JobState::Refused(_) => "refused",
            JobState::NoData => "no data",
        }
    }

    /// Returns the reason of the state; empty for a job that is done.
    pub fn reason(&self) -> String {
        let first_line = |message: &str| message.lines().next().unwrap_or_default().to_owned();
        match self {
            JobState::Done => String::new(),
            JobState::Outstanding(reason) => reason.to_string(),
            JobState::Failed(message) => format!("failed before: {}", first_line(message)),
            JobState::Refused(message) => first_line(message),
            JobState::NoData => "the dataset is not fetched".to_owned(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoResult => f.write_str("no result yet"),
            Reason::Damaged(what) => write!(f, "the result is damaged: {what}"),
            Reason::Changed(changes) => {
                let changes: Vec<String> = changes.iter().map(Change::to_string).collect();
                f.write_str(&changes.join("; "))
            }
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Parameters(which) => write!(f, "parameters changed: {}", which.join(", ")),
            Change::Data => f.write_str("data checksum changed"),
            Change::External(which) => write!(f, "external system changed: {}", visible(&which.join(", "))),
            Change::Algorithm => f.write_str("algorithm version changed"),
            Change::Trials => f.write_str("results of its trials changed"),
        }
    }
}

/// Returns all differences between two keys; empty if and only if their ids are equal.
fn changes(old: &JobKey, new: &JobKey) -> Vec<Change> {
    let mut which = Vec::new();
    learner_changes("", Some(&old.learner), Some(&new.learner), &mut which);
    learner_changes("from.", old.from.as_ref(), new.from.as_ref(), &mut which);
    let mut note = |name: &str, old: String, new: String| {
        if old != new {
            which.push(format!("{name} {old} → {new}"));
        }
    };
    note("dataset", old.dataset.id.clone(), new.dataset.id.clone());
    let target = |key: &JobKey| key.dataset.target.clone().unwrap_or_else(|| "default".to_owned());
    note("target", target(old), target(new));
    let variant = |key: &JobKey| serde_json::to_value(&key.dataset.variant).unwrap_or_default();
    let (before, after) = (variant(old), variant(new));
    // Fields added later are omitted at their default.
    let mut keys: Vec<&String> =
        [&after, &before].into_iter().flat_map(|json| json.as_object()).flat_map(|o| o.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        note(key, before[key].to_string(), after[key].to_string());
    }
    note("folds", old.folds.to_string(), new.folds.to_string());
    let ratio = |key: &JobKey| key.negatives_per_positive.to_string();
    note("negatives_per_positive", ratio(old), ratio(new));
    note("train_fraction", old.train_fraction.to_string(), new.train_fraction.to_string());
    note("fold", old.fold.to_string(), new.fold.to_string());
    note("seed", old.seed.to_string(), new.seed.to_string());
    let inner = |key: &JobKey| {
        key.inner.as_ref().map_or("none".to_owned(), |inner| format!("{} of {}", inner.fold, inner.folds))
    };
    note("inner fold", inner(old), inner(new));
    tuning_changes(old.tuning.as_ref(), new.tuning.as_ref(), &mut note);
    let mut changes = Vec::new();
    if !which.is_empty() {
        changes.push(Change::Parameters(which));
    }
    if let (Some(before), Some(after)) = (&old.external, &new.external)
        && before != after
    {
        changes.push(Change::External(before.changes(after)));
    }
    if old.data_checksum != new.data_checksum {
        changes.push(Change::Data);
    }
    if old.algorithm != new.algorithm {
        changes.push(Change::Algorithm);
    }
    changes
}

fn tuning_changes(old: Option<&TuningKey>, new: Option<&TuningKey>, note: &mut impl FnMut(&str, String, String)) {
    let (Some(old), Some(new)) = (old, new) else {
        let shown = |key: Option<&TuningKey>| if key.is_some() { "yes" } else { "no" }.to_owned();
        return note("tuned", shown(old), shown(new));
    };
    note("tuning metric", old.metric.clone(), new.metric.clone());
    note("inner folds", old.folds.to_string(), new.folds.to_string());
    note("trials", old.trials.to_string(), new.trials.to_string());
    let short = |key: &TuningKey| key.parameters.get(..12).unwrap_or_default().to_owned();
    if old.parameters != new.parameters {
        note("parameters of trials", short(old), short(new));
    }
}

fn learner_changes(prefix: &str, old: Option<&LearnerKey>, new: Option<&LearnerKey>, which: &mut Vec<String>) {
    let (Some(old), Some(new)) = (old, new) else {
        if old.is_some() != new.is_some() {
            which.push(format!("{prefix}kind"));
        }
        return;
    };
    if old.kind != new.kind {
        which.push(format!("{prefix}kind {} → {}", old.kind, new.kind));
    }
    let mut names: Vec<&String> = old.parameters.keys().chain(new.parameters.keys()).collect();
    names.sort();
    names.dedup();
    let shown = |key: &LearnerKey, name: &String| key.parameters.get(name).map_or("none".to_owned(), |v| v.to_string());
    for name in names.into_iter().filter(|name| old.parameters.get(*name) != new.parameters.get(*name)) {
        which.push(format!("{prefix}{name} {} → {}", shown(old, name), shown(new, name)));
    }
}
