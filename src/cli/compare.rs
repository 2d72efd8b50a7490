//! `lrbm compare`

use std::io::Write;
use std::path::PathBuf;

use super::{CommandError, Output, OutputFiles};
use crate::files;
use crate::metric::Column;
use crate::report::compare::{self, RunComparison, SHOWN, Side};

/// Which runs or models to compare, and by what.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Compare {
    /// A run directory.
    #[arg(value_name = "RUN_A")]
    first: PathBuf,
    /// Another; without it, two models of the first are compared.
    #[arg(value_name = "RUN_B", required_unless_present = "models")]
    second: Option<PathBuf>,
    /// Compare model A of the first run with model B of the second: names, or names with preset and case as tables print them.
    #[arg(long, value_name = "A,B")]
    models: Option<String>,
    /// A metric to compare by; auc_roc and auc_pr unless given.
    #[arg(long, value_name = "NAME", value_parser = super::metric)]
    metric: Vec<Column>,
    /// Write every number to this file as well.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Rows of both runs that have the same dataset, model, preset and case are paired, fold with fold and seed with seed; with
--models, a kind of model that knows no presets is paired with each preset of the other. A row is not
paired, and it is said why, if its data, folds, negatives or the definition of the metric are others.

p-values are of the corrected resampled t-test with the real fold sizes, and corrected for the number of rows by Holm's method; over
datasets, of Wilcoxon's signed-rank test. A test that could not have found anything says so.

Exit codes: 0 done, 2 bad usage or no run, 6 nothing can be compared.";

pub fn run(args: &Compare, output: &mut Output) -> Result<(), CommandError> {
    let models = args.models.as_deref().map(two_models).transpose()?;
    let outputs = OutputFiles::new([("--csv", args.csv.as_ref())]);
    [Some(&args.first), args.second.as_ref()].into_iter().flatten().try_for_each(|run| outputs.protect_run(run))?;
    let first = super::results(&args.first, output)?;
    let second = args.second.as_deref().map(|path| super::results(path, output)).transpose()?;
    let side = |results, model| Side { results, model };
    let pairing = compare::pair(
        side(&first, models.map(|models| models.0)),
        side(second.as_ref().unwrap_or(&first), models.map(|models| models.1)),
    );
    let pairing = pairing.map_err(CommandError::input)?;
    let columns = if args.metric.is_empty() { SHOWN.to_vec() } else { args.metric.clone() };
    let comparison = RunComparison::new(&pairing, &columns).map_err(CommandError::input)?;
    write!(output.out, "{}", compare::markdown(&comparison))?;
    if let Some(path) = &args.csv {
        let text = compare::csv(&comparison);
        files::write(path, |out| out.write_all(text.as_bytes())).map_err(super::unwritable(path))?;
    }
    if comparison.is_comparable() {
        return Ok(());
    }
    Err(CommandError::NotComparable(format!("nothing of {} and {} can be compared", pairing.first, pairing.second)))
}

/// Two names with a comma between them that is not within brackets: cases have commas, too.
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
        let message =
            format!("--models {text}: give two names with a comma between them, such as LRBM-Boost,RDN-Boost");
        return Err(CommandError::input(message));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::two_models;

    #[test]
    fn commas_within_brackets_do_not_count() {
        assert_eq!(two_models("A,B").unwrap(), ("A", "B"));
        assert_eq!(two_models("A (paper, trees=5), B (paper)").unwrap(), ("A (paper, trees=5)", "B (paper)"));
        for bad in ["", "A", "A,", ",B", "A,B,C", "A (x, y)"] {
            assert!(two_models(bad).is_err(), "{bad}");
        }
    }
}
