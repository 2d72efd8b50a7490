//! What the leaves of the models hold, behind the one trait that trees grow over.

use super::model::LeafWeights;
use crate::determinism::Stream;
use crate::rbm::{Descent, Outcome, Theta};
use crate::tree::{Fit, LeafFitter, Sample, Screening};

/// How a leaf gets its value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fitter {
    /// Five numbers by coordinate descent.
    Descent(Descent),
    /// Five numbers that give the mean gradient.
    ClosedForm,
    /// The mean gradient, and no five numbers.
    Mean,
}

fn descended(outcome: &Outcome) -> Fit<LeafWeights> {
    Fit { leaf: Some(outcome.theta), value: outcome.theta.psi() }
}

impl Fitter {
    /// The fit that needs no descent.
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
            Fitter::Descent(descent) => descended(&descent.fit(all, descent.learning_rate, stream)),
            Fitter::ClosedForm | Fitter::Mean => self.direct(all),
        }
    }

    fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<LeafWeights>, Fit<LeafWeights>) {
        match self {
            Fitter::Descent(descent) => {
                let (yes, no) = descent.fit_pair(yes, no, stream);
                (descended(&yes), descended(&no))
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
