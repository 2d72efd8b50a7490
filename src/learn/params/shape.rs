//! The values that a parameter accepts. Validation, messages and the JSON Schema all come from the
//! shape.

use std::fmt;

use super::value::Value;

/// The values that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A whole number in a closed range.
    Integer {
        /// Smallest value.
        min: u64,
        /// Largest value; `u64::MAX` for no limit.
        max: u64,
    },
    /// A finite number in a range.
    Real {
        /// Lower bound.
        min: f64,
        /// Largest value.
        max: f64,
        /// Whether the lower bound itself is excluded.
        exclusive_min: bool,
    },
    /// `true` or `false`.
    Bool,
    /// One of several words.
    Choice(&'static [&'static str]),
    /// A whole number in a closed range, or a word such as `none`.
    IntegerOrWord {
        /// Smallest number.
        min: u64,
        /// Largest number.
        max: u64,
        /// The word.
        word: &'static str,
    },
    /// A finite number in a closed range, or a word such as `log-odds`.
    RealOrWord {
        /// Smallest number.
        min: f64,
        /// Largest number.
        max: f64,
        /// The word.
        word: &'static str,
    },
}

/// Limit of counts: trees, leaves and the like.
const MAX_COUNT: u64 = 1_000_000;

impl Shape {
    /// Creates the shape of a whole number from `min` to `max`.
    pub const fn integer(min: u64, max: u64) -> Shape {
        Shape::Integer { min, max }
    }

    /// Creates the shape of a count from `min` to a million.
    pub const fn count(min: u64) -> Shape {
        Shape::Integer { min, max: MAX_COUNT }
    }

    /// Creates the shape of a count from `min` to a million, or a word for "no limit".
    pub const fn count_or(min: u64, word: &'static str) -> Shape {
        Shape::IntegerOrWord { min, max: MAX_COUNT, word }
    }

    /// Creates the shape of a number from `min` to `max`.
    pub const fn real(min: f64, max: f64) -> Shape {
        Shape::Real { min, max, exclusive_min: false }
    }

    /// Creates the shape of a number above 0, up to `max`.
    pub const fn positive(max: f64) -> Shape {
        Shape::Real { min: 0.0, max, exclusive_min: true }
    }

    /// Returns whether the value is one of those accepted.
    pub fn accepts(&self, value: &Value) -> bool {
        let integer = |min: u64, max: u64| value.as_u64().is_some_and(|n| (min..=max).contains(&n));
        let real = |min: f64, max: f64| value.as_f64().is_some_and(|x| (min..=max).contains(&x));
        match *self {
            Shape::Integer { min, max } => integer(min, max),
            Shape::Real { min, max, exclusive_min } => {
                real(min, max) && !(exclusive_min && value.as_f64() == Some(min))
            }
            Shape::Bool => value.as_bool().is_some(),
            Shape::Choice(words) => value.as_text().is_some_and(|text| words.contains(&text)),
            Shape::IntegerOrWord { min, max, word } => value.as_text() == Some(word) || integer(min, max),
            Shape::RealOrWord { min, max, word } => value.as_text() == Some(word) || real(min, max),
        }
    }
}

/// The accepted values as a noun phrase, for messages and help.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Shape::Integer { min, max: u64::MAX } => write!(f, "a whole number from {min}"),
            Shape::Integer { min, max } => write!(f, "a whole number from {min} to {max}"),
            Shape::Real { min, max, exclusive_min: true } => write!(f, "a number above {min}, up to {max}"),
            Shape::Real { min, max, exclusive_min: false } => write!(f, "a number from {min} to {max}"),
            Shape::Bool => f.write_str("true or false"),
            Shape::Choice(words) => {
                for (i, word) in words.iter().enumerate() {
                    let separator = match i {
                        0 => "",
                        _ if i + 1 == words.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{separator}{word:?}")?;
                }
                Ok(())
            }
            Shape::IntegerOrWord { min, max, word } => write!(f, "a whole number from {min} to {max}, or {word:?}"),
            Shape::RealOrWord { min, max, word } => write!(f, "a number from {min} to {max}, or {word:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_exactly_the_values_it_describes() {
        let count = Shape::count_or(2, "none");
        assert_eq!(count.to_string(), "a whole number from 2 to 1000000, or \"none\"");
        for (value, accepted) in
            [("2", true), ("1000000", true), ("2.0", true), ("none", true), ("1", false), ("1000001", false)]
        {
            assert_eq!(count.accepts(&Value::parse(value)), accepted, "{value}");
        }
        let share = Shape::positive(0.5);
        assert_eq!(share.to_string(), "a number above 0, up to 0.5");
        for (value, accepted) in [("0", false), ("1e-9", true), ("0.5", true), ("0.6", false), ("nan", false)] {
            assert_eq!(share.accepts(&Value::parse(value)), accepted, "{value}");
        }
        let prior = Shape::RealOrWord { min: -100.0, max: 100.0, word: "log-odds" };
        assert_eq!(prior.to_string(), "a number from -100 to 100, or \"log-odds\"");
        assert!(prior.accepts(&"log-odds".into()) && prior.accepts(&(-100).into()) && !prior.accepts(&"log".into()));
        let words = Shape::Choice(&["a", "b", "c"]);
        assert_eq!(words.to_string(), "\"a\", \"b\" or \"c\"");
        assert!(words.accepts(&"b".into()) && !words.accepts(&true.into()));
        assert!(Shape::Bool.accepts(&true.into()) && !Shape::Bool.accepts(&1.into()));
    }
}
