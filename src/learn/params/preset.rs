//! Presets: named sets of parameters for the kinds that grow trees.

use super::error::ParamError;
use super::value::Value;
use crate::learn::kind::Kind;

/// A named set of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// What the paper states, and where it is silent what the authors' program does by default. One
    /// literal per test is that default, not a statement of the paper.
    Paper,
    /// The defaults.
    Lookahead,
    /// The defaults with longer chains, count tests and larger trees: slower, and mostly better.
    Extended,
    /// The one of the others that is best on held-out training examples; see
    /// [`crate::learn::auto`].
    Auto,
}

impl Preset {
    /// All presets with their names.
    pub const ALL: [(&'static str, Preset); 4] = [
        ("paper", Preset::Paper),
        ("lookahead", Preset::Lookahead),
        ("extended", Preset::Extended),
        ("auto", Preset::Auto),
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

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
    pub(crate) fn settings(self, kind: Kind) -> Vec<(&'static str, Value)> {
        let (node_size, path_length) = match self {
            Preset::Paper => (1, 0),
            // Before the choice, parameters are those of the first preset of the portfolio.
            Preset::Lookahead | Preset::Auto => (2, 3),
            Preset::Extended => (2, 4),
        };
        let mut settings = vec![("node_size", node_size.into()), ("path_length", path_length.into())];
        match self {
            Preset::Paper => {
                settings.extend([
                    ("order", "online".into()),
                    ("learning_rate", Value::Number(0.05)),
                    ("rescore", "all".into()),
                    ("step", 1.into()),
                ]);
                settings.extend(authors_growth(kind));
            }
            Preset::Lookahead | Preset::Auto => {}
            // Compared with others in experiments/defaults.toml.
            Preset::Extended => settings.extend([("counts", true.into()), ("max_leaves", 8.into())]),
        }
        settings
    }
}

/// Returns how the authors' program grows the trees of a kind; none for kinds it does not have.
fn authors_growth(kind: Kind) -> Vec<(&'static str, Value)> {
    if !matches!(kind, Kind::LrbmBoost | Kind::LrbmNoBoost | Kind::LrbmExplainable | Kind::RdnBoost) {
        return Vec::new();
    }
    let mut settings = vec![
        ("min_leaf", 3.into()),
        ("min_split", 10.into()),
        ("require_gain", false.into()),
        ("min_variance", Value::Number(0.0025)),
        ("max_share", "authors".into()),
        ("test_seeds", 5.into()),
        ("distil_settings", "ensemble".into()),
    ];
    if kind == Kind::LrbmNoBoost {
        settings.extend([
            ("prior", Value::Number(0.0)),
            ("regression_target", Value::Number(4.0)),
            ("max_depth", 10.into()),
            ("max_path_literals", 12.into()),
            // 20 tests.
            ("max_leaves", 21.into()),
            ("max_searches", 20.into()),
            ("min_variance", Value::Number(0.0001)),
        ]);
    }
    if kind == Kind::RdnBoost {
        // With means in the leaves, the program does not halve the squared error.
        settings.push(("min_variance", Value::Number(0.00125)));
    }
    settings
}
