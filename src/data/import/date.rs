//! Dates as numbers: days since 1970-01-01, with the time of day as a fraction.

/// Seconds of a day; leap seconds are not counted.
const DAY: f64 = 86_400.0;

/// Returns the number of days from 1970-01-01 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years start in March, so that the leap day is the last one.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let of_years = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    of_years + (month * 153 + 2) / 5 + day - 1 - 719_468
}

fn length_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Reads a number of exactly `digits` digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Reads `2020-01-31`, `2020-01-31 14:30`, `2020-01-31T14:30:05.25Z` or with an offset such as
/// `+02:00`; a time without offset is UTC.
pub fn parse(text: &str) -> Option<f64> {
    let (date, time) = match text.split_at_checked(10)? {
        (date, "") => (date, None),
        (date, time) => (date, Some(time.strip_prefix(['T', ' '])?)),
    };
    let mut parts = date.split('-');
    let (year, month, day) = (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=length_of_month(year, month)).contains(&day) {
        return None;
    }
    let whole = days(year, month, day) as f64;
    match time {
        None => Some(whole),
        Some(time) => Some(whole + seconds(time)? / DAY),
    }
}

/// Reads a time of day in seconds, with an optional offset.
fn seconds(text: &str) -> Option<f64> {
    let (text, offset) = match text.strip_suffix('Z') {
        Some(text) => (text, 0.0),
        None => match text.rfind(['+', '-']) {
            Some(at) => {
                let sign = if text[at..].starts_with('-') { -1.0 } else { 1.0 };
                (&text[..at], sign * clock(&text[at + 1..])?)
            }
            None => (text, 0.0),
        },
    };
    Some(clock(text)? - offset)
}

/// Reads `14:30`, `14:30:05` or `14:30:05.25` in seconds.
fn clock(text: &str) -> Option<f64> {
    let mut parts = text.split(':');
    let (hours, minutes) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let seconds: f64 = match parts.next() {
        None => 0.0,
        Some(seconds) => {
            let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
            number(whole, 2)?;
            number(fraction, fraction.len())?;
            if fraction.is_empty() {
                return None;
            }
            seconds.parse().ok()?
        }
    };
    let fits = parts.next().is_none() && hours < 24 && minutes < 60 && seconds < 60.0;
    fits.then_some((hours * 3600 + minutes * 60) as f64 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_since_1970() {
        for (text, expected) in [
            ("1970-01-01", 0.0),
            ("1969-12-31", -1.0),
            ("1970-03-01", 59.0),
            ("2000-02-29", 11_016.0),
            ("2024-03-01", 19_783.0),
            ("1970-01-02 12:00", 1.5),
            ("1970-01-02T06:00:00Z", 1.25),
            ("1970-01-02T02:00:00+02:00", 1.0),
            ("1970-01-01T22:00:00.0-02:00", 1.0),
        ] {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
        // Every day of four centuries follows the one before it.
        let mut expected = days(1801, 1, 1);
        for year in 1801..2201 {
            for month in 1..=12 {
                for day in 1..=length_of_month(year, month) {
                    assert_eq!(days(year, month, day), expected, "{year}-{month}-{day}");
                    expected += 1;
                }
            }
        }
    }

    #[test]
    fn other_texts_are_not_dates() {
        for text in [
            "",
            "1970",
            "1970-1-1",
            "1970-13-01",
            "1970-02-29",
            "1900-02-29",
            "1970-01-00",
            "19700101",
            "01.02.1970",
            "1970-01-01x",
            "1970-01-01 24:00",
            "1970-01-01 1:00",
            "1970-01-01T10",
            "1970-01-01T10:00:61",
            "1970-01-01T10:00:00.",
            "1970-01-01T10:00+2",
            "ééééé",
            "1970-01-éé",
            "+970-01-01",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
