//! Defaults of the gate, and datasets that a run skipped.

use crate::experiment::Results;
use crate::metric::Column;

/// The metrics of a new baseline unless others are asked for.
pub const METRICS: [Column; 3] = [Column::AucRoc, Column::AucPr, Column::Cll];

/// How many standard errors of the baseline a mean may lie away.
pub const K: f64 = 2.0;

/// The tolerance of new rows of a baseline unless another is asked for.
pub const TOLERANCE: f64 = 0.01;

/// Whether a run has nothing of a dataset because its data were not there, which the run itself has to say: results that
/// are missing for another reason are to be missed.
pub(super) fn was_skipped(results: &Results, dataset: &str) -> bool {
    results.skipped.iter().any(|name| name == dataset)
}
