//! Weights of training examples: the example weight times the class weight.

use crate::cover::Bits;
use crate::kb::Example;

/// Weights of a list of examples.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    count: usize,
    /// `None` if all are 1: then nothing needs to be multiplied, and sums are whole numbers.
    of: Option<Vec<f64>>,
    /// The examples to train on; `None` for all.
    within: Option<Bits>,
}

impl Weights {
    /// Creates the weights; those of positive examples are multiplied by `positive_weight`.
    pub fn new(examples: &[Example], positive_weight: f64) -> Self {
        let weight = |example: &Example| example.weight * if example.positive { positive_weight } else { 1.0 };
        let all_one = examples.iter().all(|example| weight(example) == 1.0);
        let of = (!all_one).then(|| examples.iter().map(weight).collect());
        Weights { count: examples.len(), of, within: None }
    }

    /// Creates weights of 1 for `count` examples.
    pub fn even(count: usize) -> Self {
        Weights { count, of: None, within: None }
    }

    /// Restricts training to some of the examples.
    pub fn restricted_to(self, within: Bits) -> Self {
        Weights { within: Some(within), ..self }
    }

    /// Returns the weights; `None` if all are 1.
    pub fn get(&self) -> Option<&[f64]> {
        self.of.as_deref()
    }

    /// Returns the weight of an example; 0 if it is not to be trained on.
    pub fn at(&self, example: usize) -> f64 {
        if self.within.as_ref().is_some_and(|within| !within.get(example)) {
            return 0.0;
        }
        self.of.as_ref().map_or(1.0, |weights| weights[example])
    }

    /// Returns the examples with a weight above 0.
    pub fn counted(&self) -> Bits {
        Bits::from_fn(self.count, |i| self.at(i) > 0.0)
    }

    /// Returns the weighted log-odds of the positives.
    pub fn log_odds(&self, examples: &[Example]) -> f64 {
        let (positives, negatives) = self.of_classes(examples);
        (positives / negatives).ln()
    }

    /// Returns the total weight of the positives and of the negatives.
    pub fn of_classes(&self, examples: &[Example]) -> (f64, f64) {
        let of = |label| {
            let own = examples.iter().enumerate().filter(|(_, example)| example.positive == label);
            own.map(|(i, _)| self.at(i)).sum()
        };
        (of(true), of(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_weights_are_multiplied_by_class_weights() {
        let example = |positive, weight| Example { args: Box::new([]), positive, class: 0, weight, line: 0 };
        let even = [example(true, 1.0), example(false, 1.0)];
        assert_eq!(Weights::new(&even, 1.0).get(), None);
        assert_eq!(Weights::new(&even, 3.0).get(), Some(&[3.0, 1.0][..]));
        let own = [example(true, 0.5), example(true, 0.0), example(false, 2.0)];
        let weights = Weights::new(&own, 2.0);
        // One product is 1 (0.5 times 2), the others are not.
        assert_eq!(weights.get(), Some(&[1.0, 0.0, 2.0][..]));
        assert_eq!((weights.counted().count(), weights.of_classes(&own)), (2, (1.0, 2.0)));
    }
}
