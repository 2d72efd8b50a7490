//! Things that several jobs need: made once by the first, kept until the last has ended.

use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::determinism::HashMap;

/// Values that are made once for all their users.
#[derive(Debug)]
pub struct Shared<K, V, E> {
    slots: Mutex<HashMap<K, Slot<V, E>>>,
}

#[derive(Debug)]
struct Slot<V, E> {
    users: usize,
    value: Arc<Mutex<Made<V, E>>>,
}

/// A value, or why there is none; `None` until somebody has tried.
type Made<V, E> = Option<Result<Arc<V>, E>>;

impl<K: Hash + Eq + Clone, V, E: Clone> Shared<K, V, E> {
    /// Nothing made yet, for users that need one value each.
    pub fn new(users: impl IntoIterator<Item = K>) -> Self {
        let mut slots: HashMap<K, Slot<V, E>> = HashMap::default();
        for key in users {
            slots.entry(key).or_insert_with(|| Slot { users: 0, value: Arc::default() }).users += 1;
        }
        Shared { slots: Mutex::new(slots) }
    }

    /// The value of a key; the first who asks makes it while the others wait. A failure is kept as well.
    pub fn get(&self, key: &K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        let slot = held(&self.slots).get(key).map(|slot| Arc::clone(&slot.value));
        let Some(slot) = slot else { return make().map(Arc::new) };
        let mut value = held(&slot);
        value.get_or_insert_with(|| make().map(Arc::new)).clone()
    }

    /// Offers a value that was made anyway; it is kept if somebody needs it.
    pub fn offer(&self, key: &K, value: impl FnOnce() -> V) {
        let slot = held(&self.slots).get(key).map(|slot| Arc::clone(&slot.value));
        if let Some(slot) = slot {
            *held(&slot) = Some(Ok(Arc::new(value())));
        }
    }

    /// Says that one user has ended; after the last, the value goes.
    pub fn release(&self, key: &K) {
        let mut slots = held(&self.slots);
        if let Some(slot) = slots.get_mut(key) {
            slot.users -= 1;
            if slot.users == 0 {
                slots.remove(key);
            }
        }
    }
}

/// A lock that is good after a panic too: what it guards is replaced whole or not at all.
pub fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_once_and_gone_after_the_last() {
        let shared: Shared<&str, u32, String> = Shared::new(["a", "a", "b"]);
        let mut made = 0;
        for _ in 0..2 {
            let value = shared.get(&"a", || {
                made += 1;
                Ok(7)
            });
            assert_eq!(*value.unwrap(), 7);
        }
        assert_eq!(made, 1);
        assert_eq!(shared.get(&"b", || Err("no".to_owned())), Err("no".to_owned()));
        assert_eq!(shared.get(&"b", || Ok(1)), Err("no".to_owned()));
        shared.release(&"a");
        assert_eq!(*shared.get(&"a", || Ok(8)).unwrap(), 7);
        shared.release(&"a");
        assert_eq!(*shared.get(&"a", || Ok(8)).unwrap(), 8);
        // Nobody needs it: it is not kept.
        shared.offer(&"a", || 9);
        assert_eq!(*shared.get(&"a", || Ok(10)).unwrap(), 10);
        shared.offer(&"b", || 11);
        assert_eq!(*shared.get(&"b", || Ok(1)).unwrap(), 11);
    }

    #[test]
    fn a_panic_while_making_is_no_value() {
        let shared: Shared<u8, u32, String> = Shared::new([1]);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| shared.get(&1, || panic!("made badly"))));
        assert!(caught.is_err());
        assert_eq!(*shared.get(&1, || Ok(3)).unwrap(), 3);
    }
}
