//! What committed results were made with: versions of algorithms, and a digest of all settings.
//!
//! A test compares the file with the registry and the shipped specs, so that results older than
//! the code are found.

use std::collections::BTreeMap;

use super::csv;
use crate::experiment::Experiment;
use crate::files::digest;

/// File name.
pub const VERSIONS: &str = "versions.csv";

/// Formats the versions of the algorithms that an experiment runs, by name, and a digest of the
/// datasets, kinds and parameters of its rows.
pub fn versions_csv(experiment: &Experiment) -> String {
    let mut versions: BTreeMap<String, u32> = BTreeMap::new();
    let mut settings = String::new();
    for dataset in &experiment.datasets {
        // Folds and seeds share their settings, so one job stands for each row.
        let seed = experiment.seeds.get(..1).unwrap_or_default();
        for job in dataset.jobs(seed, 1, experiment.limits) {
            let key = job.key("");
            settings += &format!("{} {}\n", job, key.id());
            versions.extend(key.algorithm);
        }
    }
    settings += &format!("{:?}\n", experiment.seeds);
    let mut text = csv::line(["what", "version"]);
    for (name, version) in versions {
        text += &csv::line([name, version.to_string()]);
    }
    text + &csv::line(["settings", &digest::sha256(settings.as_bytes())])
}
