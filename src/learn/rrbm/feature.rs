//! Inputs of the RBM from walk counts, and selection of walks.

use super::count::SparseRow;
use crate::determinism::{HashMap, IndexSet};
use crate::kb::Example;

/// Transformation of a walk's count to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// 1 if the walk has a grounding (RRBM-E).
    Existence,
    /// The count divided by its maximum over the training examples (RRBM-C).
    Linear,
    /// log(1 + count) divided by its maximum over the training examples (RRBM-C): counts are
    /// heavy-tailed, and a linear scale would compress all but the largest.
    Log,
}

impl Feature {
    /// Names in files and parameters.
    pub const NAMES: [(&'static str, Feature); 3] =
        [("existence", Feature::Existence), ("linear", Feature::Linear), ("log", Feature::Log)];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|&&(_, feature)| feature == self).map_or("", |&(name, _)| name)
    }

    /// Transforms a positive count, before scaling.
    fn transform(self, count: f64) -> f64 {
        match self {
            Feature::Existence => 1.0,
            Feature::Linear => count,
            Feature::Log => count.ln_1p(),
        }
    }

    /// Returns the inputs of examples; walk `k` becomes input `number(k)`, divided by its scale.
    pub fn inputs(self, counts: &[SparseRow], number: impl Fn(u32) -> Option<u32>, scales: &[f64]) -> Vec<SparseRow> {
        let input = |&(walk, count): &(u32, f64)| {
            let number = number(walk)?;
            Some((number, self.transform(count) / scales[number as usize]))
        };
        counts.iter().map(|row| row.iter().filter_map(input).collect()).collect()
    }
}

/// The selected walks.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedWalks {
    /// Their indices, ascending, with their scales.
    pub walks: Vec<(u32, f64)>,
    /// Number of distinct non-constant walks before truncation.
    pub informative: usize,
}

/// Selects walks: drops those constant over the training examples and duplicates of earlier ones,
/// then keeps the `max_walks` most correlated with the labels.
pub fn select_walks(
    feature: Feature,
    counts: &[SparseRow],
    examples: &[Example],
    walks: usize,
    max_walks: usize,
) -> SelectedWalks {
    let mut columns: Vec<Vec<(u32, u64)>> = vec![Vec::new(); walks];
    for (row, counts) in (0u32..).zip(counts) {
        for &(walk, count) in counts {
            columns[walk as usize].push((row, feature.transform(count).to_bits()));
        }
    }
    let mut seen: IndexSet<Vec<(u32, u64)>> = IndexSet::default();
    let mut kept: Vec<(u32, f64, f64)> = Vec::new();
    for (walk, column) in (0u32..).zip(columns) {
        let values = || column.iter().map(|&(row, bits)| (row, f64::from_bits(bits)));
        let max = values().fold(0.0, |max: f64, (_, value)| max.max(value));
        let min = values().fold(max, |min: f64, (_, value)| min.min(value));
        if max == 0.0 || (column.len() == examples.len() && min == max) || seen.contains(&column) {
            continue;
        }
        kept.push((walk, max, correlation(values(), examples).abs()));
        seen.insert(column);
    }
    let informative = kept.len();
    if informative > max_walks {
        // The sort is stable: ties keep the shorter walks.
        kept.sort_by(|a, b| b.2.total_cmp(&a.2));
        kept.truncate(max_walks);
        kept.sort_by_key(|&(walk, ..)| walk);
    }
    SelectedWalks { walks: kept.into_iter().map(|(walk, scale, _)| (walk, scale)).collect(), informative }
}

/// Returns the weighted correlation of a sparse column with the labels; 0 if undefined.
fn correlation(column: impl Iterator<Item = (u32, f64)>, examples: &[Example]) -> f64 {
    let total: f64 = examples.iter().map(|example| example.weight).sum();
    let positive: f64 = examples.iter().filter(|example| example.positive).map(|example| example.weight).sum();
    let (mut x, mut xx, mut xy) = (0.0, 0.0, 0.0);
    for (row, value) in column {
        let Example { weight, positive, .. } = examples[row as usize];
        x += weight * value;
        xx += weight * value * value;
        xy += if positive { weight * value } else { 0.0 };
    }
    let (mean, rate) = (x / total, positive / total);
    let spread = (xx / total - mean * mean) * rate * (1.0 - rate);
    if spread > 0.0 { (xy / total - mean * rate) / spread.sqrt() } else { 0.0 }
}

/// Maps indices of counted walks to indices of selected walks.
pub fn selected_indices(kept: &[(u32, f64)]) -> HashMap<u32, u32> {
    kept.iter().zip(0u32..).map(|(&(walk, _), number)| (walk, number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(positive: bool) -> Example {
        Example { args: Box::new([]), positive, class: 0, weight: 1.0, line: 0 }
    }

    /// Walks 0 to 5 over four examples, of which the first two are positive.
    fn counts() -> (Vec<SparseRow>, Vec<Example>) {
        let counts = vec![
            vec![(0, 3.0), (1, 7.0), (2, 2.0), (3, 1.0), (4, 3.0)],
            vec![(0, 1.0), (1, 7.0), (3, 4.0), (4, 1.0)],
            vec![(1, 7.0), (2, 1.0)],
            vec![(1, 7.0)],
        ];
        (counts, [true, true, false, false].map(example).to_vec())
    }

    #[test]
    fn constant_and_duplicate_walks_are_dropped() {
        let (counts, examples) = counts();
        // Walk 1 is constant, walk 4 equals walk 0, walk 5 never occurs.
        let kept = select_walks(Feature::Linear, &counts, &examples, 6, 10);
        assert_eq!(kept, SelectedWalks { walks: vec![(0, 3.0), (2, 2.0), (3, 4.0)], informative: 3 });
        // As existence, walk 3 equals walk 0.
        let kept = select_walks(Feature::Existence, &counts, &examples, 6, 10);
        assert_eq!(kept, SelectedWalks { walks: vec![(0, 1.0), (2, 1.0)], informative: 2 });
        // Existence of walk 0 is the label itself; walk 2 is uncorrelated with it.
        let kept = select_walks(Feature::Existence, &counts, &examples, 6, 1);
        assert_eq!(kept, SelectedWalks { walks: vec![(0, 1.0)], informative: 2 });
    }

    #[test]
    fn correlation_matches_hand_computation() {
        let examples = [true, true, false, false].map(example);
        assert!((correlation([(0, 1.0), (1, 1.0)].into_iter(), &examples) - 1.0).abs() < 1e-12);
        assert!(correlation([(0, 1.0), (2, 1.0)].into_iter(), &examples).abs() < 1e-12);
        // Values 2, 0, 0, 0 beside 1, 1, 0, 0: covariance 1/4, variances 3/4 and 1/4.
        let expected = 0.25 / (0.75f64 * 0.25).sqrt();
        assert!((correlation([(0, 2.0)].into_iter(), &examples) - expected).abs() < 1e-12);
    }

    #[test]
    fn inputs_are_scaled_by_the_training_maximum() {
        let (counts, _) = counts();
        let kept = [(0, 3.0), (3, 4.0)];
        let number = selected_indices(&kept);
        let inputs = Feature::Linear.inputs(&counts, |walk| number.get(&walk).copied(), &[3.0, 4.0]);
        assert_eq!(inputs, [vec![(0, 1.0), (1, 0.25)], vec![(0, 1.0 / 3.0), (1, 1.0)], vec![], vec![]]);
        assert!((Feature::Log.transform(1.0) - 2f64.ln()).abs() < 1e-15);
    }
}
