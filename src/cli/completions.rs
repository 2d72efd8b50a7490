//! `lrbm completions`: shell completion scripts.

use std::io::Write;

use clap_complete::Shell;

use super::error::CommandError;
use super::output::Output;

/// Arguments of `lrbm completions`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Completions {
    /// Shell to generate the script for.
    shell: Shell,
}

const AFTER_HELP: &str = "\
bash:  lrbm completions bash > ~/.local/share/bash-completion/completions/lrbm
zsh:   lrbm completions zsh > DIR/_lrbm, for a DIR in your fpath
fish:  lrbm completions fish > ~/.config/fish/completions/lrbm.fish";

pub fn run(args: &Completions, mut command: clap::Command, output: &mut Output) -> Result<(), CommandError> {
    // Generated in memory: the generator panics on a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "lrbm", &mut script);
    output.out.write_all(&script)?;
    Ok(())
}
