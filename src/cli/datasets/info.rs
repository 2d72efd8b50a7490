//! `lrbm datasets info ID`

use std::io::Write;

use super::super::{CommandError, Output};
use super::{GeneratorArgs, print};
use crate::data::embedded::load_domain;
use crate::data::folds::random_folds;
use crate::data::generate::Domain;
use crate::data::summary::{Summary, fold_sizes};

/// Which dataset.
#[derive(clap::Args)]
pub struct Info {
    /// The id of a dataset, as `lrbm datasets list` prints it.
    id: String,
    #[command(flatten)]
    generator: GeneratorArgs,
    /// How many folds to show.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    folds: u32,
}

pub fn run(args: &Info, output: &mut Output) -> Result<(), CommandError> {
    let domain = Domain::find(&args.id).map_err(CommandError::input)?;
    let settings = args.generator.settings(domain)?;
    let loaded = load_domain(domain, &settings)?;
    output.warn(&loaded.warnings);
    let info = domain.info();
    let out = &mut output.out;
    writeln!(out, "{}: {}", info.id, info.title)?;
    print::paragraph(out, info.about)?;
    writeln!(out, "\nGenerated data ({settings}), labelled by planted rules:")?;
    for rule in info.rules {
        writeln!(out, "  {rule}")?;
    }
    if let Some(time) = info.time {
        writeln!(out, "Time: each example sees only facts up to its own time, which `{time}` tells.")?;
    }
    writeln!(out)?;
    print::summary(out, &Summary::of(&loaded))?;
    let folds = random_folds(&loaded.examples, args.folds as usize, settings.seed(), info.id);
    writeln!(out, "\n{} random folds, drawn with seed {}:", args.folds, settings.seed())?;
    print::folds(out, &fold_sizes(&loaded.examples, &folds))?;
    Ok(())
}
