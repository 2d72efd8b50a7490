//! Isolated jobs: each runs in a process of its own, supervised by this one.
//!
//! The supervisor keeps the lock and the staging directory of the job. The process of the job gets
//! its assignment on stdin, writes model and predictions into the staging directory, and reports
//! progress and its end on stdout. Its stdin stays open: when the supervisor ends in any way, the
//! process of the job reads the end of the file and exits.
//!
//! Whether a memory limit is exceeded is decided by the peak resident memory that Linux keeps for
//! a process. It only grows, so the decision depends neither on when it is read nor on other jobs.
//! Two guards end a process that allocates faster than it checks: a limit on its data, which it
//! sets itself, and the supervisor.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::compute::JobEnd;
use super::execute::{Attempt, JobProgress};
use super::failure::Failure;
use super::machine;
use crate::experiment::error::RunError;
use crate::experiment::job::Limits;
use crate::experiment::key::JobId;
use crate::experiment::planned::PlannedJob;
use crate::experiment::process::{end_group, own_group};
use crate::experiment::remote::RemoteRun;
use crate::experiment::store::{FailureKind, RunStoreError, StagingFiles};
use crate::files::HiddenDir;
use crate::files::visible::ShownPath;

/// The command that runs an assigned job.
pub const ASSIGNED: &str = "run-assigned";

/// How long a job may exceed a limit before the supervisor ends its process. The process usually
/// ends the job itself before that, and then also reports what it knows about it.
const GRACE: Duration = Duration::from_secs(2);
/// Interval of checks by the supervisor.
const INTERVAL: Duration = Duration::from_millis(50);
/// Bytes of error output that are kept.
const KEPT_ERROR_BYTES: usize = 4096;

/// How isolated jobs are started.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// The program `lrbm`.
    pub program: PathBuf,
    /// Text of the experiment.
    pub spec: String,
    /// Its data.
    pub remote: RemoteRun,
}

/// What the process of a job is to run: one line of JSON on its stdin.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// Text of the experiment.
    pub spec: String,
    /// Its data.
    pub remote: RemoteRun,
    /// Run directory.
    pub root: PathBuf,
    /// The job.
    pub id: JobId,
    /// Its staging directory.
    pub staging: PathBuf,
    /// Time since the job began.
    pub elapsed: Duration,
    /// Number of threads.
    pub threads: usize,
    /// Working directory of the command of an external system, removed by the supervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratch: Option<PathBuf>,
}

/// Report of the process of a job: one line of JSON on its stdout.
#[derive(Debug, Serialize, Deserialize)]
pub enum Report {
    /// Progress.
    Progress(JobProgress),
    /// The job ended.
    Ended(Box<JobEnd>),
    /// A file cannot be written, which is not a failure of the job.
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Error message.
        message: String,
        /// Whether the disk is full.
        full: bool,
    },
    /// The assignment cannot be run.
    Rejected(String),
}

impl Isolation {
    /// Runs a job in a process of its own, which writes its files.
    ///
    /// # Errors
    /// If the process cannot be started, or files cannot be written. A process that ends without a
    /// result is a failure of the job.
    pub fn run(
        &self,
        planned: &PlannedJob,
        threads: usize,
        staging: &StagingFiles,
        root: &Path,
        notify: &mut dyn FnMut(JobProgress),
    ) -> Result<JobEnd, RunError> {
        let failed = |error: io::Error| RunError::Isolation(format!("{}: {error}", self.program.shown()));
        let job = &planned.job;
        // Below the system's temporary directory, since the run directory holds labels of other
        // jobs; and hidden from the commands of other folds, since its training examples are their
        // test examples.
        let scratch = job.runs_command().then(|| HiddenDir::new_in(&std::env::temp_dir())).transpose();
        let scratch = scratch.map_err(|error| RunError::Isolation(format!("no temporary directory: {error}")))?;
        let assignment = Assignment {
            spec: self.spec.clone(),
            remote: self.remote.clone(),
            root: root.to_owned(),
            id: planned.id.clone(),
            staging: staging.directory().to_owned(),
            elapsed: staging.elapsed(),
            threads,
            scratch: scratch.as_ref().map(|directory| directory.path().to_owned()),
        };
        let mut line = serde_json::to_vec(&assignment).map_err(|error| RunError::Isolation(error.to_string()))?;
        line.push(b'\n');
        let mut supervised = Supervised::start(&self.program).map_err(failed)?;
        // A process that ends early is reported with its error output.
        let _ = supervised.assign(&line);
        // The process of a command checks the memory of its group itself.
        let limits = Limits { memory_bytes: job.limits.memory_bytes.filter(|_| scratch.is_none()), ..job.limits };
        supervised.runs_command = scratch.is_some();
        supervised.finish(limits, notify).map_err(failed)?
    }
}

/// A running process of a job; ended on drop.
struct Supervised {
    child: Child,
    reports: Receiver<io::Result<Report>>,
    errors: Option<thread::JoinHandle<String>>,
    began: Instant,
    /// Whether the group has processes that outlive the leader.
    runs_command: bool,
}

impl Supervised {
    fn start(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg(ASSIGNED).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        own_group(&mut command);
        let mut child = command.spawn()?;
        let (Some(out), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::Error::other("no pipe"));
        };
        let (send, reports) = mpsc::channel();
        thread::Builder::new().spawn(move || {
            for line in BufReader::new(out).lines() {
                let report = line.and_then(|line| serde_json::from_str(&line).map_err(io::Error::from));
                if send.send(report).is_err() {
                    break;
                }
            }
        })?;
        let errors = Some(thread::Builder::new().spawn(move || last_text(errors))?);
        Ok(Supervised { child, reports, errors, began: Instant::now(), runs_command: false })
    }

    fn assign(&mut self, line: &[u8]) -> io::Result<()> {
        self.child.stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(line).and_then(|()| stdin.flush()))
    }

    /// Forwards progress until the process ends, and ends it beyond its limits.
    fn finish(mut self, limits: Limits, notify: &mut dyn FnMut(JobProgress)) -> io::Result<Result<JobEnd, RunError>> {
        let mut peak_memory_bytes = None;
        let mut over_memory: Option<Instant> = None;
        let mut ended_for: Option<Failure> = None;
        let mut end = None;
        loop {
            match self.reports.recv_timeout(INTERVAL) {
                Ok(Ok(Report::Progress(progress))) => notify(progress),
                Ok(Ok(Report::Ended(ended))) => end = Some(Ok(*ended)),
                Ok(Ok(Report::Unwritable { path, message, full })) => {
                    let kind = if full { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
                    let source = io::Error::new(kind, message);
                    end = Some(Err(RunStoreError::Io { path, source }.into()));
                }
                Ok(Ok(Report::Rejected(message))) => end = Some(Err(RunError::Isolation(message))),
                // A process that is killed while it writes leaves part of a line.
                Ok(Err(_)) => {}
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            peak_memory_bytes = machine::peak_memory_bytes_of(self.child.id()).or(peak_memory_bytes);
            let limit = limits.memory_bytes.filter(|limit| peak_memory_bytes.is_some_and(|peak| peak > *limit));
            let over = limit.map(|_| *over_memory.get_or_insert_with(Instant::now));
            let exceeded = match (limits.time.filter(|limit| self.began.elapsed() > *limit + GRACE), limit.zip(over)) {
                (Some(limit), _) => Some(Failure::time_limit(limit)),
                (None, Some((limit, since))) if since.elapsed() > GRACE => Some(Failure::memory_limit(limit)),
                _ => None,
            };
            if ended_for.is_none() && end.is_none() && exceeded.is_some() {
                ended_for = exceeded;
                end_group(&mut self.child);
            }
        }
        // The group has the id of its leader, which is not given to another before the wait.
        if self.runs_command && end.is_none() {
            end_group(&mut self.child);
        }
        let status = self.child.wait()?;
        let errors = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
        Ok(end.unwrap_or_else(|| {
            let failure = ended_for.unwrap_or_else(|| match limits.memory_bytes {
                Some(limit) if errors.contains("memory allocation of") => Failure::memory_limit(limit),
                _ => {
                    let why = errors.lines().last().map_or_else(String::new, |line| format!(": {line}"));
                    let message = format!("the process of the job ended without a result ({status}){why}");
                    Failure { kind: FailureKind::Lost, message }
                }
            });
            Ok(JobEnd { attempt: Attempt::default(), result: Err(failure), cpu_seconds: None, peak_memory_bytes })
        }))
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        // Ended already, except after an error.
        if let Ok(None) = self.child.try_wait() {
            end_group(&mut self.child);
            let _ = self.child.wait();
        }
    }
}

/// Returns the end of an output.
fn last_text(mut from: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; 1024]);
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let excess = kept.len().saturating_sub(KEPT_ERROR_BYTES);
        kept.drain(..excess);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Factor and addend of the limit on data, in terms of the memory limit: allocated memory that was
/// never used counts as data but is not resident.
const DATA_FACTOR: u64 = 2;
const DATA_SLACK: u64 = 256 << 20;

/// Bounds the data of the calling process, as a guard against allocations between two checks.
#[cfg(target_os = "linux")]
pub fn bound_data(memory_limit: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let bound = memory_limit.saturating_mul(DATA_FACTOR).saturating_add(DATA_SLACK);
    let Rlimit { maximum, .. } = getrlimit(Resource::Data);
    let current = Some(maximum.map_or(bound, |maximum| maximum.min(bound)));
    // The guard is not needed for the outcome.
    let _ = setrlimit(Resource::Data, Rlimit { current, maximum });
}

/// Outside Linux there is no such guard.
#[cfg(not(target_os = "linux"))]
pub fn bound_data(_: u64) {
    let _ = (DATA_FACTOR, DATA_SLACK);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_output_is_kept() {
        let long = "x".repeat(3 * KEPT_ERROR_BYTES) + "end";
        let kept = last_text(long.as_bytes());
        assert!(kept.len() == KEPT_ERROR_BYTES && kept.ends_with("xend"));
        assert_eq!(last_text(&b""[..]), "");
    }
}
