//! Fault injection: tests observe what a failing job does to a run.
//!
//! `LRBM_TEST_FAULT=KIND:TEXT` affects every job whose name contains TEXT, such as `panic:fold 2`.
//! KIND is `error`, `panic`, `sleep`, `oversleep`, `forget` (no memory for cached coverage) or
//! `damage` (every other training label is flipped). Disk faults use the same variable: see
//! [`crate::files::fault`].

use std::time::Duration;

use super::failure::Failure;
use crate::experiment::job::Job;
use crate::files::fault::VARIABLE;
use crate::kb::Example;

/// Kinds of faults that affect jobs.
const JOB_FAULTS: [&str; 6] = ["error", "panic", "sleep", "oversleep", "damage", "forget"];

/// An injected fault and the jobs it affects.
#[derive(Clone, Debug)]
pub struct Fault {
    kind: String,
    text: String,
}

impl Fault {
    /// Reads the fault from the environment.
    pub fn from_environment() -> Option<Fault> {
        let value = std::env::var(VARIABLE).ok()?;
        let (kind, text) = value.split_once(':')?;
        JOB_FAULTS.contains(&kind).then(|| Fault { kind: kind.to_owned(), text: text.to_owned() })
    }

    fn affects(&self, job: &Job) -> bool {
        job.to_string().contains(&self.text)
    }

    /// Returns the memory for cached coverage of an affected job.
    pub fn memory_bytes(&self, job: &Job) -> Option<usize> {
        (self.kind == "forget" && self.affects(job)).then_some(0)
    }

    /// Returns the training examples with flipped labels of an affected job.
    pub fn flipped_examples(&self, job: &Job, examples: &[Example]) -> Option<Vec<Example>> {
        let wrong = |(place, example): (usize, &Example)| Example {
            positive: example.positive ^ (place % 2 == 1),
            ..example.clone()
        };
        (self.kind == "damage" && self.affects(job)).then(|| examples.iter().enumerate().map(wrong).collect())
    }

    /// Triggers the fault in an affected job.
    pub fn trigger(&self, job: &Job) -> Result<(), Failure> {
        if !self.affects(job) || ["damage", "forget"].contains(&self.kind.as_str()) {
            return Ok(());
        }
        match self.kind.as_str() {
            "panic" => panic!("injected fault"),
            "sleep" => std::thread::sleep(Duration::from_millis(500)),
            "oversleep" => std::thread::sleep(Duration::from_secs(4)),
            _ => return Err(Failure::error("injected fault")),
        }
        Ok(())
    }
}
