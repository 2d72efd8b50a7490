//! Thresholds for numeric arguments: quantiles of the numbers in the facts.
//!
//! Facts are available in training; labels and anything specific to the test data are not used.

use crate::kb::{Database, Mode, TypeId};
use crate::logic::PredicateId;

/// Returns the thresholds for an argument of a mode; none if the mode does not ask for a constant
/// there or names one, or if a constant at the argument is not a number.
pub(super) fn of_slot(database: &Database, mode: &Mode, position: usize, cuts: usize) -> Vec<f64> {
    let slot = &mode.args[position];
    if cuts == 0 || !slot.symbol.may_be_constant() || slot.constant.is_some() {
        return Vec::new();
    }
    let numbers = match mode.predicate.comparison() {
        Some(_) => numbers_of_type(database, slot.type_id),
        None => numbers_at(database, mode.predicate, position),
    };
    numbers.map_or_else(Vec::new, |numbers| quantiles(numbers, cuts))
}

/// Returns the numbers at an argument, one per fact; `None` if a constant there is not a number.
pub(super) fn numbers_at(database: &Database, predicate: PredicateId, position: usize) -> Option<Vec<f64>> {
    let relation = database.facts.relation(predicate);
    relation.iter().map(|row| database.symbols.number(row.get(position))).collect()
}

/// Returns the numbers at all arguments of a type, one per fact.
fn numbers_of_type(database: &Database, type_id: TypeId) -> Option<Vec<f64>> {
    let mut all = Vec::new();
    for id in database.predicates.iter() {
        for (position, &here) in database.schema.argument_types(id).unwrap_or_default().iter().enumerate() {
            if here == type_id {
                all.extend(numbers_at(database, id, position)?);
            }
        }
    }
    Some(all)
}

/// Returns up to `cuts` quantiles in ascending order. Each is one of the numbers and less than the
/// largest, which would not separate any.
fn quantiles(mut numbers: Vec<f64>, cuts: usize) -> Vec<f64> {
    numbers.retain(|number| !number.is_nan());
    numbers.sort_by(f64::total_cmp);
    let Some(&largest) = numbers.last() else { return Vec::new() };
    // The k-th quantile has k / (cuts + 1) of all numbers at or below it.
    let at = |k: usize| numbers[(k * numbers.len()).div_ceil(cuts + 1).max(1) - 1];
    let mut chosen: Vec<f64> = (1..=cuts).map(at).filter(|&number| number < largest).collect();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_worked_examples() {
        let numbers = |to: u32| (1..=to).map(f64::from).collect::<Vec<_>>();
        // A quarter, half and three quarters of eight numbers.
        assert_eq!(quantiles(numbers(8), 3), [2.0, 4.0, 6.0]);
        assert_eq!(quantiles(numbers(3), 10), [1.0, 2.0]);
        assert_eq!(quantiles(vec![7.0; 5], 4), [0.0; 0]);
        assert_eq!(quantiles(vec![], 4), [0.0; 0]);
        // Most are 1, so the lower quantiles coincide.
        assert_eq!(quantiles(vec![1.0, 5.0, 1.0, 1.0, -2.0, 1.0], 3), [1.0]);
        assert_eq!(quantiles(vec![0.5, f64::INFINITY, f64::NEG_INFINITY], 2), [f64::NEG_INFINITY, 0.5]);
    }
}
