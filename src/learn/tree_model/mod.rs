//! Sums of relational regression trees, over their own names, so that they score examples of any
//! database.

mod bind;
mod model;
mod print;
mod score;
mod wire;

pub(super) use bind::Parts;
pub use model::{ClassSums, Fidelity, LeafWeights, TrainedModel, TreeModel};
#[cfg(feature = "harness")]
pub(crate) use print::{title as tree_title, weights as leaf_weights};
pub(super) use score::{add, with_counts};
