//! `lrbm check`: compares a run with a baseline.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::output::layout;
use super::{CommandError, Output, OutputFiles};
use crate::determinism::IndexSet;
use crate::experiment::Results;
use crate::files;
use crate::files::visible::ShownPath;
use crate::metric::Column;
use crate::report::csv;
use crate::report::gate::{self, Baseline, BaselineError, GateOptions, GateReport, GateVerdict, K, METRICS, TOLERANCE};
use crate::report::history;

/// Arguments of `lrbm check`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct CheckArgs {
    /// Run directory.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Baseline [default: results/baselines/NAME.csv with the name of the experiment].
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Replace the baseline by the run and print what changed, as Markdown for the commit message.
    #[arg(long)]
    bless: bool,
    /// Fail unless every compared row is identical.
    #[arg(long, conflicts_with = "bless")]
    strict: bool,
    /// For a baseline of means: maximum deviation of a mean in standard errors.
    #[arg(long, value_name = "X", default_value_t = K, value_parser = not_negative, allow_negative_numbers = true)]
    k: f64,
    /// With --bless: metric of the baseline [default: those it has, or auc_roc, auc_pr and cll].
    #[arg(long, value_name = "NAME", value_parser = super::metric, requires = "bless")]
    metric: Vec<Column>,
    /// With --bless: tolerance of new rows; existing rows keep theirs.
    #[arg(long, value_name = "X", default_value_t = TOLERANCE, value_parser = not_negative, allow_negative_numbers = true, requires = "bless")]
    tolerance: f64,
    /// Append the scores and times of the run to this history, for `lrbm report --history`.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// With --record: commit that was tested [default: that of the program].
    #[arg(long, value_name = "NAME", value_parser = commit_name, requires = "record")]
    commit: Option<String>,
    /// Print the findings as one JSON object.
    #[arg(long, conflicts_with = "bless")]
    json: bool,
    /// Write the findings to this file as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the findings with every row, or with --bless the changes, to this file as Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
A baseline has one line per dataset, model, preset, case, metric, fold and seed, with the value and the checksum of the \
predictions. Cells are paired. A row is identical (equal values and predictions), moved, regressed (its mean paired loss exceeds \
the tolerance, or a one-sided paired t-test rejects a loss of at most 0.001), or improved (a gain beyond the tolerance). Rows of a \
metric that moved are also pooled, those of a model over datasets and those of all models, and judged in the same way with a tolerance \
that is divided by the root of the number of datasets. The family-wise level of all tests is 0.01, by Holm's correction. Other data, folds or negatives make a row incomparable; parameters and versions \
of algorithms may differ. Rows of skipped datasets (--available) are not checked. The expected means of the spec ([expected]) are \
checked in both directions. Baselines of means (dataset,model,metric,mean,sd,n,tolerance) are compared by means.

Exit codes: 0 passed or blessed, 2 invalid usage, run or baseline file, 5 regression, a difference from [expected], or with --strict any difference, 6 nothing to \
compare, no baseline, or rows that cannot be compared.";

fn not_negative(text: &str) -> Result<f64, String> {
    // A larger tolerance could not be read back.
    let value = csv::number(text).filter(|value| *value >= 0.0);
    value.ok_or_else(|| "must be a number of at least 0 and at most 1e9".to_owned())
}

fn commit_name(text: &str) -> Result<String, String> {
    let is_name = !text.trim().is_empty() && !text.chars().any(char::is_control);
    is_name.then(|| text.to_owned()).ok_or_else(|| "must be a name without control characters".to_owned())
}

pub fn run(args: &CheckArgs, output: &mut Output) -> Result<(), CommandError> {
    let results = super::results(&args.run, output)?;
    let own = || Path::new("results/baselines").join(format!("{}.csv", results.experiment.name));
    let path = args.baseline.clone().unwrap_or_else(own);
    let outputs = OutputFiles::new([
        ("--record", args.record.as_ref()),
        ("--junit", args.junit.as_ref()),
        ("--markdown", args.markdown.as_ref()),
    ])?;
    outputs.protect([path.as_path()])?;
    outputs.protect_run(&args.run)?;
    let (baseline, missing) = match Baseline::read(&path) {
        Ok(baseline) => (Some(baseline), None),
        Err(error @ BaselineError::Missing(_)) => (None, Some(error)),
        Err(error) => return Err(CommandError::input(error)),
    };
    if let Some(file) = &args.record {
        record(file, &results, args, output)?;
    }
    if args.bless {
        return bless(args, &results, baseline.as_ref(), &path, output);
    }
    // Without a baseline, the expected means of the spec are still checked.
    let check = gate::check(&results, &baseline.unwrap_or_default(), &args.options());
    write_files(args, &check, &gate::markdown(&check))?;
    if args.json {
        writeln!(output.out, "{:#}", gate::json(&check))?;
    } else {
        write!(output.out, "{}", gate::summary(&check, layout()))?;
    }
    match (check.verdict(), missing) {
        (GateVerdict::Regression, _) => {
            Err(CommandError::Regression(format!("{}: results regressed", args.run.shown())))
        }
        (GateVerdict::Unexpected, _) => {
            let message = format!("{}: nothing regressed, but a mean is not the expected one", args.run.shown());
            Err(CommandError::Unexpected(message))
        }
        (GateVerdict::NotIdentical, _) => Err(CommandError::Regression(format!(
            "{}: results are not identical, as --strict demands",
            args.run.shown()
        ))),
        (_, Some(missing)) => Err(CommandError::NotComparable(missing.to_string())),
        (GateVerdict::NotComparable, None) => {
            let message = format!("{}: some rows of {} cannot be compared", args.run.shown(), path.shown());
            Err(CommandError::NotComparable(message))
        }
        (GateVerdict::Pass, None) => Ok(()),
    }
}

/// Appends the run to a history, whatever the verdict.
fn record(file: &Path, results: &Results, args: &CheckArgs, output: &mut Output) -> Result<(), CommandError> {
    let rows = history::rows_of(results, args.commit.as_deref());
    let note = history::record(file, &rows).map_err(CommandError::input)?;
    if let (Some(note), false) = (note, output.quiet) {
        super::say(format!("warning: {note}"));
    }
    // With --json, stdout has the object alone.
    match (args.json, output.quiet) {
        (true, true) => {}
        (true, false) => super::say(format!("recorded {} rows in {}", rows.len(), file.shown())),
        (false, _) => writeln!(output.out, "recorded {} rows in {}", rows.len(), file.shown())?,
    }
    Ok(())
}

impl CheckArgs {
    fn options(&self) -> GateOptions {
        GateOptions { k: self.k, is_strict: self.strict }
    }
}

fn write_files(args: &CheckArgs, check: &GateReport, markdown: &str) -> Result<(), CommandError> {
    for (path, text) in [(&args.junit, gate::junit(check).as_str()), (&args.markdown, markdown)] {
        if let Some(path) = path {
            files::write(path, |out| out.write_all(text.as_bytes())).map_err(super::unwritable(path))?;
        }
    }
    Ok(())
}

fn bless(
    args: &CheckArgs,
    results: &Results,
    old: Option<&Baseline>,
    path: &Path,
    output: &mut Output,
) -> Result<(), CommandError> {
    let mut metrics: IndexSet<Column> = args.metric.iter().copied().collect();
    if let (Some(old), true) = (old, metrics.is_empty()) {
        metrics = old.rows().map(|row| row.metric).collect();
    }
    if metrics.is_empty() {
        metrics = METRICS.into_iter().collect();
    }
    let metrics: Vec<Column> = metrics.into_iter().collect();
    let blessed = gate::bless(results, old, &metrics, args.tolerance);
    let blessed = blessed.map_err(|error| CommandError::NotComparable(error.to_string()))?;
    let before = gate::check(results, old.unwrap_or(&Baseline::default()), &args.options());
    let changes = gate::changes(&blessed, &before);
    blessed.baseline.write(path).map_err(CommandError::input)?;
    write!(output.out, "{changes}")?;
    writeln!(output.out, "wrote {}, the baseline of {}", path.shown(), results.experiment.name)?;
    // The expected means of the spec hold independently of the baseline.
    let check = gate::check(results, &blessed.baseline, &args.options());
    write_files(args, &check, &changes)?;
    let is_dirty = results.stored.iter().any(|stored| stored.record.program.git_dirty == Some(true));
    if is_dirty && !output.quiet {
        output.out.flush()?;
        super::say("warning: the program was built from a tree with uncommitted changes; commit them and run again");
    }
    if matches!(check.verdict(), GateVerdict::Regression | GateVerdict::Unexpected) && !output.quiet {
        write!(output.out, "\n{}", gate::summary(&check, layout()))?;
        output.out.flush()?;
        super::say(
            "warning: the run does not reproduce the [expected] means of the spec; `lrbm check` fails until it does",
        );
    }
    Ok(())
}
