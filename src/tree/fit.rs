//! What growth requires of the fit of leaves.

use super::sample::Sample;
use crate::determinism::Stream;

/// A fitted leaf and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit<L> {
    /// The parameters kept in the tree.
    pub leaf: L,
    /// The ψ that the leaf adds to each of its examples.
    pub value: f64,
}

/// Whether the candidates with the best screening score are refitted exactly before one is chosen.
///
/// Screening predicts the mean gradient on each side of a test, which minimizes the squared error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screening {
    /// A fit reaches the mean gradient, so the candidate with the best screening score is the best.
    Exact,
    /// A fit may have a larger error than the mean, so candidates are refitted exactly and compared
    /// again.
    Rescore,
}

/// Computes the value of a leaf from the gradients of its examples.
pub trait LeafFitter: Sync {
    /// The parameters kept in the tree besides the value.
    type Leaf: Clone + Send;

    /// Fits the leaf of all examples, before any test.
    fn fit_root(&self, all: Sample<'_>, stream: &mut Stream) -> Fit<Self::Leaf>;

    /// Fits the leaves on both sides of a test together, as the fit of the second may start from
    /// the first.
    fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<Self::Leaf>, Fit<Self::Leaf>);

    /// Returns whether screening is exact for this fitter.
    fn screening(&self) -> Screening {
        Screening::Rescore
    }
}
