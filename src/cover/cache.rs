//! A map bounded by a memory budget, for answers that can be recomputed.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::determinism::HashMap;

/// A map under a budget of bytes, with GreedyDual-Size eviction in batches.
///
/// When it is full, the entries that are cheapest to recompute per byte and were not used lately
/// are evicted first; ties go to the least recently used.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    budget: usize,
    used: usize,
    /// The highest priority evicted so far. Entries used later start from here, so old entries age.
    floor: f64,
    /// The number of lookups and insertions, used as a clock.
    now: u64,
    entries: HashMap<K, Entry<V>>,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    bytes: usize,
    /// The cost of computing the value, per byte.
    cost_per_byte: f64,
    priority: f64,
    /// The clock at the last use.
    used_at: u64,
}

impl<K: Hash + Eq, V: Clone> Cache<K, V> {
    pub fn new(budget: usize) -> Self {
        Cache { budget, used: 0, floor: 0.0, now: 0, entries: HashMap::default() }
    }

    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.now += 1;
        let entry = self.entries.get_mut(key)?;
        (entry.priority, entry.used_at) = (self.floor + entry.cost_per_byte, self.now);
        Some(entry.value.clone())
    }

    /// Keeps a value of `bytes` that took `cost` to compute, unless it exceeds the budget by
    /// itself.
    pub fn insert(&mut self, key: K, value: V, bytes: usize, cost: u64) {
        if bytes > self.budget {
            return;
        }
        let cost_per_byte = cost as f64 / bytes.max(1) as f64;
        self.now += 1;
        let entry = Entry { value, bytes, cost_per_byte, priority: self.floor + cost_per_byte, used_at: self.now };
        self.used += bytes;
        if let Some(replaced) = self.entries.insert(key, entry) {
            self.used -= replaced.bytes;
        }
        if self.used > self.budget {
            self.evict();
        }
    }

    /// Removes and returns a value.
    pub fn take<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let entry = self.entries.remove(key)?;
        self.used -= entry.bytes;
        Some(entry.value)
    }

    /// Evicts the entries of lowest priority until at most three quarters of the budget are in use.
    fn evict(&mut self) {
        let rank = |entry: &Entry<V>| (entry.priority, entry.used_at);
        let order: Vec<(Rank, usize)> = self.entries.values().map(|e| (rank(e), e.bytes)).collect();
        let last = last_evicted(order, self.used - self.budget / 4 * 3).unwrap_or((self.floor, 0));
        self.floor = last.0;
        let used = &mut self.used;
        self.entries.retain(|_, entry| {
            let keep = compare(&rank(entry), &last).is_gt();
            *used -= if keep { 0 } else { entry.bytes };
            keep
        });
    }
}

/// The priority of an entry, and when it was last used.
type Rank = (f64, u64);

fn compare(a: &Rank, b: &Rank) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Returns the rank of the last entry to evict so that `wanted` bytes are freed; entries are given
/// with their bytes.
fn last_evicted(mut order: Vec<(Rank, usize)>, wanted: usize) -> Option<Rank> {
    order.sort_unstable_by(|a, b| compare(&a.0, &b.0));
    let mut freed = 0;
    let enough = order.iter().position(|(_, bytes)| {
        freed += bytes;
        freed >= wanted
    });
    enough.map_or(order.last(), |at| order.get(at)).map(|(rank, _)| *rank)
}

/// Locks a mutex and ignores poisoning: no thread leaves guarded data inconsistent, so a panic
/// elsewhere does not matter.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evicts_the_cheapest_entries_first_and_keeps_the_budget() {
        let mut cache: Cache<u32, u32> = Cache::new(100);
        for key in 0..10 {
            cache.insert(key, key, 10, u64::from(10 * key));
            assert!(cache.used <= 100);
        }
        assert_eq!(cache.get(&0), Some(0));
        cache.insert(10, 10, 10, 1000);
        assert!(cache.used <= 75);
        assert_eq!((cache.get(&0), cache.get(&9), cache.get(&10)), (None, Some(9), Some(10)));
    }

    #[test]
    fn evicts_the_least_recently_used_of_equal_entries_first() {
        let mut cache: Cache<u32, u32> = Cache::new(100);
        for key in 0..10 {
            cache.insert(key, key, 10, 10);
        }
        assert_eq!((cache.get(&0), cache.get(&2)), (Some(0), Some(2)));
        // 110 bytes; 35 are freed: 1, 3, 4 and 5.
        cache.insert(10, 10, 10, 10);
        let kept: Vec<u32> = (0..11).filter(|key| cache.get(key).is_some()).collect();
        assert_eq!((kept, cache.used), (vec![0, 2, 6, 7, 8, 9, 10], 70));
    }

    #[test]
    fn unused_entries_age() {
        let mut cache: Cache<u32, u32> = Cache::new(40);
        cache.insert(0, 0, 10, 50);
        for key in 1..100 {
            cache.insert(key, key, 10, 20);
        }
        assert_eq!(cache.get(&0), None);
    }

    #[test]
    fn a_value_above_the_budget_is_not_kept() {
        let mut cache: Cache<u32, u32> = Cache::new(5);
        cache.insert(1, 1, 6, 9);
        assert_eq!(cache.get(&1), None);
        cache.insert(1, 1, 5, 9);
        cache.insert(1, 2, 4, 9);
        assert_eq!((cache.get(&1), cache.used), (Some(2), 4));
    }
}
