//! Models that can be written to files.

use std::fmt;

use super::header::Header;
use super::scoring::Model;
use crate::logic::Predicates;
use crate::logic::quantity::{counted, counted_as};

/// A model that can be written to a file.
pub trait Stored: Model {
    /// Returns how the model was trained; `None` for networks, which describe it in words
    /// (`origin`).
    fn header(&self) -> Option<&Header>;

    /// Returns the predicates that the model mentions.
    fn predicates(&self) -> &Predicates;

    /// Returns the text of the model file.
    fn to_json(&self) -> String;

    /// Returns the size of the model.
    fn size(&self) -> ModelSize;
}

/// The size of a model. Its `Display` form uses the words of the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSize {
    /// Number of trees, or of boosting steps that learned clauses; 0 for other kinds.
    pub trees: usize,
    /// Number of parts that are summed: leaves, clauses, rules for the target or hidden units.
    pub leaves: usize,
    /// The type of the parts.
    pub parts: SizeOf,
}

/// The type of the parts of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOf {
    /// Leaves of trees.
    Leaves,
    /// Rules of a network.
    Rules,
    /// Clauses whose groundings are counted.
    Clauses,
    /// Hidden units.
    Units {
        /// Number of random walks that are their inputs.
        walks: usize,
    },
    /// Rules of a template for its target.
    Template {
        /// Number of rules for latent predicates.
        latent: usize,
    },
}

impl ModelSize {
    /// Returns the number of random walks of a model that has them.
    pub fn walks(&self) -> Option<usize> {
        match self.parts {
            SizeOf::Units { walks } => Some(walks),
            _ => None,
        }
    }
}

impl fmt::Display for ModelSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ModelSize { trees, leaves, parts } = *self;
        let rules = |n| counted(n, "rule");
        match parts {
            SizeOf::Leaves => {
                write!(f, "{}, {}", counted(trees, "tree"), counted_as(leaves, "leaf", "leaves"))
            }
            SizeOf::Rules => f.write_str(&rules(leaves)),
            SizeOf::Clauses => {
                let steps = counted(trees, "step");
                write!(f, "{} of {steps}", counted(leaves, "clause"))
            }
            SizeOf::Units { walks } => {
                let units = counted(leaves, "hidden unit");
                write!(f, "{units} over {}", counted(walks, "walk"))
            }
            SizeOf::Template { latent: 0 } => f.write_str(&rules(leaves)),
            SizeOf::Template { latent } => {
                write!(f, "{} for the target, {latent} for latent predicates", rules(leaves))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_the_terms_of_the_kind() {
        let shown = |trees, leaves, parts| ModelSize { trees, leaves, parts }.to_string();
        assert_eq!(shown(20, 57, SizeOf::Leaves), "20 trees, 57 leaves");
        assert_eq!(shown(1, 1, SizeOf::Leaves), "1 tree, 1 leaf");
        assert_eq!(shown(20, 6, SizeOf::Clauses), "6 clauses of 20 steps");
        assert_eq!(shown(1, 1, SizeOf::Clauses), "1 clause of 1 step");
        assert_eq!(shown(0, 0, SizeOf::Rules), "0 rules");
        assert_eq!(shown(0, 1, SizeOf::Rules), "1 rule");
        assert_eq!(shown(0, 20, SizeOf::Units { walks: 1 }), "20 hidden units over 1 walk");
        assert_eq!(shown(0, 1, SizeOf::Template { latent: 3 }), "1 rule for the target, 3 for latent predicates");
        assert_eq!(shown(0, 2, SizeOf::Template { latent: 0 }), "2 rules");
    }
}
