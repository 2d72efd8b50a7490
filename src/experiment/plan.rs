//! The plan of an experiment: every job in a fixed order, and why it is still to do.
//!
//! What is to do follows from the plan and what the run directory holds, and from nothing else.

use std::fmt;

use super::dataset_ref::Source;
use super::job::Job;
use super::key::{JobKey, LearnerKey};
use super::spec::Experiment;
use super::store::Status;
use crate::data::adapt;
use crate::data::dataset::DatasetError;
use crate::data::split::Split;
use crate::data::store::{Store, StoreError};

/// Every job of an experiment.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The jobs by dataset, seed, fold and row of the spec.
    pub jobs: Vec<Listed>,
    /// Datasets that were not fetched; their jobs are listed all the same.
    pub missing: Vec<Missing>,
}

/// A job of a plan.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The job.
    pub job: Job,
    /// The checksum of its data; `None` if they are not here.
    pub data_checksum: Option<String>,
}

/// A dataset that is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its name in the experiment.
    pub name: String,
    /// Its id, to fetch it by.
    pub id: String,
    /// How many jobs need it.
    pub jobs: usize,
}

/// What is known of the data of a job.
struct Found {
    checksum: Option<String>,
    folds: usize,
}

impl Plan {
    /// The plan of an experiment, with the data there are.
    ///
    /// # Errors
    /// If data are damaged or do not offer what the experiment asks for.
    pub fn new(experiment: &Experiment, data: &Store) -> Result<Plan, DatasetError> {
        let mut plan = Plan { jobs: Vec::new(), missing: Vec::new() };
        for part in &experiment.datasets {
            let seed = experiment.seeds.first().copied().unwrap_or_default();
            let Found { checksum, folds } = look(&part.source, data, &part.split(seed))?;
            let jobs = part.jobs(&experiment.seeds, folds, experiment.limits);
            if checksum.is_none() {
                let Source { name, id, .. } = (*part.source).clone();
                plan.missing.push(Missing { name, id, jobs: jobs.len() });
            }
            plan.jobs.extend(jobs.into_iter().map(|job| Listed { job, data_checksum: checksum.clone() }));
        }
        Ok(plan)
    }

    /// The command that fetches what is missing; `None` if nothing is.
    pub fn fetch_command(&self) -> Option<String> {
        let mut ids: Vec<&str> = self.missing.iter().map(|missing| missing.id.as_str()).collect();
        ids.dedup();
        (!ids.is_empty()).then(|| format!("lrbm datasets fetch {}", ids.join(" ")))
    }

    /// Leaves out the jobs whose data are not here.
    pub fn available(mut self) -> Plan {
        self.jobs.retain(|listed| listed.data_checksum.is_some());
        self
    }
}

/// Finds the checksum and the number of folds, without reading a published dataset. Its files are compared with their
/// checksums when they are read.
fn look(source: &Source, data: &Store, split: &Split) -> Result<Found, DatasetError> {
    let Some(manifest) = source.manifest() else {
        let dataset = source.open(data)?;
        return Ok(Found { checksum: Some(dataset.checksum().to_owned()), folds: dataset.fold_count(split)? });
    };
    let folds = split.folds.or_else(|| source.known_folds()).unwrap_or(manifest.folds.count);
    let record = match data.record(&manifest.id) {
        Ok(record) if !record.is_empty() => Some(record),
        Ok(_) | Err(StoreError::NotFetched { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    if record.is_none() {
        return Ok(Found { checksum: None, folds });
    }
    adapt::prepare(data, manifest, &mut |_| {})?;
    let evidence = manifest.evidence(source.variant.evidence.as_deref())?;
    Ok(Found { checksum: Some(data.record(&manifest.id)?.checksum(&evidence.name)), folds })
}

/// What a run directory holds of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Previous {
    /// It has ended.
    Ended {
        /// The key it was done with.
        key: Box<JobKey>,
        /// How.
        status: Status,
    },
    /// A result that is not as it was written; what is wrong with it.
    Damaged(String),
}

/// How things stand with a job.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// There is a result.
    Done,
    /// It is to do.
    Outstanding(Reason),
    /// It failed before with the same key, and runs again only if asked.
    Failed(String),
    /// The kind of model is not made for the data, and said so.
    Refused(String),
    /// Its data are not here.
    NoData,
}

/// Why a job is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// There is nothing.
    NoResult,
    /// There is a result that is not as it was written.
    Damaged(String),
    /// There is a result of something else.
    Changed(Vec<Change>),
}

/// What has changed since a result was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Parameters, the split or the variant: what it was and what it is.
    Parameters(Vec<String>),
    /// The data.
    Data,
    /// The code.
    Algorithm,
}

impl Listed {
    /// What can change the result; `None` if the data are not here.
    pub fn key(&self) -> Option<JobKey> {
        self.data_checksum.as_deref().map(|checksum| self.job.key(checksum))
    }

    /// How things stand, given what the run directory holds.
    pub fn state(&self, previous: Option<&Previous>) -> State {
        match (self.key(), previous) {
            (None, _) => State::NoData,
            (Some(_), None) => State::Outstanding(Reason::NoResult),
            (Some(_), Some(Previous::Damaged(what))) => State::Outstanding(Reason::Damaged(what.clone())),
            (Some(key), Some(Previous::Ended { key: old, status })) => match (changes(old, &key), status.message()) {
                (changes, _) if !changes.is_empty() => State::Outstanding(Reason::Changed(changes)),
                (_, None) => State::Done,
                (_, Some(message)) if status.is_refused() => State::Refused(message.to_owned()),
                (_, Some(message)) => State::Failed(message.to_owned()),
            },
        }
    }
}

impl State {
    /// In one word.
    pub fn name(&self) -> &'static str {
        match self {
            State::Done => "done",
            State::Outstanding(_) => "to do",
            State::Failed(_) => "failed",
            State::Refused(_) => "refused",
            State::NoData => "no data",
        }
    }

    /// Why, in words; empty for a job that is done.
    pub fn reason(&self) -> String {
        let first_line = |message: &str| message.lines().next().unwrap_or_default().to_owned();
        match self {
            State::Done => String::new(),
            State::Outstanding(reason) => reason.to_string(),
            State::Failed(message) => format!("failed before: {}", first_line(message)),
            State::Refused(message) => first_line(message),
            State::NoData => "the dataset was not fetched".to_owned(),
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
            Change::Algorithm => f.write_str("algorithm version changed"),
        }
    }
}

/// Everything in which two keys differ; empty if and only if their ids are the same.
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
    let variant = |key: &JobKey| serde_json::to_value(&key.dataset.variant).unwrap_or_default();
    let (before, after) = (variant(old), variant(new));
    for (key, value) in after.as_object().into_iter().flatten() {
        note(key, before[key].to_string(), value.to_string());
    }
    note("folds", old.folds.to_string(), new.folds.to_string());
    let ratio = |key: &JobKey| key.negatives_per_positive.to_string();
    note("negatives_per_positive", ratio(old), ratio(new));
    note("fold", old.fold.to_string(), new.fold.to_string());
    note("seed", old.seed.to_string(), new.seed.to_string());
    let mut changes = Vec::new();
    if !which.is_empty() {
        changes.push(Change::Parameters(which));
    }
    if old.data_checksum != new.data_checksum {
        changes.push(Change::Data);
    }
    if old.algorithm != new.algorithm {
        changes.push(Change::Algorithm);
    }
    changes
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
