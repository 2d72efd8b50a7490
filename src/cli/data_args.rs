//! Arguments for a data directory, and its `--set` options.

use std::path::PathBuf;

use super::error::CommandError;
use super::settings;
use crate::data::load::LoadOptions;
use crate::learn::prepare::PrepareOptions;

/// A data directory and how it is read.
#[derive(clap::Args)]
pub struct DataArgs {
    /// Directory with pos, neg and facts files.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// File of modes and parameters [default: the one in the directory].
    #[arg(long, value_name = "FILE")]
    pub background: Option<PathBuf>,
    /// Set how the directory is read (time_predicate, time_type, time_by_argument); for `train`
    /// also a parameter of the model.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// `--set` options by subject.
pub struct SplitSettings {
    /// Time limits.
    pub time: Vec<String>,
    /// Everything else.
    pub others: Vec<String>,
}

impl DataArgs {
    /// Splits the settings by subject.
    pub fn split_settings(&self) -> SplitSettings {
        let (time, others) = self.set.iter().cloned().partition(|setting| settings::is_about_time(setting));
        SplitSettings { time, others }
    }

    /// Returns the options of reading the directory for a saved model.
    pub fn prepare_options(&self) -> Result<PrepareOptions, CommandError> {
        let time = settings::time_rule(&self.split_settings().time)?;
        Ok(PrepareOptions { background: self.background.clone(), time })
    }

    /// Returns the options for loading the directory.
    pub fn load_options(&self, target: Option<String>) -> Result<LoadOptions, CommandError> {
        let time = settings::time_rule(&self.split_settings().time)?;
        Ok(LoadOptions { background: self.background.clone(), target, time, ..LoadOptions::default() })
    }
}
