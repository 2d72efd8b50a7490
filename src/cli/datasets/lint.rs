//! `lrbm datasets lint PATH`

use std::io::Write;
use std::path::PathBuf;

use super::super::error::CommandError;
use super::super::output::Output;
use super::super::settings;
use super::print;
use crate::data::load::{LoadOptions, load};
use crate::data::summary::DatasetSummary;
use crate::files::visible::ShownPath;

/// Arguments of `lrbm datasets lint`.
#[derive(clap::Args)]
pub struct Lint {
    /// Directory with pos, neg and facts files
    path: PathBuf,
    /// File of modes and parameters, if it is not in the directory
    #[arg(long)]
    background: Option<PathBuf>,
    /// Target predicate [default: the one with the most positive examples]
    #[arg(long)]
    target: Option<String>,
    /// Time rule of the directory: time_predicate=NAME, time_type=TYPE, time_by_argument=NAME,…
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

pub fn run(args: &Lint, output: &mut Output) -> Result<(), CommandError> {
    let options = LoadOptions {
        background: args.background.clone(),
        target: args.target.clone(),
        time: settings::time_rule(&args.set)?,
        ..LoadOptions::default()
    };
    let loaded = load(&args.path, &options)?;
    output.warn(&loaded.warnings);
    let out = &mut output.out;
    for file in &loaded.counts.files {
        writeln!(out, "read {}", file.shown())?;
    }
    writeln!(out)?;
    print::summary(out, &DatasetSummary::of(&loaded))?;
    match loaded.warnings.warnings().count() {
        0 => writeln!(out, "\nno errors, no warnings")?,
        1 => writeln!(out, "\nno errors, 1 warning")?,
        n => writeln!(out, "\nno errors, {n} warnings")?,
    }
    Ok(())
}
