//! `lrbm datasets …`

mod args;
mod export;
mod fetch;
mod generate;
mod import;
mod info;
mod lint;
mod list;
mod print;
mod published;

use clap::Subcommand;

use super::error::CommandError;
use super::output::Output;

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
    /// Import CSV, Parquet or SQLite tables as BoostSRL files
    Import(import::Import),
    /// Write every split of an experiment for programs outside of this one
    Export(export::Export),
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
        Datasets::Import(args) => import::run(&args, output),
        Datasets::Export(args) => export::run(&args, output),
        Datasets::Lint(args) => lint::run(&args, output),
    }
}
