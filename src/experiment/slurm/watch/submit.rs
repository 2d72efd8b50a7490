//! Submitting, with a cluster that may refuse, or take tasks and not come to say so.

use std::time::{Duration, Instant};

use super::super::batch::{Batch, Load};
use super::super::cluster::SlurmError;
use super::super::parse::Queued;
use super::super::refusal::Refusal;
use super::{Task, Watcher};
use crate::experiment::run::{Book, Event};

/// How long to wait before something is submitted that the cluster did not take: at first, and at most.
const AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(15));
/// How often a cluster with nothing of ours may refuse: one that has taken tasks before, and one that has not.
const REFUSALS: (u32, u32) = (20, 5);

impl Watcher<'_> {
    /// Submits what is to be submitted, as far as the cluster takes it.
    pub(super) fn submit(&mut self, book: &mut Book<'_>) -> Result<(), SlurmError> {
        while !self.unsubmitted.is_empty() && Instant::now() >= self.next_submission {
            // Nothing is submitted anew before it is known that the cluster does not have it.
            if let Err(error) = self.settle(book) {
                self.put_off(book, error, Refusal::Unclear)?;
                continue;
            }
            let loads = self.needed(&self.unsubmitted[0]);
            if loads.is_empty() {
                self.unsubmitted.remove(0);
                continue;
            }
            let batch = match self.refused.take().filter(|batch| batch.loads == loads) {
                Some(batch) => batch,
                None => self.desk.write(self.order.plan, loads)?,
            };
            let tasks = batch.loads.len();
            match self.cluster.submit(self.settings, &batch.name, tasks, &batch.directory, &batch.script()) {
                Ok(array) => {
                    self.unsubmitted.remove(0);
                    self.take(book, batch, array)?;
                }
                Err(error) => {
                    let refusal = Refusal::of(&error);
                    if refusal == Refusal::Unclear {
                        self.doubtful.push(batch);
                        // If it cannot be asked now, it is before the next submission.
                        if self.settle(book).is_ok_and(|found| found) {
                            continue;
                        }
                    } else {
                        self.refused = Some(batch);
                    }
                    self.put_off(book, error, refusal)?;
                }
            }
        }
        Ok(())
    }

    /// Notes that the cluster has a batch.
    fn take(&mut self, book: &mut Book<'_>, batch: Batch, array: u64) -> Result<(), SlurmError> {
        batch.submitted(array)?;
        (self.has_taken, self.refusals) = (true, 0);
        let Batch { directory, name, loads } = batch;
        let jobs = loads.iter().map(|load| load.jobs.len()).sum();
        book.tell(Event::Submitted { array, tasks: loads.len(), jobs });
        let task = |(i, load)| Task {
            directory: directory.clone(),
            name: name.clone(),
            array,
            number: i + 1,
            load,
            is_running: false,
            gone: None,
        };
        self.tasks.extend(loads.into_iter().enumerate().map(task));
        Ok(())
    }

    /// Asks whether the cluster has batches that it did not tell us of; whether it has one.
    pub(super) fn settle(&mut self, book: &mut Book<'_>) -> Result<bool, SlurmError> {
        if self.doubtful.is_empty() {
            return Ok(false);
        }
        let names: Vec<&str> = self.doubtful.iter().map(|batch| batch.name.as_str()).collect();
        let queued = self.cluster.queue(&names)?;
        let found = self.adopt(book, &queued)?;
        // One that is not there may have come and gone.
        self.next_look = Instant::now();
        self.look(book);
        Ok(found)
    }

    /// Takes over what is queued of batches that we were not told of.
    pub(super) fn adopt(&mut self, book: &mut Book<'_>, queued: &[Queued]) -> Result<bool, SlurmError> {
        let mut found = false;
        for batch in std::mem::take(&mut self.doubtful) {
            match queued.iter().find(|one| one.name == batch.name) {
                Some(one) => {
                    self.take(book, batch, one.array)?;
                    found = true;
                }
                None => self.doubtful.push(batch),
            }
        }
        Ok(found)
    }

    /// What of loads has no result and is not with the cluster.
    fn needed(&self, loads: &[Load]) -> Vec<Load> {
        let with_cluster = self.with_cluster();
        let is_needed = |job: &usize| self.waiting.contains(job) && !with_cluster.contains(job);
        let needed = |load: &Load| Load { jobs: load.jobs.iter().copied().filter(is_needed).collect(), ..*load };
        loads.iter().map(needed).filter(|load| !load.jobs.is_empty()).collect()
    }

    /// Waits with the next submission, if that is any use.
    fn put_off(&mut self, book: &mut Book<'_>, error: SlurmError, refusal: Refusal) -> Result<(), SlurmError> {
        // Many clusters take only so many tasks at a time: when some have ended, there is room for others.
        let mut pause = AGAIN.1;
        if self.tasks.is_empty() {
            self.refusals += 1;
            let most = if self.has_taken { REFUSALS.0 } else { REFUSALS.1 };
            if refusal == Refusal::Lasting || self.refusals >= most {
                return Err(error);
            }
            pause = (AGAIN.0 * 2u32.saturating_pow(self.refusals - 1)).min(AGAIN.1);
        }
        self.next_submission = Instant::now() + pause;
        self.trouble(book, &error);
        Ok(())
    }
}
