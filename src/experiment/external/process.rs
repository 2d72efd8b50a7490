//! Runs a command within its limits.
//!
//! The command belongs to the process group of the calling process, which leads it: a signal to
//! that group ends the command with all its descendants. When the command ends, its remaining
//! descendants are ended, too.

use std::any::Any;
use std::io;
use std::panic;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::contract::JOB_FILE;
use super::output::Captured;
use crate::cancel;
use crate::data::store::DATA_VARIABLE;
use crate::experiment::process::OwnGroup;

/// Interval of measurements: each reads the list of processes.
const MEASURE_INTERVAL: Duration = Duration::from_millis(50);
/// Longest interval of checks whether the command ended.
const MAX_INTERVAL: Duration = Duration::from_millis(20);

/// What to run and where.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Program and arguments.
    pub command: &'a [String],
    /// Working directory.
    pub directory: &'a Path,
    /// Maximum memory of all processes together.
    pub memory_bytes: Option<u64>,
    /// Returns the memory of a process, if it is known.
    pub memory_of: fn(u32) -> Option<u64>,
    /// Returns the processor seconds of a process and its ended children, if they are known.
    pub cpu_of: fn(u32) -> Option<f64>,
    /// Returns the processor seconds of the ended children of this process, if they are known.
    pub cpu_of_ended: fn() -> Option<f64>,
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it printed, bounded.
    pub output: String,
    /// Whether it was ended at the memory limit.
    pub over_memory: bool,
    /// Largest memory of all its processes together, if it was measured.
    pub peak_memory_bytes: Option<u64>,
    /// Wall time.
    pub seconds: f64,
    /// Processor time of all its processes together, if it was measured. Of a command that is ended
    /// from outside it lacks the time since the last measurement.
    pub cpu_seconds: Option<f64>,
    /// The payload that unwinds the job, if it was cancelled, as at its time limit.
    pub unwinding: Option<Box<dyn Any + Send>>,
}

/// Starts a command and waits for its end. Cancellation ends its processes; the caller unwinds when
/// it has recorded the output.
///
/// # Errors
/// If it cannot be started or waited for.
pub fn run(launch: &Launch<'_>, group: OwnGroup) -> io::Result<Ended> {
    let began = Instant::now();
    let (reader, writer) = io::pipe()?;
    let mut running = {
        let mut command = Command::new(launch.command.first().map_or("", String::as_str));
        command.args(launch.command.get(1..).unwrap_or_default()).current_dir(launch.directory);
        command.env("PWD", launch.directory).env("LRBM_JOB", launch.directory.join(JOB_FILE));
        // It leads to the labels of all folds.
        command.env_remove(DATA_VARIABLE);
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        // The writing ends of the pipe are closed with `command`.
        Running { child: command.spawn()?, group }
    };
    let output = Captured::of(reader);
    let (mut peak, mut over_memory, mut cpu) = (None, false, None);
    let (mut interval, mut next_measure) = (Duration::from_millis(1), began);
    let mut unwinding = None;
    let status = loop {
        if let Some(status) = running.child.try_wait()? {
            break status;
        }
        if unwinding.is_none()
            && let Err(payload) = panic::catch_unwind(cancel::poll)
        {
            unwinding = Some(payload);
            let _ = running.child.kill();
            group.end_others();
        }
        if Instant::now() >= next_measure {
            next_measure = Instant::now() + MEASURE_INTERVAL;
            let others: Vec<u32> = group.others().into_iter().filter_map(|id| u32::try_from(id).ok()).collect();
            let each = others.iter().filter_map(|&id| (launch.memory_of)(id));
            let sum = each.fold(None, |sum: Option<u64>, bytes| Some(sum.unwrap_or(0) + bytes));
            peak = peak.max(sum);
            let so_far = others.iter().filter_map(|&id| (launch.cpu_of)(id)).sum();
            cpu = Some(cpu.map_or(so_far, |cpu: f64| cpu.max(so_far)));
            if launch.memory_bytes.zip(sum).is_some_and(|(limit, sum)| sum > limit) {
                over_memory = true;
                group.end_others();
            }
        }
        std::thread::sleep(interval);
        interval = (interval * 2).min(MAX_INTERVAL);
    };
    let seconds = began.elapsed().as_secs_f64();
    drop(running);
    // Ended children include only processes that were waited for; the measurements have the others.
    let cpu_seconds = (launch.cpu_of_ended)().zip(cpu).map(|(ended, measured)| ended.max(measured));
    let output = output.finish();
    Ok(Ended { status, output, over_memory, peak_memory_bytes: peak, seconds, cpu_seconds, unwinding })
}

/// A running command; its processes end on drop.
struct Running {
    child: Child,
    group: OwnGroup,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
        }
        self.group.end_others();
        let _ = self.child.wait();
    }
}
