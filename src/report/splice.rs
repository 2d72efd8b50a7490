//! Splicing of tables and figures into Markdown files, kept in sync with the files they come
//! from.
//!
//! ```text
//! <!-- lrbm: table results/table2/table2-paper.csv -->
//! replaced text
//! <!-- lrbm: end -->
//! ```
//!
//! `figure` instead of `table` inserts an image. Paths are relative to the Markdown file and stay
//! below its directory or the working directory, so that `docs/src/page.md` may name
//! `../../results/table.csv`. A marker is alone on its line; markers inside code blocks are
//! ignored.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::csv::CsvError;
use super::markdown::escape;
use super::table::{self, NOTES, ReadTableError};
use crate::files::visible::ShownPath;
use crate::logic::nearest::nearest;

/// Why a file cannot be spliced.
#[derive(Debug, thiserror::Error)]
pub enum SpliceError {
    /// The Markdown file cannot be read.
    #[error("{}: cannot read the file: {source}", path.shown())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file has no markers.
    #[error("{}: no markers found; put `<!-- lrbm: table PATH.csv -->` and `<!-- lrbm: end -->` where a table belongs", .0.shown())]
    NoMarker(PathBuf),
    /// A marker is invalid.
    #[error("{}:{line}: {problem}", path.shown())]
    Marker {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong and what is accepted.
        problem: Box<MarkerError>,
    },
}

/// Why a marker is invalid.
#[derive(Debug, thiserror::Error)]
pub enum MarkerError {
    /// Unknown marker.
    #[error("unknown marker `{found}`; expected `table PATH.csv`, `figure PATH.svg` or `end`{}", hint.map_or_else(String::new, |hint| format!("; did you mean `{hint}`?")))]
    Unknown {
        /// The text found.
        found: String,
        /// The most similar marker.
        hint: Option<&'static str>,
    },
    /// The comment is not closed.
    #[error("the marker does not end with ` -->` on its line")]
    Open,
    /// The end marker is missing.
    #[error("missing `<!-- lrbm: end -->` after this marker")]
    NoEnd,
    /// An end marker without a beginning.
    #[error("`end` without a preceding marker")]
    NoBegin,
    /// A marker inside the region of another.
    #[error("this marker is inside the region that starts on line {0}, which has no `<!-- lrbm: end -->` yet")]
    Nested(usize),
    /// The path is missing.
    #[error("missing path: write `<!-- lrbm: {0} PATH -->`")]
    NoPath(&'static str),
    /// The path leaves the directory of the Markdown file and the working directory.
    #[error(
        "`{0}` must be below the directory of this file or the working directory: give a relative path, and call the program where all files are below"
    )]
    Outside(String),
    /// The file is not an image.
    #[error("`{0}` is not a figure: give an .svg or .png file")]
    NoFigure(String),
    /// The named file cannot be read.
    #[error("{}: cannot read the file: {source}; `lrbm report RUN --copy-to DIR` writes such files", path.shown())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The named file is not a table.
    #[error("{}: {source}", path.shown())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ReadTableError,
    },
    /// The notes of a table cannot be read.
    #[error("{}: {source}", path.shown())]
    Notes {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: CsvError,
    },
}

/// Result of splicing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spliced {
    /// New text.
    pub text: String,
    /// Number of spliced regions.
    pub regions: usize,
    /// Lines of the markers whose regions changed.
    pub changed: Vec<usize>,
}

/// A parsed marker.
enum SpliceMarker<'t> {
    Table(&'t str),
    Figure(&'t str),
    End,
}

/// The directories whose files may be spliced.
#[derive(Clone, Copy)]
struct Scope<'p> {
    /// The directory of the Markdown file, which paths are relative to.
    home: &'p Path,
    /// The working directory.
    root: &'p Path,
}

impl Scope<'_> {
    /// Resolves a path named by a marker.
    fn resolve(self, name: &str) -> Result<PathBuf, MarkerError> {
        let outside = || MarkerError::Outside(name.to_owned());
        let is_relative =
            Path::new(name).components().all(|part| !matches!(part, Component::RootDir | Component::Prefix(_)));
        let path = normalized(&self.root.join(self.home).join(name)).filter(|_| is_relative).ok_or_else(outside)?;
        let is_below = |directory: &Path| normalized(directory).is_some_and(|directory| path.starts_with(directory));
        let is_inside = is_below(&self.root.join(self.home)) || is_below(self.root);
        if is_inside { Ok(self.home.join(name)) } else { Err(outside()) }
    }
}

/// Removes `.` and `..` by name, without following links; `None` above the root.
fn normalized(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match clean.components().next_back() {
                Some(Component::Normal(_)) => drop(clean.pop()),
                _ => return None,
            },
            other => clean.push(other),
        }
    }
    Some(clean)
}

/// Splices the regions of a Markdown file.
///
/// # Errors
/// If the file or one that it names cannot be read, or a marker is invalid.
pub fn splice(path: &Path) -> Result<Spliced, SpliceError> {
    let text = fs::read_to_string(path).map_err(|source| SpliceError::Unreadable { path: path.to_owned(), source })?;
    let home = path.parent().unwrap_or(Path::new(""));
    let scope = Scope { home, root: &std::env::current_dir().unwrap_or_default() };
    let spliced = fill(&text, scope).map_err(|(line, problem)| SpliceError::Marker {
        path: path.to_owned(),
        line,
        problem: Box::new(problem),
    })?;
    if spliced.regions == 0 { Err(SpliceError::NoMarker(path.to_owned())) } else { Ok(spliced) }
}

fn fill(text: &str, scope: Scope<'_>) -> Result<Spliced, (usize, MarkerError)> {
    let mut spliced = Spliced { text: String::with_capacity(text.len()), regions: 0, changed: Vec::new() };
    let mut is_code = false;
    // The line of the open marker, the old text and the new text of its region.
    let mut open: Option<(usize, String, String)> = None;
    for (number, line) in text.split_inclusive('\n').enumerate().map(|(index, line)| (index + 1, line)) {
        let fence = line.trim_start();
        is_code ^= open.is_none() && (fence.starts_with("```") || fence.starts_with("~~~"));
        let marker = if is_code { None } else { marker(line).map_err(|problem| (number, problem))? };
        match (marker, &mut open) {
            (None, None) => spliced.text.push_str(line),
            (None, Some((_, old, _))) => old.push_str(line),
            (Some(SpliceMarker::End), Some((begin, old, new))) => {
                spliced.regions += 1;
                if old != new {
                    spliced.changed.push(*begin);
                }
                spliced.text.push_str(new);
                spliced.text.push_str(line);
                open = None;
            }
            (Some(SpliceMarker::End), None) => return Err((number, MarkerError::NoBegin)),
            (Some(_), Some((begin, _, _))) => return Err((number, MarkerError::Nested(*begin))),
            (Some(marker), None) => {
                let mut new = content(&marker, scope).map_err(|problem| (number, problem))?;
                if line.ends_with("\r\n") {
                    new = new.replace('\n', "\r\n");
                }
                spliced.text.push_str(line);
                open = Some((number, String::new(), new));
            }
        }
    }
    match open {
        Some((line, _, _)) => Err((line, MarkerError::NoEnd)),
        None => Ok(spliced),
    }
}

fn marker(line: &str) -> Result<Option<SpliceMarker<'_>>, MarkerError> {
    let Some(rest) = line.trim().strip_prefix("<!--").map(str::trim_start) else { return Ok(None) };
    let Some(rest) = rest.strip_prefix("lrbm:") else { return Ok(None) };
    let found = rest.strip_suffix("-->").ok_or(MarkerError::Open)?.trim();
    let (kind, path) = found.split_once(char::is_whitespace).unwrap_or((found, ""));
    let path = path.trim();
    match kind {
        "end" if path.is_empty() => Ok(Some(SpliceMarker::End)),
        "table" if path.is_empty() => Err(MarkerError::NoPath("table")),
        "figure" if path.is_empty() => Err(MarkerError::NoPath("figure")),
        "table" => Ok(Some(SpliceMarker::Table(path))),
        "figure" => Ok(Some(SpliceMarker::Figure(path))),
        _ => {
            let hint = nearest(kind, ["table", "figure", "end"]).filter(|known| *known != kind);
            Err(MarkerError::Unknown { found: found.to_owned(), hint })
        }
    }
}

fn content(marker: &SpliceMarker<'_>, scope: Scope<'_>) -> Result<String, MarkerError> {
    match marker {
        SpliceMarker::Table(name) => table(name, scope),
        SpliceMarker::Figure(name) => figure(name, scope),
        SpliceMarker::End => Ok(String::new()),
    }
}

fn read(path: &Path) -> Result<String, MarkerError> {
    fs::read_to_string(path).map_err(|source| MarkerError::Unreadable { path: path.to_owned(), source })
}

fn table(name: &str, scope: Scope<'_>) -> Result<String, MarkerError> {
    let path = scope.resolve(name)?;
    let mut table = table::read(&read(&path)?).map_err(|source| MarkerError::Table { path: path.clone(), source })?;
    let notes = path.with_file_name(NOTES);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if notes.is_file() {
        let text = read(&notes)?;
        table::annotate(&mut table, &stem, &text).map_err(|source| MarkerError::Notes { path: notes, source })?;
    }
    Ok(format!("\n{}\n", table::markdown(&table)))
}

fn figure(name: &str, scope: Scope<'_>) -> Result<String, MarkerError> {
    let path = scope.resolve(name)?;
    if !path.extension().is_some_and(|extension| extension == "svg" || extension == "png") {
        return Err(MarkerError::NoFigure(name.to_owned()));
    }
    // Only existence is checked, not the contents.
    match fs::metadata(&path) {
        Err(source) => return Err(MarkerError::Unreadable { path, source }),
        Ok(found) if !found.is_file() => return Err(MarkerError::NoFigure(name.to_owned())),
        Ok(_) => {}
    }
    let title = path.file_stem().unwrap_or_default().to_string_lossy().replace(['-', '_'], " ");
    Ok(format!("\n![{}]({})\n\n", escape(&title), address(name)))
}

/// Percent-encodes a path for a Markdown link.
fn address(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    name.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("t.csv"), "dataset,auc_roc_mean,auc_roc_sd,auc_roc_n\nimdb,0.9446,0.0504,5\n")
            .unwrap();
        fs::write(home.path().join("bar-chart.svg"), "<svg/>").unwrap();
        home
    }

    fn fill(text: &str, home: &Path) -> Result<Spliced, (usize, MarkerError)> {
        super::fill(text, Scope { home, root: home })
    }

    #[test]
    fn files_below_the_working_directory_are_spliced_into_a_page_further_down() {
        let home = home();
        let text = "<!-- lrbm: figure ../../bar-chart.svg -->\n<!-- lrbm: end -->\n";
        let scope = Scope { home: Path::new("docs/src"), root: home.path() };
        fs::create_dir_all(home.path().join("docs/src")).unwrap();
        assert_eq!(scope.resolve("../../bar-chart.svg").unwrap(), Path::new("docs/src/../../bar-chart.svg"));
        assert!(scope.resolve("../../../bar-chart.svg").is_err() && scope.resolve("/bar-chart.svg").is_err());
        let scope = Scope { home: &home.path().join("docs/src"), root: home.path() };
        let spliced = super::fill(text, scope).unwrap();
        assert!(spliced.text.contains("\n![bar chart](../../bar-chart.svg)\n"), "{}", spliced.text);
        let elsewhere = Scope { root: Path::new("/elsewhere"), ..scope };
        assert!(super::fill(text, elsewhere).is_err());
    }

    #[test]
    fn splicing_is_idempotent() {
        let home = home();
        let text = "# Title\n<!-- lrbm: table t.csv -->\nold\n<!-- lrbm: end -->\n```\n<!-- lrbm: table no.csv -->\n```\n<!-- lrbm: figure bar-chart.svg -->\n<!-- lrbm: end -->\nlast";
        let expected = "# Title\n<!-- lrbm: table t.csv -->\n\n| dataset |       AUC-ROC |\n|:--------|--------------:|\n| imdb    | 0.945 ± 0.050 |\n\n<!-- lrbm: end -->\n```\n<!-- lrbm: table no.csv -->\n```\n<!-- lrbm: figure bar-chart.svg -->\n\n![bar chart](bar-chart.svg)\n\n<!-- lrbm: end -->\nlast";
        let spliced = fill(text, home.path()).unwrap();
        assert_eq!(spliced, Spliced { text: expected.into(), regions: 2, changed: vec![2, 8] });
        let again = fill(expected, home.path()).unwrap();
        assert_eq!(again, Spliced { text: expected.into(), regions: 2, changed: Vec::new() });
        // Line ends follow those of the file.
        let other = fill(&text.replace('\n', "\r\n"), home.path()).unwrap();
        assert_eq!(other, Spliced { text: expected.replace('\n', "\r\n"), regions: 2, changed: vec![2, 8] });
        assert!(fill(&other.text, home.path()).unwrap().changed.is_empty());
    }

    #[test]
    fn marker_errors_name_the_line() {
        let home = home();
        let message = |text: &str| {
            let (line, problem) = fill(text, home.path()).unwrap_err();
            format!("{line}: {problem}")
        };
        assert_eq!(message("\n<!-- lrbm: end -->"), "2: `end` without a preceding marker");
        assert_eq!(message("<!-- lrbm: table t.csv -->\n"), "1: missing `<!-- lrbm: end -->` after this marker");
        assert_eq!(message("<!-- lrbm: table t.csv"), "1: the marker does not end with ` -->` on its line");
        assert!(message("<!-- lrbm: tabel t.csv -->").ends_with("did you mean `table`?"));
        assert!(message("<!-- lrbm: table -->").starts_with("1: missing path"));
        let nested = "<!-- lrbm: table t.csv -->\n<!-- lrbm: table t.csv -->\n";
        assert!(message(nested).starts_with("2: this marker is inside the region that starts on line 1"));
        assert!(message("<!-- lrbm: table no.csv -->").contains("no.csv: cannot read the file"));
        for out in ["../t.csv", "/etc/hosts", "a/../../t.csv"] {
            assert!(
                message(&format!("<!-- lrbm: table {out} -->")).contains("must be below the directory of this file"),
                "{out}"
            );
        }
        assert!(message("<!-- lrbm: figure ../x.svg -->").contains("must be below the directory of this file"));
        assert_eq!(message("<!-- lrbm: figure t.csv -->"), "1: `t.csv` is not a figure: give an .svg or .png file");
        fs::create_dir(home.path().join("directory.svg")).unwrap();
        assert!(message("<!-- lrbm: figure directory.svg -->").contains("is not a figure"));
        fs::write(home.path().join("bad.csv"), "a_mean\nhigh\n").unwrap();
        assert!(
            message("<!-- lrbm: table bad.csv -->").ends_with("line 2, column a_mean: expected a number, got `high`")
        );
    }
}
