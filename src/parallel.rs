//! Work that is shared between threads only where that pays.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// Waking another thread takes as long as some thousand steps of a loop; with less to do than this, one thread is faster.
const WORTH_SHARING: usize = 1 << 15;

/// To start the threads takes as long as so many steps, and a small training has done everything before.
const WORTH_STARTING: usize = 1 << 19;

/// Whether so many steps are worth another thread.
///
/// Threads start when they are first asked for. Whoever has little to do is done before they have started, and whoever has
/// much loses nothing by doing the first of it alone; so they are not asked for before some work was done, unless this is one of them.
pub fn pays(steps: usize) -> bool {
    static DONE: AtomicUsize = AtomicUsize::new(0);
    if steps < WORTH_SHARING {
        return false;
    }
    if rayon::current_thread_index().is_some() {
        return true;
    }
    let before = DONE.load(Ordering::Relaxed);
    if before < WORTH_STARTING {
        DONE.store(before.saturating_add(steps), Ordering::Relaxed);
    }
    before.saturating_add(steps) >= WORTH_STARTING
}

/// What `f` makes of each item, in order. `steps` says about how long one takes, in steps of a simple loop.
pub fn map<T: Sync, R: Send>(items: &[T], steps: usize, f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    if items.len() < 2 || !pays(items.len().saturating_mul(steps)) {
        return items.iter().map(f).collect();
    }
    let together = (WORTH_SHARING / 8 / steps.max(1)).max(1);
    items.par_iter().with_min_len(together).map(f).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn little_and_much_work_give_the_same() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled: Vec<usize> = items.iter().map(|i| 2 * i).collect();
        for steps in [0, 1, 100, usize::MAX] {
            assert_eq!(map(&items, steps, |i| 2 * i), doubled);
        }
    }
}
