//! Quantities in messages: counts with their noun, and digits in groups.

/// Returns the form of a noun that takes an `s` in the plural: `job`, `jobs`.
pub fn plural(n: usize, noun: &str) -> String {
    format!("{noun}{}", if n == 1 { "" } else { "s" })
}

/// Formats a count with its noun: `1 job`, `2 jobs`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {}", plural(n, noun))
}

/// Formats a count with the form of its noun: `1 leaf`, `2 leaves`.
pub fn counted_as(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Joins names with commas, and the last one with `and`.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Formats a whole number with thousands separators: 1,234,567.
pub fn thousands(n: impl TryInto<u64>) -> String {
    let digits = n.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!([0, 1, 2000].map(|n| counted(n, "job")), ["0 jobs", "1 job", "2000 jobs"]);
        assert_eq!([1, 3].map(|n| counted_as(n, "leaf", "leaves")), ["1 leaf", "3 leaves"]);
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([0, 1, 2, 3].map(|n| listed(&names[..n])), ["", "a", "a and b", "a, b and c"]);
        let shown = [0u64, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }
}
