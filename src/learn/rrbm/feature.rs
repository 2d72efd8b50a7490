//! Walks as inputs of a machine: what a count is worth, and which walks are kept.

use super::count::Counts;
use crate::determinism::{HashMap, IndexSet};
use crate::kb::Example;

/// What is made of the number of groundings of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// 1 if there is one (RRBM-E).
    Existence,
    /// The number, divided by the largest of the training examples (RRBM-C).
    Linear,
    /// log(1 + the number), divided by the largest of the training examples (RRBM-C). Numbers of groundings have long
    /// tails, and one large number would push all others together.
    Log,
}

impl Feature {
    /// The names by which files and parameters know them.
    pub const NAMES: [(&'static str, Feature); 3] =
        [("existence", Feature::Existence), ("linear", Feature::Linear), ("log", Feature::Log)];

    /// The name of this one.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|&&(_, feature)| feature == self).map_or("", |&(name, _)| name)
    }

    /// What a number above 0 is worth before it is divided.
    fn worth(self, count: f64) -> f64 {
        match self {
            Feature::Existence => 1.0,
            Feature::Linear => count,
            Feature::Log => count.ln_1p(),
        }
    }

    /// The inputs of examples from their counts; walk `k` becomes the input `number[k]`, divided by its scale.
    pub fn inputs(self, counts: &[Counts], number: impl Fn(u32) -> Option<u32>, scales: &[f64]) -> Vec<Counts> {
        let input = |&(walk, count): &(u32, f64)| {
            let number = number(walk)?;
            Some((number, self.worth(count) / scales[number as usize]))
        };
        counts.iter().map(|row| row.iter().filter_map(input).collect()).collect()
    }
}

/// The walks that are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Their numbers, ascending, and what their inputs are divided by.
    pub walks: Vec<(u32, f64)>,
    /// How many tell some examples apart as no other does, kept or not.
    pub telling: usize,
}

/// Of the walks that were counted for the training examples, those that tell some of them apart; of walks that say the
/// same of every example, the first; and of what is left, the `most` that go along best with the labels.
pub fn choose(feature: Feature, counts: &[Counts], examples: &[Example], walks: usize, most: usize) -> Kept {
    let mut columns: Vec<Vec<(u32, u64)>> = vec![Vec::new(); walks];
    for (row, counts) in (0u32..).zip(counts) {
        for &(walk, count) in counts {
            columns[walk as usize].push((row, feature.worth(count).to_bits()));
        }
    }
    let mut seen: IndexSet<Vec<(u32, u64)>> = IndexSet::default();
    let mut kept: Vec<(u32, f64, f64)> = Vec::new();
    for (walk, column) in (0u32..).zip(columns) {
        let values = || column.iter().map(|&(row, bits)| (row, f64::from_bits(bits)));
        let most = values().fold(0.0, |most: f64, (_, value)| most.max(value));
        let least = values().fold(most, |least: f64, (_, value)| least.min(value));
        if most == 0.0 || (column.len() == examples.len() && least == most) || seen.contains(&column) {
            continue;
        }
        kept.push((walk, most, correlation(values(), examples).abs()));
        seen.insert(column);
    }
    let telling = kept.len();
    if telling > most {
        // The sort is stable: of walks that are as good, the shorter stay.
        kept.sort_by(|a, b| b.2.total_cmp(&a.2));
        kept.truncate(most);
        kept.sort_by_key(|&(walk, ..)| walk);
    }
    Kept { walks: kept.into_iter().map(|(walk, scale, _)| (walk, scale)).collect(), telling }
}

/// The correlation of a column with the labels; 0 where there is none. Rows that are not listed are 0.
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

/// The numbers of kept walks, from the numbers they were counted by.
pub fn numbers(kept: &[(u32, f64)]) -> HashMap<u32, u32> {
    kept.iter().zip(0u32..).map(|(&(walk, _), number)| (walk, number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(positive: bool) -> Example {
        Example { args: Box::new([]), positive, class: 0, weight: 1.0, line: 0 }
    }

    /// Walks 0 to 5 over four examples, of which the first two are positive.
    fn counts() -> (Vec<Counts>, Vec<Example>) {
        let counts = vec![
            vec![(0, 3.0), (1, 7.0), (2, 2.0), (3, 1.0), (4, 3.0)],
            vec![(0, 1.0), (1, 7.0), (3, 4.0), (4, 1.0)],
            vec![(1, 7.0), (2, 1.0)],
            vec![(1, 7.0)],
        ];
        (counts, [true, true, false, false].map(example).to_vec())
    }

    #[test]
    fn walks_that_say_nothing_or_nothing_new_go() {
        let (counts, examples) = counts();
        // Walk 1 is 7 for all, walk 4 is walk 0, walk 5 is never there.
        let kept = choose(Feature::Linear, &counts, &examples, 6, 10);
        assert_eq!(kept, Kept { walks: vec![(0, 3.0), (2, 2.0), (3, 4.0)], telling: 3 });
        // Whether there is one: walk 3 is walk 0 then.
        let kept = choose(Feature::Existence, &counts, &examples, 6, 10);
        assert_eq!(kept, Kept { walks: vec![(0, 1.0), (2, 1.0)], telling: 2 });
        // Existence of walk 0 is the label itself; walk 2 says nothing of it.
        let kept = choose(Feature::Existence, &counts, &examples, 6, 1);
        assert_eq!(kept, Kept { walks: vec![(0, 1.0)], telling: 2 });
    }

    #[test]
    fn correlations_by_hand() {
        let examples = [true, true, false, false].map(example);
        assert!((correlation([(0, 1.0), (1, 1.0)].into_iter(), &examples) - 1.0).abs() < 1e-12);
        assert!(correlation([(0, 1.0), (2, 1.0)].into_iter(), &examples).abs() < 1e-12);
        // Values 2, 0, 0, 0 beside 1, 1, 0, 0: covariance 1/4, variances 3/4 and 1/4.
        let expected = 0.25 / (0.75f64 * 0.25).sqrt();
        assert!((correlation([(0, 2.0)].into_iter(), &examples) - expected).abs() < 1e-12);
    }

    #[test]
    fn inputs_are_divided_by_the_largest_of_training() {
        let (counts, _) = counts();
        let kept = [(0, 3.0), (3, 4.0)];
        let number = numbers(&kept);
        let inputs = Feature::Linear.inputs(&counts, |walk| number.get(&walk).copied(), &[3.0, 4.0]);
        assert_eq!(inputs, [vec![(0, 1.0), (1, 0.25)], vec![(0, 1.0 / 3.0), (1, 1.0)], vec![], vec![]]);
        assert!((Feature::Log.worth(1.0) - 2f64.ln()).abs() < 1e-15);
    }
}
