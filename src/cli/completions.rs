//! `lrbm completions`

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, CommandError, Output};

/// For which shell.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

const AFTER_HELP: &str = "\
bash:  lrbm completions bash > ~/.local/share/bash-completion/completions/lrbm
zsh:   lrbm completions zsh > DIR/_lrbm, with a DIR of your fpath
fish:  lrbm completions fish > ~/.config/fish/completions/lrbm.fish";

pub fn run(args: &Completions, output: &mut Output) -> Result<(), CommandError> {
    // Made in memory first: the generator cannot say that a pipe was closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lrbm", &mut script);
    output.out.write_all(&script)?;
    Ok(())
}
