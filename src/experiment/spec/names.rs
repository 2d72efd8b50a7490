//! Names of the values that keys of a spec accept.

use super::universe::{Area, Pooling};
use crate::data::benchmark::{Arity, Mirror, Reflexive, TimeUse};
use crate::data::manifest::{FoldScheme, NegativeScheme};
use crate::experiment::external::config::{EXTERNAL_KINDS, Features};
use crate::learn::{Kind, Preset};
use crate::metric::Column;

/// Significance tests that a spec may select.
pub const TESTS: [&str; 3] = [CORRECTED_T, WILCOXON, FRIEDMAN_NEMENYI];
/// The corrected resampled t-test on the folds of each dataset.
pub const CORRECTED_T: &str = "corrected-t";
/// Wilcoxon's signed-rank test on the means of all datasets.
pub const WILCOXON: &str = "wilcoxon-over-datasets";
/// Friedman's test on the ranks of all rows, with Nemenyi's critical difference.
pub const FRIEDMAN_NEMENYI: &str = "friedman-nemenyi";

pub fn kinds() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.name()).chain(EXTERNAL_KINDS).collect()
}

pub fn presets() -> Vec<&'static str> {
    Preset::ALL.iter().map(|(name, _)| *name).collect()
}

pub fn areas() -> Vec<&'static str> {
    Area::ALL.iter().map(|(name, _)| *name).collect()
}

pub fn poolings() -> Vec<&'static str> {
    Pooling::ALL.iter().map(|(name, _)| *name).collect()
}

pub fn kept() -> Vec<&'static str> {
    KEPT.to_vec()
}

/// What can be stored of a job.
pub const KEPT: [&str; 4] = ["metrics", "scores", "predictions", "models"];

pub fn tests() -> Vec<&'static str> {
    TESTS.to_vec()
}

pub fn metrics() -> Vec<&'static str> {
    Column::ALL.iter().map(|column| column.name()).collect()
}

pub fn tune_methods() -> Vec<&'static str> {
    vec!["grid", "random"]
}

pub fn maximized_metrics() -> Vec<&'static str> {
    Column::ALL.iter().filter(|column| column.higher_is_better()).map(|column| column.name()).collect()
}

/// Returns the tables of `results/paper.toml`, in its order.
pub fn paper_tables() -> Vec<&'static str> {
    table_names(include_str!("../../../results/paper.toml"))
}

pub fn recorded_tables() -> Vec<&'static str> {
    table_names(include_str!("../../../results/recorded-peers.toml"))
}

/// Returns the names of the tables of a TOML file whose headers fill their lines.
fn table_names(text: &'static str) -> Vec<&'static str> {
    text.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).collect()
}

/// Lists the names of a type with few values and finds a value by its name.
macro_rules! named {
    ($names:ident, $find:ident, $type:ty, $values:expr) => {
        pub fn $names() -> Vec<&'static str> {
            $values.iter().map(|(name, _)| *name).collect()
        }

        /// Returns the value with this name.
        pub fn $find(name: &str) -> Option<$type> {
            $values.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
        }
    };
}

const ARITIES: [(&str, Arity); 2] = [("original", Arity::Original), ("binary", Arity::Binary)];
const REFLEXIVES: [(&str, Reflexive); 2] = [("keep", Reflexive::Keep), ("drop", Reflexive::Drop)];
const FOLD_SCHEMES: [(&str, FoldScheme); 3] =
    [("given", FoldScheme::Given), ("random", FoldScheme::Random), ("by-time", FoldScheme::ByTime)];
const NEGATIVE_SCHEMES: [(&str, NegativeScheme); 3] = [
    ("listed-then-closed-world", NegativeScheme::ListedThenClosedWorld),
    ("closed-world", NegativeScheme::ClosedWorld),
    ("listed", NegativeScheme::Listed),
];
const MIRRORS: [(&str, Mirror); 2] = [("hide", Mirror::Hide), ("show", Mirror::Show)];
const TIME_USES: [(&str, TimeUse); 2] = [("limit", TimeUse::Limit), ("ignore", TimeUse::Ignore)];
named!(feature_names, features, Features, Features::NAMES);
named!(arities, arity, Arity, ARITIES);
named!(time_uses, time_use, TimeUse, TIME_USES);
named!(mirrors, mirror, Mirror, MIRRORS);
named!(reflexives, reflexive, Reflexive, REFLEXIVES);
named!(fold_schemes, fold_scheme, FoldScheme, FOLD_SCHEMES);
named!(negative_schemes, negative_scheme, NegativeScheme, NEGATIVE_SCHEMES);
