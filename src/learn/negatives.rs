//! Random draws of negative examples, for data with many more negatives than positives.

use std::borrow::Cow;

use super::params::shared::Training;
use super::{LearnError, Task};
use crate::cover::Bits;
use crate::determinism::Stream;
use crate::kb::Example;

/// Returns the examples that training uses: all, or with fewer negatives, drawn once per model.
///
/// # Errors
/// If negatives are to be drawn for a multi-class target, which has none.
pub(super) fn of_model<'a>(task: &Task<'a>, training: &Training) -> Result<Cow<'a, [Example]>, LearnError> {
    let Some(per_positive) = training.train_negatives else { return Ok(Cow::Borrowed(task.examples)) };
    if task.classes().is_some() {
        let target = task.database.predicates.show(task.target).to_string();
        return Err(LearnError::NotForClasses { what: "train_negatives", target });
    }
    if training.redraw_negatives {
        return Ok(Cow::Borrowed(task.examples));
    }
    let counted = Bits::from_fn(task.examples.len(), |i| task.examples[i].weight > 0.0);
    let drawn = drawn(task.examples, &counted, per_positive, &mut Stream::new(task.seed, &["negatives"]));
    Ok(drawn.iter().map(|i| task.examples[i].clone()).collect())
}

/// Checks that negatives are drawn again only if their number is given.
///
/// # Errors
/// If it is not given.
pub(super) fn check(training: &Training) -> Result<(), LearnError> {
    match training.redraw_negatives && training.train_negatives.is_none() {
        true => Err(LearnError::Requires { what: "redraw_negatives", other: "train_negatives" }),
        false => Ok(()),
    }
}

/// Returns the examples for one tree: all of `from`, or with fewer negatives if they are drawn
/// again for each tree.
pub(super) fn of_tree(examples: &[Example], from: &Bits, per_positive: Option<u32>, seed: u64, tree: usize) -> Bits {
    let Some(per_positive) = per_positive else { return from.clone() };
    drawn(examples, from, per_positive, &mut Stream::new(seed, &["negatives", &tree.to_string()]))
}

/// Draws at most `per_positive` negatives of `from` for each positive, at least one.
fn drawn(examples: &[Example], from: &Bits, per_positive: u32, stream: &mut Stream) -> Bits {
    let (mut drawn, mut negatives) = (Bits::zeros(from.len()), Vec::new());
    for i in from.iter() {
        match examples[i].positive {
            true => drawn.set(i, true),
            false => negatives.push(i),
        }
    }
    let max = (per_positive as usize).saturating_mul(drawn.count()).max(1);
    if negatives.len() > max {
        stream.shuffle(&mut negatives);
        negatives.truncate(max);
    }
    negatives.into_iter().for_each(|i| drawn.set(i, true));
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(positives: usize, negatives: usize) -> Vec<Example> {
        let example =
            |i| Example { args: Box::new([]), positive: i < positives, class: 0, weight: 1.0, line: i as u32 };
        (0..positives + negatives).map(example).collect()
    }

    #[test]
    fn all_positives_and_some_negatives_are_drawn() {
        let (all, in_use) = (examples(3, 20), Bits::ones(23));
        let draw = |per_positive, tree| of_tree(&all, &in_use, per_positive, 1, tree);
        let counts = |bits: &Bits| (bits.iter().filter(|&i| i < 3).count(), bits.iter().filter(|&i| i >= 3).count());
        assert_eq!((counts(&draw(Some(2), 0)), counts(&draw(Some(7), 0))), ((3, 6), (3, 20)));
        assert_eq!(draw(None, 0), in_use);
        assert_eq!(draw(Some(2), 0), draw(Some(2), 0));
        assert_ne!(draw(Some(2), 0), draw(Some(2), 1));
        // Without positives one negative is left, so that the error names the missing positives.
        let none = examples(0, 5);
        assert_eq!(of_tree(&none, &Bits::ones(5), Some(2), 1, 0).count(), 1);
    }

    #[test]
    fn a_model_keeps_the_order_of_examples() {
        let (database, ..) = crate::kb::sample::build("p(a). h(X) :- p(X).", None);
        let target = database.predicates.find("h", 1).unwrap();
        let all = examples(2, 9);
        let task = Task { database: &database, target, examples: &all, seed: 5, resources: Default::default() };
        let training = Training { train_negatives: Some(2), ..Training::default() };
        let lines: Vec<_> = of_model(&task, &training).unwrap().iter().map(|example| example.line).collect();
        assert!(lines.len() == 6 && lines.is_sorted() && lines[..2] == [0, 1], "{lines:?}");
        let redrawn = Training { redraw_negatives: true, ..training };
        assert_eq!(of_model(&task, &redrawn).unwrap().len(), 11);
        assert_eq!(of_model(&task, &Training::default()).unwrap().len(), 11);
        let without = Training { redraw_negatives: true, ..Training::default() };
        let message = check(&without).unwrap_err().to_string();
        assert_eq!(message, "redraw_negatives needs train_negatives: set it as well, or omit redraw_negatives");
    }
}
