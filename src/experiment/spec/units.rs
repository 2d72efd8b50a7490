//! Durations and amounts of memory with units.

use std::time::Duration;

use crate::learn::params::Value;

const TIMES: [(&str, f64); 4] = [("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)];
/// Units of memory, powers of two first: an abbreviation by its first letter means those.
const AMOUNTS: [(&str, f64); 8] = [
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
];

/// Parses a duration: a number of seconds, or a number with `s`, `min`, `h` or `d`. At most a year.
pub fn time(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Integer(seconds) => *seconds as f64,
        Value::Number(seconds) => *seconds,
        Value::Text(text) => {
            let (number, unit) = split(text)?;
            number * TIMES.iter().find(|(name, _)| *name == unit)?.1
        }
        Value::Bool(_) => return None,
    };
    (seconds > 0.0 && seconds <= 366.0 * 86_400.0).then(|| Duration::from_secs_f64(seconds))
}

/// Parses an amount of memory: text with a unit. At most 1024 TiB.
pub fn memory(value: &Value) -> Option<u64> {
    let Value::Text(text) = value else { return None };
    let bytes = size(text).filter(|_| text.trim_end().ends_with(char::is_alphabetic))?;
    (1.0..=1024.0 * 1_099_511_627_776.0).contains(&bytes).then_some(bytes as u64)
}

/// Parses a number of bytes such as `512MiB`, `1.5 GiB`, `2GB` or `64K`; a number without a unit is
/// in bytes. Case is ignored, and a single letter is a power of two.
pub fn size(text: &str) -> Option<f64> {
    let (number, unit) = split(text)?;
    let is = |name: &str| name.eq_ignore_ascii_case(unit) || name[..1].eq_ignore_ascii_case(unit);
    let bytes = if unit.is_empty() || unit.eq_ignore_ascii_case("b") {
        1.0
    } else {
        AMOUNTS.iter().find(|(name, _)| is(name))?.1
    };
    Some(number * bytes)
}

/// Splits a text into a non-negative number and its unit.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let number: f64 = number.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_memory_sizes_are_parsed() {
        let seconds = |text: &str| time(&Value::parse(text)).map(|t| t.as_secs_f64());
        assert_eq!(seconds("90"), Some(90.0));
        assert_eq!(seconds("0.5 s"), Some(0.5));
        assert_eq!(seconds("10min"), Some(600.0));
        assert_eq!(seconds("2 h"), Some(7200.0));
        for bad in ["0", "-1", "10 m", "h", "1e9 d", "ten s", "true", ""] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
        let bytes = |text: &str| memory(&Value::parse(text));
        assert_eq!(bytes("500 MB"), Some(500_000_000));
        assert_eq!(bytes("1.5GiB"), Some(1_610_612_736));
        for bad in ["5", "0 MB", "GiB", "-1 GB"] {
            assert_eq!(bytes(bad), None, "{bad}");
        }
        assert_eq!(memory(&Value::Text("5".into())), None);
    }

    #[test]
    fn sizes_may_omit_the_unit_and_ignore_case() {
        let sizes = [
            ("0", 0.0),
            ("1000", 1000.0),
            ("7B", 7.0),
            ("7b", 7.0),
            ("64K", 65_536.0),
            ("512MiB", 536_870_912.0),
            ("1.5 gib", 1_610_612_736.0),
            ("2GB", 2e9),
            ("3kb", 3e3),
        ];
        for (text, bytes) in sizes {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for bad in ["", "GiB", "-1", "1XiB", "1.2.3", "1 000", "0x10", "1e3", "∞"] {
            assert_eq!(size(bad), None, "{bad}");
        }
    }
}
