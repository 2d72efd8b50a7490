//! Jobs done by this process: workers take them from a queue, each with threads of its own.
//!
//! Workers send what happens to the thread that called, which keeps the book. Nothing that a result is made of depends
//! on how many workers or threads there are, or on which jobs were done before.

use std::sync::mpsc;

use super::queue::{Queue, Ticket};
use super::worker::{Message, Work};
use super::{Book, Event, Executor, Order, Planned, RunError};
use crate::data::store::Store;
use crate::determinism::HashMap;
use crate::experiment::JobId;

/// Runs jobs in this process.
#[derive(Debug)]
pub struct Local<'a> {
    /// Where the data are.
    pub data: &'a Store,
    /// How many jobs at once, at most; at least 1.
    pub jobs: usize,
    /// How many threads all of them have together; at least 1.
    pub threads: usize,
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

    fn execute(&mut self, order: &Order<'_>, book: &mut Book<'_>) -> Result<(), RunError> {
        let Order { plan, jobs, store, options } = order;
        let (workers, threads) = (self.workers(jobs.len()), self.threads());
        let work = Work::new(plan, jobs, self.data, store, options, workers);
        let mut left = jobs.to_vec();
        // First what nobody holds, then what others held: by then they have ended it, or were killed.
        for wait in [false, true] {
            if left.is_empty() {
                break;
            }
            if wait {
                book.tell(Event::Waiting { jobs: left.len() });
            }
            let queue = Queue::new(tickets(plan, &left), workers, threads);
            Phase { work: &work, queue: &queue, jobs: &left, wait }.run(workers, book)?;
            book.tally.not_run += queue.not_begun();
            left = queue.elsewhere().into_iter().map(|place| left[place]).collect();
            if book.tally.not_run > 0 {
                book.tally.not_run += left.len();
                break;
            }
        }
        Ok(())
    }
}

fn tickets(plan: &[Planned], jobs: &[usize]) -> Vec<Ticket> {
    let places: HashMap<&JobId, usize> = jobs.iter().enumerate().map(|(place, &job)| (&plan[job].id, place)).collect();
    let ticket = |&job: &usize| Ticket {
        after: plan[job].ensemble.as_ref().and_then(|id| places.get(id)).copied(),
        // Memory can be measured for the whole process only, so who is limited runs alone.
        alone: plan[job].job.limits.memory_bytes.is_some(),
    };
    jobs.iter().map(ticket).collect()
}

/// One pass of all workers over jobs.
struct Phase<'a> {
    work: &'a Work<'a>,
    queue: &'a Queue,
    jobs: &'a [usize],
    wait: bool,
}

impl Phase<'_> {
    fn run(&self, workers: usize, book: &mut Book<'_>) -> Result<(), RunError> {
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let send = send.clone();
                scope.spawn(move || self.work.labour(self.queue, self.jobs, self.wait, &send));
            }
            drop(send);
            let mut result = Ok(());
            while let Some(message) = book.next(&receive) {
                match message {
                    Some(Message::Event(event)) => book.tell(event),
                    Some(Message::Ended { job, record, seconds }) => book.enter(job, *record, seconds),
                    Some(Message::Broken(error)) => {
                        self.queue.stop();
                        result = Err(error);
                    }
                    None => {}
                }
                if result.is_ok()
                    && let Err(error) = book.write_if_due()
                {
                    self.queue.stop();
                    result = Err(error.into());
                }
            }
            result
        })
    }
}
