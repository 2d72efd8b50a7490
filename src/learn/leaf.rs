//! Leaf fitters: how the trees of each kind assign a value to a leaf.

use super::tree_model::LeafWeights;
use crate::determinism::Stream;
use crate::rbm::{Descent, Outcome, Theta};
use crate::tree::{Fit, LeafFitter, Sample, Screening};

/// Method that assigns a value to a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fitter {
    /// θ = (d, c, W, U0, U1) by coordinate descent.
    Descent(Descent),
    /// A constant θ whose ψ is the mean gradient.
    ClosedForm,
    /// The mean gradient without θ.
    Mean,
}

fn fit_of(outcome: &Outcome) -> Fit<LeafWeights> {
    Fit { leaf: Some(outcome.theta), value: outcome.theta.psi() }
}

impl Fitter {
    /// Fits the mean in closed form.
    fn direct(&self, sample: Sample<'_>) -> Fit<LeafWeights> {
        let value = sample.mean();
        let leaf = match self {
            Fitter::Mean => None,
            Fitter::Descent(_) | Fitter::ClosedForm => Some(Theta::constant(value)),
        };
        Fit { leaf, value }
    }
}

impl LeafFitter for Fitter {
    type Leaf = LeafWeights;

    fn fit_root(&self, all: Sample<'_>, stream: &mut Stream) -> Fit<LeafWeights> {
        match self {
            Fitter::Descent(descent) => fit_of(&descent.fit(all, descent.learning_rate, stream)),
            Fitter::ClosedForm | Fitter::Mean => self.direct(all),
        }
    }

    fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<LeafWeights>, Fit<LeafWeights>) {
        match self {
            Fitter::Descent(descent) => {
                let (yes, no) = descent.fit_pair(yes, no, stream);
                (fit_of(&yes), fit_of(&no))
            }
            Fitter::ClosedForm | Fitter::Mean => (self.direct(yes), self.direct(no)),
        }
    }

    fn screening(&self) -> Screening {
        match self {
            Fitter::Descent(_) => Screening::Rescore,
            Fitter::ClosedForm | Fitter::Mean => Screening::Exact,
        }
    }
}
