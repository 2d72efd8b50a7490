//! `lrbm datasets fetch [ID…|--all]` and `lrbm datasets verify`

use std::io::Write;
use std::path::PathBuf;

use super::super::progress::bytes_bar;
use super::super::table::thousands;
use super::super::{CommandError, Output, say, with_cause};
use crate::data::adapt::{self, AdaptEvent};
use crate::data::fetch::{FetchEvent, FetchOptions, MIRROR_VARIABLE, Mirror, fetch};
use crate::data::manifest::Manifest;
use crate::data::store::{DATA_VARIABLE, Store};

/// Where the data are kept.
#[derive(clap::Args)]
pub struct StoreArgs {
    /// The directory of fetched data; without it LRBM_DATA, or datasets/cache.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl StoreArgs {
    /// The store below that directory.
    pub fn store(&self) -> Store {
        Store::open(self.data.clone().unwrap_or_else(Store::default_directory))
    }
}

/// What to fetch, from where, and to where.
#[derive(clap::Args)]
#[command(after_help = format!("Environment: {MIRROR_VARIABLE} stands in for --mirror, {DATA_VARIABLE} for --data."))]
pub struct Fetch {
    /// Ids of datasets, as `lrbm datasets list` prints them.
    #[arg(conflicts_with = "all")]
    ids: Vec<String>,
    /// Every published dataset.
    #[arg(long)]
    all: bool,
    /// A directory or an http(s) address that holds the published files.
    #[arg(long, value_name = "DIR|URL")]
    mirror: Option<String>,
    #[command(flatten)]
    data: StoreArgs,
}

/// Which data to verify.
#[derive(clap::Args)]
pub struct Verify {
    #[command(flatten)]
    data: StoreArgs,
}

pub fn run_fetch(args: &Fetch, output: &mut Output) -> Result<(), CommandError> {
    if args.ids.is_empty() && !args.all {
        let known: Vec<&str> = Manifest::built_in().iter().map(|manifest| manifest.id.as_str()).collect();
        let message = format!("nothing to fetch: name datasets, or pass --all; there are {}", known.join(", "));
        return Err(CommandError::Input(message));
    }
    let manifests: Vec<&Manifest> = if args.all {
        Manifest::built_in().iter().collect()
    } else {
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
            FetchEvent::Retry { file, fault, attempt } => notes.push(format!("{file}: {fault}; try {attempt}")),
            FetchEvent::NotSupplied { file, note } => notes.push(format!("{file} was not supplied: {note}")),
            FetchEvent::Outdated { files } => {
                notes.push(format!("{files} converted files were outdated and are made again"))
            }
            FetchEvent::Unpacked { .. } | FetchEvent::End { .. } => {}
        });
        bar.finish_and_clear();
        if !output.quiet {
            notes.iter().for_each(|note| say(format_args!("{}: {note}", manifest.id)));
        }
        let fetched = fetched.map_err(with_cause)?;
        let mut remarks = Vec::new();
        adapt::prepare(&store, manifest, &mut |event| {
            if let AdaptEvent::Note { text, .. } = event {
                remarks.push(text.to_owned());
            }
        })
        .map_err(with_cause)?;
        if !output.quiet {
            remarks.iter().for_each(|remark| say(format_args!("{}: {remark}", manifest.id)));
        }
        writeln!(
            output.out,
            "{}: {} files fetched, {} were there, all verified, converted",
            manifest.id, fetched.arrived, fetched.present
        )?;
        // One dataset is worth telling of before the next is done.
        output.out.flush()?;
    }
    writeln!(output.out, "data are in {}", store.root().display())?;
    Ok(())
}

pub fn run_verify(args: &Verify, output: &mut Output) -> Result<(), CommandError> {
    let store = args.data.store();
    let all = store.verify_all(Manifest::built_in()).map_err(with_cause)?;
    let mut wrong = 0;
    for dataset in &all {
        for problem in &dataset.problems {
            wrong += 1;
            say(format_args!("error: {}/{}/{problem}", store.root().display(), dataset.id));
        }
        let state = match (dataset.fetched, dataset.problems.len()) {
            (false, _) => format!("not fetched; `lrbm datasets fetch {}` brings it", dataset.id),
            (true, 0) => {
                format!("{} files, {} bytes, all as recorded", thousands(dataset.files), thousands(dataset.bytes))
            }
            (true, n) => format!("{n} of {} files are wrong", thousands(dataset.files)),
        };
        writeln!(output.out, "{}: {state}", dataset.id)?;
    }
    if wrong > 0 {
        let message =
            format!("{wrong} problems found: `lrbm datasets fetch ID` mends what was published, and converts anew");
        return Err(CommandError::Input(message));
    }
    if !all.iter().any(|dataset| dataset.fetched) {
        let message = format!("nothing is fetched below {}: run `lrbm datasets fetch --all`", store.root().display());
        return Err(CommandError::Input(message));
    }
    Ok(())
}
