//! Writing output files.

use std::path::{Path, PathBuf};

use super::error::CommandError;
use crate::files::visible::ShownPath;

/// Returns the path of a file to write, with links resolved, if it can be created. Leaves nothing
/// behind.
pub fn check_writable(path: &Path) -> Result<PathBuf, CommandError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let refuse = |why: String| CommandError::Input(format!("{}: cannot be written: {why}", path.shown()));
    if path.is_dir() {
        return Err(refuse("it is a directory: give the name of a file".into()));
    }
    // Files are written by renaming, which would replace a pipe or a device.
    if path.exists() && !path.is_file() {
        return Err(refuse("it is not a regular file".into()));
    }
    if !directory.is_dir() {
        return Err(refuse(format!("there is no directory {}: create it first", directory.shown())));
    }
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    crate::files::check_writable(directory).map(|()| place).map_err(|error| refuse(error.to_string()))
}

/// Writes a file atomically.
pub fn write_whole(path: &Path, text: &str) -> Result<(), CommandError> {
    crate::files::write(path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| CommandError::Input(format!("{}: cannot be written: {error}", path.shown())))
}
