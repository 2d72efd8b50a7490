//! The prediction of a model that is not a network for a query.

use std::io::{self, Write};

use serde::Serialize;

use super::question::example;
use crate::data::load::Dataset;
use crate::logic::Constant;
use crate::math::sigmoid;

/// Probability of a query and the decision by the threshold.
#[derive(Debug, Serialize)]
pub struct Decision {
    query: String,
    /// Label of the query, if it is an example of the data.
    label: Option<bool>,
    decision: bool,
    probability: f64,
    psi: f64,
    #[serde(skip)]
    threshold: f64,
}

impl Decision {
    /// Creates the decision for ψ of a query: true if its probability is above the threshold.
    pub fn new(loaded: &Dataset, constants: &[Constant], psi: f64, threshold: f64) -> Self {
        let probability = sigmoid(psi);
        Decision {
            query: loaded.database.show_atom(loaded.target, constants),
            label: example(loaded, constants).map(|example| example.positive),
            decision: probability > threshold,
            probability,
            psi,
            threshold,
        }
    }

    /// Returns the log-odds.
    pub fn psi(&self) -> f64 {
        self.psi
    }

    /// Prints the decision as explanations of networks do.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}: {}, probability of true {:.6}", self.query, self.decision, self.probability)?;
        if self.threshold != 0.5 {
            writeln!(out, "true is predicted above {}", self.threshold)?;
        }
        match self.label {
            Some(true) => writeln!(out, "in the data it is a positive example"),
            Some(false) => writeln!(out, "in the data it is a negative example"),
            None => Ok(()),
        }
    }
}
