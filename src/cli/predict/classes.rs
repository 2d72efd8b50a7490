//! Predictions of models that tell several classes apart.

use std::fmt::Write as _;
use std::io::Write;

use super::{Predict, shortest};
use crate::cli::table::TextTable;
use crate::cli::train::write_whole;
use crate::cli::{CommandError, Output};
use crate::data::load::Loaded;
use crate::learn::{Model, SavedModel, ScoreError};
use crate::math::sigmoid;
use crate::metric::classes::{ClassMetrics, decisions};
use crate::metric::{Column, Metrics, Output as Scores, Undefined};

/// The number of each example's class among those of a model.
pub fn labels(loaded: &Loaded, names: &[String]) -> Result<Vec<usize>, CommandError> {
    let known = loaded.database.classes_of(loaded.target).unwrap_or_default();
    let mut places = Vec::with_capacity(known.len());
    for class in known {
        let unknown = || ScoreError::UnknownClass { model: names.join(", "), class: class.clone() };
        let place = names.iter().position(|name| name == class);
        places.push(place.ok_or_else(|| CommandError::input(unknown()))?);
    }
    Ok(loaded.examples.iter().map(|example| places[example.class as usize]).collect())
}

pub fn run(
    args: &Predict,
    model: &SavedModel,
    names: &[String],
    loaded: &Loaded,
    out: Option<&std::path::Path>,
    output: &mut Output,
) -> Result<(), CommandError> {
    let odds = model.score_classes(&loaded.database, loaded.target, &loaded.examples).map_err(CommandError::input)?;
    let labels = labels(loaded, names)?;
    let outputs: Vec<Scores<'_>> = odds.iter().map(|row| Scores::LogOdds(row)).collect();
    let no_thresholds = vec![Err(Undefined::NoTrainingScores); names.len()];
    let metrics = Metrics::macro_average(&outputs, &labels, &no_thresholds).map_err(CommandError::input)?;
    let decided = ClassMetrics::new(&odds, &labels).map_err(CommandError::input)?;
    // Scores that are no numbers are refused before anything is written.
    if let Some(path) = out {
        write_whole(path, &scores(loaded, names, &labels, &odds))?;
    }
    for (name, column) in [("AUC-ROC", Column::AucRoc), ("AUC-PR", Column::AucPr)] {
        match metrics.get(column) {
            Ok(value) => writeln!(output.out, "{name} {value:.6} (mean over {} classes)", names.len())?,
            Err(why) => writeln!(output.out, "{name} undefined (of some class: {why})")?,
        }
    }
    if let Ok(decided) = decided {
        writeln!(output.out, "accuracy {:.6}", decided.accuracy)?;
        if args.all_metrics {
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
    let mut table = TextTable::new(&["metric", ">value"]);
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
    table.print(&mut output.out)?;
    Ok(())
}

/// One line for each example: its class, the most likely one, and the probability of each, in the order of the classes.
fn scores(loaded: &Loaded, names: &[String], labels: &[usize], odds: &[Vec<f64>]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut text = String::from("example,class,decision");
    // Writing to a string cannot fail.
    for k in 0..names.len() {
        let _ = write!(text, ",probability_{k}");
    }
    text.push('\n');
    for ((i, example), said) in loaded.examples.iter().enumerate().zip(decisions(odds)) {
        let atom = loaded.database.show_atom(loaded.target, &example.args);
        let _ = write!(text, "{},{},{}", quoted(&atom), quoted(&names[labels[i]]), quoted(&names[said]));
        for row in odds {
            let _ = write!(text, ",{}", shortest(sigmoid(row[i])));
        }
        text.push('\n');
    }
    text
}
