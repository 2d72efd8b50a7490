//! The watcher: submits tasks, polls job directories and the queue, and resubmits lost jobs.

mod submit;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use super::batch::{Batch, BatchDirectory, TaskJobs, last_line};
use super::cluster::Cluster;
use super::grouping::{arrays, group_jobs};
use super::interrupt::{ClusterStatus, InterruptAction};
use super::lost::{self, LossReason};
use super::parse::{QueuedTask, TaskEnd};
use crate::determinism::{HashMap, HashSet, IndexMap, IndexSet};
use crate::experiment::error::{RunError, SlurmError};
use crate::experiment::key::JobId;
use crate::experiment::outstanding::recorded;
use crate::experiment::run::{Event, RunRecorder, Workload};
use crate::experiment::spec::SlurmSettings;
use crate::experiment::store::{JobRecord, RECORD, Status};
use crate::experiment::tune::graph::TrialGraph;

/// Polling interval of user interrupts.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Minimum interval between scans of the job directories; longer if a scan is slow.
const SCAN_INTERVAL: Duration = Duration::from_millis(500);
/// At most one part in this many of the time is spent scanning directories.
const MAX_SCAN_SHARE: u32 = 20;
/// Minimum and maximum interval between queue queries; it grows with the run time.
const QUERY_INTERVAL: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(30));
/// How long a shared file system may take to show what a task wrote. If it takes longer, a job is
/// submitted once too often, and its task finds it done.
const FILE_SYSTEM_DELAY: Duration = Duration::from_secs(5);
/// A task that is on the cluster, or was at the last query.
struct Task {
    directory: PathBuf,
    name: String,
    array: u64,
    number: usize,
    assignment: TaskJobs,
    is_running: bool,
    /// When it was first missing from the queue.
    gone: Option<Instant>,
}

impl Task {
    fn id(&self) -> String {
        format!("{}_{}", self.array, self.number)
    }
}

/// A job without attempts left, which fails unless another process is running it.
struct Exhausted {
    job: usize,
    /// Id of its last task.
    task: String,
    attempt: u64,
    why: LossReason,
}

pub struct Watcher<'a> {
    work: &'a Workload<'a>,
    cluster: &'a Cluster,
    settings: &'a SlurmSettings,
    batches: &'a BatchDirectory,
    /// Jobs without a result, in the order of the plan.
    waiting: IndexSet<usize>,
    /// Jobs of `waiting` whose trials have not ended, with these trials.
    blocked: Vec<(usize, Vec<usize>)>,
    /// Tasks with at least one such job.
    tasks: Vec<Task>,
    /// Jobs without attempts left that another process has locked; they are watched, not submitted.
    exhausted: Vec<Exhausted>,
    /// Arrays still to be submitted.
    unsubmitted: Vec<Vec<TaskJobs>>,
    /// A batch that the cluster rejected, to be resubmitted unchanged.
    rejected: Option<Batch>,
    /// Batches whose submission has an unknown outcome.
    unconfirmed: Vec<Batch>,
    /// Whether the cluster has accepted a batch, and how often it rejected the next one while no
    /// task of ours was queued.
    has_accepted: bool,
    rejections: u32,
    /// Modification times of records with another id.
    foreign: HashMap<usize, SystemTime>,
    began: Instant,
    next_scan: Instant,
    next_query: Instant,
    next_submission: Instant,
    last_event: Option<Event>,
}

impl<'a> Watcher<'a> {
    pub fn new(
        work: &'a Workload<'a>,
        cluster: &'a Cluster,
        settings: &'a SlurmSettings,
        batches: &'a BatchDirectory,
    ) -> Self {
        let now = Instant::now();
        Watcher {
            work,
            cluster,
            settings,
            batches,
            waiting: work.jobs.iter().copied().collect(),
            blocked: Vec::new(),
            tasks: Vec::new(),
            exhausted: Vec::new(),
            unsubmitted: Vec::new(),
            rejected: None,
            unconfirmed: Vec::new(),
            has_accepted: false,
            rejections: 0,
            foreign: HashMap::default(),
            began: now,
            next_scan: now,
            next_query: now + QUERY_INTERVAL.0,
            next_submission: now,
            last_event: None,
        }
    }

    /// Runs until every job has ended or the user detaches or cancels.
    pub fn run(
        mut self,
        recorder: &mut RunRecorder<'_>,
        interrupted: &mut dyn FnMut(&ClusterStatus) -> Option<InterruptAction>,
    ) -> Result<(), RunError> {
        self.attach(recorder)?;
        let jobs_on_cluster = self.jobs_on_cluster();
        let graph = TrialGraph::of(self.work.plan);
        let mut left: Vec<usize> = self.waiting.iter().copied().filter(|job| !jobs_on_cluster.contains(job)).collect();
        left.retain(|&job| {
            let trials = graph.trials(job).iter().copied().filter(|trial| self.waiting.contains(trial));
            let trials: Vec<usize> = trials.collect();
            let is_ready = trials.is_empty();
            if !is_ready {
                self.blocked.push((job, trials));
            }
            is_ready
        });
        self.plan_submission(&left, 1);
        loop {
            self.unblock();
            self.submit(recorder)?;
            self.scan(recorder);
            if self.waiting.is_empty() {
                return Ok(());
            }
            if recorder.tally.failed > 0 && self.work.options.fail_fast {
                self.cancel(recorder);
                return Ok(());
            }
            self.query(recorder)?;
            recorder.write_if_due()?;
            match interrupted(&self.status()) {
                Some(InterruptAction::Detach) => {
                    recorder.tally.left = self.waiting.len();
                    return Ok(());
                }
                Some(InterruptAction::Cancel) => {
                    self.cancel(recorder);
                    return Ok(());
                }
                Some(InterruptAction::Continue) | None => std::thread::sleep(POLL_INTERVAL),
            }
        }
    }

    /// Plans tasks for jobs, to be submitted next.
    fn plan_submission(&mut self, jobs: &[usize], attempt: u64) {
        let tasks = group_jobs(self.work, jobs, self.settings, attempt);
        self.unsubmitted.extend(arrays(tasks, self.cluster.max_tasks));
    }

    /// Plans the tuned jobs whose trials have ended.
    fn unblock(&mut self) {
        let waiting = &self.waiting;
        let is_blocked = |(_, trials): &(usize, Vec<usize>)| trials.iter().any(|trial| waiting.contains(trial));
        let (blocked, ready): (Vec<_>, Vec<_>) = std::mem::take(&mut self.blocked).into_iter().partition(is_blocked);
        self.blocked = blocked;
        if !ready.is_empty() {
            let jobs: Vec<usize> = ready.into_iter().map(|(job, _)| job).collect();
            self.plan_submission(&jobs, 1);
        }
    }

    fn status(&self) -> ClusterStatus {
        let alive = || self.tasks.iter().filter(|task| task.gone.is_none());
        let arrays: IndexSet<u64> = alive().map(|task| task.array).collect();
        ClusterStatus { tasks: alive().count(), jobs: self.waiting.len(), arrays: arrays.into_iter().collect() }
    }

    /// Finds the tasks that an earlier process left on the cluster.
    fn attach(&mut self, recorder: &mut RunRecorder<'_>) -> Result<(), SlurmError> {
        let earlier = self.batches.earlier();
        let names: Vec<&str> = earlier.iter().map(|batch| batch.name.as_str()).collect();
        let queued = self.cluster.queue(&names)?;
        if queued.is_empty() {
            return Ok(());
        }
        let mut jobs_by_id: HashMap<&JobId, Vec<usize>> = HashMap::default();
        for &job in &self.waiting {
            jobs_by_id.entry(&self.work.plan[job].id).or_default().push(job);
        }
        let mut jobs: HashSet<usize> = HashSet::default();
        for QueuedTask { array, task: number, is_pending, name, .. } in queued {
            // A killed process may not have recorded the array id; the name is sufficient.
            let batch =
                earlier.iter().find(|batch| batch.name == name && batch.array.is_none_or(|known| known == array));
            let Some((batch, (attempt, ids))) =
                batch.and_then(|batch| Some((batch, batch.tasks.get(number.checked_sub(1)?)?)))
            else {
                continue;
            };
            let own: Vec<usize> = ids.iter().filter_map(|id| jobs_by_id.get(id)).flatten().copied().collect();
            if own.is_empty() {
                continue;
            }
            jobs.extend(&own);
            self.tasks.push(Task {
                directory: batch.directory.clone(),
                name,
                array,
                number,
                assignment: TaskJobs { jobs: own, attempt: *attempt },
                is_running: !is_pending,
                gone: None,
            });
        }
        if !self.tasks.is_empty() {
            recorder.notify(Event::Attached { tasks: self.tasks.len(), jobs: jobs.len() });
        }
        Ok(())
    }

    fn jobs_on_cluster(&self) -> HashSet<usize> {
        self.tasks.iter().flat_map(|task| task.assignment.jobs.iter().copied()).collect()
    }

    fn report_error(&mut self, recorder: &mut RunRecorder<'_>, error: &SlurmError) {
        self.show(recorder, Event::Trouble { message: error.to_string() });
    }

    /// Reports an event unless it equals the last one.
    fn show(&mut self, recorder: &mut RunRecorder<'_>, event: Event) {
        if self.last_event.as_ref() != Some(&event) {
            recorder.notify(event.clone());
            self.last_event = Some(event);
        }
    }

    /// Scans for jobs that have ended.
    fn scan(&mut self, recorder: &mut RunRecorder<'_>) {
        let began = Instant::now();
        if began < self.next_scan {
            return;
        }
        let Workload { plan, store, .. } = self.work;
        let mut ended = Vec::new();
        for &job in &self.waiting {
            let path = store.directory(&plan[job].job).join(RECORD);
            let Ok(written) = fs::metadata(&path).and_then(|data| data.modified()) else { continue };
            if self.foreign.get(&job) == Some(&written) {
                continue;
            }
            match recorded(&plan[job], store) {
                Some(record) => ended.push((job, record)),
                // A record with another id, or being replaced right now.
                None => drop(self.foreign.insert(job, written)),
            }
        }
        for (job, record) in ended {
            self.end(recorder, job, record);
        }
        self.next_scan = Instant::now() + (began.elapsed() * MAX_SCAN_SHARE).max(SCAN_INTERVAL);
    }

    fn end(&mut self, recorder: &mut RunRecorder<'_>, job: usize, record: JobRecord) {
        self.waiting.shift_remove(&job);
        recorder.tally.failed += usize::from(record.status != Status::Done && record.row.trial.is_none());
        recorder.enter_from_task(job, &self.work.plan[job].job, record);
    }

    /// Queries the queue and handles tasks that are gone.
    fn query(&mut self, recorder: &mut RunRecorder<'_>) -> Result<(), RunError> {
        let is_waited_for = |task: &TaskJobs| task.jobs.iter().any(|job| self.waiting.contains(job));
        self.tasks.retain(|task| is_waited_for(&task.assignment));
        self.unconfirmed.retain(|batch| batch.tasks.iter().any(is_waited_for));
        if Instant::now() < self.next_query {
            return Ok(());
        }
        let unconfirmed = self.unconfirmed.iter().map(|batch| batch.name.as_str());
        let names: IndexSet<&str> = self.tasks.iter().map(|task| task.name.as_str()).chain(unconfirmed).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let answer = self.cluster.queue(&names);
        let now = Instant::now();
        self.next_query = now + (self.began.elapsed() / 20).clamp(QUERY_INTERVAL.0, QUERY_INTERVAL.1);
        let queued = match answer {
            Ok(queued) => queued,
            // Without an answer, no task counts as gone.
            Err(error) => {
                self.report_error(recorder, &error);
                return Ok(());
            }
        };
        self.adopt(recorder, &queued)?;
        let by_task: HashMap<(u64, usize), &QueuedTask> =
            queued.iter().map(|queued_task| ((queued_task.array, queued_task.task), queued_task)).collect();
        for task in &mut self.tasks {
            match by_task.get(&(task.array, task.number)) {
                Some(queued_task) => (task.is_running, task.gone) = (!queued_task.is_pending, None),
                None => task.gone = task.gone.or(Some(now)),
            }
        }
        let reason = queued
            .iter()
            .find(|queued_task| queued_task.is_pending)
            .map_or_else(String::new, |queued_task| queued_task.reason.clone());
        let alive =
            |running: bool| self.tasks.iter().filter(|task| task.gone.is_none() && task.is_running == running).count();
        let event = Event::Queue { running: alive(true), pending: alive(false), reason };
        self.show(recorder, event);
        self.handle_gone(recorder);
        self.fail_exhausted(recorder)
    }

    /// Handles tasks that have been gone for longer than the file system delay.
    fn handle_gone(&mut self, recorder: &mut RunRecorder<'_>) {
        if !self.tasks.iter().any(|task| task.gone.is_some_and(|gone| gone.elapsed() >= FILE_SYSTEM_DELAY)) {
            return;
        }
        self.next_scan = Instant::now();
        self.scan(recorder);
        let mut task_ends: HashMap<u64, HashMap<usize, TaskEnd>> = HashMap::default();
        let mut to_resubmit: IndexMap<u64, Vec<usize>> = IndexMap::default();
        let (gone, present): (Vec<Task>, Vec<Task>) =
            self.tasks.drain(..).partition(|task| task.gone.is_some_and(|gone| gone.elapsed() >= FILE_SYSTEM_DELAY));
        self.tasks = present;
        let jobs_on_cluster = self.jobs_on_cluster();
        for task in gone {
            // A batch that appeared late may contain jobs that were submitted twice.
            let is_lost = |job: &usize| self.waiting.contains(job) && !jobs_on_cluster.contains(job);
            let jobs: Vec<usize> = task.assignment.jobs.iter().copied().filter(is_lost).collect();
            if jobs.is_empty() {
                continue;
            }
            let of_array = task_ends.entry(task.array).or_insert_with(|| self.cluster.task_ends(task.array));
            let end = of_array.get(&task.number).cloned();
            // The output of a task that failed by itself has the reason.
            let failed = end.as_ref().is_some_and(|end| end.state == "FAILED");
            let last_line = failed.then(|| last_line(&task.directory, task.number)).flatten();
            let why = LossReason { end, last_line };
            let attempt = task.assignment.attempt;
            let resubmit = attempt < self.settings.attempts;
            recorder.notify(Event::Lost { task: task.id(), jobs: jobs.len(), why: why.description(), again: resubmit });
            if resubmit {
                to_resubmit.entry(attempt + 1).or_default().extend(jobs);
                continue;
            }
            self.exhausted.extend(jobs.into_iter().map(|job| Exhausted {
                job,
                task: task.id(),
                attempt,
                why: why.clone(),
            }));
        }
        for (attempt, mut jobs) in to_resubmit {
            jobs.sort_unstable();
            jobs.dedup();
            self.plan_submission(&jobs, attempt);
        }
    }

    /// Fails jobs without attempts left, once no other process is running them.
    fn fail_exhausted(&mut self, recorder: &mut RunRecorder<'_>) -> Result<(), RunError> {
        for exhausted in std::mem::take(&mut self.exhausted) {
            if !self.waiting.contains(&exhausted.job) {
                continue;
            }
            let planned = &self.work.plan[exhausted.job];
            match lost::record(planned, &exhausted.task, exhausted.attempt, &exhausted.why, self.work.store)? {
                Some(record) => self.end(recorder, exhausted.job, record),
                None => self.exhausted.push(exhausted),
            }
        }
        Ok(())
    }

    /// Cancels all tasks; unfinished jobs count as not run.
    fn cancel(&mut self, recorder: &mut RunRecorder<'_>) {
        if let Err(error) = self.query_unconfirmed(recorder) {
            self.report_error(recorder, &error);
        }
        recorder.tally.not_run = self.waiting.len();
        if let Err(error) = self.cluster.cancel(&self.status().arrays) {
            self.report_error(recorder, &error);
        }
    }
}
