//! `lrbm man`: manual pages.

use std::io::{self, Write};
use std::path::PathBuf;

use clap_mangen::Man;

use super::error::CommandError;
use super::output::Output;
use crate::files;
use crate::files::visible::ShownPath;

/// Arguments of `lrbm man`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Write one page per command to this directory instead of the page of `lrbm` to stdout.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: &ManArgs, mut command: clap::Command, output: &mut Output) -> Result<(), CommandError> {
    // Propagates full names and global options to the subcommands.
    command.build();
    let Some(directory) = &args.out else {
        output.out.write_all(&page(command)?)?;
        return Ok(());
    };
    let mut pages = Vec::new();
    collect(command, "lrbm", &mut pages)?;
    let write = |(name, text): &(String, Vec<u8>)| -> io::Result<()> {
        files::write(&directory.join(format!("{name}.1")), |out| out.write_all(text))
    };
    files::create_dir_all(directory)
        .and_then(|()| pages.iter().try_for_each(write))
        .map_err(|error| CommandError::Input(format!("{}: {error}", directory.shown())))?;
    writeln!(
        output.out,
        "{} pages written to {}; read one with `man -l {}`",
        pages.len(),
        directory.shown(),
        directory.join("lrbm.1").shown()
    )?;
    Ok(())
}

/// Renders the page of a command and of its subcommands, each with its name.
fn collect(command: clap::Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        let full = format!("{name}-{}", subcommand.get_name());
        collect(subcommand.clone(), &full, pages)?;
    }
    pages.push((name.to_owned(), page(command)?));
    Ok(())
}

fn page(command: clap::Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(text)
}
