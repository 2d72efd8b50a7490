//! `lrbm predict`

mod classes;
mod scores;
mod shown;

use std::io::Write;
use std::path::PathBuf;

use self::shown::{Shown, object};
use super::data_args::DataArgs;
use super::error::{CommandError, with_cause};
use super::output::Output;
use super::output_files::OutputFiles;
use super::settings;
use super::write::{check_writable, write_whole};
use crate::learn::prepare::Purpose;
use crate::learn::{Model, SavedModel, Scored};
use crate::metric::ranking::{Ranking, auc_pr, auc_roc};
use crate::metric::{Metrics, Output as Scores, Undefined};
use crate::report::table::Grid;

/// Arguments of `lrbm predict`.
#[derive(clap::Args)]
pub struct Predict {
    /// Model file, of any kind
    #[arg(long, value_name = "MODEL.json")]
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// Write the score of each example to this CSV file
    #[arg(long, value_name = "SCORES.csv")]
    out: Option<PathBuf>,
    /// Print all metrics, not only AUC-ROC and AUC-PR
    #[arg(long)]
    all_metrics: bool,
    /// Print all metrics as one JSON object: `examples`, `metrics` by name (null if undefined) and
    /// `undefined`, the reasons
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Predict, output: &mut Output) -> Result<(), CommandError> {
    let out = args.out.as_deref().map(check_writable).transpose()?;
    if let Some(setting) = args.data.split_settings().others.first() {
        return Err(settings::unknown(setting));
    }
    let outputs = OutputFiles::new([("--out", args.out.as_ref())])?;
    outputs.protect([args.model.as_path()])?;
    let model = SavedModel::load(&args.model).map_err(with_cause)?;
    let loaded = args.data.prepare(&model, Purpose::Score, output)?;
    outputs.protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
    if let Some(names) = model.classes().filter(|_| loaded.database.classes.is_some()) {
        let shown = if args.json { Shown::Json } else { Shown::text(args.all_metrics) };
        return classes::run((&model, names), &loaded, shown, out.as_deref(), output);
    }
    let scored = model.score(&loaded.database, loaded.target, &loaded.examples);
    let Scored { scores: psi, warnings } = scored.map_err(CommandError::input)?;
    output.warn(&warnings);
    let labels: Vec<bool> = loaded.examples.iter().map(|example| example.positive).collect();
    // NaN scores are an error before anything is written.
    let ranking = Ranking::new(&psi, &labels).map_err(CommandError::input)?;
    if let Some(path) = &out {
        write_whole(path, &scores::of_examples(&loaded, &psi))?;
    }
    if args.json {
        let metrics = binary_metrics(&psi, &labels)?;
        let counts = [("positive".to_owned(), metrics.positives), ("negative".to_owned(), metrics.negatives)];
        writeln!(output.out, "{:#}", object(&counts, &metrics, &[]))?;
        return Ok(());
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

fn all_metrics(output: &mut Output, psi: &[f64], labels: &[bool]) -> Result<(), CommandError> {
    let metrics = binary_metrics(psi, labels)?;
    let mut table = Grid::new(&["metric", ">value"]);
    table.row(["positives".into(), metrics.positives.to_string()]);
    table.row(["negatives".into(), metrics.negatives.to_string()]);
    for (column, value) in metrics.iter() {
        let value = value.map_or_else(|why| format!("undefined ({why})"), |value| format!("{value:.6}"));
        table.row([column.name().into(), value]);
    }
    write!(output.out, "{table}")?;
    Ok(())
}

fn binary_metrics(psi: &[f64], labels: &[bool]) -> Result<Metrics, CommandError> {
    let no_threshold = Err(Undefined::NoTrainingScores);
    Metrics::new(Scores::LogOdds(psi), labels, no_threshold).map_err(CommandError::input)
}
