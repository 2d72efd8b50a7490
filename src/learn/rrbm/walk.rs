//! Lifted random walks: rows of binary predicates, each taken forwards or backwards, that lead from the type of the target's
//! first argument to that of its second.
//!
//! A predicate with one argument is a step that stays where it is: the constant there must have the property. Two such
//! steps never follow each other. The target is never walked, since it is what is asked.

use crate::determinism::{HashSet, IndexSet, Stream};
use crate::kb::{Schema, TypeId};
use crate::logic::{Argument, Literal, PredicateId, Variable};

/// How a predicate is passed through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// From its first argument to its second.
    Forward,
    /// From its second argument to its first.
    Backward,
    /// Its only argument stays.
    Stay,
}

/// A step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The predicate.
    pub predicate: PredicateId,
    /// How it is passed through.
    pub way: Way,
}

impl Step {
    /// The same step from its other end.
    pub fn turned(self) -> Self {
        let way = match self.way {
            Way::Forward => Way::Backward,
            Way::Backward => Way::Forward,
            Way::Stay => Way::Stay,
        };
        Step { way, ..self }
    }
}

/// The literals of a walk: `A` is where it starts, `B` where it ends, and the others are what it passes.
pub fn literals(walk: &[Step]) -> Vec<Literal> {
    let variable = |number| Argument::Variable(Variable(number));
    let last_move = walk.iter().rposition(|step| step.way != Way::Stay);
    let (mut here, mut next) = (0, 2);
    let mut literal = |(at, step): (usize, &Step)| {
        let there = match step.way {
            Way::Stay => here,
            _ if Some(at) == last_move => 1,
            _ => {
                next += 1;
                next - 1
            }
        };
        let args = match step.way {
            Way::Stay => vec![variable(here)],
            Way::Forward => vec![variable(here), variable(there)],
            Way::Backward => vec![variable(there), variable(here)],
        };
        here = there;
        Literal::new(step.predicate, args)
    };
    walk.iter().enumerate().map(&mut literal).collect()
}

/// Where steps lead, by types.
#[derive(Clone, Debug)]
pub struct TypeGraph {
    edges: Vec<Edge>,
    types: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Edge {
    step: Step,
    from: TypeId,
    to: TypeId,
}

/// The walks that were looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The walks, shorter ones first.
    pub walks: Vec<Vec<Step>>,
    /// How many the types allow, of any length that was asked for.
    pub possible: u64,
}

impl TypeGraph {
    /// The steps that the modes for a target allow. The symbols of the modes do not matter, since a walk may take any
    /// predicate both ways.
    pub fn new(schema: &Schema, target: PredicateId) -> Self {
        let mut edges: IndexSet<Edge> = IndexSet::default();
        for mode in schema.modes() {
            let is_other = mode.target.is_some_and(|only| only != target);
            if mode.predicate == target || mode.predicate.comparison().is_some() || is_other {
                continue;
            }
            let step = |way| Step { predicate: mode.predicate, way };
            match mode.args[..] {
                [only] => {
                    edges.insert(Edge { step: step(Way::Stay), from: only.type_id, to: only.type_id });
                }
                [first, second] => {
                    edges.insert(Edge { step: step(Way::Forward), from: first.type_id, to: second.type_id });
                    edges.insert(Edge { step: step(Way::Backward), from: second.type_id, to: first.type_id });
                }
                // Others are refused before anybody walks.
                _ => {}
            }
        }
        TypeGraph { edges: edges.into_iter().collect(), types: schema.types().len() }
    }

    /// The walks of up to `max_length` steps between two types. If there are more than `most`, the longest are left out, and
    /// of the length of which only some fit, those are drawn evenly.
    pub fn walks(&self, ends: (TypeId, TypeId), max_length: usize, most: usize, seed: u64) -> Found {
        let search = Search::new(self, ends, max_length);
        // A predicate of which modes give several types may lead to the same walk twice.
        let mut walks: IndexSet<Vec<Step>> = IndexSet::default();
        let mut possible = 0u64;
        for length in 1..=max_length {
            let count = search.count(length);
            possible = possible.saturating_add(count);
            let room = (most - walks.len()) as u64;
            if count <= room {
                walks.extend((0..count).map(|number| search.walk(length, number)));
            } else {
                let stream = &mut Stream::new(seed, &["walks", &length.to_string()]);
                walks.extend(draw(count, room, stream).into_iter().map(|number| search.walk(length, number)));
            }
        }
        Found { walks: walks.into_iter().collect(), possible }
    }
}

/// `n` different numbers below `of`, ascending.
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

/// How many ways there are to go on, so that walks can be numbered.
struct Search<'g> {
    graph: &'g TypeGraph,
    from: TypeId,
    /// For each number of steps, the number of ways to the last type from each type, for a walk that has just stayed
    /// (second) or not (first).
    ways: Vec<Vec<[u64; 2]>>,
}

impl<'g> Search<'g> {
    fn new(graph: &'g TypeGraph, (from, to): (TypeId, TypeId), max_length: usize) -> Self {
        let mut arrived = vec![[0; 2]; graph.types];
        arrived[usize::from(to.0)] = [1; 2];
        let mut search = Search { graph, from, ways: vec![arrived] };
        for length in 1..=max_length {
            let mut ways = vec![[0u64; 2]; graph.types];
            for edge in &graph.edges {
                for stayed in [false, true] {
                    let way = &mut ways[usize::from(edge.from.0)][usize::from(stayed)];
                    *way = way.saturating_add(search.after(edge, stayed, length));
                }
            }
            search.ways.push(ways);
        }
        search
    }

    /// How many walks go on with an edge, of which `left` steps are left with it.
    fn after(&self, edge: &Edge, stayed: bool, left: usize) -> u64 {
        let stays = edge.step.way == Way::Stay;
        if stays && stayed { 0 } else { self.ways[left - 1][usize::from(edge.to.0)][usize::from(stays)] }
    }

    /// How many walks of this length there are.
    fn count(&self, length: usize) -> u64 {
        // A walk that only stays says that the two arguments are the same, and is none.
        self.ways[length][usize::from(self.from.0)][usize::from(length == 1)]
    }

    /// The walk with this number among those of its length.
    fn walk(&self, length: usize, mut number: u64) -> Vec<Step> {
        let (mut here, mut stayed) = (self.from, length == 1);
        let mut walk = Vec::with_capacity(length);
        for left in (1..=length).rev() {
            for edge in self.graph.edges.iter().filter(|edge| edge.from == here) {
                let ways = self.after(edge, stayed, left);
                if number < ways {
                    walk.push(edge.step);
                    (here, stayed) = (edge.to, edge.step.way == Way::Stay);
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

    fn walks(text: &str, max_length: usize, most: usize) -> (Vec<String>, u64) {
        let (database, ..) = sample::build(text, None);
        let Database { schema, predicates, symbols, .. } = &database;
        let target = predicates.find("under", 2).unwrap();
        let types = schema.argument_types(target).unwrap();
        let found = TypeGraph::new(schema, target).walks((types[0], types[1]), max_length, most, 1);
        let text = |walk: &Vec<Step>| show_conjunction(&literals(walk), predicates, symbols).to_string();
        (found.walks.iter().map(text).collect(), found.possible)
    }

    #[test]
    fn walks_follow_the_types() {
        // Two steps lead through a movie; with one more, there is a property before or behind.
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
        // Four steps: through two movies and a person between, through two movies of one genre, or with two properties.
        let (four, _) = walks(FILMS, 4, 1000);
        assert_eq!(four.len(), 12 + 2 * 2 * 2 * 2 + 2 * 2 + 4);
    }

    #[test]
    fn too_many_are_drawn_from_the_last_length() {
        let (all, possible) = walks(FILMS, 4, 1000);
        let (some, same) = walks(FILMS, 4, 20);
        assert_eq!((some.len(), possible, same), (20, 36, 36));
        assert!(some[..12] == all[..12] && some[12..].iter().all(|walk| all[12..].contains(walk)));
        assert_ne!(some[..], all[..20]);
        assert_eq!(walks(FILMS, 4, 20).0, some);
    }

    #[test]
    fn a_property_alone_and_the_target_are_no_walks() {
        let text = "mode: under(+person, -person). mode: female(+person). mode: other(+person, -dog).";
        assert_eq!(walks(text, 1, 10), (vec![], 0));
        // To a dog and back.
        assert_eq!(walks(text, 2, 10), (vec!["other(A, C), other(B, C)".to_owned()], 1));
    }
}
