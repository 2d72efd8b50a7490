//! Recorded texts: `SNAPSHOTS=overwrite` records them again.

use std::path::Path;

use snapbox::{Assert, Data, IntoData, assert};

/// Compares a text with its record, byte by byte up to line ends; the error shows the difference.
pub fn compare(path: &Path, text: &str) -> Result<(), String> {
    let recorded = Data::read_from(path, None).raw();
    let assert = Assert::new().action_env(assert::DEFAULT_ACTION_ENV);
    assert.try_eq(Some(&path.display()), text.into_data(), recorded).map_err(|difference| difference.to_string())
}
