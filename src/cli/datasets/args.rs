//! Arguments shared by the subcommands.

use std::path::PathBuf;

use super::super::error::CommandError;
use crate::data::generate::{Domain, GeneratorSettings};
use crate::data::store::Store;

/// The location of the fetched data.
#[derive(clap::Args)]
pub struct StoreArgs {
    /// Directory of fetched data [default: $LRBM_DATA, or datasets/cache]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl StoreArgs {
    /// Opens the store in that directory.
    pub fn store(&self) -> Store {
        Store::open(self.data.clone().unwrap_or_else(Store::default_directory))
    }
}

/// Settings of a generated domain.
#[derive(clap::Args)]
pub struct GeneratorArgs {
    /// Size relative to the default domain [default: 1]
    #[arg(long)]
    scale: Option<u32>,
    /// Seed of every random choice [default: the seed of the domain]
    #[arg(long)]
    seed: Option<u64>,
    /// Fraction of wrong labels, at least 0 and below 1 [default: 0]
    #[arg(long, allow_negative_numbers = true)]
    noise: Option<f64>,
}

impl GeneratorArgs {
    /// Returns the seed, if given.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Returns whether a setting other than the seed is given.
    pub fn is_used_beyond_seed(&self) -> bool {
        self.scale.is_some() || self.noise.is_some()
    }

    /// Returns the settings with the defaults of a domain.
    pub fn settings(&self, domain: Domain) -> Result<GeneratorSettings, CommandError> {
        let default = domain.settings();
        GeneratorSettings::new(
            self.scale.unwrap_or(default.scale()),
            self.seed.unwrap_or(default.seed()),
            self.noise.unwrap_or(default.noise()),
        )
        .map_err(CommandError::input)
    }
}
