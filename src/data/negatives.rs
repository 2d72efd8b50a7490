//! Negatives from the closed world: tuples of the right types that are not known to be positive.
//!
//! A negative must not give itself away by how it was made. So every constant that a positive may have can also stand in a
//! negative, and where examples have a time, negatives get the first arguments of the positives and a second argument
//! that is not after the first: what lies in the future of an example is invisible to it, and a negative made of such
//! things would be told by that alone.

use crate::determinism::{HashSet, Stream};
use crate::kb::{Database, Example};
use crate::logic::{Constant, PredicateId};

/// Arguments of examples; of a symmetric target, (a,b) and (b,a) are the same.
#[derive(Clone, Debug, Default)]
pub struct ArgumentSet {
    symmetric: bool,
    all: HashSet<Box<[Constant]>>,
}

impl ArgumentSet {
    /// Nothing yet.
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

    /// Adds arguments; `false` if they were there.
    pub fn insert(&mut self, args: &[Constant]) -> bool {
        self.all.insert(self.key(args))
    }

    /// Whether the arguments are there.
    pub fn contains(&self, args: &[Constant]) -> bool {
        self.all.contains(&self.key(args))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// Whether an example is of the form (a,a).
pub fn is_reflexive(args: &[Constant]) -> bool {
    matches!(args, [a, b] if a == b)
}

/// What negatives are made of.
#[derive(Clone, Debug)]
pub enum World {
    /// Any constant of each pool, by argument.
    Free {
        /// The constants for each argument, sorted.
        pools: Vec<Vec<Constant>>,
        /// Whether (a,a) may be drawn.
        reflexive: bool,
    },
    /// The first argument of a positive, and a second one that is not after it.
    NotAfter {
        /// The first argument of each positive with its time: each is as frequent among the negatives.
        first: Vec<(Constant, f64)>,
        /// Constants for the second argument, sorted by time.
        second: Vec<(f64, Constant)>,
        /// Whether (a,a) may be drawn.
        reflexive: bool,
    },
}

impl World {
    /// The world of some positives: limited by time if the database gives both arguments a time.
    pub fn new(
        database: &Database,
        target: PredicateId,
        positives: &[&Example],
        pools: Vec<Vec<Constant>>,
        reflexive: bool,
    ) -> World {
        // Constants without a time are never after anything, and what has no time sees everything.
        let time = |position, constant, without: f64| {
            database.times.as_ref()?.of_argument(target, position, constant).or(Some(without))
        };
        let timed = |(position, pool): (usize, &Vec<Constant>)| {
            pool.iter().any(|&c| database.times.as_ref().is_some_and(|t| t.of_argument(target, position, c).is_some()))
        };
        if pools.len() != 2 || !pools.iter().enumerate().all(timed) {
            return World::Free { pools, reflexive };
        }
        let first = positives.iter().filter_map(|example| {
            let a = example.args[0];
            Some((a, time(0, a, f64::INFINITY)?))
        });
        let dated = pools[1].iter().filter_map(|&b| Some((time(1, b, f64::NEG_INFINITY)?, b)));
        let mut second: Vec<(f64, Constant)> = dated.collect();
        second.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        World::NotAfter { first: first.collect(), second, reflexive }
    }

    /// Draws up to `needed` tuples that are not in `taken`, each once, and puts them there.
    ///
    /// Fewer come only if there are no more.
    pub fn draw(&self, needed: usize, taken: &mut ArgumentSet, stream: &mut Stream) -> Vec<Box<[Constant]>> {
        match self {
            World::Free { pools, reflexive } => draw_free(pools, *reflexive, needed, taken, stream),
            World::NotAfter { first, second, reflexive } => {
                draw_not_after(first, second, *reflexive, needed, taken, stream)
            }
        }
    }
}

fn draw_free(
    pools: &[Vec<Constant>],
    reflexive: bool,
    needed: usize,
    taken: &mut ArgumentSet,
    stream: &mut Stream,
) -> Vec<Box<[Constant]>> {
    let mut drawn = Vec::new();
    if needed == 0 || pools.iter().any(Vec::is_empty) {
        return drawn;
    }
    let total = pools.iter().try_fold(1u64, |total, pool| total.checked_mul(pool.len() as u64));
    // Of a world eight times as large as all that may be refused, a draw is good more often than not (a refused tuple
    // of a symmetric target counts twice). In a smaller one, look at every tuple.
    let diagonal = pools.iter().map(Vec::len).min().unwrap_or(0);
    let small = 8 * (taken.len() + needed + diagonal) as u64;
    let mut accept = |args: Vec<Constant>| {
        let sound = (reflexive || !is_reflexive(&args)) && taken.insert(&args);
        sound.then(|| args.into_boxed_slice())
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
                drawn.extend(accept(pools.iter().map(pick).collect()));
            }
        }
        _ => {
            while drawn.len() < needed {
                drawn.extend(accept(pools.iter().map(|pool| pool[stream.index(pool.len())]).collect()));
            }
        }
    }
    drawn
}

fn draw_not_after(
    first: &[(Constant, f64)],
    second: &[(f64, Constant)],
    reflexive: bool,
    needed: usize,
    taken: &mut ArgumentSet,
    stream: &mut Stream,
) -> Vec<Box<[Constant]>> {
    /// After so many refusals in a row, look at every candidate.
    const TRIES: usize = 32;
    let mut drawn = Vec::new();
    let mut first = first.to_vec();
    stream.shuffle(&mut first);
    let mut exhausted: HashSet<Constant> = HashSet::default();
    // Round after round, each positive's first argument once.
    while drawn.len() < needed && !first.is_empty() {
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
                // From a random place on, so that no candidate is favoured for its place by much.
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

    /// Every tuple that may be drawn, the slow way.
    fn allowed(a: u32, b: u32, taken: &ArgumentSet, reflexive: bool) -> Vec<[Constant; 2]> {
        let pairs = (0..a).flat_map(|x| (0..b).map(move |y| [x, y].map(Constant::from_id)));
        pairs.filter(|pair| !taken.contains(pair) && (reflexive || pair[0] != pair[1])).collect()
    }

    proptest! {
        #[test]
        fn free_draws_are_new_and_complete(
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
            let world = World::Free { pools: vec![constants(0..a), constants(0..b)], reflexive };
            let mut left = taken.clone();
            let drawn = world.draw(needed, &mut left, &mut stream(seed));
            prop_assert_eq!(drawn.len(), needed.min(distinct.len()));
            let mut seen = ArgumentSet::new(symmetric);
            for args in &drawn {
                prop_assert!(open.iter().any(|pair| pair[..] == args[..]));
                prop_assert!(seen.insert(args));
                prop_assert!(left.contains(args));
            }
            prop_assert_eq!(drawn, world.draw(needed, &mut taken, &mut stream(seed)));
        }

        #[test]
        fn timed_draws_keep_first_arguments_and_never_see_the_future(
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
            let world = World::NotAfter { first: dated, second, reflexive: false };
            let mut taken = ArgumentSet::new(false);
            let drawn = world.draw(needed, &mut taken, &mut stream(seed));
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
    fn first_arguments_are_as_frequent_as_among_the_positives() {
        let dated =
            |ids: &[u32]| -> Vec<(Constant, f64)> { ids.iter().map(|&id| (Constant::from_id(id), 100.0)).collect() };
        let second = (0..100).map(|id| (f64::from(id), Constant::from_id(id))).collect();
        let world = World::NotAfter { first: dated(&[7, 7, 7, 8]), second, reflexive: false };
        let drawn = world.draw(8, &mut ArgumentSet::new(false), &mut stream(1));
        assert_eq!(drawn.iter().filter(|args| args[0].id() == 7).count(), 6);
        assert_eq!(drawn.iter().filter(|args| args[0].id() == 8).count(), 2);
    }

    #[test]
    fn another_seed_draws_others() {
        let world = World::Free { pools: vec![constants(0..50), constants(0..50)], reflexive: false };
        let draw = |seed| world.draw(20, &mut ArgumentSet::new(false), &mut stream(seed));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn draws_are_even_over_the_world() {
        // 90 pairs, a third of them each time: each pair is expected 400 times of 1,200, standard deviation 16.3.
        let world = World::Free { pools: vec![constants(0..10), constants(0..10)], reflexive: false };
        let mut counts = vec![0u32; 100];
        for seed in 0..1200 {
            for args in world.draw(30, &mut ArgumentSet::new(false), &mut stream(seed)) {
                counts[(args[0].id() * 10 + args[1].id()) as usize] += 1;
            }
        }
        for (pair, &count) in counts.iter().enumerate() {
            let diagonal = pair / 10 == pair % 10;
            assert!(if diagonal { count == 0 } else { (300..500).contains(&count) }, "{pair}: {count}");
        }
    }
}
