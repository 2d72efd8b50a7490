//! Which names may become paths below the data directory.
//!
//! Manifests, archives and adaptors all name files; none of them may name one outside the place it was given.

/// The ending of a download that is not finished.
pub const PART: &str = ".part";
/// The directory of a dataset that holds the published files.
pub const RAW: &str = "raw";
/// The directory of a dataset that holds what its archives contain.
pub const UNPACKED: &str = "unpacked";
/// The file of a dataset that records the checksums of all others; `sha256sum -c` reads it, too.
pub const RECORD: &str = "SHA256SUMS";

/// Longer paths are refused: no file system we know takes them.
const LONGEST: usize = 1024;

/// Whether a path is relative, stays below where it starts, and means the same on every system.
///
/// The error says what is wrong with it.
pub fn relative(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("an empty path names no file");
    }
    if path.len() > LONGEST {
        return Err("the path is longer than 1024 bytes");
    }
    if path.starts_with('/') {
        return Err("the path is absolute");
    }
    if path.contains(|c: char| c.is_control() || matches!(c, '\\' | ':')) {
        return Err("the path holds a control character, `\\` or `:`");
    }
    for component in path.split('/') {
        match component {
            "" => return Err("the path has an empty component"),
            ".." => return Err("the path leaves its directory by `..`"),
            "." => return Err("the path has a component `.`"),
            _ => {}
        }
    }
    Ok(())
}

/// Whether `path` is `place` or lies below it.
pub fn is_within(place: &str, path: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a name can be that of a dataset: lower-case letters, digits and `-`, starting with a letter.
pub fn is_id(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Whether a name can be that of a converted variant, which is a directory beside `raw` and `unpacked`.
pub fn is_variant(name: &str) -> bool {
    is_id(name) && name != RAW && name != UNPACKED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_their_directory() {
        for good in ["a", "a/b.txt", "fold1/train/train_pos.txt", "..a/b..", "ünïcode", "a b"] {
            assert_eq!(relative(good), Ok(()), "{good}");
        }
        for bad in ["", "/etc/passwd", "..", "a/../b", "a/..", "./a", "a//b", "a/", "a\\b", "c:a", "a\nb", "a\0"] {
            assert!(relative(bad).is_err(), "{bad:?}");
        }
        assert!(relative(&"a".repeat(1025)).is_err());
    }

    #[test]
    fn within_is_by_whole_components() {
        assert!(is_within("a/b", "a/b") && is_within("a/b", "a/b/c"));
        assert!(!is_within("a/b", "a/bc") && !is_within("a/b", "a") && !is_within("a", "b/a"));
    }

    #[test]
    fn names_of_datasets_and_variants() {
        assert!(is_id("yeast2") && is_id("a-b"));
        assert!(!is_id("") && !is_id("2yeast") && !is_id("A") && !is_id("a/b") && !is_id(".."));
        assert!(is_variant("base") && !is_variant("raw") && !is_variant("unpacked"));
    }
}
