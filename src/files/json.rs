//! JSON files with a named, versioned format.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::files::visible::ShownPath;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum number of characters of an unknown format name that a message shows.
const MAX_SHOWN: usize = 40;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The value of `format` in such files.
    pub name: &'static str,
    /// Values of `format` that earlier versions of the program wrote; they are still read.
    pub former: &'static [&'static str],
    /// The content, as messages name it.
    pub thing: &'static str,
    /// The command that writes such files.
    pub maker: &'static str,
    /// The latest version; all versions up to it can be read.
    pub version: u32,
}

/// A file that cannot be read or written in its format.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read or written.
    #[error("{}: cannot {action} the file: {error}", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// What failed: read or write.
        action: &'static str,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The content does not have the format.
    #[error("{place}not a {}: {what}: give a file that `{}` wrote", .format.thing, .format.maker)]
    Invalid {
        /// The file, if known.
        place: Place,
        /// The expected format.
        format: Format,
        /// The problem.
        what: String,
    },
    /// The content cannot be represented, because numbers are infinite or NaN.
    #[error(
        "{place}not written, because it could not be read back: {what}: numbers are infinite or NaN; use smaller steps, \
         rates or weights"
    )]
    Unreadable {
        /// The file, if known.
        place: Place,
        /// The problem.
        what: String,
    },
    /// The file has a later version of the format.
    #[error("{place}a {} of format version {found}, and this program reads up to {}: use a newer lrbm", .format.thing, .format.version)]
    Newer {
        /// The file, if known.
        place: Place,
        /// The format.
        format: Format,
        /// The version of the file.
        found: u64,
    },
}

/// The file that a text came from, if any; displayed as a prefix of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(Option<PathBuf>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(path) => write!(f, "{}: ", path.shown()),
            None => Ok(()),
        }
    }
}

impl FileError {
    /// Returns the error with the path of the file.
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

/// Returns the value of `format` in a JSON text.
pub fn format(text: &str) -> Option<String> {
    let any: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(any.get("format")?.as_str()?.to_owned())
}

impl Format {
    /// Returns whether a file whose `format` has this value is of this format.
    pub fn is_named(&self, name: &str) -> bool {
        name == self.name || self.former.contains(&name)
    }

    /// Reads a text of this format, of any version up to the latest.
    ///
    /// # Errors
    /// If the text has another format, a later version or other fields.
    pub fn read<T: DeserializeOwned>(self, text: &str) -> Result<T, FileError> {
        // Name and version are checked first: a file of another format would fail with a confusing
        // error.
        let any: serde_json::Value = serde_json::from_str(text).map_err(|error| self.invalid(error.to_string()))?;
        let name = any.get("format").and_then(serde_json::Value::as_str);
        if !name.is_some_and(|name| self.is_named(name)) {
            // A foreign file may have a format name of any length.
            let found = name.map_or("it has no format".to_owned(), |name| {
                format!("its format is {:?}", name.chars().take(MAX_SHOWN).collect::<String>())
            });
            return Err(self.invalid(format!("{found}; expected \"{}\"", self.name)));
        }
        match any.get("version").and_then(serde_json::Value::as_u64) {
            None | Some(0) => return Err(self.invalid("it has no version")),
            Some(found) if found > u64::from(self.version) => {
                return Err(FileError::Newer { place: Place::default(), format: self, found });
            }
            Some(_) => {}
        }
        serde_json::from_str(text).map_err(|error| self.invalid(located(&error, text)))
    }

    /// Returns the error for a text that does not have this format.
    pub fn invalid(self, what: impl Into<String>) -> FileError {
        FileError::Invalid { place: Place::default(), format: self, what: what.into() }
    }
}

/// Returns the message of an error with the line it names, which shows the field.
fn located(error: &serde_json::Error, text: &str) -> String {
    // Some errors are located at the end of an object, where the line shows nothing.
    let line = error.line().checked_sub(1).and_then(|line| text.lines().nth(line)).map(str::trim);
    match line.filter(|line| line.contains(char::is_alphanumeric) && line.chars().count() <= MAX_SHOWN) {
        Some(line) => format!("{error} (`{line}`)"),
        None => error.to_string(),
    }
}

/// Returns a value as the text of a file.
pub fn text(value: &impl Serialize) -> String {
    // Only maps with keys that are not strings can fail.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Returns a text that was written from a value, if it can be read back: JSON cannot represent
/// infinite numbers and NaN.
///
/// # Errors
/// If it cannot be read back.
pub fn readable<T>(text: String, read: impl FnOnce(&str) -> Result<T, FileError>) -> Result<String, FileError> {
    // Such numbers are written as `null`. Reading a model takes as long as learning a small one, so
    // the text is read back only if it contains `null`, which may also be a name or an absent
    // value, or if serialization failed.
    if text.starts_with('{') && !text.contains("null") {
        return Ok(text);
    }
    match read(&text) {
        Ok(_) => Ok(text),
        Err(FileError::Invalid { what, .. }) => Err(FileError::Unreadable { place: Place::default(), what }),
        Err(error) => Err(error),
    }
}

/// Writes a text to a file atomically, if it can be read back; see [`readable`].
///
/// # Errors
/// If the file cannot be written, or could not be read back.
pub fn save<T>(path: &Path, text: String, read: impl FnOnce(&str) -> Result<T, FileError>) -> Result<(), FileError> {
    let text = readable(text, read).map_err(|error| error.of(path))?;
    let written = super::write(path, |out| out.write_all(text.as_bytes()));
    written.map_err(|error| FileError::Io { path: path.to_owned(), action: "write", error })
}

/// Reads a file and passes its text to `read`; errors name the file.
///
/// # Errors
/// If the file or its text cannot be read.
pub fn load<T>(path: &Path, read: impl FnOnce(&str) -> Result<T, FileError>) -> Result<T, FileError> {
    let io = |error| FileError::Io { path: path.to_owned(), action: "read", error };
    let text = std::fs::read_to_string(path).map_err(io)?;
    read(&text).map_err(|error| error.of(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format =
        Format { name: "lrbm-thing", former: &["lrbm thing"], thing: "thing", maker: "lrbm make", version: 1 };

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Thing {
        format: String,
        version: u32,
        number: f64,
    }

    #[test]
    fn a_file_that_could_not_be_read_back_is_not_written() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("thing.json");
        let save = |number| {
            let thing = Thing { format: FORMAT.name.to_owned(), version: 1, number };
            save(&path, text(&thing), |text| FORMAT.read::<Thing>(text))
        };
        for number in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let error = save(number).unwrap_err().to_string();
            assert!(error.contains("thing.json: not written") && error.contains("(`\"number\": null`)"), "{error}");
            assert!(!path.exists());
        }
        save(f64::MAX).unwrap();
        assert_eq!(load(&path, |text| FORMAT.read::<Thing>(text)).unwrap().number, f64::MAX);
        assert_eq!(format(&std::fs::read_to_string(&path).unwrap()).as_deref(), Some("lrbm-thing"));
        assert_eq!((format("{}"), format("[")), (None, None));
        // The existing file is kept.
        assert!(save(f64::NAN).is_err());
        assert!(load(&path, |text| FORMAT.read::<Thing>(text)).is_ok());
    }

    #[test]
    fn the_version_is_at_most_the_latest() {
        let read = |version| FORMAT.read::<Thing>(&format!("{{\"format\": \"lrbm-thing\", {version}\"number\": 1}}"));
        assert!(matches!(read("\"version\": 2, "), Err(FileError::Newer { found: 2, .. })));
        assert!(matches!(read("\"version\": 0, "), Err(FileError::Invalid { .. })));
        assert!(matches!(read(""), Err(FileError::Invalid { .. })));
        assert!(read("\"version\": 1, ").is_ok());
    }
}
