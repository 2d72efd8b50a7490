//! `lrbm datasets fetch [ID…|--all]` and `lrbm datasets verify`

use std::io::Write;

use super::super::error::{CommandError, with_cause};
use super::super::output::{Output, say};
use super::super::progress::bytes_bar;
use super::args::StoreArgs;
use crate::data::adapt::{self, AdaptEvent};
use crate::data::fetch::{FetchEvent, FetchOptions, MIRROR_VARIABLE, Mirror, fetch};
use crate::data::generate::Domain;
use crate::data::manifest::Manifest;
use crate::data::store::DATA_VARIABLE;
use crate::files::visible::ShownPath;
use crate::logic::quantity::thousands;

/// Arguments of `lrbm datasets fetch`.
#[derive(clap::Args)]
#[command(after_help = format!("Environment: {MIRROR_VARIABLE} is the default of --mirror, {DATA_VARIABLE} that of --data."))]
pub struct Fetch {
    /// Ids of datasets, as printed by `lrbm datasets list`
    #[arg(conflicts_with = "all")]
    ids: Vec<String>,
    /// Fetch every published dataset
    #[arg(long)]
    all: bool,
    /// Fetch the published files from this directory or http(s) address
    #[arg(long, value_name = "DIR|URL")]
    mirror: Option<String>,
    #[command(flatten)]
    data: StoreArgs,
}

/// Arguments of `lrbm datasets verify`.
#[derive(clap::Args)]
pub struct Verify {
    #[command(flatten)]
    data: StoreArgs,
}

pub fn run_fetch(args: &Fetch, output: &mut Output) -> Result<(), CommandError> {
    if args.ids.is_empty() && !args.all {
        let known: Vec<&str> = Manifest::ids().collect();
        let message = format!("nothing to fetch: pass dataset ids or --all; available are {}", known.join(", "));
        return Err(CommandError::Input(message));
    }
    let manifests: Vec<&Manifest> = if args.all {
        Manifest::built_in().collect()
    } else {
        if let Some(id) = args.ids.iter().find(|id| Domain::find(id).is_ok()) {
            let message = format!(
                "`{id}` is generated and not fetched: name it in a spec, or write its files with \
                 `lrbm datasets generate {id} --out DIR`"
            );
            return Err(CommandError::Input(message));
        }
        args.ids.iter().map(|id| Manifest::find(id)).collect::<Result<_, _>>().map_err(with_cause)?
    };
    let mirror = match &args.mirror {
        Some(given) => Mirror::parse(given),
        None => Mirror::from_environment(),
    };
    let options = FetchOptions { mirror: mirror.map_err(with_cause)?, ..FetchOptions::default() };
    let store = args.data.store();
    for manifest in manifests {
        let mut notes = Vec::new();
        let bar = bytes_bar(output.quiet, 0);
        bar.set_prefix(manifest.id.clone());
        let mut done = 0;
        let fetched = fetch(&store, manifest, &options, &mut |event| match event {
            FetchEvent::Begin { bytes, .. } => bar.set_length(bytes),
            FetchEvent::Progress { file, received, .. } => {
                bar.set_position(done + received);
                bar.set_message(file.to_owned());
            }
            FetchEvent::Present { bytes, .. } | FetchEvent::Arrived { bytes, .. } => {
                done += bytes;
                bar.set_position(done);
            }
            FetchEvent::Retry { file, fault, attempt } => notes.push(format!("{file}: {fault}; attempt {attempt}")),
            FetchEvent::NotSupplied { file, note } => notes.push(format!("{file} was not supplied: {note}")),
            FetchEvent::Outdated { files } => {
                notes.push(format!("{files} outdated converted files were removed and are converted again"))
            }
            FetchEvent::Unpacked { .. } | FetchEvent::End { .. } => {}
        });
        bar.finish_and_clear();
        if !output.quiet {
            notes.iter().for_each(|note| say(format_args!("{}: {note}", manifest.id)));
        }
        let fetched = fetched.map_err(with_cause)?;
        let mut adapt_notes = Vec::new();
        adapt::prepare(&store, manifest, &mut |event| {
            if let AdaptEvent::Note { text, .. } = event {
                adapt_notes.push(text.to_owned());
            }
        })
        .map_err(with_cause)?;
        if !output.quiet {
            adapt_notes.iter().for_each(|note| say(format_args!("{}: {note}", manifest.id)));
        }
        writeln!(
            output.out,
            "{}: {} files fetched, {} already present; all verified and converted",
            manifest.id, fetched.arrived, fetched.present
        )?;
        // Report each dataset before the next one is fetched.
        output.out.flush()?;
    }
    writeln!(output.out, "data are in {}", store.root().shown())?;
    Ok(())
}

pub fn run_verify(args: &Verify, output: &mut Output) -> Result<(), CommandError> {
    let store = args.data.store();
    let all = store.verify_all(Manifest::built_in()).map_err(with_cause)?;
    let mut problems = 0;
    for dataset in &all {
        for problem in &dataset.problems {
            problems += 1;
            say(format_args!("error: {}/{}/{problem}", store.root().shown(), dataset.id));
        }
        let state = match (dataset.fetched, dataset.problems.len()) {
            (false, _) => format!("not fetched; run `lrbm datasets fetch {}`", dataset.id),
            (true, 0) => {
                format!("{} files, {} bytes, all as recorded", thousands(dataset.files), thousands(dataset.bytes))
            }
            (true, n) => format!("{n} problems in {} files", thousands(dataset.files)),
        };
        writeln!(output.out, "{}: {state}", dataset.id)?;
    }
    if problems > 0 {
        let message = format!(
            "{problems} problems found: run `lrbm datasets fetch ID` to restore the published files and convert them again"
        );
        return Err(CommandError::Input(message));
    }
    if !all.iter().any(|dataset| dataset.fetched) {
        let message = format!("no dataset below {} is fetched: run `lrbm datasets fetch --all`", store.root().shown());
        return Err(CommandError::Input(message));
    }
    Ok(())
}
