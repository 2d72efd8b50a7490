//! The local executor: workers of this process take jobs from a queue, each with threads of its
//! own or, if it is isolated, a process of its own.
//!
//! Workers send messages to the calling thread, which records them. No result depends on the number
//! of workers or threads, or on which jobs ran before.

use std::sync::mpsc;

use super::event::Event;
use super::executor::{Executor, RunRecorder, Workload};
use super::isolation::Isolation;
use super::prefixes;
use super::queue::{Queue, QueueEntry};
use super::worker::{Message, WorkerContext};
use crate::data::store::Store;
use crate::determinism::HashMap;
use crate::experiment::error::RunError;
use crate::experiment::key::JobId;
use crate::experiment::planned::PlannedJob;
use crate::experiment::tune::graph::TrialGraph;

/// Executor that runs jobs in this process.
#[derive(Debug)]
pub struct Local<'a> {
    /// Dataset store.
    pub data: &'a Store,
    /// Maximum number of concurrent jobs; at least 1.
    pub jobs: usize,
    /// Total number of threads; at least 1.
    pub threads: usize,
    /// How isolated jobs are started; `None` runs them in this process, without memory limits.
    pub isolation: Option<Isolation>,
}

impl Local<'_> {
    fn threads(&self) -> usize {
        self.threads.max(1)
    }

    fn workers(&self, jobs: usize) -> usize {
        self.jobs.clamp(1, self.threads()).min(jobs.max(1))
    }
}

impl Executor for Local<'_> {
    fn name(&self) -> &'static str {
        "local"
    }

    fn at_once(&self, jobs: usize) -> Option<(usize, usize)> {
        Some((self.workers(jobs), self.threads()))
    }

    fn execute(&mut self, work: &Workload<'_>, recorder: &mut RunRecorder<'_>) -> Result<(), RunError> {
        let Workload { plan, jobs, .. } = *work;
        let (workers, threads) = (self.workers(jobs.len()), self.threads());
        let work = WorkerContext::new(work, self.data, self.isolation.as_ref(), workers);
        let mut remaining = jobs.to_vec();
        // First the unlocked jobs, then those that other processes had locked: by then they have
        // ended or their process was killed.
        for wait in [false, true] {
            if remaining.is_empty() {
                break;
            }
            if wait {
                recorder.notify(Event::Waiting { jobs: remaining.len() });
            }
            let queue = Queue::new(entries(plan, &remaining), workers, threads);
            Phase { work: &work, queue: &queue, jobs: &remaining, wait }.run(workers, recorder)?;
            recorder.tally.not_run += queue.not_started();
            remaining = queue.elsewhere().into_iter().map(|position| remaining[position]).collect();
            if recorder.tally.not_run > 0 {
                recorder.tally.not_run += remaining.len();
                break;
            }
        }
        Ok(())
    }
}

fn entries(plan: &[PlannedJob], jobs: &[usize]) -> Vec<QueueEntry> {
    let positions: HashMap<&JobId, usize> =
        jobs.iter().enumerate().map(|(position, &job)| (&plan[job].id, position)).collect();
    let graph = TrialGraph::of(plan);
    let entry = |(&job, next_longer): (&usize, Option<usize>)| {
        let ensemble = plan[job].ensemble.as_ref().and_then(|id| positions.get(id)).copied();
        let trials = graph.trials(job).iter().filter_map(|trial| jobs.binary_search(trial).ok());
        QueueEntry { after: trials.chain(ensemble.or(next_longer)).collect() }
    };
    jobs.iter().zip(prefixes::next_longer(plan, jobs)).map(entry).collect()
}

/// One pass of all workers over jobs.
struct Phase<'a> {
    work: &'a WorkerContext<'a>,
    queue: &'a Queue,
    jobs: &'a [usize],
    wait: bool,
}

impl Phase<'_> {
    fn run(&self, workers: usize, recorder: &mut RunRecorder<'_>) -> Result<(), RunError> {
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let send = send.clone();
                scope.spawn(move || self.work.run_jobs(self.queue, self.jobs, self.wait, &send));
            }
            drop(send);
            let mut result = Ok(());
            while let Some(message) = recorder.next(&receive) {
                match message {
                    Some(Message::Event(event)) => recorder.notify(event),
                    Some(Message::Ended { job, record, seconds }) => recorder.enter(job, *record, seconds),
                    Some(Message::Aborted(error)) => {
                        self.queue.stop();
                        result = Err(error);
                    }
                    None => {}
                }
                if result.is_ok()
                    && let Err(error) = recorder.write_if_due()
                {
                    self.queue.stop();
                    result = Err(error.into());
                }
            }
            result
        })
    }
}
