//! A plain directory of data on the command line, and the `--set` that goes with it.

use std::path::PathBuf;

use super::{CommandError, settings};
use crate::data::load::LoadOptions;

/// Which directory, and how it is read.
#[derive(clap::Args)]
pub struct DataArgs {
    /// A directory with pos, neg and facts files.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The file of modes and parameters, if it is not in the directory.
    #[arg(long, value_name = "FILE")]
    pub background: Option<PathBuf>,
    /// A parameter of the model, or how the directory is read (time_predicate, time_type, time_by_argument).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// `--set` parted into what it is about.
pub struct SplitSettings {
    /// About time.
    pub time: Vec<String>,
    /// About everything else.
    pub others: Vec<String>,
}

impl DataArgs {
    /// Parts the settings.
    pub fn split_settings(&self) -> SplitSettings {
        let (time, others) = self.set.iter().cloned().partition(|setting| settings::is_about_time(setting));
        SplitSettings { time, others }
    }

    /// How to load the directory.
    pub fn load_options(&self, target: Option<String>) -> Result<LoadOptions, CommandError> {
        let time = settings::time_rule(&self.split_settings().time)?;
        Ok(LoadOptions { background: self.background.clone(), target, time, ..LoadOptions::default() })
    }
}
