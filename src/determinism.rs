//! Everything that could make two runs differ has its one definition here: hash maps and random streams.
//!
//! Hash maps are seeded with a constant, but their iteration order must still never reach output: use
//! [`IndexMap`] or a sorted vector wherever order can be seen. Every random choice draws from a [`Stream`] that is
//! seeded by what it is for, never from a stream shared with another choice, so neither the number of threads
//! nor a new random choice elsewhere can move an old one.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// Hash map with a fixed, fast hash; never iterate over it into output.
pub type HashMap<K, V> = hashbrown::HashMap<K, V, rustc_hash::FxBuildHasher>;
/// Hash set with a fixed, fast hash; never iterate over it into output.
pub type HashSet<K> = hashbrown::HashSet<K, rustc_hash::FxBuildHasher>;
/// Hash map that iterates in insertion order, for everything that is printed or numbered.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, rustc_hash::FxBuildHasher>;
/// Hash set that iterates in insertion order, for everything that is printed or numbered.
pub type IndexSet<K> = indexmap::IndexSet<K, rustc_hash::FxBuildHasher>;

/// A random stream for one purpose: ChaCha with 8 rounds, keyed by SHA-256 of the seed and the purpose.
///
/// The few draws we need are written out here instead of taken from `rand`, so that an update of that crate
/// cannot change a published number.
#[derive(Clone, Debug)]
pub struct Stream(State);

/// Many streams are made for whoever might draw, and few are drawn from; so the key is worked out with the first draw.
#[derive(Clone, Debug)]
enum State {
    /// What is hashed.
    New(Vec<u8>),
    Running(Box<ChaCha8Rng>),
}

impl Stream {
    /// The stream for `purpose`, a path such as `["uwcse", "fold 3", "negatives"]`.
    ///
    /// Parts are hashed with their length, so `["ab", "c"]` and `["a", "bc"]` are different streams.
    pub fn new(seed: u64, purpose: &[&str]) -> Self {
        let mut hashed = Vec::with_capacity(128);
        hashed.extend_from_slice(b"lrbm stream 1");
        hashed.extend_from_slice(&seed.to_le_bytes());
        for part in purpose {
            hashed.extend_from_slice(&(part.len() as u64).to_le_bytes());
            hashed.extend_from_slice(part.as_bytes());
        }
        Stream(State::New(hashed))
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        loop {
            match &mut self.0 {
                State::Running(generator) => return generator.next_u64(),
                State::New(hashed) => {
                    let key = Sha256::digest(&*hashed).into();
                    self.0 = State::Running(Box::new(ChaCha8Rng::from_seed(key)));
                }
            }
        }
    }

    /// A number in `0..n`, each equally likely.
    ///
    /// # Panics
    /// If `n` is 0: there is nothing to draw from.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a draw needs at least one candidate");
        // Lemire's method: the high half of a product, rejecting the few low halves that would favour some value.
        let threshold = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.bits()) * u128::from(n);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// An index into a slice of length `n`; see [`Stream::below`].
    pub fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles in place; every order is equally likely.
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
    fn streams_are_frozen() {
        // These values are part of the file formats: folds and negatives are drawn with them.
        let mut stream = Stream::new(7, &["uwcse", "folds"]);
        let drawn: Vec<u64> = (0..4).map(|_| stream.below(1000)).collect();
        assert_eq!(drawn, FROZEN);
    }
    const FROZEN: [u64; 4] = [400, 472, 713, 152];

    #[test]
    fn parts_of_a_purpose_do_not_run_together() {
        assert_ne!(Stream::new(1, &["ab", "c"]).bits(), Stream::new(1, &["a", "bc"]).bits());
        assert_ne!(Stream::new(1, &["a"]).bits(), Stream::new(2, &["a"]).bits());
    }

    #[test]
    fn draws_are_even_and_in_range() {
        let mut stream = Stream::new(1, &["test"]);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[stream.index(6)] += 1;
        }
        // Expected 10,000 each, standard deviation 91: five of them is a bound that only a wrong method passes.
        assert!(counts.iter().all(|&c| (9_540..10_460).contains(&c)), "{counts:?}");
        assert!((0..1000).all(|_| (0.0..1.0).contains(&stream.unit())));
    }

    #[test]
    fn shuffle_keeps_the_items() {
        let mut items: Vec<u32> = (0..100).collect();
        Stream::new(3, &["shuffle"]).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
