//! The records of a run while it runs, by position in the plan.

use polars::prelude::{DataFrame, PolarsResult};

use crate::experiment::frame::{JobFrame, Schema, StoredJob};
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::JobRecord;

/// Records of the jobs of a plan that ended.
#[derive(Clone, Debug)]
pub struct RecordTable<'a> {
    plan: &'a [PlannedJob],
    schema: Schema,
    records: Vec<Option<JobRecord>>,
}

impl<'a> RecordTable<'a> {
    /// Creates a table without records.
    pub fn new(plan: &'a [PlannedJob]) -> Self {
        let schema = Schema::of(plan.iter().map(|planned| &planned.job));
        RecordTable { plan, schema, records: vec![None; plan.len()] }
    }

    /// Sets the record of a job.
    pub fn set(&mut self, job: usize, record: JobRecord) {
        self.records[job] = Some(record);
    }

    /// Removes the record of a job.
    pub fn clear(&mut self, job: usize) {
        self.records[job] = None;
    }

    /// Returns the record of a job.
    pub fn get(&self, job: usize) -> Option<&JobRecord> {
        self.records[job].as_ref()
    }

    /// Converts the records to a frame, in the order of the plan.
    pub fn frame(&self) -> PolarsResult<DataFrame> {
        self.schema.frame(self.records.iter().flatten())
    }

    /// Returns the jobs that ended with their frame, without trials.
    pub fn into_jobs(self) -> PolarsResult<JobFrame> {
        let stored = |(planned, record): (&PlannedJob, Option<JobRecord>)| {
            let record = record.filter(|record| record.row.trial.is_none());
            record.map(|record| StoredJob { directory: planned.job.directory(), record })
        };
        JobFrame::new(self.schema, self.plan.iter().zip(self.records).filter_map(stored).collect())
    }
}
