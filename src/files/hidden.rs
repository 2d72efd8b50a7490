//! Working directories that cannot be found from their parents.
//!
//! A directory with a random name lies alone in a directory that may be entered but not listed, so
//! that a search from anywhere above does not find it. Processes with the rights of a superuser are
//! not restricted by such modes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::fault::{self, Operation};
use super::{builder, create_dir_all, parent, permissions};

/// Mode of a directory that its owner uses alone.
const OWN: u32 = 0o700;
/// Mode of a directory that its owner may only pass through.
const PASSAGE: u32 = 0o100;

/// A hidden directory, deleted on drop with all it contains.
#[derive(Debug)]
pub struct HiddenDir {
    passage: TempDir,
    path: PathBuf,
}

impl HiddenDir {
    /// Creates one below `parent`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn new_in(parent: &Path) -> io::Result<Self> {
        create_dir_all(parent)?;
        fault::point(Operation::Create)?;
        let passage = builder(OWN).tempdir_in(parent)?;
        let path = builder(OWN).tempdir_in(passage.path())?.keep();
        set_mode(passage.path(), PASSAGE)?;
        Ok(HiddenDir { passage, path })
    }

    /// Returns the directory to work in.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for HiddenDir {
    fn drop(&mut self) {
        let _ = set_mode(self.passage.path(), OWN);
    }
}

/// Deletes a hidden directory by its path, for a process that did not create it.
///
/// # Errors
/// If it cannot be deleted.
pub fn remove_hidden(path: &Path) -> io::Result<()> {
    let passage = parent(path)?;
    set_mode(passage, OWN)?;
    super::remove_dir_all(passage)
}

/// Sets the mode of a directory, where there are modes.
fn set_mode(directory: &Path, mode: u32) -> io::Result<()> {
    permissions(mode).map_or(Ok(()), |permissions| fs::set_permissions(directory, permissions))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_hidden_directory_can_be_used_but_not_found() {
        let home = tempfile::tempdir().unwrap();
        for by_path in [false, true] {
            let hidden = HiddenDir::new_in(home.path()).unwrap();
            fs::create_dir(hidden.path().join("inner")).unwrap();
            fs::write(hidden.path().join("inner/file"), "x").unwrap();
            assert_eq!(fs::read(hidden.path().join("inner/file")).unwrap(), b"x");
            assert_eq!((mode(hidden.path().parent().unwrap()), mode(hidden.path())), (PASSAGE, OWN));
            assert_eq!(hidden.path().parent().unwrap().parent().unwrap(), home.path());
            if by_path {
                remove_hidden(hidden.path()).unwrap();
                assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
            }
            drop(hidden);
            assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "{by_path}");
        }
    }
}
