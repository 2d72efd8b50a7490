//! Cross-validation: every example in exactly one test fold, positives and negatives spread evenly.

use crate::kb::Example;
use crate::order::Stream;

/// The test fold of each example, from 0.
///
/// Positives and negatives are shuffled apart and dealt out in turn, so that fold sizes differ by at most one of each.
/// The draw depends on nothing but the seed, the dataset's name, and the number and labels of the examples.
///
/// # Panics
/// If `k` is 0.
pub fn random_folds(examples: &[Example], k: usize, seed: u64, dataset: &str) -> Vec<u32> {
    assert!(k > 0, "there is at least one fold");
    let mut folds = vec![0; examples.len()];
    for (label, purpose) in [(true, "positives"), (false, "negatives")] {
        let mut indices: Vec<usize> = (0..examples.len()).filter(|&i| examples[i].positive == label).collect();
        Stream::new(seed, &[dataset, "folds", purpose]).shuffle(&mut indices);
        for (turn, index) in indices.into_iter().enumerate() {
            folds[index] = (turn % k) as u32;
        }
    }
    folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn examples(labels: &[bool]) -> Vec<Example> {
        let example = |&positive: &bool| Example { args: Box::new([]), positive, weight: 1.0, line: 0 };
        labels.iter().map(example).collect()
    }

    proptest! {
        #[test]
        fn folds_are_even_and_repeatable(labels in prop::collection::vec(any::<bool>(), 0..200), k in 1usize..8, seed: u64) {
            let examples = examples(&labels);
            let folds = random_folds(&examples, k, seed, "toy");
            prop_assert_eq!(&folds, &random_folds(&examples, k, seed, "toy"));
            for label in [true, false] {
                let sizes: Vec<usize> = (0..k as u32)
                    .map(|fold| (0..labels.len()).filter(|&i| labels[i] == label && folds[i] == fold).count())
                    .collect();
                prop_assert_eq!(sizes.iter().sum::<usize>(), labels.iter().filter(|&&l| l == label).count());
                prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
        }
    }

    #[test]
    fn the_draw_is_frozen_and_depends_on_its_purpose() {
        let examples = examples(&[true; 10]);
        let folds = random_folds(&examples, 5, 7, "toy");
        assert_eq!(folds, FROZEN);
        assert_ne!(folds, random_folds(&examples, 5, 8, "toy"));
        assert_ne!(folds, random_folds(&examples, 5, 7, "other"));
    }
    const FROZEN: [u32; 10] = [1, 3, 4, 1, 0, 2, 4, 3, 2, 0];
}
