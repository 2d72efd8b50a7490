//! The short way for plain facts: `p(a, 12, "b c").` straight from bytes to interned constants.
//!
//! Facts files are nearly all of this form, and reading them is most of the time of loading. Whatever looks in any way
//! special is left to [`super::parser`], which is the oracle of this file: a property test feeds both the same text.

use super::symbol::{Constant, Symbols, SymbolsFull};
use super::term::is_bare_name;

/// A plain ground fact: its predicate's name as a range of the text, and one past its full stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainFact {
    /// First byte of the name.
    pub name_start: usize,
    /// One past its last byte.
    pub name_end: usize,
    /// One past the full stop.
    pub end: usize,
}

/// An argument of a plain fact, before it is interned.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plain {
    /// A range of the text that is the canonical print of a name.
    Name(usize, usize),
    /// A number.
    Number(f64),
}

/// No plain fact has more arguments; longer ones are left to the parser.
const MOST_ARGUMENTS: usize = 16;

/// Reads a plain fact at `start`, where its name begins, and leaves its constants in `args`.
///
/// `None` if it is not plain or not complete; then nothing was interned.
pub fn plain_fact(
    text: &str,
    start: usize,
    symbols: &mut Symbols,
    args: &mut Vec<Constant>,
) -> Result<Option<PlainFact>, SymbolsFull> {
    let mut found = [Plain::Number(0.0); MOST_ARGUMENTS];
    let Some((fact, count)) = scan(text, start, &mut found) else { return Ok(None) };
    args.clear();
    for argument in &found[..count] {
        args.push(match *argument {
            Plain::Name(start, end) => symbols.intern(&text[start..end])?,
            Plain::Number(value) => symbols.intern_number(value)?,
        });
    }
    Ok(Some(fact))
}

/// The fact at `start` and how many arguments it has, if it is plain and complete.
fn scan(text: &str, start: usize, found: &mut [Plain; MOST_ARGUMENTS]) -> Option<(PlainFact, usize)> {
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
                (Plain::Name(at, end), end)
            }
            b'0'..=b'9' => {
                let end = digits_end(bytes, at);
                (Plain::Number(small_integer(&bytes[at..end])?), end)
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

/// A quoted constant without escapes, and one past its closing quote.
fn quoted(text: &str, at: usize) -> Option<(Plain, usize)> {
    let length = memchr::memchr3(b'"', b'\\', b'\n', &text.as_bytes()[at + 1..])?;
    let end = at + length + 2;
    let inside = &text[at + 1..end - 1];
    if text.as_bytes()[end - 1] != b'"' || inside.contains(['\r', '\t']) {
        return None;
    }
    // Quotes that are not needed are not part of the name.
    Some((if is_bare_name(inside) { Plain::Name(at + 1, end - 1) } else { Plain::Name(at, end) }, end))
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

/// Digits as a number, if it is exact in 53 bits.
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
    fn whatever_is_special_is_left_alone() {
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
