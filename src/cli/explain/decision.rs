//! What a model that is no network decides about a query.

use std::io::{self, Write};

use serde::Serialize;

use crate::data::load::Loaded;
use crate::logic::Constant;
use crate::math::sigmoid;

/// How likely a query is, and what is decided about it.
#[derive(Debug, Serialize)]
pub struct Decision {
    query: String,
    /// Whether it is an example of the data, and of which class.
    label: Option<bool>,
    decision: bool,
    probability: f64,
    psi: f64,
    #[serde(skip)]
    threshold: f64,
}

impl Decision {
    /// What ψ means for a query, of which true is said above a probability.
    pub fn new(loaded: &Loaded, constants: &[Constant], psi: f64, threshold: f64) -> Self {
        let probability = sigmoid(psi);
        Decision {
            query: loaded.database.show_atom(loaded.target, constants),
            label: super::example(loaded, constants).map(|example| example.positive),
            decision: probability > threshold,
            probability,
            psi,
            threshold,
        }
    }

    /// The log-odds.
    pub fn psi(&self) -> f64 {
        self.psi
    }

    /// Prints it in the words that explanations of networks begin with.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}: {}, probability of true {:.6}", self.query, self.decision, self.probability)?;
        if self.threshold != 0.5 {
            writeln!(out, "true is decided for above {}", self.threshold)?;
        }
        match self.label {
            Some(true) => writeln!(out, "in the data it is a positive example"),
            Some(false) => writeln!(out, "in the data it is a negative example"),
            None => Ok(()),
        }
    }
}
