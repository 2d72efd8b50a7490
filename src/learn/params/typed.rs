//! Conversion between the types of parameters and the values that people write.

use super::shape::Shape;
use super::value::Value;

/// The type of a parameter.
pub trait ParamType: Copy {
    /// Reads a value that the shape of the parameter accepts; `None` if the type has no such value.
    fn from_value(value: &Value) -> Option<Self>;

    /// Returns the value as people write it; `shape` gives the word of a missing limit.
    fn to_value(self, shape: &Shape) -> Value;
}

impl ParamType for u32 {
    fn from_value(value: &Value) -> Option<Self> {
        value.as_u64().and_then(|n| u32::try_from(n).ok())
    }

    fn to_value(self, _: &Shape) -> Value {
        Value::Integer(self.into())
    }
}

impl ParamType for u64 {
    fn from_value(value: &Value) -> Option<Self> {
        value.as_u64()
    }

    fn to_value(self, _: &Shape) -> Value {
        // Numbers beyond 63 bits are accepted by no shape and keep their size in the error.
        i64::try_from(self).map_or(Value::Number(self as f64), Value::Integer)
    }
}

impl ParamType for f64 {
    fn from_value(value: &Value) -> Option<Self> {
        value.as_f64()
    }

    fn to_value(self, _: &Shape) -> Value {
        Value::Number(self)
    }
}

impl ParamType for bool {
    fn from_value(value: &Value) -> Option<Self> {
        value.as_bool()
    }

    fn to_value(self, _: &Shape) -> Value {
        Value::Bool(self)
    }
}

/// A limit, where `None` means no limit and is written as the word of the shape.
impl ParamType for Option<u32> {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(_) => Some(None),
            _ => u32::from_value(value).map(Some),
        }
    }

    fn to_value(self, shape: &Shape) -> Value {
        match (self, shape) {
            (Some(n), _) => n.to_value(shape),
            (None, Shape::IntegerOrWord { word, .. }) => (*word).into(),
            (None, _) => "none".into(),
        }
    }
}

/// An argument of a typed setter: a value of the type, or a number where the type also has words.
pub trait Argument<T> {
    /// Returns the value to set.
    fn argument(self) -> T;
}

impl<T: ParamType> Argument<T> for T {
    fn argument(self) -> T {
        self
    }
}

impl Argument<Option<u32>> for u32 {
    fn argument(self) -> Option<u32> {
        Some(self)
    }
}

/// A type whose values are words.
pub trait Choice: Copy + PartialEq + 'static {
    /// The words, in the order of messages.
    const WORDS: &'static [&'static str];
    /// The values, in the order of the words.
    const VALUES: &'static [Self];
}

/// Makes an enumeration the type of a parameter, with a word for each value.
macro_rules! choice {
    ($type:ident { $($word:literal => $value:ident),+ $(,)? }) => {
        impl $crate::learn::params::Choice for $type {
            const WORDS: &'static [&'static str] = &[$($word),+];
            const VALUES: &'static [Self] = &[$($type::$value),+];
        }

        impl $crate::learn::params::ParamType for $type {
            fn from_value(value: &$crate::learn::params::Value) -> Option<Self> {
                use $crate::learn::params::Choice;
                let text = value.as_text()?;
                Self::WORDS.iter().position(|word| *word == text).map(|i| Self::VALUES[i])
            }

            fn to_value(self, _: &$crate::learn::params::Shape) -> $crate::learn::params::Value {
                use $crate::learn::params::Choice;
                let found = Self::VALUES.iter().position(|value| *value == self);
                found.map_or("", |i| Self::WORDS[i]).into()
            }
        }
    };
}
pub(crate) use choice;
