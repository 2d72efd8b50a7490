//! `lrbm man`

use std::io::{self, Write};
use std::path::PathBuf;

use clap::CommandFactory;
use clap_mangen::Man;

use super::{Cli, CommandError, Output};
use crate::files;

/// Where to.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Write one page for each command into this directory, instead of the page of `lrbm` to stdout.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: &ManArgs, output: &mut Output) -> Result<(), CommandError> {
    let mut command = Cli::command();
    // So that commands know their full name and the options that all have.
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
        .map_err(|error| CommandError::Input(format!("{}: {error}", directory.display())))?;
    writeln!(
        output.out,
        "{} pages are in {}; read one with `man -l {}`",
        pages.len(),
        directory.display(),
        directory.join("lrbm.1").display()
    )?;
    Ok(())
}

/// The page of a command and of every command below it, each with its name.
fn collect(command: clap::Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let full = format!("{name}-{}", below.get_name());
        collect(below.clone(), &full, pages)?;
    }
    pages.push((name.to_owned(), page(command)?));
    Ok(())
}

fn page(command: clap::Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(text)
}
