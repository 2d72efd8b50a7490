//! The job queue: which job is next, and how many threads it gets.
//!
//! A job owns its threads from start to end, so that it can be timed and its threads never run
//! another job. Together, jobs use at most the threads of the run: with many jobs left each gets an
//! equal share, and the last ones get what is free.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use super::shared::lock;

/// Scheduling constraints of a job.
#[derive(Clone, Debug, Default)]
pub struct QueueEntry {
    /// Positions of jobs that must end before this one starts.
    pub after: Vec<usize>,
}

/// A started job with its threads.
#[derive(Debug, PartialEq, Eq)]
pub struct Claim {
    /// Position of the job in the queue.
    pub job: usize,
    /// Number of threads.
    pub threads: usize,
}

/// How a worker released a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseReason {
    /// The job ended, here or in another process.
    Ended,
    /// Another process is running the job.
    Elsewhere,
}

/// The queue of jobs to run.
#[derive(Debug)]
pub struct Queue {
    entries: Vec<QueueEntry>,
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Debug)]
struct QueueState {
    waiting: VecDeque<usize>,
    released: Vec<Option<ReleaseReason>>,
    /// Whether a job was found to run elsewhere since the last call of `defer`.
    new_elsewhere: bool,
    /// Idle workers.
    idle: usize,
    /// Unused threads.
    free: usize,
    stopped: bool,
}

impl Queue {
    /// Creates a queue of jobs in this order, for workers that share a number of threads.
    pub fn new(entries: Vec<QueueEntry>, workers: usize, threads: usize) -> Self {
        let state = QueueState {
            waiting: (0..entries.len()).collect(),
            released: vec![None; entries.len()],
            new_elsewhere: false,
            idle: workers,
            free: threads,
            stopped: false,
        };
        Queue { entries, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Takes the next job; blocks while none can start, and returns `None` once none is left.
    pub fn take(&self) -> Option<Claim> {
        let mut state = lock(&self.state);
        loop {
            self.defer(&mut state);
            if state.stopped || state.waiting.is_empty() {
                return None;
            }
            if let Some(claim) = self.start(&mut state) {
                return Some(claim);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Defers jobs whose predecessor is running in another process.
    fn defer(&self, state: &mut QueueState) {
        let QueueState { waiting, released, new_elsewhere, .. } = state;
        // Only a release changes what is deferred; without this check taking a job would take
        // linear time.
        if !std::mem::take(new_elsewhere) {
            return;
        }
        waiting.retain(|&job| {
            let elsewhere =
                self.entries[job].after.iter().any(|&first| released[first] == Some(ReleaseReason::Elsewhere));
            if elsewhere {
                released[job] = Some(ReleaseReason::Elsewhere);
            }
            !elsewhere
        });
    }

    fn start(&self, state: &mut QueueState) -> Option<Claim> {
        if state.free == 0 {
            return None;
        }
        let is_ready = |job: &usize| {
            let entry = &self.entries[*job];
            entry.after.iter().all(|&first| state.released[first] == Some(ReleaseReason::Ended))
        };
        // More ready jobs than idle workers make no difference.
        let places = (0..state.waiting.len()).filter(|&i| is_ready(&state.waiting[i]));
        let ready: Vec<usize> = places.take(state.idle.max(1)).collect();
        let place = *ready.first()?;
        let job = state.waiting[place];
        let concurrent = state.idle.min(ready.len()).max(1);
        let threads = (state.free / concurrent).max(1);
        state.waiting.remove(place);
        state.idle -= 1;
        state.free -= threads;
        Some(Claim { job, threads })
    }

    /// Releases a job.
    pub fn release(&self, claim: &Claim, released: ReleaseReason) {
        let mut state = lock(&self.state);
        state.released[claim.job] = Some(released);
        state.new_elsewhere |= released == ReleaseReason::Elsewhere;
        state.idle += 1;
        state.free += claim.threads;
        self.changed.notify_all();
    }

    /// Starts no more jobs.
    pub fn stop(&self) {
        lock(&self.state).stopped = true;
        self.changed.notify_all();
    }

    /// Returns the jobs that other processes are running, in order; valid once all workers ended.
    pub fn elsewhere(&self) -> Vec<usize> {
        let state = lock(&self.state);
        (0..self.entries.len()).filter(|&job| state.released[job] == Some(ReleaseReason::Elsewhere)).collect()
    }

    /// Returns the number of jobs that were not started.
    pub fn not_started(&self) -> usize {
        lock(&self.state).waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(after: &[Option<usize>]) -> Vec<QueueEntry> {
        after.iter().map(|after| QueueEntry { after: after.iter().copied().collect() }).collect()
    }

    #[test]
    fn threads_are_shared_and_the_last_job_gets_the_rest() {
        let queue = Queue::new(entries(&[None; 3]), 2, 4);
        let first = queue.take().unwrap();
        let second = queue.take().unwrap();
        assert_eq!((first.job, first.threads, second.job, second.threads), (0, 2, 1, 2));
        queue.release(&first, ReleaseReason::Ended);
        queue.release(&second, ReleaseReason::Ended);
        let third = queue.take().unwrap();
        assert_eq!((third.job, third.threads), (2, 4));
        assert_eq!(queue.take(), None);
    }

    #[test]
    fn a_dependent_job_waits() {
        // 1 distils 0; 2 is independent.
        let queue = Queue::new(entries(&[None, Some(0), None]), 2, 2);
        let first = queue.take().unwrap();
        let other = queue.take().unwrap();
        assert_eq!((first.job, other.job), (0, 2));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| queue.take());
            queue.release(&first, ReleaseReason::Ended);
            assert_eq!(waits.join().unwrap().unwrap().job, 1);
        });
    }

    #[test]
    fn a_job_of_another_process_defers_its_dependents() {
        let queue = Queue::new(entries(&[None, Some(0), None]), 1, 1);
        let first = queue.take().unwrap();
        queue.release(&first, ReleaseReason::Elsewhere);
        let next = queue.take().unwrap();
        assert_eq!(next.job, 2);
        queue.release(&next, ReleaseReason::Ended);
        assert_eq!(queue.take(), None);
        assert_eq!(queue.elsewhere(), [0, 1]);
    }

    #[test]
    fn stop_ends_the_queue() {
        let queue = Queue::new(entries(&[None; 2]), 2, 2);
        assert_eq!(queue.take().unwrap().job, 0);
        queue.stop();
        assert_eq!(queue.take(), None);
        assert_eq!(queue.not_started(), 1);
    }
}
