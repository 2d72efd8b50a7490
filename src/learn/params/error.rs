//! Parameters that cannot be used.

use super::shape::Shape;
use super::value::Value;
use crate::learn::kind::Kind;

/// A parameter that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// No kind has the parameter.
    #[error("{place}: unknown parameter `{key}`; {}", nearest.map_or_else(|| "`lrbm train --help` lists all".to_owned(), |nearest| format!("did you mean `{nearest}`?")))]
    UnknownKey {
        /// Where it was given.
        place: &'static str,
        /// Its name.
        key: String,
        /// The most similar name, if one is similar.
        nearest: Option<&'static str>,
    },
    /// The shape of the parameter does not accept the value.
    #[error("{place}: `{key}` must be {shape}, got {value}")]
    BadValue {
        /// Where it was given.
        place: &'static str,
        /// The parameter.
        key: String,
        /// The value.
        value: Value,
        /// The accepted values.
        shape: Shape,
    },
    /// Other kinds have the parameter, but not this one.
    #[error("{place}: {kind} has no parameter `{key}`, which is for {kinds}; remove it")]
    NotUsed {
        /// Where it was given.
        place: &'static str,
        /// The kind.
        kind: Kind,
        /// The parameter.
        key: &'static str,
        /// The kinds that have it.
        kinds: String,
    },
    /// A setting of the command line without `=`.
    #[error("--set {text}: expected KEY=VALUE, as in `--set trees=10`")]
    NoEquals {
        /// The setting.
        text: String,
    },
    /// A preset for a kind without presets.
    #[error("{kind} has no presets, which are for kinds that grow trees; remove it")]
    NoPresets {
        /// The kind.
        kind: Kind,
    },
    /// No preset has the name.
    #[error("unknown preset `{name}`; expected one of {known}")]
    UnknownPreset {
        /// Its name.
        name: String,
        /// The names of all presets.
        known: String,
    },
    /// Parameters of one kind were given to the learner of another.
    #[error("these are parameters of {kind}, not of the learner they were given to")]
    OtherKind {
        /// The kind that the parameters are of.
        kind: Kind,
    },
}
