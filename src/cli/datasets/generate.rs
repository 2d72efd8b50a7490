//! `lrbm datasets generate ID --out DIR`

use std::io::Write;
use std::path::PathBuf;

use super::super::error::{CommandError, with_cause};
use super::super::output::Output;
use super::args::GeneratorArgs;
use crate::data::generate::{Domain, write_directory};
use crate::files::visible::ShownPath;
use crate::logic::quantity::thousands;

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
}

pub fn run(args: &Generate, output: &mut Output) -> Result<(), CommandError> {
    let domain = Domain::find(&args.id).map_err(CommandError::input)?;
    let settings = args.generator.settings(domain)?;
    let counts = write_directory(domain, &settings, &args.out).map_err(with_cause)?;
    writeln!(
        output.out,
        "{}: generated domain {} ({settings}): {} facts, {} positives, {} negatives",
        args.out.shown(),
        args.id,
        thousands(counts.facts),
        thousands(counts.positives),
        thousands(counts.negatives)
    )?;
    let info = domain.info();
    if info.classes.is_none() {
        let time = info.time.map_or(String::new(), |predicate| format!(" --set time_predicate={predicate}"));
        let directory = args.out.shown();
        writeln!(output.out, "next: lrbm train --data {directory} --target {}{time} --out model.json", info.target)?;
    }
    Ok(())
}
