//! Cooperative cancellation: long-running loops poll a per-thread check.
//!
//! A deadline or memory limit must reach every loop of learning and scoring, in every thread. The
//! code that sets a limit installs a check on each of its threads; long loops call [`poll`]. A
//! check cancels the work by unwinding to where the work began. Polling has no other effect, so
//! results never depend on it.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

/// A check that unwinds when the work is to be cancelled, and returns otherwise.
pub type Check = Arc<dyn Fn() + Send + Sync>;

thread_local! {
    static CHECK: RefCell<Option<Check>> = const { RefCell::new(None) };
}

/// Installs or removes the check of the calling thread.
pub fn set(check: Option<Check>) {
    CHECK.with(|current| *current.borrow_mut() = check);
}

/// Runs the check of the calling thread; takes a few nanoseconds if there is none.
#[inline]
pub fn poll() {
    // The check may unwind, so the cell is not borrowed while it runs.
    let check = CHECK.with(|current| current.borrow().clone());
    if let Some(check) = check {
        check();
    }
}

/// Number of short steps, such as copies of a row, between two polls.
const SHORT_STEPS: usize = 1 << 16;

/// Polls at every 65,536th of many short steps, beginning with the first.
#[inline]
pub fn poll_at(step: usize) {
    if step.is_multiple_of(SHORT_STEPS) {
        poll();
    }
}

/// Number of items processed between two polls of [`map`].
const CHUNK: usize = 64;

/// Applies `f` to each item in order, polling between chunks.
pub fn map<T, R>(items: &[T], mut f: impl FnMut(&T) -> R) -> Vec<R> {
    let mut results = Vec::with_capacity(items.len());
    for chunk in items.chunks(CHUNK) {
        poll();
        results.extend(chunk.iter().map(&mut f));
    }
    results
}

/// A handle that cancels the work that was started with it, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Token(Arc<AtomicBool>);

impl Token {
    /// Requests cancellation; the work ends at its next poll.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why [`run`] has no result.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The token was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The worker threads could not be started.
    #[error("cannot start worker threads: {0}")]
    Threads(#[from] ThreadPoolBuildError),
}

/// The payload that unwinds cancelled work; its type distinguishes it from a panic.
struct Unwind;

/// Runs `work` until it ends or `token` is cancelled.
///
/// The work has worker threads of its own, so that its check reaches no other work.
///
/// # Errors
/// If the token is cancelled before the work ends, or no thread can be started.
pub fn run<R: Send>(token: &Token, work: impl FnOnce() -> R + Send) -> Result<R, Stopped> {
    let pool = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build()?;
    let token = token.clone();
    let check: Check = Arc::new(move || {
        if token.is_cancelled() {
            panic::resume_unwind(Box::new(Unwind));
        }
    });
    pool.broadcast(|_| set(Some(Arc::clone(&check))));
    let guarded = || {
        poll();
        work()
    };
    panic::catch_unwind(AssertUnwindSafe(|| pool.install(guarded))).map_err(|payload| match payload.is::<Unwind>() {
        true => Stopped::Cancelled,
        false => panic::resume_unwind(payload),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn a_check_that_unwinds_cancels_the_work() {
        let polled = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&polled);
        set(Some(Arc::new(move || {
            if counter.fetch_add(1, Ordering::Relaxed) == 3 {
                panic::resume_unwind(Box::new("enough"));
            }
        })));
        let items: Vec<usize> = (0..10_000).collect();
        let mut done = 0;
        let ended = panic::catch_unwind(AssertUnwindSafe(|| map(&items, |_| done += 1)));
        assert_eq!(ended.unwrap_err().downcast_ref(), Some(&"enough"));
        assert_eq!((done, polled.load(Ordering::Relaxed)), (3 * CHUNK, 4));
        set(None);
        assert_eq!(map(&items, |i| i + 1), (1..10_001).collect::<Vec<_>>());
        assert_eq!(polled.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn short_steps_poll_now_and_then() {
        let polled = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&polled);
        set(Some(Arc::new(move || {
            counter.fetch_add(1, Ordering::Relaxed);
        })));
        (0..=2 * SHORT_STEPS).for_each(poll_at);
        set(None);
        assert_eq!(polled.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn a_token_cancels_its_own_work_only() {
        let (token, other) = (Token::default(), Token::default());
        assert_eq!(run(&token, || 7).unwrap(), 7);
        token.cancel();
        assert!(matches!(run(&token, || 7), Err(Stopped::Cancelled)));
        let endless = std::thread::scope(|scope| {
            scope.spawn(|| other.cancel());
            run(&other, || -> u32 {
                loop {
                    poll();
                }
            })
        });
        assert!(matches!(endless, Err(Stopped::Cancelled)));
        assert_eq!(run(&Token::default(), || 7).unwrap(), 7);
    }

    #[test]
    fn a_panic_of_the_work_stays_a_panic() {
        let caught = panic::catch_unwind(|| run(&Token::default(), || -> u32 { panic::resume_unwind(Box::new(5u8)) }));
        assert_eq!(caught.err().and_then(|payload| payload.downcast().ok()), Some(Box::new(5u8)));
    }
}
