//! One file for each command: parse, call the library, print.
//!
//! Results go to stdout, messages and progress to stderr. Exit codes: 0 done (warnings allowed), 1 internal error, 2 bad
//! usage, spec, data, model file or checksum, 3 some jobs failed, 4 nothing matched, 5 results are worse than
//! they were, 6 not comparable.

mod check;
mod compare;
mod completions;
mod convert;
mod data_args;
mod datasets;
mod error;
mod explain;
mod man;
mod outputs;
mod plan;
mod predict;
mod progress;
mod report;
mod run;
mod run_job;
mod settings;
mod size;
mod table;
mod train;
mod weights;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::experiment::Results;
use crate::logic::Diagnostics;
use crate::logic::nearest::nearest;
use crate::metric::Column;
pub use error::CommandError;
use error::with_cause;
use outputs::Outputs;

/// Reproduce, question and extend LRBM-Boost: boosted lifted restricted Boltzmann machines for relational data.
#[derive(Parser)]
#[command(name = "lrbm", version, propagate_version = true)]
struct Cli {
    /// Print no warnings and no progress; results and errors are printed all the same.
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List, describe, generate and check datasets.
    #[command(subcommand)]
    Datasets(datasets::Datasets),
    /// List the jobs of an experiment, each with its state and the reason.
    Plan(plan::PlanArgs),
    /// Run an experiment: datasets, models, parameters, folds and seeds of a spec.
    Run(run::Run),
    /// Compare two runs, or two models of a run, fold by fold, with tests of significance.
    Compare(compare::Compare),
    /// Hold a run against a baseline: exit code 5 if results are worse than they were.
    Check(check::CheckArgs),
    /// Make tables, figures and a page of a run, or fill the tables of a Markdown file.
    Report(report::ReportArgs),
    /// Run named jobs of a run directory, as tasks of a cluster do.
    RunJob(run_job::RunJob),
    /// Learn a model from a directory of BoostSRL files.
    Train(train::Train),
    /// Score the examples of a directory with a model.
    Predict(predict::Predict),
    /// Print a model as people read it: one clause for each path or rule, with its weights.
    Explain(explain::Explain),
    /// Turn trees, or rules written by hand, into one lifted RBM; make it smaller, fit it, draw it.
    Convert(convert::Convert),
    /// Print what a shell needs to complete commands and options.
    Completions(completions::Completions),
    /// Print the manual page, or write one for each command.
    Man(man::ManArgs),
}

/// Prints a line to stderr. That nobody can read it is no reason to stop.
fn say(line: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The metric of this name, for the command line.
fn metric(name: &str) -> Result<Column, String> {
    Column::named(name).ok_or_else(|| {
        let names: Vec<&str> = Column::ALL.into_iter().map(Column::name).collect();
        let hint = nearest(name, names.iter().copied()).unwrap_or_default();
        format!("did you mean `{hint}`? allowed are {}", names.join(", "))
    })
}

/// A file that the user named and that cannot be written.
fn unwritable(path: &Path) -> impl Fn(io::Error) -> CommandError + '_ {
    move |error| CommandError::Input(format!("{}: cannot write it: {error}", path.display()))
}

/// Reads a run directory, and says which results do not count.
fn results(path: &Path, output: &Output) -> Result<Results, CommandError> {
    let results = Results::read(path).map_err(CommandError::input)?;
    if results.stale > 0 && !output.quiet {
        let (path, stale) = (path.display(), results.stale);
        say(format_args!(
            "{path}: results that were made with another spec do not count: {stale}; `lrbm run` makes them anew"
        ));
    }
    tell_damaged(&results, output);
    Ok(results)
}

/// Says which results are not as they were written.
fn tell_damaged(results: &Results, output: &Output) {
    let shown = if output.quiet { &[] } else { results.damaged.as_slice() };
    for damaged in shown {
        let (root, damage) = (results.root.display(), &damaged.damage);
        say(format_args!("warning: {root}: {damage}: the result does not count; `lrbm run` makes it anew"));
    }
}

/// Where a command prints.
struct Output {
    quiet: bool,
    out: io::BufWriter<io::Stdout>,
}

impl Output {
    /// Prints warnings to stderr, unless they were silenced.
    fn warn(&self, warnings: &Diagnostics) {
        if !self.quiet && warnings.iter().next().is_some() {
            say(warnings);
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut output = Output { quiet: cli.quiet, out: io::BufWriter::new(io::stdout()) };
    let result = match cli.command {
        Command::Datasets(command) => datasets::run(command, &mut output),
        Command::Plan(args) => plan::run(&args, &mut output),
        Command::Run(args) => run::run(&args, &mut output),
        Command::Compare(args) => compare::run(&args, &mut output),
        Command::Check(args) => check::run(&args, &mut output),
        Command::Report(args) => report::run(&args, &mut output),
        Command::RunJob(args) => run_job::run(&args, &mut output),
        Command::Train(args) => train::run(&args, &mut output),
        Command::Predict(args) => predict::run(&args, &mut output),
        Command::Explain(args) => explain::run(&args, &mut output),
        Command::Completions(args) => completions::run(&args, &mut output),
        Command::Man(args) => man::run(&args, &mut output),
        Command::Convert(args) => convert::run(&args, &mut output),
    };
    let result = result.and_then(|()| output.out.flush().map_err(CommandError::from));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandError::ClosedPipe) => ExitCode::SUCCESS,
        Err(error) => {
            // What was printed before the error belongs before it.
            let _ = output.out.flush();
            let code = error.exit_code();
            say(if output.quiet { error.without_warnings() } else { error });
            ExitCode::from(code)
        }
    }
}
