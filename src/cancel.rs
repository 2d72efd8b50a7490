//! Cooperative cancellation: long-running loops poll a per-thread check.
//!
//! A deadline or memory limit must reach every loop of learning and scoring, in every thread. Whoever sets a limit installs
//! a check on each of its threads; long loops call [`poll`]. A check cancels the work by unwinding to where the work
//! began. Polling has no other effect, so results never depend on it.

use std::cell::RefCell;
use std::sync::Arc;

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{self, AssertUnwindSafe};
    use std::sync::atomic::{AtomicUsize, Ordering};

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
}
