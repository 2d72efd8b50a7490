//! What a run tells of itself while it goes on. The runner prints nothing; whoever listens does.

use std::path::PathBuf;

use serde::Serialize;

use crate::experiment::store::{FailureKind, MetricsTable, Status};

/// Something that happened. Jobs are named by their position in the plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The plan is made and the directory can be written.
    Begin {
        /// The run directory.
        run: PathBuf,
        /// Jobs that were asked for.
        jobs: usize,
        /// Those of them that are done already.
        done: usize,
        /// Those of them that were refused before, and would be again.
        refused_before: usize,
        /// Those of them that failed before and are not tried again.
        failed_before: usize,
        /// Those of them that are to be run.
        to_run: usize,
        /// Who runs them: `local` or `slurm`.
        executor: &'static str,
        /// How many run at once, if that is known.
        jobs_at_once: Option<usize>,
        /// The threads of all of them together.
        threads: Option<usize>,
    },
    /// A result is not as it was written, and its job is done again.
    Damaged {
        /// Which job.
        job: usize,
        /// Its name.
        name: String,
        /// The file, and what is wrong with it.
        what: String,
    },
    /// Tasks were given to the cluster.
    Submitted {
        /// The id of their array.
        array: u64,
        /// How many there are.
        tasks: usize,
        /// The jobs of all of them.
        jobs: usize,
    },
    /// Tasks of an earlier call are still with the cluster.
    Attached {
        /// How many.
        tasks: usize,
        /// The jobs of all of them that have no result yet.
        jobs: usize,
    },
    /// How things stand with the cluster has changed.
    Queue {
        /// Tasks at work.
        running: usize,
        /// Tasks that wait.
        pending: usize,
        /// Why they wait, in the words of the cluster.
        reason: String,
    },
    /// A task has ended without a result for each of its jobs.
    Lost {
        /// Its id: that of its array and its number in it.
        task: String,
        /// How many jobs have no result.
        jobs: usize,
        /// Why, as far as the cluster tells.
        why: String,
        /// Whether they are submitted again.
        again: bool,
    },
    /// The cluster does not answer, or does not take more tasks; it is asked again.
    Trouble {
        /// What it said.
        message: String,
    },
    /// A dataset was read.
    Opened {
        /// Its name.
        dataset: String,
        /// How long that took.
        seconds: f64,
        /// What there is to warn about in it.
        warnings: Vec<String>,
    },
    /// A job began.
    Start {
        /// Which.
        job: usize,
        /// Its name.
        name: String,
        /// Its threads.
        threads: usize,
    },
    /// A tree of a job was grown.
    Tree {
        /// Which job.
        job: usize,
        /// Trees so far.
        trees: usize,
        /// Trees in all.
        of: usize,
    },
    /// A step of a job was taken whose kind of model has no trees.
    Step {
        /// Which job.
        job: usize,
        /// Steps so far.
        steps: usize,
        /// Steps in all.
        of: usize,
    },
    /// A job ended with a result.
    Done {
        /// Which.
        job: usize,
        /// Its name.
        name: String,
        /// Area under the ROC curve.
        auc_roc: Option<f64>,
        /// Area under the precision-recall curve.
        auc_pr: Option<f64>,
        /// Seconds from its beginning.
        wall_seconds: f64,
    },
    /// A job ended without a result.
    Failed {
        /// Which.
        job: usize,
        /// Its name.
        name: String,
        /// What kind of failure.
        failure: FailureKind,
        /// The message.
        message: String,
    },
    /// Another process is at work on a job.
    Elsewhere {
        /// Which.
        job: usize,
        /// Its name.
        name: String,
    },
    /// Another process has ended a job.
    Adopted {
        /// Which.
        job: usize,
        /// Its name.
        name: String,
        /// Whether with a result.
        done: bool,
    },
    /// Nothing is left but jobs that other processes are at work on.
    Waiting {
        /// How many.
        jobs: usize,
    },
    /// Nothing more is going to happen.
    End(Tally),
}

impl Tally {
    /// Counts which of these jobs have a result, which were refused, and which have failed.
    pub(super) fn count(&mut self, jobs: &[usize], table: &MetricsTable) {
        let count = |is: fn(&Status) -> bool| {
            let records = jobs.iter().filter_map(|&job| table.get(job));
            records.filter(|record| is(&record.status)).count()
        };
        (self.done, self.refused) = (count(|status| *status == Status::Done), count(Status::is_refused));
        self.failed = count(|status| *status != Status::Done && !status.is_refused());
    }
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Jobs that were asked for.
    pub jobs: usize,
    /// Jobs that this process ran.
    pub ran: usize,
    /// Jobs that have a result.
    pub done: usize,
    /// Jobs that their kind of model is not made for, now or before.
    pub refused: usize,
    /// Jobs that have failed, now or before.
    pub failed: usize,
    /// Jobs that were not begun, because one failed and that was to be the end.
    pub not_run: usize,
    /// Jobs that were left to the cluster, which may do them or not.
    pub left: usize,
    /// Seconds from beginning to end.
    pub wall_seconds: f64,
    /// Seconds in which jobs were worked on, over all that ran at once.
    pub job_seconds: f64,
    /// Seconds of these that were spent learning.
    pub train_seconds: f64,
    /// The share of working time that was spent on anything else than learning: reading, splitting, scoring, writing.
    pub share_outside_learning: Option<f64>,
}
