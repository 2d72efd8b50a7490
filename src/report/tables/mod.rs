//! Which tables a run has: the paper's own, one for each setting that a sweep varies, one for each dataset with several variants, two of
//! everything, and what models cost.

mod all;
mod classes;
mod common;
mod everything;
mod paper;
mod seconds;
mod significance;
mod sweep;
mod variants;

pub use all::{main_tables, tables};
pub use classes::classes_table;
pub use common::{MAIN, status_notes};
pub use everything::{all_metrics, results_table};
pub use paper::paper_tables;
pub use seconds::seconds_table;
pub use significance::significance_table;
pub use sweep::sweep_tables;
pub use variants::variant_tables;
