//! Defaults of the gate, and datasets that a run skipped.

use crate::experiment::Results;
use crate::metric::Column;

/// Default metrics of a new baseline.
pub const METRICS: [Column; 3] = [Column::AucRoc, Column::AucPr, Column::Cll];

/// Default number of standard errors by which a mean may differ from a baseline of means.
pub const K: f64 = 2.0;

/// Default tolerance of new baseline rows: half of the smallest drop that the gate must find. See
/// `results/gate` for its rates of detection and false alarms.
pub const TOLERANCE: f64 = 0.005;

/// Returns whether the run recorded that it skipped a dataset because its data were unavailable.
/// Results that are missing for other reasons count as missing.
pub(super) fn was_skipped(results: &Results, dataset: &str) -> bool {
    results.skipped.iter().any(|name| name == dataset)
}
