//! `lrbm compare`: compares two runs or two models.

use std::io::Write;
use std::path::PathBuf;

use super::output::layout;
use super::{CommandError, Output, OutputFiles};
use crate::determinism::IndexSet;
use crate::experiment::Results;
use crate::files;
use crate::files::visible::ShownPath;
use crate::metric::Column;
use crate::report::compare::{self, Pairing, RunComparison, SHOWN, Side};

/// Arguments of `lrbm compare`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Compare {
    /// First run directory.
    #[arg(value_name = "RUN_A")]
    first: PathBuf,
    /// Second run directory; omit it to compare two models of the first.
    #[arg(value_name = "RUN_B")]
    second: Option<PathBuf>,
    /// Compare model A of the first run with model B of the second, optionally with preset and
    /// case.
    #[arg(long, value_name = "A,B")]
    models: Option<String>,
    /// Metric to compare by [default: auc_roc and auc_pr].
    #[arg(long, value_name = "NAME", value_parser = super::metric)]
    metric: Vec<Column>,
    /// Also write all numbers to this file as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print the comparison as one JSON object.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Rows of both runs with the same dataset, model, preset and case are paired by fold and seed; with --models, a model kind \
without presets is paired with each preset of the other. A row is not paired, and the reason is printed, if its data, folds, \
negatives or metric definitions differ.

p-values are those of the corrected resampled t-test with the actual fold sizes, adjusted for the number of rows by Holm's \
method, and over datasets those of Wilcoxon's signed-rank test. Two rows are equivalent if two one-sided tests reject a difference \
above 0.02 in an area under a curve. A test without power is marked as such.

A run is a directory, or a name below results/runs. The object of --json has `first` and `second` (what is compared), `metrics` and the rows \
that only one side has. A metric has `rows` with means, `difference` (second minus first), `interval`, p-values and `finding`, \
`skipped` rows with the reason, and `over_datasets`. Missing values are null.

Exit codes: 0 done, 2 invalid usage or no run, 6 nothing can be compared.";

pub fn run(args: &Compare, output: &mut Output) -> Result<(), CommandError> {
    let models = args.models.as_deref().map(two_models).transpose()?;
    let outputs = OutputFiles::new([("--csv", args.csv.as_ref())])?;
    [Some(&args.first), args.second.as_ref()].into_iter().flatten().try_for_each(|run| outputs.protect_run(run))?;
    let first = super::results(&args.first, output)?;
    let second = args.second.as_deref().map(|path| super::results(path, output)).transpose()?;
    if second.is_none() && models.is_none() {
        let (run, names) = (args.first.shown(), names(&first));
        let message = format!("{run}: give a second run, or two models of this one with --models \"A,B\": {names}");
        return Err(CommandError::input(message));
    }
    let side = |results, model| Side { results, model };
    let pairing = compare::pair(
        side(&first, models.map(|models| models.0)),
        side(second.as_ref().unwrap_or(&first), models.map(|models| models.1)),
    );
    let pairing = pairing.map_err(CommandError::input)?;
    let columns = if args.metric.is_empty() { SHOWN.to_vec() } else { args.metric.clone() };
    let comparison = RunComparison::new(&pairing, &columns).map_err(CommandError::input)?;
    let is_comparable = comparison.is_comparable();
    if args.json {
        writeln!(output.out, "{:#}", compare::json(&comparison))?;
    } else if is_comparable || comparison.metrics.iter().any(|metric| !metric.skipped.is_empty()) {
        write!(output.out, "{}", compare::text(&comparison, layout()))?;
    }
    if let Some(path) = &args.csv {
        let text = compare::csv(&comparison);
        files::write(path, |out| out.write_all(text.as_bytes())).map_err(super::unwritable(path))?;
    }
    if is_comparable {
        return Ok(());
    }
    Err(CommandError::NotComparable(not_comparable(&pairing, [&first, second.as_ref().unwrap_or(&first)])))
}

/// The number of names that an error lists.
const MAX_NAMES: usize = 12;

/// Describes why nothing is compared, with the names that `--models` takes.
fn not_comparable(pairing: &Pairing<'_>, sides: [&Results; 2]) -> String {
    let mut text = format!("nothing of {} and {} can be compared", pairing.first, pairing.second);
    if !pairing.pairs.is_empty() {
        return text;
    }
    text += "; no row has a counterpart. Pair two by name, with --models \"A,B\"; names of";
    for (side, results) in ["A", "B"].into_iter().zip(sides) {
        text += &format!("\n  {side}: {}", names(results));
    }
    text
}

/// Lists the models of a run with preset and case, as far as an error has space for them.
fn names(results: &Results) -> String {
    let names: IndexSet<String> = results.groups().iter().map(|group| group.key.label()).collect();
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MAX_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// Splits two names at the only comma outside parentheses: cases contain commas.
fn two_models(text: &str) -> Result<(&str, &str), CommandError> {
    let mut depth = 0i32;
    let mut commas = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => commas.push(at),
            _ => {}
        }
    }
    let names = match commas[..] {
        [at] => (text[..at].trim(), text[at + 1..].trim()),
        _ => ("", ""),
    };
    if names.0.is_empty() || names.1.is_empty() {
        let message = format!("--models {text}: expected two comma-separated names, such as LRBM-Boost,RDN-Boost");
        return Err(CommandError::input(message));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::two_models;

    #[test]
    fn commas_within_parentheses_are_ignored() {
        assert_eq!(two_models("A,B").unwrap(), ("A", "B"));
        assert_eq!(two_models("A (paper, trees=5), B (paper)").unwrap(), ("A (paper, trees=5)", "B (paper)"));
        for bad in ["", "A", "A,", ",B", "A,B,C", "A (x, y)"] {
            assert!(two_models(bad).is_err(), "{bad}");
        }
    }
}
