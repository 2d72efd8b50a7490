//! The lifted restricted Boltzmann machine as a network: predicates, rules and classes in three
//! layers.
//!
//! Visible nodes are the predicates that rules mention, hidden nodes are the rules, and output
//! nodes are the classes of the target. A rule is connected to the predicates that occur in it and
//! to every class:
//!
//! ```text
//! score(y) = d_y + Σⱼ ζ(cⱼ + Uⱼy + fⱼ Σₖ Wⱼₖ)      p(y | x) = exp(score(y)) / Σ exp(score(y*))
//! ```
//!
//! where ζ is the softplus and fⱼ is 1 if rule j is true for the example. The inputs of a rule are
//! active together, when the rule itself has a grounding: a predicate that only another rule
//! matches adds nothing.

mod convert;
pub mod draw;
mod equal;
pub mod explain;
mod fit;
mod hidden;
mod infer;
mod model;
mod print;
mod rule;
mod simplify;
mod text;
mod wire;

pub use convert::{ConvertError, Ensemble, TreeSum, exact, paper};
pub use fit::{FitOptions, Fitted, Monitor, Patterns, PenaltyCenter};
pub(crate) use hidden::is_valid_contribution;
pub use hidden::{Hidden, MAX_CONTRIBUTION};
pub use infer::{Inference, one_vs_rest};
pub use model::{Network, Size, two_classes};
pub use rule::{Condition, Rule};
pub(crate) use text::{Scope, unknown_predicate};
pub use wire::FORMAT;

#[cfg(test)]
mod tests;
