//! Provenance of a result: program and machine.

use super::machine;
use crate::experiment::store::{MachineInfo, ProgramInfo};

/// Describes this program.
pub fn program() -> ProgramInfo {
    let known = |text: &'static str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let definitions = [
        ("auc_roc", "trapezoid, ties one half"),
        ("auc_pr", "Davis and Goadrich 2006"),
        ("auc_roc_jar", "auc.jar 0.2"),
        ("auc_pr_jar", "auc.jar 0.2"),
        ("average_precision", "without interpolation"),
        ("ece", "ten bins of equal width"),
        ("f1_train", "threshold that is best on the training examples"),
    ];
    ProgramInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        git_commit: known(env!("LRBM_GIT_COMMIT")),
        git_dirty: env!("LRBM_GIT_DIRTY").parse().ok(),
        rustc: env!("LRBM_RUSTC").to_owned(),
        target: env!("LRBM_TARGET").to_owned(),
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        definitions: definitions.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
    }
}

/// Describes this machine at the start of a job.
pub fn machine(threads: usize, jobs_at_once: usize) -> MachineInfo {
    MachineInfo {
        cpu: machine::cpu(),
        cores: machine::cores(),
        os: std::env::consts::OS.to_owned(),
        threads,
        jobs_at_once,
        started: machine::now(),
        ended: String::new(),
        wall_seconds: 0.0,
        train_seconds: 0.0,
        ensemble_seconds: 0.0,
        score_seconds: 0.0,
        cpu_seconds: None,
        peak_memory_bytes: None,
        prefix_of: None,
    }
}
