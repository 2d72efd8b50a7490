//! Presets: named sets of parameters for the kinds that grow trees.

use super::error::ParamError;
use super::value::Value;

/// A named set of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The likely setting of the paper's figures: one literal per test, no chains, and leaves
    /// fitted as in the authors' program.
    Paper,
    /// The defaults.
    Lookahead,
    /// The defaults with longer chains, count tests and larger trees: slower, and mostly better.
    Extended,
}

impl Preset {
    /// All presets with their names.
    pub const ALL: [(&'static str, Preset); 3] =
        [("paper", Preset::Paper), ("lookahead", Preset::Lookahead), ("extended", Preset::Extended)];

    /// Returns the preset with this name.
    ///
    /// # Errors
    /// If no preset has it.
    pub fn find(name: &str) -> Result<Self, ParamError> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        let known = || Self::ALL.map(|(name, _)| name).join(", ");
        found
            .map(|&(_, preset)| preset)
            .ok_or_else(|| ParamError::UnknownPreset { name: name.to_owned(), known: known() })
    }

    /// Returns the parameters it sets, as far as a kind has them.
    pub(crate) fn settings(self) -> Vec<(&'static str, Value)> {
        let (node_size, path_length) = match self {
            Preset::Paper => (1, 0),
            Preset::Lookahead => (2, 3),
            Preset::Extended => (2, 4),
        };
        let mut settings = vec![("node_size", node_size.into()), ("path_length", path_length.into())];
        match self {
            Preset::Paper => {
                settings.extend([
                    ("order", "online".into()),
                    ("learning_rate", Value::Number(0.05)),
                    ("rescore", 64.into()),
                    ("step", 1.into()),
                ]);
            }
            Preset::Lookahead => {}
            // Compared with others in results/settled.md.
            Preset::Extended => settings.extend([("counts", true.into()), ("max_leaves", 8.into())]),
        }
        settings
    }
}
