//! A job that ended, as its record.

use std::path::PathBuf;

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

impl StoredJob {
    /// Returns the value of a metric, if it is defined.
    pub fn metric(&self, column: Column) -> Option<f64> {
        self.record.result.as_ref()?.metric(column)
    }

    /// Returns whether the job has a result.
    pub fn is_done(&self) -> bool {
        self.record.status == Status::Done
    }
}
