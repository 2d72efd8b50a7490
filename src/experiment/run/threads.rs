//! Threads of jobs.

use std::sync::Arc;

use hashbrown::hash_map::Entry;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::failure::LimitMonitor;
use super::machine;
use crate::cancel::{self, Check};
use crate::determinism::HashMap;
use crate::experiment::error::RunError;
use crate::experiment::panics::{PanicLocation, record_panics};

/// The threads of a job, reused by the next job with as many threads.
pub struct JobThreads {
    pub pool: ThreadPool,
    pub panic_location: PanicLocation,
}

impl JobThreads {
    /// Starts threads.
    pub fn new(threads: usize) -> Result<Self, RunError> {
        let panic_location = PanicLocation::default();
        let recorded = panic_location.clone();
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.start_handler(move |_| record_panics(&recorded)).build();
        Ok(JobThreads { pool: pool.map_err(RunError::Threads)?, panic_location })
    }

    /// Sets the limit check that the pool's threads poll.
    pub fn set_limits(&self, monitor: Option<&Arc<LimitMonitor>>) {
        let check = monitor.map(Arc::clone).map(|monitor| -> Check { Arc::new(move || monitor.check()) });
        self.pool.broadcast(|_| cancel::set(check.clone()));
    }

    /// Returns the processor seconds that the pool's threads have used.
    pub fn cpu_seconds(&self) -> Option<f64> {
        self.pool.broadcast(|_| machine::thread_cpu_seconds()).into_iter().sum()
    }
}

/// The thread pools of a worker, by size.
#[derive(Default)]
pub struct ThreadPools(HashMap<usize, JobThreads>);

impl ThreadPools {
    /// Returns the threads of a job that gets this many.
    pub fn of(&mut self, threads: usize) -> Result<&JobThreads, RunError> {
        match self.0.entry(threads) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(JobThreads::new(threads)?)),
        }
    }
}
