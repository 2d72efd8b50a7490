//! `lrbm datasets generate ID --out DIR`

mod tables;

use std::io::Write;
use std::path::PathBuf;

use super::super::error::{CommandError, with_cause};
use super::super::output::Output;
use super::args::GeneratorArgs;
use crate::data::generate::{Domain, DomainCounts, write_directory};
use crate::data::import::domain;
use crate::files::visible::ShownPath;
use crate::logic::quantity::thousands;
use tables::TableFormat;

/// Arguments of `lrbm datasets generate`.
#[derive(clap::Args)]
pub struct Generate {
    /// Id of a generated domain, as printed by `lrbm datasets list`
    id: String,
    #[command(flatten)]
    generator: GeneratorArgs,
    /// Directory to write into, created if missing
    #[arg(long)]
    out: PathBuf,
    /// Format: BoostSRL files, or tables for `lrbm datasets import`
    #[arg(long, value_enum, default_value_t = Format::Boostsrl)]
    format: Format,
}

/// The format of a written domain.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// Files of facts, examples and modes
    Boostsrl,
    /// A CSV file per predicate, and a mapping
    Csv,
    /// A SQLite file, and a mapping
    Sqlite,
}

impl Format {
    fn tables(self) -> Option<TableFormat> {
        match self {
            Format::Boostsrl => None,
            Format::Csv => Some(TableFormat::Csv),
            Format::Sqlite => Some(TableFormat::Sqlite),
        }
    }
}

pub fn run(args: &Generate, output: &mut Output) -> Result<(), CommandError> {
    let domain = Domain::find(&args.id).map_err(CommandError::input)?;
    let settings = args.generator.settings(domain)?;
    let format = args.format.tables();
    let counts = match format {
        None => write_directory(domain, &settings, &args.out).map_err(with_cause)?,
        Some(format) => {
            let (tables, mapping) = domain::tables(domain, &settings);
            tables::write(&args.out, &args.id, format, (&tables, &mapping))?;
            DomainCounts::of(domain, &settings)
        }
    };
    writeln!(
        output.out,
        "{}: generated domain {} ({settings}): {} facts, {} positives, {} negatives",
        args.out.shown(),
        args.id,
        thousands(counts.facts),
        thousands(counts.positives),
        thousands(counts.negatives)
    )?;
    if let Some(format) = format {
        let directory = args.out.display();
        let file = if format == TableFormat::Sqlite { format!("/{}.sqlite", args.id) } else { String::new() };
        writeln!(
            output.out,
            "next: lrbm datasets import {directory}{file} --mapping {directory}/mapping.toml --out {directory}-facts"
        )?;
        return Ok(());
    }
    let info = domain.info();
    if info.classes.is_none() {
        let time = info.time.map_or(String::new(), |predicate| format!(" --set time_predicate={predicate}"));
        let directory = args.out.shown();
        writeln!(output.out, "next: lrbm train --data {directory} --target {}{time} --out model.json", info.target)?;
    }
    Ok(())
}
