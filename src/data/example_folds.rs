//! Folds of the training examples themselves: inner cross-validation without a test set.
//!
//! Examples are dealt out at random and stratified by label, as [`random_folds`] does; all folds
//! share the facts. Datasets with folds of their own have inner folds of their own instead:
//! [`super::split::TrainingPart`].

use super::folds::random_folds;
use crate::kb::Example;

/// The training and the test examples of a fold, as ascending indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleFold {
    /// Indices of the training examples.
    pub train: Vec<u32>,
    /// Indices of the test examples.
    pub test: Vec<u32>,
}

/// The error of too few examples for a number of folds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{count} folds need at least {count} {label} examples, there are {found}")]
pub struct TooFewExamples {
    /// The requested number of folds.
    pub count: usize,
    /// The label with the fewest examples.
    pub label: String,
    /// Its number of examples.
    pub found: usize,
}

/// Splits training examples into folds. Every label has examples on both sides of every fold.
///
/// The result depends on the seed, the purpose, and the order and labels of the examples alone.
///
/// # Errors
/// If a label has fewer examples than there are folds.
pub fn example_folds(
    examples: &[Example],
    count: usize,
    seed: u64,
    purpose: &str,
) -> Result<Vec<ExampleFold>, TooFewExamples> {
    let count = count.max(2);
    let classes = examples.iter().map(|example| example.class + 1).max().unwrap_or(1);
    let labels: Vec<(String, bool, u32)> = match classes {
        1 => vec![("positive".to_owned(), true, 0), ("negative".to_owned(), false, 0)],
        _ => (0..classes).map(|class| (format!("class-{}", class + 1), true, class)).collect(),
    };
    for (label, positive, class) in labels {
        let found = examples.iter().filter(|e| e.positive == positive && e.class == class).count();
        if found < count {
            return Err(TooFewExamples { count, label, found });
        }
    }
    let folds = random_folds(examples, count, seed, purpose);
    let of_fold = |fold: u32| {
        let (test, train) = (0..examples.len() as u32).partition(|&i| folds[i as usize] == fold);
        ExampleFold { train, test }
    };
    Ok((0..count as u32).map(of_fold).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn examples(labels: &[(bool, u32)]) -> Vec<Example> {
        let example =
            |&(positive, class): &(bool, u32)| Example { args: [].into(), positive, class, weight: 1.0, line: 0 };
        labels.iter().map(example).collect()
    }

    proptest! {
        #[test]
        fn folds_partition_the_examples_and_have_every_label_on_both_sides(
            labels in prop::collection::vec(any::<bool>(), 0..80),
            count in 2usize..6,
            seed: u64,
        ) {
            let labels: Vec<(bool, u32)> = labels.into_iter().map(|label| (label, 0)).collect();
            let examples = examples(&labels);
            let positives = labels.iter().filter(|label| label.0).count();
            let smallest = positives.min(labels.len() - positives);
            let folds = example_folds(&examples, count, seed, "toy");
            prop_assert_eq!(folds.is_ok(), smallest >= count);
            let mut tested = vec![0; labels.len()];
            for ExampleFold { train, test } in folds.into_iter().flatten() {
                prop_assert_eq!(train.len() + test.len(), labels.len());
                prop_assert!(train.iter().all(|i| !test.contains(i)));
                test.iter().for_each(|&i| tested[i as usize] += 1);
                for side in [&train, &test] {
                    for label in [true, false] {
                        prop_assert!(side.iter().any(|&i| labels[i as usize].0 == label));
                    }
                }
            }
            if smallest >= count {
                prop_assert!(tested.iter().all(|&times| times == 1));
            }
        }
    }

    #[test]
    fn the_label_with_too_few_examples_is_named() {
        let few = examples(&[(true, 0), (true, 0), (false, 0)]);
        let error = example_folds(&few, 2, 1, "toy").unwrap_err();
        assert_eq!(error.to_string(), "2 folds need at least 2 negative examples, there are 1");
        let classes = examples(&[(true, 0), (true, 0), (true, 1)]);
        assert_eq!(example_folds(&classes, 2, 1, "toy").unwrap_err().label, "class-2");
        let enough = examples(&[(true, 0), (true, 0), (true, 1), (true, 1)]);
        assert_eq!(example_folds(&enough, 2, 1, "toy").unwrap().len(), 2);
    }
}
