//! `lrbm report`: writes tables, figures and a page of a run.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::output::{indented, run_directory, sentence, shown};
use super::{CommandError, Output};
use crate::experiment::store::RECORD;
use crate::experiment::{Results, ResultsError};
use crate::files;
use crate::files::visible::ShownPath;
use crate::logic::quantity::counted;
use crate::report::history::{History, HistoryError, HistoryReport, WrittenHistory};
use crate::report::table::{STRONG, Table};
use crate::report::{Report, ReportWriteError, splice, tables};

/// Arguments of `lrbm report`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct ReportArgs {
    /// Run directory written by `lrbm run`.
    #[arg(required_unless_present_any = ["splice", "history"])]
    run: Option<PathBuf>,
    /// Write the files here instead of into the run directory, or that of the history.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write the files to commit (csv, md and svg) to this directory.
    #[arg(long, value_name = "DIR")]
    copy_to: Option<PathBuf>,
    /// Draw scores and times over commits from a file of `lrbm check --record`.
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["run", "copy_to", "splice"])]
    history: Option<PathBuf>,
    /// Update the tables and figures of a Markdown file from the files named in its markers.
    #[arg(long, value_name = "FILE.md", conflicts_with_all = ["run", "out", "copy_to"])]
    splice: Option<PathBuf>,
    /// Fail if --splice would change the file, without writing it.
    #[arg(long, requires = "splice", conflicts_with = "run")]
    check: bool,
}

const AFTER_HELP: &str = "\
An unfinished run is reported as far as it has results, and every table lists what is missing. Results of a spec other than \
the one in the run directory are ignored. The data are not needed.

A marker for --splice is a line `<!-- lrbm: table PATH.csv -->` or `<!-- lrbm: figure PATH.svg -->`; everything up to the next \
`<!-- lrbm: end -->` is replaced. Paths are relative to the Markdown file and stay below its directory or \
the working directory; tables are those of --copy-to.

--history writes history.html, history.md and figures as SVG to the directory named like the file without its extension. A change \
point is a commit that regressed or improved by the rule of `lrbm check`, or takes more than 1.25 times as long or short.

Exit codes: 0 done, 2 no run, an invalid marker or file, or --check found a difference, 4 the run or history has no result yet.";

pub fn run(args: &ReportArgs, output: &mut Output) -> Result<(), CommandError> {
    match (&args.splice, &args.history, &args.run) {
        (Some(file), _, _) => splice_file(file, args.check, output),
        (None, Some(file), _) => report_history(file, args.out.as_deref(), output),
        (None, None, Some(run)) => report(&run_directory(run), args, output),
        (None, None, None) => Err(CommandError::input("give a run directory, or a file with --splice or --history")),
    }
}

/// Name of the page of a report.
const PAGE: &str = "report.html";

/// Returns whether a run has a report that is not older than the results of its jobs, which are
/// given by their directories.
pub fn is_current<'a>(run: &Path, mut jobs: impl Iterator<Item = &'a Path>) -> bool {
    let modified = |path: &Path| run.join(path).metadata().and_then(|metadata| metadata.modified()).ok();
    let is_older = |job: &Path, page| modified(&job.join(RECORD)).is_none_or(|record| record <= page);
    modified(Path::new(PAGE)).is_some_and(|page| jobs.all(|job| is_older(job, page)))
}

/// Writes the report of a finished run into its directory if it is new, and prints the answer and
/// the path of the page.
pub fn of_finished(run: &Path, is_new: bool, output: &mut Output) -> Result<(), CommandError> {
    if is_new {
        let results = read(run)?;
        let report = Report::new(&results).map_err(CommandError::input)?;
        report.write(run).map_err(write_error)?;
        if !report.answer.is_empty() {
            writeln!(output.out)?;
            report.answer.iter().try_for_each(|line| writeln!(output.out, "{}", sentence(line)))?;
        }
    }
    writeln!(output.out, "report: {}", run.join(PAGE).shown())?;
    Ok(())
}

fn report_history(file: &Path, out: Option<&Path>, output: &mut Output) -> Result<(), CommandError> {
    let history = History::read(file).map_err(CommandError::input)?;
    if let (Some(note), false) = (&history.note, output.quiet) {
        super::say(format!("warning: {note}"));
    }
    let failed = |error: HistoryError| match error {
        HistoryError::Empty(_) => CommandError::NothingMatched(error.to_string()),
        HistoryError::Figure(_) | HistoryError::Page(_) => CommandError::internal(error),
        _ => CommandError::input(error),
    };
    // `history.csv` has its report in `history/`.
    let own = file.with_extension("");
    let own = if own == file { file.with_extension("report") } else { own };
    let written = HistoryReport::new(&history, file).and_then(|report| report.write(out.unwrap_or(&own)));
    let WrittenHistory { page, figures, commits, changes } = written.map_err(failed)?;
    let counts = [(commits, "commit"), (changes, "change point"), (figures, "figure")];
    writeln!(output.out, "{}", counts.map(|(n, noun)| counted(n, noun)).join(", "))?;
    writeln!(output.out, "report: {}", page.shown())?;
    Ok(())
}

fn read(run: &Path) -> Result<Results, CommandError> {
    Results::read(run).map_err(|error| match error {
        ResultsError::Store(_) => CommandError::internal(error),
        _ => CommandError::input(error),
    })
}

fn report(run: &Path, args: &ReportArgs, output: &mut Output) -> Result<(), CommandError> {
    let results = read(run)?;
    super::warn_damaged(&results, output);
    if results.stored.is_empty() {
        let mut stale = match results.stale {
            0 => String::new(),
            n => format!("; {n} results belong to another spec"),
        };
        if !results.damaged.is_empty() {
            stale += &format!("; {} results are damaged", results.damaged.len());
        }
        let message = format!("{}: none of the {} jobs has a result yet{stale}", run.shown(), results.planned);
        return Err(CommandError::NothingMatched(message));
    }
    let report = Report::new(&results).map_err(CommandError::input)?;
    let out = args.out.as_deref().unwrap_or(run);
    let written = report.write(out).map_err(write_error)?;
    for table in &report.tables[..report.main_tables] {
        if table.name == tables::VERDICTS {
            print(&mut output.out, &table.first_columns(tables::VERDICT_COLUMNS))?;
        } else {
            print(&mut output.out, table)?;
        }
    }
    if !output.quiet {
        tables::status_notes(&results).iter().for_each(super::say);
    }
    let (page, tables) = (out.join(PAGE), out.join("tables"));
    report.answer.iter().try_for_each(|line| writeln!(output.out, "{}", sentence(line)))?;
    writeln!(output.out, "report: {}", page.shown())?;
    writeln!(output.out, "{} tables in {} as md, tex, csv and parquet", written.tables, tables.shown())?;
    if written.figures > 0 {
        let figures = out.join("figures");
        writeln!(output.out, "{} figures in {} as svg and png", written.figures, figures.shown())?;
    }
    if let Some(directory) = &args.copy_to {
        report.copy_to(directory).map_err(write_error)?;
        writeln!(output.out, "files to commit in {} as csv, md and svg", directory.shown())?;
    }
    Ok(())
}

fn write_error(error: ReportWriteError) -> CommandError {
    match error {
        ReportWriteError::Io { .. } => CommandError::input(error),
        ReportWriteError::Frame(_) | ReportWriteError::Page(_) => CommandError::internal(error),
    }
}

fn print(out: &mut impl Write, table: &Table) -> std::io::Result<()> {
    let (grid, caption) = (shown(&table.aligned_grid()), table.caption.replace("in bold", &format!("marked {STRONG}")));
    write!(out, "{}\n{grid}{}", table.title, indented(&caption))?;
    for (mark, note) in table.marked_notes() {
        match (mark, &note.about) {
            (Some(mark), Some(about)) => write!(out, "{}", indented(&format!("[{mark}] {about}: {}", note.text)))?,
            _ => write!(out, "{}", indented(&note.text))?,
        }
    }
    writeln!(out)
}

fn splice_file(file: &Path, check: bool, output: &mut Output) -> Result<(), CommandError> {
    let spliced = splice::splice(file).map_err(CommandError::input)?;
    let (places, shown) = (spliced.regions, file.shown());
    if spliced.changed.is_empty() {
        writeln!(output.out, "{shown}: all {places} markers are up to date")?;
        return Ok(());
    }
    let lines: Vec<String> = spliced.changed.iter().map(ToString::to_string).collect();
    let lines = lines.join(", ");
    if check {
        return Err(CommandError::Input(format!(
            "{shown}: the content at the markers of lines {lines} is out of date; run `lrbm report --splice {shown}`"
        )));
    }
    files::write(file, |out| out.write_all(spliced.text.as_bytes()))
        .map_err(|error| CommandError::Input(format!("{shown}: cannot write the file: {error}")))?;
    writeln!(output.out, "{shown}: updated {} of {places} markers, at lines {lines}", spliced.changed.len())?;
    Ok(())
}
