//! The files of a dataset directory: positives, negatives, facts and background, or folds of them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The files of a dataset directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatasetFiles {
    /// Positive examples.
    pub positives: Option<PathBuf>,
    /// Negative examples.
    pub negatives: Option<PathBuf>,
    /// Facts.
    pub facts: Option<PathBuf>,
    /// Modes and parameters.
    pub background: Option<PathBuf>,
}

const EXTENSIONS: [&str; 5] = ["txt", "pl", "txt.gz", "pl.gz", "gz"];

/// Returns the prefixes of `pos`, `neg`, `facts` and `bk` in file names, preferred first.
fn prefixes(directory: &Path) -> Vec<String> {
    let own = directory.canonicalize().ok();
    let own = own.as_deref().unwrap_or(directory).file_name().map(|name| format!("{}_", name.to_string_lossy()));
    let mut prefixes: Vec<String> = own.into_iter().collect();
    for prefix in ["train_", "test_", ""] {
        if prefixes.iter().all(|known| known != prefix) {
            prefixes.push(prefix.to_owned());
        }
    }
    prefixes
}

fn with_prefix(prefix: &str, kind: &str) -> [String; EXTENSIONS.len()] {
    EXTENSIONS.map(|extension| format!("{prefix}{kind}.{extension}"))
}

/// Returns the possible names of a file of one kind in a directory, preferred first.
pub fn names(directory: &Path, kind: &str) -> Vec<String> {
    let mut names: Vec<String> = prefixes(directory).iter().flat_map(|prefix| with_prefix(prefix, kind)).collect();
    if kind == "bk" {
        names.extend(with_prefix("", "background"));
    }
    names
}

/// Finds the four files of a directory.
///
/// Positives, negatives and facts have the same prefix: with `train_pos.txt`, `neg.txt` is ignored.
pub fn find(directory: &Path) -> DatasetFiles {
    let first = |names: &[String]| names.iter().map(|name| directory.join(name)).find(|path| path.is_file());
    let background = first(&names(directory, "bk"));
    for prefix in prefixes(directory) {
        let of = |kind: &str| first(&with_prefix(&prefix, kind));
        let (positives, negatives) = (of("pos"), of("neg"));
        if positives.is_some() || negatives.is_some() {
            return DatasetFiles { positives, negatives, facts: of("facts"), background };
        }
    }
    // Without examples there may still be facts for prediction.
    DatasetFiles { facts: first(&names(directory, "facts")), background, ..DatasetFiles::default() }
}

/// Returns the folds of a directory in order, each with `train` and `test`; a directory with these
/// two is one fold.
pub fn fold_directories(directory: &Path) -> Vec<PathBuf> {
    let has_both = |path: &PathBuf| path.join("train").is_dir() && path.join("test").is_dir();
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_str()?.to_ascii_lowercase();
            let number = name.strip_prefix("fold")?.trim_start_matches(['_', '-']).parse().ok()?;
            Some((number, entry.path()))
        })
        .filter(|(_, path)| has_both(path))
        .collect();
    found.sort();
    let single = Some(directory.to_owned()).filter(|path| found.is_empty() && has_both(path));
    found.into_iter().map(|(_, path)| path).chain(single).collect()
}

/// Returns whether a directory has folds and no example files of its own.
pub fn has_only_folds(directory: &Path) -> bool {
    let files = find(directory);
    files.positives.is_none() && files.negatives.is_none() && !fold_directories(directory).is_empty()
}

/// Returns a file of the directory that looks like a background file and has another name than
/// those that are read; the first by name.
pub fn unread_background(directory: &Path) -> Option<PathBuf> {
    let read = names(directory, "bk");
    let is_background = |name: &str| {
        let name = name.to_lowercase();
        let stem = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(extension)?.strip_suffix('.'));
        stem.is_some_and(|stem| {
            ["bk", "background"].iter().any(|word| stem == *word || stem.ends_with(&format!("_{word}")))
        })
    };
    let names = std::fs::read_dir(directory).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let unread = names.filter(|name| is_background(name) && !read.contains(name));
    unread.min().map(|name| directory.join(name))
}

/// Returns the name of a file that would be read as one of this kind if its name were in lower
/// case, and that name.
pub fn miscased(directory: &Path, kind: &str) -> Option<(String, String)> {
    let read = names(directory, kind);
    let names = std::fs::read_dir(directory).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let pairs = names.map(|name| (name.to_lowercase(), name));
    let found = pairs.filter(|(lower, name)| lower != name && read.contains(lower) && !read.contains(name)).min();
    found.map(|(lower, name)| (name, lower))
}

/// Returns what a path is that is given instead of a directory; `None` if it does not exist.
pub fn describe_file(path: &Path) -> Option<&'static str> {
    if !path.is_file() {
        return None;
    }
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    Some(match extension.as_deref() {
        Some("csv" | "tsv" | "parquet") => "a table, not a directory: `lrbm datasets import` converts tables",
        Some("sqlite" | "sqlite3" | "db") => "a database, not a directory: `lrbm datasets import` converts its tables",
        Some("json") => "a JSON file, not a directory",
        Some("zip" | "tar" | "gz" | "tgz") => "an archive, not a directory: unpack it",
        _ => "a file, not a directory",
    })
}

/// Opens a file and decompresses it if its name ends in `.gz`.
pub fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if path.extension().is_some_and(|extension| extension == "gz") {
        return Ok(Box::new(flate2::read::MultiGzDecoder::new(file)));
    }
    Ok(Box::new(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_naming_convention_is_found() {
        let root = tempfile::tempdir().unwrap();
        for (directory, files) in [
            ("train", ["train_pos.txt", "train_neg.txt", "train_facts.txt", "train_bk.txt"]),
            ("toy", ["toy_pos.txt", "toy_neg.txt.gz", "toy_facts.pl", "toy_bk.txt"]),
            ("plain", ["pos.pl", "neg.pl", "facts.pl", "background.txt"]),
            ("other", ["train_pos.txt", "train_neg.txt", "train_facts.gz", "bk.txt"]),
        ] {
            let directory = root.path().join(directory);
            std::fs::create_dir(&directory).unwrap();
            for file in files {
                std::fs::write(directory.join(file), "").unwrap();
            }
            let [positives, negatives, facts, background] = files.map(|file| Some(directory.join(file)));
            assert_eq!(find(&directory), DatasetFiles { positives, negatives, facts, background });
        }
        assert_eq!(find(root.path()), DatasetFiles::default());
        // A background file of another prefix is not read.
        assert_eq!(unread_background(&root.path().join("toy")), None);
        std::fs::write(root.path().join("toy/other_bk.txt"), "").unwrap();
        assert_eq!(unread_background(&root.path().join("toy")), Some(root.path().join("toy/other_bk.txt")));
        std::fs::write(root.path().join("toy/Train_BK.TXT"), "").unwrap();
        assert_eq!(miscased(&root.path().join("toy"), "bk"), Some(("Train_BK.TXT".into(), "train_bk.txt".into())));
        assert_eq!(miscased(&root.path().join("toy"), "pos"), None);
        assert_eq!(unread_background(&root.path().join("toy")), Some(root.path().join("toy/Train_BK.TXT")));
        std::fs::write(root.path().join("facts.txt"), "").unwrap();
        assert_eq!(
            find(root.path()),
            DatasetFiles { facts: Some(root.path().join("facts.txt")), ..DatasetFiles::default() }
        );
    }
}
