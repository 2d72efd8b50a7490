//! The interface between a plan and the executor of its jobs.

use std::sync::mpsc::Receiver;

use super::event::{Event, JobPlace, Tally};
use super::metrics::MetricsWriter;
use super::options::Options;
use super::table::RecordTable;
use crate::experiment::error::RunError;
use crate::experiment::job::Job;
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::{FailureKind, JobRecord, RunStore, RunStoreError, Status};
use crate::metric::Column;

/// Runs jobs, here or on a cluster, and records how they end.
pub trait Executor {
    /// Returns the name of the executor.
    fn name(&self) -> &'static str;

    /// Returns the maximum number of concurrent jobs and their total number of threads, if known.
    fn at_once(&self, jobs: usize) -> Option<(usize, usize)>;

    /// Runs jobs. Every job that ends, with a result or without, has its directory in the store and
    /// is entered in the recorder.
    ///
    /// # Errors
    /// If it cannot continue. Finished jobs are kept.
    fn execute(&mut self, work: &Workload<'_>, recorder: &mut RunRecorder<'_>) -> Result<(), RunError>;
}

/// Jobs for an executor.
pub struct Workload<'a> {
    /// The entire experiment.
    pub plan: &'a [PlannedJob],
    /// Positions of the jobs to run. Jobs of one dataset and fold are adjacent, so that their data
    /// are not kept longer than needed.
    pub jobs: &'a [usize],
    /// Run directory.
    pub store: &'a RunStore,
    /// When to stop, and which results are replaced.
    pub options: &'a Options,
}

/// Time that a job took.
#[derive(Clone, Copy, Debug)]
pub struct JobSeconds {
    /// From taking the job to publishing its result.
    pub total: f64,
    /// Seconds of these spent learning.
    pub learning: f64,
}

/// The table of results and the tally of a run, with the listener for events.
pub struct RunRecorder<'a> {
    pub(crate) table: RecordTable<'a>,
    pub(crate) tally: Tally,
    /// Writes the metrics tables to disk; `None` if another process does.
    pub(super) writer: Option<MetricsWriter<'a>>,
    pub(super) listen: &'a mut dyn FnMut(Event),
}

impl RunRecorder<'_> {
    /// Forwards an event to the listener.
    pub(crate) fn notify(&mut self, event: Event) {
        if let Some(writer) = &mut self.writer {
            writer.note_others(&event);
        }
        (self.listen)(event);
    }

    /// Enters a job that ended, with the time it took if it ran in this call.
    pub(super) fn enter(&mut self, job: usize, record: JobRecord, seconds: Option<JobSeconds>) {
        if let Some(seconds) = seconds {
            self.tally.ran += 1;
            self.tally.job_seconds += seconds.total;
            if record.status.is_stopped() {
                self.tally.stopped_seconds += seconds.total;
            } else {
                self.tally.train_seconds += seconds.learning;
            }
        }
        self.table.set(job, record);
        if let Some(writer) = &mut self.writer {
            writer.changed();
        }
    }

    /// Removes the record of a job whose result was discarded.
    pub(crate) fn remove(&mut self, job: usize) {
        self.table.clear(job);
        if let Some(writer) = &mut self.writer {
            writer.changed();
        }
    }

    /// Enters a job that a cluster task ended, and notifies the listener.
    pub(crate) fn enter_from_task(&mut self, job: usize, planned: &Job, record: JobRecord) {
        let learning = record.machine.learning_seconds();
        let seconds = JobSeconds { total: record.machine.wall_seconds, learning };
        self.notify(end_event(job, planned, &record));
        self.enter(job, record, Some(seconds));
    }

    /// Receives the next message; see [`MetricsWriter::next`].
    pub(super) fn next<M>(&self, receive: &Receiver<M>) -> Option<Option<M>> {
        match &self.writer {
            Some(writer) => writer.next(receive),
            None => receive.recv().ok().map(Some),
        }
    }

    pub(super) fn write_now(&mut self) -> Result<(), RunStoreError> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write_now(&mut self.table))
    }

    pub(super) fn write_last(&mut self) -> Result<(), RunStoreError> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write_last(&mut self.table))
    }

    /// Writes the tables if they changed and writing is due.
    pub(crate) fn write_if_due(&mut self) -> Result<(), RunStoreError> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write_if_due(&mut self.table))
    }
}

/// Returns the event of a job that ended.
pub(super) fn end_event(job: usize, planned: &Job, record: &JobRecord) -> Event {
    let (name, place) = (planned.to_string(), JobPlace::of(planned));
    match &record.status {
        Status::Done => {
            let metric = |column| record.result.as_ref().and_then(|outcome| outcome.metric(column));
            let (auc_roc, auc_pr) = (metric(Column::AucRoc), metric(Column::AucPr));
            Event::Done { job, name, place, auc_roc, auc_pr, wall_seconds: record.machine.wall_seconds }
        }
        Status::Failed { failure, message } => {
            let (failure, message): (FailureKind, String) = (*failure, message.clone());
            Event::Failed { job, name, place, failure, message }
        }
    }
}
