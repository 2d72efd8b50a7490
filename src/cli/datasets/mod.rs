//! `lrbm datasets …`

mod generate;
mod info;
mod lint;
mod list;
mod print;

use clap::{Args, Subcommand};

use super::{CommandError, Output};
use crate::data::generate::{Domain, Settings};

/// The commands about datasets.
#[derive(Subcommand)]
pub enum Datasets {
    /// List every dataset.
    List,
    /// Describe a dataset: predicates with counts and types, examples, folds, caveats.
    Info(info::Info),
    /// Write a generated domain as BoostSRL files.
    Generate(generate::Generate),
    /// Check a directory of BoostSRL files, and describe it.
    Lint(lint::Lint),
}

/// Runs one of them.
pub(super) fn run(command: Datasets, output: &mut Output) -> Result<(), CommandError> {
    match command {
        Datasets::List => list::run(output),
        Datasets::Info(args) => info::run(&args, output),
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
