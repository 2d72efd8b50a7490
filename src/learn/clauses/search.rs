//! The best clause below a bottom clause.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::bottom::{Bottom, BottomLiteral};
use super::normal::{normal_form, number};
use super::{Judged, Space};
use crate::cover::Bits;
use crate::determinism::{HashMap, HashSet, IndexMap};
use crate::logic::{Literal, Variable};

/// A clause is looked for at this many places of the bottom clause; what could follow only from others is not seen. Ten times as many
/// gave the same scores inside training folds of CORA, SPORTS and MUTAGENESIS.
const MOST_PLACES: usize = 100;

/// What a search came to.
pub(super) struct Found {
    /// The clause that compresses most, with the examples it covers; the first of equals.
    pub best: Option<(Vec<Literal>, Arc<Bits>)>,
    pub examined: u64,
    /// Whether there were more clauses than may be looked at, or more places of one.
    pub over_budget: bool,
}

/// What the variables of a clause that are not of the head are in the bottom clause.
type Place = Vec<Variable>;

/// A clause that was not looked at yet, as in [`Node`].
struct Child {
    body: Vec<Literal>,
    places: Vec<Place>,
}

/// A clause, with all places where it is part of the bottom clause.
///
/// Ten facts of one kind about an argument of the head are ten literals of the bottom clause and one clause: what differs is
/// what else is known of each. So a clause is looked at once, and may go on from wherever it stands.
struct Node {
    /// Its variables are those of the head, and then as they come.
    body: Vec<Literal>,
    places: Vec<Place>,
    judged: Judged,
    /// When it was made.
    age: usize,
}

impl Node {
    fn rank(&self) -> (f64, Reverse<usize>) {
        (self.judged.compression, Reverse(self.age))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((value, age), (others, other_age)) = (self.rank(), other.rank());
        value.total_cmp(&others).then(age.cmp(&other_age))
    }
}

/// Searches best-first: of the clauses that are known, the one that compresses most is given every literal more that the modes
/// allow. A clause is dropped when nothing below it can be better than the best, since literals only lose examples.
pub(super) fn best_clause(space: &Space<'_, '_>, bottom: &Bottom) -> Found {
    let options = &space.options;
    let around = Around::new(bottom);
    let mut found = Found { best: None, examined: 0, over_budget: false };
    let mut best = 0.0;
    let mut seen: HashSet<Vec<Literal>> = HashSet::default();
    let mut open = BinaryHeap::new();
    let everyone = space.judge(0, Arc::new(Bits::ones(space.positives.len())));
    open.push(Node { body: Vec::new(), places: vec![Vec::new()], judged: everyone, age: 0 });
    let mut age = 0;
    while let Some(node) = open.pop() {
        let length = node.body.len() + 1;
        if length > options.max_length || node.judged.gained - length as f64 <= best {
            continue;
        }
        let (mut children, cut) = around.children(&node, &mut seen);
        found.over_budget |= cut;
        let left = options.search_limit - found.examined as usize;
        let is_last = children.len() > left;
        children.truncate(left);
        found.examined += children.len() as u64;
        let bodies: Vec<&[Literal]> = children.iter().map(|child| child.body.as_slice()).collect();
        let covered = space.coverage.cover_all(&bodies);
        for (Child { body, places }, covered) in children.into_iter().zip(covered) {
            let judged = space.judge(length, covered);
            if judged.acceptable && judged.compression > best {
                best = judged.compression;
                found.best = Some((body.clone(), judged.covered.clone()));
            }
            let enough = judged.covered.count_and(&space.uncovered) >= options.min_positives;
            if enough && length < options.max_length && judged.gained - (length + 1) as f64 > best {
                age += 1;
                open.push(Node { body, places, judged, age });
            }
        }
        if is_last {
            found.over_budget = true;
            break;
        }
    }
    found
}

/// The literals of a bottom clause, by what must be bound before them.
struct Around<'b> {
    bottom: &'b Bottom,
    /// Those that need nothing but the head.
    free: Vec<u32>,
    /// The others, by the first variable that must be bound.
    by_input: HashMap<Variable, Vec<u32>>,
    /// The first that is the same literal, where several modes gave one.
    twin: Vec<Option<u32>>,
}

impl<'b> Around<'b> {
    fn new(bottom: &'b Bottom) -> Self {
        let mut alike: HashMap<&Literal, Vec<u32>> = HashMap::default();
        for (k, next) in bottom.literals.iter().enumerate() {
            alike.entry(&next.literal).or_default().push(k as u32);
        }
        let twin = |next: &BottomLiteral| alike.get(&next.literal).filter(|all| all.len() > 1).map(|all| all[0]);
        let twin = bottom.literals.iter().map(twin).collect();
        let mut around = Around { bottom, free: Vec::new(), by_input: HashMap::default(), twin };
        for (k, literal) in bottom.literals.iter().enumerate() {
            match literal.inputs.first() {
                None => around.free.push(k as u32),
                Some(&input) => around.by_input.entry(input).or_default().push(k as u32),
            }
        }
        around
    }

    /// The clauses with one literal more that were not seen before, and whether a place of theirs was left out.
    fn children(&self, node: &Node, seen: &mut HashSet<Vec<Literal>>) -> (Vec<Child>, bool) {
        let mut more: IndexMap<Literal, Vec<Place>> = IndexMap::default();
        let (mut literal, mut beyond) = (Literal::new(self.bottom.target, Vec::new()), Vec::new());
        let mut cut = false;
        for place in &node.places {
            let bound = place.iter().filter_map(|variable| self.by_input.get(variable)).flatten();
            let mut twins: Vec<u32> = Vec::new();
            for &k in self.free.iter().chain(bound) {
                let next = &self.bottom.literals[k as usize];
                let same = || node.body.iter().filter(|other| other.predicate == next.literal.predicate).count();
                if !next.inputs.iter().all(|input| place.contains(input))
                    || next.max.is_some_and(|max| same() >= max as usize)
                    || self.twin[k as usize].is_some_and(|twin| twins.contains(&twin))
                {
                    continue;
                }
                twins.extend(self.twin[k as usize]);
                beyond.clear();
                number(&next.literal, (place, &mut beyond), self.bottom.arity, &mut literal);
                if node.body.contains(&literal) {
                    continue;
                }
                let places = match more.get_mut(&literal) {
                    Some(places) => places,
                    None => more.entry(literal.clone()).or_default(),
                };
                if places.len() < MOST_PLACES {
                    places.push(place.iter().chain(&beyond).copied().collect());
                } else {
                    cut = true;
                }
            }
        }
        let mut children = Vec::new();
        for (literal, places) in more {
            let body: Vec<Literal> = node.body.iter().cloned().chain([literal]).collect();
            if seen.insert(normal_form(&body, self.bottom.arity)) {
                children.push(Child { body, places });
            }
        }
        (children, cut)
    }
}
