//! The Slurm executor.

use std::path::{Path, PathBuf};

use super::batch::BatchDirectory;
use super::cluster::Cluster;
use super::interrupt::{ClusterStatus, InterruptAction};
use super::watch::Watcher;
use crate::experiment::error::{RunError, SlurmError};
use crate::experiment::run::{Executor, RunRecorder, Workload};
use crate::experiment::spec::SlurmSettings;

/// Executor that runs jobs on a Slurm cluster.
pub struct Slurm<'a> {
    /// The cluster.
    pub cluster: Cluster,
    /// Resources and options of a task.
    pub settings: SlurmSettings,
    /// Name of the experiment.
    pub experiment: &'a str,
    /// Path of this program on the nodes.
    pub program: PathBuf,
    /// Polled several times a second: the reaction to an interrupt, if there was one.
    pub interrupted: &'a mut dyn FnMut(&ClusterStatus) -> Option<InterruptAction>,
}

impl Executor for Slurm<'_> {
    fn name(&self) -> &'static str {
        "slurm"
    }

    fn at_once(&self, _: usize) -> Option<(usize, usize)> {
        None
    }

    fn execute(&mut self, work: &Workload<'_>, recorder: &mut RunRecorder<'_>) -> Result<(), RunError> {
        if work.jobs.is_empty() {
            return Ok(());
        }
        let root = work.store.root();
        let driven = || SlurmError::AlreadyWatched { root: root.to_owned() };
        let _lock = work.store.try_lock_cluster()?.ok_or_else(driven)?;
        // A task skips jobs with a result, so results to be replaced are removed first.
        for &job in work.jobs.iter().filter(|&&job| recorder.table.get(job).is_some()).collect::<Vec<_>>() {
            work.store.discard(&work.plan[job].job)?;
            recorder.remove(job);
        }
        let batches = BatchDirectory::new(root, self.experiment, &self.program, &self.settings)?;
        Watcher::new(work, &self.cluster, &self.settings, &batches).run(recorder, self.interrupted)
    }
}

/// Returns the path of this program, for tasks to call.
///
/// # Errors
/// If the operating system does not report it.
pub fn this_program() -> Result<PathBuf, SlurmError> {
    std::env::current_exe().map_err(|source| SlurmError::Io { path: Path::new("lrbm").to_owned(), source })
}
