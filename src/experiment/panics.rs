//! Panics as values: recorded with their location instead of printed.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, Once, PoisonError};

/// Location of the last panic in a group of threads.
#[derive(Clone, Debug, Default)]
pub struct PanicLocation(Arc<Mutex<Option<String>>>);

impl PanicLocation {
    /// Returns the location and clears it.
    pub fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, location: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = location;
    }
}

thread_local! {
    static LOCATION: RefCell<Option<PanicLocation>> = const { RefCell::new(None) };
}

/// Makes the panics of the calling thread recorded instead of printed.
pub fn record_panics(location: &PanicLocation) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default_hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let location = LOCATION.with(|location| location.borrow().clone());
            match location {
                Some(location) => location.set(info.location().map(ToString::to_string)),
                None => default_hook(info),
            }
        }));
    });
    LOCATION.with(|current| *current.borrow_mut() = Some(location.clone()));
}

/// Runs foreign code that may panic; a panic becomes an error and prints nothing.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = LOCATION.with(|current| current.borrow().clone());
    record_panics(&PanicLocation::default());
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    LOCATION.with(|current| *current.borrow_mut() = before);
    result.map_err(|payload| message(&*payload))
}

/// Returns the message of a panic.
pub fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(catch_panic(|| 1), Ok(1));
        assert_eq!(catch_panic(|| -> u8 { panic!("no") }), Err("no".to_owned()));
    }
}
