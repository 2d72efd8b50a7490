//! The driver: submits tasks, looks at the directories of jobs and at the queue, and submits again what was lost.

mod submit;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use super::batch::{Batch, Desk, Load, last_line};
use super::cluster::{Cluster, SlurmError};
use super::lost::{self, Why};
use super::parse::{Ending, Queued};
use super::{Answer, Standing, arrays, loads};
use crate::determinism::{HashMap, HashSet, IndexMap, IndexSet};
use crate::experiment::JobId;
use crate::experiment::run::{Book, Event, Order, RunError, recorded};
use crate::experiment::spec::SlurmSettings;
use crate::experiment::store::{RECORD, Status};

/// How often the user is listened to.
const TICK: Duration = Duration::from_millis(100);
/// How often directories are looked at, at most; less often if looking takes long.
const LOOK: Duration = Duration::from_millis(500);
/// Directories are looked at for at most one part in this many of the time.
const PARTS: u32 = 20;
/// How often the queue is asked, at most and, in runs that take hours, at least.
const ASK: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(30));
/// How long a shared file system may take to show what a task has written. If it takes longer, a job is submitted once too often,
/// and its task finds it done.
const GRACE: Duration = Duration::from_secs(5);
/// A task that the cluster has, or had when it was last asked.
struct Task {
    directory: PathBuf,
    name: String,
    array: u64,
    number: usize,
    load: Load,
    is_running: bool,
    /// When it was first found to be gone.
    gone: Option<Instant>,
}

impl Task {
    fn id(&self) -> String {
        format!("{}_{}", self.array, self.number)
    }
}

/// A job that would be given up, were nobody at work on it.
struct Held {
    job: usize,
    /// Its last task.
    task: String,
    attempt: u64,
    why: Why,
}

pub struct Watcher<'a> {
    order: &'a Order<'a>,
    cluster: &'a Cluster,
    settings: &'a SlurmSettings,
    desk: &'a Desk,
    /// Jobs without a result, in the order of the plan.
    waiting: IndexSet<usize>,
    /// Tasks with at least one of them.
    tasks: Vec<Task>,
    /// Jobs at which another process is; they are watched, and not submitted.
    held: Vec<Held>,
    /// What is still to be submitted.
    unsubmitted: Vec<Vec<Load>>,
    /// A batch that the cluster has refused, to be submitted again as it is.
    refused: Option<Batch>,
    /// Batches that the cluster may have without our having been told.
    doubtful: Vec<Batch>,
    /// Whether the cluster has taken a batch, and how often it has refused the next while it had nothing of ours.
    has_taken: bool,
    refusals: u32,
    /// Records that are of something else, by when they were written.
    foreign: HashMap<usize, SystemTime>,
    began: Instant,
    next_look: Instant,
    next_ask: Instant,
    next_submission: Instant,
    shown: Option<Event>,
}

impl<'a> Watcher<'a> {
    pub fn new(order: &'a Order<'a>, cluster: &'a Cluster, settings: &'a SlurmSettings, desk: &'a Desk) -> Self {
        let now = Instant::now();
        Watcher {
            order,
            cluster,
            settings,
            desk,
            waiting: order.jobs.iter().copied().collect(),
            tasks: Vec::new(),
            held: Vec::new(),
            unsubmitted: Vec::new(),
            refused: None,
            doubtful: Vec::new(),
            has_taken: false,
            refusals: 0,
            foreign: HashMap::default(),
            began: now,
            next_look: now,
            next_ask: now + ASK.0,
            next_submission: now,
            shown: None,
        }
    }

    /// Until every job has ended, or the user wants no more.
    pub fn run(
        mut self,
        book: &mut Book<'_>,
        interrupted: &mut dyn FnMut(&Standing) -> Option<Answer>,
    ) -> Result<(), RunError> {
        self.attach(book)?;
        let with_cluster = self.with_cluster();
        let left: Vec<usize> = self.waiting.iter().copied().filter(|job| !with_cluster.contains(job)).collect();
        self.unsubmitted = arrays(loads(self.order, &left, self.settings, 1), self.cluster.most_tasks);
        loop {
            self.submit(book)?;
            self.look(book);
            if self.waiting.is_empty() {
                return Ok(());
            }
            if book.tally.failed > 0 && self.order.options.fail_fast {
                self.cancel(book);
                return Ok(());
            }
            self.ask(book)?;
            book.write_if_due()?;
            match interrupted(&self.standing()) {
                Some(Answer::Leave) => {
                    book.tally.left = self.waiting.len();
                    return Ok(());
                }
                Some(Answer::Cancel) => {
                    self.cancel(book);
                    return Ok(());
                }
                Some(Answer::GoOn) | None => std::thread::sleep(TICK),
            }
        }
    }

    fn standing(&self) -> Standing {
        let alive = || self.tasks.iter().filter(|task| task.gone.is_none());
        let arrays: IndexSet<u64> = alive().map(|task| task.array).collect();
        Standing { tasks: alive().count(), jobs: self.waiting.len(), arrays: arrays.into_iter().collect() }
    }

    /// Finds what an earlier driver left with the cluster.
    fn attach(&mut self, book: &mut Book<'_>) -> Result<(), SlurmError> {
        let earlier = self.desk.earlier();
        let names: Vec<&str> = earlier.iter().map(|batch| batch.name.as_str()).collect();
        let queued = self.cluster.queue(&names)?;
        if queued.is_empty() {
            return Ok(());
        }
        let mut places: HashMap<&JobId, Vec<usize>> = HashMap::default();
        for &job in &self.waiting {
            places.entry(&self.order.plan[job].id).or_default().push(job);
        }
        let mut jobs: HashSet<usize> = HashSet::default();
        for Queued { array, task: number, is_pending, name, .. } in queued {
            // A killed driver may not have come to note the id; the name is enough.
            let batch =
                earlier.iter().find(|batch| batch.name == name && batch.array.is_none_or(|known| known == array));
            let Some((batch, (attempt, ids))) =
                batch.and_then(|batch| Some((batch, batch.tasks.get(number.checked_sub(1)?)?)))
            else {
                continue;
            };
            let own: Vec<usize> = ids.iter().filter_map(|id| places.get(id)).flatten().copied().collect();
            if own.is_empty() {
                continue;
            }
            jobs.extend(&own);
            self.tasks.push(Task {
                directory: batch.directory.clone(),
                name,
                array,
                number,
                load: Load { jobs: own, attempt: *attempt },
                is_running: !is_pending,
                gone: None,
            });
        }
        if !self.tasks.is_empty() {
            book.tell(Event::Attached { tasks: self.tasks.len(), jobs: jobs.len() });
        }
        Ok(())
    }

    fn with_cluster(&self) -> HashSet<usize> {
        self.tasks.iter().flat_map(|task| task.load.jobs.iter().copied()).collect()
    }

    fn trouble(&mut self, book: &mut Book<'_>, error: &SlurmError) {
        self.show(book, Event::Trouble { message: error.to_string() });
    }

    /// Tells of something, unless that was the last to be told.
    fn show(&mut self, book: &mut Book<'_>, event: Event) {
        if self.shown.as_ref() != Some(&event) {
            book.tell(event.clone());
            self.shown = Some(event);
        }
    }

    /// Looks which jobs have ended.
    fn look(&mut self, book: &mut Book<'_>) {
        let began = Instant::now();
        if began < self.next_look {
            return;
        }
        let Order { plan, store, .. } = self.order;
        let mut ended = Vec::new();
        for &job in &self.waiting {
            let path = store.directory(&plan[job].job).join(RECORD);
            let Ok(written) = fs::metadata(&path).and_then(|data| data.modified()) else { continue };
            if self.foreign.get(&job) == Some(&written) {
                continue;
            }
            match recorded(&plan[job], store) {
                Some(record) => ended.push((job, record)),
                // Of other parameters, or being replaced just now.
                None => drop(self.foreign.insert(job, written)),
            }
        }
        for (job, record) in ended {
            self.end(book, job, record);
        }
        self.next_look = Instant::now() + (began.elapsed() * PARTS).max(LOOK);
    }

    fn end(&mut self, book: &mut Book<'_>, job: usize, record: crate::experiment::store::Record) {
        self.waiting.shift_remove(&job);
        book.tally.failed += usize::from(record.status != Status::Done);
        book.enter_of_task(job, self.order.plan[job].job.to_string(), record);
    }

    /// Asks which tasks are still there, and sees to those that are not.
    fn ask(&mut self, book: &mut Book<'_>) -> Result<(), RunError> {
        let waits = |load: &Load| load.jobs.iter().any(|job| self.waiting.contains(job));
        self.tasks.retain(|task| waits(&task.load));
        self.doubtful.retain(|batch| batch.loads.iter().any(waits));
        if Instant::now() < self.next_ask {
            return Ok(());
        }
        let doubtful = self.doubtful.iter().map(|batch| batch.name.as_str());
        let names: IndexSet<&str> = self.tasks.iter().map(|task| task.name.as_str()).chain(doubtful).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let answer = self.cluster.queue(&names);
        let now = Instant::now();
        self.next_ask = now + (self.began.elapsed() / 20).clamp(ASK.0, ASK.1);
        let queued = match answer {
            Ok(queued) => queued,
            // Nothing is known of any task: none is gone.
            Err(error) => {
                self.trouble(book, &error);
                return Ok(());
            }
        };
        self.adopt(book, &queued)?;
        let by_task: HashMap<(u64, usize), &Queued> = queued.iter().map(|one| ((one.array, one.task), one)).collect();
        for task in &mut self.tasks {
            match by_task.get(&(task.array, task.number)) {
                Some(one) => (task.is_running, task.gone) = (!one.is_pending, None),
                None => task.gone = task.gone.or(Some(now)),
            }
        }
        let reason = queued.iter().find(|one| one.is_pending).map_or_else(String::new, |one| one.reason.clone());
        let alive =
            |running: bool| self.tasks.iter().filter(|task| task.gone.is_none() && task.is_running == running).count();
        let event = Event::Queue { running: alive(true), pending: alive(false), reason };
        self.show(book, event);
        self.lose(book);
        self.give_up(book)
    }

    /// Sees to tasks that have been gone for long enough that what they wrote can be seen.
    fn lose(&mut self, book: &mut Book<'_>) {
        if !self.tasks.iter().any(|task| task.gone.is_some_and(|gone| gone.elapsed() >= GRACE)) {
            return;
        }
        self.next_look = Instant::now();
        self.look(book);
        let mut endings: HashMap<u64, HashMap<usize, Ending>> = HashMap::default();
        let mut again: IndexMap<u64, Vec<usize>> = IndexMap::default();
        let (gone, there): (Vec<Task>, Vec<Task>) =
            self.tasks.drain(..).partition(|task| task.gone.is_some_and(|gone| gone.elapsed() >= GRACE));
        self.tasks = there;
        let with_cluster = self.with_cluster();
        for task in gone {
            // A batch that turned up late may have what was submitted twice.
            let is_lost = |job: &usize| self.waiting.contains(job) && !with_cluster.contains(job);
            let jobs: Vec<usize> = task.load.jobs.iter().copied().filter(is_lost).collect();
            if jobs.is_empty() {
                continue;
            }
            let of_array = endings.entry(task.array).or_insert_with(|| self.cluster.endings(task.array));
            let ending = of_array.get(&task.number).cloned();
            // What a task printed tells why it ended if it ended by itself.
            let failed = ending.as_ref().is_some_and(|ending| ending.state == "FAILED");
            let last_line = failed.then(|| last_line(&task.directory, task.number)).flatten();
            let why = Why { ending, last_line };
            let attempt = task.load.attempt;
            let is_again = attempt < self.settings.attempts;
            book.tell(Event::Lost { task: task.id(), jobs: jobs.len(), why: why.words(), again: is_again });
            if is_again {
                again.entry(attempt + 1).or_default().extend(jobs);
                continue;
            }
            self.held.extend(jobs.into_iter().map(|job| Held { job, task: task.id(), attempt, why: why.clone() }));
        }
        for (attempt, mut jobs) in again {
            jobs.sort_unstable();
            jobs.dedup();
            let loads = loads(self.order, &jobs, self.settings, attempt);
            self.unsubmitted.extend(arrays(loads, self.cluster.most_tasks));
        }
    }

    /// Gives jobs up that were submitted as often as they may be, as soon as nobody is at work on them.
    fn give_up(&mut self, book: &mut Book<'_>) -> Result<(), RunError> {
        for held in std::mem::take(&mut self.held) {
            if !self.waiting.contains(&held.job) {
                continue;
            }
            let planned = &self.order.plan[held.job];
            match lost::record(planned, &held.task, held.attempt, &held.why, self.order.store)? {
                Some(record) => self.end(book, held.job, record),
                None => self.held.push(held),
            }
        }
        Ok(())
    }

    /// Cancels everything; what is not done is not run.
    fn cancel(&mut self, book: &mut Book<'_>) {
        if let Err(error) = self.settle(book) {
            self.trouble(book, &error);
        }
        book.tally.not_run = self.waiting.len();
        if let Err(error) = self.cluster.cancel(&self.standing().arrays) {
            self.trouble(book, &error);
        }
    }
}
