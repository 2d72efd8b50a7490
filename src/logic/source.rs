//! Sliding text window over a file: one pass, with memory for one sentence at a time.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::diagnostic::Location;

/// Number of bytes read at a time.
const CHUNK: usize = 1 << 20;
/// Maximum length of a sentence in bytes; no fact file comes near it, but a binary file may.
pub const MAX_SENTENCE_BYTES: usize = 16 << 20;
/// Number of characters shown before and after the caret in a very long line.
const CONTEXT_CHARS: usize = 60;
/// Number of bytes of the current line kept before the cursor for messages.
const KEPT_BYTES: usize = 4096;

/// A forward-only window over a file.
///
/// The text is always valid UTF-8: invalid bytes are decoded as Latin-1, and the first one is
/// reported.
pub struct SourceWindow {
    file: PathBuf,
    reader: Box<dyn Read>,
    chunk: usize,
    text: String,
    /// Bytes of an incomplete character at the end of the input read so far.
    tail: Vec<u8>,
    /// Start of the next sentence within `text`.
    cursor: usize,
    /// Newlines before `text`, and characters between the last of them and `text`.
    lines_before: u64,
    columns_before: u64,
    /// A position with its line, so that line numbers in ascending order cost one pass in total.
    known_line: (usize, u64),
    eof: bool,
    read_any: bool,
    had_bom: bool,
    /// Position of the first byte that is not UTF-8, while it is in the window and unreported.
    not_utf8: Option<usize>,
    reported_not_utf8: bool,
    /// An error that occurred while reading ahead for a message; the next refill returns it.
    failed: Option<io::Error>,
}

impl SourceWindow {
    /// Creates a window over `reader`, called `file` in messages.
    pub fn new(file: &Path, reader: Box<dyn Read>) -> Self {
        Self::with_chunk(file, reader, CHUNK)
    }

    /// Creates a window that reads `chunk` bytes at a time.
    pub fn with_chunk(file: &Path, reader: Box<dyn Read>, chunk: usize) -> Self {
        SourceWindow {
            file: file.to_owned(),
            reader,
            chunk: chunk.max(1),
            text: String::new(),
            tail: Vec::new(),
            cursor: 0,
            lines_before: 0,
            columns_before: 0,
            known_line: (0, 0),
            eof: false,
            read_any: false,
            had_bom: false,
            not_utf8: None,
            reported_not_utf8: false,
            failed: None,
        }
    }

    /// Returns the path shown in messages.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the text in the window.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the start of the next sentence within [`SourceWindow::text`].
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Moves the cursor; the text before it may be dropped.
    pub fn advance(&mut self, cursor: usize) {
        debug_assert!(cursor >= self.cursor && self.text.is_char_boundary(cursor));
        self.cursor = cursor;
    }

    /// Returns whether the window reaches the end of the file.
    pub fn at_end(&self) -> bool {
        self.eof
    }

    /// Returns whether the file began with a byte order mark, which is not part of the text.
    pub fn had_bom(&self) -> bool {
        self.had_bom
    }

    /// Returns the location of the first byte that is not UTF-8, once.
    pub fn take_not_utf8(&mut self) -> Option<Location> {
        let at = self.not_utf8.take()?;
        self.reported_not_utf8 = true;
        Some(self.locate(at, 1))
    }

    /// Drops consumed text and reads more. Positions change, except relative to the cursor.
    pub fn refill(&mut self) -> io::Result<()> {
        self.drop_consumed();
        self.grow()
    }

    /// Reads more without dropping anything.
    fn grow(&mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let unfinished = self.text.len() - self.cursor;
        let mut bytes = std::mem::take(&mut self.tail);
        let carried = bytes.len();
        // A sentence that did not fit makes the next read as long as itself, which keeps the total
        // work linear.
        let limit = self.chunk.max(unfinished);
        // Without spare capacity, `read_to_end` begins with 32 bytes at a time.
        bytes.reserve(limit.min(1 << 16));
        self.reader.by_ref().take(limit as u64).read_to_end(&mut bytes)?;
        self.eof = bytes.len() == carried;
        let mut rest = bytes.as_slice();
        if !self.read_any && !self.eof {
            self.read_any = true;
            if let Some(after) = rest.strip_prefix(b"\xef\xbb\xbf") {
                self.had_bom = true;
                rest = after;
            }
        }
        self.append(rest);
        Ok(())
    }

    fn append(&mut self, mut rest: &[u8]) {
        loop {
            let error = match std::str::from_utf8(rest) {
                Ok(good) => return self.text.push_str(good),
                Err(error) => error,
            };
            let (good, bad) = rest.split_at(error.valid_up_to());
            self.text.push_str(std::str::from_utf8(good).unwrap_or_default());
            if error.error_len().is_none() && !self.eof {
                self.tail = bad.to_vec();
                return;
            }
            if self.not_utf8.is_none() && !self.reported_not_utf8 {
                self.not_utf8 = Some(self.text.len());
            }
            self.text.push(char::from(bad[0]));
            rest = &bad[1..];
        }
    }

    fn drop_consumed(&mut self) {
        let line_start = memchr::memrchr(b'\n', &self.text.as_bytes()[..self.cursor]).map_or(0, |i| i + 1);
        let mut cut = line_start.max(self.cursor.saturating_sub(KEPT_BYTES));
        while !self.text.is_char_boundary(cut) {
            cut += 1;
        }
        let gone = &self.text[..cut];
        match memchr::memrchr(b'\n', gone.as_bytes()) {
            Some(last) => {
                self.lines_before += newlines(gone);
                self.columns_before = gone[last + 1..].chars().count() as u64;
            }
            None => self.columns_before += gone.chars().count() as u64,
        }
        // If it is still unreported, it is in a comment and has no effect.
        self.not_utf8 = self.not_utf8.and_then(|at| at.checked_sub(cut));
        self.text.drain(..cut);
        self.cursor -= cut;
        self.known_line = (0, 0);
    }

    /// Returns the line number of a position, from 1; cheap for ascending positions.
    pub fn line(&mut self, at: usize) -> u64 {
        let (position, lines) = if self.known_line.0 <= at { self.known_line } else { (0, 0) };
        let lines = lines + newlines(&self.text[position..at]);
        self.known_line = (at, lines);
        self.lines_before + lines + 1
    }

    /// Returns the location of a position, with a marked span of `width` bytes.
    pub fn locate(&mut self, at: usize, width: usize) -> Location {
        // Read the rest of the line first: a message must not depend on where the window ends.
        while !self.eof && self.failed.is_none() {
            let after = &self.text.as_bytes()[at..];
            if after.len() > width + 4 * (CONTEXT_CHARS + 1) || memchr::memchr(b'\n', after).is_some() {
                break;
            }
            self.failed = self.grow().err();
        }
        let before = &self.text[..at];
        let line_start = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |i| i + 1);
        let line_end = memchr::memchr(b'\n', &self.text.as_bytes()[at..]).map_or(self.text.len(), |i| at + i);
        let left = &self.text[line_start..at];
        let mut hidden = left.chars().count() as u64;
        if line_start == 0 {
            hidden += self.columns_before;
        }
        let mut shown_left: Vec<char> = left.chars().rev().take(CONTEXT_CHARS).collect();
        shown_left.reverse();
        let cut_left = (shown_left.len() as u64) < hidden;
        let right: String = self.text[at..line_end].chars().take(CONTEXT_CHARS).collect();
        let cut_right = right.len() < line_end - at;
        let mut text: String = if cut_left { "…".into() } else { String::new() };
        text.extend(&shown_left);
        text.push_str(right.trim_end_matches('\r'));
        if cut_right {
            text.push('…');
        }
        let end = (at + width).min(line_end);
        let end = (end..=line_end).find(|&i| self.text.is_char_boundary(i)).unwrap_or(line_end);
        Location {
            file: self.file.clone(),
            line: self.lines_before + newlines(before) + 1,
            column: hidden + 1,
            caret: shown_left.len() + usize::from(cut_left),
            width: self.text[at..end].chars().count().clamp(1, CONTEXT_CHARS),
            text,
        }
    }
}

fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> SourceWindow {
        let mut source = SourceWindow::with_chunk(Path::new("x"), Box::new(io::Cursor::new(bytes.to_vec())), 3);
        while !source.at_end() {
            source.refill().unwrap();
        }
        source
    }

    #[test]
    fn a_byte_order_mark_is_stripped() {
        let source = all(b"\xef\xbb\xbfp(a).");
        assert_eq!((source.text(), source.had_bom()), ("p(a).", true));
    }

    #[test]
    fn latin_1_bytes_are_decoded_and_reported() {
        let mut source = all(b"p(a).\nq(caf\xe9).");
        assert_eq!(source.text(), "p(a).\nq(caf\u{e9}).");
        let at = source.take_not_utf8().unwrap();
        assert_eq!((at.line, at.column), (2, 6));
        assert_eq!(all("q(café–).".as_bytes()).take_not_utf8(), None);
    }

    #[test]
    fn locations_are_stable_when_text_is_dropped() {
        let mut text = "p(a). ".repeat(2000);
        text.push_str("\nq(b). r(c).");
        let mut source = all(text.as_bytes());
        let wanted = source.text().find("r(c)").unwrap();
        let before = source.locate(wanted, 1);
        assert_eq!((before.line, before.column, before.text.as_str(), before.caret), (2, 7, "q(b). r(c).", 6));
        source.advance(wanted);
        source.refill().unwrap();
        let cursor = source.cursor();
        assert_eq!(source.locate(cursor, 1), before);
        assert_eq!(source.line(cursor), 2);
    }

    #[test]
    fn long_lines_are_truncated_around_the_caret() {
        let mut source = all(format!("{}!{}", "x".repeat(500), "y".repeat(500)).as_bytes());
        let at = source.locate(500, 1);
        assert_eq!(at.column, 501);
        assert_eq!(at.text.chars().nth(at.caret), Some('!'));
        assert!(at.text.chars().count() < 130);
    }
}
