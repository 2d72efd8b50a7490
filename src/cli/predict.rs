//! `lrbm predict`

pub(super) mod classes;

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use super::data_args::DataArgs;
use super::table::TextTable;
use super::train::{check_writable, write_whole};
use super::{CommandError, Output, OutputFiles, settings, with_cause};
use crate::data::classes::ClassLabels;
use crate::data::load::{LoadError, LoadOptions, Loaded, load};
use crate::learn::{Model, SavedModel, ScoreError, Stored};
use crate::logic::{Diagnostic, Diagnostics};
use crate::math::sigmoid;
use crate::metric::ranking::{Ranking, auc_pr, auc_roc};
use crate::metric::{Metrics, Output as Scores, Undefined};

/// Warnings that concern learning only: a model asks for its facts by name, whatever the modes are.
pub(super) const ABOUT_LEARNING: [&str; 5] =
    ["no-background", "fact-without-mode", "mode-without-facts", "target-without-mode", "one-class"];

/// Which model, on which data.
#[derive(clap::Args)]
pub struct Predict {
    /// The model, of any kind.
    #[arg(long, value_name = "MODEL.json")]
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// Write a table with the score of each example.
    #[arg(long, value_name = "SCORES.csv")]
    out: Option<PathBuf>,
    /// Print every metric, not just the two areas.
    #[arg(long)]
    all_metrics: bool,
}

pub fn run(args: &Predict, output: &mut Output) -> Result<(), CommandError> {
    let out = args.out.as_deref().map(check_writable).transpose()?;
    if let Some(setting) = args.data.split_settings().others.first() {
        return Err(settings::unknown(setting));
    }
    let outputs = OutputFiles::new([("--out", args.out.as_ref())]);
    outputs.protect([args.model.as_path()])?;
    let model = SavedModel::load(&args.model).map_err(with_cause)?;
    let options = options_for(&model, &args.data)?;
    let mut loaded = load_for(&model, &args.data, &options)?;
    output.warn(&loaded.warnings.without(&ABOUT_LEARNING));
    outputs.protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
    know(&model, &mut loaded, output);
    if let Some(names) = model.classes().filter(|_| loaded.database.classes.is_some()) {
        return classes::run(args, &model, names, &loaded, out.as_deref(), output);
    }
    let scored = model.score_with_remarks(&loaded.database, loaded.target, &loaded.examples);
    let (psi, remarks) = scored.map_err(CommandError::input)?;
    output.warn(&remarks);
    let labels: Vec<bool> = loaded.examples.iter().map(|example| example.positive).collect();
    // Scores that are no numbers are refused before anything is written.
    let ranking = Ranking::new(&psi, &labels).map_err(CommandError::input)?;
    if let Some(path) = &out {
        write_whole(path, &scores(&loaded, &psi))?;
    }
    for (name, value) in [("AUC-ROC", auc_roc(&ranking)), ("AUC-PR", auc_pr(&ranking))] {
        match value {
            Ok(value) => writeln!(output.out, "{name} {value:.6}")?,
            Err(_) => writeln!(output.out, "{name} undefined (one class)")?,
        }
    }
    if args.all_metrics {
        all_metrics(output, &psi, &labels)?;
    }
    Ok(())
}

/// How the data that a model is asked about are read.
pub(super) fn options_for(model: &dyn Stored, data: &DataArgs) -> Result<LoadOptions, CommandError> {
    let with_class = model.classes().is_some();
    let target = format!("{}/{}", model.target_name(), model.target_arity() + usize::from(with_class));
    let mut options = data.load_options(Some(target))?;
    options.classes = if with_class { ClassLabels::Always } else { ClassLabels::Never };
    // A model that was learned under time limits is asked under them, unless others are set.
    options.time = options.time.or_else(|| model.time().cloned());
    Ok(options)
}

/// The data that a model is asked about.
pub(super) fn load_for(model: &SavedModel, data: &DataArgs, options: &LoadOptions) -> Result<Loaded, CommandError> {
    let mut loaded = load_with_classes(model, data, options)?;
    as_learned(model, &mut loaded, options)?;
    Ok(loaded)
}

/// Makes binary predicates of longer ones if a model was learned from such.
pub(super) fn as_learned(model: &dyn Stored, loaded: &mut Loaded, options: &LoadOptions) -> Result<(), CommandError> {
    let made = loaded.make_binary_for(model.predicates(), options.time.as_ref());
    made.map(drop).map_err(CommandError::input)
}

fn load_with_classes(model: &SavedModel, data: &DataArgs, options: &LoadOptions) -> Result<Loaded, CommandError> {
    match load(&data.data, options) {
        Err(error @ LoadError::Invalid(_)) if options.classes == ClassLabels::Always => {
            let target = Some(format!("{}/{}", model.target_name(), model.target_arity()));
            let plain = LoadOptions { target, classes: ClassLabels::Never, ..options.clone() };
            let Ok(loaded) = load(&data.data, &plain) else { return Err(error.into()) };
            let names = model.classes().unwrap_or_default();
            // Of two classes, the second may be what holds, and the first what does not.
            match names.len() {
                2 => Ok(loaded),
                _ => Err(CommandError::input(ScoreError::Classes { classes: names.join(", ") })),
            }
        }
        other => Ok(other?),
    }
}

/// For a recursive model, makes what the facts say of the target evidence.
pub(super) fn know(model: &SavedModel, loaded: &mut Loaded, output: &Output) {
    if let Some(recursive) = model.recursive() {
        output.warn(&known_answers(loaded));
        loaded.use_target_facts_as_evidence(recursive.symmetric);
    }
}

/// A recursive model without anything known of its target can do no more than another.
fn known_answers(loaded: &Loaded) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    if loaded.database.facts.relation(loaded.target).is_empty() {
        let target = loaded.database.predicates.show(loaded.target);
        let message = format!("the model is recursive, and the facts say nothing of {target}");
        let help = "add what is known of it, such as the training positives, to the facts; labels are never looked at";
        warnings.push(Diagnostic::warning("nothing-known", message, help));
    }
    warnings
}

fn all_metrics(output: &mut Output, psi: &[f64], labels: &[bool]) -> Result<(), CommandError> {
    let no_threshold = Err(Undefined::NoTrainingScores);
    let metrics = Metrics::new(Scores::LogOdds(psi), labels, no_threshold).map_err(CommandError::input)?;
    let mut table = TextTable::new(&["metric", ">value"]);
    table.row(["positives".into(), metrics.positives.to_string()]);
    table.row(["negatives".into(), metrics.negatives.to_string()]);
    for (column, value) in metrics.iter() {
        let value = value.map_or_else(|why| format!("undefined ({why})"), |value| format!("{value:.6}"));
        table.row([column.name().into(), value]);
    }
    table.print(&mut output.out)?;
    Ok(())
}

/// One line for each example, positives first in the order of their file.
fn scores(loaded: &Loaded, psi: &[f64]) -> String {
    let db = &loaded.database;
    let mut text = String::from("example,label,psi,probability\n");
    for (example, &psi) in loaded.examples.iter().zip(psi) {
        let atom = db.show_atom(loaded.target, &example.args).replace('"', "\"\"");
        let label = u8::from(example.positive);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\"{atom}\",{label},{},{}", shortest(psi), shortest(sigmoid(psi)));
    }
    text
}

/// The shortest form that is read as the same number again.
fn shortest(value: f64) -> String {
    let (plain, exponent) = (value.to_string(), format!("{value:e}"));
    if plain.len() <= exponent.len() { plain } else { exponent }
}

#[cfg(test)]
mod tests {
    use super::shortest;

    #[test]
    fn numbers_are_short_and_exact() {
        assert_eq!(shortest(0.1), "0.1");
        assert_eq!(shortest(1e-300), "1e-300");
        assert_eq!(shortest(-1.8), "-1.8");
        for value in [std::f64::consts::PI, 1e-17, 123_456_789.5, 0.0] {
            assert_eq!(shortest(value).parse(), Ok(value));
        }
    }
}
