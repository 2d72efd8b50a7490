//! Errors and checks that all readers of tables share.

use std::io;
use std::path::Path;

use crate::determinism::HashMap;
use crate::files::visible::ShownPath;
use crate::logic::quantity::thousands;

/// The most columns of a table; a file with more is probably not a table of entities.
const MAX_COLUMNS: usize = 4096;
/// The most bytes of a text value.
const MAX_FIELD: usize = 1 << 20;
/// The problem of a number that has no place among thresholds.
pub const INFINITE: &str = "an infinite number: correct it, or leave it empty (NULL)";

/// The error of reading tables.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}; nothing was written")]
pub struct SourceError {
    /// The file, with line, table or column.
    pub place: String,
    /// What is wrong and what to do.
    pub problem: String,
}

impl SourceError {
    pub fn new(place: impl ToString, problem: impl ToString) -> Self {
        SourceError { place: place.to_string(), problem: problem.to_string() }
    }

    pub fn in_file(path: &Path, problem: impl ToString) -> Self {
        SourceError::new(path.shown(), problem)
    }
}

/// Returns the error for a file that cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> SourceError {
    SourceError::in_file(path, format!("cannot be read: {error}"))
}

/// Checks the names of columns; one without a name is called by its number.
pub fn column_names(place: &str, names: Vec<String>) -> Result<Vec<String>, SourceError> {
    check_column_count(place, names.len())?;
    let mut named: Vec<String> = Vec::new();
    let mut seen = HashMap::default();
    for (number, name) in (1..).zip(names) {
        let name = if name.is_empty() { format!("column{number}") } else { name };
        if let Some(first) = seen.insert(name.clone(), number) {
            let problem = format!("columns {first} and {number} are both called `{name}`: rename one of them");
            return Err(SourceError::new(place, problem));
        }
        named.push(name);
    }
    Ok(named)
}

/// Checks the number of columns.
pub fn check_column_count(place: &str, columns: usize) -> Result<(), SourceError> {
    match columns {
        0 => Err(SourceError::new(place, "the table has no columns")),
        n if n > MAX_COLUMNS => Err(SourceError::new(
            place,
            format!(
                "{} columns, at most {} are accepted: keep one row per entity or pair of entities, and one column per \
                 property",
                thousands(n),
                thousands(MAX_COLUMNS)
            ),
        )),
        _ => Ok(()),
    }
}

/// Checks a text value: no NUL, and not too long.
pub fn check_text(text: &str) -> Result<(), String> {
    if text.len() > MAX_FIELD {
        let bytes = thousands(text.len());
        return Err(format!("a text of {bytes} bytes, at most 1 MiB is accepted: leave the column out"));
    }
    if text.contains('\0') {
        return Err("a NUL character, which no name may contain: remove it, or leave the column out".into());
    }
    Ok(())
}
