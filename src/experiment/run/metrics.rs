//! Keeps the metrics tables on disk current at bounded cost.
//!
//! Writing takes time linear in the number of rows. Tables are written after every job while that
//! is a small share of the time, and otherwise as soon as it is. At the end they are always
//! complete; after a crash they are rebuilt from the job directories.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::event::Event;
use super::table::RecordTable;
use crate::experiment::outstanding::recorded;
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::{RunStore, RunStoreError};

/// At most one part in this many of the time is spent writing tables.
const MAX_TIME_SHARE: u32 = 20;

/// Rate-limited writer of the metrics tables.
pub struct MetricsWriter<'a> {
    plan: &'a [PlannedJob],
    store: &'a RunStore,
    is_stale: bool,
    /// Whether other processes work on the run, so that the store may hold results unknown here.
    has_other_writers: bool,
    next: Instant,
}

impl<'a> MetricsWriter<'a> {
    pub fn new(plan: &'a [PlannedJob], store: &'a RunStore) -> Self {
        MetricsWriter { plan, store, is_stale: false, has_other_writers: false, next: Instant::now() }
    }

    /// Notes that the table changed.
    pub fn changed(&mut self) {
        self.is_stale = true;
    }

    /// Notes events that show other processes at work.
    pub fn note_others(&mut self, event: &Event) {
        self.has_other_writers |= matches!(event, Event::Elsewhere { .. } | Event::Adopted { .. });
    }

    /// Receives the next message; `Some(None)` if writing is due first, `None` at the end.
    pub fn next<M>(&self, receive: &Receiver<M>) -> Option<Option<M>> {
        if !self.is_stale {
            return receive.recv().ok().map(Some);
        }
        match receive.recv_timeout(self.next.saturating_duration_since(Instant::now())) {
            Ok(message) => Some(Some(message)),
            Err(RecvTimeoutError::Timeout) => Some(None),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Writes the tables if they changed and writing is due.
    pub fn write_if_due(&mut self, table: &mut RecordTable<'_>) -> Result<(), RunStoreError> {
        if self.is_stale && Instant::now() >= self.next { self.write_now(table) } else { Ok(()) }
    }

    /// Writes the final tables, including all results of other processes. Processes that end at the
    /// same time take turns, so that the last one writes the complete tables.
    pub fn write_last(&mut self, table: &mut RecordTable<'_>) -> Result<(), RunStoreError> {
        let _lock = self.store.lock_metrics()?;
        self.adopt(table);
        // A run that found everything done has written the tables already.
        if self.is_stale { self.write(table, Instant::now()) } else { Ok(()) }
    }

    /// Writes the tables.
    pub fn write_now(&mut self, table: &mut RecordTable<'_>) -> Result<(), RunStoreError> {
        let began = Instant::now();
        if self.has_other_writers {
            self.adopt(table);
        }
        self.write(table, began)
    }

    /// Enters the results of other processes.
    fn adopt(&mut self, table: &mut RecordTable<'_>) {
        for (job, planned) in self.plan.iter().enumerate() {
            if table.get(job).is_none()
                && let Some(record) = recorded(planned, self.store)
            {
                table.set(job, record);
                self.is_stale = true;
            }
        }
    }

    fn write(&mut self, table: &RecordTable<'_>, began: Instant) -> Result<(), RunStoreError> {
        self.store.write_metrics(&mut table.frame().map_err(RunStoreError::Frame)?)?;
        self.is_stale = false;
        let write_time: Duration = began.elapsed();
        self.next = Instant::now() + write_time * MAX_TIME_SHARE;
        Ok(())
    }
}
