//! Talks to Slurm through its own commands: `sbatch`, `squeue`, `scontrol`, `scancel`. No accounting is needed, which many clusters do
//! not have for users.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::parse::{self, Ending, Queued};
use crate::determinism::HashMap;
use crate::experiment::spec::SlurmSettings;

/// What can go wrong with a cluster.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    /// There is no Slurm.
    #[error(
        "`{program}` cannot be called: {source}; run this where the commands of Slurm are, such as on a login node, or \
         without `--executor slurm`"
    )]
    NoSlurm {
        /// The command.
        program: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// A command of Slurm failed.
    #[error("`{program}` says: {message}")]
    Refused {
        /// The command.
        program: &'static str,
        /// What it said.
        message: String,
    },
    /// The cluster would not take our tasks.
    #[error(
        "the cluster does not take these tasks: {message}; nothing was written: [slurm] in the spec or --slurm-option \
         sets partition, account, time, memory and cpus"
    )]
    NotTaken {
        /// What it said.
        message: String,
    },
    /// Arrays are not allowed.
    #[error(
        "the cluster does not allow arrays of jobs (MaxArraySize is {size}); `lrbm plan SPEC --format commands` prints a \
         command for each task, to be submitted one by one"
    )]
    NoArrays {
        /// What the cluster says.
        size: u64,
    },
    /// Another process drives the run.
    #[error("another process gives tasks of {} to the cluster: stop that one first", root.display())]
    Driven {
        /// The run directory.
        root: std::path::PathBuf,
    },
    /// A path that cannot be told.
    #[error(
        "{}: Slurm cannot be told of a path that is not valid text or has a backslash or line break in it; rename it, or give \
         another with --out",
        .0.display()
    )]
    Untold(std::path::PathBuf),
    /// Something of the run directory cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A cluster that takes tasks like ours.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// How many tasks an array may have.
    pub most_tasks: usize,
}

impl Cluster {
    /// Asks the cluster whether it would take tasks like these, of a run in this directory; nothing is submitted or written.
    ///
    /// # Errors
    /// If there is no Slurm, or it would not.
    pub fn prepare(settings: &SlurmSettings, root: &Path) -> Result<Cluster, SlurmError> {
        let root = std::path::absolute(root).map_err(|source| SlurmError::Io { path: root.to_owned(), source })?;
        pattern(&root)?;
        let mut args = options(settings);
        args.extend(["--test-only", "--wrap=true"].map(OsString::from));
        call("sbatch", &args).map_err(|error| match error {
            SlurmError::Refused { message, .. } => SlurmError::NotTaken { message },
            other => other,
        })?;
        let config = call("scontrol", &["show", "config"].map(OsString::from))?;
        let size: u64 = parse::config(&config, "MaxArraySize").and_then(|size| size.parse().ok()).unwrap_or(1001);
        if size < 2 {
            return Err(SlurmError::NoArrays { size });
        }
        // The size bounds the number of the last task, from 0; ours are numbered from 1.
        Ok(Cluster { most_tasks: usize::try_from(size - 1).unwrap_or(usize::MAX) })
    }

    /// Submits an array of tasks, numbered from 1; what they print goes to `out/NUMBER.txt` in the directory.
    ///
    /// # Errors
    /// If the cluster does not take it.
    pub fn submit(
        &self,
        settings: &SlurmSettings,
        name: &str,
        tasks: usize,
        directory: &Path,
        script: &Path,
    ) -> Result<u64, SlurmError> {
        let mut args = options(settings);
        let [array, name] = [format!("--array=1-{tasks}"), format!("--job-name={name}")];
        let output = format!("--output={}/out/%a.txt", pattern(directory)?);
        args.extend([&array, &name, &output, "--parsable"].map(OsString::from));
        args.push("--chdir".into());
        args.push(directory.into());
        args.push(script.into());
        let answer = call("sbatch", &args)?;
        parse::submitted(&answer)
            .ok_or_else(|| SlurmError::Refused { program: "sbatch", message: format!("no id in `{}`", answer.trim()) })
    }

    /// The tasks of arrays of these names that are queued or at work.
    ///
    /// # Errors
    /// If the cluster does not answer.
    pub fn queue(&self, names: &[&str]) -> Result<Vec<Queued>, SlurmError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let args = ["--noheader", "--array", "--format", parse::QUEUE_FORMAT, "--name", &names.join(",")];
        Ok(parse::queue(&call("squeue", &args.map(OsString::from))?))
    }

    /// How the tasks of an array stand or ended, as far as the cluster remembers.
    pub fn endings(&self, array: u64) -> HashMap<usize, Ending> {
        let args = ["--oneliner", "show", "job", &array.to_string()].map(OsString::from);
        // What it has forgotten it has forgotten.
        call("scontrol", &args).map(|text| parse::endings(&text)).unwrap_or_default()
    }

    /// Cancels arrays.
    ///
    /// # Errors
    /// If the cluster does not answer.
    pub fn cancel(&self, arrays: &[u64]) -> Result<(), SlurmError> {
        let args: Vec<OsString> = arrays.iter().map(|array| array.to_string().into()).collect();
        if args.is_empty() { Ok(()) } else { call("scancel", &args).map(drop) }
    }
}

/// The options that the settings stand for. Each is one word to the system, so nothing in it can be taken for another.
fn options(settings: &SlurmSettings) -> Vec<OsString> {
    let mut options =
        vec!["--no-requeue".to_owned(), "--ntasks=1".to_owned(), format!("--cpus-per-task={}", settings.cpus)];
    options.extend(settings.partition.iter().map(|partition| format!("--partition={partition}")));
    options.extend(settings.account.iter().map(|account| format!("--account={account}")));
    options.extend(settings.time.map(|time| format!("--time={}", days(time))));
    options.extend(settings.memory_bytes.map(|bytes| format!("--mem={}M", bytes.div_ceil(1 << 20))));
    options.extend(settings.options.iter().cloned());
    options.into_iter().map(OsString::from).collect()
}

/// A path in which Slurm puts nothing in the place of `%a` and the like. A backslash anywhere would make it leave all of them alone.
fn pattern(path: &Path) -> Result<String, SlurmError> {
    let text = path.to_str().filter(|text| !text.contains(|c: char| c == '\\' || c.is_control()));
    text.map(|text| text.replace('%', "%%")).ok_or_else(|| SlurmError::Untold(path.to_owned()))
}

/// A time as Slurm reads it: days-hours:minutes:seconds.
fn days(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    format!("{days}-{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

fn call(program: &'static str, args: &[OsString]) -> Result<String, SlurmError> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).env("LC_ALL", "C");
    // What the user likes to see must not decide what we see; nor may one command ask another cluster than the next.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("SQUEUE_") || matches!(&*text, "SBATCH_CLUSTERS" | "SLURM_CLUSTERS") {
            command.env_remove(&name);
        }
    }
    apart(&mut command);
    let output = command.output().map_err(|source| SlurmError::NoSlurm { program, source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let said =
        text.lines().map(|line| line.trim().trim_start_matches(&format!("{program}: error: "))).collect::<Vec<_>>();
    let message = said.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    Err(SlurmError::Refused { program, message: if message.is_empty() { output.status.to_string() } else { message } })
}

/// Ctrl-C is for us: a command of Slurm that is at work ends in peace.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn apart(_: &mut Command) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_become_options() {
        let settings = SlurmSettings {
            partition: Some("a b;c".into()),
            account: Some("$(x)".into()),
            time: Some(Duration::from_secs_f64(90_061.5)),
            memory_bytes: Some((1 << 20) + 1),
            cpus: 3,
            options: vec!["--qos=long".into()],
            ..SlurmSettings::default()
        };
        let expected = [
            "--no-requeue",
            "--ntasks=1",
            "--cpus-per-task=3",
            "--partition=a b;c",
            "--account=$(x)",
            "--time=1-01:01:02",
            "--mem=2M",
            "--qos=long",
        ];
        assert_eq!(options(&settings), expected.map(OsString::from));
        assert_eq!(pattern(Path::new("/a %a/'b'")).unwrap(), "/a %%a/'b'");
        assert!(pattern(Path::new("/a\\b")).is_err() && pattern(Path::new("/a\nb")).is_err());
    }
}
