//! Captured output of a command, bounded.

use std::fmt;
use std::io::Read;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::files::visible::visible;

/// Bytes that are kept from the beginning and from the end of an output.
const KEPT: usize = 32 << 10;
/// How long a process that outlives its command may hold the output open.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// Lines shown in a failure, and the characters of each.
const LINES: usize = 20;
const CHARACTERS: usize = 200;

/// An output that is read in the background.
pub struct Captured {
    kept: Arc<Mutex<Bounded>>,
    /// Closed at the end of the output.
    end: Receiver<()>,
}

impl Captured {
    /// Starts reading.
    pub fn of(from: impl Read + Send + 'static) -> Captured {
        let (send, end) = mpsc::channel();
        let (mut from, kept) = (from, Arc::<Mutex<Bounded>>::default());
        let shared = Arc::clone(&kept);
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(read @ 1..) = from.read(&mut buffer) {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(buffer.get(..read).unwrap_or_default());
            }
            drop::<mpsc::Sender<()>>(send);
        });
        Captured { kept, end }
    }

    /// Returns the output after its command ended; if another process holds it open, as far as it
    /// was read.
    pub fn finish(self) -> String {
        let _ = self.end.recv_timeout(MAX_WAIT);
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&kept.into_bytes()).into_owned()
    }
}

/// The beginning and the end of an output.
#[derive(Default)]
struct Bounded {
    head: Vec<u8>,
    tail: Vec<u8>,
    dropped: usize,
}

impl Bounded {
    fn push(&mut self, bytes: &[u8]) {
        let room = KEPT.saturating_sub(self.head.len()).min(bytes.len());
        let (head, tail) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(tail);
        if self.tail.len() > 2 * KEPT {
            let excess = self.tail.len() - KEPT;
            self.tail.drain(..excess);
            self.dropped += excess;
        }
    }

    fn into_bytes(mut self) -> Vec<u8> {
        let excess = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..excess);
        self.dropped += excess;
        if self.dropped > 0 {
            self.head.extend_from_slice(format!("\n[{} bytes omitted]\n", self.dropped).as_bytes());
        }
        self.head.append(&mut self.tail);
        self.head
    }
}

/// The last lines of an output, escaped, as they follow the reason of a failure.
pub struct LastLines<'a>(pub &'a str);

impl fmt::Display for LastLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<&str> = self.0.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.is_empty() {
            return f.write_str("; it printed nothing");
        }
        f.write_str("; the end of its output:")?;
        for line in lines.iter().skip(lines.len().saturating_sub(LINES)) {
            let shown = visible(line);
            let end = shown.char_indices().nth(CHARACTERS).map_or(shown.len(), |(at, _)| at);
            write!(f, "\n  | {}", &shown[..end])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut bounded = Bounded::default();
        bounded.push(b"first\n");
        for _ in 0..100_000 {
            bounded.push(b"middle\n");
        }
        bounded.push(b"last\n");
        let text = String::from_utf8(bounded.into_bytes()).unwrap();
        assert!(text.starts_with("first\n") && text.ends_with("middle\nlast\n") && text.contains(" bytes omitted]"));
        assert!(text.len() < 2 * KEPT + 100);
        assert_eq!(Captured::of(&b"short"[..]).finish(), "short");
    }

    #[test]
    fn last_lines_are_escaped_and_cut() {
        assert_eq!(LastLines(" \n").to_string(), "; it printed nothing");
        let many: String = (0..100).map(|i| format!("line {i}\n")).collect();
        let shown = LastLines(&many).to_string();
        assert_eq!(shown.lines().count(), 21);
        assert!(shown.ends_with("\n  | line 99"));
        assert_eq!(LastLines("a\u{1b}[2J").to_string(), "; the end of its output:\n  | a\\u{1b}[2J");
        assert!(LastLines(&"x".repeat(5000)).to_string().len() < 300);
    }
}
