//! Jobs that ended, with their frame.

use std::ops::Deref;
use std::slice;

use polars::prelude::{DataFrame, PolarsResult};

use super::group::{self, Group, RowKey, RowPositions};
use super::schema::Schema;
use super::stored::StoredJob;
use crate::determinism::IndexSet;

/// Jobs that ended, in the order of the spec, as records and as a frame.
#[derive(Clone, Debug, Default)]
pub struct JobFrame {
    schema: Schema,
    jobs: Vec<StoredJob>,
    frame: DataFrame,
    rows: Vec<RowPositions>,
}

impl JobFrame {
    /// Builds the frame of jobs.
    ///
    /// # Errors
    /// If the frame cannot be built, which would be a bug.
    pub fn new(schema: Schema, jobs: Vec<StoredJob>) -> PolarsResult<JobFrame> {
        let frame = schema.frame(jobs.iter().map(|stored| &stored.record))?;
        let mut rows = group::positions(&frame)?;
        rows.iter_mut().for_each(|row| row.separate_splits(&jobs));
        Ok(JobFrame { schema, jobs, frame, rows })
    }

    /// Keeps the jobs that satisfy a condition.
    ///
    /// # Errors
    /// If the frame cannot be built, which would be a bug.
    pub fn retain(&mut self, keep: impl FnMut(&StoredJob) -> bool) -> PolarsResult<()> {
        let JobFrame { schema, mut jobs, .. } = std::mem::take(self);
        jobs.retain(keep);
        *self = JobFrame::new(schema, jobs)?;
        Ok(())
    }

    /// Returns the rows of tables: each dataset with each model, preset and case, in the order in
    /// which they first appear.
    pub fn groups(&self) -> Vec<Group<'_>> {
        self.rows.iter().map(|positions| Group::new(&self.jobs, &self.frame, positions)).collect()
    }

    /// Returns the mandatory table footnotes as pairs of dataset and text.
    pub fn footnotes(&self) -> Vec<(&str, &str)> {
        let notes: IndexSet<(&str, &str)> = self
            .jobs
            .iter()
            .filter_map(|stored| {
                let footnote = stored.record.data.as_ref()?.footnote.as_deref()?;
                Some((stored.record.row.dataset.as_str(), footnote))
            })
            .collect();
        notes.into_iter().collect()
    }

    /// Returns a row without jobs.
    pub fn empty_group(&self, key: RowKey) -> Group<'_> {
        Group::empty(key, &self.frame)
    }
}

impl Deref for JobFrame {
    type Target = [StoredJob];

    fn deref(&self) -> &[StoredJob] {
        &self.jobs
    }
}

impl<'f> IntoIterator for &'f JobFrame {
    type Item = &'f StoredJob;
    type IntoIter = slice::Iter<'f, StoredJob>;

    fn into_iter(self) -> Self::IntoIter {
        self.jobs.iter()
    }
}
