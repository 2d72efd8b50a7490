//! Parameters: their values, shapes, groups and typed setters.
//!
//! A parameter is declared once, in a group, with type, default, shape and help. Error messages,
//! help, validation and the JSON Schema of specs come from the shape. Groups that several kinds
//! have are in `shared`; those of one kind are beside its learner, as is the struct that composes
//! the groups of a kind.

mod builder;
mod declare;
mod error;
mod group;
mod preset;
pub mod shape;
pub mod shared;
mod typed;
mod value;

pub use builder::Builder;
pub(super) use declare::{group, is_later, kind_params};
pub use error::ParamError;
pub(super) use group::check_stored;
pub use group::{Entry, Group, Has, ParamSet, Parameter};
pub use preset::Preset;
pub use shape::Shape;
pub(super) use typed::choice;
pub use typed::{Argument, Choice, ParamType};
pub use value::Value;
