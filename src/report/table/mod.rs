//! One model of a table, and its writers: Markdown, LaTeX, CSV, Parquet, and text for the terminal.
//!
//! A cell keeps its numbers, not their text: people read three decimals and programs all of them. A published number has
//! its own place in a cell and its own column in every file, named `paper`, so that it is never taken for one of ours.

mod frame;
mod grid;
mod latex;
mod markdown;
mod model;
mod notes;
mod read;

pub use frame::{csv, parquet};
pub use grid::{Grid, GridCell, GridRow, WITHIN, format_difference, format_mean};
pub use latex::latex;
pub use markdown::markdown;
pub use model::{
    CellValue, ColumnKind, Note, PublishedValue, Table, TableCell, TableColumn, TableRow, TableStyle, Within,
    mark_best, metric_title,
};
pub use notes::{NOTES, annotate, notes_csv};
pub use read::{ReadTableError, read};
