//! Finds the files of a source and reads them as tables.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::checks::{SourceError, unreadable};
use super::{delimited, parquet, sqlite};
use crate::data::import::SourceTable;
use crate::data::import::write::InputFile;
use crate::files::digest;

/// The start of every SQLite file.
const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The tables of a source and the files they were read from.
pub struct Tables {
    pub tables: Vec<SourceTable>,
    pub files: Vec<InputFile>,
}

/// The format of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Delimited,
    Parquet,
    Sqlite,
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Returns the format of a file of tables by its name.
fn format_of(path: &Path) -> Option<Format> {
    match extension(path).as_str() {
        "csv" | "tsv" => Some(Format::Delimited),
        "parquet" => Some(Format::Parquet),
        "sqlite" | "sqlite3" | "db" | "db3" => Some(Format::Sqlite),
        _ => None,
    }
}

/// Reads the tables of a directory or file.
pub fn read(source: &Path) -> Result<Tables, SourceError> {
    if source.is_dir() {
        return read_directory(source);
    }
    if !source.exists() {
        let problem = "no such file or directory; pass a directory of CSV or Parquet files, or a SQLite file";
        return Err(SourceError::in_file(source, problem));
    }
    let start = first_bytes(source).map_err(|error| unreadable(source, &error))?;
    let is_sqlite = start.starts_with(SQLITE_MAGIC);
    match format_of(source) {
        _ if is_sqlite => Ok(Tables { tables: sqlite::read(source)?, files: inputs(&[source.to_owned()])? }),
        Some(Format::Sqlite) => {
            let problem = format!(
                "not a SQLite database{}: it does not start with the header of SQLite 3; pass a SQLite file, or a \
                 directory of CSV or Parquet files",
                if start.is_empty() { " (the file is empty)" } else { "" }
            );
            Err(SourceError::in_file(source, problem))
        }
        Some(format) => read_files(&[(source.to_owned(), format)]),
        None => Err(SourceError::in_file(
            source,
            "unknown kind of file; expected .csv, .tsv, .parquet, a SQLite file, or a directory of such tables",
        )),
    }
}

fn read_directory(source: &Path) -> Result<Tables, SourceError> {
    let fail = |error: io::Error| unreadable(source, &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(source).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        match format_of(&path) {
            Some(format @ (Format::Delimited | Format::Parquet)) if path.is_file() => files.push((path, format)),
            _ => {}
        }
    }
    // The order of a directory listing is arbitrary.
    files.sort_by(|a, b| a.0.cmp(&b.0));
    if files.is_empty() {
        let problem = "no .csv, .tsv or .parquet file in this directory; pass the directory of the tables, or a SQLite \
                       file itself";
        return Err(SourceError::in_file(source, problem));
    }
    read_files(&files)
}

fn read_files(files: &[(PathBuf, Format)]) -> Result<Tables, SourceError> {
    let mut tables: Vec<SourceTable> = Vec::new();
    for (path, format) in files {
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else {
            return Err(SourceError::in_file(path, "the name is not valid UTF-8: rename the file"));
        };
        let columns = match format {
            Format::Parquet => parquet::read(path)?,
            Format::Delimited | Format::Sqlite => delimited::read(path, extension(path) == "tsv")?,
        };
        if tables.iter().any(|table| table.name == name) {
            return Err(SourceError::in_file(path, format!("a second table called `{name}`: rename one of the files")));
        }
        tables.push(SourceTable::new(name, columns));
    }
    let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    Ok(Tables { tables, files: inputs(&paths)? })
}

fn first_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(16).read_to_end(&mut start)?;
    Ok(start)
}

/// Returns the names and checksums of files.
fn inputs(paths: &[PathBuf]) -> Result<Vec<InputFile>, SourceError> {
    let input = |path: &PathBuf| {
        let sha256 = digest::sha256_of_file(path).map_err(|error| unreadable(path, &error))?;
        Ok(InputFile { name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(), sha256 })
    };
    paths.iter().map(input).collect()
}
