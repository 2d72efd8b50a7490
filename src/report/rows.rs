//! The rows of an experiment with what is known of each, also of those that have no result yet.

use std::fmt;

use crate::data::generate::Domain;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::results::{Group, Results, RowKey, Stored};
use crate::experiment::spec::Part;
use crate::learn::{Kind, Preset};
use crate::metric::Column;
use crate::metric::summary::Average;

/// A dataset with a model in one preset and one case.
#[derive(Clone, Debug)]
pub struct ReportRow<'r> {
    /// Its place among all rows.
    pub index: usize,
    /// What tells it apart, with its jobs that have ended.
    pub group: Group<'r>,
    /// The id of the dataset, which can be another than its name in the spec.
    pub dataset_id: String,
    /// The kind of the model.
    pub kind: &'static str,
    /// What the sweep sets.
    pub settings: IndexMap<String, String>,
    /// How many results are not as they were written.
    pub damaged: usize,
    /// How many jobs it has in all, if the number of folds is known.
    pub expected: Option<usize>,
}

/// How many jobs of a row have a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowProgress {
    /// How many have one.
    pub done: usize,
    /// How many ended without one.
    pub failed: usize,
    /// How many jobs there are, folds times seeds, if the number of folds is known.
    pub jobs: Option<usize>,
}

impl RowProgress {
    /// Whether all have a result.
    pub fn is_finished(self) -> bool {
        self.jobs == Some(self.done)
    }
}

impl fmt::Display for RowProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.jobs {
            Some(jobs) => write!(f, "{} of {jobs} jobs have a result", self.done)?,
            None => write!(f, "{} jobs have a result", self.done)?,
        }
        if self.failed > 0 { write!(f, ", {} failed", self.failed) } else { Ok(()) }
    }
}

impl<'r> ReportRow<'r> {
    /// What tells it apart.
    pub fn key(&self) -> &RowKey {
        &self.group.key
    }

    /// Mean, standard deviation and number of folds of a metric, seeds averaged first.
    pub fn average(&self, column: Column) -> Option<Average> {
        let folds = self.group.by_fold(column);
        Average::of(&folds.into_iter().map(|(_, value)| value).collect::<Vec<f64>>())
    }

    /// How many of its jobs have a result.
    pub fn progress(&self) -> RowProgress {
        RowProgress { done: self.group.done().count(), failed: self.failed().len(), jobs: self.expected }
    }

    /// Jobs that failed.
    pub fn failed(&self) -> Vec<&'r Stored> {
        let failed = |stored: &&Stored| !stored.is_done() && !stored.record.status.is_refused();
        self.group.jobs.iter().copied().filter(failed).collect()
    }

    /// Jobs that the kind of model is not made for.
    pub fn unsupported(&self) -> Vec<&'r Stored> {
        self.group.jobs.iter().copied().filter(|stored| stored.record.status.is_refused()).collect()
    }

    /// Whether there is and will be no result, since the kind of model is not made for the data.
    pub fn is_unsupported(&self) -> bool {
        !self.group.jobs.is_empty() && self.unsupported().len() == self.group.jobs.len()
    }

    /// What of a metric is missing, in words; empty if nothing is.
    pub fn missing(&self, column: Column) -> String {
        let all = self.expected.unwrap_or(self.group.jobs.len());
        let failed = self.failed().len();
        let absent = all.saturating_sub(self.group.jobs.len() + self.damaged);
        let undefined = self.group.done().filter(|stored| stored.metric(column).is_none()).count();
        let mut parts = Vec::new();
        let refused = self.unsupported().len();
        let parts_of_all = [
            (refused, "refused"),
            (failed, "failed"),
            (self.damaged, "damaged"),
            (absent, "not run"),
            (undefined, "undefined"),
        ];
        for (count, what) in parts_of_all {
            if count > 0 {
                parts.push(format!("{count} of {all} {what}"));
            }
        }
        if all == 0 { "not run".to_owned() } else { parts.join(", ") }
    }
}

/// All rows of an experiment, in the order of its spec.
pub fn rows(results: &Results) -> Vec<ReportRow<'_>> {
    let mut groups: IndexMap<RowKey, Group<'_>> =
        results.groups().into_iter().map(|group| (group.key.clone(), group)).collect();
    let seeds = &results.experiment.seeds;
    let mut rows = Vec::new();
    for part in &results.experiment.datasets {
        let folds = folds(part, results);
        // One seed and one fold give each row once.
        for job in part.jobs(&seeds[..1], 1, results.experiment.limits) {
            let key = RowKey::of_job(&job);
            let damaged = results.damaged.iter().filter(|damaged| damaged.key == key).count();
            let group = groups.swap_remove(&key).unwrap_or(Group { key, jobs: Vec::new() });
            rows.push(ReportRow {
                index: rows.len(),
                group,
                dataset_id: job.dataset.dataset_id(),
                kind: job.kind.name(),
                settings: job.settings,
                damaged,
                expected: folds.map(|folds| folds * seeds.len()),
            });
        }
    }
    rows
}

fn folds(part: &Part, results: &Results) -> Option<usize> {
    let recorded = || {
        let of_part = |stored: &&Stored| stored.record.row.dataset == part.source.name;
        results.stored.iter().find(of_part).map(|stored| stored.record.key.folds)
    };
    part.folds.or_else(recorded).or_else(|| part.source.known_folds())
}

/// The presets and cases that rows have, in their order. Rows that stand in every preset make none of their own.
pub fn settings<'a>(rows: &'a [ReportRow<'_>]) -> IndexSet<(&'a str, &'a str)> {
    let setting = |row: &'a ReportRow<'_>| (row.key().preset.as_str(), row.key().case.as_str());
    let all: IndexSet<(&str, &str)> = rows.iter().map(setting).collect();
    let elsewhere = |row: &'a ReportRow<'_>| {
        let (own, case) = setting(row);
        all.iter().any(|&(preset, other)| preset != own && other == case && applies_to_preset(row.kind, own, preset))
    };
    rows.iter().filter(|row| !elsewhere(row)).map(setting).collect()
}

/// Whether a row stands beside the rows of a preset: it has this preset, or its kind of model knows none and is the same in all.
pub fn applies_to_preset(kind: &str, own: &str, preset: &str) -> bool {
    own == preset || own.is_empty() && !supports_presets(kind)
}

/// Whether presets mean something for a kind of model. One that this program does not know may know them.
pub fn supports_presets(kind: &str) -> bool {
    Kind::find(kind).map_or(true, Preset::is_for)
}

/// What is predicted in a dataset, if it is one of ours.
pub fn target(dataset_id: &str) -> Option<String> {
    let published =
        || crate::data::manifest::Manifest::find(dataset_id).ok().map(|found| found.target.predicate.clone());
    published().or_else(|| Domain::find(dataset_id).ok().map(|domain| domain.info().target.to_owned()))
}
