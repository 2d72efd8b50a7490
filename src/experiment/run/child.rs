//! The process of an isolated job; see [`super::isolation`].

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::compute::{JobEnd, compute};
use super::execute::RunContext;
use super::isolation::{Assignment, Report, bound_data};
use super::machine;
use super::threads::JobThreads;
use crate::data::store::Store;
use crate::experiment::error::RunError;
use crate::experiment::process::OwnGroup;
use crate::experiment::spec::Experiment;
use crate::experiment::store::{RunStore, RunStoreError, SPEC, StagingFiles};
use crate::files;

/// Runs the job that is assigned on stdin, and reports to stdout. Ends the process as soon as stdin
/// is closed.
///
/// # Errors
/// If stdin has no assignment or stdout is closed. Everything else is reported.
pub fn run_assigned() -> io::Result<()> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let assignment: Assignment = serde_json::from_str(&line)?;
    let scratch = assignment.scratch.clone();
    let of_watcher = scratch.clone();
    std::thread::Builder::new().spawn(move || {
        // Nothing follows the assignment; the end of the input is the end of the supervisor.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        remove(of_watcher.as_deref());
        std::process::exit(1);
    })?;
    let out = Mutex::new(io::stdout());
    let report = |report: &Report| -> io::Result<()> {
        let mut line = serde_json::to_vec(report)?;
        line.push(b'\n');
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(&line).and_then(|()| out.flush())
    };
    let end = run(assignment, &|progress| drop(report(&Report::Progress(progress))));
    let reported = report(&match end {
        Ok(end) => Report::Ended(Box::new(end)),
        Err(RunError::Store(RunStoreError::Io { path, source })) => {
            Report::Unwritable { path, full: source.kind() == io::ErrorKind::StorageFull, message: source.to_string() }
        }
        Err(error) => Report::Rejected(error.to_string()),
    });
    // Without a supervisor the command was ended, and this thread may be the first to end the
    // process.
    reported.inspect_err(|_| remove(scratch.as_deref()))
}

/// Ends the command of a job and removes its directory, in place of a supervisor that has ended.
fn remove(scratch: Option<&Path>) {
    if let Some(scratch) = scratch {
        OwnGroup::find().inspect(|group| group.end_others());
        let _ = files::remove_hidden(scratch);
    }
}

fn run(assignment: Assignment, progress: &(dyn Fn(super::execute::JobProgress) + Sync)) -> Result<JobEnd, RunError> {
    let Assignment { spec, remote, root, id, staging, elapsed, threads, scratch } = assignment;
    let rejected = |message: String| RunError::Isolation(message);
    let experiment = Experiment::parse(&spec, SPEC, &[]).map_err(|error| rejected(error.to_string()))?;
    let plan = remote.jobs(&experiment);
    let position = plan.iter().position(|planned| planned.id == id);
    let Some(position) = position else { return Err(rejected(format!("the experiment has no job {id}"))) };
    let is_command = scratch.is_some();
    let mut limits = plan[position].job.limits;
    // The memory of a command is that of its processes, without this one.
    limits.memory_bytes = limits.memory_bytes.filter(|_| !is_command);
    if let Some(limit) = limits.memory_bytes {
        bound_data(limit);
    }
    let (store, data) = (RunStore::new(root), Store::open(remote.data.clone()));
    let jobs = [position];
    let context = RunContext { scratch, ..RunContext::new(&plan, &jobs, &data, &store) };
    let threads = JobThreads::new(threads)?;
    let mut files = StagingFiles::open(&staging, elapsed, plan[position].job.keep)?;
    let mut end = compute(&context, &plan[position], limits, &threads, &mut files, &mut |at| progress(at))?;
    if is_command {
        (end.peak_memory_bytes, end.cpu_seconds) = (end.attempt.command_peak_bytes, end.attempt.command_cpu_seconds);
        return Ok(end);
    }
    end.peak_memory_bytes = machine::peak_memory_bytes();
    if limits.memory_bytes.is_some() && end.peak_memory_bytes.is_none() {
        let warning = "the memory limit is not enforced: this system does not report the memory of a process";
        files.log(warning);
        end.attempt.warnings.push(warning.to_owned());
    }
    Ok(end)
}
