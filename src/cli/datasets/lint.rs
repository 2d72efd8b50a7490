//! `lrbm datasets lint PATH`

use std::io::Write;
use std::path::PathBuf;

use super::super::error::{CommandError, with_cause};
use super::super::fold_data::SEED;
use super::super::output::Output;
use super::super::settings;
use super::{print, published};
use crate::data::benchmark::{Benchmark, Variant};
use crate::data::layout;
use crate::data::load::{LoadError, LoadOptions, load};
use crate::data::report::DatasetReport;
use crate::data::split::SplitOptions;
use crate::data::store::Store;
use crate::data::summary::DatasetSummary;
use crate::files::visible::ShownPath;
use crate::logic::quantity::thousands;

/// Arguments of `lrbm datasets lint`.
#[derive(clap::Args)]
pub struct Lint {
    /// Directory with pos, neg and facts files, or with folds of them: `fold1/train`, `fold1/test`
    /// and so on, or `train` and `test`
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
    if layout::has_only_folds(&args.path).map_err(LoadError::from)? {
        return folds(args, &options, output);
    }
    let loaded = load(&args.path, &options)?;
    output.warn(&loaded.warnings);
    let out = &mut output.out;
    for file in &loaded.counts.files {
        writeln!(out, "read {}", file.shown())?;
    }
    writeln!(out)?;
    let summary = DatasetSummary::of(&loaded);
    print::summary(out, &summary)?;
    let per_positive = SplitOptions::new(SEED).negatives_per_positive;
    let lacking = (per_positive * summary.positives as f64 - summary.negatives as f64).ceil().max(0.0);
    if lacking > 0.0 && loaded.database.classes.is_none() {
        writeln!(
            out,
            "\n`lrbm run` draws {} negatives under the closed-world assumption, for {per_positive} per positive;\n\
             `negatives = \"listed\"` in a spec draws none",
            thousands(lacking as u64)
        )?;
    }
    ending(output, loaded.warnings.warnings().count())
}

/// Checks a directory of given folds.
fn folds(args: &Lint, options: &LoadOptions, output: &mut Output) -> Result<(), CommandError> {
    let dataset = Benchmark::of_directory(&args.path, options, &Variant::default()).map_err(with_cause)?;
    let mut warnings = dataset.warnings().clone();
    let split = SplitOptions::new(SEED);
    dataset.drawn_negatives(&split).map_err(with_cause)?.into_iter().for_each(|warning| warnings.push(warning));
    output.warn(&warnings);
    for (file, _) in dataset.files() {
        writeln!(output.out, "read {}", args.path.join(file).shown())?;
    }
    writeln!(output.out)?;
    let store = Store::open(Store::default_directory());
    let report = DatasetReport::new(&dataset, &store, &split).map_err(with_cause)?;
    published::print(&mut output.out, &report)?;
    ending(output, warnings.warnings().count())
}

fn ending(output: &mut Output, warnings: usize) -> Result<(), CommandError> {
    let out = &mut output.out;
    match warnings {
        0 => writeln!(out, "\nno errors, no warnings")?,
        1 => writeln!(out, "\nno errors, 1 warning")?,
        n => writeln!(out, "\nno errors, {n} warnings")?,
    }
    Ok(())
}
