//! What can be reached from a constant along links, among the facts that an example may see.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::link::{End, Link, Links, Piece, Shape};
use crate::determinism::HashMap;
use crate::kb::{Database, Relation, TypeId, View};
use crate::logic::{Constant, PredicateId};

/// How many facts, or things of that order, may be looked at for one example on one side of its chains. Shorter chains
/// come first, so they suffer last.
pub(super) const MOST_STEPS: usize = 100_000;

/// What a chain costs that is found, so that neither can too many be.
pub(super) const CHAIN_STEPS: usize = 16;

/// The facts, from every argument at which a link is entered.
pub(super) struct Ground<'a> {
    pub database: &'a Database,
    pub links: &'a Links<'a>,
    /// For the arguments that no index of the relation starts with.
    sorted: HashMap<(PredicateId, usize), OnceLock<Sorted>>,
}

/// The facts of a relation, sorted by one argument.
struct Sorted {
    by: usize,
    arity: usize,
    /// Row after row.
    args: Vec<Constant>,
    /// The rows in the order of that argument.
    order: Vec<u32>,
}

/// All constants that some sequence of links leads to.
pub(super) struct Place {
    /// The place before, and what leads on from it.
    last: Option<(usize, Piece)>,
    /// How the last link can be left; for the first place, the variable of the head itself.
    pub ends: Vec<End>,
    /// Sorted.
    pub reached: Vec<Constant>,
}

/// The places around an argument of an example, those with fewer links first.
pub(super) struct Places {
    all: Vec<Place>,
    levels: Vec<Range<usize>>,
    steps: usize,
}

impl<'a> Ground<'a> {
    pub fn new(database: &'a Database, links: &'a Links<'a>) -> Self {
        let mut sorted = HashMap::default();
        for Shape { predicate, from, .. } in links.all.iter().map(|link| &link.shape) {
            let first = |order: &[u32]| order.first() == Some(&(*from as u32));
            if !database.facts.relation(*predicate).indexes().iter().any(|index| first(index.order())) {
                sorted.insert((*predicate, *from), OnceLock::new());
            }
        }
        Ground { database, links, sorted }
    }

    /// The places within so many links of a constant of this type.
    pub fn places(&self, start: Constant, type_id: TypeId, depth: usize, view: &View<'_>) -> Places {
        let first = Place { last: None, ends: vec![End::head(type_id)], reached: vec![start] };
        let mut places = Places { all: vec![first], levels: std::iter::once(0..1).collect(), steps: 0 };
        for _ in 0..depth {
            let level = places.levels.last().cloned().unwrap_or_default();
            for at in level.clone() {
                let entered = places.entered(at);
                for (number, link) in self.links.all.iter().enumerate().filter(|(_, link)| link.shape.to.is_some()) {
                    let ends: Vec<End> = link.ends_after(&entered).collect();
                    if ends.is_empty() {
                        continue;
                    }
                    for (constants, reached) in self.follow(link, at, &mut places, view) {
                        let last = Some((at, Piece { link: number, constants }));
                        places.all.push(Place { last, ends: ends.clone(), reached });
                    }
                }
            }
            places.levels.push(level.end..places.all.len());
        }
        places
    }

    /// Calls `f` with the chains that lead to these places and with one more link to a constant.
    pub fn to_constants(&self, places: &mut Places, view: &View<'_>, mut f: impl FnMut(Vec<Piece>)) {
        for at in 0..places.all.len() {
            let entered = places.entered(at);
            for (number, link) in self.links.all.iter().enumerate().filter(|(_, link)| link.shape.to.is_none()) {
                if !link.can_enter(&entered) {
                    continue;
                }
                for (constants, _) in self.follow(link, at, places, view) {
                    places.steps += CHAIN_STEPS;
                    let mut chain = places.path(at);
                    chain.push(Piece { link: number, constants });
                    f(chain);
                }
            }
        }
    }

    /// Where a link leads from a place, by the constants in it; nothing if that is too much to look at.
    fn follow(
        &self,
        link: &Link,
        at: usize,
        places: &mut Places,
        view: &View<'_>,
    ) -> BTreeMap<Vec<Constant>, Vec<Constant>> {
        let mut found: BTreeMap<Vec<Constant>, Vec<Constant>> = BTreeMap::new();
        let Places { all, steps, .. } = places;
        for &constant in &all[at].reached {
            *steps += 1;
            self.rows(&link.shape, constant, |args| {
                *steps += 1;
                if self.database.view_includes(view, link.shape.predicate, args) {
                    let constants: Vec<Constant> = link.shape.constants.iter().map(|&(k, _)| args[k]).collect();
                    found.entry(constants).or_default().extend(link.shape.to.map(|to| args[to]));
                }
                *steps < MOST_STEPS
            });
            if *steps >= MOST_STEPS {
                return BTreeMap::new();
            }
        }
        for reached in found.values_mut() {
            reached.sort_unstable();
            reached.dedup();
        }
        found
    }

    /// Calls `f` with the facts of a shape that have this constant where the shape is entered, as long as it wants more.
    fn rows(&self, shape: &Shape, entered: Constant, mut f: impl FnMut(&[Constant]) -> bool) {
        let &Shape { predicate, from, ref constants, .. } = shape;
        let relation = self.database.facts.relation(predicate);
        if let Some(sorted) = self.sorted.get(&(predicate, from)) {
            let fits = |args: &&[Constant]| constants.iter().all(|&(k, only)| only.is_none_or(|only| args[k] == only));
            let sorted = sorted.get_or_init(|| Sorted::new(relation, from));
            sorted.run(entered).filter(fits).all(f);
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

impl Sorted {
    fn new(relation: &Relation, by: usize) -> Self {
        let arity = relation.arity();
        let mut args = Vec::with_capacity(relation.len() * arity);
        relation.iter().for_each(|row| args.extend(row.iter()));
        let mut order: Vec<u32> = (0..relation.len() as u32).collect();
        order.sort_unstable_by_key(|&row| args[row as usize * arity + by]);
        Sorted { by, arity, args, order }
    }

    fn row(&self, row: u32) -> &[Constant] {
        &self.args[row as usize * self.arity..][..self.arity]
    }

    /// The rows with this constant.
    fn run(&self, key: Constant) -> impl Iterator<Item = &[Constant]> {
        let start = self.order.partition_point(|&row| self.row(row)[self.by] < key);
        self.order[start..].iter().map(|&row| self.row(row)).take_while(move |args| args[self.by] == key)
    }
}

impl Place {
    /// Whether the variable here can be the one at a place of the other side.
    pub fn fits(&self, other: &Place) -> bool {
        let met = |end: &End| match other.last {
            None => other.ends.contains(end),
            Some(_) => end.across().is_some_and(|end| other.ends.contains(&end)),
        };
        self.ends.iter().any(met)
    }
}

impl Places {
    pub fn level(&self, links: usize) -> Range<usize> {
        self.levels.get(links).cloned().unwrap_or_default()
    }

    pub fn get(&self, at: usize) -> &Place {
        &self.all[at]
    }

    /// How a link can be entered that leads on from a place.
    fn entered(&self, at: usize) -> Vec<End> {
        let Place { last, ends, .. } = &self.all[at];
        if last.is_none() { ends.clone() } else { ends.iter().filter_map(|end| end.across()).collect() }
    }

    /// The links that lead to a place.
    pub fn path(&self, mut at: usize) -> Vec<Piece> {
        let mut path = Vec::new();
        while let Some((before, piece)) = &self.all[at].last {
            path.push(piece.clone());
            at = *before;
        }
        path.reverse();
        path
    }
}
