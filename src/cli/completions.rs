//! `lrbm completions`: shell completion scripts.

use std::io::Write;

use clap::builder::PossibleValuesParser;
use clap_complete::Shell;

use super::error::CommandError;
use super::output::Output;
use super::weights;
use crate::data::generate::Domain;
use crate::data::manifest::Manifest;
use crate::learn::{Kind, Preset};

/// Arguments of `lrbm completions`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Completions {
    /// Shell to generate the script for.
    shell: Shell,
}

const AFTER_HELP: &str = "\
bash:  lrbm completions bash > ~/.local/share/bash-completion/completions/lrbm \
zsh:   lrbm completions zsh > DIR/_lrbm, for a DIR in your fpath \
fish:  lrbm completions fish > ~/.config/fish/completions/lrbm.fish";

/// Adds the values that a shell can offer. The command itself does not have them: its errors
/// suggest names and state what each kind needs.
fn with_values(command: clap::Command) -> clap::Command {
    let kinds = Kind::ALL.iter().map(|kind| kind.name()).chain([weights::KIND]);
    let presets = Preset::ALL.map(|(name, _)| name).into_iter();
    let (kinds, presets): (Vec<&'static str>, Vec<&'static str>) = (kinds.collect(), presets.collect());
    let domains = Domain::ALL.iter().map(|domain| domain.info().id);
    let published: Vec<&'static str> = Manifest::built_in().iter().map(|manifest| manifest.id.as_str()).collect();
    let all: Vec<&'static str> = domains.chain(published.iter().copied()).collect();
    let offer = |command: clap::Command, argument: &'static str, values: &[&'static str]| {
        let values = PossibleValuesParser::new(values.iter().copied());
        command.mut_arg(argument, |arg| arg.value_parser(values))
    };
    command
        .mut_subcommand("train", |train| {
            let train = train.mut_arg("kind", |kind| kind.value_parser(PossibleValuesParser::new(kinds)));
            train.mut_arg("preset", |preset| preset.value_parser(PossibleValuesParser::new(presets)))
        })
        .mut_subcommand("datasets", |datasets| {
            let datasets = datasets.mut_subcommand("info", |info| offer(info, "id", &all));
            datasets.mut_subcommand("fetch", |fetch| offer(fetch, "ids", &published))
        })
}

pub fn run(args: &Completions, command: clap::Command, output: &mut Output) -> Result<(), CommandError> {
    // Generated in memory: the generator panics on a closed pipe.
    let (mut script, mut command) = (Vec::new(), with_values(command));
    clap_complete::generate(args.shell, &mut command, "lrbm", &mut script);
    output.out.write_all(&script)?;
    Ok(())
}
