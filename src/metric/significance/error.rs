//! What is wrong with the numbers given to a test, and why a test may have nothing to say.

use thiserror::Error;

/// Numbers from which no test is made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SampleError {
    /// A number that is NaN or infinite, or a difference that is.
    #[error("number {index} (from 0) is {value}: allowed are finite numbers; leave out what has no value")]
    NotFinite {
        /// Its position.
        index: usize,
        /// What stands there.
        value: f64,
    },
    /// Not one number of the one for each of the other.
    #[error("{first} numbers against {second}: give one of each for every pair")]
    LengthMismatch {
        /// How many there are of the first.
        first: usize,
        /// How many there are of the second.
        second: usize,
    },
    /// A p-value that is none.
    #[error("p-value {index} (from 0) is {value}: allowed is 0 to 1")]
    NotAProbability {
        /// Its position.
        index: usize,
        /// What stands there.
        value: f64,
    },
}

/// Why a test has nothing to say about sound numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoTest {
    /// There are too few pairs, datasets, models or resamples.
    #[error("only {have} where at least {least} are needed")]
    TooFew {
        /// How many there are.
        have: usize,
        /// How many there must be.
        least: usize,
    },
    /// More models than the table of critical values has.
    #[error("{have} models, and critical values are known for at most {most}")]
    TooMany {
        /// How many there are.
        have: usize,
        /// How many there may be.
        most: usize,
    },
    /// All pairs are equal: there is no difference to ask about.
    #[error("no difference at all")]
    AllEqual,
    /// All differences are the same, so that there is no spread to hold them against.
    #[error("the same difference everywhere, hence no spread")]
    NoSpread,
    /// The sizes of the folds give no ratio of test to training examples, or the level of an interval is not between 0 and 1.
    #[error("a ratio or level outside its range")]
    OutOfRange,
}
