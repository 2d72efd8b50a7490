//! The command line, one file per command: parse arguments, call the library, print.
//!
//! Results go to stdout, messages and progress to stderr. Exit codes: 0 done (warnings allowed),
//! 1 internal error, 2 bad usage, spec, data, model file or checksum, 3 some jobs failed, 4 nothing
//! matched, 5 regression, 6 not comparable; 130 and 143 a run stopped by Ctrl-C or SIGTERM.

mod check;
mod compare;
mod completions;
mod convert;
mod data_args;
mod datasets;
mod error;
mod explain;
mod fold_data;
mod man;
mod output;
mod output_files;
mod plan;
mod predict;
mod progress;
mod report;
mod run;
mod run_job;
mod settings;
mod train;
mod weights;
mod write;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::files::visible::{VisibleWriter, visible};
pub use error::CommandError;
pub(crate) use error::with_cause;
pub(crate) use output::{Output, metric, results, say, unwritable, warn_damaged};
pub(crate) use output_files::OutputFiles;

/// Reproduce and extend LRBM-Boost: boosted lifted restricted Boltzmann machines for relational
/// data.
#[derive(Parser)]
#[command(name = "lrbm", version, propagate_version = true)]
struct Cli {
    /// Silence warnings and progress; results and errors are still printed.
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List, describe, fetch, generate and check datasets.
    #[command(subcommand)]
    Datasets(datasets::Datasets),
    /// List the jobs of an experiment with their state.
    Plan(plan::PlanArgs),
    /// Run the experiment of a spec: datasets, models, parameters, folds and seeds.
    Run(run::Run),
    /// Compare two runs, or two models of a run, by folds with significance tests.
    Compare(compare::Compare),
    /// Compare a run with a baseline; exit code 5 on a regression.
    Check(check::CheckArgs),
    /// Write tables, figures and a page of a run, or update the tables of a Markdown file.
    Report(report::ReportArgs),
    /// Run given jobs of a run directory, as cluster tasks do.
    RunJob(run_job::RunJob),
    /// Run the job assigned on stdin; started by `run` and `run-job` for isolated jobs.
    #[command(hide = true)]
    RunAssigned,
    /// Train a model on a directory of BoostSRL files.
    Train(train::Train),
    /// Score the examples of a directory with a model.
    Predict(predict::Predict),
    /// Print a model as weighted clauses, or explain a prediction.
    Explain(explain::Explain),
    /// Convert trees or rules to one lifted RBM; prune, fit or draw it.
    Convert(convert::Convert),
    /// Print a shell completion script.
    Completions(completions::Completions),
    /// Print the manual page, or write one per command.
    Man(man::ManArgs),
}

/// Parses the command line of the process.
///
/// Only help lists the parameters of all kinds: composing the list takes longer than the rest of
/// the start.
fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|error| match error.kind() {
        ErrorKind::DisplayHelp => {
            let matches = command().get_matches();
            Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
        }
        _ => repeated(error).exit(),
    })
}

/// Returns the error about escaped arguments: the text of an error repeats the arguments.
fn repeated(error: clap::Error) -> clap::Error {
    let escaped = std::env::args_os().map(|arg| visible(&arg.to_string_lossy()).into_owned());
    Cli::try_parse_from(escaped).err().filter(|other| other.kind() == error.kind()).unwrap_or(error)
}

/// Returns the command, with the list of parameters in the help of `train`.
pub fn command() -> clap::Command {
    Cli::command().mut_subcommand("train", |train| train.after_help(train::parameters()))
}

/// Parses the command line of the process and runs the command.
pub fn main() -> ExitCode {
    let cli = parse();
    let mut output = Output { quiet: cli.quiet, out: io::BufWriter::new(VisibleWriter::new(io::stdout())) };
    let result = match cli.command {
        Command::Datasets(command) => datasets::run(command, &mut output),
        Command::Plan(args) => plan::run(&args, &mut output),
        Command::Run(args) => run::run(&args, &mut output),
        Command::Compare(args) => compare::run(&args, &mut output),
        Command::Check(args) => check::run(&args, &mut output),
        Command::Report(args) => report::run(&args, &mut output),
        Command::RunJob(args) => run_job::run(&args, &mut output),
        Command::RunAssigned => run_job::assigned(),
        Command::Train(args) => train::run(&args, &mut output),
        Command::Predict(args) => predict::run(&args, &mut output),
        Command::Explain(args) => explain::run(&args, &mut output),
        Command::Completions(args) => completions::run(&args, Cli::command(), &mut output),
        Command::Man(args) => man::run(&args, command(), &mut output),
        Command::Convert(args) => convert::run(&args, &mut output),
    };
    let result = result.and_then(|()| output.out.flush().map_err(CommandError::from));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandError::ClosedPipe) => ExitCode::SUCCESS,
        Err(error) => {
            // Flush buffered output before the error message.
            let _ = output.out.flush();
            let code = error.exit_code();
            say(if output.quiet { error.without_warnings() } else { error });
            ExitCode::from(code)
        }
    }
}
