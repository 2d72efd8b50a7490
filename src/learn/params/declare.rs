//! Macros that declare parameters.
//!
//! [`group!`] declares each parameter once: its type, default, shape and help. [`kind_params!`]
//! composes groups into the typed parameters of one kind, with access by name for specs and the
//! command line.

/// Declares a group: for each parameter `field: type = default, shape, help;`, with `added later`
/// before the semicolon if records omit it at its default. Also gives [`super::Builder`] a setter
/// for each.
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

/// Declares the typed parameters of a kind: its groups, and after `own defaults` what distinguishes
/// its defaults from those of the groups.
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
                $(<$group as $crate::learn::params::Group>::list(&mut entries);)+
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
