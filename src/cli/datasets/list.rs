//! `lrbm datasets list`

use super::super::table::Table;
use super::super::{CommandError, Output, with_cause};
use super::fetch::StoreArgs;
use crate::data::generate::Domain;
use crate::data::manifest::Manifest;

/// Where to look for fetched data.
#[derive(clap::Args)]
pub struct List {
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: &List, output: &mut Output) -> Result<(), CommandError> {
    let store = args.store.store();
    let mut table = Table::new(&["id", "target", "kind", "here", "title"]);
    for domain in Domain::ALL {
        let info = domain.info();
        let [id, target, title] = [info.id, info.target, info.title].map(str::to_owned);
        table.row([id, target, "generated".into(), "always".into(), title]);
    }
    for manifest in Manifest::built_in() {
        let fetched = !store.record(&manifest.id).map_err(with_cause)?.is_empty();
        let title = match &manifest.substitute {
            Some(footnote) => format!("{} ({footnote})", manifest.title),
            None => manifest.title.clone(),
        };
        let here = if fetched { "fetched" } else { "no" };
        table.row([manifest.id.clone(), manifest.target.predicate.clone(), "published".into(), here.into(), title]);
    }
    table.print(&mut output.out)?;
    Ok(())
}
