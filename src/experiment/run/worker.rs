//! A worker: takes jobs, does them, puts their results in place.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

use hashbrown::hash_map::Entry;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::data::Data;
use super::execute::{Attempt, Bench, Execution, Product, Told};
use super::executor::ended as ended_event;
use super::failure::{self, Failure, Scene, Watch};
use super::fault::Fault;
use super::queue::{Left, Queue, Taken};
use super::shared::Shared;
use super::{Event, Options, Planned, RunError, machine, provenance, recorded};
use crate::cancel::{self, Check};
use crate::data::store::Store;
use crate::determinism::HashMap;
use crate::experiment::store::{
    FailureKind, JobLock, Machine, Outcome, RECORD_VERSION, Record, Row, RunStore, RunStoreError, Status,
};

/// What a worker sends.
pub enum Message {
    /// Something to tell.
    Event(Event),
    /// A job has ended.
    Ended {
        /// Its position in the plan.
        job: usize,
        /// Its record.
        record: Box<Record>,
        /// What it took, if it was done here.
        seconds: Option<Seconds>,
    },
    /// The run directory cannot be written any more.
    Broken(RunError),
}

/// What a job took.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// From taking it to having put it in place.
    pub all: f64,
    /// Of these, learning.
    pub learning: f64,
}

/// What became of a job that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handled {
    Done,
    Failed,
    Elsewhere,
    Broken,
}

impl Handled {
    fn of(status: &Status) -> Self {
        if *status == Status::Done || status.is_refused() { Handled::Done } else { Handled::Failed }
    }
}

/// What all workers of a run have in common.
pub struct Work<'a> {
    plan: &'a [Planned],
    bench: Bench<'a>,
    options: &'a Options,
    workers: usize,
}

impl<'a> Work<'a> {
    /// The work of running these jobs of a plan.
    pub fn new(
        plan: &'a [Planned],
        to_run: &[usize],
        data: &'a Store,
        store: &'a RunStore,
        options: &'a Options,
        workers: usize,
    ) -> Self {
        let jobs = to_run.iter().map(|&job| &plan[job].job);
        let bench = Bench {
            store,
            data: Data::new(data, jobs),
            ensembles: Shared::new(to_run.iter().filter_map(|&job| plan[job].ensemble.clone())),
            by_id: plan.iter().map(|planned| (planned.id.clone(), &planned.job)).collect(),
            fault: Fault::from_environment(),
        };
        Work { plan, bench, options, workers }
    }

    /// Takes jobs until none is left. With `wait`, jobs that other processes hold are waited for.
    pub fn labour(&self, queue: &Queue, jobs: &[usize], wait: bool, send: &Sender<Message>) {
        let mut crews = Crews::default();
        while let Some(taken) = queue.take() {
            let job = jobs[taken.job];
            let handled = self.handle(job, &taken, &mut crews, wait, send).unwrap_or_else(|error| {
                drop(send.send(Message::Broken(error)));
                Handled::Broken
            });
            if handled != Handled::Elsewhere {
                self.release(job);
            }
            if handled == Handled::Broken || (handled == Handled::Failed && self.options.fail_fast) {
                queue.stop();
            }
            queue.give_back(&taken, if handled == Handled::Elsewhere { Left::Elsewhere } else { Left::Ended });
        }
    }

    fn release(&self, job: usize) {
        let Planned { job, ensemble, .. } = &self.plan[job];
        self.bench.data.release(job);
        if let Some(id) = ensemble {
            self.bench.ensembles.release(id);
        }
    }

    fn handle(
        &self,
        job: usize,
        taken: &Taken,
        crews: &mut Crews,
        wait: bool,
        send: &Sender<Message>,
    ) -> Result<Handled, RunError> {
        let began = Instant::now();
        let planned = &self.plan[job];
        let name = planned.job.to_string();
        let store = self.bench.store;
        // Nobody listens only if the run is over; then there is nothing to tell either.
        let tell = |event| drop(send.send(Message::Event(event)));
        let lock = if wait { Some(store.lock(&planned.job)?) } else { store.try_lock(&planned.job)? };
        let Some(lock) = lock else {
            tell(Event::Elsewhere { job, name });
            return Ok(Handled::Elsewhere);
        };
        let adopt = |record: Record| {
            let handled = Handled::of(&record.status);
            tell(Event::Adopted { job, name: name.clone(), done: handled == Handled::Done });
            drop(send.send(Message::Ended { job, record: Box::new(record), seconds: None }));
            Ok(handled)
        };
        if let Some(record) = self.done_meanwhile(planned, wait) {
            return adopt(record);
        }
        let crew = crews.of(taken.threads)?;
        tell(Event::Start { job, name: name.clone(), threads: taken.threads });
        let performed = self.perform(job, crew, &lock, send);
        drop(lock);
        let (record, learning) = match performed {
            Ok(performed) => performed,
            // On file systems whose locks do not reach other machines, another process may have ended the job at the same
            // time, and cleared away what it took for leftovers: ours.
            Err(error) => return self.done_meanwhile(planned, wait).map_or(Err(error.into()), adopt),
        };
        tell(ended_event(job, name, &record));
        let seconds = Some(Seconds { all: began.elapsed().as_secs_f64(), learning });
        let handled = Handled::of(&record.status);
        drop(send.send(Message::Ended { job, record: Box::new(record), seconds }));
        Ok(handled)
    }

    /// The record that another process has put in place since the run began.
    fn done_meanwhile(&self, planned: &Planned, wait: bool) -> Option<Record> {
        // What was there before was to be done again; what we had to wait for was not there before.
        if self.options.fresh && !wait {
            return None;
        }
        let retry = self.options.retry_failed && !wait;
        let stands = |record: &Record| record.status == Status::Done || record.status.is_refused() || !retry;
        recorded(planned, self.bench.store).filter(stands)
    }

    /// Does a job, and puts its directory in place.
    fn perform(
        &self,
        job: usize,
        crew: &Crew,
        lock: &JobLock,
        send: &Sender<Message>,
    ) -> Result<(Record, f64), RunStoreError> {
        let planned = &self.plan[job];
        let mut workshop = self.bench.store.begin(&planned.job, lock)?;
        let began = Instant::now();
        let machine = provenance::machine(crew.pool.current_num_threads(), self.workers);
        let program = provenance::program();
        workshop.log(&format!("job {} begins: {}", planned.id, planned.job));
        workshop.log(&format!("lrbm {} on {} threads, {}", program.version, machine.threads, machine.started));
        let before = crew.cpu_seconds();
        let mut attempt = Attempt::default();
        let dataset = &planned.job.dataset.name;
        let mut tell = |told| {
            let event = match told {
                Told::Opened { seconds, warnings } => Event::Opened { dataset: dataset.clone(), seconds, warnings },
                Told::Step { done, of } if planned.job.kind.grows_trees() => Event::Tree { job, trees: done, of },
                Told::Step { done, of } => Event::Step { job, steps: done, of },
            };
            drop(send.send(Message::Event(event)));
        };
        let execution = Execution {
            bench: &self.bench,
            job: &planned.job,
            id: &planned.id,
            data_checksum: &planned.key.data_checksum,
            ensemble_id: planned.ensemble.as_ref(),
            workshop: &mut workshop,
            tell: &mut tell,
        };
        crew.wait_for(Some(Watch::begin(planned.job.limits)));
        let result = crew.pool.install(|| failure::guard(&crew.scene, || execution.run(&mut attempt)));
        crew.wait_for(None);
        let result = match result {
            Ok(Product { outcome, files }) => {
                for (name, bytes) in files {
                    workshop.write(name, &bytes)?;
                }
                Ok(outcome)
            }
            Err(failure) => Err(failure),
        };
        match &result {
            Ok(outcome) => {
                let shown = outcome.metrics.iter().filter_map(|(name, value)| Some(format!("{name} {:.6}", (*value)?)));
                workshop.log(&format!("done: {}", shown.collect::<Vec<_>>().join(", ")));
            }
            Err(failure) => {
                let how = if failure.kind == FailureKind::Refused { "refused" } else { "failed" };
                workshop.log(&format!("{how}: {}", failure.message));
            }
        }
        let machine = Machine {
            ended: machine::now(),
            wall_seconds: began.elapsed().as_secs_f64(),
            train_seconds: attempt.train_seconds,
            ensemble_seconds: attempt.ensemble_seconds,
            score_seconds: attempt.score_seconds,
            cpu_seconds: crew.cpu_seconds().zip(before).map(|(after, before)| after - before),
            peak_memory_bytes: machine::peak_memory_bytes(),
            ..machine
        };
        let learning = attempt.train_seconds + attempt.ensemble_seconds;
        let (status, result) = ended(result);
        let record = Record {
            version: RECORD_VERSION,
            id: planned.id.clone(),
            status,
            row: Row::of(&planned.job),
            key: planned.key.clone(),
            training_seed: planned.job.training_seed(),
            data: attempt.data,
            counts: attempt.counts,
            result,
            warnings: attempt.warnings,
            program,
            machine,
        };
        workshop.put(&record)?;
        Ok((record, learning))
    }
}

fn ended(result: Result<Outcome, Failure>) -> (Status, Option<Outcome>) {
    match result {
        Ok(outcome) => (Status::Done, Some(outcome)),
        Err(Failure { kind, message }) => (Status::Failed { failure: kind, message }, None),
    }
}

/// The threads of a job, kept for the next one that gets as many.
struct Crew {
    pool: ThreadPool,
    scene: Scene,
}

impl Crew {
    fn new(threads: usize) -> Result<Self, RunError> {
        let scene = Scene::default();
        let watched = Arc::clone(&scene);
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.start_handler(move |_| failure::watch_thread(&watched)).build();
        Ok(Crew { pool: pool.map_err(RunError::Threads)?, scene })
    }

    /// Lets its threads ask whether a job is within its limits.
    fn wait_for(&self, watch: Option<Watch>) {
        let waiting = watch.map(|watch| -> Check { Arc::new(move || watch.check()) });
        self.pool.broadcast(|_| cancel::set(waiting.clone()));
    }

    /// The processor seconds that its threads have used.
    fn cpu_seconds(&self) -> Option<f64> {
        self.pool.broadcast(|_| machine::thread_cpu_seconds()).into_iter().sum()
    }
}

/// The crews of a worker, by size.
#[derive(Default)]
struct Crews(HashMap<usize, Crew>);

impl Crews {
    fn of(&mut self, threads: usize) -> Result<&Crew, RunError> {
        match self.0.entry(threads) {
            Entry::Occupied(crew) => Ok(crew.into_mut()),
            Entry::Vacant(place) => Ok(place.insert(Crew::new(threads)?)),
        }
    }
}
