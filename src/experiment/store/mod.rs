//! The run directory: one atomically published directory per job, and tables over all jobs.
//!
//! ```text
//! RUN/spec.toml                      the experiment as it was run
//! RUN/jobs/<dataset>/<model>/<case>/fold<k>-seed<s>/
//!         run.json                   job record: key, status, metrics, provenance, timing
//!         model.json                 the model; of an external system model.* and info.json, if any
//!         predictions.parquet        example, label, psi, probability
//!         scores.csv                 with `keep = ["scores"]`: positives and negatives at each psi
//!         log.txt                    log with timestamps
//! RUN/metrics.parquet, metrics.csv   one row per job that ended
//! RUN/tally.json                     job counts and timing of the last run
//! RUN/external.json                  versions and checksums of external systems, if any
//! RUN/skipped.json                   datasets skipped because their data were missing, if any
//! RUN/cluster/                       cluster runs only: data location and submitted batches
//! ```
//!
//! Only `run.json`, `log.txt`, `tally.json` and columns that end in `_seconds` or `_bytes` depend
//! on time and machine; all other bytes follow from the experiment. A job is done if its `run.json`
//! has the id of the job and its other files are present.

mod error;
mod frame;
mod layout;
mod lock;
mod record;
mod run_store;
mod scores;
mod staging;
#[cfg(test)]
mod tests;

pub use error::{Damage, RunStoreError};
pub use frame::{Prediction, column, csv, parquet, predictions, read_predictions};
pub use layout::{
    LOG, METRICS_CSV, METRICS_PARQUET, MODEL, PREDICTIONS, PUBLISHED, RECORD, SCORES, SKIPPED, SPEC, TALLY,
};
pub use lock::{JobLock, Presence};
pub use record::{
    ChoiceRecord, DatasetRecord, ExampleCounts, FailureKind, JobRecord, JobRow, MachineInfo, Outcome, ProgramInfo,
    RECORD_VERSION, Status, TrialRow,
};
pub use run_store::{RunStore, STEPS_TO_READ};
pub use scores::{read_scores, scores};
pub use staging::{Staging, StagingFiles};
