//! Groups of parameters and the parameters of a kind, which are several groups.
//!
//! [`group!`] declares each parameter once: its type, default, shape and help. [`kind_params!`] composes
//! groups into the typed parameters of one kind, with access by name for specs and the command line.

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
    /// Whether it is newer than the first recorded models and results. Such a parameter is omitted from
    /// records at its default, with which everything is as it was before: recorded job ids stay valid.
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
}

/// Access to a group of the parameters of a kind.
pub trait Has<G> {
    /// The group, to change it.
    fn group_mut(&mut self) -> &mut G;
}

/// The parameters of a kind, by name.
pub trait ParamSet: fmt::Debug + Send + Sync + Any {
    /// The descriptions of all parameters, in the order of listings.
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

    /// The defaults of the groups, without those of the kind.
    fn group_defaults(&self) -> Box<dyn ParamSet>;

    /// Returns a copy.
    fn boxed(&self) -> Box<dyn ParamSet>;

    /// The typed parameters, to downcast.
    fn as_any(&self) -> &dyn Any;

    /// The values by name as records keep them: without parameters added later that have their default.
    fn to_values(&self) -> BTreeMap<String, Value> {
        let defaults = self.group_defaults();
        let recorded = |entry: &&Entry| !entry.added_later || self.get(entry.name) != defaults.get(entry.name);
        let entries = self.entries().into_iter().filter(recorded);
        entries.filter_map(|entry| Some((entry.name.to_owned(), self.get(entry.name)?))).collect()
    }

    /// Checks every value against its shape.
    ///
    /// # Errors
    /// For the first value that its shape does not accept.
    fn check(&self) -> Result<(), ParamError> {
        for entry in self.entries() {
            if let Some(value) = self.get(entry.name).filter(|value| !entry.shape.accepts(value)) {
                let (place, key) = ("parameters", entry.name.to_owned());
                return Err(ParamError::BadValue { place, key, value, shape: entry.shape });
            }
        }
        Ok(())
    }
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

/// Declares a group: for each parameter `field: type = default, shape, help;`, with `added later` before the
/// semicolon if records omit it at its default. Also gives [`super::Builder`] a setter for each.
macro_rules! group {
    (
        $(#[$doc:meta])*
        pub struct $group:ident {
            $($field:ident: $type:ty = $default:expr, $shape:expr, $help:literal $(, added $later:ident)?;)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $group {
            $(#[doc = $help] pub $field: $type,)+
        }

        impl Default for $group {
            fn default() -> Self {
                $group { $($field: $default,)+ }
            }
        }

        impl $crate::learn::params::Group for $group {
            const PARAMETERS: &'static [$crate::learn::params::Parameter<Self>] = &[$(
                $crate::learn::params::Parameter {
                    entry: $crate::learn::params::Entry {
                        name: stringify!($field),
                        help: $help,
                        shape: $shape,
                        added_later: $crate::learn::params::is_later!($($later)?),
                    },
                    get: |group| $crate::learn::params::ParamType::to_value(group.$field, &$shape),
                    set: |group, value| {
                        $crate::learn::params::ParamType::from_value(value).map(|value| group.$field = value)
                    },
                },
            )+];
        }

        impl<P: $crate::learn::params::Has<$group>> $crate::learn::params::Builder<P> {
            $(
                #[doc = concat!($help, ".")]
                #[must_use]
                pub fn $field(mut self, value: impl $crate::learn::params::Argument<$type>) -> Self {
                    self.params.group_mut().$field = value.argument();
                    self
                }
            )+
        }
    };
}
pub(crate) use group;

macro_rules! is_later {
    () => {
        false
    };
    (later) => {
        true
    };
}
pub(crate) use is_later;

/// Declares the typed parameters of a kind: its groups, and after `own defaults` what distinguishes its
/// defaults from those of the groups.
macro_rules! kind_params {
    (
        $(#[$doc:meta])*
        pub struct $params:ident {
            $($field:ident: $group:ty,)+
        }
        own defaults: |$own:ident| $defaults:block
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $params {
            $(pub(crate) $field: $group,)+
        }

        impl $params {
            fn of_groups() -> Self {
                $params { $($field: Default::default(),)+ }
            }
        }

        impl Default for $params {
            fn default() -> Self {
                let mut params = Self::of_groups();
                $crate::learn::params::ParamSet::set_own_defaults(&mut params);
                params
            }
        }

        $(
            impl $crate::learn::params::Has<$group> for $params {
                fn group_mut(&mut self) -> &mut $group {
                    &mut self.$field
                }
            }
        )+

        impl $crate::learn::params::ParamSet for $params {
            fn entries(&self) -> Vec<&'static $crate::learn::params::Entry> {
                let mut entries = Vec::new();
                $(
                    let parameters = <$group as $crate::learn::params::Group>::PARAMETERS;
                    entries.extend(parameters.iter().map(|parameter| &parameter.entry));
                )+
                entries
            }

            fn get(&self, name: &str) -> Option<$crate::learn::params::Value> {
                $(
                    if let Some(parameter) = <$group as $crate::learn::params::Group>::parameter(name) {
                        return Some((parameter.get)(&self.$field));
                    }
                )+
                None
            }

            fn set(
                &mut self,
                name: &str,
                value: &$crate::learn::params::Value,
            ) -> Option<Result<(), $crate::learn::params::Shape>> {
                $(
                    if let Some(parameter) = <$group as $crate::learn::params::Group>::parameter(name) {
                        let shape = parameter.entry.shape;
                        let accepted = shape.accepts(value).then(|| (parameter.set)(&mut self.$field, value));
                        return Some(accepted.flatten().ok_or(shape));
                    }
                )+
                None
            }

            fn set_own_defaults(&mut self) {
                let $own = self;
                $defaults
            }

            fn group_defaults(&self) -> Box<dyn $crate::learn::params::ParamSet> {
                Box::new(Self::of_groups())
            }

            fn boxed(&self) -> Box<dyn $crate::learn::params::ParamSet> {
                Box::new(self.clone())
            }

            fn as_any(&self) -> &dyn std::any::Any {
                self
            }
        }
    };
}
pub(crate) use kind_params;
