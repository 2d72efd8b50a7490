//! Rows of an experiment, including those without a result yet.

use std::fmt;

use crate::data::generate::Domain;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::external::config::EXTERNAL_KINDS;
use crate::experiment::frame::{Group, RowKey, StoredJob};
use crate::experiment::spec::ExperimentDataset;
use crate::learn::Kind;
use crate::metric::Column;
use crate::metric::summary::Average;

/// A combination of dataset, model, preset and case.
#[derive(Clone, Debug)]
pub struct ReportRow<'r> {
    /// Index among all rows.
    pub index: usize,
    /// Key of the row, and its finished jobs.
    pub group: Group<'r>,
    /// Dataset id, which may differ from the name in the spec.
    pub dataset_id: String,
    /// Kind of the model.
    pub kind: &'static str,
    /// Parameters set by the sweep.
    pub settings: IndexMap<String, String>,
    /// Number of results that fail their checksum.
    pub damaged: usize,
    /// Number of planned jobs, if the number of folds is known.
    pub expected: Option<usize>,
}

/// Progress of the jobs of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowProgress {
    /// Jobs with a result.
    pub done: usize,
    /// Jobs that ended without a result.
    pub failed: usize,
    /// Planned jobs (folds times seeds), if the number of folds is known.
    pub jobs: Option<usize>,
}

impl RowProgress {
    /// Returns whether all jobs have a result.
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
    /// Returns the key of the row.
    pub fn key(&self) -> &RowKey {
        &self.group.key
    }

    /// Returns mean, standard deviation and number of splits of a metric.
    pub fn average(&self, column: Column) -> Option<Average> {
        self.group.average(column)
    }

    /// Returns the progress of its jobs.
    pub fn progress(&self) -> RowProgress {
        RowProgress { done: self.group.done().count(), failed: self.failed().len(), jobs: self.expected }
    }

    /// Returns the failed jobs.
    pub fn failed(&self) -> Vec<&'r StoredJob> {
        self.group.failed().collect()
    }

    /// Returns the jobs whose kind of model does not support the dataset.
    pub fn unsupported(&self) -> Vec<&'r StoredJob> {
        self.group.refused().collect()
    }

    /// Returns whether the kind of model does not support the dataset, so that no result is
    /// expected.
    pub fn is_unsupported(&self) -> bool {
        !self.group.jobs.is_empty() && self.unsupported().len() == self.group.jobs.len()
    }

    /// Describes which jobs lack a value of a metric; empty if none does.
    pub fn missing(&self, column: Column) -> String {
        let all = self.expected.unwrap_or(self.group.jobs.len());
        let failed = self.failed().len();
        let absent = all.saturating_sub(self.group.jobs.len() + self.damaged);
        let undefined = self.group.done().filter(|stored| stored.metric(column).is_none()).count();
        let mut parts = Vec::new();
        let counts = [
            (self.unsupported().len(), "refused"),
            (failed, "failed"),
            (self.damaged, "damaged"),
            (absent, "not run"),
            (undefined, "undefined"),
        ];
        for (count, what) in counts {
            if count > 0 {
                parts.push(format!("{count} of {all} {what}"));
            }
        }
        if all == 0 { "not run".to_owned() } else { parts.join(", ") }
    }
}

/// Returns all rows of an experiment, in the order of its spec.
pub fn rows(results: &Results) -> Vec<ReportRow<'_>> {
    let mut groups: IndexMap<RowKey, Group<'_>> =
        results.groups().into_iter().map(|group| (group.key.clone(), group)).collect();
    let mut damaged: IndexMap<&RowKey, usize> = IndexMap::default();
    for job in &results.damaged {
        *damaged.entry(&job.key).or_default() += 1;
    }
    let mut rows = Vec::new();
    for part in &results.experiment.datasets {
        let folds = folds(part, results);
        for (config, job) in part.first_jobs(results.experiment.limits) {
            let key = RowKey::of_job(&job);
            let damaged = damaged.get(&key).copied().unwrap_or_default();
            let group = groups.swap_remove(&key).unwrap_or_else(|| results.stored.empty_group(key));
            rows.push(ReportRow {
                index: rows.len(),
                group,
                dataset_id: job.dataset.dataset_id(),
                kind: job.system.kind_name(),
                settings: job.settings,
                damaged,
                expected: folds.map(|folds| config.outer_jobs(folds, part.seeds.len())),
            });
        }
    }
    rows
}

fn folds(part: &ExperimentDataset, results: &Results) -> Option<usize> {
    let recorded = || {
        let of_part = |stored: &&StoredJob| stored.record.row.dataset == part.source.name;
        results.stored.iter().find(of_part).map(|stored| stored.record.key.folds)
    };
    part.folds.or_else(recorded).or_else(|| part.source.known_folds())
}

/// Returns the distinct (preset, case) pairs of rows, in order. Rows that apply to every preset
/// add none.
pub fn settings<'a>(rows: &'a [ReportRow<'_>]) -> IndexSet<(&'a str, &'a str)> {
    let setting = |row: &'a ReportRow<'_>| (row.key().preset.as_str(), row.key().case.as_str());
    let all: IndexSet<(&str, &str)> = rows.iter().map(setting).collect();
    let elsewhere = |row: &'a ReportRow<'_>| {
        let (own, case) = setting(row);
        all.iter().any(|&(preset, other)| preset != own && other == case && applies_to_preset(row.kind, own, preset))
    };
    rows.iter().filter(|row| !elsewhere(row)).map(setting).collect()
}

/// Returns whether a row belongs to a preset: it has this preset, or its kind has no presets and
/// is the same in all.
pub fn applies_to_preset(kind: &str, own: &str, preset: &str) -> bool {
    own == preset || own.is_empty() && !supports_presets(kind)
}

/// Returns whether a kind of model supports presets. Unknown kinds are assumed to; external systems
/// do not.
pub fn supports_presets(kind: &str) -> bool {
    !EXTERNAL_KINDS.contains(&kind) && Kind::find(kind).map_or(true, Kind::has_presets)
}

/// Returns the target predicate of a built-in dataset.
pub fn target(dataset_id: &str) -> Option<String> {
    let published =
        || crate::data::manifest::Manifest::find(dataset_id).ok().map(|found| found.target.predicate.clone());
    published().or_else(|| Domain::find(dataset_id).ok().map(|domain| domain.info().target.to_owned()))
}
