//! Standard output and error of a command, and input checks shared by commands.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use super::error::CommandError;
use crate::experiment::Results;
use crate::files::visible::{ShownPath, VisibleWriter, visible_lines};
use crate::logic::Diagnostics;
use crate::logic::nearest::did_you_mean;
use crate::metric::Column;
use crate::report::table::{Grid, Layout, wrapped};

/// Directory in which `lrbm run` puts runs by name.
pub const RUNS: &str = "results/runs";

/// Standard output of a command, with control characters escaped, and whether warnings are
/// silenced.
pub struct Output {
    pub quiet: bool,
    pub out: io::BufWriter<VisibleWriter<io::Stdout>>,
}

impl Output {
    /// Prints warnings to stderr, unless `--quiet`.
    pub fn warn(&self, warnings: &Diagnostics) {
        if !self.quiet && warnings.iter().next().is_some() {
            say(warnings);
        }
    }

    /// Prints a line about the input to stderr, unless `--quiet`.
    pub fn note(&self, line: impl std::fmt::Display) {
        if !self.quiet {
            say(line);
        }
    }
}

/// Prints a line to stderr, with control characters escaped; a closed stderr is ignored.
pub fn say(line: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", visible_lines(&line.to_string()));
}

/// Parses the name of a metric.
pub fn metric(name: &str) -> Result<Column, String> {
    Column::named(name).ok_or_else(|| {
        let names: Vec<&str> = Column::ALL.into_iter().map(Column::name).collect();
        let hint = did_you_mean(name, names.iter().copied());
        format!("unknown metric; {hint}expected one of {}", names.join(", "))
    })
}

/// Returns the error for a file that cannot be written.
pub fn unwritable(path: &Path) -> impl Fn(io::Error) -> CommandError + '_ {
    move |error| CommandError::Input(format!("{}: cannot be written: {error}", path.shown()))
}

/// Returns the width of the terminal, if output goes to one. `COLUMNS` overrides it.
pub fn terminal_width() -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    given.or_else(|| {
        let stdout = io::stdout();
        let size = stdout.is_terminal().then(|| rustix::termios::tcgetwinsize(&stdout).ok())??;
        Some(size.ws_col.into()).filter(|&width| width > 0)
    })
}

/// Returns the layout of tables and sentences: plain text on a terminal, otherwise Markdown.
pub fn layout() -> Layout {
    terminal_width().map_or(Layout::Markdown, Layout::Terminal)
}

/// Formats a table within the width of the terminal.
pub fn shown(grid: &Grid) -> String {
    terminal_width().map_or_else(|| grid.to_string(), |width| grid.fitted(width))
}

/// Formats a sentence within the width of the terminal.
pub fn sentence(text: &str) -> String {
    wrapped(text, terminal_width().unwrap_or(usize::MAX)).join("\n")
}

/// Formats a sentence with an indentation, within the width of the terminal.
pub fn indented(text: &str) -> String {
    let width = terminal_width().map_or(usize::MAX, |width| width.saturating_sub(2));
    wrapped(text, width).iter().map(|line| format!("  {line}\n")).collect()
}

/// Returns a run directory: the path itself, or the run of that name where `lrbm run` puts it.
pub fn run_directory(path: &Path) -> Cow<'_, Path> {
    let is_name = path.components().count() == 1 && !path.exists();
    let usual = is_name.then(|| Path::new(RUNS).join(path)).filter(|usual| usual.is_dir());
    usual.map_or(Cow::Borrowed(path), Cow::Owned)
}

/// Reads a run directory, and warns about stale and damaged results.
pub fn results(path: &Path, output: &Output) -> Result<Results, CommandError> {
    let path = &run_directory(path);
    let results = Results::read(path).map_err(CommandError::input)?;
    if results.stale > 0 && !output.quiet {
        let (path, stale) = (path.shown(), results.stale);
        say(format_args!("{path}: {stale} results of another spec are ignored; `lrbm run` recomputes them"));
    }
    warn_damaged(&results, output);
    Ok(results)
}

/// Warns about results whose files were changed or damaged.
pub fn warn_damaged(results: &Results, output: &Output) {
    let shown = if output.quiet { &[] } else { results.damaged.as_slice() };
    for damaged in shown {
        let (root, damage) = (results.root.shown(), &damaged.damage);
        say(format_args!("warning: {root}: {damage}: the result is ignored; `lrbm run` recomputes it"));
    }
}
