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
use crate::data::generate::{Domain, GeneratorSettings};

/// Subcommands of `lrbm datasets`.
#[derive(Subcommand)]
pub enum Datasets {
    /// List every dataset
    List(list::List),
    /// Describe a dataset: predicates with counts and types, examples, folds, caveats
    Info(info::Info),
    /// Fetch, verify and convert published datasets
    Fetch(fetch::Fetch),
    /// Check every fetched file against its recorded checksum
    Verify(fetch::Verify),
    /// Write a generated domain as BoostSRL files
    Generate(generate::Generate),
    /// Check and describe a directory of BoostSRL files
    Lint(lint::Lint),
}

/// Runs a subcommand.
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

/// GeneratorSettings of a generated domain.
#[derive(Args)]
pub struct GeneratorArgs {
    /// Size relative to the default domain [default: 1]
    #[arg(long)]
    scale: Option<u32>,
    /// Seed of every random choice [default: the seed of the domain]
    #[arg(long)]
    seed: Option<u64>,
    /// Fraction of wrong labels, at least 0 and below 1 [default: 0]
    #[arg(long)]
    noise: Option<f64>,
}

impl GeneratorArgs {
    fn seed(&self) -> Option<u64> {
        self.seed
    }

    fn is_used_beyond_seed(&self) -> bool {
        self.scale.is_some() || self.noise.is_some()
    }

    fn settings(&self, domain: Domain) -> Result<GeneratorSettings, CommandError> {
        let default = domain.settings();
        GeneratorSettings::new(
            self.scale.unwrap_or(default.scale()),
            self.seed.unwrap_or(default.seed()),
            self.noise.unwrap_or(default.noise()),
        )
        .map_err(CommandError::input)
    }
}
