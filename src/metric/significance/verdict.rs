//! Outcomes of significance tests.

/// Default significance level.
pub const ALPHA: f64 = 0.05;

/// Outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The two-sided p-value.
    P(f64),
    /// The smallest p-value that the test can reach exceeds the level, whatever the data.
    CannotReach {
        /// The smallest reachable p-value.
        smallest: f64,
    },
}

impl Verdict {
    /// Returns the p-value, unless no p-value up to `alpha` is reachable.
    pub(super) fn new(p: f64, smallest: f64, alpha: f64) -> Self {
        if smallest > alpha { Verdict::CannotReach { smallest } } else { Verdict::P(p) }
    }

    /// Returns the p-value, if the level was reachable.
    pub fn p(self) -> Option<f64> {
        match self {
            Verdict::P(p) => Some(p),
            Verdict::CannotReach { .. } => None,
        }
    }
}
