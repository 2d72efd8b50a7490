//! Execution of a job of an external system: its command or its file of scores, and the metrics.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitStatus;

use super::execute::{Attempt, Execution, JobOutput, kept};
use super::failure::Failure;
use super::machine;
use crate::cancel;
use crate::data::split::Fold;
use crate::determinism::{HashMap, IndexMap};
use crate::experiment::external::config::{CommandConfig, External, ScoreSource, Version};
use crate::experiment::external::contract::{self, JobFile, JobLimits, SplitName};
use crate::experiment::external::environment::checksum;
use crate::experiment::external::features;
use crate::experiment::external::output::LastLines;
use crate::experiment::external::process::{self, Ended, Launch};
use crate::experiment::external::scores::{self, Scores};
use crate::experiment::process::OwnGroup;
use crate::experiment::store::{FailureKind, Outcome, Prediction};
use crate::files::digest;
use crate::files::visible::{ShownPath, visible};
use crate::learn::{Resources, Task};
use crate::metric::{Metrics, Output, Undefined};

/// Files that a job keeps: names and contents.
type KeptFiles = Vec<(String, Vec<u8>)>;

/// Exit code of a command that is not made for the data.
const UNSUPPORTED: i32 = 77;
/// Name of the description that a command may leave.
const INFO: &str = "info.json";
/// Largest file of a command that is kept with the job.
const MAX_KEPT_BYTES: u64 = 64 << 20;

impl Execution<'_> {
    /// Obtains the scores of an external system and evaluates them.
    pub(super) fn run_external(
        &mut self,
        external: &External,
        fold: &Fold,
        attempt: &mut Attempt,
    ) -> Result<JobOutput, Failure> {
        if fold.test.database.classes_of(fold.test.target).is_some() {
            let message = format!("{} supports two classes only; the target has several", external.kind_name());
            return Err(Failure { kind: FailureKind::Refused, message });
        }
        let queries = contract::queries_of(&fold.test);
        let (scores, mut files) = match &external.source {
            ScoreSource::Command(command) => self.run_command(external, command, fold, &queries, attempt)?,
            ScoreSource::Files(_) => (self.read_scores(external, &queries)?, Vec::new()),
        };
        cancel::poll();
        let (metrics, predictions) = evaluate(&scores, &queries, fold)?;
        files.extend(kept(&predictions, self.job.keep)?);
        let mut outcome = Outcome {
            metrics: IndexMap::default(),
            undefined: BTreeMap::new(),
            trees: 0,
            leaves: 0,
            walks: None,
            fidelity: None,
            choice: None,
            classes: None,
            files: files.iter().map(|(name, bytes)| (name.clone(), digest::sha256(bytes))).collect(),
        };
        outcome.set_metrics(&metrics);
        Ok(JobOutput { outcome, files })
    }

    fn read_scores(&self, external: &External, queries: &[String]) -> Result<Scores, Failure> {
        let path = self.job.scores_path().unwrap_or_default();
        let shown = visible(&path).into_owned();
        let read = fs::read(external.inputs.spec_dir.join(&path));
        let bytes = read.map_err(|error| Failure::error(format!("{shown}: cannot read the scores: {error}")))?;
        if external.inputs.scores.as_deref() != Some(digest::sha256(&bytes).as_str()) {
            let message = format!("{shown}: the scores changed since the run was planned; run the same command again");
            return Err(Failure::error(message));
        }
        scores::parse(&bytes, queries).map_err(|error| Failure::error(format!("{shown}: {error}")))
    }

    fn run_command(
        &mut self,
        external: &External,
        command: &CommandConfig,
        fold: &Fold,
        queries: &[String],
        attempt: &mut Attempt,
    ) -> Result<(Scores, KeptFiles), Failure> {
        check_inputs(external)?;
        let (Some(directory), Some(group)) = (self.context.scratch.clone(), OwnGroup::find()) else {
            return Err(Failure::error("a command needs a process group, which this system or caller does not offer"));
        };
        self.prepare(&directory, external, fold)?;
        let arguments = external.expanded(&command.run);
        self.staging.log(&format!("starting {}", visible(&arguments.join(" "))));
        let launch = Launch {
            command: &arguments,
            directory: &directory,
            memory_bytes: self.job.limits.memory_bytes,
            memory_of: machine::memory_bytes_of,
            cpu_of: machine::cpu_seconds_of,
            cpu_of_ended: machine::cpu_seconds_of_children,
        };
        let ended = process::run(&launch, group);
        let ended = ended.map_err(|error| {
            let program = arguments.first().map_or("", String::as_str);
            Failure::error(format!("cannot start `{}`: {error}", visible(program)))
        })?;
        attempt.train_seconds = ended.seconds;
        (attempt.command_peak_bytes, attempt.command_cpu_seconds) = (ended.peak_memory_bytes, ended.cpu_seconds);
        for line in ended.output.lines() {
            self.staging.log(&format!("| {}", visible(line)));
        }
        if let Some(unwinding) = ended.unwinding {
            std::panic::resume_unwind(unwinding);
        }
        self.staging.log(&format!("the command ended after {:.3} s: {}", ended.seconds, ended.status));
        self.judge(&ended)?;
        let bytes = read_bounded(&directory.join(scores::FILE), max_bytes_of_scores(queries));
        let failed = |what: String| Failure::error(format!("{what}{}", LastLines(&ended.output)));
        let bytes = bytes.map_err(|error| failed(format!("the command wrote no {}: {error}", scores::FILE)))?;
        let scores =
            scores::parse(&bytes, queries).map_err(|error| Failure::error(error.with_output(&ended.output)))?;
        let files = self.kept(&directory, attempt).map_err(|error| failed(error.to_string()))?;
        Ok((scores, files))
    }

    /// Writes the directory in which the command starts.
    fn prepare(&mut self, directory: &Path, external: &External, fold: &Fold) -> Result<(), Failure> {
        let job = self.job;
        let split = SplitName { dataset: job.dataset.name.clone(), fold: job.fold_number(), seed: job.seed };
        let limits = JobLimits {
            seconds: job.limits.time.map(|limit| limit.as_secs_f64()),
            memory_bytes: job.limits.memory_bytes,
        };
        let description = JobFile::of_split(split, fold).for_model(
            &job.model,
            external.params.clone(),
            external.features(),
            (limits, rayon::current_num_threads()),
        );
        let unwritable = |error: io::Error| Failure::error(format!("{}: {error}", directory.shown()));
        contract::write(directory, fold, &description).map_err(unwritable)?;
        if let Some(wanted) = external.features() {
            let task = Task {
                database: &fold.train.database,
                target: fold.train.target,
                examples: &fold.train.examples,
                seed: job.training_seed(),
                resources: Resources::default(),
            };
            let learned = features::learn(wanted, &task).map_err(|error| Failure::of_learning(&error))?;
            features::write(directory, fold, &learned).map_err(unwritable)?;
            self.staging.log(&format!("wrote the features {}", wanted.name()));
        }
        cancel::poll();
        Ok(())
    }

    /// Returns the failure of a command that did not end well.
    fn judge(&self, ended: &Ended) -> Result<(), Failure> {
        if let Some(limit) = self.job.limits.memory_bytes.filter(|_| ended.over_memory) {
            let Failure { kind, mut message } = Failure::memory_limit(limit);
            if !ended.output.trim().is_empty() {
                message += &LastLines(&ended.output).to_string();
            }
            return Err(Failure { kind, message });
        }
        if ended.status.success() {
            return Ok(());
        }
        let output = LastLines(&ended.output);
        Err(match (ended.status.code(), signal(ended.status)) {
            (Some(UNSUPPORTED), _) => {
                let last = ended.output.lines().rfind(|line| !line.trim().is_empty()).map(visible);
                let why = last.map_or_else(String::new, |line| format!(": {line}"));
                Failure {
                    kind: FailureKind::Refused,
                    message: format!("the command is not made for this dataset (exit code {UNSUPPORTED}){why}"),
                }
            }
            (Some(code), _) => Failure::error(format!("the command ended with exit code {code}{output}")),
            (None, Some(signal)) => Failure::error(format!("the command was ended by signal {signal}{output}")),
            (None, None) => Failure::error(format!("the command failed: {}{output}", ended.status)),
        })
    }

    /// Returns the files that a command left for the job: its model and its description.
    fn kept(&mut self, directory: &Path, attempt: &mut Attempt) -> io::Result<Vec<(String, Vec<u8>)>> {
        let (mut kept, mut total) = (Vec::new(), 0);
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let is_wanted = name == INFO || name.starts_with("model.");
            // Links are not followed: they may lead anywhere.
            if !is_wanted || !entry.file_type()?.is_file() {
                continue;
            }
            total += entry.metadata()?.len();
            if total > MAX_KEPT_BYTES {
                let warning = format!("{} is not kept: more than {MAX_KEPT_BYTES} bytes in all", visible(&name));
                self.staging.log(&warning);
                attempt.warnings.push(warning);
                continue;
            }
            let bytes = fs::read(entry.path())?;
            let is_object = || serde_json::from_slice::<serde_json::Value>(&bytes).is_ok_and(|value| value.is_object());
            if name == INFO && !is_object() {
                return Err(io::Error::other(format!("{INFO} must be a JSON object")));
            }
            kept.push((name, bytes));
        }
        kept.sort();
        Ok(kept)
    }
}

/// Returns how large a file of scores may be: a row is a query, perhaps quoted, and a number.
fn max_bytes_of_scores(queries: &[String]) -> u64 {
    let rows: usize = queries.iter().map(|query| 4 * query.len() + 100).sum();
    rows as u64 + (1 << 20)
}

/// Reads a regular file of at most so many bytes. Links are not followed: they may lead anywhere.
fn read_bounded(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max_bytes {
        true => Err(io::Error::other(format!("more than {max_bytes} bytes"))),
        false => Ok(bytes),
    }
}

/// Checks that the version is known and no listed file changed since the run was planned.
fn check_inputs(external: &External) -> Result<(), Failure> {
    if let Version::Failed { why, .. } = &external.inputs.version {
        return Err(Failure::error(why));
    }
    for (name, planned) in &external.inputs.files {
        let now = checksum(&external.inputs.spec_dir.join(name));
        if now.ok().as_ref() != Some(planned) {
            let name = visible(name);
            let message = format!("{name} changed since the run was planned; run the same command again");
            return Err(Failure::error(message));
        }
    }
    Ok(())
}

/// Computes the metrics and the predictions in the order of the test examples.
fn evaluate(scores: &Scores, queries: &[String], fold: &Fold) -> Result<(Metrics, Vec<Prediction>), Failure> {
    let (values, is_probability) = match scores {
        Scores::Ranked(values) => (values, false),
        Scores::Probabilities(values) => (values, true),
    };
    let by_query: HashMap<&str, f64> = queries.iter().map(String::as_str).zip(values.iter().copied()).collect();
    let test = &fold.test;
    let prediction = |(atom, example): (String, &crate::kb::Example)| {
        let psi = by_query.get(atom.as_str()).copied().unwrap_or(f64::NAN);
        Prediction { example: atom, label: example.positive, psi, probability: is_probability.then_some(psi) }
    };
    let predictions: Vec<Prediction> = contract::atoms(test).zip(&test.examples).map(prediction).collect();
    let (values, labels): (Vec<f64>, Vec<bool>) = predictions.iter().map(|row| (row.psi, row.label)).unzip();
    let output = if is_probability { Output::Probabilities(&values) } else { Output::Scores(&values) };
    // A command scores no training examples.
    let metrics = Metrics::new(output, &labels, Err(Undefined::NoTrainingScores)).map_err(Failure::error)?;
    Ok((metrics, predictions))
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
