//! Durations and amounts of memory with units.

use std::time::Duration;

use crate::learn::params::Value;

const TIMES: [(&str, f64); 4] = [("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)];
/// Units of memory, powers of two first: an abbreviation by its first letter means those.
pub const AMOUNTS: [(&str, f64); 9] = [
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("B", 1.0),
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
        Value::Text(text) => with_unit(text, &TIMES)?,
        Value::Bool(_) => return None,
    };
    (seconds > 0.0 && seconds <= 366.0 * 86_400.0).then(|| Duration::from_secs_f64(seconds))
}

/// Parses an amount of memory: a number with a unit. At most 1024 TiB.
pub fn memory(value: &Value) -> Option<u64> {
    let Value::Text(text) = value else { return None };
    let bytes = with_unit(text, &AMOUNTS)?;
    (1.0..=1024.0 * 1_099_511_627_776.0).contains(&bytes).then_some(bytes as u64)
}

fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let (_, size) = units.iter().find(|(name, _)| *name == unit)?;
    let number: f64 = number.trim().parse().ok()?;
    number.is_finite().then_some(number * size)
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
        for bad in ["5", "0 MB", "2 gb", "GiB", "-1 GB"] {
            assert_eq!(bytes(bad), None, "{bad}");
        }
    }
}
