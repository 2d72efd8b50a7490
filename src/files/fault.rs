//! Faults of the disk and the clock on purpose, so that tests can see what is left of whatever was at work.
//!
//! Everything that changes the disk asks here first. With `LRBM_TEST_FAULT=stop:N` the process ends at the N-th such place, as
//! if it were killed: nothing is cleaned up, and of bytes on their way to a file half arrive. With `full:N` the N-th
//! place and all after it are on a full disk, with `once:N` only the N-th. With `clock:N` the clock jumps back by N seconds whenever somebody looks at it.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment variable that asks for faults.
pub const VARIABLE: &str = "LRBM_TEST_FAULT";

/// What is about to happen to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A file or directory is made.
    Make,
    /// Bytes are written to a file.
    Write,
    /// Bytes are handed to the disk.
    Sync,
    /// Something gets another name.
    Move,
    /// Something is removed.
    Remove,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Stop,
    Full,
    Once,
    Clock,
}

static POINTS: AtomicU64 = AtomicU64::new(0);
static LOOKS: AtomicU64 = AtomicU64::new(0);

fn asked() -> Option<(Kind, u64)> {
    static ASKED: OnceLock<Option<(Kind, u64)>> = OnceLock::new();
    *ASKED.get_or_init(|| parse(&std::env::var(VARIABLE).ok()?))
}

fn parse(text: &str) -> Option<(Kind, u64)> {
    let (kind, number) = text.split_once(':')?;
    let kind = match kind {
        "stop" => Kind::Stop,
        "full" => Kind::Full,
        "once" => Kind::Once,
        "clock" => Kind::Clock,
        _ => return None,
    };
    Some((kind, number.parse().ok()?))
}

/// Passes a place where the disk changes, or does not.
///
/// # Errors
/// If the disk is full on purpose.
pub fn point(act: Act) -> io::Result<()> {
    pass(act, || ())
}

/// Writes bytes, or does not.
///
/// # Errors
/// If they cannot be written, or the disk is full on purpose.
pub fn write(out: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    pass(Act::Write, || {
        let half = bytes.get(..bytes.len() / 2).unwrap_or_default();
        let _ = out.write_all(half).and_then(|()| out.flush());
    })?;
    out.write(bytes)
}

fn pass(act: Act, last_breath: impl FnOnce()) -> io::Result<()> {
    let Some((kind, number)) = asked() else { return Ok(()) };
    match kind {
        Kind::Clock => Ok(()),
        Kind::Stop => {
            if POINTS.fetch_add(1, Ordering::SeqCst) + 1 == number {
                last_breath();
                std::process::abort();
            }
            Ok(())
        }
        // Names can still be changed and files removed on a full disk.
        Kind::Full | Kind::Once if matches!(act, Act::Make | Act::Write) => {
            let place = POINTS.fetch_add(1, Ordering::SeqCst) + 1;
            if place == number || (place > number && kind == Kind::Full) {
                return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left, on purpose"));
            }
            Ok(())
        }
        Kind::Full | Kind::Once => Ok(()),
    }
}

/// By how many seconds the clock is behind, for whoever looks at it now.
pub fn clock_behind() -> u64 {
    match asked() {
        Some((Kind::Clock, seconds)) => seconds.saturating_mul(LOOKS.fetch_add(1, Ordering::SeqCst)),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_faults_of_the_disk_and_the_clock_are_taken() {
        assert_eq!(parse("stop:17"), Some((Kind::Stop, 17)));
        assert_eq!(parse("full:1"), Some((Kind::Full, 1)));
        assert_eq!(parse("once:2"), Some((Kind::Once, 2)));
        assert_eq!(parse("clock:3600"), Some((Kind::Clock, 3600)));
        for other in ["panic:fold 2", "stop", "stop:", "stop:-1", "full:x", ""] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn without_a_fault_everything_passes() {
        point(Act::Make).unwrap();
        let mut out = Vec::new();
        assert_eq!(write(&mut out, b"abc").unwrap(), 3);
        assert_eq!((out.as_slice(), clock_behind()), (b"abc".as_slice(), 0));
    }
}
