//! The files of a report.

use std::io;
use std::path::{Path, PathBuf};

use polars::error::PolarsError;

use super::contents::Report;
use super::table::{self, NOTES};
use super::{page, summary};
use crate::files;

/// Why a report cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportWriteError {
    /// A file cannot be written.
    #[error("{}: the report cannot be written here: {source}; give another directory with --out, or make room", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A table cannot be made.
    #[error("a table of the report could not be made: {0}")]
    Frame(#[from] PolarsError),
    /// The page cannot be made.
    #[error("the page could not be made: {0:#}")]
    Page(#[from] minijinja::Error),
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenFiles {
    /// How many tables, each in several formats.
    pub tables: usize,
    /// How many figures, each in several formats.
    pub figures: usize,
}

impl Report<'_> {
    /// Writes the page, and all tables and figures into directories beside it.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<WrittenFiles, ReportWriteError> {
        let tables = directory.join("tables");
        let figures = directory.join("figures");
        for made in [directory, &tables, &figures] {
            files::create_dir_all(made).map_err(|source| ReportWriteError::Io { path: made.to_owned(), source })?;
        }
        for table in &self.tables {
            put(&tables, &table.name, "md", table::markdown(table).as_bytes())?;
            put(&tables, &table.name, "tex", table::latex(table).as_bytes())?;
            put(&tables, &table.name, "csv", table::csv(table)?.as_bytes())?;
            put(&tables, &table.name, "parquet", &table::parquet(table)?)?;
        }
        for figure in &self.figures {
            put(&figures, &figure.name, "svg", figure.svg.as_bytes())?;
            put(&figures, &figure.name, "png", &figure.png)?;
        }
        let page = page::page(self, directory)?;
        put(directory, "report", "html", page.as_bytes())?;
        Ok(WrittenFiles { tables: self.tables.len(), figures: self.figures.len() })
    }

    /// Writes what is worth keeping beside the code, all in one directory: tables as CSV, Markdown and LaTeX, figures as SVG,
    /// and a page that shows the main ones.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn copy_to(&self, directory: &Path) -> Result<WrittenFiles, ReportWriteError> {
        files::create_dir_all(directory)
            .map_err(|source| ReportWriteError::Io { path: directory.to_owned(), source })?;
        for table in &self.tables {
            put(directory, &table.name, "md", table::markdown(table).as_bytes())?;
            put(directory, &table.name, "tex", table::latex(table).as_bytes())?;
            put(directory, &table.name, "csv", table::csv(table)?.as_bytes())?;
        }
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
    // It can be made again at any time, so it need not wait for the disk.
    let write = files::write_lightly(path, |out| out.write_all(bytes));
    write.map_err(|source| ReportWriteError::Io { path: path.to_owned(), source })
}
