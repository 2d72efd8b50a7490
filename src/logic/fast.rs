//! Fast path for plain facts: `p(a, 12, "b c").` directly from bytes to interned constants.
//!
//! Fact files consist almost entirely of such facts, and parsing them dominates loading time.
//! Anything special is left to [`super::parser`], which is the oracle for this file: a property
//! test feeds both the same text.

use super::symbol::{Constant, SymbolTableFull, Symbols};
use super::term::is_bare_name;

/// Byte offsets of a plain ground fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainFact {
    /// First byte of the predicate name.
    pub name_start: usize,
    /// One past the last byte of the predicate name.
    pub name_end: usize,
    /// One past the full stop.
    pub end: usize,
}

/// An argument of a plain fact, before interning.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PlainArgument {
    /// Byte range of the canonical form of a name.
    Name(usize, usize),
    /// A number.
    Number(f64),
}

/// Maximum number of arguments on the fast path; the parser handles longer facts.
const MAX_ARGUMENTS: usize = 16;

/// Parses a plain fact whose name begins at `start` and stores its constants in `args`.
///
/// Returns `None` without interning anything if the fact is not plain or not complete.
pub fn plain_fact(
    text: &str,
    start: usize,
    symbols: &mut Symbols,
    args: &mut Vec<Constant>,
) -> Result<Option<PlainFact>, SymbolTableFull> {
    let mut found = [PlainArgument::Number(0.0); MAX_ARGUMENTS];
    let Some((fact, count)) = scan(text, start, &mut found) else { return Ok(None) };
    args.clear();
    for argument in &found[..count] {
        args.push(match *argument {
            PlainArgument::Name(start, end) => symbols.intern(&text[start..end])?,
            PlainArgument::Number(value) => symbols.intern_number(value)?,
        });
    }
    Ok(Some(fact))
}

/// Returns the fact at `start` and its number of arguments, if it is plain and complete.
fn scan(text: &str, start: usize, found: &mut [PlainArgument; MAX_ARGUMENTS]) -> Option<(PlainFact, usize)> {
    let bytes = text.as_bytes();
    if !bytes.get(start)?.is_ascii_alphabetic() {
        return None;
    }
    let name_end = word_end(bytes, start);
    if bytes.get(name_end) != Some(&b'(') {
        return None;
    }
    let (mut at, mut count) = (name_end + 1, 0);
    loop {
        at = skip_blanks(bytes, at);
        let (argument, end) = match bytes.get(at)? {
            b'a'..=b'z' => {
                let end = word_end(bytes, at);
                (PlainArgument::Name(at, end), end)
            }
            b'0'..=b'9' => {
                let end = digits_end(bytes, at);
                (PlainArgument::Number(small_integer(&bytes[at..end])?), end)
            }
            b'"' => quoted(text, at)?,
            _ => return None,
        };
        *found.get_mut(count)? = argument;
        count += 1;
        at = skip_blanks(bytes, end);
        match bytes.get(at)? {
            b',' => at += 1,
            b')' => break,
            _ => return None,
        }
    }
    at = skip_blanks(bytes, at + 1);
    matches!(bytes.get(at)?, b'.' | b';').then_some((PlainFact { name_start: start, name_end, end: at + 1 }, count))
}

/// Scans a quoted constant without escapes; returns it with the offset after the closing quote.
fn quoted(text: &str, at: usize) -> Option<(PlainArgument, usize)> {
    let length = memchr::memchr3(b'"', b'\\', b'\n', &text.as_bytes()[at + 1..])?;
    let end = at + length + 2;
    let inside = &text[at + 1..end - 1];
    if text.as_bytes()[end - 1] != b'"' || inside.contains(['\r', '\t']) {
        return None;
    }
    // Redundant quotes are not part of the name.
    Some((if is_bare_name(inside) { PlainArgument::Name(at + 1, end - 1) } else { PlainArgument::Name(at, end) }, end))
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    start + bytes[start..].iter().take_while(|b| word(b)).count()
}

fn digits_end(bytes: &[u8], start: usize) -> usize {
    start + bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count()
}

fn skip_blanks(bytes: &[u8], start: usize) -> usize {
    start + bytes[start..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Converts digits to a number if it is exactly representable in 53 bits.
fn small_integer(digits: &[u8]) -> Option<f64> {
    let value = |digits: &[u8]| digits.iter().fold(0u64, |v, d| v * 10 + u64::from(d - b'0')) as f64;
    (digits.len() <= 15).then(|| value(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Vec<String>> {
        let (mut symbols, mut args) = (Symbols::new(), Vec::new());
        let fact = plain_fact(text, 0, &mut symbols, &mut args).unwrap()?;
        assert_eq!(&text[fact.name_start..fact.name_end], "p");
        Some(args.iter().map(|&c| symbols.show(c).to_string()).collect())
    }

    #[test]
    fn plain_facts_are_read() {
        assert_eq!(read("p(a,b).").unwrap(), ["a", "b"]);
        assert_eq!(read("p( a , 12,\"B c\" , \"d\");").unwrap(), ["a", "12", "\"B c\"", "d"]);
        assert_eq!(read("p(007) .").unwrap(), ["7"]);
    }

    #[test]
    fn special_syntax_is_left_to_the_parser() {
        for text in [
            "p",
            "p(",
            "p(a",
            "p(a)",
            "p.",
            "p().",
            "p(A).",
            "p(-1).",
            "p(1.5).",
            "p(1a).",
            "p(1e5).",
            "p(f(a)).",
            "p([a]).",
            "p(a-b).",
            "p(a) :- q(b).",
            "p(\"a\\\"\").",
            "p('a').",
            "p(a // x",
            "p(é).",
            "p(aé).",
            "p(_).",
            "p(a?).",
            "p(9999999999999999).",
            "p(a,).",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
