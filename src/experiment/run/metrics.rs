//! Keeps the tables of results on disk complete without spending the run on it.
//!
//! Writing both tables takes as long as there are rows. So they are written after every job as long as that is a
//! small part of the time, and otherwise as soon as it is; at the end they are always complete, and after a crash they are made again
//! from the directories of the jobs.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::{Event, Planned, recorded};
use crate::experiment::store::{MetricsTable, RunStore, RunStoreError};

/// Tables are written for at most one part in this many of the time.
const PARTS: u32 = 20;

/// Writes tables when it is time to.
pub struct MetricsWriter<'a> {
    plan: &'a [Planned],
    store: &'a RunStore,
    is_stale: bool,
    /// Whether other processes are at work on the run, so that there may be results that nobody told us of.
    others: bool,
    next: Instant,
}

impl<'a> MetricsWriter<'a> {
    pub fn new(plan: &'a [Planned], store: &'a RunStore) -> Self {
        MetricsWriter { plan, store, is_stale: false, others: false, next: Instant::now() }
    }

    /// Says that there is something new.
    pub fn changed(&mut self) {
        self.is_stale = true;
    }

    /// Learns from an event whether we are alone.
    pub fn note_others(&mut self, event: &Event) {
        self.others |= matches!(event, Event::Elsewhere { .. } | Event::Adopted { .. });
    }

    /// The next message; `Some(None)` if it is time to write before there is one, `None` if there will be none.
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

    /// Writes the tables if there is something new and it is time to.
    pub fn write_if_due(&mut self, table: &mut MetricsTable) -> Result<(), RunStoreError> {
        if self.is_stale && Instant::now() >= self.next { self.write_now(table) } else { Ok(()) }
    }

    /// Writes the tables for the last time, with whatever others have done, asked for here or not. Of several processes that end
    /// at the same time each does so in its turn, so that the last has it all.
    pub fn write_last(&mut self, table: &mut MetricsTable) -> Result<(), RunStoreError> {
        let _lock = self.store.lock_metrics()?;
        self.others = true;
        self.write_now(table)
    }

    /// Writes the tables.
    pub fn write_now(&mut self, table: &mut MetricsTable) -> Result<(), RunStoreError> {
        let began = Instant::now();
        if self.others {
            for (place, planned) in self.plan.iter().enumerate() {
                if table.get(place).is_none()
                    && let Some(record) = recorded(planned, self.store)
                {
                    table.set(place, record);
                }
            }
        }
        self.store.write_metrics(table)?;
        self.is_stale = false;
        let took: Duration = began.elapsed();
        self.next = Instant::now() + took * PARTS;
        Ok(())
    }
}
