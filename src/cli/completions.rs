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
Installation:
  bash:  lrbm completions bash > ~/.local/share/bash-completion/completions/lrbm
  zsh:   lrbm completions zsh > DIR/_lrbm, for a DIR in your fpath
  fish:  lrbm completions fish > ~/.config/fish/completions/lrbm.fish";

/// Adds the values that a shell can offer. The command itself does not have them: its errors
/// suggest names and state what each kind needs.
fn with_values(command: clap::Command, shell: Shell) -> clap::Command {
    let kinds = Kind::ALL.iter().map(|kind| kind.name()).chain([weights::KIND]);
    let presets = Preset::ALL.map(|(name, _)| name).into_iter();
    let (kinds, presets): (Vec<&'static str>, Vec<&'static str>) = (kinds.collect(), presets.collect());
    let (all, published) = (dataset_ids(), published_ids());
    let offer = |command: clap::Command, argument: &'static str, values: &[&'static str]| {
        let values = PossibleValuesParser::new(values.iter().copied());
        command.mut_arg(argument, |arg| arg.value_parser(values))
    };
    let mut command = command;
    // Where no id matches, bash completes paths.
    for name in DATA_COMMANDS.into_iter().filter(|_| shell == Shell::Bash) {
        command = command.mut_subcommand(name, |of_data| offer(of_data, "data", &all));
    }
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

/// Commands whose `--data` is a directory or a dataset id.
const DATA_COMMANDS: [&str; 4] = ["train", "predict", "explain", "convert"];

fn published_ids() -> Vec<&'static str> {
    Manifest::ids().collect()
}

fn dataset_ids() -> Vec<&'static str> {
    Domain::ALL.iter().map(|domain| domain.info().id).chain(published_ids()).collect()
}

/// Adds dataset ids to the paths that a script offers for `--data`; the generators offer one of
/// both only.
fn with_ids(script: &str, shell: Shell) -> String {
    let ids = dataset_ids().join(" ");
    match shell {
        Shell::Zsh => script.replace(":DIR|ID:_files'", &format!(":DIR|ID:{{_files; compadd -- {ids}}}'")),
        Shell::Fish => {
            let is_data = |line: &str| line.contains("-l data ") && line.contains("id of a dataset");
            let line = |line: &str| match is_data(line) {
                true => format!("{line} -a \"{ids}\"\n"),
                false => format!("{line}\n"),
            };
            script.lines().map(line).collect()
        }
        _ => script.to_owned(),
    }
}

pub fn run(args: &Completions, command: clap::Command, output: &mut Output) -> Result<(), CommandError> {
    // Generated in memory: the generator panics on a closed pipe.
    let (mut script, mut command) = (Vec::new(), with_values(command, args.shell));
    clap_complete::generate(args.shell, &mut command, "lrbm", &mut script);
    let script = with_ids(&String::from_utf8_lossy(&script), args.shell);
    output.out.write_all(script.as_bytes())?;
    Ok(())
}
