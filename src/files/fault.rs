//! Fault injection for disk and clock, used by tests of crash safety.
//!
//! Every disk operation passes a fault point first. The variable `LRBM_TEST_FAULT` selects a fault:
//! `stop:N` aborts the process at the N-th point without cleanup, after writing half of any pending
//! bytes; `full:N` simulates a full disk from the N-th point on; `once:N` does so at the N-th point
//! only; `clock:N` sets the clock back by N more seconds on each reading.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment variable that selects a fault.
pub const VARIABLE: &str = "LRBM_TEST_FAULT";

/// A kind of disk operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Creation of a file or directory.
    Create,
    /// Writing bytes to a file.
    Write,
    /// Syncing to disk.
    Sync,
    /// Renaming.
    Rename,
    /// Removal.
    Remove,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultKind {
    Stop,
    Full,
    Once,
    Clock,
}

static POINTS_PASSED: AtomicU64 = AtomicU64::new(0);
static CLOCK_READS: AtomicU64 = AtomicU64::new(0);

fn configured() -> Option<(FaultKind, u64)> {
    static CONFIGURED: OnceLock<Option<(FaultKind, u64)>> = OnceLock::new();
    *CONFIGURED.get_or_init(|| parse(&std::env::var(VARIABLE).ok()?))
}

fn parse(text: &str) -> Option<(FaultKind, u64)> {
    let (kind, number) = text.split_once(':')?;
    let kind = match kind {
        "stop" => FaultKind::Stop,
        "full" => FaultKind::Full,
        "once" => FaultKind::Once,
        "clock" => FaultKind::Clock,
        _ => return None,
    };
    Some((kind, number.parse().ok()?))
}

/// Passes a fault point.
///
/// # Errors
/// If a full disk is simulated.
pub fn point(operation: Operation) -> io::Result<()> {
    pass(operation, || ())
}

/// Writes bytes after passing a fault point.
///
/// # Errors
/// If writing fails or a full disk is simulated.
pub fn write(out: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    pass(Operation::Write, || {
        let half = bytes.get(..bytes.len() / 2).unwrap_or_default();
        let _ = out.write_all(half).and_then(|()| out.flush());
    })?;
    out.write(bytes)
}

fn pass(operation: Operation, before_abort: impl FnOnce()) -> io::Result<()> {
    let Some((kind, number)) = configured() else { return Ok(()) };
    match kind {
        FaultKind::Clock => Ok(()),
        FaultKind::Stop => {
            if POINTS_PASSED.fetch_add(1, Ordering::SeqCst) + 1 == number {
                before_abort();
                std::process::abort();
            }
            Ok(())
        }
        // Renaming and removing work on a full disk.
        FaultKind::Full | FaultKind::Once if matches!(operation, Operation::Create | Operation::Write) => {
            let passed = POINTS_PASSED.fetch_add(1, Ordering::SeqCst) + 1;
            if passed == number || (passed > number && kind == FaultKind::Full) {
                return Err(io::Error::new(io::ErrorKind::StorageFull, "injected fault: no space left on device"));
            }
            Ok(())
        }
        FaultKind::Full | FaultKind::Once => Ok(()),
    }
}

/// Returns by how many seconds the simulated clock is behind at this reading.
pub fn clock_offset() -> u64 {
    match configured() {
        Some((FaultKind::Clock, seconds)) => seconds.saturating_mul(CLOCK_READS.fetch_add(1, Ordering::SeqCst)),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_faults_are_ignored() {
        assert_eq!(parse("stop:17"), Some((FaultKind::Stop, 17)));
        assert_eq!(parse("full:1"), Some((FaultKind::Full, 1)));
        assert_eq!(parse("once:2"), Some((FaultKind::Once, 2)));
        assert_eq!(parse("clock:3600"), Some((FaultKind::Clock, 3600)));
        for other in ["panic:fold 2", "stop", "stop:", "stop:-1", "full:x", ""] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn fault_points_pass_without_a_fault() {
        point(Operation::Create).unwrap();
        let mut out = Vec::new();
        assert_eq!(write(&mut out, b"abc").unwrap(), 3);
        assert_eq!((out.as_slice(), clock_offset()), (b"abc".as_slice(), 0));
    }
}
