//! The results of a run as one data frame with a row per job that ended.
//!
//! Records become one frame of fixed columns ([`Schema`]), and everything that reports numbers
//! reads them from its grouped views ([`JobFrame::groups`]): the summary of `run`, tables, figures,
//! the page, comparisons and the gate. polars groups the rows; each group is reduced by
//! [`crate::metric::summary`] in the order of the jobs, so that no digit depends on threads.
//!
//! `metrics.parquet` and `metrics.csv` are this frame on disk, for other programs. They are not
//! read back: only the job directories carry the checksums by which damage is found, and another
//! process may have finished jobs since the tables were written. The frame is therefore always
//! built from verified records.

mod group;
mod jobs;
mod schema;
mod stored;

pub use group::{Group, RowKey};
pub use jobs::JobFrame;
pub use schema::Schema;
pub use stored::{SplitKey, StoredJob};
