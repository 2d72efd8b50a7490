//! The configuration of an external system, and its part of the key of a job.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::template;
use crate::learn::Kind;
use crate::learn::params::Value;

/// Version of the contract between the harness and a command.
pub const CONTRACT: u32 = 1;

/// Kind of a model that is a command.
pub const COMMAND: &str = "command";
/// Kind of a model whose scores were made elsewhere.
pub const SCORES: &str = "scores";
/// The kinds of external systems.
pub const EXTERNAL_KINDS: [&str; 2] = [COMMAND, SCORES];

/// The placeholders of `run` and `version`.
pub const COMMAND_PLACEHOLDERS: [&str; 1] = ["spec_dir"];
/// The placeholders of `path`.
pub const PATH_PLACEHOLDERS: [&str; 4] = ["dataset", "case", "fold", "seed"];

/// An external system.
#[derive(Clone, Debug, PartialEq)]
pub struct External {
    /// Where its scores come from.
    pub source: ScoreSource,
    /// Parameters of a command, which reach it in `job.json`.
    pub params: BTreeMap<String, Value>,
    /// What its result depends on besides the spec; empty until it was measured or recalled.
    pub inputs: Inputs,
}

/// Where the scores of an external system come from.
#[derive(Clone, Debug, PartialEq)]
pub enum ScoreSource {
    /// A command that is started for every job.
    Command(CommandConfig),
    /// Files that exist already: their path relative to the spec, with placeholders.
    Files(String),
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandConfig {
    /// Program and arguments, with placeholders.
    pub run: Vec<String>,
    /// Program and arguments of the command that prints the version.
    pub version: Option<Vec<String>>,
    /// Files whose checksums are part of the key, relative to the spec.
    pub files: Vec<String>,
    /// Whether equal inputs give equal scores.
    pub repeatable: bool,
    /// Features that the harness computes for the command.
    pub features: Option<Features>,
    /// Time limit, if it differs from that of the experiment.
    pub time_limit: Option<Duration>,
}

/// Features that the harness computes from the training data for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// Counts of the random walks of `rrbm-c`.
    RandomWalks,
    /// The clauses of `progol`.
    Clauses,
}

impl Features {
    /// All features by name.
    pub const NAMES: [(&'static str, Features); 2] =
        [("random-walks", Features::RandomWalks), ("clauses", Features::Clauses)];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, features)| *features == self).map_or("", |(name, _)| name)
    }

    /// Returns the kind of model that they come from.
    pub fn kind(self) -> Kind {
        match self {
            Features::RandomWalks => Kind::RrbmC,
            Features::Clauses => Kind::Progol,
        }
    }
}

/// What the result of an external system depends on besides the spec.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// Directory of the spec, absolute.
    pub spec_dir: PathBuf,
    /// Version of the command.
    pub version: Version,
    /// SHA-256 of the listed files, by their path in the spec.
    pub files: BTreeMap<String, String>,
    /// SHA-256 of the file of scores; `None` if it does not exist.
    pub scores: Option<String>,
}

/// The version of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// The model has no `version`, or it was never asked for.
    #[default]
    Unknown,
    /// What the `version` command printed.
    Printed(String),
    /// The `version` command failed.
    Failed {
        /// Why.
        why: String,
        /// What it printed when it last succeeded: results of that version stay valid.
        last: Option<String>,
    },
}

/// The part of a job key that describes an external system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalKey {
    /// Version of the contract.
    pub contract: u32,
    /// Program and arguments, unexpanded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<String>,
    /// The command that prints the version, unexpanded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Vec<String>>,
    /// What it printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_output: Option<String>,
    /// SHA-256 of the listed files, by their path in the spec.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Features that the harness computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<String>,
    /// SHA-256 of the file of scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<String>,
}

impl External {
    /// Returns the name of its kind.
    pub fn kind_name(&self) -> &'static str {
        match self.source {
            ScoreSource::Command(_) => COMMAND,
            ScoreSource::Files(_) => SCORES,
        }
    }

    /// Returns the command, if it is one.
    pub fn command(&self) -> Option<&CommandConfig> {
        match &self.source {
            ScoreSource::Command(command) => Some(command),
            ScoreSource::Files(_) => None,
        }
    }

    /// Returns whether equal inputs give equal scores.
    pub fn is_repeatable(&self) -> bool {
        self.command().is_none_or(|command| command.repeatable)
    }

    /// Returns the features that the harness computes for it.
    pub fn features(&self) -> Option<Features> {
        self.command()?.features
    }

    /// Returns its own time limit.
    pub fn time_limit(&self) -> Option<Duration> {
        self.command()?.time_limit
    }

    /// Returns its part of the key of a job.
    pub fn key(&self) -> ExternalKey {
        let command = self.command();
        ExternalKey {
            contract: CONTRACT,
            run: command.map(|command| command.run.clone()).unwrap_or_default(),
            version: command.and_then(|command| command.version.clone()),
            version_output: match &self.inputs.version {
                Version::Printed(output) => Some(output.clone()),
                Version::Failed { last, .. } => last.clone(),
                Version::Unknown => None,
            },
            files: self.inputs.files.clone(),
            features: self.features().map(|features| features.name().to_owned()),
            scores: self.inputs.scores.clone(),
        }
    }

    /// Replaces the placeholders of arguments.
    pub fn expanded(&self, arguments: &[String]) -> Vec<String> {
        let value = |name: &str| (name == "spec_dir").then(|| self.inputs.spec_dir.to_string_lossy().into_owned());
        let expand = |argument: &String| template::expand(argument, value).unwrap_or_else(|_| argument.clone());
        arguments.iter().map(expand).collect()
    }
}

impl ExternalKey {
    /// Describes the differences from a later key.
    pub fn changes(&self, new: &ExternalKey) -> Vec<String> {
        let mut changes = Vec::new();
        let mut note = |what: &str, is_changed: bool| {
            if is_changed {
                changes.push(what.to_owned());
            }
        };
        note("contract", self.contract != new.contract);
        note("run", self.run != new.run);
        note("version command", self.version != new.version);
        note("features", self.features != new.features);
        note("scores", self.scores != new.scores);
        if self.version_output != new.version_output {
            let shown = |key: &ExternalKey| key.version_output.clone().unwrap_or_else(|| "unknown".to_owned());
            changes.push(format!("version {} → {}", shown(self), shown(new)));
        }
        let names = self.files.keys().chain(new.files.keys().filter(|name| !self.files.contains_key(*name)));
        changes.extend(names.filter(|name| self.files.get(*name) != new.files.get(*name)).cloned());
        changes
    }
}
