//! `lrbm datasets import SOURCE --out DIR`

mod checks;
mod delimited;
mod parquet;
mod source;
mod sqlite;

use std::io::Write;
use std::path::{Path, PathBuf};

use super::super::error::{CommandError, with_cause};
use super::super::output::{Output, say};
use crate::data::import::apply::Imported;
use crate::data::import::infer::{Answers, Proposal};
use crate::data::import::{Mapping, apply, infer, render, write};
use crate::determinism::IndexMap;
use crate::files::visible::ShownPath;
use crate::logic::quantity::{plural, thousands};
use crate::report::table::Grid;
use source::Tables;

/// Arguments of `lrbm datasets import`.
#[derive(clap::Args)]
#[command(after_long_help = RULES)]
pub struct Import {
    /// Directory of .csv, .tsv or .parquet files, one such file, or a SQLite file (only read)
    source: PathBuf,
    /// Directory to write, which must not exist yet
    #[arg(long, value_name = "DIR", required_unless_present = "infer")]
    out: Option<PathBuf>,
    /// Mapping of tables to predicates, as printed by --infer [default: inferred]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["infer", "target", "key"])]
    mapping: Option<PathBuf>,
    /// Print the inferred mapping instead of importing
    #[arg(long, conflicts_with = "out")]
    infer: bool,
    /// Table or column to predict, for inference
    #[arg(long, value_name = "TABLE[.COLUMN]")]
    target: Option<String>,
    /// Key column of a table, for inference; `TABLE=` if its rows have no key
    #[arg(long, value_name = "TABLE=COLUMN")]
    key: Vec<String>,
}

const RULES: &str = "\
Rules:
  NULL        gives no fact; in CSV, an empty field is NULL
  booleans    true and false in any case; true gives a fact, false none; as a label 1 and 0 too
  numbers     compared by thresholds with --set cuts=16; digits with a leading 0 are text; NaN
              of Parquet is NULL, an infinite number an error
  dates       2020-01-31 or 2020-01-31T14:30:05Z: days since 1970-01-01, with a fraction
  names       text is kept and quoted where necessary; integer keys get their type: person17
  CSV         UTF-8, a header line, fields separated by , ; or tab, quoted with \" (\"\" inside)
  columns     of equal names are an error; one without a name is called column1, column2, …
  no rows     a table with a header only gives no facts
Ambiguous or duplicate keys: the question is printed, nothing is written, exit code 2.";

pub fn run(args: &Import, output: &mut Output) -> Result<(), CommandError> {
    if let Some(out) = &args.out {
        write::check_vacant(out).map_err(CommandError::input)?;
    }
    let given = args.mapping.as_deref().map(Mapping::read).transpose().map_err(CommandError::input)?;
    let tables = source::read(&args.source).map_err(CommandError::input)?;
    let mapping = match given {
        Some(mapping) => mapping,
        None => {
            let answers = Answers { target: args.target.clone(), keys: keys(&args.key)? };
            let proposal = infer(&tables.tables, &answers);
            if args.infer {
                write!(output.out, "{}", render::proposal(&proposal))?;
            }
            check(&args.source, &proposal, args.infer || output.quiet)?;
            proposal.mapping
        }
    };
    let Some(out) = &args.out else { return Ok(()) };
    let imported = apply(&mapping, &tables.tables).map_err(|error| match &args.mapping {
        Some(path) => CommandError::input(format!("{}: {error}", path.shown())),
        None => CommandError::input(format!("{}: {error}", args.source.shown())),
    })?;
    write::write(out, &imported, &mapping, &tables.tables, &tables.files).map_err(with_cause)?;
    // The notes of an inferred mapping have named what is left out.
    if args.mapping.is_some() && !output.quiet {
        note_unused(&imported);
    }
    remarks(&imported, &mapping).into_iter().for_each(|note| output.note(format_args!("note: {note}")));
    print(&tables, &imported, &mapping, (&args.source, out), output)
}

/// Parses `--key TABLE=COLUMN`.
fn keys(given: &[String]) -> Result<IndexMap<String, Option<String>>, CommandError> {
    let parse = |text: &String| match text.split_once('=') {
        Some((table, column)) => Ok((table.to_owned(), (!column.is_empty()).then(|| column.to_owned()))),
        None => Err(CommandError::input(format!("--key {text}: expected TABLE=COLUMN, or TABLE= for no key"))),
    };
    given.iter().map(parse).collect()
}

/// Prints notes unless `silent`, and returns the questions as an error.
fn check(source: &Path, proposal: &Proposal, silent: bool) -> Result<(), CommandError> {
    for note in proposal.notes.iter().filter(|_| !silent) {
        say(format_args!("note: {note}"));
    }
    if proposal.questions.is_empty() {
        return Ok(());
    }
    let questions: Vec<String> = proposal.questions.iter().map(|question| format!("\n  - {question}")).collect();
    Err(CommandError::Input(format!(
        "{}: the tables leave questions open; nothing was written{}\nanswer with the options named, or edit the \
         mapping that --infer prints and pass it with --mapping",
        source.shown(),
        questions.concat()
    )))
}

/// Returns what is missing in the result.
fn remarks(imported: &Imported, mapping: &Mapping) -> Vec<String> {
    let mut remarks = Vec::new();
    let table = &mapping.target.table;
    if imported.skipped_examples > 0 {
        let rows = imported.skipped_examples;
        let (rows, give) =
            (format!("{} {}", thousands(rows), plural(rows, "row")), if rows == 1 { "gives" } else { "give" });
        remarks.push(format!("{rows} of `{table}` {give} no example, because the label or an argument is NULL"));
    }
    if imported.facts.is_empty() {
        remarks.push("no facts: nothing can be learned; add tables, or columns to the mapping".to_owned());
    }
    match imported.examples {
        (0, 0) => remarks.push("no examples: nothing can be learned".to_owned()),
        (_, 0) if mapping.target.class.is_none() => remarks.push(
            "no negative examples: `lrbm run` draws them under the closed-world assumption, `lrbm train` needs them; \
             give `label` or `negatives` in the mapping if the tables have them"
                .to_owned(),
        ),
        (0, _) => remarks.push("no positive examples: nothing can be learned from one class alone".to_owned()),
        _ => {}
    }
    remarks
}

fn note_unused(imported: &Imported) {
    let (shown, rest) = imported.unused.split_at(imported.unused.len().min(20));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", thousands(rest.len())) };
    if !shown.is_empty() {
        say(format_args!("note: not used by the mapping: {}{more}", shown.join(", ")));
    }
}

fn print(
    tables: &Tables,
    imported: &Imported,
    mapping: &Mapping,
    (source, out): (&Path, &Path),
    output: &mut Output,
) -> Result<(), CommandError> {
    let stdout = &mut output.out;
    let rows: usize = tables.tables.iter().map(|table| table.rows()).sum();
    let facts: usize = imported.predicates.iter().map(|predicate| predicate.facts).sum();
    let (positives, negatives) = imported.examples;
    let count = |n: usize, noun: &str| format!("{} {}", thousands(n), plural(n, noun));
    writeln!(
        stdout,
        "{}: imported from {}: {} with {}, {}, {}, {}\n",
        out.shown(),
        source.shown(),
        count(tables.tables.len(), "table"),
        count(rows, "row"),
        count(facts, "fact"),
        count(positives, "positive"),
        count(negatives, "negative")
    )?;
    let mut grid = Grid::new(&["predicate", "table", ">facts", ">rows without a fact"]);
    for counts in &imported.predicates {
        grid.row([
            format!("{}/{}", counts.name, counts.arity),
            counts.table.clone(),
            thousands(counts.facts),
            thousands(counts.skipped),
        ]);
    }
    writeln!(stdout, "{grid}")?;
    for mode in &imported.modes {
        writeln!(stdout, "{mode}")?;
    }
    let time = mapping.time.as_ref().map_or_else(String::new, |time| {
        let by = match time.by_argument.as_slice() {
            [] => String::new(),
            names => format!(" --set time_by_argument={}", names.join(",")),
        };
        format!(" --set time_predicate={}{by}", time.predicate)
    });
    let cuts = if imported.has_numbers { " --set cuts=16" } else { "" };
    let (directory, target) = (out.shown(), &mapping.target.predicate);
    writeln!(stdout, "\nnext: lrbm datasets lint {directory} --target {target}{time}")?;
    writeln!(stdout, "  or: lrbm train --data {directory} --target {target}{time}{cuts} --out model.json")?;
    Ok(())
}
