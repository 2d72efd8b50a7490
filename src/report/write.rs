//! Writing of report files.

use std::io;
use std::path::{Path, PathBuf};

use polars::error::PolarsError;

use super::contents::Report;
use super::table::{self, NOTES};
use super::versions::{VERSIONS, run_versions_csv};
use super::{page, summary};
use crate::files;
use crate::files::visible::ShownPath;

/// Why a report cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportWriteError {
    /// A file cannot be written.
    #[error("{}: cannot write the report: {source}; free disk space or choose another directory with `--out`", path.shown())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A table cannot be converted.
    #[error("cannot convert a table of the report: {0}")]
    Frame(#[from] PolarsError),
    /// The page cannot be rendered.
    #[error("cannot render the report page: {0:#}")]
    Page(#[from] minijinja::Error),
}

/// Numbers of written tables and figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenFiles {
    /// Number of tables, each in several formats.
    pub tables: usize,
    /// Number of figures, each in several formats.
    pub figures: usize,
}

impl Report<'_> {
    /// Writes the page, and all tables and figures into subdirectories.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<WrittenFiles, ReportWriteError> {
        let tables = directory.join("tables");
        let figures = directory.join("figures");
        for created in [directory, &tables, &figures] {
            let create = files::check_no_links(directory, created).and_then(|()| files::create_dir_all(created));
            create.map_err(|source| ReportWriteError::Io { path: created.to_owned(), source })?;
        }
        for table in &self.tables {
            put(&tables, &table.name, "md", table::markdown(table).as_bytes())?;
            put(&tables, &table.name, "tex", table::latex(table).as_bytes())?;
            put(&tables, &table.name, "csv", table::csv(table)?.as_bytes())?;
            put(&tables, &table.name, "parquet", &table::parquet(table)?)?;
        }
        for figure in self.figures.iter().chain(&self.more_figures) {
            put(&figures, &figure.name, "svg", figure.svg.as_bytes())?;
            put(&figures, &figure.name, "png", &figure.png)?;
        }
        let page = page::page(self, directory)?;
        put(directory, "report", "html", page.as_bytes())?;
        Ok(WrittenFiles { tables: self.tables.len(), figures: self.figures.len() + self.more_figures.len() })
    }

    /// Writes the files to be committed into one directory: tables as CSV and Markdown,
    /// figures as SVG, the versions of the algorithms, and a `README.md` with the main ones.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn copy_to(&self, directory: &Path) -> Result<WrittenFiles, ReportWriteError> {
        files::create_dir_all(directory)
            .map_err(|source| ReportWriteError::Io { path: directory.to_owned(), source })?;
        for table in &self.tables {
            put(directory, &table.name, "md", table::markdown(table).as_bytes())?;
            put(directory, &table.name, "csv", table::csv(table)?.as_bytes())?;
        }
        put_file(&directory.join(VERSIONS), run_versions_csv(self.results).as_bytes())?;
        put_file(&directory.join(NOTES), table::notes_csv(&self.tables).as_bytes())?;
        for figure in &self.figures {
            put(directory, &figure.name, "svg", figure.svg.as_bytes())?;
        }
        put_file(&directory.join("README.md"), summary::markdown(self).as_bytes())?;
        Ok(WrittenFiles { tables: self.tables.len(), figures: self.figures.len() })
    }
}

fn put(directory: &Path, stem: &str, ending: &str, bytes: &[u8]) -> Result<(), ReportWriteError> {
    put_file(&directory.join(format!("{stem}.{ending}")), bytes)
}

fn put_file(path: &Path, bytes: &[u8]) -> Result<(), ReportWriteError> {
    // Reports can be regenerated, so no fsync.
    let write = files::write_unsynced(path, |out| out.write_all(bytes));
    write.map_err(|source| ReportWriteError::Io { path: path.to_owned(), source })
}
