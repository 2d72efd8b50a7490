//! Hash maps and seeded random streams, the two potential sources of nondeterminism.
//!
//! Hash maps use a fixed seed, but their iteration order must never reach the output: use
//! [`IndexMap`] or a sorted vector wherever order is observable. Every random choice draws from its
//! own [`Stream`], seeded by its purpose. Neither the number of threads nor a new random choice
//! elsewhere can therefore affect an existing one.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// Hash map with a fixed, fast hash; its iteration order must not reach the output.
pub type HashMap<K, V> = hashbrown::HashMap<K, V, rustc_hash::FxBuildHasher>;
/// Hash set with a fixed, fast hash; its iteration order must not reach the output.
pub type HashSet<K> = hashbrown::HashSet<K, rustc_hash::FxBuildHasher>;
/// Hash map with insertion-order iteration, for everything that is printed or numbered.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, rustc_hash::FxBuildHasher>;
/// Hash set with insertion-order iteration, for everything that is printed or numbered.
pub type IndexSet<K> = indexmap::IndexSet<K, rustc_hash::FxBuildHasher>;

/// A random stream for one purpose: ChaCha8 keyed by the SHA-256 of seed and purpose.
///
/// The few distributions needed are implemented here rather than taken from `rand`, so that an
/// update of that crate cannot change published results.
#[derive(Clone, Debug)]
pub struct Stream(State);

/// State of a stream. Many streams are created but never used, so the key is derived on first use.
#[derive(Clone, Debug)]
enum State {
    /// The bytes to hash.
    Seeded(Vec<u8>),
    Running(Box<ChaCha8Rng>),
}

impl Stream {
    /// Creates the stream for `purpose`, a path such as `["uwcse", "fold 3", "negatives"]`.
    ///
    /// Parts are hashed with their length, so `["ab", "c"]` and `["a", "bc"]` give different
    /// streams.
    pub fn new(seed: u64, purpose: &[&str]) -> Self {
        let mut hashed = Vec::with_capacity(128);
        hashed.extend_from_slice(b"lrbm stream 1");
        hashed.extend_from_slice(&seed.to_le_bytes());
        for part in purpose {
            hashed.extend_from_slice(&(part.len() as u64).to_le_bytes());
            hashed.extend_from_slice(part.as_bytes());
        }
        Stream(State::Seeded(hashed))
    }

    /// Returns the next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        loop {
            match &mut self.0 {
                State::Running(generator) => return generator.next_u64(),
                State::Seeded(hashed) => {
                    let key = Sha256::digest(&*hashed).into();
                    self.0 = State::Running(Box::new(ChaCha8Rng::from_seed(key)));
                }
            }
        }
    }

    /// Returns a uniformly distributed integer in `0..n`.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "cannot draw from an empty range");
        // Lemire's method: the high half of a product, rejecting the low halves that would cause
        // bias.
        let threshold = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.bits()) * u128::from(n);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns a uniformly distributed index into a slice of length `n`.
    pub fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    /// Returns a uniformly distributed number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles in place; all permutations are equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_stable() {
        // Folds and negatives are drawn from these streams, so the values must never change.
        let mut stream = Stream::new(7, &["uwcse", "folds"]);
        let drawn: Vec<u64> = (0..4).map(|_| stream.below(1000)).collect();
        assert_eq!(drawn, EXPECTED);
    }
    const EXPECTED: [u64; 4] = [400, 472, 713, 152];

    #[test]
    fn purpose_parts_are_delimited() {
        assert_ne!(Stream::new(1, &["ab", "c"]).bits(), Stream::new(1, &["a", "bc"]).bits());
        assert_ne!(Stream::new(1, &["a"]).bits(), Stream::new(2, &["a"]).bits());
    }

    #[test]
    fn draws_are_uniform_and_in_range() {
        let mut stream = Stream::new(1, &["test"]);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[stream.index(6)] += 1;
        }
        // Expected 10,000 each with standard deviation 91; the bounds are five standard deviations.
        assert!(counts.iter().all(|&c| (9_540..10_460).contains(&c)), "{counts:?}");
        let units: Vec<f64> = (0..1000).map(|_| stream.unit()).collect();
        assert!(units.iter().all(|unit| (0.0..1.0).contains(unit)));
        // The standard deviation of the mean is 0.009.
        assert!((units.iter().sum::<f64>() / 1000.0 - 0.5).abs() < 0.05);
    }

    #[test]
    fn large_ranges_are_not_biased() {
        // Without rejections, a third of the numbers would be drawn twice as often as the others.
        let mut stream = Stream::new(2, &["test"]);
        let mut counts = [0u32; 3];
        for _ in 0..30_000 {
            counts[(stream.below(3 << 62) % 3) as usize] += 1;
        }
        assert!(counts.iter().all(|&c| (9_590..10_410).contains(&c)), "{counts:?}");
    }

    #[test]
    fn shuffle_is_a_permutation() {
        let mut items: Vec<u32> = (0..100).collect();
        Stream::new(3, &["shuffle"]).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
        // An item may also keep its place.
        let last = |seed| {
            let mut pair = [0, 1];
            Stream::new(seed, &["shuffle"]).shuffle(&mut pair);
            pair[1]
        };
        let kept = (0..200).filter(|&seed| last(seed) == 1).count();
        assert!((60..140).contains(&kept), "{kept}");
    }
}
