//! Valid names of files below the data directory.
//!
//! Manifests, archives and adaptors all name files; none may name one outside its own directory.

/// The suffix of an unfinished download.
pub const PART: &str = ".part";
/// The directory of a dataset that holds the published files.
pub const RAW: &str = "raw";
/// The directory of a dataset that holds the content of its archives.
pub const UNPACKED: &str = "unpacked";
/// The file of a dataset that records the checksums of all others, in the format of `sha256sum -c`.
pub const RECORD: &str = "SHA256SUMS";

/// The maximum length of a path in bytes; no common file system accepts longer ones.
const MAX_LENGTH: usize = 1024;

/// Checks that a path is relative, stays below its start, and means the same on every system.
///
/// The error says what is wrong with it.
pub fn relative(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("the path is empty");
    }
    if path.len() > MAX_LENGTH {
        return Err("the path is longer than 1024 bytes");
    }
    if path.starts_with('/') {
        return Err("the path is absolute");
    }
    if path.contains(|c: char| c.is_control() || matches!(c, '\\' | ':')) {
        return Err("the path contains a control character, `\\` or `:`");
    }
    for component in path.split('/') {
        match component {
            "" => return Err("the path has an empty component"),
            ".." => return Err("the path leaves its directory through `..`"),
            "." => return Err("the path has a component `.`"),
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether `path` is `directory` or lies below it.
pub fn is_within(directory: &str, path: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether a name is a valid dataset id: lower-case letters, digits and `-`, starting with
/// a letter.
pub fn is_id(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Returns whether a name is valid for a converted variant, which is a directory beside `raw` and
/// `unpacked`.
pub fn is_variant(name: &str) -> bool {
    is_id(name) && name != RAW && name != UNPACKED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_accepts_only_paths_below_their_directory() {
        for good in ["a", "a/b.txt", "fold1/train/train_pos.txt", "..a/b..", "ünïcode", "a b"] {
            assert_eq!(relative(good), Ok(()), "{good}");
        }
        for bad in ["", "/etc/passwd", "..", "a/../b", "a/..", "./a", "a//b", "a/", "a\\b", "c:a", "a\nb", "a\0"] {
            assert!(relative(bad).is_err(), "{bad:?}");
        }
        assert!(relative(&"a".repeat(1025)).is_err());
    }

    #[test]
    fn is_within_compares_whole_components() {
        assert!(is_within("a/b", "a/b") && is_within("a/b", "a/b/c"));
        assert!(!is_within("a/b", "a/bc") && !is_within("a/b", "a") && !is_within("a", "b/a"));
    }

    #[test]
    fn dataset_ids_and_variant_names_are_validated() {
        assert!(is_id("yeast2") && is_id("a-b"));
        assert!(!is_id("") && !is_id("2yeast") && !is_id("A") && !is_id("a/b") && !is_id(".."));
        assert!(is_variant("base") && !is_variant("raw") && !is_variant("unpacked"));
    }
}
