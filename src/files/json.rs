//! JSON files that say what they are: a format by name, and its version.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// What such a file says it is.
    pub name: &'static str,
    /// What it holds, as messages say it.
    pub thing: &'static str,
    /// The command that writes such files.
    pub maker: &'static str,
    /// The latest version; every version up to it can be read.
    pub version: u32,
}

/// A file that cannot be used as what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// It is something else, or damaged.
    #[error("{place}not a {}: {what}: give a file that `{}` wrote", .format.thing, .format.maker)]
    Invalid {
        /// Where it is.
        place: Place,
        /// What it should be.
        format: Format,
        /// What is wrong.
        what: String,
    },
    /// What was to be written cannot be read again.
    #[error(
        "{place}nothing is written, since nobody could read it: {what}: numbers became too large, or none at all; smaller steps, \
         rates or weights keep them in bounds"
    )]
    Unreadable {
        /// Where it was to be.
        place: Place,
        /// What is wrong.
        what: String,
    },
    /// It is of a later version.
    #[error("{place}a {} of format version {found}, and this program reads up to {}: use a newer lrbm", .format.thing, .format.version)]
    Newer {
        /// Where it is.
        place: Place,
        /// What it is.
        format: Format,
        /// Its version.
        found: u64,
    },
}

/// A file, if a text came from one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(Option<PathBuf>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(path) => write!(f, "{}: ", path.display()),
            None => Ok(()),
        }
    }
}

impl FileError {
    /// The same, of a file.
    fn of(mut self, path: &Path) -> Self {
        match &mut self {
            FileError::Io { .. } => {}
            FileError::Invalid { place, .. } | FileError::Unreadable { place, .. } | FileError::Newer { place, .. } => {
                *place = Place(Some(path.to_owned()));
            }
        }
        self
    }
}

/// The name of the format that a text gives, if it is JSON and gives one.
pub fn format(text: &str) -> Option<String> {
    let any: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(any.get("format")?.as_str()?.to_owned())
}

impl Format {
    /// Reads a text of this format, of any version up to the latest.
    ///
    /// # Errors
    /// If it is not one.
    pub fn read<T: DeserializeOwned>(self, text: &str) -> Result<T, FileError> {
        // What comes first is what tells this file from any other, and from one of the future.
        let any: serde_json::Value = serde_json::from_str(text).map_err(|error| self.invalid(error.to_string()))?;
        if any.get("format").and_then(serde_json::Value::as_str) != Some(self.name) {
            return Err(self.invalid(format!("it does not say \"format\": \"{}\"", self.name)));
        }
        match any.get("version").and_then(serde_json::Value::as_u64) {
            None | Some(0) => return Err(self.invalid("it has no version")),
            Some(found) if found > u64::from(self.version) => {
                return Err(FileError::Newer { place: Place::default(), format: self, found });
            }
            Some(_) => {}
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize(&mut reader).map_err(|error| self.invalid(error.to_string()))
    }

    /// What is wrong with a text of this format.
    pub fn invalid(self, what: impl Into<String>) -> FileError {
        FileError::Invalid { place: Place::default(), format: self, what: what.into() }
    }
}

/// A value as the text of a file.
pub fn text(value: &impl Serialize) -> String {
    // Only maps with keys that are not text can fail.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// A text of one of our own values, if what reads such files can read it: JSON has no word for numbers that are infinite or none.
///
/// # Errors
/// If it cannot.
pub fn readable<T>(text: String, read: impl FnOnce(&str) -> Result<T, FileError>) -> Result<String, FileError> {
    // Such numbers are written as this word. To read a model takes as long as to learn a small one, so it is read only if the
    // word is there, which may also be a name, or stand for what is left out; or if there is no text.
    if text.starts_with('{') && !text.contains("null") {
        return Ok(text);
    }
    match read(&text) {
        Ok(_) => Ok(text),
        Err(FileError::Invalid { what, .. }) => Err(FileError::Unreadable { place: Place::default(), what }),
        Err(error) => Err(error),
    }
}

/// Writes a text to a file, which appears whole or not at all, if none of its numbers got lost; see [`readable`].
///
/// # Errors
/// If the file cannot be written, or could not be read.
pub fn save<T>(path: &Path, text: String, read: impl FnOnce(&str) -> Result<T, FileError>) -> Result<(), FileError> {
    let text = readable(text, read).map_err(|error| error.of(path))?;
    let written = super::write(path, |out| out.write_all(text.as_bytes()));
    written.map_err(|error| FileError::Io { path: path.to_owned(), error })
}

/// Reads a file with what reads its text.
///
/// # Errors
/// If there is no such file, or it cannot be read.
pub fn load<T>(path: &Path, read: impl FnOnce(&str) -> Result<T, FileError>) -> Result<T, FileError> {
    let text = std::fs::read_to_string(path).map_err(|error| FileError::Io { path: path.to_owned(), error })?;
    read(&text).map_err(|error| error.of(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format = Format { name: "lrbm thing", thing: "thing", maker: "lrbm make", version: 1 };

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Thing {
        format: String,
        version: u32,
        number: f64,
    }

    #[test]
    fn what_could_not_be_read_is_not_written() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("thing.json");
        let save = |number| {
            let thing = Thing { format: FORMAT.name.to_owned(), version: 1, number };
            save(&path, text(&thing), |text| FORMAT.read::<Thing>(text))
        };
        for number in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let error = save(number).unwrap_err().to_string();
            assert!(error.contains("thing.json: nothing is written") && error.contains("number: "), "{error}");
            assert!(!path.exists());
        }
        save(f64::MAX).unwrap();
        assert_eq!(load(&path, |text| FORMAT.read::<Thing>(text)).unwrap().number, f64::MAX);
        // What was there stays.
        assert!(save(f64::NAN).is_err());
        assert!(load(&path, |text| FORMAT.read::<Thing>(text)).is_ok());
    }
}
