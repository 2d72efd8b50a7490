//! The prediction of a model that is not a network for a query.

use serde::Serialize;

use crate::data::load::Dataset;
use crate::kb::Example;
use crate::logic::Constant;
use crate::math::sigmoid;

/// Probability of a query and the decision by the threshold.
#[derive(Clone, Debug, Serialize)]
pub struct Decision {
    /// The query.
    pub query: String,
    /// Label of the query, if it is an example of the data.
    pub label: Option<bool>,
    /// Whether the probability is above the threshold.
    pub decision: bool,
    /// Probability of the target.
    pub probability: f64,
    /// Log-odds of the target.
    pub psi: f64,
    /// Decision threshold.
    #[serde(skip)]
    pub threshold: f64,
}

impl Decision {
    /// Creates the decision for ψ of a query: true if its probability is above the threshold.
    pub(super) fn new(data: &Dataset, constants: &[Constant], psi: f64, threshold: f64) -> Self {
        let probability = sigmoid(psi);
        Decision {
            query: data.database.show_atom(data.target, constants),
            label: example(data, constants).map(|example| example.positive),
            decision: probability > threshold,
            probability,
            psi,
            threshold,
        }
    }
}

/// Returns the example of the data with the arguments of the query.
pub(super) fn example<'a>(data: &'a Dataset, constants: &[Constant]) -> Option<&'a Example> {
    data.examples.iter().find(|example| *example.args == *constants)
}

/// Returns the query as an example, whose label is not used.
pub(super) fn unlabeled(constants: &[Constant]) -> Example {
    Example { args: constants.into(), positive: false, class: 0, weight: 1.0, line: 0 }
}
