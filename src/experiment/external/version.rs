//! The `version` command of a model: what it prints is part of the key of its jobs.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::output::{Captured, LastLines};
use crate::experiment::process::{end_group, own_group};
use crate::files::{self, digest};

/// Maximum running time.
const LIMIT: Duration = Duration::from_secs(60);
/// Maximum length of the output that is kept.
const MAX_BYTES: usize = 2000;

/// Starts a version command in an empty directory and returns what it prints, trimmed.
///
/// # Errors
/// The reason in words, if it cannot be started, fails, or takes too long.
pub fn ask(command: &[String]) -> Result<String, String> {
    let failed = |what: String| format!("the version command failed: {what}");
    let started = || -> io::Result<_> {
        let directory = files::temporary_dir_in(&std::env::temp_dir())?;
        let mut process = Command::new(command.first().map_or("", String::as_str));
        process.args(command.get(1..).unwrap_or_default()).current_dir(directory.path()).env("PWD", directory.path());
        process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        own_group(&mut process);
        Ok((directory, process.spawn()?))
    };
    let program = command.first().cloned().unwrap_or_default();
    let (_directory, mut child) = started().map_err(|error| failed(format!("cannot start `{program}`: {error}")))?;
    let printed = child.stdout.take().map(Captured::of);
    let errors = child.stderr.take().map(Captured::of);
    let began = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if began.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => {
                end_group(&mut child);
                let _ = child.wait();
                return Err(failed(format!("no answer within {} s", LIMIT.as_secs())));
            }
        }
    };
    // What it left running; its id is not given away while the group has a process.
    end_group(&mut child);
    let text = |captured: Option<Captured>| captured.map(|captured| captured.finish()).unwrap_or_default();
    let (printed, errors) = (text(printed), text(errors));
    if !status.success() {
        return Err(failed(format!("{status}{}", LastLines(&errors))));
    }
    // Some programs print their version to stderr.
    let printed = if printed.trim().is_empty() { errors.trim() } else { printed.trim() };
    if printed.is_empty() {
        return Err(failed("it printed nothing".to_owned()));
    }
    if printed.len() <= MAX_BYTES {
        return Ok(printed.to_owned());
    }
    let end = printed.char_indices().map(|(at, _)| at).find(|&at| at >= MAX_BYTES).unwrap_or(printed.len());
    Ok(format!("{}… (SHA-256 of all: {})", &printed[..end], digest::sha256(printed.as_bytes())))
}
