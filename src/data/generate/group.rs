//! Helpers shared by the generators: sets and relations over the members of a group, fresh pairs,
//! noisy labels.

use super::settings::GeneratorSettings;
use crate::determinism::Stream;

/// A set of members of a group, one bit each: a group has at most 64 members.
pub(super) type Members = u64;

/// Iterates over the members of a set in increasing order.
pub(super) fn members(mut set: Members) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let member = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(member)
    })
}

/// Draws `k` distinct members of `0..n`.
pub(super) fn distinct(stream: &mut Stream, n: u32, k: u32) -> Members {
    debug_assert!(k <= n && n <= 64, "{k} of {n} members");
    let mut set: Members = 0;
    while set.count_ones() < k {
        set |= 1 << draw(stream, n);
    }
    set
}

/// Draws a member of `0..n`.
pub(super) fn draw(stream: &mut Stream, n: u32) -> u32 {
    stream.below(u64::from(n)) as u32
}

/// Draws a member of `0..n` other than `not`.
pub(super) fn draw_other(stream: &mut Stream, n: u32, not: u32) -> u32 {
    let drawn = draw(stream, n - 1);
    drawn + u32::from(drawn >= not)
}

/// Draws a member of a set, or returns `None` if it is empty.
pub(super) fn draw_from(stream: &mut Stream, set: Members) -> Option<u32> {
    if set == 0 {
        return None;
    }
    members(set).nth(stream.index(set.count_ones() as usize))
}

/// Returns true with probability 1/`n`.
pub(super) fn one_in(stream: &mut Stream, n: u64) -> bool {
    stream.below(n) == 0
}

/// A binary relation over the members of a group.
#[derive(Clone)]
pub(super) struct Pairs([Members; 64]);

impl Pairs {
    pub(super) fn new() -> Self {
        Pairs([0; 64])
    }

    pub(super) fn clear(&mut self) {
        self.0 = [0; 64];
    }

    pub(super) fn contains(&self, a: u32, b: u32) -> bool {
        self.0[a as usize] >> b & 1 == 1
    }

    /// Returns the set of all `b` paired with `a`.
    pub(super) fn row(&self, a: u32) -> Members {
        self.0[a as usize]
    }

    /// Adds a pair and returns whether it is new.
    pub(super) fn insert(&mut self, a: u32, b: u32) -> bool {
        let new = !self.contains(a, b);
        self.0[a as usize] |= 1 << b;
        new
    }

    /// Adds all ordered pairs of distinct members of a set.
    pub(super) fn join_all(&mut self, set: Members) {
        for a in members(set) {
            self.0[a as usize] |= set & !(1 << a);
        }
    }

    /// Iterates over the pairs in sorted order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.0.iter().zip(0..).flat_map(|(&row, a)| members(row).map(move |b| (a, b)))
    }

    /// Draws candidates until one is new to the relation and adds it; gives up after a bounded
    /// number of tries.
    pub(super) fn insert_fresh(
        &mut self,
        stream: &mut Stream,
        mut candidate: impl FnMut(&mut Stream) -> Option<(u32, u32)>,
    ) -> Option<(u32, u32)> {
        // If one candidate in twenty is new, fewer than one search in a million fails.
        const TRIES: usize = 300;
        (0..TRIES).find_map(|_| candidate(stream).filter(|&(a, b)| self.insert(a, b)))
    }
}

/// Applies label noise. It has its own stream, so noise changes neither facts nor the choice of
/// pairs.
pub(super) struct Labels {
    noise: f64,
    stream: Stream,
}

impl Labels {
    pub(super) fn new(settings: &GeneratorSettings, domain: &str) -> Self {
        Labels { noise: settings.noise, stream: stream(settings, domain, "noise") }
    }

    fn is_wrong(&mut self) -> bool {
        self.stream.unit() < self.noise
    }

    /// Returns the listed label of an example with a binary target.
    pub(super) fn binary(&mut self, truth: bool) -> bool {
        truth != self.is_wrong()
    }

    /// Returns the listed class of an example with `classes` classes.
    pub(super) fn class(&mut self, truth: u32, classes: u32) -> u32 {
        if self.is_wrong() { draw_other(&mut self.stream, classes, truth) } else { truth }
    }
}

/// Returns the random stream for one purpose within a domain.
pub(super) fn stream(settings: &GeneratorSettings, domain: &str, purpose: &str) -> Stream {
    Stream::new(settings.seed, &["generate", domain, purpose])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_pairs_return_inserted_members() {
        assert_eq!(members(0).count(), 0);
        assert_eq!(members(1 | 1 << 5 | 1 << 63).collect::<Vec<_>>(), [0, 5, 63]);
        let mut pairs = Pairs::new();
        pairs.join_all(1 << 2 | 1 << 7 | 1 << 63);
        assert_eq!(pairs.iter().collect::<Vec<_>>(), [(2, 7), (2, 63), (7, 2), (7, 63), (63, 2), (63, 7)]);
        assert!(!pairs.insert(2, 7) && pairs.insert(7, 7) && pairs.contains(7, 7));
        pairs.clear();
        assert_eq!(pairs.iter().count(), 0);
    }

    #[test]
    fn draws_stay_in_range() {
        let mut stream = Stream::new(1, &["test"]);
        for _ in 0..1000 {
            assert_ne!(draw_other(&mut stream, 4, 2), 2);
            assert!(draw_other(&mut stream, 4, 3) < 3);
            let set = distinct(&mut stream, 8, 3);
            assert!(set.count_ones() == 3 && set < 1 << 8);
            assert!(draw_from(&mut stream, set).is_some_and(|member| set >> member & 1 == 1));
        }
        assert_eq!(draw_from(&mut stream, 0), None);
        assert_eq!(distinct(&mut stream, 64, 64), Members::MAX);
    }

    #[test]
    fn insert_fresh_stops_when_all_pairs_are_used() {
        let (mut stream, mut pairs) = (Stream::new(1, &["test"]), Pairs::new());
        let mut next = || pairs.insert_fresh(&mut stream, |stream| Some((draw(stream, 2), draw(stream, 2))));
        let mut drawn: Vec<_> = std::iter::from_fn(&mut next).collect();
        drawn.sort_unstable();
        assert_eq!(drawn, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    }
}
