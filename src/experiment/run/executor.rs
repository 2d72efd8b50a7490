//! The seam between a plan and whoever does its jobs.

use std::sync::mpsc::Receiver;

use super::metrics::MetricsWriter;
use super::worker::Seconds;
use super::{Event, Options, Planned, RunError};
use crate::experiment::store::{FailureKind, MetricsTable, Record, RunStore, RunStoreError, Status};
use crate::metric::Column;

/// Does jobs, here or elsewhere, and records what becomes of them.
pub trait Executor {
    /// In one word.
    fn name(&self) -> &'static str;

    /// How many of so many jobs run at once, and the threads of all of them together; `None` if nobody knows.
    fn at_once(&self, jobs: usize) -> Option<(usize, usize)>;

    /// Does jobs. Each that ends, with a result or without, has its directory in the store and is entered in the book.
    ///
    /// # Errors
    /// If it cannot go on. What is done stays.
    fn execute(&mut self, order: &Order<'_>, book: &mut Book<'_>) -> Result<(), RunError>;
}

/// What is to be done.
pub struct Order<'a> {
    /// The whole experiment.
    pub plan: &'a [Planned],
    /// The places in it of the jobs to do, those of a dataset and fold side by side, so that their data are kept no longer than
    /// needed.
    pub jobs: &'a [usize],
    /// Where results go.
    pub store: &'a RunStore,
    /// When to stop, and what is done again.
    pub options: &'a Options,
}

/// Where it is entered what becomes of jobs.
pub struct Book<'a> {
    pub(in crate::experiment) table: MetricsTable,
    pub(in crate::experiment) tally: super::Tally,
    /// Keeps the tables of results on disk; nobody does if another process is to.
    pub(super) writer: Option<MetricsWriter<'a>>,
    pub(super) listen: &'a mut dyn FnMut(Event),
}

impl<'a> Book<'a> {
    /// A book that is not kept on disk.
    pub(super) fn unwritten(table: MetricsTable, tally: super::Tally, listen: &'a mut dyn FnMut(Event)) -> Self {
        Book { table, tally, writer: None, listen }
    }

    /// Tells of something.
    pub(in crate::experiment) fn tell(&mut self, event: Event) {
        if let Some(writer) = &mut self.writer {
            writer.note_others(&event);
        }
        (self.listen)(event);
    }

    /// Enters a job that has ended; with what it took, if it was done on our behalf.
    pub(super) fn enter(&mut self, job: usize, record: Record, seconds: Option<Seconds>) {
        if let Some(seconds) = seconds {
            self.tally.ran += 1;
            self.tally.job_seconds += seconds.all;
            self.tally.train_seconds += seconds.learning;
        }
        self.table.set(job, record);
        if let Some(writer) = &mut self.writer {
            writer.changed();
        }
    }

    /// Enters a job that a task of the cluster has ended, and tells of it.
    pub(in crate::experiment) fn enter_of_task(&mut self, job: usize, name: String, record: Record) {
        let learning = record.machine.train_seconds + record.machine.ensemble_seconds;
        let seconds = Seconds { all: record.machine.wall_seconds, learning };
        self.tell(ended(job, name, &record));
        self.enter(job, record, Some(seconds));
    }

    /// The next message; see [`MetricsWriter::next`].
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

    /// Writes the tables if there is something new and it is time to.
    pub(in crate::experiment) fn write_if_due(&mut self) -> Result<(), RunStoreError> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write_if_due(&mut self.table))
    }
}

/// The event of a job that has ended.
pub(super) fn ended(job: usize, name: String, record: &Record) -> Event {
    match &record.status {
        Status::Done => {
            let metric = |column| record.result.as_ref().and_then(|outcome| outcome.metric(column));
            let (auc_roc, auc_pr) = (metric(Column::AucRoc), metric(Column::AucPr));
            Event::Done { job, name, auc_roc, auc_pr, wall_seconds: record.machine.wall_seconds }
        }
        Status::Failed { failure, message } => {
            let (failure, message): (FailureKind, String) = (*failure, message.clone());
            Event::Failed { job, name, failure, message }
        }
    }
}
