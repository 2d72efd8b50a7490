//! The data of a query.

use std::io::Write;
use std::path::PathBuf;

use super::args::Explain;
use super::query;
use crate::cli::error::CommandError;
use crate::cli::output::Output;
use crate::data::load::Dataset;
use crate::files::visible::ShownPath;
use crate::kb::Example;
use crate::learn::Stored;
use crate::learn::prepare::Purpose;
use crate::logic::Constant;

/// Returns the data and the constants of the query, for a model that is not a network. Prints the
/// model if there is no query.
pub fn read(
    args: &Explain,
    model: &dyn Stored,
    output: &mut Output,
) -> Result<Option<(Dataset, Vec<Constant>)>, CommandError> {
    let only_networks = [
        ("--importance", args.importance),
        ("--html", args.html.is_some()),
        ("--class", args.class.is_some()),
        ("--tries", args.tries.is_some()),
    ];
    if let Some((flag, _)) = only_networks.iter().find(|(_, given)| *given) {
        let instead = if args.query.is_some() { "omit it" } else { "use --query instead" };
        return Err(CommandError::Input(format!(
            "{}: {flag} supports trees and networks only: {instead}",
            args.model.shown()
        )));
    }
    let (Some(data), Some(query)) = (args.data()?, &args.query) else {
        writeln!(output.out, "{}", model.describe().trim_end())?;
        return Ok(None);
    };
    let target = (model.target_name(), model.target_arity());
    let atom = query::parse(query, target)?;
    let mut loaded = data.prepare(model, Purpose::Query, output)?;
    args.outputs().protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
    let constants = query::constants(&atom, &mut loaded, args.allow_unknown)?;
    Ok(Some((loaded, constants)))
}

/// Returns the example of the data with the arguments of the query.
pub fn example<'a>(loaded: &'a Dataset, constants: &[Constant]) -> Option<&'a Example> {
    loaded.examples.iter().find(|example| *example.args == *constants)
}
