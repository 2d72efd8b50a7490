//! How a job fails: by an error, by a bug, or by a limit.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, Once};
use std::time::Instant;

use super::machine;
use super::shared::held;
use crate::experiment::Limits;
use crate::experiment::store::FailureKind;
use crate::learn::LearnError;

/// Why a job has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// The message.
    pub message: String,
}

impl Failure {
    /// Data or parameters that do not allow it.
    pub fn error(message: impl ToString) -> Self {
        Failure { kind: FailureKind::Error, message: message.to_string() }
    }

    /// What a learner says.
    pub fn of_learning(error: &LearnError) -> Self {
        let refused = matches!(error, LearnError::Cannot { .. });
        let kind = if refused { FailureKind::Refused } else { FailureKind::Error };
        Failure { kind, message: error.to_string() }
    }
}

/// Where the threads of a job leave word of where they panicked.
pub type Scene = Arc<Mutex<Option<String>>>;

thread_local! {
    static SCENE: RefCell<Option<Scene>> = const { RefCell::new(None) };
}

/// Makes the calling thread one whose panics are recorded instead of printed.
pub fn watch_thread(scene: &Scene) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let otherwise = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let scene = SCENE.with(|scene| scene.borrow().clone());
            match scene {
                Some(scene) => *held(&scene) = info.location().map(ToString::to_string),
                None => otherwise(info),
            }
        }));
    });
    SCENE.with(|current| *current.borrow_mut() = Some(Arc::clone(scene)));
}

/// Does something that may panic in code that is not ours; a panic is an error and prints nothing.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let scene = Scene::default();
    let before = SCENE.with(|current| current.borrow().clone());
    watch_thread(&scene);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    SCENE.with(|current| *current.borrow_mut() = before);
    result.map_err(|payload| text_of(&*payload))
}

/// Does the work of a job; a panic in it is a failure.
pub fn guard<T>(scene: &Scene, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // What the work leaves half done is thrown away with the job.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(caught(scene, payload)))
}

fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

fn caught(scene: &Scene, payload: Box<dyn Any + Send>) -> Failure {
    let payload = match payload.downcast::<Failure>() {
        Ok(failure) => return *failure,
        Err(payload) => payload,
    };
    let text = text_of(&*payload);
    let place = held(scene).take().map_or_else(String::new, |place| format!(" at {place}"));
    Failure { kind: FailureKind::Panic, message: format!("this is a bug in lrbm: panicked{place}: {text}") }
}

/// Looks, now and then, whether a job has come to its limits.
#[derive(Debug)]
pub struct Watch {
    limits: Limits,
    began: Instant,
    memory_before: u64,
}

impl Watch {
    /// Begins to watch a job.
    pub fn begin(limits: Limits) -> Self {
        let memory_before = limits.memory_bytes.and_then(|_| machine::memory_bytes()).unwrap_or(0);
        Watch { limits, began: Instant::now(), memory_before }
    }

    /// The failure, if a limit is passed.
    pub fn look(&self) -> Option<Failure> {
        if let Some(limit) = self.limits.time.filter(|limit| self.began.elapsed() > *limit) {
            // The time it really took would differ from run to run, and the message is part of the results.
            let message = format!("stopped after its time limit of {} s", limit.as_secs_f64());
            return Some(Failure { kind: FailureKind::TimeLimit, message });
        }
        let limit = self.limits.memory_bytes?;
        let grown = machine::memory_bytes()?.saturating_sub(self.memory_before);
        (grown > limit).then(|| {
            let message = format!("stopped at its memory limit of {limit} bytes");
            Failure { kind: FailureKind::MemoryLimit, message }
        })
    }

    /// Ends the job if a limit is passed, from wherever it is in the learner.
    pub fn check(&self) {
        if let Some(failure) = self.look() {
            // Unwinding without a panic: no message is printed and the guard finds the failure.
            panic::resume_unwind(Box::new(failure));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn panics_and_limits_are_failures() {
        let scene = Scene::default();
        let run = |work: fn() -> Result<u8, Failure>| {
            let scene = Arc::clone(&scene);
            std::thread::spawn(move || {
                watch_thread(&scene);
                guard(&scene, work)
            })
            .join()
            .unwrap()
        };
        assert_eq!(run(|| Ok(1)), Ok(1));
        assert_eq!(run(|| Err(Failure::error("no"))).unwrap_err().message, "no");
        let bug = run(|| panic!("at the {}", "disco")).unwrap_err();
        assert_eq!(bug.kind, FailureKind::Panic);
        assert!(bug.message.contains("failure.rs:") && bug.message.ends_with(": at the disco"), "{}", bug.message);
        let late = run(|| {
            let limits = Limits { time: Some(Duration::ZERO), memory_bytes: None };
            Watch::begin(limits).check();
            Ok(1)
        });
        assert_eq!(late.unwrap_err().kind, FailureKind::TimeLimit);
        assert_eq!(Watch::begin(Limits::default()).look(), None);
        assert_eq!(quietly(|| 1), Ok(1));
        assert_eq!(quietly(|| -> u8 { panic!("no") }), Err("no".to_owned()));
    }
}
