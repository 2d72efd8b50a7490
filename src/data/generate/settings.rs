//! The settings of a generator.

use std::fmt;

/// Validated settings of a generator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneratorSettings {
    pub(super) scale: u32,
    pub(super) seed: u64,
    pub(super) noise: f64,
}

impl GeneratorSettings {
    /// The largest scale: one to three billion facts, with entity numbers that still fit in 32
    /// bits.
    pub const MAX_SCALE: u32 = 1_000_000;

    /// Validates the settings; the accessors describe their meaning.
    pub fn new(scale: u32, seed: u64, noise: f64) -> Result<Self, SettingsError> {
        if !(1..=Self::MAX_SCALE).contains(&scale) {
            return Err(SettingsError::Scale(scale));
        }
        if !(0.0..1.0).contains(&noise) {
            return Err(SettingsError::Noise(noise));
        }
        Ok(GeneratorSettings { scale, seed, noise })
    }

    /// Returns the number of groups relative to scale 1; facts and examples grow in proportion.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// Returns the seed of every random choice.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the probability that a label is wrong: flipped, or replaced by another class. Facts
    /// are never noisy.
    pub fn noise(&self) -> f64 {
        self.noise
    }
}

impl fmt::Display for GeneratorSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "scale {}, seed {}, noise {}", self.scale, self.seed, self.noise)
    }
}

/// The error for a setting out of range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// The scale is out of range.
    #[error("`scale` must be from 1 to {max}, got {0} (scale 1 has 1,000 to 2,500 facts)", max = GeneratorSettings::MAX_SCALE)]
    Scale(u32),
    /// The noise is out of range.
    #[error("`noise` must be at least 0 and below 1, got {0} (it is the fraction of wrong labels)")]
    Noise(f64),
}
