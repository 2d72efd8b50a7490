//! Groups of parameters, and the parameters of a kind, which are several groups.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use super::error::ParamError;
use super::shape::Shape;
use super::value::Value;

/// The description of a parameter.
#[derive(Debug, PartialEq)]
pub struct Entry {
    /// Name in specs, on the command line and in files.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The accepted values.
    pub shape: Shape,
    /// Whether it is newer than the first recorded models and results. Such a parameter is omitted
    /// from records at its default, with which everything is as it was before: recorded job ids
    /// stay valid.
    pub added_later: bool,
}

/// A parameter of a group: its description and access to its value.
pub struct Parameter<G> {
    /// The description.
    pub entry: Entry,
    /// Returns the value.
    pub get: fn(&G) -> Value,
    /// Sets a value that the shape accepts; `None` if the type has no such value.
    pub set: fn(&mut G, &Value) -> Option<()>,
}

/// A group of parameters that are used together.
pub trait Group: Default + 'static {
    /// The parameters, in the order of listings.
    const PARAMETERS: &'static [Parameter<Self>];

    /// Returns the parameter with this name.
    fn parameter(name: &str) -> Option<&'static Parameter<Self>> {
        Self::PARAMETERS.iter().find(|parameter| parameter.entry.name == name)
    }

    /// Appends the descriptions of all parameters, in the order of listings.
    fn list(entries: &mut Vec<&'static Entry>) {
        for parameter in Self::PARAMETERS {
            entries.push(&parameter.entry);
        }
    }
}

/// Access to a group of the parameters of a kind.
pub trait Has<G> {
    /// Returns the group, to change it.
    fn group_mut(&mut self) -> &mut G;
}

/// The parameters of a kind, by name.
pub trait ParamSet: fmt::Debug + Send + Sync + Any {
    /// Returns the descriptions of all parameters, in the order of listings.
    fn entries(&self) -> Vec<&'static Entry>;

    /// Returns the value of a parameter; `None` if the kind does not have it.
    fn get(&self, name: &str) -> Option<Value>;

    /// Sets a parameter; `None` if the kind does not have it.
    ///
    /// # Errors
    /// With the shape of the parameter, if it does not accept the value.
    fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), Shape>>;

    /// Sets the defaults that distinguish the kind from others with the same groups.
    fn set_own_defaults(&mut self);

    /// Returns the defaults of the groups, without those of the kind.
    fn group_defaults(&self) -> Box<dyn ParamSet>;

    /// Returns a copy.
    fn boxed(&self) -> Box<dyn ParamSet>;

    /// Returns the typed parameters, to downcast.
    fn as_any(&self) -> &dyn Any;

    /// Returns the values by name as records keep them: without parameters added later that have
    /// their default.
    fn to_values(&self) -> BTreeMap<String, Value> {
        recorded_values(self.boxed().as_ref())
    }

    /// Checks every value against its shape.
    ///
    /// # Errors
    /// For the first value that its shape does not accept.
    fn check(&self) -> Result<(), ParamError> {
        check_values(self.boxed().as_ref())
    }
}

// Both functions exist once instead of once per kind, which shortens the build.

/// See [`ParamSet::to_values`].
fn recorded_values(params: &dyn ParamSet) -> BTreeMap<String, Value> {
    let defaults = params.group_defaults();
    let recorded = |entry: &&Entry| !entry.added_later || params.get(entry.name) != defaults.get(entry.name);
    let entries = params.entries().into_iter().filter(recorded);
    entries.filter_map(|entry| Some((entry.name.to_owned(), params.get(entry.name)?))).collect()
}

/// See [`ParamSet::check`].
fn check_values(params: &dyn ParamSet) -> Result<(), ParamError> {
    for entry in params.entries() {
        if let Some(value) = params.get(entry.name).filter(|value| !entry.shape.accepts(value)) {
            let (place, key) = ("parameters", entry.name.to_owned());
            return Err(ParamError::BadValue { place, key, value, shape: entry.shape });
        }
    }
    Ok(())
}

/// Checks a number of a model file against the shape of a parameter of the group.
///
/// # Errors
/// If the parameter does not accept it.
pub(crate) fn check_stored<G: Group>(name: &str, value: u64) -> Result<(), String> {
    let value = Value::Integer(i64::try_from(value).unwrap_or(i64::MAX));
    match G::parameter(name) {
        Some(parameter) if !parameter.entry.shape.accepts(&value) => {
            Err(format!("{name} must be {}, got {value}", parameter.entry.shape))
        }
        _ => Ok(()),
    }
}
