//! `lrbm datasets info ID`

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;

use super::super::error::{CommandError, with_cause};
use super::super::fold_data::SEED;
use super::super::output::Output;
use super::args::{GeneratorArgs, StoreArgs};
use super::{print, published};
use crate::data::benchmark::{Arity, Benchmark, Reflexive, Variant};
use crate::data::embedded::load_domain;
use crate::data::folds::random_folds;
use crate::data::generate::{Domain, GeneratorSettings};
use crate::data::load::LoadOptions;
use crate::data::manifest::{FoldScheme, Manifest, NegativeScheme};
use crate::data::report::DatasetReport;
use crate::data::split::SplitOptions;
use crate::data::store::Store;
use crate::data::summary::{DatasetSummary, PredicateRow, fold_sizes};

/// Arguments of `lrbm datasets info`.
#[derive(clap::Args)]
pub struct Info {
    /// Id of a dataset, as printed by `lrbm datasets list`, or a directory as for `lint`
    id: String,
    #[command(flatten)]
    generator: GeneratorArgs,
    /// Number of folds to show [default: that of the dataset]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    folds: Option<u32>,
    /// Evidence variant of a published dataset [default: that of its manifest]
    #[arg(long)]
    evidence: Option<String>,
    /// Target predicate of a directory [default: the one with the most positive examples]
    #[arg(long)]
    target: Option<String>,
    /// File of modes and parameters of a directory [default: the one in the directory]
    #[arg(long, value_name = "FILE")]
    background: Option<PathBuf>,
    /// Keep predicates with more than two arguments, or project them to binary ones
    #[arg(long, value_enum, default_value_t = ArityArg::Original)]
    arity: ArityArg,
    /// Fold scheme [default: that of the manifest; given for a directory of folds, else random]
    #[arg(long, value_enum)]
    fold_scheme: Option<FoldArg>,
    /// Source of negatives [default: that of the manifest; for a directory the listed ones if they
    /// suffice]
    #[arg(long, value_enum)]
    negatives: Option<NegativeArg>,
    /// Negatives per positive
    #[arg(long, default_value_t = 2.0)]
    negatives_per_positive: f64,
    /// Drop training positives that are also test positives
    #[arg(long)]
    drop_shared: bool,
    /// Drop examples of the form (a,a)
    #[arg(long)]
    drop_reflexive: bool,
    /// Print the report as a section of a Markdown page
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum ArityArg {
    Original,
    Binary,
}

#[derive(Clone, Copy, ValueEnum)]
enum FoldArg {
    Given,
    Random,
    ByTime,
}

#[derive(Clone, Copy, ValueEnum)]
enum NegativeArg {
    Listed,
    ListedThenClosedWorld,
    ClosedWorld,
}

impl Info {
    fn variant(&self) -> Variant {
        Variant {
            evidence: self.evidence.clone(),
            arity: match self.arity {
                ArityArg::Original => Arity::Original,
                ArityArg::Binary => Arity::Binary,
            },
            reflexive: if self.drop_reflexive { Reflexive::Drop } else { Reflexive::Keep },
            drop_shared: self.drop_shared,
            negatives: self.negatives.map(|given| match given {
                NegativeArg::Listed => NegativeScheme::Listed,
                NegativeArg::ListedThenClosedWorld => NegativeScheme::ListedThenClosedWorld,
                NegativeArg::ClosedWorld => NegativeScheme::ClosedWorld,
            }),
            folds: self.fold_scheme.map(|given| match given {
                FoldArg::Given => FoldScheme::Given,
                FoldArg::Random => FoldScheme::Random,
                FoldArg::ByTime => FoldScheme::ByTime,
            }),
            ..Variant::default()
        }
    }
}

pub fn run(args: &Info, output: &mut Output) -> Result<(), CommandError> {
    match Domain::find(&args.id) {
        Ok(domain) => generated(domain, args, output),
        Err(_) => report(args, output),
    }
}

fn report(args: &Info, output: &mut Output) -> Result<(), CommandError> {
    if args.generator.is_used_beyond_seed() {
        let message = format!("--scale and --noise apply only to generated domains, and `{}` is not one", args.id);
        return Err(CommandError::Input(message));
    }
    let store = args.store.store();
    let dataset = open(args, &store)?;
    let split = SplitOptions {
        folds: args.folds.map(|k| k as usize),
        negatives_per_positive: args.negatives_per_positive,
        ..SplitOptions::new(args.generator.seed().unwrap_or(SEED))
    };
    let mut warnings = dataset.warnings().clone();
    dataset.drawn_negatives(&split).map_err(with_cause)?.into_iter().for_each(|warning| warnings.push(warning));
    output.warn(&warnings);
    let report = DatasetReport::new(&dataset, &store, &split).map_err(with_cause)?;
    let out = &mut output.out;
    if args.json {
        let text = serde_json::to_string_pretty(&report).map_err(CommandError::input)?;
        writeln!(out, "{text}")?;
    } else if args.markdown {
        write!(out, "{}", report.markdown())?;
    } else {
        published::print(out, &report)?;
    }
    Ok(())
}

fn open(args: &Info, store: &Store) -> Result<Benchmark, CommandError> {
    let (variant, directory) = (args.variant(), Path::new(&args.id));
    if Manifest::find(&args.id).is_err() && directory.is_dir() {
        let options =
            LoadOptions { target: args.target.clone(), background: args.background.clone(), ..LoadOptions::default() };
        return Benchmark::of_directory(directory, &options, &variant).map_err(with_cause);
    }
    if args.target.is_some() || args.background.is_some() {
        let message = format!("--target and --background apply only to directories, and `{}` is not one", args.id);
        return Err(CommandError::Input(message));
    }
    Benchmark::open(&args.id, store, &variant).map_err(with_cause)
}

fn generated(domain: Domain, args: &Info, output: &mut Output) -> Result<(), CommandError> {
    let settings = args.generator.settings(domain)?;
    let loaded = load_domain(domain, &settings)?;
    output.warn(&loaded.warnings);
    let info = domain.info();
    if args.markdown {
        let message =
            format!("--markdown applies only to published data and directories, and `{}` is generated", info.id);
        return Err(CommandError::Input(message));
    }
    let k = args.folds.unwrap_or(5);
    let folds = random_folds(&loaded.examples, k as usize, settings.seed(), info.id);
    let sizes = fold_sizes(&loaded.examples, &folds);
    if args.json {
        let object = generated_json(domain, &settings, &DatasetSummary::of(&loaded), &sizes);
        writeln!(output.out, "{object:#}")?;
        return Ok(());
    }
    let out = &mut output.out;
    writeln!(out, "{}: {}", info.id, info.title)?;
    print::paragraph(out, info.about)?;
    writeln!(out, "\nGenerated data ({settings}), labelled by planted rules:")?;
    for rule in info.rules {
        writeln!(out, "  {rule}")?;
    }
    if let Some(time) = info.time {
        writeln!(out, "Time: each example sees only facts up to its own time, given by `{time}`.")?;
    }
    writeln!(out)?;
    print::summary(out, &DatasetSummary::of(&loaded))?;
    writeln!(out, "\n{k} random folds, drawn with seed {}:", settings.seed())?;
    print::folds(out, &sizes)?;
    Ok(())
}

/// Formats a generated domain with the field names of other datasets.
fn generated_json(
    domain: Domain,
    settings: &GeneratorSettings,
    summary: &DatasetSummary,
    sizes: &[(usize, usize)],
) -> serde_json::Value {
    let info = domain.info();
    let predicate = |row: &PredicateRow| {
        let PredicateRow { predicate, types, facts, duplicates, .. } = row;
        json!({ "predicate": predicate, "types": types, "facts": facts, "duplicates": duplicates })
    };
    let fold = |(fold, (positives, negatives)): (usize, &(usize, usize))| json!({ "fold": fold + 1, "counts": { "test": { "positives": positives, "listed": negatives } } });
    json!({
        "id": info.id,
        "title": info.title,
        "about": info.about,
        "target": summary.target,
        "generated": { "scale": settings.scale(), "noise": settings.noise(), "rules": info.rules, "time": info.time },
        "seed": settings.seed(),
        "positives": summary.positives,
        "listed_negatives": summary.negatives,
        "duplicate_examples": summary.duplicate_examples,
        "predicates": summary.predicates.iter().map(predicate).collect::<Vec<_>>(),
        "facts": summary.facts,
        "folds": sizes.iter().enumerate().map(fold).collect::<Vec<_>>(),
    })
}
