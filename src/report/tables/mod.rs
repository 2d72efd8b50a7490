//! The tables of a run: the paper's own, one per swept parameter, one per dataset with several
//! variants, overviews, sizes, choices of tuned models, verdicts on the paper's claims, tests of
//! significance, costs, and figures recorded elsewhere.

mod all;
mod classes;
mod common;
mod everything;
mod paper;
mod recorded;
mod seconds;
mod significance;
mod sizes;
mod sweep;
mod tuning;
mod variants;
mod verdicts;

pub use all::{main_tables, tables};
pub use classes::classes_table;
pub use common::{MAIN, notes, status_notes};
pub use everything::{all_metrics, results_table};
pub use paper::paper_tables;
pub use recorded::recorded_table;
pub use seconds::{memory_table, seconds_table};
pub use significance::significance_table;
pub use sweep::sweep_tables;
pub use variants::variant_tables;
pub use verdicts::{VERDICT_COLUMNS, VERDICTS};
