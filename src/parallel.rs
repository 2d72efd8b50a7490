//! Parallel iteration that falls back to one thread for small workloads.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// Minimum work, in steps of a simple loop, for which waking another thread is worthwhile.
const MIN_PARALLEL_STEPS: usize = 1 << 15;

/// Work to be done before the thread pool is started; a small training finishes before that.
const POOL_START_STEPS: usize = 1 << 19;

/// Returns whether a workload of `steps` is worth parallelizing.
///
/// The thread pool starts on first use, which takes time. Short runs finish before it would be
/// ready, and long runs lose little by doing the first part sequentially. The pool is therefore not
/// used before enough work was done, unless the caller already runs in it.
pub fn is_worthwhile(steps: usize) -> bool {
    static DONE: AtomicUsize = AtomicUsize::new(0);
    if steps < MIN_PARALLEL_STEPS {
        return false;
    }
    if rayon::current_thread_index().is_some() {
        return true;
    }
    let before = DONE.load(Ordering::Relaxed);
    if before < POOL_START_STEPS {
        DONE.store(before.saturating_add(steps), Ordering::Relaxed);
    }
    before.saturating_add(steps) >= POOL_START_STEPS
}

/// Maps `f` over the items in order; `steps` estimates the cost of one item in steps of a simple
/// loop.
pub fn map<T: Sync, R: Send>(items: &[T], steps: usize, f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    if items.len() < 2 || !is_worthwhile(items.len().saturating_mul(steps)) {
        return items.iter().map(f).collect();
    }
    let min_len = (MIN_PARALLEL_STEPS / 8 / steps.max(1)).max(1);
    collected(items.par_iter().with_min_len(min_len).map(f))
}

/// Returns the items of a parallel iterator in order. `collect` would also compile what iterators
/// of unknown length need.
pub fn collected<T: Send>(items: impl IndexedParallelIterator<Item = T>) -> Vec<T> {
    let mut result = Vec::new();
    items.collect_into_vec(&mut result);
    result
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_do_not_depend_on_parallelism() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled: Vec<usize> = items.iter().map(|i| 2 * i).collect();
        for steps in [0, 1, 100, usize::MAX] {
            assert_eq!(map(&items, steps, |i| 2 * i), doubled);
        }
    }
}
