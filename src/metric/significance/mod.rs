//! Significance tests and effect sizes for differences between models.
//!
//! | question | method |
//! |---|---|
//! | two models, one dataset | [`corrected_t`] over folds, with the real fold sizes |
//! | a claim about one or several comparisons | [`decision`]: the rule of all reports |
//! | two models, several datasets | `wilcoxon` over datasets, exact for up to 25 |
//! | several models, several datasets | [`Ranks`]: Friedman, Iman-Davenport, Nemenyi's critical difference |
//! | several tests at once | `holm` correction |
//! | effect size | [`effect`]: wins, ties and losses, standardized mean |
//!
//! Invalid numbers, such as a NaN, are a [`SampleError`]. A test that is not applicable to valid
//! numbers returns the reason as [`NoTest`]. A test that could not reach significance for any
//! outcome returns [`Verdict::CannotReach`]: with five folds, Wilcoxon's p is never below 0.0625,
//! so printing "p = 0.0625" would blame the models for the size of the experiment.

mod error;
mod holm;
mod ranks;
mod sample;
mod student;
mod verdict;
mod wilcoxon;

pub mod decision;
pub mod effect;

pub use error::{NoTest, SampleError};
pub use holm::holm;
pub use ranks::{CriticalLevel, Friedman, Ranks};
pub use sample::Differences;
pub use student::{CorrectedT, corrected_t, mean_test_share};
pub use verdict::{ALPHA, Verdict};
pub use wilcoxon::{EXACT_UP_TO, Wilcoxon, Zeros, smallest_reachable_p, wilcoxon};
