//! Faults on purpose, so that tests can see what a failing job does to a run.
//!
//! `LRBM_TEST_FAULT=KIND:TEXT` strikes every job whose name has TEXT in it, such as `panic:fold 2`. KIND is `error`, `panic`,
//! `sleep` or `oversleep`.

use std::time::Duration;

use super::failure::Failure;
use crate::experiment::Job;

const VARIABLE: &str = "LRBM_TEST_FAULT";

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
        Some(Fault { kind: kind.to_owned(), text: text.to_owned() })
    }

    /// Goes wrong, if this is the job.
    pub fn strike(&self, job: &Job) -> Result<(), Failure> {
        if !job.to_string().contains(&self.text) {
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
