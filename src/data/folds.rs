//! Assigns examples to folds: at random and stratified by label, or by time.

use crate::determinism::Stream;
use crate::kb::Example;

/// Returns the test fold of each example, from 0.
///
/// Positives and negatives, and the classes if there are several, are shuffled separately and dealt
/// out in turn, so fold sizes differ by at most one of each. The result depends only on the seed,
/// the name of the dataset, and the number and labels of the examples.
///
/// # Panics
/// If `k` is 0.
pub fn random_folds(examples: &[Example], k: usize, seed: u64, dataset: &str) -> Vec<u32> {
    assert!(k > 0, "the number of folds must be at least 1");
    let mut folds = vec![0; examples.len()];
    for (label, purpose) in [(true, "positives"), (false, "negatives")] {
        let classes = examples.iter().map(|example| example.class + 1).max().unwrap_or(0);
        let mut turn = 0;
        for class in 0..classes {
            let own = |&i: &usize| examples[i].positive == label && examples[i].class == class;
            let mut indices: Vec<usize> = (0..examples.len()).filter(own).collect();
            let number = class.to_string();
            let mut stream = match class {
                0 => Stream::new(seed, &[dataset, "folds", purpose]),
                _ => Stream::new(seed, &[dataset, "folds", purpose, &number]),
            };
            stream.shuffle(&mut indices);
            for index in indices {
                folds[index] = (turn % k) as u32;
                turn += 1;
            }
        }
    }
    folds
}

/// Returns the group of each time, from 0 for the oldest. The cuts spread `reference` times over
/// the groups as evenly as possible without separating equal times.
///
/// Returns `None` if there are fewer distinct times than groups.
pub fn groups_by_time(reference: &[f64], times: &[f64], groups: usize) -> Option<Vec<u32>> {
    let mut sorted = reference.to_vec();
    sorted.sort_by(f64::total_cmp);
    // Each distinct time with the number of times up to it.
    let mut ends: Vec<(f64, usize)> = Vec::new();
    for (i, &time) in sorted.iter().enumerate() {
        match ends.last_mut() {
            Some(last) if last.0 == time => last.1 = i + 1,
            _ => ends.push((time, i + 1)),
        }
    }
    if groups == 0 || ends.len() < groups {
        return None;
    }
    let mut cuts: Vec<f64> = Vec::with_capacity(groups - 1);
    let mut start = 0;
    for group in 1..groups {
        // The end nearest to the ideal cut that leaves a time for every following group.
        let last = ends.len() - 1 - (groups - group);
        let distance = |end: usize| (ends[end].1 * groups).abs_diff(group * sorted.len());
        let best = (start..=last).min_by_key(|&end| distance(end))?;
        cuts.push(ends[best].0);
        start = best + 1;
    }
    Some(times.iter().map(|&time| cuts.partition_point(|&cut| cut < time) as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn examples(labels: &[bool]) -> Vec<Example> {
        let example = |&positive: &bool| Example { args: Box::new([]), positive, class: 0, weight: 1.0, line: 0 };
        labels.iter().map(example).collect()
    }

    proptest! {
        #[test]
        fn folds_are_balanced_and_repeatable(labels in prop::collection::vec(any::<bool>(), 0..200), k in 1usize..8, seed: u64) {
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

    proptest! {
        #[test]
        fn classes_are_balanced(classes in prop::collection::vec(0u32..4, 0..120), k in 1usize..6, seed: u64) {
            let mut examples = examples(&vec![true; classes.len()]);
            examples.iter_mut().zip(&classes).for_each(|(example, &class)| example.class = class);
            let folds = random_folds(&examples, k, seed, "toy");
            let sizes = |of: &dyn Fn(usize) -> bool| -> Vec<usize> {
                (0..k as u32).map(|fold| (0..folds.len()).filter(|&i| folds[i] == fold && of(i)).count()).collect()
            };
            let even = |sizes: Vec<usize>| sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1;
            prop_assert!(even(sizes(&|_| true)));
            for class in 0..4 {
                prop_assert!(even(sizes(&|i| classes[i] == class)));
            }
        }
    }

    #[test]
    fn random_folds_are_fixed_and_depend_on_seed_and_name() {
        let examples = examples(&[true; 10]);
        let folds = random_folds(&examples, 5, 7, "toy");
        assert_eq!(folds, EXPECTED_FOLDS);
        assert_ne!(folds, random_folds(&examples, 5, 8, "toy"));
        assert_ne!(folds, random_folds(&examples, 5, 7, "other"));
    }
    const EXPECTED_FOLDS: [u32; 10] = [1, 3, 4, 1, 0, 2, 4, 3, 2, 0];

    #[test]
    fn times_are_cut_into_balanced_groups() {
        let times = [3.0, 1.0, 1.0, 2.0, 5.0, 5.0, 5.0, 5.0];
        // Ideal cuts after 2.67 and 5.33 of 8: after time 2 (3 of 8) and time 3 (4 of 8).
        assert_eq!(groups_by_time(&times, &times, 3).unwrap(), [1, 0, 0, 0, 2, 2, 2, 2]);
        assert_eq!(groups_by_time(&times, &[0.0, 2.5, 9.0], 3).unwrap(), [0, 1, 2]);
        assert_eq!(groups_by_time(&times, &times, 4).unwrap(), [2, 0, 0, 1, 3, 3, 3, 3]);
        assert_eq!(groups_by_time(&times, &times, 5), None);
        assert_eq!(groups_by_time(&[], &[], 1), None);
    }

    proptest! {
        #[test]
        fn groups_by_time_are_ordered_and_nonempty(
            times in prop::collection::vec(0u8..20, 1..60),
            groups in 1usize..8,
        ) {
            let times: Vec<f64> = times.into_iter().map(f64::from).collect();
            let mut distinct = times.clone();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            let assigned = groups_by_time(&times, &times, groups);
            prop_assert_eq!(assigned.is_some(), distinct.len() >= groups);
            if let Some(assigned) = assigned {
                for group in 0..groups as u32 {
                    prop_assert!(assigned.contains(&group));
                }
                for (a, x) in assigned.iter().zip(&times) {
                    for (b, y) in assigned.iter().zip(&times) {
                        let in_order = if x == y { a == b } else { (x < y) == (a < b) || a == b };
                        prop_assert!(in_order);
                    }
                }
            }
        }
    }
}
