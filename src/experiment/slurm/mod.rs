//! Jobs done by a Slurm cluster, as arrays of tasks that call `lrbm run-job`.
//!
//! Truth is in the directories of jobs on the shared file system. The driver groups what is left into tasks, submits them, and
//! then watches two things: the directories, which tell what is done, and the queue, which tells whether somebody is
//! still at it. A job whose task is gone and which has no result is lost: it is submitted again, in smaller tasks each time, and after some
//! attempts recorded as failed with what the cluster says of its end.
//!
//! The driver itself holds nothing that could be lost: stopped and started again, it finds its arrays by what it wrote down
//! (`batch.rs`), and all else by looking.

mod batch;
mod cluster;
mod lost;
mod parse;
mod quote;
mod refusal;
mod watch;

pub use cluster::{Cluster, SlurmError};
pub use quote::quote;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::run::{Book, Executor, Order, RunError};
use super::spec::SlurmSettings;
use super::tasks;
use batch::{Desk, Load};
use watch::Watcher;

/// What the user wants after having interrupted the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The cluster goes on without us.
    Leave,
    /// The cluster is to stop, too.
    Cancel,
    /// Nothing was meant.
    GoOn,
}

/// What is with the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Tasks that are queued or at work.
    pub tasks: usize,
    /// Jobs without a result.
    pub jobs: usize,
    /// The ids of their arrays.
    pub arrays: Vec<u64>,
}

/// Runs jobs on a cluster.
pub struct Slurm<'a> {
    /// The cluster, which would take our tasks.
    pub cluster: Cluster,
    /// What tasks ask for.
    pub settings: SlurmSettings,
    /// The name of the experiment.
    pub experiment: &'a str,
    /// This program, as tasks call it.
    pub program: PathBuf,
    /// Called several times a second: whether the user has interrupted, and what then.
    pub interrupted: &'a mut dyn FnMut(&Standing) -> Option<Answer>,
}

impl Executor for Slurm<'_> {
    fn name(&self) -> &'static str {
        "slurm"
    }

    fn at_once(&self, _: usize) -> Option<(usize, usize)> {
        None
    }

    fn execute(&mut self, order: &Order<'_>, book: &mut Book<'_>) -> Result<(), RunError> {
        if order.jobs.is_empty() {
            return Ok(());
        }
        let root = order.store.root();
        let driven = || SlurmError::Driven { root: root.to_owned() };
        let _lock = order.store.try_lock_cluster()?.ok_or_else(driven)?;
        // A task does what has no result; so what is to be done again must have none.
        for &job in order.jobs.iter().filter(|&&job| book.table.get(job).is_some()).collect::<Vec<_>>() {
            order.store.discard(&order.plan[job].job)?;
            book.table.clear(job);
        }
        let desk = Desk::new(root, self.experiment, &self.program, &self.settings)?;
        Watcher::new(order, &self.cluster, &self.settings, &desk).run(book, self.interrupted)
    }
}

/// About how long a task should take, given how often its jobs were submitted, with this time.
///
/// Whatever ended a task ended all that it had not done yet. So tasks get smaller with each attempt, and the last has
/// each job that can be alone on its own: what cannot be done takes nothing along.
fn task_time(settings: &SlurmSettings, attempt: u64) -> Duration {
    if attempt > 1 && attempt >= settings.attempts {
        return Duration::ZERO;
    }
    // Estimates may be wrong by several times.
    let most = settings.time.map_or(settings.task_time, |time| settings.task_time.min(time / 4));
    most / 8u32.saturating_pow(u32::try_from(attempt - 1).unwrap_or(u32::MAX))
}

/// Groups jobs into the loads of tasks.
fn loads(order: &Order<'_>, jobs: &[usize], settings: &SlurmSettings, attempt: u64) -> Vec<Load> {
    let groups = match task_time(settings, attempt) {
        Duration::ZERO => tasks::units(order.plan, jobs),
        time => tasks::group(order.plan, jobs, time),
    };
    groups.into_iter().map(|jobs| Load { jobs, attempt }).collect()
}

/// Parts loads into arrays that a cluster takes.
fn arrays(loads: Vec<Load>, most_tasks: usize) -> Vec<Vec<Load>> {
    loads.chunks(most_tasks.max(1)).map(<[Load]>::to_vec).collect()
}

/// The path of this program, for tasks to call.
///
/// # Errors
/// If the system does not tell.
pub fn this_program() -> Result<PathBuf, SlurmError> {
    std::env::current_exe().map_err(|source| SlurmError::Io { path: Path::new("lrbm").to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tasks_get_smaller_with_each_attempt() {
        let settings = SlurmSettings { attempts: 3, ..SlurmSettings::default() };
        let seconds = |settings: &SlurmSettings, attempt| task_time(settings, attempt).as_secs_f64();
        assert_eq!([1, 2, 3, 4].map(|attempt| seconds(&settings, attempt)), [300.0, 37.5, 0.0, 0.0]);
        let settings = SlurmSettings { attempts: 1, time: Some(Duration::from_secs(60)), ..settings };
        assert_eq!(seconds(&settings, 1), 15.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn arrays_hold_every_load_once_and_are_small_enough(n in 0usize..3000, most in 0usize..1200) {
            let loads: Vec<Load> = (0..n).map(|job| Load { jobs: vec![job], attempt: 1 }).collect();
            let arrays = arrays(loads.clone(), most);
            prop_assert!(arrays.iter().all(|array| !array.is_empty() && array.len() <= most.max(1)));
            prop_assert_eq!(arrays.concat(), loads);
        }
    }
}
