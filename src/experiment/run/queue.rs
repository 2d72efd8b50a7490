//! Which job is next, and how many threads it gets.
//!
//! A job has its own threads from beginning to end, so that it can be timed, and one that waits for its own threads never begins another. Together,
//! jobs have as many threads as the run may use: with many jobs left each gets an equal share, and the last ones
//! get what is free.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use super::shared::held;

/// What the queue knows of a job.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticket {
    /// The position of a job that must end before this one begins.
    pub after: Option<usize>,
    /// Whether nothing else may run meanwhile.
    pub alone: bool,
}

/// A job that is begun, and its threads.
#[derive(Debug, PartialEq, Eq)]
pub struct Taken {
    /// The position of the job in the queue.
    pub job: usize,
    /// Its threads.
    pub threads: usize,
}

/// How a job left the hands of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It has ended, here or elsewhere.
    Ended,
    /// Another process is at work on it.
    Elsewhere,
}

/// The jobs that are left.
#[derive(Debug)]
pub struct Queue {
    tickets: Vec<Ticket>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    waiting: VecDeque<usize>,
    left: Vec<Option<Left>>,
    /// Jobs that are begun.
    running: usize,
    /// Whether the one that is begun must be alone.
    is_alone: bool,
    /// Workers without a job.
    idle: usize,
    /// Threads that no job has.
    free: usize,
    stopped: bool,
}

impl Queue {
    /// All jobs in this order, for so many workers with so many threads between them.
    pub fn new(tickets: Vec<Ticket>, workers: usize, threads: usize) -> Self {
        let state = State {
            waiting: (0..tickets.len()).collect(),
            left: vec![None; tickets.len()],
            running: 0,
            is_alone: false,
            idle: workers,
            free: threads,
            stopped: false,
        };
        Queue { tickets, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// The next job; waits while none can begin, and is `None` once none is left to begin.
    pub fn take(&self) -> Option<Taken> {
        let mut state = held(&self.state);
        loop {
            self.put_off(&mut state);
            if state.stopped || state.waiting.is_empty() {
                return None;
            }
            if let Some(taken) = self.begin(&mut state) {
                return Some(taken);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What must come after a job that is elsewhere waits for it as well.
    fn put_off(&self, state: &mut State) {
        let State { waiting, left, .. } = state;
        waiting.retain(|&job| {
            let elsewhere = self.tickets[job].after.is_some_and(|first| left[first] == Some(Left::Elsewhere));
            if elsewhere {
                left[job] = Some(Left::Elsewhere);
            }
            !elsewhere
        });
    }

    fn begin(&self, state: &mut State) -> Option<Taken> {
        if state.free == 0 || state.is_alone {
            return None;
        }
        let is_ready = |job: &usize| {
            let ticket = &self.tickets[*job];
            ticket.after.is_none_or(|first| state.left[first] == Some(Left::Ended))
        };
        let ready: Vec<usize> = (0..state.waiting.len()).filter(|&i| is_ready(&state.waiting[i])).collect();
        let place = *ready.first()?;
        let job = state.waiting[place];
        let alone = self.tickets[job].alone;
        if alone && state.running > 0 {
            return None;
        }
        let beside = if alone { 1 } else { state.idle.min(ready.len()).max(1) };
        let threads = (state.free / beside).max(1);
        state.waiting.remove(place);
        state.running += 1;
        state.idle -= 1;
        state.free -= threads;
        state.is_alone = alone;
        Some(Taken { job, threads })
    }

    /// Gives a job back.
    pub fn give_back(&self, taken: &Taken, left: Left) {
        let mut state = held(&self.state);
        state.left[taken.job] = Some(left);
        state.running -= 1;
        state.idle += 1;
        state.free += taken.threads;
        state.is_alone = false;
        self.changed.notify_all();
    }

    /// Begins no more jobs.
    pub fn stop(&self) {
        held(&self.state).stopped = true;
        self.changed.notify_all();
    }

    /// The jobs that are elsewhere, in order, once nobody takes any more.
    pub fn elsewhere(&self) -> Vec<usize> {
        let state = held(&self.state);
        (0..self.tickets.len()).filter(|&job| state.left[job] == Some(Left::Elsewhere)).collect()
    }

    /// How many jobs were not begun.
    pub fn not_begun(&self) -> usize {
        held(&self.state).waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tickets(after: &[Option<usize>]) -> Vec<Ticket> {
        after.iter().map(|&after| Ticket { after, alone: false }).collect()
    }

    #[test]
    fn threads_are_shared_and_the_last_job_gets_what_is_free() {
        let queue = Queue::new(tickets(&[None; 3]), 2, 4);
        let first = queue.take().unwrap();
        let second = queue.take().unwrap();
        assert_eq!((first.job, first.threads, second.job, second.threads), (0, 2, 1, 2));
        queue.give_back(&first, Left::Ended);
        queue.give_back(&second, Left::Ended);
        let third = queue.take().unwrap();
        assert_eq!((third.job, third.threads), (2, 4));
        assert_eq!(queue.take(), None);
    }

    #[test]
    fn what_comes_after_waits() {
        // 1 copies 0; 2 is free to begin.
        let queue = Queue::new(tickets(&[None, Some(0), None]), 2, 2);
        let first = queue.take().unwrap();
        let other = queue.take().unwrap();
        assert_eq!((first.job, other.job), (0, 2));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| queue.take());
            queue.give_back(&first, Left::Ended);
            assert_eq!(waits.join().unwrap().unwrap().job, 1);
        });
    }

    #[test]
    fn what_is_elsewhere_takes_along_what_comes_after() {
        let queue = Queue::new(tickets(&[None, Some(0), None]), 1, 1);
        let first = queue.take().unwrap();
        queue.give_back(&first, Left::Elsewhere);
        let next = queue.take().unwrap();
        assert_eq!(next.job, 2);
        queue.give_back(&next, Left::Ended);
        assert_eq!(queue.take(), None);
        assert_eq!(queue.elsewhere(), [0, 1]);
    }

    #[test]
    fn alone_means_alone_and_stop_means_stop() {
        let mut list = tickets(&[None; 4]);
        list[1].alone = true;
        let queue = Queue::new(list, 2, 2);
        let first = queue.take().unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| queue.take());
            queue.give_back(&first, Left::Ended);
            let alone = waits.join().unwrap().unwrap();
            assert_eq!((alone.job, alone.threads), (1, 2));
            let waits = scope.spawn(|| queue.take());
            queue.give_back(&alone, Left::Ended);
            assert_eq!(waits.join().unwrap().unwrap().job, 2);
        });
        queue.stop();
        assert_eq!(queue.take(), None);
        assert_eq!(queue.not_begun(), 1);
    }
}
