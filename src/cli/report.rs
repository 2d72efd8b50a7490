//! `lrbm report`

use std::io::Write;
use std::path::{Path, PathBuf};

use super::table::TextTable as Lines;
use super::{CommandError, Output};
use crate::experiment::{Results, ResultsError};
use crate::files;
use crate::report::table::Table;
use crate::report::{Report, ReportWriteError, splice, tables};

/// Which run, and where to.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct ReportArgs {
    /// The run directory, as `lrbm run` wrote it.
    #[arg(required_unless_present = "splice")]
    run: Option<PathBuf>,
    /// Write report.html, tables/ and figures/ here instead of into the run directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write what is worth keeping beside the code into this directory: csv, md, tex and svg.
    #[arg(long, value_name = "DIR")]
    copy_to: Option<PathBuf>,
    /// Instead of a report, fill the tables and figures of a Markdown file from the files that its markers name.
    #[arg(long, value_name = "FILE.md", conflicts_with_all = ["run", "out", "copy_to"])]
    splice: Option<PathBuf>,
    /// Write nothing, and fail if --splice would change the file.
    #[arg(long, requires = "splice", conflicts_with = "run")]
    check: bool,
}

const AFTER_HELP: &str = "\
An unfinished run is reported as far as it is there, and every table says what is missing. Results that were made with another spec
than the one in the run directory are left out. The data are not needed.

A marker for --splice is a line `<!-- lrbm: table PATH.csv -->` or `<!-- lrbm: figure PATH.svg -->`; everything from there to the next
`<!-- lrbm: end -->` is replaced. Paths start at the directory of the Markdown file; tables are those that --copy-to writes.

Exit codes: 0 done, 2 no run there or a wrong marker or file, or --check found a difference, 4 the run has no result yet.";

pub fn run(args: &ReportArgs, output: &mut Output) -> Result<(), CommandError> {
    match (&args.splice, &args.run) {
        (Some(file), _) => fill(file, args.check, output),
        (None, Some(run)) => report(run, args, output),
        (None, None) => Err(CommandError::input("give a run directory, or a file with --splice")),
    }
}

fn report(run: &Path, args: &ReportArgs, output: &mut Output) -> Result<(), CommandError> {
    let results = Results::read(run).map_err(|error| match error {
        ResultsError::Store(_) => CommandError::internal(error),
        _ => CommandError::input(error),
    })?;
    super::warn_damaged(&results, output);
    if results.stored.is_empty() {
        let mut stale = match results.stale {
            0 => String::new(),
            n => format!("; {n} results were made with another spec than the one there"),
        };
        if !results.damaged.is_empty() {
            stale += &format!("; {} results are damaged", results.damaged.len());
        }
        let message = format!("{}: the run has no result of its {} jobs yet{stale}", run.display(), results.planned);
        return Err(CommandError::NothingMatched(message));
    }
    let report = Report::new(&results).map_err(CommandError::input)?;
    let out = args.out.as_deref().unwrap_or(run);
    let written = report.write(out).map_err(failed)?;
    for table in &report.tables[..report.main_tables] {
        print(&mut output.out, table)?;
    }
    if !output.quiet {
        tables::status_notes(&results).iter().for_each(super::say);
    }
    let (page, tables) = (out.join("report.html"), out.join("tables"));
    writeln!(output.out, "the page is {}", page.display())?;
    writeln!(output.out, "{} tables are in {} as md, tex, csv and parquet", written.tables, tables.display())?;
    if written.figures > 0 {
        let figures = out.join("figures");
        writeln!(output.out, "{} figures are in {} as svg and png", written.figures, figures.display())?;
    }
    if let Some(directory) = &args.copy_to {
        report.copy_to(directory).map_err(failed)?;
        writeln!(output.out, "what to keep is in {} as csv, md, tex and svg", directory.display())?;
    }
    Ok(())
}

fn failed(error: ReportWriteError) -> CommandError {
    match error {
        ReportWriteError::Io { .. } => CommandError::input(error),
        ReportWriteError::Frame(_) | ReportWriteError::Page(_) => CommandError::internal(error),
    }
}

fn print(out: &mut impl Write, table: &Table) -> std::io::Result<()> {
    let grid = table.grid();
    writeln!(out, "{}", table.title)?;
    let headings = grid.headings.iter().zip(&grid.is_number);
    let headings: Vec<String> =
        headings.map(|(heading, &is_number)| format!("{}{heading}", if is_number { ">" } else { "" })).collect();
    let mut lines = Lines::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
    for row in &grid.rows {
        if row.line_above {
            lines.row(grid.headings.iter().map(|_| "-".to_owned()));
        }
        lines.row(row.cells.iter().map(|cell| format!("{}{}", cell.strong, cell.rest)));
    }
    lines.print(out)?;
    writeln!(out, "  {}", table.caption)?;
    for (mark, note) in table.marked_notes() {
        match (mark, &note.about) {
            (Some(mark), Some(about)) => writeln!(out, "  [{mark}] {about}: {}", note.text)?,
            _ => writeln!(out, "  {}", note.text)?,
        }
    }
    writeln!(out)
}

fn fill(file: &Path, check: bool, output: &mut Output) -> Result<(), CommandError> {
    let spliced = splice::splice(file).map_err(CommandError::input)?;
    let (places, shown) = (spliced.regions, file.display());
    if spliced.changed.is_empty() {
        writeln!(output.out, "{shown}: {places} places are as they should be")?;
        return Ok(());
    }
    let lines: Vec<String> = spliced.changed.iter().map(ToString::to_string).collect();
    let lines = lines.join(", ");
    if check {
        return Err(CommandError::Input(format!(
            "{shown}: what stands at the markers of lines {lines} is not what their files give; `lrbm report --splice {shown}` mends it"
        )));
    }
    files::write(file, |out| out.write_all(spliced.text.as_bytes()))
        .map_err(|error| CommandError::Input(format!("{shown}: cannot be written: {error}")))?;
    writeln!(output.out, "{shown}: {} of {places} places changed, at lines {lines}", spliced.changed.len())?;
    Ok(())
}
