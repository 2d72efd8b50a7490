//! Events of a run. The runner prints nothing itself; its listener does.

use std::path::PathBuf;

use serde::Serialize;

use super::table::RecordTable;
use crate::experiment::job::Job;
use crate::experiment::store::{FailureKind, Status};

/// Row, fold and seed of a job, as separate fields for programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JobPlace {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the model.
    pub model: String,
    /// Preset; empty without one.
    pub preset: String,
    /// Sweep settings as text; empty without a sweep.
    pub case: String,
    /// Fold, from 1.
    pub fold: usize,
    /// Seed of the experiment.
    pub seed: u64,
}

impl JobPlace {
    /// Returns the place of a job.
    pub fn of(job: &Job) -> Self {
        JobPlace {
            dataset: job.dataset.name.clone(),
            model: job.model.clone(),
            preset: job.preset_name().to_owned(),
            case: job.case(),
            fold: job.fold_number(),
            seed: job.seed,
        }
    }
}

/// An event. Jobs are identified by their position in the plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The plan is made and the run directory is writable.
    Begin {
        /// The run directory.
        run: PathBuf,
        /// Number of selected jobs.
        jobs: usize,
        /// Selected jobs that are done already.
        done: usize,
        /// Selected jobs whose model kind does not support the dataset, as recorded before.
        refused_before: usize,
        /// Selected jobs that failed before and are not retried.
        failed_before: usize,
        /// Selected jobs to run.
        to_run: usize,
        /// Executor: `local` or `slurm`.
        executor: &'static str,
        /// Maximum number of concurrent jobs, if known.
        jobs_at_once: Option<usize>,
        /// Total number of threads, if known.
        threads: Option<usize>,
    },
    /// A result was modified after it was written; its job runs again.
    Damaged {
        /// Position of the job.
        job: usize,
        /// Name of the job.
        name: String,
        /// Its row, fold and seed.
        #[serde(flatten)]
        place: JobPlace,
        /// The file and the description of the damage.
        what: String,
    },
    /// Tasks were submitted to the cluster.
    Submitted {
        /// Id of the job array.
        array: u64,
        /// Number of tasks.
        tasks: usize,
        /// Number of jobs in these tasks.
        jobs: usize,
    },
    /// Tasks of an earlier call are still queued or running.
    Attached {
        /// Number of tasks.
        tasks: usize,
        /// Number of their jobs without a result.
        jobs: usize,
    },
    /// The state of the queue changed.
    Queue {
        /// Running tasks.
        running: usize,
        /// Pending tasks.
        pending: usize,
        /// Reason for pending, as the cluster reports it.
        reason: String,
    },
    /// A task ended without results for all of its jobs.
    Lost {
        /// Task id: array id and index.
        task: String,
        /// Number of jobs without a result.
        jobs: usize,
        /// Reason, as far as the cluster reports it.
        why: String,
        /// Whether they are resubmitted.
        again: bool,
    },
    /// The cluster does not respond or accepts no more tasks; the call is retried.
    Trouble {
        /// Error message.
        message: String,
    },
    /// A dataset was read.
    Opened {
        /// Name of the dataset.
        dataset: String,
        /// Seconds taken.
        seconds: f64,
        /// Warnings about the data.
        warnings: Vec<String>,
    },
    /// A job started.
    Start {
        /// Position of the job.
        job: usize,
        /// Name of the job.
        name: String,
        /// Its row, fold and seed.
        #[serde(flatten)]
        place: JobPlace,
        /// Threads of the job.
        threads: usize,
    },
    /// A tree of a job was grown.
    Tree {
        /// Position of the job.
        job: usize,
        /// Its row, fold and seed.
        #[serde(flatten)]
        place: JobPlace,
        /// Trees grown so far.
        trees: usize,
        /// Total number of trees.
        of: usize,
    },
    /// A learning step of a model kind without trees was taken.
    Step {
        /// Position of the job.
        job: usize,
        /// Its row, fold and seed.
        #[serde(flatten)]
        place: JobPlace,
        /// Steps taken so far.
        steps: usize,
        /// Total number of steps.
        of: usize,
    },
    /// A job ended with a result.
    Done {
        /// Position of the job.
        job: usize,
        /// Name of the job.
        name: String,
        /// Its row, fold and seed.
        #[serde(flatten)]
        place: JobPlace,
        /// Area under the ROC curve.
        auc_roc: Option<f64>,
        /// Area under the precision-recall curve.
        auc_pr: Option<f64>,
        /// Wall time in seconds.
        wall_seconds: f64,
    },
    /// A job ended without a result.
    Failed {
        /// Position of the job.
        job: usize,
        /// Name of the job.
        name: String,
        /// Its row, fold and seed.
        #[serde(flatten)]
        place: JobPlace,
        /// Category of the failure.
        failure: FailureKind,
        /// The message.
        message: String,
    },
    /// Another process is running a job.
    Elsewhere {
        /// Position of the job.
        job: usize,
        /// Name of the job.
        name: String,
        /// Its row, fold and seed.
        #[serde(flatten)]
        place: JobPlace,
    },
    /// Another process finished a job.
    Adopted {
        /// Position of the job.
        job: usize,
        /// Name of the job.
        name: String,
        /// Its row, fold and seed.
        #[serde(flatten)]
        place: JobPlace,
        /// Whether it has a result.
        done: bool,
    },
    /// Only jobs of other processes remain.
    Waiting {
        /// Number of jobs.
        jobs: usize,
    },
    /// The run ended.
    End(Tally),
}

impl Tally {
    /// Counts the jobs with a result, the unsupported ones, and the failed ones.
    pub(super) fn count(&mut self, jobs: &[usize], table: &RecordTable<'_>) {
        let count = |of_trials: bool, is: fn(&Status) -> bool| {
            let records = jobs.iter().filter_map(|&job| table.get(job));
            records.filter(|record| record.row.trial.is_some() == of_trials && is(&record.status)).count()
        };
        let both = |is: fn(&Status) -> bool| count(false, is) + count(true, is);
        (self.done, self.refused) = (both(|status| *status == Status::Done), both(Status::is_refused));
        let is_failed: fn(&Status) -> bool = |status| *status != Status::Done && !status.is_refused();
        (self.failed, self.failed_trials) = (count(false, is_failed), count(true, is_failed));
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Summary of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Selected jobs.
    pub jobs: usize,
    /// Jobs that ran in this call.
    pub ran: usize,
    /// Jobs with a result.
    pub done: usize,
    /// Jobs whose model kind does not support the dataset, now or before.
    pub refused: usize,
    /// Jobs that failed, now or before.
    pub failed: usize,
    /// Trials that failed, now or before. They are not chosen, and the run continues.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed_trials: usize,
    /// Jobs that were not started because of `--fail-fast` or cancellation.
    pub not_run: usize,
    /// Jobs that were left queued on the cluster.
    pub left: usize,
    /// Wall time in seconds.
    pub wall_seconds: f64,
    /// Seconds spent in jobs, summed over concurrent jobs.
    pub job_seconds: f64,
    /// Seconds of these that were spent learning.
    pub train_seconds: f64,
    /// Seconds of these spent in jobs that were stopped at a limit or killed: mostly learning that
    /// was not completed, so they are not part of the share.
    pub stopped_seconds: f64,
    /// Share of working time spent outside learning: reading, splitting, scoring, writing.
    pub share_outside_learning: Option<f64>,
}
