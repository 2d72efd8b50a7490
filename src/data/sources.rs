//! Where the parts of a dataset are read from: files, or texts in memory.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::layout::{self, DatasetFiles};
use crate::logic::Location;

/// A file, or a text in memory under a name for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataSource {
    /// A file.
    File(PathBuf),
    /// A text.
    Text {
        /// Its name in messages, such as `facts`.
        name: PathBuf,
        /// The text.
        text: Arc<str>,
    },
}

impl DataSource {
    /// Creates the source of a text with a name for messages.
    pub fn text(name: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> Self {
        DataSource::Text { name: name.into(), text: text.into() }
    }

    /// Returns the path of the file, or the name of the text.
    pub fn path(&self) -> &Path {
        match self {
            DataSource::File(path) => path,
            DataSource::Text { name, .. } => name,
        }
    }

    /// Opens the source; a file whose name ends in `.gz` is decompressed.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read>> {
        match self {
            DataSource::File(path) => layout::open(path),
            DataSource::Text { text, .. } => Ok(Box::new(Cursor::new(Arc::<[u8]>::from(Arc::clone(text))))),
        }
    }

    /// Returns the location of a whole line. The source is read again up to it, a cost that only
    /// errors incur.
    pub(super) fn locate_line(&self, line: u64) -> Location {
        let text = self
            .open()
            .ok()
            .and_then(|reader| BufReader::new(reader).split(b'\n').nth(line.saturating_sub(1) as usize)?.ok());
        let text = String::from_utf8_lossy(&text.unwrap_or_default()).trim_end().to_owned();
        let indent = text.chars().take_while(|c| c.is_whitespace()).count();
        let width = text.trim().chars().count().clamp(1, 120);
        Location { file: self.path().to_owned(), line, column: indent as u64 + 1, caret: indent, width, text }
    }
}

impl From<PathBuf> for DataSource {
    fn from(path: PathBuf) -> Self {
        DataSource::File(path)
    }
}

/// The parts of a dataset. A directory has them as files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataSources {
    /// Positive examples.
    pub positives: Option<DataSource>,
    /// Negative examples.
    pub negatives: Option<DataSource>,
    /// Facts.
    pub facts: Option<DataSource>,
    /// Modes and parameters.
    pub background: Option<DataSource>,
}

impl DataSources {
    /// Returns the files of a directory, found by their names.
    pub fn of_directory(directory: &Path) -> Self {
        layout::find(directory).into()
    }
}

impl From<DatasetFiles> for DataSources {
    fn from(files: DatasetFiles) -> Self {
        let DatasetFiles { positives, negatives, facts, background } = files;
        DataSources {
            positives: positives.map(DataSource::from),
            negatives: negatives.map(DataSource::from),
            facts: facts.map(DataSource::from),
            background: background.map(DataSource::from),
        }
    }
}

/// What a dataset is read from.
#[derive(Clone, Copy, Debug)]
pub enum DataOrigin<'a> {
    /// A directory with files of facts, modes and examples.
    Directory(&'a Path),
    /// Given files or texts.
    Sources(&'a DataSources),
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for DataOrigin<'a> {
    fn from(directory: &'a P) -> Self {
        DataOrigin::Directory(directory.as_ref())
    }
}

impl<'a> From<&'a DataSources> for DataOrigin<'a> {
    fn from(sources: &'a DataSources) -> Self {
        DataOrigin::Sources(sources)
    }
}
