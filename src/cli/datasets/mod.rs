//! `lrbm datasets …`

mod fetch;
mod generate;
mod info;
mod lint;
mod list;
mod print;
mod published;

use clap::{Args, Subcommand};

use super::{CommandError, Output};
use crate::data::generate::{Domain, Settings};

/// The commands about datasets.
#[derive(Subcommand)]
pub enum Datasets {
    /// List every dataset.
    List(list::List),
    /// Describe a dataset: predicates with counts and types, examples, folds, caveats.
    Info(info::Info),
    /// Fetch published datasets, verify and convert them.
    Fetch(fetch::Fetch),
    /// Check every fetched file against its recorded checksum.
    Verify(fetch::Verify),
    /// Write a generated domain as BoostSRL files.
    Generate(generate::Generate),
    /// Check a directory of BoostSRL files, and describe it.
    Lint(lint::Lint),
}

/// Runs one of them.
pub(super) fn run(command: Datasets, output: &mut Output) -> Result<(), CommandError> {
    match command {
        Datasets::List(args) => list::run(&args, output),
        Datasets::Info(args) => info::run(&args, output),
        Datasets::Fetch(args) => fetch::run_fetch(&args, output),
        Datasets::Verify(args) => fetch::run_verify(&args, output),
        Datasets::Generate(args) => generate::run(&args, output),
        Datasets::Lint(args) => lint::run(&args, output),
    }
}

/// How a generated domain is made.
#[derive(Args)]
pub struct GeneratorArgs {
    /// How many times as large as the embedded domain.
    #[arg(long)]
    scale: Option<u32>,
    /// The seed of every random choice.
    #[arg(long)]
    seed: Option<u64>,
    /// The share of labels that are wrong, at least 0 and below 1.
    #[arg(long)]
    noise: Option<f64>,
}

impl GeneratorArgs {
    fn seed(&self) -> Option<u64> {
        self.seed
    }

    fn is_used_beyond_the_seed(&self) -> bool {
        self.scale.is_some() || self.noise.is_some()
    }

    fn settings(&self, domain: Domain) -> Result<Settings, CommandError> {
        let default = domain.settings();
        Settings::new(
            self.scale.unwrap_or(default.scale()),
            self.seed.unwrap_or(default.seed()),
            self.noise.unwrap_or(default.noise()),
        )
        .map_err(CommandError::input)
    }
}
