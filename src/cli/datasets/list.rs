//! `lrbm datasets list`

use std::io::Write;

use super::super::error::{CommandError, with_cause};
use super::super::output::Output;
use super::args::StoreArgs;
use crate::cli::output::shown;
use crate::data::generate::Domain;
use crate::data::manifest::Manifest;
use crate::data::store::StoreError;
use crate::report::table::Grid;

/// Arguments of `lrbm datasets list`.
#[derive(clap::Args)]
pub struct List {
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: &List, output: &mut Output) -> Result<(), CommandError> {
    let store = args.store.store();
    let mut table = Grid::new(&["id", "target", "kind", "here", "title"]);
    for domain in Domain::ALL {
        let info = domain.info();
        let [id, target, title] = [info.id, info.target, info.title].map(str::to_owned);
        table.row([id, target, "generated".into(), "always".into(), title]);
    }
    for manifest in Manifest::built_in() {
        let here = match store.record(&manifest.id) {
            Ok(record) if !record.is_empty() => "fetched",
            Ok(_) | Err(StoreError::NotFetched { .. }) => "no",
            Err(StoreError::DamagedRecord { .. }) => "damaged",
            Err(error) => return Err(with_cause(error)),
        };
        let title = match &manifest.substitute {
            Some(footnote) => format!("{} ({footnote})", manifest.title),
            None => manifest.title.clone(),
        };
        table.row([manifest.id.clone(), manifest.target.predicate.clone(), "published".into(), here.into(), title]);
    }
    write!(output.out, "{}", shown(&table))?;
    Ok(())
}
