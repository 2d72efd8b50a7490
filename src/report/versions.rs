//! What committed results are the results of: versions of algorithms, and a digest of all settings.
//!
//! A test compares the file with the registry and the shipped specs, so that results older than
//! the code, and results of unfinished runs, are found.

use std::collections::BTreeMap;

use super::csv;
use crate::experiment::{Experiment, Results};
use crate::files::digest;

/// File name.
pub const VERSIONS: &str = "versions.csv";

/// Formats the versions of the algorithms that an experiment runs, by name, and a digest of the
/// datasets, folds, seeds, kinds and parameters of its rows.
pub fn versions_csv(experiment: &Experiment) -> String {
    let mut versions: BTreeMap<String, u32> = BTreeMap::new();
    let mut settings = String::new();
    for dataset in &experiment.datasets {
        let folds = dataset.folds.or_else(|| dataset.source.known_folds());
        // Keys name the published data, but generated data by their checksum only.
        settings += &format!("{:?} {folds:?} {:?}\n", dataset.seeds, dataset.source.generated);
        // Folds and seeds share their settings, so one job represents each row.
        let seed = dataset.seeds.get(..1).unwrap_or_default();
        for job in dataset.jobs(seed, 1, experiment.limits) {
            let key = job.key("");
            settings += &format!("{} {}\n", job, key.id());
            versions.extend(key.algorithm);
        }
    }
    let mut text = csv::line(["what", "version"]);
    for (name, version) in versions {
        text += &csv::line([name, version.to_string()]);
    }
    text + &csv::line(["settings", &digest::sha256(settings.as_bytes())])
}

/// Formats the file for the results of a run: that of its experiment, and the number of jobs
/// without a result if there are any. A lower bound of a job's time is a result.
pub(super) fn run_versions_csv(results: &Results) -> String {
    let ended = results.stored.iter().filter(|stored| {
        let status = &stored.record.status;
        stored.is_done() || status.is_refused() || status.is_overtime()
    });
    let missing = results.planned.saturating_sub(ended.count());
    let text = versions_csv(&results.experiment);
    if missing == 0 { text } else { text + &csv::line(["missing jobs", &missing.to_string()]) }
}
