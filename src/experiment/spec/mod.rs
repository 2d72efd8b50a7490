//! Specifications of experiments: raw TOML, and the validated experiment it describes.
//!
//! Reading has two stages. [`raw`] keeps the values with their line numbers; `--set` options are
//! applied there. Then [`format`](mod@format) defines the known keys, and the other files validate
//! their values. All diagnostics are reported at once, each with location, value, and what is
//! accepted.

mod arity;
mod check;
mod diagnostic;
mod directory;
mod draw;
pub mod edit;
mod experiment;
mod external;
pub mod format;
mod models;
mod multiverse;
pub mod names;
mod offer;
mod parameter;
pub mod raw;
mod read;
pub mod schema;
mod set;
mod shape;
mod slurm;
mod space;
mod tune;
pub(crate) mod units;
pub mod universe;
mod value;

pub use diagnostic::{SpecDiagnostic, SpecError, SpecLocation};
pub use experiment::{CompareSettings, ExpectedMean, Experiment, ExperimentDataset, ModelConfig};
pub use names::{CORRECTED_T, FRIEDMAN_NEMENYI, WILCOXON};
pub use slurm::SlurmSettings;
