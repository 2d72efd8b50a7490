//! Checks of the training examples before learning starts.

use super::weights::Weights;
use super::{Kind, LearnError, Task};

/// Counts the positive and negative examples for a kind that ignores example weights.
///
/// # Errors
/// As [`count_weighted`].
pub(super) fn count_both(kind: Kind, task: &Task<'_>) -> Result<(u64, u64), LearnError> {
    count_weighted(kind, task, &Weights::even(task.examples.len()))
}

/// Counts the positive and negative examples for a kind that supports binary targets only.
///
/// # Errors
/// If the target is a multi-class one, or one class has no example or no weight.
pub(super) fn count_weighted(kind: Kind, task: &Task<'_>, weights: &Weights) -> Result<(u64, u64), LearnError> {
    if let Some(names) = task.classes() {
        let what = format!("does not support multi-class targets, and there are the classes {}", names.join(", "));
        let instead = format!("use {}", multi_class_kinds());
        return Err(LearnError::Cannot { kind, what, instead });
    }
    count_labels(task, weights)
}

/// Lists the kinds that support multi-class targets.
fn multi_class_kinds() -> String {
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.info().multi_class);
    let names: Vec<&str> = kinds.map(Kind::name).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// Counts the positive and negative examples.
///
/// # Errors
/// If one class has no example, or its examples have no weight.
pub(super) fn count_labels(task: &Task<'_>, weights: &Weights) -> Result<(u64, u64), LearnError> {
    let positives = task.examples.iter().filter(|example| example.positive).count();
    let negatives = task.examples.len() - positives;
    let (of_positives, of_negatives) = weights.of_classes(task.examples);
    let target = || task.database.predicates.show(task.target).to_string();
    if positives == 0 || negatives == 0 {
        return Err(LearnError::OneClass { target: target(), positives, negatives });
    }
    if of_positives == 0.0 || of_negatives == 0.0 {
        let (positives, negatives) =
            ((of_positives == 0.0).then_some(positives), (of_negatives == 0.0).then_some(negatives));
        return Err(LearnError::NoWeight { target: target(), positives, negatives });
    }
    Ok((positives as u64, negatives as u64))
}

/// Returns an error if a recursive model is wanted and the target's facts are not evidence.
pub(super) fn check_recursion(task: &Task<'_>, wanted: bool) -> Result<(), LearnError> {
    let Task { database, target, .. } = *task;
    if wanted && database.recursion.is_none_or(|recursion| recursion.target != target) {
        return Err(LearnError::NotRecursive { target: database.predicates.show(target).to_string() });
    }
    Ok(())
}
