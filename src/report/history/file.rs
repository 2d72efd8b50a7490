//! The file of a history.

use std::io;
use std::path::Path;

use super::error::HistoryError;
use super::row::{COLUMNS, HistoryRow};
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::frame::RowKey;
use crate::files;
use crate::files::lock::FileLock;
use crate::files::visible::ShownPath;
use crate::report::csv;

/// The rows of a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Rows in the order of the file. A cell that was recorded again at a commit counts once, with
    /// its last values.
    pub rows: Vec<HistoryRow>,
    /// What was left out.
    pub note: Option<String>,
    /// Length of the text without an incomplete last line.
    pub(super) intact: usize,
}

impl History {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file does not exist, cannot be read, or has an invalid line other than an incomplete
    /// last one.
    pub fn read(path: &Path) -> Result<Self, HistoryError> {
        Self::parse(&text_of(path)?, path)
    }

    /// Parses the text of a file; `path` is used in errors. A last line without a line end is what
    /// a killed process left: it is dropped with a note.
    ///
    /// # Errors
    /// If a complete line is invalid.
    pub fn parse(text: &str, path: &Path) -> Result<Self, HistoryError> {
        let wrong = |line, what| HistoryError::Wrong { path: path.to_owned(), line, what };
        let intact = text.rfind('\n').map_or(0, |end| end + 1);
        let note = (intact < text.len()).then(|| {
            let line = text[..intact].matches('\n').count() + 1;
            format!("{}:{line}: the last line is incomplete and was dropped", path.shown())
        });
        let records = csv::parse(&text[..intact]).map_err(|error| wrong(error.line, error.what().to_owned()))?;
        let mut records = records.into_iter();
        match records.next() {
            Some(headings) if headings.fields != COLUMNS => {
                let what = format!("columns `{}`; expected `{}`", headings.fields.join(","), COLUMNS.join(","));
                return Err(wrong(headings.line, what));
            }
            // Without headings, only what a killed process left of them is known to be a history.
            None if !csv::line(COLUMNS).starts_with(text) => {
                return Err(wrong(1, format!("not a history; expected a first line `{}`", COLUMNS.join(","))));
            }
            _ => {}
        }
        let mut rows: IndexMap<(String, RowKey, usize, u64), HistoryRow> = IndexMap::default();
        for record in records {
            let row = HistoryRow::parse(&record.fields).map_err(|what| wrong(record.line, what))?;
            rows.insert((row.commit.clone(), row.key.clone(), row.fold, row.seed), row);
        }
        Ok(History { rows: rows.into_values().collect(), note, intact })
    }

    /// Returns the commits in the order of the file.
    pub fn commits(&self) -> IndexSet<&str> {
        self.rows.iter().map(|row| row.commit.as_str()).collect()
    }
}

fn text_of(path: &Path) -> Result<String, HistoryError> {
    std::fs::read_to_string(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => HistoryError::Missing(path.to_owned()),
        _ => HistoryError::Unreadable { path: path.to_owned(), source },
    })
}

/// Appends rows to a file, which is created if missing. Processes that append at the same time
/// take turns. The file is replaced atomically, so that a killed process leaves the old or the new
/// one; an incomplete last line of other origin is dropped, and the note says so.
///
/// # Errors
/// If the file is invalid, or cannot be read or written.
pub fn record(path: &Path, rows: &[HistoryRow]) -> Result<Option<String>, HistoryError> {
    let unwritable = |source| HistoryError::Unwritable { path: path.to_owned(), source };
    let _lock = lock(path).map_err(unwritable)?;
    let old = match text_of(path) {
        Err(HistoryError::Missing(_)) => String::new(),
        other => other?,
    };
    let known = History::parse(&old, path)?;
    let mut text = old[..known.intact].to_owned();
    if text.is_empty() {
        text = csv::line(COLUMNS);
    }
    rows.iter().for_each(|row| text += &csv::line(row.fields()));
    files::write(path, |out| out.write_all(text.as_bytes())).map_err(unwritable)?;
    Ok(known.note)
}

/// Acquires the right to replace a file, through a hidden file beside it.
fn lock(path: &Path) -> io::Result<FileLock> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    files::lock::lock(directory, &format!(".{name}.lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(commit: &str, fold: usize, value: f64) -> HistoryRow {
        let text = |text: &str| text.to_owned();
        HistoryRow {
            commit: text(commit),
            date: text("2026-01-01T00:00:00Z"),
            platform: text("x release"),
            data: text("ab-v2"),
            key: RowKey { dataset: text("a, b"), model: text("M"), preset: text(""), case: text("") },
            fold,
            seed: 7,
            values: [Some(value), None, Some(-0.5)],
            seconds: Some(0.25),
        }
    }

    #[test]
    fn rows_survive_a_round_trip_and_a_kill() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("new/history.csv");
        assert!(matches!(History::read(&path), Err(HistoryError::Missing(_))));
        let first = [row("c1", 1, 0.5), row("c1", 2, 0.75)];
        assert_eq!(record(&path, &first).unwrap(), None);
        assert_eq!(History::read(&path).unwrap().rows, first);
        let whole = std::fs::read_to_string(&path).unwrap();
        // Every prefix can be read and continued; complete rows are kept.
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let kept = History::read(&path).unwrap();
            let complete = whole[..length].matches('\n').count().saturating_sub(1);
            assert_eq!(kept.rows, first[..complete], "{length}");
            let is_cut = length > 0 && !whole[..length].ends_with('\n');
            assert_eq!(kept.note.is_some(), is_cut, "{length}");
            assert_eq!(record(&path, &[row("c2", 1, 0.25)]).unwrap().is_some(), is_cut);
            let rows = History::read(&path).unwrap().rows;
            assert_eq!(rows[..complete], first[..complete]);
            assert_eq!(rows[complete..], [row("c2", 1, 0.25)]);
        }
    }

    #[test]
    fn concurrent_records_lose_nothing() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("history.csv");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for fold in 1..=10 {
                        record(path, &[row(&format!("c{writer}"), fold, 0.5)]).unwrap();
                    }
                });
            }
        });
        assert_eq!(History::read(&path).unwrap().rows.len(), 40);
        // The lock leaves no file behind.
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_last_values_of_a_commit_count() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("h.csv");
        record(&path, &[row("c1", 1, 0.5), row("c2", 1, 0.5)]).unwrap();
        record(&path, &[row("c1", 1, 0.75)]).unwrap();
        let history = History::read(&path).unwrap();
        assert_eq!(history.rows, [row("c1", 1, 0.75), row("c2", 1, 0.5)]);
        assert_eq!(history.commits().into_iter().collect::<Vec<_>>(), ["c1", "c2"]);
    }

    #[test]
    fn errors_name_file_line_and_column() {
        let head = csv::line(COLUMNS);
        let good = csv::line(row("c", 1, 0.5).fields());
        let parse = |text: String| History::parse(&text, Path::new("h.csv")).unwrap_err().to_string();
        assert!(parse("a,b\n".to_owned()).contains("h.csv:1: columns `a,b`"));
        for other in ["notes without a line end", "\n", "\n\nnotes", "commit,date,score"] {
            assert!(parse(other.to_owned()).contains("h.csv:1: not a history; expected a first line"), "{other}");
        }
        for (old, new, message) in [
            (",1,7,", ",x,7,", "h.csv:2: column `fold`: must be an integer, got `x`"),
            ("0.5,,", "high,,", "h.csv:2: column `auc_roc`: must be a number from -1e9 to 1e9 or empty, got `high`"),
            ("0.5,,", "1e308,,", "h.csv:2: column `auc_roc`: must be a number from -1e9 to 1e9 or empty, got `1e308`"),
            ("0.25\n", "-1\n", "h.csv:2: column `seconds`: must be at least 0"),
            (",0.25\n", "\n", "h.csv:2: expected 14 fields, got 13"),
        ] {
            let text = good.replace(old, new);
            assert_ne!(text, good);
            let error = parse(format!("{head}{text}"));
            assert!(error.contains(message), "{error}");
        }
    }
}
