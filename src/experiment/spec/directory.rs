//! Own data in a spec: directories relative to the spec file, and how they are read.

use std::path::Path;

use super::super::dataset_ref::DirectoryOptions;
use super::diagnostic::{SpecDiagnostic, SpecLocation};
use super::raw::{Item, RawTable, RawValue};
use super::shape::join;
use crate::data::layout;
use crate::learn::params::Value;

/// Keys of a dataset whose values are paths.
const PATHS: [&str; 2] = ["path", "background"];

/// Makes the paths of datasets absolute, so that the stored spec means the same from everywhere.
///
/// Paths of the file are relative to its directory, those of the command line to the current one.
pub fn resolve(table: &mut RawTable, base: &Path, diagnostics: &mut Vec<SpecDiagnostic>) {
    if let Some(RawValue::Table(multiverse)) = table.get_mut("multiverse").map(|item| &mut item.value)
        && let Some(item) = multiverse.get_mut("published")
        && let Some(text) = item.text().filter(|text| !text.trim().is_empty())
        && let Some(absolute) = std::path::absolute(base.join(text)).ok().as_deref().and_then(Path::to_str)
    {
        item.value = RawValue::Scalar(Value::Text(absolute.to_owned()));
    }
    let Some(RawValue::Table(datasets)) = table.get_mut("dataset").map(|item| &mut item.value) else { return };
    for (name, item) in datasets {
        let RawValue::Table(dataset) = &mut item.value else { continue };
        for key in PATHS {
            let Some(item) = dataset.get_mut(key) else { continue };
            let Some(text) = item.text().filter(|text| !text.trim().is_empty()) else { continue };
            let base = match item.place {
                SpecLocation::Line(_) => base,
                SpecLocation::Set(_) | SpecLocation::SlurmOption(_) => Path::new(""),
            };
            let absolute = std::path::absolute(base.join(text)).ok();
            // The last component is the name of the dataset, so `..` does not end a path.
            let absolute = absolute.map(|path| match path.file_name() {
                Some(_) => path,
                None => path.canonicalize().unwrap_or(path),
            });
            match absolute.as_deref().and_then(Path::to_str) {
                Some(absolute) => item.value = RawValue::Scalar(Value::Text(absolute.to_owned())),
                None => {
                    let reason = "relative to a directory that is unknown or not valid UTF-8: write an absolute path";
                    let path = join(&join("dataset", name), key);
                    diagnostics.push(SpecDiagnostic::new(&item.place, path, reason).with(item.value.inline()));
                }
            }
        }
    }
}

/// Returns why a path is not a readable data directory; `None` if it is one.
pub fn fault_of(path: &Path) -> Option<String> {
    if path.is_dir() {
        return None;
    }
    let what = layout::describe_file(path).unwrap_or("no such directory");
    Some(format!("{what}; expected a directory with example and fact files, or with folds of them"))
}

/// Reads how a directory is read.
pub fn options(own: &RawTable) -> DirectoryOptions {
    let text = |key: &str| own.get(key).and_then(Item::text);
    DirectoryOptions { target: text("target").map(str::to_owned), background: text("background").map(Into::into) }
}
