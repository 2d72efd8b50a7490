//! The files of a dataset directory: positives, negatives, facts and background, or folds of them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::files::visible::ShownPath;

/// The error of a directory with folds of which some are incomplete or wrongly numbered.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// A fold lacks one of its sides.
    #[error("{}: no such directory; every fold has `train` and `test`: add it, or remove the fold", .0.shown())]
    NoSide(PathBuf),
    /// Two folds have the same number.
    #[error("{} and {} are both fold {number}; rename or remove one", first.shown(), second.shown())]
    Double {
        /// The number.
        number: u32,
        /// The first directory by name.
        first: PathBuf,
        /// The second directory.
        second: PathBuf,
    },
    /// A number is left out.
    #[error(
        "{}: fold {missing} is missing before {}; number the folds from 0 or 1 without gaps",
        directory.shown(), next.shown()
    )]
    Gap {
        /// The directory of the folds.
        directory: PathBuf,
        /// The missing number.
        missing: u32,
        /// The directory of the next number.
        next: PathBuf,
    },
}

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
///
/// # Errors
/// If a fold lacks a side, two have the same number, or a number is left out: the others would be
/// another experiment than the one meant.
pub fn fold_directories(directory: &Path) -> Result<Vec<PathBuf>, FoldError> {
    let sides = |path: &Path| ["train", "test"].map(|side| path.join(side));
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_str()?.to_ascii_lowercase();
            let number = name.strip_prefix("fold")?.trim_start_matches(['_', '-']).parse().ok()?;
            Some((number, entry.path()))
        })
        .filter(|(_, path): &(u32, PathBuf)| path.is_dir())
        .collect();
    found.sort();
    // Directories without any side are something else.
    if !found.iter().any(|(_, path)| sides(path).iter().any(|side| side.is_dir())) {
        let is_fold = sides(directory).iter().all(|side| side.is_dir());
        return Ok(is_fold.then(|| directory.to_owned()).into_iter().collect());
    }
    let mut before: Option<&(u32, PathBuf)> = None;
    for fold in &found {
        let (number, path) = fold;
        if let Some((last, first)) = before
            && last == number
        {
            return Err(FoldError::Double { number: *number, first: first.clone(), second: path.clone() });
        }
        let missing = before.map_or(1, |(last, _)| last + 1);
        if *number > missing {
            return Err(FoldError::Gap { directory: directory.to_owned(), missing, next: path.clone() });
        }
        if let Some(side) = sides(path).into_iter().find(|side| !side.is_dir()) {
            return Err(FoldError::NoSide(side));
        }
        before = Some(fold);
    }
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Returns whether a directory has folds and no example files of its own.
///
/// # Errors
/// See [`fold_directories`].
pub fn has_only_folds(directory: &Path) -> Result<bool, FoldError> {
    let files = find(directory);
    Ok(files.positives.is_none() && files.negatives.is_none() && !fold_directories(directory)?.is_empty())
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
