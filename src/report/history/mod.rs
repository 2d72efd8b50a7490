//! History of results over commits: a CSV that `lrbm check --record` appends to, and its report.
//!
//! A row has the scores and the processor time of one fold and seed of a model at a commit.
//! [`change_points`] compares commits by the rule of the regression gate.

mod change;
mod error;
mod figure;
mod file;
mod page;
mod row;

pub use change::{Change, ChangePoint, Series, change_points};
pub use error::HistoryError;
pub use figure::figures;
pub use file::{History, record};
pub use page::{HistoryReport, WrittenHistory};
pub use row::{COLUMNS, HistoryRow, rows_of};
