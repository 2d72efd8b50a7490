//! `lrbm explain`

use std::io::Write;
use std::path::PathBuf;

use super::{CommandError, Output, with_cause};
use crate::learn::{Model, SavedModel};

/// Which model.
#[derive(clap::Args)]
pub struct Explain {
    /// The model, trees or a network.
    #[arg(long, value_name = "MODEL.json")]
    model: PathBuf,
}

pub fn run(args: &Explain, output: &mut Output) -> Result<(), CommandError> {
    let model = SavedModel::load(&args.model).map_err(with_cause)?;
    writeln!(output.out, "{}", model.describe().trim_end())?;
    Ok(())
}
