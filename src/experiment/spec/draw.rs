//! Balanced draws from a product of choices.

use crate::determinism::{HashSet, Stream};

/// One position per choice.
pub type Draw = Vec<usize>;

/// Tries to build a new draw by counts before the rest of the product is searched.
const TRIES: usize = 64;
/// Largest product that is enumerated.
pub const MAX_ENUMERATED: usize = 1_000_000;

/// A product of choices without excluded combinations.
pub struct Product<'a> {
    /// Number of alternatives of each choice; at least 1.
    pub sizes: &'a [usize],
    /// Excluded combinations: pairs of choice and alternative that must not occur together.
    pub excluded: &'a [Vec<(usize, usize)>],
}

impl Product<'_> {
    /// Returns the size of the product with excluded combinations; saturating.
    pub fn size(&self) -> usize {
        self.sizes.iter().fold(1, |all, &size| all.saturating_mul(size))
    }

    /// Returns whether a partial draw contains an excluded combination.
    pub fn is_excluded(&self, draw: &[Option<usize>]) -> bool {
        self.excluded.iter().any(|all| all.iter().all(|&(choice, alternative)| draw[choice] == Some(alternative)))
    }

    fn allows(&self, draw: &[usize]) -> bool {
        !self.excluded.iter().any(|all| all.iter().all(|&(choice, alternative)| draw[choice] == alternative))
    }

    /// Returns all draws, the last choice varying fastest.
    pub fn all(&self) -> Vec<Draw> {
        let mut draws = vec![Vec::new()];
        for &size in self.sizes {
            draws = draws.iter().flat_map(|draw: &Draw| (0..size).map(move |k| [draw, &[k][..]].concat())).collect();
        }
        draws.retain(|draw| self.allows(draw));
        draws
    }

    /// Returns up to `count` distinct draws, the first one with the first alternative of every
    /// choice. Every prefix is balanced: each choice takes its least used alternative, ties at
    /// random.
    pub fn sample(&self, count: usize, seed: u64) -> Vec<Draw> {
        let mut stream = Stream::new(seed, &["multiverse"]);
        let mut counts: Vec<Vec<usize>> = self.sizes.iter().map(|&size| vec![0; size]).collect();
        let mut seen: HashSet<Draw> = HashSet::default();
        let mut draws: Vec<Draw> = Vec::new();
        let mut rest: Option<Vec<Draw>> = None;
        let first = vec![0; self.sizes.len()];
        let mut next = Some(first).filter(|first| self.allows(first));
        while draws.len() < count {
            let draw = match next.take() {
                Some(draw) => draw,
                None => match self.balanced(&counts, &seen, &mut stream) {
                    Some(draw) => draw,
                    None => match self.least_used(&counts, &seen, &mut rest) {
                        Some(draw) => draw,
                        None => break,
                    },
                },
            };
            draw.iter().zip(&mut counts).for_each(|(&k, counts)| counts[k] += 1);
            seen.insert(draw.clone());
            draws.push(draw);
        }
        draws
    }

    /// Builds a draw from the least used alternatives; `None` if all tries were drawn before.
    fn balanced(&self, counts: &[Vec<usize>], seen: &HashSet<Draw>, stream: &mut Stream) -> Option<Draw> {
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        (0..TRIES).find_map(|_| {
            stream.shuffle(&mut order);
            let mut draw: Vec<Option<usize>> = vec![None; self.sizes.len()];
            for &choice in &order {
                draw[choice] = least_used(&counts[choice], stream, |k| {
                    let mut draw = draw.clone();
                    draw[choice] = Some(k);
                    !self.is_excluded(&draw)
                });
                draw[choice]?;
            }
            let draw: Option<Draw> = draw.into_iter().collect();
            draw.filter(|draw| !seen.contains(draw))
        })
    }

    /// Returns the new draw whose alternatives are used least, of a product that can be enumerated.
    fn least_used(&self, counts: &[Vec<usize>], seen: &HashSet<Draw>, rest: &mut Option<Vec<Draw>>) -> Option<Draw> {
        if self.size() > MAX_ENUMERATED {
            return None;
        }
        let rest = rest.get_or_insert_with(|| self.all());
        rest.retain(|draw| !seen.contains(draw));
        let used = |draw: &&Draw| -> usize { draw.iter().zip(counts).map(|(&k, counts)| counts[k]).sum() };
        rest.iter().min_by_key(used).cloned()
    }
}

/// Returns the least used alternative that fits, ties at random.
pub fn least_used(counts: &[usize], stream: &mut Stream, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let fitting: Vec<usize> = (0..counts.len()).filter(|&k| fits(k)).collect();
    let least = fitting.iter().map(|&k| counts[k]).min()?;
    let ties: Vec<usize> = fitting.into_iter().filter(|&k| counts[k] == least).collect();
    Some(ties[stream.index(ties.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(draws: &[Draw], sizes: &[usize]) -> Vec<Vec<usize>> {
        let count = |choice: usize, k: usize| draws.iter().filter(|draw| draw[choice] == k).count();
        sizes.iter().enumerate().map(|(choice, &size)| (0..size).map(|k| count(choice, k)).collect()).collect()
    }

    #[test]
    fn every_prefix_is_balanced_and_seeded() {
        let sizes = [2, 3, 5, 2, 4, 2, 3, 2, 2, 3];
        let product = Product { sizes: &sizes, excluded: &[] };
        let draws = product.sample(300, 7);
        assert_eq!(draws[0], vec![0; 10]);
        assert_eq!(draws.iter().collect::<HashSet<_>>().len(), 300);
        for prefix in [60, 150, 300] {
            for of_choice in counts(&draws[..prefix], &sizes) {
                let (least, most) = (of_choice.iter().min().unwrap(), of_choice.iter().max().unwrap());
                assert!(most - least <= 1, "{prefix}: {of_choice:?}");
            }
        }
        assert_eq!(draws, product.sample(300, 7));
        assert_ne!(draws, product.sample(300, 8));
        // A longer sample begins with the shorter one.
        assert_eq!(product.sample(400, 7)[..300], draws);
    }

    #[test]
    fn a_small_product_is_exhausted() {
        let product = Product { sizes: &[2, 3], excluded: &[vec![(0, 1), (1, 2)]] };
        assert_eq!(product.all(), [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]]);
        for count in [5, 100] {
            let mut all = product.sample(count, 1);
            assert_eq!(all[0], [0, 0]);
            // Of two alternatives, each prefix has both.
            assert_ne!(all[0][0], all[1][0]);
            all.sort();
            assert_eq!(all, product.all());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_draw_is_excluded_or_repeated(sizes in prop::collection::vec(1usize..4, 2..6), at in 0usize..100, count in 1usize..40, seed in 0u64..50) {
            let (a, b) = (at % sizes.len(), (at + 1) % sizes.len());
            let excluded = vec![vec![(a, sizes[a] - 1), (b, sizes[b] - 1)]];
            let product = Product { sizes: &sizes, excluded: &excluded };
            let draws = product.sample(count, seed);
            prop_assert!(draws.iter().all(|draw| product.allows(draw)));
            prop_assert_eq!(draws.iter().collect::<HashSet<_>>().len(), draws.len());
            prop_assert_eq!(draws.len(), count.min(product.all().len()));
        }
    }
}
