//! Values shared by several jobs: created by the first, kept until the last has ended.

use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::determinism::HashMap;

/// Reference-counted values, each created once for all its users.
#[derive(Debug)]
pub struct Shared<K, V, E> {
    slots: Mutex<HashMap<K, Slot<V, E>>>,
}

#[derive(Debug)]
struct Slot<V, E> {
    users: usize,
    value: Arc<Mutex<Created<V, E>>>,
}

/// A value or the error of creating it; `None` until the first attempt.
type Created<V, E> = Option<Result<Arc<V>, E>>;

impl<K: Hash + Eq + Clone, V, E: Clone> Shared<K, V, E> {
    /// Creates an empty collection for users that need one value each.
    pub fn new(users: impl IntoIterator<Item = K>) -> Self {
        let mut slots: HashMap<K, Slot<V, E>> = HashMap::default();
        for key in users {
            slots.entry(key).or_insert_with(|| Slot { users: 0, value: Arc::default() }).users += 1;
        }
        Shared { slots: Mutex::new(slots) }
    }

    /// Returns the value of a key; the first caller creates it while others block. Errors are kept.
    pub fn get(&self, key: &K, create: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        let slot = lock(&self.slots).get(key).map(|slot| Arc::clone(&slot.value));
        let Some(slot) = slot else { return create().map(Arc::new) };
        let mut value = lock(&slot);
        value.get_or_insert_with(|| create().map(Arc::new)).clone()
    }

    /// Stores a value that was created anyway, if it has users.
    pub fn offer(&self, key: &K, value: impl FnOnce() -> V) {
        let slot = lock(&self.slots).get(key).map(|slot| Arc::clone(&slot.value));
        if let Some(slot) = slot {
            *lock(&slot) = Some(Ok(Arc::new(value())));
        }
    }

    /// Releases one user; the value is dropped after the last.
    pub fn release(&self, key: &K) {
        let mut slots = lock(&self.slots);
        if let Some(slot) = slots.get_mut(key) {
            slot.users -= 1;
            if slot.users == 0 {
                slots.remove(key);
            }
        }
    }
}

/// Locks a mutex, ignoring poisoning: guarded values are always replaced entirely.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_created_once_and_dropped_after_its_last_user() {
        let shared: Shared<&str, u32, String> = Shared::new(["a", "a", "b"]);
        let mut created = 0;
        for _ in 0..2 {
            let value = shared.get(&"a", || {
                created += 1;
                Ok(7)
            });
            assert_eq!(*value.unwrap(), 7);
        }
        assert_eq!(created, 1);
        assert_eq!(shared.get(&"b", || Err("no".to_owned())), Err("no".to_owned()));
        assert_eq!(shared.get(&"b", || Ok(1)), Err("no".to_owned()));
        shared.release(&"a");
        assert_eq!(*shared.get(&"a", || Ok(8)).unwrap(), 7);
        shared.release(&"a");
        assert_eq!(*shared.get(&"a", || Ok(8)).unwrap(), 8);
        // Without users it is not kept.
        shared.offer(&"a", || 9);
        assert_eq!(*shared.get(&"a", || Ok(10)).unwrap(), 10);
        shared.offer(&"b", || 11);
        assert_eq!(*shared.get(&"b", || Ok(1)).unwrap(), 11);
    }

    #[test]
    fn a_panic_during_creation_leaves_no_value() {
        let shared: Shared<u8, u32, String> = Shared::new([1]);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| shared.get(&1, || panic!("made badly"))));
        assert!(caught.is_err());
        assert_eq!(*shared.get(&1, || Ok(3)).unwrap(), 3);
    }
}
