//! Draws negatives under the closed-world assumption: tuples of the right types that are not known
//! to be positive.
//!
//! A negative must not be recognizable by the way it was drawn. So every constant that may occur in
//! a positive may also occur in a negative. If examples have times, negatives take the first
//! arguments of the positives and a second argument that is not later than the first: an example
//! cannot see the facts of its future, so a second argument from there would reveal the negative by
//! itself.

use crate::cancel;
use crate::determinism::{HashSet, Stream};
use crate::kb::{Database, Example};
use crate::logic::{Constant, PredicateId};

/// A set of argument tuples; for a symmetric target, (a,b) and (b,a) are equal.
#[derive(Clone, Debug, Default)]
pub struct ArgumentSet {
    symmetric: bool,
    all: HashSet<Box<[Constant]>>,
}

impl ArgumentSet {
    /// Creates an empty set.
    pub fn new(symmetric: bool) -> Self {
        ArgumentSet { symmetric, all: HashSet::default() }
    }

    fn key(&self, args: &[Constant]) -> Box<[Constant]> {
        let mut key: Box<[Constant]> = args.into();
        if self.symmetric && key.len() == 2 && key[0] > key[1] {
            key.reverse();
        }
        key
    }

    /// Adds arguments and returns whether they are new.
    pub fn insert(&mut self, args: &[Constant]) -> bool {
        self.all.insert(self.key(args))
    }

    /// Returns whether the set contains the arguments.
    pub fn contains(&self, args: &[Constant]) -> bool {
        self.all.contains(&self.key(args))
    }

    /// Returns the number of tuples.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// Returns whether an example is of the form (a,a).
pub fn is_reflexive(args: &[Constant]) -> bool {
    matches!(args, [a, b] if a == b)
}

/// The distribution of drawn negatives.
#[derive(Clone, Debug)]
pub enum NegativeSampler {
    /// Any combination of the candidates of each argument.
    Unrestricted {
        /// The candidates of each argument, sorted.
        candidates: Vec<Vec<Constant>>,
        /// Whether (a,a) may be drawn.
        reflexive: bool,
    },
    /// The first argument of a positive, and a second one that is not later.
    NotLater {
        /// The first argument of each positive with its time; each is equally frequent among the
        /// negatives.
        first: Vec<(Constant, f64)>,
        /// The candidates of the second argument, sorted by time.
        second: Vec<(f64, Constant)>,
        /// Whether (a,a) may be drawn.
        reflexive: bool,
    },
}

impl NegativeSampler {
    /// Creates the sampler for these positives: limited by time if the database gives both
    /// arguments times.
    pub fn new(
        database: &Database,
        target: PredicateId,
        positives: &[&Example],
        candidates: Vec<Vec<Constant>>,
        reflexive: bool,
    ) -> NegativeSampler {
        // A second argument without a time is never too late, and a first one without a time sees
        // everything.
        let time = |position, constant, without: f64| {
            database.times.as_ref()?.of_argument(target, position, constant).or(Some(without))
        };
        let timed = |(position, pool): (usize, &Vec<Constant>)| {
            pool.iter().any(|&c| database.times.as_ref().is_some_and(|t| t.of_argument(target, position, c).is_some()))
        };
        if candidates.len() != 2 || !candidates.iter().enumerate().all(timed) {
            return NegativeSampler::Unrestricted { candidates, reflexive };
        }
        let first = positives.iter().filter_map(|example| {
            let a = example.args[0];
            Some((a, time(0, a, f64::INFINITY)?))
        });
        let dated = candidates[1].iter().filter_map(|&b| Some((time(1, b, f64::NEG_INFINITY)?, b)));
        let mut second: Vec<(f64, Constant)> = dated.collect();
        second.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        NegativeSampler::NotLater { first: first.collect(), second, reflexive }
    }

    /// Draws up to `needed` distinct tuples that are not in `taken`, and adds them to it.
    ///
    /// Returns fewer only if no more exist.
    pub fn draw(&self, needed: usize, taken: &mut ArgumentSet, stream: &mut Stream) -> Vec<Box<[Constant]>> {
        match self {
            NegativeSampler::Unrestricted { candidates, reflexive } => {
                draw_unrestricted(candidates, *reflexive, needed, taken, stream)
            }
            NegativeSampler::NotLater { first, second, reflexive } => {
                draw_not_later(first, second, *reflexive, needed, taken, stream)
            }
        }
    }
}

fn draw_unrestricted(
    candidates: &[Vec<Constant>],
    reflexive: bool,
    needed: usize,
    taken: &mut ArgumentSet,
    stream: &mut Stream,
) -> Vec<Box<[Constant]>> {
    let mut drawn = Vec::new();
    if needed == 0 || candidates.iter().any(Vec::is_empty) {
        return drawn;
    }
    let total = candidates.iter().try_fold(1u64, |total, pool| total.checked_mul(pool.len() as u64));
    // If there are eight times as many tuples as may be rejected, most draws succeed (a rejected
    // tuple of a symmetric target counts twice). Otherwise enumerate all tuples.
    let diagonal = candidates.iter().map(Vec::len).min().unwrap_or(0);
    let small = 8 * (taken.len() + needed + diagonal) as u64;
    let mut accept = |args: Vec<Constant>| {
        let accepted = (reflexive || !is_reflexive(&args)) && taken.insert(&args);
        accepted.then(|| args.into_boxed_slice())
    };
    match total {
        Some(total) if total <= small => {
            let mut all: Vec<u64> = (0..total).collect();
            stream.shuffle(&mut all);
            for mut index in all {
                if drawn.len() == needed {
                    break;
                }
                let pick = |pool: &Vec<Constant>| {
                    let constant = pool[(index % pool.len() as u64) as usize];
                    index /= pool.len() as u64;
                    constant
                };
                drawn.extend(accept(candidates.iter().map(pick).collect()));
            }
        }
        _ => {
            while drawn.len() < needed {
                cancel::poll();
                drawn.extend(accept(candidates.iter().map(|pool| pool[stream.index(pool.len())]).collect()));
            }
        }
    }
    drawn
}

fn draw_not_later(
    first: &[(Constant, f64)],
    second: &[(f64, Constant)],
    reflexive: bool,
    needed: usize,
    taken: &mut ArgumentSet,
    stream: &mut Stream,
) -> Vec<Box<[Constant]>> {
    /// The number of rejections in a row after which all candidates are enumerated.
    const TRIES: usize = 32;
    let mut drawn = Vec::new();
    let mut first = first.to_vec();
    stream.shuffle(&mut first);
    let mut exhausted: HashSet<Constant> = HashSet::default();
    // In each round, every first argument is used once.
    while drawn.len() < needed && !first.is_empty() {
        cancel::poll();
        for &(a, time) in first.iter().take(needed - drawn.len()) {
            let past = &second[..second.partition_point(|&(t, _)| t <= time)];
            let mut accept = |b: Constant| ((reflexive || a != b) && taken.insert(&[a, b])).then(|| [a, b].into());
            let mut found: Option<Box<[Constant]>> = None;
            for _ in 0..if past.is_empty() { 0 } else { TRIES } {
                found = accept(past[stream.index(past.len())].1);
                if found.is_some() {
                    break;
                }
            }
            if found.is_none() && !past.is_empty() {
                // Start at a random position, so that the order of the candidates hardly matters.
                let start = stream.index(past.len());
                found = past[start..].iter().chain(&past[..start]).find_map(|&(_, b)| accept(b));
            }
            match found {
                Some(args) => drawn.push(args),
                None => {
                    exhausted.insert(a);
                }
            }
        }
        first.retain(|(a, _)| !exhausted.contains(a));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn constants(ids: impl IntoIterator<Item = u32>) -> Vec<Constant> {
        ids.into_iter().map(Constant::from_id).collect()
    }

    fn stream(seed: u64) -> Stream {
        Stream::new(seed, &["toy", "negatives"])
    }

    /// Returns every tuple that may be drawn, by enumeration.
    fn allowed(a: u32, b: u32, taken: &ArgumentSet, reflexive: bool) -> Vec<[Constant; 2]> {
        let pairs = (0..a).flat_map(|x| (0..b).map(move |y| [x, y].map(Constant::from_id)));
        pairs.filter(|pair| !taken.contains(pair) && (reflexive || pair[0] != pair[1])).collect()
    }

    proptest! {
        #[test]
        fn unrestricted_draws_are_distinct_and_exhaustive(
            (a, b) in (1u32..12, 1u32..12),
            positives in prop::collection::vec((0u32..12, 0u32..12), 0..40),
            needed in 0usize..150,
            symmetric: bool,
            reflexive: bool,
            seed: u64,
        ) {
            let mut taken = ArgumentSet::new(symmetric);
            for (x, y) in positives {
                taken.insert(&constants([x, y]));
            }
            let open = allowed(a, b, &taken, reflexive);
            let mut distinct = ArgumentSet::new(symmetric);
            open.iter().for_each(|pair| { distinct.insert(pair); });
            let sampler = NegativeSampler::Unrestricted { candidates: vec![constants(0..a), constants(0..b)], reflexive };
            let mut left = taken.clone();
            let drawn = sampler.draw(needed, &mut left, &mut stream(seed));
            prop_assert_eq!(drawn.len(), needed.min(distinct.len()));
            let mut seen = ArgumentSet::new(symmetric);
            for args in &drawn {
                prop_assert!(open.iter().any(|pair| pair[..] == args[..]));
                prop_assert!(seen.insert(args));
                prop_assert!(left.contains(args));
            }
            prop_assert_eq!(drawn, sampler.draw(needed, &mut taken, &mut stream(seed)));
        }

        #[test]
        fn timed_draws_keep_first_arguments_and_are_not_later(
            times in prop::collection::vec(0u8..6, 2..14),
            first in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
            needed in 0usize..120,
            seed: u64,
        ) {
            let time = |c: Constant| f64::from(times[c.id() as usize]);
            let all = constants(0..times.len() as u32);
            let first: Vec<Constant> = first.iter().map(|index| all[index.index(all.len())]).collect();
            let mut second: Vec<(f64, Constant)> = all.iter().map(|&c| (time(c), c)).collect();
            second.sort_by(|x, y| x.0.total_cmp(&y.0));
            let dated = first.iter().map(|&a| (a, time(a))).collect();
            let sampler = NegativeSampler::NotLater { first: dated, second, reflexive: false };
            let mut taken = ArgumentSet::new(false);
            let drawn = sampler.draw(needed, &mut taken, &mut stream(seed));
            let open: usize = all
                .iter()
                .filter(|a| first.contains(a))
                .map(|&a| all.iter().filter(|&&b| a != b && time(b) <= time(a)).count())
                .sum();
            prop_assert_eq!(drawn.len(), needed.min(open));
            prop_assert_eq!(taken.len(), drawn.len());
            for args in &drawn {
                prop_assert!(first.contains(&args[0]) && args[0] != args[1] && time(args[1]) <= time(args[0]));
            }
        }
    }

    #[test]
    fn first_arguments_are_as_frequent_as_among_positives() {
        let dated =
            |ids: &[u32]| -> Vec<(Constant, f64)> { ids.iter().map(|&id| (Constant::from_id(id), 100.0)).collect() };
        let second = (0..100).map(|id| (f64::from(id), Constant::from_id(id))).collect();
        let sampler = NegativeSampler::NotLater { first: dated(&[7, 7, 7, 8]), second, reflexive: false };
        let drawn = sampler.draw(8, &mut ArgumentSet::new(false), &mut stream(1));
        assert_eq!(drawn.iter().filter(|args| args[0].id() == 7).count(), 6);
        assert_eq!(drawn.iter().filter(|args| args[0].id() == 8).count(), 2);
    }

    #[test]
    fn different_seeds_draw_different_negatives() {
        let sampler =
            NegativeSampler::Unrestricted { candidates: vec![constants(0..50), constants(0..50)], reflexive: false };
        let draw = |seed| sampler.draw(20, &mut ArgumentSet::new(false), &mut stream(seed));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn draws_are_uniform() {
        // 90 pairs, a third of them each time: each pair is expected 400 times of 1,200, standard
        // deviation 16.3.
        let sampler =
            NegativeSampler::Unrestricted { candidates: vec![constants(0..10), constants(0..10)], reflexive: false };
        let mut counts = vec![0u32; 100];
        for seed in 0..1200 {
            for args in sampler.draw(30, &mut ArgumentSet::new(false), &mut stream(seed)) {
                counts[(args[0].id() * 10 + args[1].id()) as usize] += 1;
            }
        }
        for (pair, &count) in counts.iter().enumerate() {
            let diagonal = pair / 10 == pair % 10;
            assert!(if diagonal { count == 0 } else { (300..500).contains(&count) }, "{pair}: {count}");
        }
    }
}
