//! Files that appear whole or not at all: written to a temporary sibling, synced, then renamed.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// How temporary siblings start; a file of such a name is what a killed program left behind.
pub const TEMPORARY: &str = ".tmp-";

/// Writes a file with what `fill` gives; a reader sees the old content or the new, never a part.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let parent = parent(path)?;
    fs::create_dir_all(parent)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    if let Some(permissions) = shared(0o666) {
        builder.permissions(permissions);
    }
    let mut temporary = builder.tempfile_in(parent)?;
    let mut buffered = BufWriter::new(temporary.as_file_mut());
    fill(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    sync_directory(parent)
}

/// A temporary directory in `parent`, gone when dropped unless it is renamed into place.
pub fn directory_in(parent: &Path) -> io::Result<tempfile::TempDir> {
    fs::create_dir_all(parent)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    if let Some(permissions) = shared(0o777) {
        builder.permissions(permissions);
    }
    builder.tempdir_in(parent)
}

/// Renames what is complete and synced to its final name, and makes the new name last.
pub fn settle(complete: &Path, path: &Path) -> io::Result<()> {
    fs::rename(complete, path)?;
    sync_directory(parent(path)?)
}

/// Makes new names in a directory survive a loss of power, where the system has a way to ask for it.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

fn parent(path: &Path) -> io::Result<&Path> {
    match path.parent() {
        // A bare name has no directory to write in but the current one.
        Some(parent) if parent.as_os_str().is_empty() => Ok(Path::new(".")),
        Some(parent) => Ok(parent),
        None => Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no directory")),
    }
}

/// Temporary files are private by default, but a cache is often shared: leave it to the user's umask.
#[cfg(unix)]
fn shared(mode: u32) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn shared(_: u32) -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/file");
        write(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("no"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
