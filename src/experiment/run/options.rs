//! Options of a run.

use std::time::Instant;

/// Which jobs to run, when to stop, and what to write.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether jobs that are done run again.
    pub fresh: bool,
    /// Whether jobs that failed before run again.
    pub retry_failed: bool,
    /// Whether no job starts after one has failed.
    pub fail_fast: bool,
    /// Whether the metrics tables and the tally are written. A cluster task leaves them to the
    /// process that submitted it, and reads only the records of its own jobs.
    pub write_tables: bool,
    /// Start of the run, for the share of time spent outside learning.
    pub began: Instant,
}

impl Options {
    /// Returns the options of a cluster task: finished and failed jobs are skipped, tables are not
    /// written.
    pub fn for_task() -> Self {
        Options { fresh: false, retry_failed: false, fail_fast: false, write_tables: false, began: Instant::now() }
    }
}
