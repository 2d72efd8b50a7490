//! Escaping of text that is shown to a person, on a terminal or line by line.
//!
//! Names come from data, specs and directories of others. Control characters in them could move
//! the cursor, forge lines, or reverse the reading order; they are shown as `\u{1b}`.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::path::Path;

/// Returns whether a character acts on a display or on the division into lines instead of being
/// shown: control characters, line separators, and characters that change the reading order.
pub fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns text for one line: active characters are escaped, line breaks as `\n`.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_active)
}

/// Returns text of several lines: active characters are escaped, except for line breaks and tabs.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, is_active_in_lines)
}

fn is_active_in_lines(c: char) -> bool {
    is_active(c) && !matches!(c, '\n' | '\t')
}

fn escaped(text: &str, is_active: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_active) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !is_active(c) => shown.push(c),
            // Writing to a string cannot fail.
            c => drop(write!(shown, "{}", c.escape_debug())),
        }
    }
    Cow::Owned(shown)
}

/// Paths as they are shown to a person.
pub trait ShownPath {
    /// Displays the path on one line, with active characters escaped.
    fn shown(&self) -> impl fmt::Display;
}

impl ShownPath for Path {
    fn shown(&self) -> impl fmt::Display {
        fmt::from_fn(move |f| f.write_str(&visible(&self.to_string_lossy())))
    }
}

/// A writer of text lines that escapes active characters, except for line breaks and tabs.
#[derive(Debug)]
pub struct VisibleWriter<W> {
    out: W,
    /// The beginning of a character whose remaining bytes were not written yet; at most 3 bytes.
    incomplete: Vec<u8>,
}

impl<W: Write> VisibleWriter<W> {
    /// Wraps a writer.
    pub fn new(out: W) -> Self {
        VisibleWriter { out, incomplete: Vec::new() }
    }

    fn write_text(&mut self, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.utf8_chunks() {
            self.out.write_all(visible_lines(chunk.valid()).as_bytes())?;
            for byte in chunk.invalid() {
                write!(self.out, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Write for VisibleWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_plain = |b: &u8| matches!(b, b' '..=b'~' | b'\n' | b'\t');
        if self.incomplete.is_empty() && bytes.iter().all(is_plain) {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let mut text = std::mem::take(&mut self.incomplete);
        text.extend_from_slice(bytes);
        // A character cut at the end is completed by the next call.
        let cut = match std::str::from_utf8(&text) {
            Err(_) => text.utf8_chunks().last().map_or(0, |last| match is_cut(last.invalid()) {
                true => text.len() - last.invalid().len(),
                false => text.len(),
            }),
            Ok(_) => text.len(),
        };
        self.incomplete = text.split_off(cut);
        self.write_text(&text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns whether bytes are the beginning of a character.
fn is_cut(bytes: &[u8]) -> bool {
    !bytes.is_empty() && std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOSTILE: &str = "a\u{1b}[2Jb\r\nc\u{7}\u{202e}d\u{9b}\u{2028}e\tß";

    #[test]
    fn active_characters_are_escaped() {
        assert_eq!(visible(HOSTILE), "a\\u{1b}[2Jb\\r\\nc\\u{7}\\u{202e}d\\u{9b}\\u{2028}e\\tß");
        assert_eq!(visible_lines(HOSTILE), "a\\u{1b}[2Jb\\r\nc\\u{7}\\u{202e}d\\u{9b}\\u{2028}e\tß");
        assert_eq!(Path::new("a\nb").shown().to_string(), "a\\nb");
        assert!(matches!(visible("ψ ≥ ζ \u{1f600}"), Cow::Borrowed(_)));
    }

    #[test]
    fn invalid_bytes_are_shown() {
        let mut writer = VisibleWriter::new(Vec::new());
        writer.write_all(b"a\xff\x1bb\xe2\x82").unwrap();
        writer.write_all(b"\xac\n").unwrap();
        assert_eq!(String::from_utf8(writer.out).unwrap(), "a\\xff\\u{1b}b€\n");
    }

    #[test]
    fn flushing_reaches_the_wrapped_writer() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("out");
        let mut writer = VisibleWriter::new(io::BufWriter::new(std::fs::File::create(&path).unwrap()));
        writer.write_all(b"a").unwrap();
        writer.flush().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"a");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Cutting the output anywhere changes nothing.
        #[test]
        fn writes_may_be_cut_anywhere(text in "\\PC{0,8}[\u{1b}\n\r\u{202e}a€ß😀]{0,12}", cuts in prop::collection::vec(0usize..40, 0..4)) {
            let mut writer = VisibleWriter::new(Vec::new());
            let (mut cuts, mut begin) = (cuts, 0);
            cuts.sort_unstable();
            for cut in cuts.into_iter().map(|cut| cut.min(text.len())) {
                writer.write_all(&text.as_bytes()[begin..cut]).unwrap();
                begin = cut;
            }
            writer.write_all(&text.as_bytes()[begin..]).unwrap();
            prop_assert_eq!(String::from_utf8(writer.out).unwrap(), visible_lines(&text).into_owned());
        }
    }
}
