//! The data model of a table and its writers: Markdown, LaTeX, CSV, Parquet and terminal text.
//!
//! Cells hold numbers, not text: human-readable formats show three decimals, files keep full
//! precision. Published numbers have their own field in a cell and their own `paper` columns in
//! files, so that they are never mistaken for ours.

mod frame;
mod grid;
mod latex;
mod layout;
mod markdown;
mod model;
mod notes;
mod read;
mod text;

pub use frame::{csv, parquet};
pub use grid::{WITHIN, format_difference, format_mean};
pub use latex::latex;
pub use layout::Layout;
pub use markdown::markdown;
pub use model::{
    CellValue, ColumnKind, Note, PublishedValue, Table, TableCell, TableColumn, TableRow, TableStyle, Within,
    mark_best, metric_title,
};
pub use notes::{NOTES, annotate, notes_csv};
pub use read::{ReadTableError, read};
pub use text::{Grid, GridCell, GridRow, STRONG, wrapped};
