//! Errors for invalid samples, and the reasons why a test is not applicable.

use thiserror::Error;

/// Invalid input of a test.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SampleError {
    /// A number or difference that is NaN or infinite.
    #[error("number {index} (from 0) must be finite, got {value}; leave out undefined values")]
    NotFinite {
        /// Its position.
        index: usize,
        /// The invalid value.
        value: f64,
    },
    /// The samples of a paired test differ in length.
    #[error("paired samples must have equal length, got {first} and {second}")]
    LengthMismatch {
        /// Length of the first sample.
        first: usize,
        /// Length of the second sample.
        second: usize,
    },
    /// A p-value outside 0 to 1.
    #[error("p-value {index} (from 0) must be between 0 and 1, got {value}")]
    NotAProbability {
        /// Its position.
        index: usize,
        /// The invalid value.
        value: f64,
    },
}

/// Why a test is not applicable to valid numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoTest {
    /// Too few pairs, datasets, models or resamples.
    #[error("a test needs at least {min} values, got {have}")]
    TooFew {
        /// The number given.
        have: usize,
        /// The smallest number accepted.
        min: usize,
    },
    /// More models than the table of critical values has.
    #[error("{have} models, and critical values are known for at most {max}")]
    TooMany {
        /// The number given.
        have: usize,
        /// The largest number accepted.
        max: usize,
    },
    /// All pairs are equal.
    #[error("no difference at all")]
    AllEqual,
    /// All differences are equal, so that the variance is zero.
    #[error("the same difference everywhere, hence no spread")]
    NoSpread,
    /// The fold sizes give no ratio of test to training examples, the level of an interval is not
    /// between 0 and 1, or numbers are too large to have a finite mean and variance.
    #[error("a ratio, level or number outside its range")]
    OutOfRange,
}
