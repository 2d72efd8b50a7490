//! The canonical order of names: bytes, with runs of digits compared by length first.
//!
//! `x9` therefore comes before `x10`. Constants, predicates and types are numbered in this order,
//! so that no number depends on the order in which files list them. The order of a name is that of
//! the bytes of its *encoding*, in which the length of a run of digits precedes the run.

use std::cmp::Ordering;

/// Bytes of the encoding that fit in a [`prefix`].
const PREFIX: usize = 16;

/// Compares two names.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    Encoded::new(a).cmp(Encoded::new(b))
}

/// Returns the first bytes of the encoding of a name, as a number.
///
/// Names with different prefixes compare as their prefixes do; so do equal prefixes of which the
/// second result, whether the encoding is complete, is true for both names.
pub(super) fn prefix(name: &[u8]) -> (u128, bool) {
    let mut encoded = Encoded::new(name);
    let mut bytes = [0; PREFIX];
    for (i, slot) in bytes.iter_mut().enumerate() {
        match encoded.next() {
            Some(byte) => *slot = byte,
            // A name may contain a zero byte, which the padding must not be confused with.
            None => return (u128::from_be_bytes(bytes), i < PREFIX && !name.contains(&0)),
        }
    }
    (u128::from_be_bytes(bytes), encoded.next().is_none() && !name.contains(&0))
}

/// The bytes of an encoding.
///
/// The length of a run of digits is encoded in digits, so that digits keep their place among the
/// other bytes: nine at a time as `9`, then the rest.
struct Encoded<'a> {
    rest: &'a [u8],
    /// The length that is still to be encoded.
    length: Option<usize>,
    /// The digits to copy after the length.
    digits: usize,
}

impl<'a> Encoded<'a> {
    fn new(name: &'a [u8]) -> Self {
        Encoded { rest: name, length: None, digits: 0 }
    }
}

impl Iterator for Encoded<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if let Some(length) = self.length {
            self.length = length.checked_sub(9);
            return Some(b'0' + length.min(9) as u8);
        }
        let (&first, rest) = self.rest.split_first()?;
        if first.is_ascii_digit() && self.digits == 0 {
            self.digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            self.length = self.digits.checked_sub(9);
            return Some(b'0' + self.digits.min(9) as u8);
        }
        self.digits = self.digits.saturating_sub(1);
        self.rest = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Splits a name into runs of digits and single other bytes.
    fn runs(name: &str) -> Vec<&str> {
        let (mut runs, mut start) = (Vec::new(), 0);
        let bytes = name.as_bytes();
        for end in 1..=bytes.len() {
            let inside = end < bytes.len() && bytes[end].is_ascii_digit() && bytes[end - 1].is_ascii_digit();
            if !inside {
                runs.push(&name[start..end]);
                start = end;
            }
        }
        runs
    }

    fn slow(a: &str, b: &str) -> Ordering {
        let is_number = |run: &str| run.as_bytes()[0].is_ascii_digit();
        for (x, y) in runs(a).into_iter().zip(runs(b)) {
            let by_length = if is_number(x) && is_number(y) { x.len().cmp(&y.len()) } else { Ordering::Equal };
            let order = by_length.then_with(|| x.cmp(y));
            if order.is_ne() {
                return order;
            }
        }
        runs(a).len().cmp(&runs(b).len())
    }

    proptest! {
        #[test]
        fn the_encoding_compares_runs(a in "[a/:0-2]{0,12}|[a0-9]{0,40}|[a\0 ]{0,3}", b in "[a/:0-2]{0,12}|[a0-9]{0,40}|[a\0 ]{0,3}") {
            prop_assert_eq!(compare(a.as_bytes(), b.as_bytes()), slow(&a, &b));
            prop_assert_eq!(compare(a.as_bytes(), b.as_bytes()).is_eq(), a == b);
            let ((x, x_ends), (y, y_ends)) = (prefix(a.as_bytes()), prefix(b.as_bytes()));
            if x != y || (x_ends && y_ends) {
                prop_assert_eq!(x.cmp(&y), slow(&a, &b));
            }
        }
    }

    #[test]
    fn numbers_inside_names_are_in_order_of_their_value() {
        let names = ["", "10", "A1", "p", "p9", "p9a", "p10", "p10a2", "p10a10", "p1000000000", "p10000000000", "pa"];
        assert!(names.is_sorted_by(|a, b| compare(a.as_bytes(), b.as_bytes()).is_lt()));
    }
}
