//! Inputs of the RBM from walk counts, and selection of walks.

use super::count::SparseRow;
use crate::determinism::{HashMap, IndexSet, Stream};

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

/// Selects walks without regard to labels: drops those constant over the training examples and
/// duplicates of earlier ones, then keeps the `max_walks` shortest. Of the length that fits only in
/// part, a uniform sample is kept. `lengths` are the numbers of steps, ascending.
pub fn select_walks(
    feature: Feature,
    counts: &[SparseRow],
    lengths: &[usize],
    max_walks: usize,
    stream: &mut Stream,
) -> SelectedWalks {
    let mut columns: Vec<Vec<(u32, u64)>> = vec![Vec::new(); lengths.len()];
    for (row, counts) in (0u32..).zip(counts) {
        for &(walk, count) in counts {
            columns[walk as usize].push((row, feature.transform(count).to_bits()));
        }
    }
    let mut seen: IndexSet<Vec<(u32, u64)>> = IndexSet::default();
    let mut kept: Vec<(u32, f64)> = Vec::new();
    for (walk, column) in (0u32..).zip(columns) {
        let values = || column.iter().map(|&(_, bits)| f64::from_bits(bits));
        let max = values().fold(0.0, f64::max);
        let min = values().fold(max, f64::min);
        if max == 0.0 || (column.len() == counts.len() && min == max) || seen.contains(&column) {
            continue;
        }
        kept.push((walk, max));
        seen.insert(column);
    }
    let informative = kept.len();
    if let Some(&(first_dropped, _)) = kept.get(max_walks) {
        let partial = lengths[first_dropped as usize];
        let length = |walk: &(u32, f64)| lengths[walk.0 as usize];
        let (mut walks, mut longest): (Vec<_>, Vec<_>) =
            kept.into_iter().filter(|walk| length(walk) <= partial).partition(|walk| length(walk) < partial);
        stream.shuffle(&mut longest);
        longest.truncate(max_walks - walks.len());
        longest.sort_unstable_by_key(|&(walk, _)| walk);
        walks.append(&mut longest);
        kept = walks;
    }
    SelectedWalks { walks: kept, informative }
}

/// Maps indices of counted walks to indices of selected walks.
pub fn selected_indices(kept: &[(u32, f64)]) -> HashMap<u32, u32> {
    kept.iter().zip(0u32..).map(|(&(walk, _), number)| (walk, number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks 0 to 5 over four examples.
    fn counts() -> Vec<SparseRow> {
        vec![
            vec![(0, 3.0), (1, 7.0), (2, 2.0), (3, 1.0), (4, 3.0)],
            vec![(0, 1.0), (1, 7.0), (3, 4.0), (4, 1.0)],
            vec![(1, 7.0), (2, 1.0)],
            vec![(1, 7.0)],
        ]
    }

    fn select(feature: Feature, lengths: [usize; 6], max_walks: usize, seed: u64) -> SelectedWalks {
        select_walks(feature, &counts(), &lengths, max_walks, &mut Stream::new(seed, &["test"]))
    }

    #[test]
    fn constant_and_duplicate_walks_are_dropped() {
        let lengths = [1, 1, 2, 2, 3, 3];
        // Walk 1 is constant, walk 4 equals walk 0, walk 5 never occurs.
        let kept = select(Feature::Linear, lengths, 10, 1);
        assert_eq!(kept, SelectedWalks { walks: vec![(0, 3.0), (2, 2.0), (3, 4.0)], informative: 3 });
        // As existence, walk 3 equals walk 0.
        let kept = select(Feature::Existence, lengths, 10, 1);
        assert_eq!(kept, SelectedWalks { walks: vec![(0, 1.0), (2, 1.0)], informative: 2 });
    }

    #[test]
    fn shorter_walks_are_kept_and_the_partial_length_is_sampled() {
        // Walk 0 has one step, walks 2 and 3 have two: either may be the second.
        let mut second: Vec<u32> = Vec::new();
        for seed in 0..20 {
            let kept = select(Feature::Linear, [1, 1, 2, 2, 3, 3], 2, seed);
            assert_eq!((kept.walks.len(), kept.walks[0], kept.informative), (2, (0, 3.0), 3));
            second.push(kept.walks[1].0);
        }
        assert!(second.contains(&2) && second.contains(&3), "{second:?}");
        // With one step less, walk 2 is always among the two.
        let kept = select(Feature::Linear, [1, 1, 1, 2, 3, 3], 2, 1);
        assert_eq!(kept.walks, [(0, 3.0), (2, 2.0)]);
    }

    #[test]
    fn inputs_are_scaled_by_the_training_maximum() {
        let counts = counts();
        let kept = [(0, 3.0), (3, 4.0)];
        let number = selected_indices(&kept);
        let inputs = Feature::Linear.inputs(&counts, |walk| number.get(&walk).copied(), &[3.0, 4.0]);
        assert_eq!(inputs, [vec![(0, 1.0), (1, 0.25)], vec![(0, 1.0 / 3.0), (1, 1.0)], vec![], vec![]]);
        assert!((Feature::Log.transform(1.0) - 2f64.ln()).abs() < 1e-15);
    }
}
