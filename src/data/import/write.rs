//! Writes imported data as a directory of BoostSRL files with a record of their origin.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use super::apply::Imported;
use super::column::SourceTable;
use super::mapping::{Mapping, TimeMapping};
use super::render::{self, quoted};
use crate::data::load::{LoadError, LoadOptions, load};
use crate::files::visible::ShownPath;
use crate::files::{self, digest};
use crate::kb::{TimeRule, TimeSource};

/// The file that records where the data come from.
pub const MANIFEST: &str = "import.toml";

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The name, without directories.
    pub name: String,
    /// SHA-256 of its content.
    pub sha256: String,
}

/// The error of writing imported data; nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum WriteImportError {
    /// The directory has files already.
    #[error("{} already exists and is not overwritten; pass another --out or move it away", .path.shown())]
    AlreadyExists {
        /// The directory.
        path: PathBuf,
    },
    /// A file system operation failed.
    #[error("cannot write {}: {source}; nothing was written: free disk space or pass another --out", .path.shown())]
    Io {
        /// The directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The result cannot be read as a dataset.
    #[error("the imported data cannot be read as a dataset; nothing was written\n{0}")]
    Unreadable(LoadError),
    /// The result reads back as other data, which is a bug.
    #[error("the imported data read back as {found} facts and examples instead of {expected}; nothing was written")]
    Different {
        /// Facts and examples read back.
        found: u64,
        /// Facts and examples imported.
        expected: u64,
    },
}

impl TimeMapping {
    /// Returns the rule in the form used by the database.
    pub fn rule(&self) -> TimeRule {
        TimeRule { source: TimeSource::Predicate(self.predicate.clone()), by_argument: self.by_argument.clone() }
    }
}

/// Checks that a directory can be created: it must not exist, or be empty.
pub fn check_vacant(directory: &Path) -> Result<(), WriteImportError> {
    let is_vacant = match std::fs::read_dir(directory) {
        Ok(mut entries) => entries.next().is_none(),
        // A dangling link counts as existing: the rename would replace it.
        Err(_) => directory.symlink_metadata().is_err(),
    };
    if is_vacant { Ok(()) } else { Err(WriteImportError::AlreadyExists { path: directory.to_owned() }) }
}

/// Writes a directory, which appears complete or not at all. The files are read back before.
pub fn write(
    directory: &Path,
    imported: &Imported,
    mapping: &Mapping,
    tables: &[SourceTable],
    inputs: &[InputFile],
) -> Result<(), WriteImportError> {
    check_vacant(directory)?;
    let contents: [(&str, String); 5] = [
        ("pos.txt", imported.positives.clone()),
        ("neg.txt", imported.negatives.clone()),
        ("facts.txt", imported.facts.clone()),
        ("bk.txt", background(imported, mapping)),
        ("mapping.toml", render::mapping(mapping)),
    ];
    let manifest = manifest(imported, tables, inputs, &contents);
    let fail = |source| WriteImportError::Io { path: directory.to_owned(), source };
    let staged = || {
        // A bare name is in the current directory.
        let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty());
        let staging = files::temporary_dir_in(parent.unwrap_or(Path::new(".")))?;
        for (name, text) in &contents {
            files::write_in_place(&staging.path().join(name), text.as_bytes())?;
        }
        files::write_in_place(&staging.path().join(MANIFEST), manifest.as_bytes())?;
        files::sync_all(staging.path())?;
        Ok(staging)
    };
    let staging = staged().map_err(fail)?;
    read_back(staging.path(), imported, mapping)?;
    // The content is on disk; a crash of the machine may lose the new name, not part of it.
    files::rename(staging.path(), directory).map_err(fail)
}

/// Reads the files as a dataset and compares the counts.
fn read_back(directory: &Path, imported: &Imported, mapping: &Mapping) -> Result<(), WriteImportError> {
    let options = LoadOptions {
        target: Some(mapping.target.predicate.clone()),
        time: mapping.time.as_ref().map(TimeMapping::rule),
        ..LoadOptions::default()
    };
    if imported.examples == (0, 0) {
        // Without examples there is no dataset to load, but facts for prediction.
        return Ok(());
    }
    let dataset = load(directory, &options).map_err(WriteImportError::Unreadable)?;
    let examples = dataset.examples.len() as u64 + dataset.counts.duplicate_examples;
    let facts: usize = imported.predicates.iter().map(|predicate| predicate.facts).sum();
    let expected = (facts + imported.examples.0 + imported.examples.1) as u64;
    let found = dataset.counts.facts_read + examples;
    if found == expected { Ok(()) } else { Err(WriteImportError::Different { found, expected }) }
}

fn background(imported: &Imported, mapping: &Mapping) -> String {
    let mut text = format!("// Imported from tables; {MANIFEST} names them with their checksums.\n");
    if let Some(time) = &mapping.time {
        let _ = writeln!(text, "// The predicate {} gives the time of an entity.", time.predicate);
    }
    for mode in &imported.modes {
        let _ = writeln!(text, "{mode}");
    }
    text
}

fn manifest(imported: &Imported, tables: &[SourceTable], inputs: &[InputFile], files: &[(&str, String)]) -> String {
    let mut text = format!(
        "# The origin of this directory, written by `lrbm datasets import`.\nprogram = \"lrbm {}\"\n",
        env!("CARGO_PKG_VERSION")
    );
    for input in inputs {
        let _ = write!(text, "\n[[input]]\nfile = {}\nsha256 = \"{}\"\n", quoted(&input.name), input.sha256);
    }
    for table in tables {
        let (name, columns) = (quoted(&table.name), table.columns.len());
        let _ = write!(text, "\n[[table]]\nname = {name}\nrows = {}\ncolumns = {columns}\n", table.rows());
    }
    for counts in &imported.predicates {
        let (name, table) = (quoted(&counts.name), quoted(&counts.table));
        let (arity, facts, skipped) = (counts.arity, counts.facts, counts.skipped);
        let _ = write!(
            text,
            "\n[[predicate]]\nname = {name}\narity = {arity}\ntable = {table}\nfacts = {facts}\nrows_without_fact = {skipped}\n"
        );
    }
    let (positives, negatives) = imported.examples;
    let skipped = imported.skipped_examples;
    let _ = write!(
        text,
        "\n[examples]\npositives = {positives}\nnegatives = {negatives}\nrows_without_example = {skipped}\n\n[sha256]\n"
    );
    for (name, content) in files {
        let _ = writeln!(text, "{} = \"{}\"", quoted(name), digest::sha256(content.as_bytes()));
    }
    text
}
