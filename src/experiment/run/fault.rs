//! Faults on purpose, so that tests can see what a failing job does to a run.
//!
//! `LRBM_TEST_FAULT=KIND:TEXT` strikes every job whose name has TEXT in it, such as `panic:fold 2`. KIND is `error`, `panic`,
//! `sleep`, `oversleep`, `forget`, which leaves nothing to remember coverage with, or `damage`, which makes what is learned worse: every other label to learn from is wrong. Faults of the disk
//! have the same variable: see [`crate::files::fault`].

use std::time::Duration;

use super::failure::Failure;
use crate::experiment::Job;
use crate::files::fault::VARIABLE;
use crate::kb::Example;

/// Faults that strike jobs.
const KINDS: [&str; 6] = ["error", "panic", "sleep", "oversleep", "damage", "forget"];

/// What goes wrong where.
#[derive(Clone, Debug)]
pub struct Fault {
    kind: String,
    text: String,
}

impl Fault {
    /// What the environment asks for.
    pub fn from_environment() -> Option<Fault> {
        let value = std::env::var(VARIABLE).ok()?;
        let (kind, text) = value.split_once(':')?;
        KINDS.contains(&kind).then(|| Fault { kind: kind.to_owned(), text: text.to_owned() })
    }

    fn is_of(&self, job: &Job) -> bool {
        job.to_string().contains(&self.text)
    }

    /// How many bytes a job may remember coverage with, if not as many as others.
    pub fn memory_bytes(&self, job: &Job) -> Option<usize> {
        (self.kind == "forget" && self.is_of(job)).then_some(0)
    }

    /// What a damaged learner learns from, if this is the job.
    pub fn damaged(&self, job: &Job, examples: &[Example]) -> Option<Vec<Example>> {
        let wrong = |(place, example): (usize, &Example)| Example {
            positive: example.positive ^ (place % 2 == 1),
            ..example.clone()
        };
        (self.kind == "damage" && self.is_of(job)).then(|| examples.iter().enumerate().map(wrong).collect())
    }

    /// Goes wrong, if this is the job.
    pub fn strike(&self, job: &Job) -> Result<(), Failure> {
        if !self.is_of(job) || ["damage", "forget"].contains(&self.kind.as_str()) {
            return Ok(());
        }
        match self.kind.as_str() {
            "panic" => panic!("a fault on purpose"),
            "sleep" => std::thread::sleep(Duration::from_millis(500)),
            "oversleep" => std::thread::sleep(Duration::from_secs(4)),
            _ => return Err(Failure::error("a fault on purpose")),
        }
        Ok(())
    }
}
