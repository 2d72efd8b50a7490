//! Work that takes long asks, now and then, whether somebody still waits for it.
//!
//! Learning and scoring are deep and wide; a limit of time or memory must reach into all of it, in every thread. So whoever sets a limit
//! gives each of its threads somebody to ask, and whoever does something long asks. Who does not wait any more unwinds, and finds that
//! where the work began. Nothing else ever comes of asking: results do not depend on it.

use std::cell::RefCell;
use std::sync::Arc;

/// Somebody who unwinds when the work shall end.
pub type Waiting = Arc<dyn Fn() + Send + Sync>;

thread_local! {
    static WAITING: RefCell<Option<Waiting>> = const { RefCell::new(None) };
}

/// Whom the calling thread asks from now on.
pub fn set(waiting: Option<Waiting>) {
    WAITING.with(|current| *current.borrow_mut() = waiting);
}

/// Asks, if there is somebody. It costs a few nanoseconds if there is not.
#[inline]
pub fn ask() {
    // Who is asked may unwind, so nothing is borrowed meanwhile.
    let waiting = WAITING.with(|current| current.borrow().clone());
    if let Some(waiting) = waiting {
        waiting();
    }
}

/// So many short pieces of work are done between two questions.
const PIECES: usize = 64;

/// What `f` makes of each item, in order; asks every so often.
pub fn map<T, R>(items: &[T], mut f: impl FnMut(&T) -> R) -> Vec<R> {
    let mut made = Vec::with_capacity(items.len());
    for some in items.chunks(PIECES) {
        ask();
        made.extend(some.iter().map(&mut f));
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{self, AssertUnwindSafe};
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn long_work_is_ended_by_whoever_does_not_wait() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        set(Some(Arc::new(move || {
            if counter.fetch_add(1, Ordering::Relaxed) == 3 {
                panic::resume_unwind(Box::new("enough"));
            }
        })));
        let items: Vec<usize> = (0..10_000).collect();
        let mut done = 0;
        let ended = panic::catch_unwind(AssertUnwindSafe(|| map(&items, |_| done += 1)));
        assert_eq!(ended.unwrap_err().downcast_ref(), Some(&"enough"));
        assert_eq!((done, asked.load(Ordering::Relaxed)), (3 * PIECES, 4));
        set(None);
        assert_eq!(map(&items, |i| i + 1), (1..10_001).collect::<Vec<_>>());
        assert_eq!(asked.load(Ordering::Relaxed), 4);
    }
}
