//! Lifted random walks: sequences of binary predicates, each traversed forwards or backwards, from
//! the type of the target's first argument to that of its second.
//!
//! A unary predicate is a step that stays in place and tests a property. Two such steps never
//! follow each other. The target itself is never traversed.

use crate::determinism::{HashSet, IndexSet, Stream};
use crate::kb::{Schema, TypeId};
use crate::logic::{Argument, Literal, PredicateId, Variable};

/// Direction in which a step traverses its predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the first argument to the second.
    Forward,
    /// From the second argument to the first.
    Backward,
    /// A property of the current constant.
    Stay,
}

/// A step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// Predicate.
    pub predicate: PredicateId,
    /// Direction of traversal.
    pub direction: Direction,
}

impl Step {
    /// Returns the step in the opposite direction.
    pub fn reversed(self) -> Self {
        let direction = match self.direction {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
            Direction::Stay => Direction::Stay,
        };
        Step { direction, ..self }
    }
}

/// Returns the literals of a walk from `A` to `B`, with new variables in between.
pub fn literals(walk: &[Step]) -> Vec<Literal> {
    let variable = |number| Argument::Variable(Variable(number));
    let last_move = walk.iter().rposition(|step| step.direction != Direction::Stay);
    let (mut here, mut next) = (0, 2);
    let mut literal = |(at, step): (usize, &Step)| {
        let there = match step.direction {
            Direction::Stay => here,
            _ if Some(at) == last_move => 1,
            _ => {
                next += 1;
                next - 1
            }
        };
        let args = match step.direction {
            Direction::Stay => vec![variable(here)],
            Direction::Forward => vec![variable(here), variable(there)],
            Direction::Backward => vec![variable(there), variable(here)],
        };
        here = there;
        Literal::new(step.predicate, args)
    };
    walk.iter().enumerate().map(&mut literal).collect()
}

/// Graph of types whose edges are steps.
#[derive(Clone, Debug)]
pub struct TypeGraph {
    edges: Vec<TypeEdge>,
    types: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TypeEdge {
    step: Step,
    from: TypeId,
    to: TypeId,
}

/// Enumerated or sampled walks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundWalks {
    /// The walks, shorter ones first.
    pub walks: Vec<Vec<Step>>,
    /// Number of walks that the types allow, over all lengths.
    pub possible: u64,
}

impl TypeGraph {
    /// Creates the graph from the modes for a target. Mode symbols are ignored, since predicates
    /// may be traversed in both directions.
    pub fn new(schema: &Schema, target: PredicateId) -> Self {
        let mut edges: IndexSet<TypeEdge> = IndexSet::default();
        for mode in schema.modes() {
            let is_other = mode.target.is_some_and(|only| only != target);
            if mode.predicate == target || mode.predicate.comparison().is_some() || is_other {
                continue;
            }
            let step = |direction| Step { predicate: mode.predicate, direction };
            match mode.args[..] {
                [only] => {
                    edges.insert(TypeEdge { step: step(Direction::Stay), from: only.type_id, to: only.type_id });
                }
                [first, second] => {
                    edges.insert(TypeEdge { step: step(Direction::Forward), from: first.type_id, to: second.type_id });
                    edges.insert(TypeEdge { step: step(Direction::Backward), from: second.type_id, to: first.type_id });
                }
                // Predicates of higher arity are rejected before.
                _ => {}
            }
        }
        TypeGraph { edges: edges.into_iter().collect(), types: schema.types().len() }
    }

    /// Returns the walks of up to `max_length` steps between two types, shortest first and at most
    /// `max_walks`. The length that fits only in part is sampled uniformly.
    pub fn walks(&self, ends: (TypeId, TypeId), max_length: usize, max_walks: usize, seed: u64) -> FoundWalks {
        let index = WalkIndex::new(self, ends, max_length);
        // A predicate with several types may give the same walk twice.
        let mut walks: IndexSet<Vec<Step>> = IndexSet::default();
        let mut possible = 0u64;
        for length in 1..=max_length {
            let count = index.count(length);
            possible = possible.saturating_add(count);
            let remaining = (max_walks - walks.len()) as u64;
            if count <= remaining {
                walks.extend((0..count).map(|number| index.walk(length, number)));
            } else {
                let stream = &mut Stream::new(seed, &["walks", &length.to_string()]);
                walks.extend(draw(count, remaining, stream).into_iter().map(|number| index.walk(length, number)));
            }
        }
        FoundWalks { walks: walks.into_iter().collect(), possible }
    }
}

/// Draws `n` distinct numbers below `of`, ascending.
fn draw(of: u64, n: u64, stream: &mut Stream) -> Vec<u64> {
    let mut drawn: Vec<u64> = if of <= n.saturating_mul(2) {
        let mut all: Vec<u64> = (0..of).collect();
        stream.shuffle(&mut all);
        all.truncate(n as usize);
        all
    } else {
        let mut seen: HashSet<u64> = HashSet::default();
        let mut drawn = Vec::with_capacity(n as usize);
        while (drawn.len() as u64) < n {
            let number = stream.below(of);
            if seen.insert(number) {
                drawn.push(number);
            }
        }
        drawn
    };
    drawn.sort_unstable();
    drawn
}

/// Counts of continuations, which number the walks of each length.
struct WalkIndex<'g> {
    graph: &'g TypeGraph,
    from: TypeId,
    /// For each number of steps, the number of walks to the last type from each type: first after a
    /// move, second after a property step.
    continuations: Vec<Vec<[u64; 2]>>,
}

impl<'g> WalkIndex<'g> {
    fn new(graph: &'g TypeGraph, (from, to): (TypeId, TypeId), max_length: usize) -> Self {
        let mut arrived = vec![[0; 2]; graph.types];
        arrived[usize::from(to.0)] = [1; 2];
        let mut index = WalkIndex { graph, from, continuations: vec![arrived] };
        for length in 1..=max_length {
            let mut ways = vec![[0u64; 2]; graph.types];
            for edge in &graph.edges {
                for stayed in [false, true] {
                    let direction = &mut ways[usize::from(edge.from.0)][usize::from(stayed)];
                    *direction = direction.saturating_add(index.after(edge, stayed, length));
                }
            }
            index.continuations.push(ways);
        }
        index
    }

    /// Returns the number of walks that continue with an edge, with `left` steps including it.
    fn after(&self, edge: &TypeEdge, stayed: bool, left: usize) -> u64 {
        let stays = edge.step.direction == Direction::Stay;
        if stays && stayed { 0 } else { self.continuations[left - 1][usize::from(edge.to.0)][usize::from(stays)] }
    }

    /// Returns the number of walks of this length.
    fn count(&self, length: usize) -> u64 {
        // A single property step does not connect the arguments.
        self.continuations[length][usize::from(self.from.0)][usize::from(length == 1)]
    }

    /// Returns the walk with this index among those of its length.
    fn walk(&self, length: usize, mut number: u64) -> Vec<Step> {
        let (mut here, mut stayed) = (self.from, length == 1);
        let mut walk = Vec::with_capacity(length);
        for left in (1..=length).rev() {
            for edge in self.graph.edges.iter().filter(|edge| edge.from == here) {
                let ways = self.after(edge, stayed, left);
                if number < ways {
                    walk.push(edge.step);
                    (here, stayed) = (edge.to, edge.step.direction == Direction::Stay);
                    break;
                }
                number -= ways;
            }
        }
        walk
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::{Database, sample};
    use crate::logic::clause::show_conjunction;

    const FILMS: &str = "mode: under(+person, +person). mode: acted(+person, -movie). mode: directed(-movie, +person).
        mode: female(+person). mode: genre(+movie, #genre).";

    fn walks(text: &str, max_length: usize, max_walks: usize) -> (Vec<String>, u64) {
        let (database, ..) = sample::build(text, None);
        let Database { schema, predicates, symbols, .. } = &database;
        let target = predicates.find("under", 2).unwrap();
        let types = schema.argument_types(target).unwrap();
        let found = TypeGraph::new(schema, target).walks((types[0], types[1]), max_length, max_walks, 1);
        let text = |walk: &Vec<Step>| show_conjunction(&literals(walk), predicates, symbols).to_string();
        (found.walks.iter().map(text).collect(), found.possible)
    }

    #[test]
    fn walks_follow_the_types() {
        // Two steps go through a movie; a third one tests a property before or after.
        let two = [
            "acted(A, C), acted(B, C)",
            "acted(A, C), directed(C, B)",
            "directed(C, A), acted(B, C)",
            "directed(C, A), directed(C, B)",
        ];
        assert_eq!(walks(FILMS, 2, 100), (two.map(str::to_owned).to_vec(), 4));
        let (three, possible) = walks(FILMS, 3, 100);
        assert_eq!((three.len(), possible), (12, 12));
        assert!(three[..4].iter().eq(two.iter()));
        assert!(three.contains(&"female(A), acted(A, C), directed(C, B)".to_owned()));
        assert!(three.contains(&"acted(A, C), directed(C, B), female(B)".to_owned()));
        // Four steps: two movies with a person between, two movies of one genre, or two properties.
        let (four, _) = walks(FILMS, 4, 1000);
        assert_eq!(four.len(), 12 + 2 * 2 * 2 * 2 + 2 * 2 + 4);
    }

    #[test]
    fn the_longest_length_is_sampled() {
        let (all, possible) = walks(FILMS, 4, 1000);
        let (sampled, same) = walks(FILMS, 4, 20);
        assert_eq!((sampled.len(), possible, same), (20, 36, 36));
        assert!(sampled[..12] == all[..12] && sampled[12..].iter().all(|walk| all[12..].contains(walk)));
        assert_ne!(sampled[..], all[..20]);
        assert_eq!(walks(FILMS, 4, 20).0, sampled);
    }

    #[test]
    fn properties_and_the_target_are_not_walks() {
        let text = "mode: under(+person, -person). mode: female(+person). mode: other(+person, -dog).";
        assert_eq!(walks(text, 1, 10), (vec![], 0));
        // To a dog and back.
        assert_eq!(walks(text, 2, 10), (vec!["other(A, C), other(B, C)".to_owned()], 1));
    }
}
