//! A job that ended, as its record.

use std::path::PathBuf;

use crate::data::generate::Domain;
use crate::data::manifest::FoldScheme;
use crate::experiment::store::{JobRecord, Status};
use crate::metric::Column;

/// A job that ended.
#[derive(Clone, Debug)]
pub struct StoredJob {
    /// Directory relative to the run directory.
    pub directory: PathBuf,
    /// Content of its `run.json`.
    pub record: JobRecord,
}

/// A split of the examples: a fold, and the seed if that drew the folds. Seeds that share a
/// split add no information about other examples, so they are averaged before any statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SplitKey {
    /// Fold number from 1.
    pub fold: usize,
    /// Seed of random folds.
    pub seed: Option<u64>,
}

impl StoredJob {
    /// Returns whether a file of the job is stored: `keep` of a spec may leave it out.
    pub fn has_file(&self, name: &str) -> bool {
        self.record.result.as_ref().is_some_and(|result| result.files.contains_key(name))
    }

    /// Returns the split that the job was trained and tested on. In records of earlier versions
    /// the folds of a directory of the user count as given, since they do not say.
    pub fn split(&self) -> SplitKey {
        let (row, dataset) = (&self.record.row, &self.record.key.dataset);
        let recorded = self.record.data.as_ref().and_then(|data| data.fold_scheme);
        let is_random = match recorded.or(dataset.variant.folds) {
            Some(scheme) => scheme == FoldScheme::Random,
            None => Domain::find(&dataset.id).is_ok(),
        };
        SplitKey { fold: row.fold, seed: is_random.then_some(row.seed) }
    }

    /// Returns the value of a metric, if it is defined.
    pub fn metric(&self, column: Column) -> Option<f64> {
        self.record.result.as_ref()?.metric(column)
    }

    /// Returns whether the job has a result.
    pub fn is_done(&self) -> bool {
        self.record.status == Status::Done
    }
}
