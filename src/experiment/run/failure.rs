//! Failures of a job: errors, panics and exceeded limits.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::machine;
use crate::experiment::job::Limits;
use crate::experiment::panics::{PanicLocation, message};
use crate::experiment::store::FailureKind;
use crate::learn::LearnError;

/// Reason why a job has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Category of the failure.
    pub kind: FailureKind,
    /// The message.
    pub message: String,
}

impl Failure {
    /// Returns the failure of data or parameters that do not allow the job.
    pub fn error(message: impl ToString) -> Self {
        Failure { kind: FailureKind::Error, message: message.to_string() }
    }

    /// Returns the failure of a learner.
    pub fn of_learning(error: &LearnError) -> Self {
        let refused = matches!(error, LearnError::Cannot { .. });
        let kind = if refused { FailureKind::Refused } else { FailureKind::Error };
        Failure { kind, message: error.to_string() }
    }

    /// Returns the failure of an exceeded time limit.
    pub fn time_limit(limit: Duration) -> Self {
        // The actual time would differ between runs, and the message is part of the results.
        let message = format!("exceeded the time limit of {} s", limit.as_secs_f64());
        Failure { kind: FailureKind::TimeLimit, message }
    }

    /// Returns the failure of an exceeded memory limit.
    pub fn memory_limit(bytes: u64) -> Self {
        let message = format!("exceeded the memory limit of {bytes} bytes");
        Failure { kind: FailureKind::MemoryLimit, message }
    }
}

/// Runs a job; a panic becomes a failure.
pub fn guard<T>(location: &PanicLocation, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // Partial results are discarded with the job.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(caught(location, payload)))
}

fn caught(location: &PanicLocation, payload: Box<dyn Any + Send>) -> Failure {
    let payload = match payload.downcast::<Failure>() {
        Ok(failure) => return *failure,
        Err(payload) => payload,
    };
    let text = message(&*payload);
    let place = location.take().map_or_else(String::new, |place| format!(" at {place}"));
    Failure { kind: FailureKind::Panic, message: format!("this is a bug in lrbm: panic{place}: {text}") }
}

/// Monitor of the limits of a job, in the process that runs it.
#[derive(Debug)]
pub struct LimitMonitor {
    limits: Limits,
    began: Instant,
    /// Time of the next memory check in milliseconds since the start: reading it is a system call.
    next_memory_check: AtomicU64,
}

/// Milliseconds between two memory checks.
const MEMORY_CHECK_MILLISECONDS: u64 = 5;

impl LimitMonitor {
    /// Starts monitoring a job. A memory limit applies to the whole process, which must therefore
    /// run nothing else.
    pub fn begin(limits: Limits) -> Self {
        LimitMonitor { limits, began: Instant::now(), next_memory_check: AtomicU64::new(0) }
    }

    /// Returns the failure if a limit is exceeded.
    pub fn exceeded(&self) -> Option<Failure> {
        if let Some(limit) = self.limits.time.filter(|limit| self.began.elapsed() > *limit) {
            return Some(Failure::time_limit(limit));
        }
        self.limits.memory_bytes?;
        let now = self.began.elapsed().as_millis() as u64;
        if now < self.next_memory_check.load(Ordering::Relaxed) {
            return None;
        }
        self.next_memory_check.store(now + MEMORY_CHECK_MILLISECONDS, Ordering::Relaxed);
        self.exceeded_memory()
    }

    /// Returns the failure if the process ever exceeded the memory limit. The system keeps the
    /// peak, so the answer does not depend on when it is asked for: at the end of a job it also
    /// covers peaks between two checks.
    pub fn exceeded_memory(&self) -> Option<Failure> {
        let limit = self.limits.memory_bytes?;
        (machine::peak_memory_bytes()? > limit).then(|| Failure::memory_limit(limit))
    }

    /// Ends the job if a limit is exceeded, by unwinding out of the learner.
    pub fn check(&self) {
        if let Some(failure) = self.exceeded() {
            // Unwinding without a panic: nothing is printed, and `guard` returns the failure.
            panic::resume_unwind(Box::new(failure));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::panics::record_panics;

    #[test]
    fn panics_and_exceeded_limits_are_failures() {
        let location = PanicLocation::default();
        let run = |work: fn() -> Result<u8, Failure>| {
            let location = location.clone();
            std::thread::spawn(move || {
                record_panics(&location);
                guard(&location, work)
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
            let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
            LimitMonitor::begin(limits).check();
            Ok(1)
        });
        assert_eq!(late.unwrap_err().kind, FailureKind::TimeLimit);
        assert_eq!(LimitMonitor::begin(Limits::default()).exceeded(), None);
        let memory = |bytes| LimitMonitor::begin(Limits { memory_bytes: Some(bytes), ..Limits::default() });
        assert_eq!(memory(u64::MAX).exceeded(), None);
        if cfg!(target_os = "linux") {
            assert_eq!(memory(1).exceeded().unwrap().kind, FailureKind::MemoryLimit);
        }
    }
}
