//! Data written to files and read from them.

use lrbm::internal::data::load::{Dataset, LoadOptions, load};

/// Creates a directory with these files, by kind, and loads it.
pub fn directory(files: [(&str, &str); 4]) -> (tempfile::TempDir, Dataset) {
    let home = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(home.path().join(format!("{name}.txt")), text).unwrap();
    }
    let loaded = load(home.path(), &LoadOptions::default()).unwrap();
    (home, loaded)
}
