//! The interface between a generator and its consumer.

use std::fmt;

/// An argument of a generated fact, cheap to copy. Its text is a bare name or a number in every
/// notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// An entity of this kind with this number, such as `person12`.
    Entity(&'static str, u32),
    /// A word, such as `drama`.
    Word(&'static str),
    /// A number, such as a year or a class.
    Number(u32),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Entity(kind, number) => {
                f.write_str(kind)?;
                fmt::Display::fmt(number, f)
            }
            Name::Word(word) => f.write_str(word),
            Name::Number(number) => fmt::Display::fmt(number, f),
        }
    }
}

/// The consumer of a generated domain. Facts and examples arrive interleaved and without
/// duplicates.
pub trait DomainSink {
    /// The error that stops the generation.
    type Error;

    /// Receives a fact of the evidence, never of the target.
    fn fact(&mut self, predicate: &'static str, args: &[Name]) -> Result<(), Self::Error>;

    /// Receives an example of the target. If the target has classes, the class is the last argument
    /// and every example is positive.
    fn example(&mut self, positive: bool, args: &[Name]) -> Result<(), Self::Error>;
}
