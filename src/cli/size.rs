//! Memory sizes on the command line.

use crate::experiment::spec::units::AMOUNTS;

/// Parses a size such as `512MiB`, `1.5 GiB`, `2GB` or `64K`; without a unit it is in bytes.
pub fn parse(text: &str) -> Result<usize, String> {
    let invalid = || "invalid size: write a number and a unit, such as 512MiB or 2GiB".to_owned();
    let trimmed = text.trim();
    let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
    let (number, unit) = (trimmed[..end].parse::<f64>().map_err(|_| invalid())?, trimmed[end..].trim());
    let bytes = match unit {
        "" | "B" => 1.0,
        // K, M, G and T alone are binary units.
        _ => {
            let is = |name: &str| name.eq_ignore_ascii_case(unit) || name[..1].eq_ignore_ascii_case(unit);
            AMOUNTS.iter().find(|(name, _)| *name != "B" && is(name)).ok_or_else(invalid)?.1
        }
    };
    let size = number * bytes;
    // Saturate instead of overflowing.
    Ok(if size >= usize::MAX as f64 { usize::MAX } else { size as usize })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        let sizes = [
            ("0", 0),
            ("1000", 1000),
            ("7B", 7),
            ("64K", 65_536),
            ("512MiB", 536_870_912),
            ("1.5 gib", 1_610_612_736),
            ("2GB", 2_000_000_000),
            ("3kb", 3_000),
            ("99999999999TiB", usize::MAX),
        ];
        for (text, bytes) in sizes {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for bad in ["", "GiB", "-1", "1XiB", "1.2.3", "1 000", "0x10", "1e3", "∞"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
