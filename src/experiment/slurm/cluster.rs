//! Calls Slurm through its commands `sbatch`, `squeue`, `scontrol` and `scancel`. Accounting is not
//! used, because many clusters do not offer it to users.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::parse::{self, QueuedTask, TaskEnd};
use crate::determinism::HashMap;
use crate::experiment::error::SlurmError;
use crate::experiment::spec::SlurmSettings;

/// A cluster that accepts the tasks of the run.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Maximum number of tasks in an array.
    pub max_tasks: usize,
}

/// What `sbatch` says where there is no controller, in lower case.
const NO_CONTROLLER: [&str; 2] = ["could not establish a configuration source", "unable to contact slurm controller"];

/// Returns why the cluster does not accept tasks.
fn refusal(error: SlurmError) -> SlurmError {
    match error {
        SlurmError::CommandFailed { message, .. } => {
            let lower = message.to_lowercase();
            let is_unreachable = NO_CONTROLLER.iter().any(|phrase| lower.contains(phrase));
            if is_unreachable { SlurmError::Unreachable { message } } else { SlurmError::Rejected { message } }
        }
        other => other,
    }
}

impl Cluster {
    /// Checks that the cluster would accept tasks of a run in this directory; submits and writes
    /// nothing.
    ///
    /// # Errors
    /// If Slurm is not available, or would reject the tasks.
    pub fn prepare(settings: &SlurmSettings, root: &Path) -> Result<Cluster, SlurmError> {
        let root = std::path::absolute(root).map_err(|source| SlurmError::Io { path: root.to_owned(), source })?;
        escape_pattern(&root)?;
        let mut args = options(settings);
        args.extend(["--test-only", "--wrap=true"].map(OsString::from));
        call("sbatch", &args).map_err(refusal)?;
        let config = call("scontrol", &["show", "config"].map(OsString::from))?;
        let size: u64 = parse::config(&config, "MaxArraySize").and_then(|size| size.parse().ok()).unwrap_or(1001);
        if size < 2 {
            return Err(SlurmError::NoArrays { size });
        }
        // MaxArraySize bounds the task index, which counts from 0; ours count from 1.
        Ok(Cluster { max_tasks: usize::try_from(size - 1).unwrap_or(usize::MAX) })
    }

    /// Submits an array of tasks, numbered from 1; their output goes to `out/NUMBER.txt` in the
    /// directory.
    ///
    /// # Errors
    /// If the cluster rejects it.
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
        let output = format!("--output={}/out/%a.txt", escape_pattern(directory)?);
        args.extend([&array, &name, &output, "--parsable"].map(OsString::from));
        args.push("--chdir".into());
        args.push(directory.into());
        args.push(script.into());
        let answer = call("sbatch", &args)?;
        parse::submitted(&answer).ok_or_else(|| SlurmError::CommandFailed {
            program: "sbatch",
            message: format!("no id in `{}`", answer.trim()),
        })
    }

    /// Returns the pending and running tasks of the named arrays.
    ///
    /// # Errors
    /// If the cluster does not respond.
    pub fn queue(&self, names: &[&str]) -> Result<Vec<QueuedTask>, SlurmError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let args = ["--noheader", "--array", "--format", parse::QUEUE_FORMAT, "--name", &names.join(",")];
        Ok(parse::queue(&call("squeue", &args.map(OsString::from))?))
    }

    /// Returns the state of each task of an array, as far as the cluster remembers it.
    pub fn task_ends(&self, array: u64) -> HashMap<usize, TaskEnd> {
        let args = ["--oneliner", "show", "job", &array.to_string()].map(OsString::from);
        // Slurm forgets finished jobs after a while.
        call("scontrol", &args).map(|text| parse::task_ends(&text)).unwrap_or_default()
    }

    /// Cancels arrays.
    ///
    /// # Errors
    /// If the cluster does not respond.
    pub fn cancel(&self, arrays: &[u64]) -> Result<(), SlurmError> {
        let args: Vec<OsString> = arrays.iter().map(|array| array.to_string().into()).collect();
        if args.is_empty() { Ok(()) } else { call("scancel", &args).map(drop) }
    }
}

/// Returns the `sbatch` options of the settings, one argument each, so that none can be misparsed.
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

/// Escapes `%` in a path for Slurm's file name patterns. A backslash would disable all patterns.
fn escape_pattern(path: &Path) -> Result<String, SlurmError> {
    let text = path.to_str().filter(|text| !text.contains(|c: char| c == '\\' || c.is_control()));
    text.map(|text| text.replace('%', "%%")).ok_or_else(|| SlurmError::InvalidPath(path.to_owned()))
}

/// Formats a duration for Slurm: days-hours:minutes:seconds.
fn days(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    format!("{days}-{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

fn call(program: &'static str, args: &[OsString]) -> Result<String, SlurmError> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).env("LC_ALL", "C");
    // User settings must change neither the output format nor the cluster that is addressed.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("SQUEUE_") || matches!(&*text, "SBATCH_CLUSTERS" | "SLURM_CLUSTERS") {
            command.env_remove(&name);
        }
    }
    detach(&mut command);
    let output = command.output().map_err(|source| SlurmError::CommandMissing { program, source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let lines =
        text.lines().map(|line| line.trim().trim_start_matches(&format!("{program}: error: "))).collect::<Vec<_>>();
    let message = lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    Err(SlurmError::CommandFailed {
        program,
        message: if message.is_empty() { output.status.to_string() } else { message },
    })
}

/// Detaches a command from the terminal's process group, so that Ctrl-C does not interrupt it.
#[cfg(unix)]
fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn detach(_: &mut Command) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_map_to_sbatch_options() {
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
        assert_eq!(escape_pattern(Path::new("/a %a/'b'")).unwrap(), "/a %%a/'b'");
        assert!(escape_pattern(Path::new("/a\\b")).is_err() && escape_pattern(Path::new("/a\nb")).is_err());
    }

    #[test]
    fn a_missing_controller_is_distinguished_from_rejected_tasks() {
        let of = |message: &str| refusal(SlurmError::CommandFailed { program: "sbatch", message: message.into() });
        for missing in [
            "resolve_ctls_from_dns_srv: res_nsearch error: Unknown host; Could not establish a configuration source",
            "allocation failure: Unable to contact slurm controller (connect failure)",
        ] {
            assert!(matches!(of(missing), SlurmError::Unreachable { .. }), "{missing}");
        }
        assert!(matches!(of("invalid partition specified: x"), SlurmError::Rejected { .. }));
    }
}
