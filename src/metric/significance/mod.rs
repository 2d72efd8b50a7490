//! Whether a difference between models is more than chance, and how large it is.
//!
//! | question | answer |
//! |---|---|
//! | two models, one dataset | [`corrected_t`] over folds, with the real fold sizes |
//! | two models, several datasets | [`wilcoxon`] over datasets, exact for up to 25 |
//! | several models, several datasets | [`Ranks`]: Friedman, Iman-Davenport, Nemenyi's critical difference |
//! | several tests at once | [`holm`] |
//! | how large is it | [`effect`]: wins, ties and losses, standardised mean; [`bootstrap`]: an interval |
//!
//! Two rules hold throughout. Numbers that cannot be meant, such as a NaN, are a [`SampleError`]. A test that has nothing to
//! say about sound numbers gives the reason as [`NoTest`], and a test that could not have found anything, whatever the
//! numbers, says so as [`Verdict::CannotReach`]: five folds can never give Wilcoxon's test a p below 0.0625, so that
//! to print "p = 0.0625" would blame the models for the size of the experiment.

mod error;
mod holm;
mod ranks;
mod sample;
mod student;
mod wilcoxon;

pub mod bootstrap;
pub mod effect;

pub use error::{NoTest, SampleError};
pub use holm::holm;
pub use ranks::{CriticalLevel, Friedman, Ranks};
pub use sample::Differences;
pub use student::{CorrectedT, corrected_t, mean_test_share};
pub use wilcoxon::{EXACT_UP_TO, Wilcoxon, Zeros, smallest_reachable_p, wilcoxon};

/// The level that tests are judged at unless another is asked for.
pub const ALPHA: f64 = 0.05;

/// What a test came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The probability, if there were no difference, of one at least as large as was seen, in either direction.
    P(f64),
    /// Even the clearest outcome would have had a greater p than the level that was asked for: the test cannot tell.
    CannotReach {
        /// The p of the clearest outcome.
        smallest: f64,
    },
}

impl Verdict {
    /// The p, unless a smaller one than `alpha` is out of reach.
    fn judged(p: f64, smallest: f64, alpha: f64) -> Self {
        if smallest > alpha { Verdict::CannotReach { smallest } } else { Verdict::P(p) }
    }

    /// The p-value, if the test could have found something.
    pub fn p(self) -> Option<f64> {
        match self {
            Verdict::P(p) => Some(p),
            Verdict::CannotReach { .. } => None,
        }
    }
}
