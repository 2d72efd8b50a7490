//! Arguments for a data directory, and its `--set` options.

use std::path::PathBuf;

use super::error::CommandError;
use super::fold_data::{FoldArgs, FoldRequest, Side, is_known};
use super::output::Output;
use super::settings;
use crate::data::load::{Dataset, LoadOptions};
use crate::files::visible::ShownPath;
use crate::learn::Stored;
use crate::learn::prepare::{PrepareOptions, Purpose, prepare};

/// A data directory and how it is read.
#[derive(clap::Args)]
pub struct DataArgs {
    /// Directory with pos, neg and facts files, or the id of a dataset as in `lrbm datasets list`.
    #[arg(long, value_name = "DIR|ID")]
    pub data: PathBuf,
    #[command(flatten)]
    pub fold: FoldArgs,
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

    /// Reads the data for a saved model, and prints the warnings about them.
    pub fn prepare(&self, model: &dyn Stored, purpose: Purpose, output: &Output) -> Result<Dataset, CommandError> {
        let time = settings::time_rule(&self.split_settings().time)?;
        let side = if purpose == Purpose::Refit { Side::Train } else { Side::Test };
        let loaded = match self.fold_request(side, output) {
            Some(request) => {
                let read = request.read_for(model, &PrepareOptions { background: self.background.clone(), time })?;
                output.note(&read.about);
                read.dataset
            }
            None => {
                let options = PrepareOptions { background: self.background.clone(), time };
                prepare(model, &self.data, &options, purpose)?
            }
        };
        output.warn(&loaded.warnings);
        Ok(loaded)
    }

    /// Returns the fold to read, or `None` for a directory that is read as it is.
    pub fn fold_request(&self, side: Side, output: &Output) -> Option<FoldRequest<'_>> {
        if self.data.is_dir() && is_known(&self.data) {
            output.note(format_args!("{0}: the directory is read, not the dataset {0}", self.data.shown()));
        }
        self.fold.request(&self.data, side)
    }

    /// Returns the options for loading the directory.
    pub fn load_options(&self, target: Option<String>) -> Result<LoadOptions, CommandError> {
        let time = settings::time_rule(&self.split_settings().time)?;
        Ok(LoadOptions { background: self.background.clone(), target, time, ..LoadOptions::default() })
    }
}
