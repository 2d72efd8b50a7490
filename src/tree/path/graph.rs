//! The constants reachable from a constant along links, among the facts that an example may see.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::link::{ChainLink, Link, LinkEnd, LinkShape, Links};
use crate::determinism::HashMap;
use crate::kb::{Database, Relation, TypeId, View};
use crate::logic::{Constant, PredicateId};

/// The maximum number of steps, about one per fact, for one example on one side of its chains.
/// Shorter chains come first, so longer ones are cut off first.
pub(super) const MAX_STEPS: usize = 100_000;

/// The steps charged for each chain found, which limits their number too.
pub(super) const CHAIN_STEPS: usize = 16;

/// The facts as a graph, accessible from every argument at which a link is entered.
pub(super) struct FactGraph<'a> {
    pub database: &'a Database,
    pub links: &'a Links<'a>,
    /// For the arguments that no index of the relation starts with.
    sorted: HashMap<(PredicateId, usize), OnceLock<SortedFacts>>,
}

/// The facts of a relation, sorted by one argument.
struct SortedFacts {
    by: usize,
    arity: usize,
    /// The arguments, row by row.
    args: Vec<Constant>,
    /// The row numbers, ordered by that argument.
    order: Vec<u32>,
}

/// The constants reachable along a sequence of links.
pub(super) struct ReachableSet {
    /// The previous set, and the link that leads on from it.
    previous: Option<(usize, ChainLink)>,
    /// How the last link can be left; for the first set, the head variable itself.
    pub ends: Vec<LinkEnd>,
    /// The constants, sorted.
    pub reached: Vec<Constant>,
}

/// The sets reachable from an argument of an example, those with fewer links first.
pub(super) struct Reachable {
    all: Vec<ReachableSet>,
    levels: Vec<Range<usize>>,
    steps: usize,
}

impl<'a> FactGraph<'a> {
    pub fn new(database: &'a Database, links: &'a Links<'a>) -> Self {
        let mut sorted = HashMap::default();
        for LinkShape { predicate, from, .. } in links.all.iter().map(|link| &link.shape) {
            let first = |order: &[u32]| order.first() == Some(&(*from as u32));
            if !database.facts.relation(*predicate).indexes().iter().any(|index| first(index.order())) {
                sorted.insert((*predicate, *from), OnceLock::new());
            }
        }
        FactGraph { database, links, sorted }
    }

    /// Returns the sets reachable within `depth` links from a constant of this type.
    pub fn reachable(&self, start: Constant, type_id: TypeId, depth: usize, view: &View<'_>) -> Reachable {
        let first = ReachableSet { previous: None, ends: vec![LinkEnd::head(type_id)], reached: vec![start] };
        let mut reachable = Reachable { all: vec![first], levels: std::iter::once(0..1).collect(), steps: 0 };
        for _ in 0..depth {
            let level = reachable.levels.last().cloned().unwrap_or_default();
            for at in level.clone() {
                let entered = reachable.entered(at);
                for (number, link) in self.links.all.iter().enumerate().filter(|(_, link)| link.shape.to.is_some()) {
                    let ends: Vec<LinkEnd> = link.ends_after(&entered).collect();
                    if ends.is_empty() {
                        continue;
                    }
                    for (constants, reached) in self.follow(link, at, &mut reachable, view) {
                        let previous = Some((at, ChainLink { link: number, constants }));
                        reachable.all.push(ReachableSet { previous, ends: ends.clone(), reached });
                    }
                }
            }
            reachable.levels.push(level.end..reachable.all.len());
        }
        reachable
    }

    /// Calls `f` with the chains that lead to these sets and end in one more link to a constant.
    pub fn to_constants(&self, reachable: &mut Reachable, view: &View<'_>, mut f: impl FnMut(Vec<ChainLink>)) {
        for at in 0..reachable.all.len() {
            let entered = reachable.entered(at);
            for (number, link) in self.links.all.iter().enumerate().filter(|(_, link)| link.shape.to.is_none()) {
                if !link.can_enter(&entered) {
                    continue;
                }
                for (constants, _) in self.follow(link, at, reachable, view) {
                    reachable.steps += CHAIN_STEPS;
                    let mut chain = reachable.path(at);
                    chain.push(ChainLink { link: number, constants });
                    f(chain);
                }
            }
        }
    }

    /// Follows a link from a set, by the constants in the link; returns nothing if the steps run
    /// out.
    fn follow(
        &self,
        link: &Link,
        at: usize,
        reachable: &mut Reachable,
        view: &View<'_>,
    ) -> BTreeMap<Vec<Constant>, Vec<Constant>> {
        let mut found: BTreeMap<Vec<Constant>, Vec<Constant>> = BTreeMap::new();
        let Reachable { all, steps, .. } = reachable;
        for &constant in &all[at].reached {
            *steps += 1;
            self.rows(&link.shape, constant, |args| {
                *steps += 1;
                if self.database.view_includes(view, link.shape.predicate, args) {
                    let constants: Vec<Constant> = link.shape.constants.iter().map(|&(k, _)| args[k]).collect();
                    found.entry(constants).or_default().extend(link.shape.to.map(|to| args[to]));
                }
                *steps < MAX_STEPS
            });
            if *steps >= MAX_STEPS {
                return BTreeMap::new();
            }
        }
        for reached in found.values_mut() {
            reached.sort_unstable();
            reached.dedup();
        }
        found
    }

    /// Calls `f` with the facts of a shape that have this constant where it is entered, while `f`
    /// returns true.
    fn rows(&self, shape: &LinkShape, entered: Constant, mut f: impl FnMut(&[Constant]) -> bool) {
        let &LinkShape { predicate, from, ref constants, .. } = shape;
        let relation = self.database.facts.relation(predicate);
        if let Some(sorted) = self.sorted.get(&(predicate, from)) {
            let matches =
                |args: &&[Constant]| constants.iter().all(|&(k, only)| only.is_none_or(|only| args[k] == only));
            let sorted = sorted.get_or_init(|| SortedFacts::new(relation, from));
            sorted.run(entered).filter(matches).all(f);
            return;
        }
        let mut bound = vec![None; relation.arity()];
        bound[from] = Some(entered);
        constants.iter().for_each(|&(k, only)| bound[k] = only);
        let mut args = Vec::with_capacity(bound.len());
        relation.lookup(&bound).all(|row| {
            args.clear();
            args.extend(row.iter());
            f(&args)
        });
    }
}

impl SortedFacts {
    fn new(relation: &Relation, by: usize) -> Self {
        let arity = relation.arity();
        let mut args = Vec::with_capacity(relation.len() * arity);
        relation.iter().for_each(|row| args.extend(row.iter()));
        let mut order: Vec<u32> = (0..relation.len() as u32).collect();
        order.sort_unstable_by_key(|&row| args[row as usize * arity + by]);
        SortedFacts { by, arity, args, order }
    }

    fn row(&self, row: u32) -> &[Constant] {
        &self.args[row as usize * self.arity..][..self.arity]
    }

    /// Returns the rows with this constant.
    fn run(&self, key: Constant) -> impl Iterator<Item = &[Constant]> {
        let start = self.order.partition_point(|&row| self.row(row)[self.by] < key);
        self.order[start..].iter().map(|&row| self.row(row)).take_while(move |args| args[self.by] == key)
    }
}

impl ReachableSet {
    /// Returns whether the variable here can be identified with the one of a set from the other
    /// side.
    pub fn is_compatible(&self, other: &ReachableSet) -> bool {
        let met = |end: &LinkEnd| match other.previous {
            None => other.ends.contains(end),
            Some(_) => end.across().is_some_and(|end| other.ends.contains(&end)),
        };
        self.ends.iter().any(met)
    }
}

impl Reachable {
    pub fn level(&self, links: usize) -> Range<usize> {
        self.levels.get(links).cloned().unwrap_or_default()
    }

    pub fn get(&self, at: usize) -> &ReachableSet {
        &self.all[at]
    }

    /// Returns how a link that leads on from a set can be entered.
    fn entered(&self, at: usize) -> Vec<LinkEnd> {
        let ReachableSet { previous, ends, .. } = &self.all[at];
        if previous.is_none() { ends.clone() } else { ends.iter().filter_map(|end| end.across()).collect() }
    }

    /// Returns the links that lead to a set.
    pub fn path(&self, mut at: usize) -> Vec<ChainLink> {
        let mut path = Vec::new();
        while let Some((before, link)) = &self.all[at].previous {
            path.push(link.clone());
            at = *before;
        }
        path.reverse();
        path
    }
}
