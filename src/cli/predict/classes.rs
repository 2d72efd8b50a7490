//! Predictions of multi-class models.

use std::io::Write;

use super::scores;
use super::shown::{Shown, object};
use crate::cli::error::CommandError;
use crate::cli::output::Output;
use crate::cli::write::write_whole;
use crate::data::load::Dataset;
use crate::learn::prepare::class_labels;
use crate::learn::{Model, SavedModel, Scored};
use crate::metric::classes::ClassMetrics;
use crate::metric::{Column, Metrics, Output as Scores, Undefined};
use crate::report::table::Grid;

pub fn run(
    (model, names): (&SavedModel, &[String]),
    loaded: &Dataset,
    shown: Shown,
    out: Option<&std::path::Path>,
    output: &mut Output,
) -> Result<(), CommandError> {
    let scored = model.score_classes(&loaded.database, loaded.target, &loaded.examples);
    let Scored { scores: odds, warnings } = scored.map_err(CommandError::input)?;
    output.warn(&warnings);
    let labels = class_labels(loaded, names).map_err(CommandError::input)?;
    let outputs: Vec<Scores<'_>> = odds.iter().map(|row| Scores::LogOdds(row)).collect();
    let no_thresholds = vec![Err(Undefined::NoTrainingScores); names.len()];
    let metrics = Metrics::macro_average(&outputs, &labels, &no_thresholds).map_err(CommandError::input)?;
    let decided = ClassMetrics::new(&odds, &labels).map_err(CommandError::input)?;
    // NaN scores were an error above, before anything is written.
    if let Some(path) = out {
        write_whole(path, &scores::of_classes(loaded, names, &labels, &odds))?;
    }
    if shown == Shown::Json {
        let count = |k: usize| labels.iter().filter(|&&label| label == k).count() as u64;
        let counts: Vec<(String, u64)> = names.iter().enumerate().map(|(k, name)| (name.clone(), count(k))).collect();
        let others = decided.as_ref().map_or_else(|_| Vec::new(), |decided| decided.named().to_vec());
        writeln!(output.out, "{:#}", object(&counts, &metrics, &others))?;
        return Ok(());
    }
    for (name, column) in [("AUC-ROC", Column::AucRoc), ("AUC-PR", Column::AucPr)] {
        match metrics.get(column) {
            Ok(value) => writeln!(output.out, "{name} {value:.6} (mean over {} classes)", names.len())?,
            Err(why) => writeln!(output.out, "{name} undefined (of some class: {why})")?,
        }
    }
    if let Ok(decided) = decided {
        writeln!(output.out, "accuracy {:.6}", decided.accuracy)?;
        if shown == Shown::All {
            all_metrics(output, &metrics, &decided, (names, &labels))?;
        }
    }
    let numbered: Vec<String> =
        names.iter().enumerate().map(|(k, name)| format!("probability_{k} is of {name}")).collect();
    if out.is_some() {
        writeln!(output.out, "{}", numbered.join(", "))?;
    }
    Ok(())
}

fn all_metrics(
    output: &mut Output,
    metrics: &Metrics,
    decided: &ClassMetrics,
    (names, labels): (&[String], &[usize]),
) -> Result<(), CommandError> {
    let mut table = Grid::new(&["metric", ">value"]);
    for (k, name) in names.iter().enumerate() {
        let count = labels.iter().filter(|&&label| label == k).count();
        table.row([format!("examples of {name}"), count.to_string()]);
    }
    for (column, value) in metrics.iter() {
        let value = value.map_or_else(|why| format!("undefined ({why})"), |value| format!("{value:.6}"));
        table.row([column.name().into(), value]);
    }
    for (name, value) in decided.named() {
        table.row([name.into(), format!("{value:.6}")]);
    }
    write!(output.out, "{table}")?;
    Ok(())
}
