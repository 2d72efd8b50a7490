//! What values of parameters may be, and what they stand for.

use super::value::Value;
use super::{ClauseWeights, Form, LeafFit, Prior};
use crate::learn::rrbm::feature::Feature;
use crate::rbm::{Schedule, Visit};
use crate::tree::{Expand, LookAhead};

/// The most trees, leaves, or anything else that is counted.
pub(super) const MANY: u64 = 1_000_000;

pub(super) const LEAF_FITS: &[(&str, LeafFit)] =
    &[("coordinate-descent", LeafFit::CoordinateDescent), ("closed-form", LeafFit::ClosedForm)];
pub(super) const SCHEDULES: &[(&str, Schedule)] = &[("authors", Schedule::Authors), ("sqrt", Schedule::Sqrt)];
pub(super) const ORDERS: &[(&str, Visit)] = &[("online", Visit::Online), ("batch", Visit::Batch)];
pub(super) const FORMS: &[(&str, Form)] = &[("trees", Form::Trees), ("clauses", Form::Clauses)];
pub(super) const CLAUSE_WEIGHTS: &[(&str, ClauseWeights)] =
    &[("fitted", ClauseWeights::Fitted), ("votes", ClauseWeights::Votes)];
pub(super) const COUNT_SCALES: &[(&str, Feature)] = &[("log", Feature::Log), ("linear", Feature::Linear)];
pub(super) const LOOK_AHEADS: &[(&str, LookAhead)] = &[("anywhere", LookAhead::Anywhere), ("head", LookAhead::Head)];
pub(super) const EXPANDS: &[(&str, Expand)] = &[("mean", Expand::Mean), ("total", Expand::Total)];

pub(super) fn whole(value: &Value, from: u64, to: u64) -> Option<u64> {
    value.as_u64().filter(|n| (from..=to).contains(n))
}

/// A whole number, or nothing, which has a name.
pub(super) fn whole_or(value: &Value, from: u64, nothing: &str) -> Option<Option<u32>> {
    if value.as_text() == Some(nothing) {
        return Some(None);
    }
    whole(value, from, MANY).map(|n| Some(n as u32))
}

pub(super) fn number_or(number: Option<u32>, nothing: &str) -> Value {
    number.map_or_else(|| nothing.into(), |n| Value::Integer(n.into()))
}

pub(super) fn whole_or_none(value: &Value, from: u64) -> Option<Option<u32>> {
    whole_or(value, from, "none")
}

pub(super) fn number_or_none(number: Option<u32>) -> Value {
    number_or(number, "none")
}

pub(super) fn above_zero(value: &Value, to: f64) -> Option<f64> {
    value.as_f64().filter(|&x| x > 0.0 && x <= to)
}

pub(super) fn prior(value: &Value) -> Option<Prior> {
    match value.as_text() {
        Some("log-odds") => Some(Prior::LogOdds),
        _ => value.as_f64().filter(|x| x.abs() <= 100.0).map(Prior::Value),
    }
}

pub(super) fn one_of<T: Copy>(value: &Value, names: &[(&str, T)]) -> Option<T> {
    let text = value.as_text()?;
    names.iter().find(|(name, _)| *name == text).map(|&(_, meaning)| meaning)
}

pub(super) fn name_of<T: PartialEq>(meaning: T, names: &[(&str, T)]) -> Value {
    names.iter().find(|(_, known)| *known == meaning).map_or("", |(name, _)| name).into()
}
