//! Relational pathfinding: chains of literals between head variables, proposed as fixed tests.
//!
//! Growth by one or two literals at a time cannot find `venue(P, A), samebib(P, Q), venue(Q, B)`,
//! since its first literals alone separate nothing. Therefore the facts around sampled positive
//! examples are searched from both arguments at once. Where the searches meet there is a path of
//! facts; its predicates and the arguments it passes through form a chain, which covers a positive
//! example by construction. The idea is due to Richards and Mooney (1992), "Learning relations by
//! pathfinding".

mod graph;
mod link;

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::cancel;
use crate::determinism::{HashMap, Stream};
use crate::kb::{Database, Example, TypeId};
use crate::logic::{Constant, Literal, PredicateId};
use crate::parallel;
use graph::{CHAIN_STEPS, FactGraph, MAX_STEPS, Reachable};
use link::{ChainLink, Links};

/// Options of the search for chains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathOptions {
    /// The maximum number of literals in a chain.
    pub max_length: usize,
    /// The maximum number of positive examples sampled.
    pub sample: usize,
    /// The maximum number of chains. Every length has an equal share; what is left goes to shorter
    /// chains.
    pub max_chains: usize,
    /// The minimum fraction of the sampled examples that a chain to a constant must cover, at least
    /// one.
    pub constant_share: f64,
    /// Whether tests compare numbers with thresholds, so that no chain ends in a numeric constant.
    pub compares: bool,
    /// The seed of the sample.
    pub seed: u64,
}

impl Default for PathOptions {
    fn default() -> Self {
        PathOptions { max_length: 3, sample: 100, max_chains: 200, constant_share: 0.05, compares: false, seed: 1 }
    }
}

/// Finds the chains of up to `max_length` literals between two head variables that cover some of
/// the sampled positive examples.
///
/// A chain is a sequence of literals in which neighbors share one new variable. The modes must
/// allow its literals to be added in some order, starting from the head variables. Arguments that
/// the chain does not pass through are variables of no other literal, or constants where the modes
/// require constants. The target occurs in a chain only if its facts are evidence.
///
/// For a target with one variable, chains lead from it to a literal with a constant instead.
///
/// Chains are ordered by length, then by decreasing coverage of the sampled examples, then by text.
/// Head variables are `0..arity`; new ones follow from left to right. The search around an example
/// with very many neighbors is incomplete.
///
/// # Panics
/// If an example has fewer arguments than the target.
pub fn chains(
    database: &Database,
    target: PredicateId,
    examples: &[Example],
    options: &PathOptions,
) -> Vec<Vec<Literal>> {
    let Some(types) = database.schema.argument_types(target) else { return Vec::new() };
    if options.max_length == 0 || types.is_empty() {
        return Vec::new();
    }
    let links = Links::new(database, target, types.len() == 1, options.compares);
    let graph = FactGraph::new(database, &links);
    let sampled = sample(examples, options);
    let finder = ChainFinder { graph: &graph, target, types, max_length: options.max_length };
    let around = |&example: &&Example| {
        cancel::poll();
        finder.around(example)
    };
    let found: Vec<Vec<Chain>> = parallel::collected(sampled.par_iter().map(around));
    let mut counts: HashMap<Chain, usize> = HashMap::default();
    for chain in found.into_iter().flatten() {
        *counts.entry(chain).or_default() += 1;
    }
    if types.len() == 1 {
        let min_count = options.constant_share * sampled.len() as f64;
        counts.retain(|_, count| *count as f64 >= min_count);
    }
    best_chains(counts, &links, types, options)
}

/// Samples the positive examples.
fn sample<'e>(examples: &'e [Example], options: &PathOptions) -> Vec<&'e Example> {
    let mut positives: Vec<&Example> = examples.iter().filter(|example| example.positive).collect();
    if positives.len() > options.sample {
        Stream::new(options.seed, &["paths"]).shuffle(&mut positives);
        positives.truncate(options.sample);
    }
    positives
}

/// A chain found in the facts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Chain {
    /// The head variables at its ends; `None` for a constant.
    ends: (u32, Option<u32>),
    links: Vec<ChainLink>,
}

struct ChainFinder<'f> {
    graph: &'f FactGraph<'f>,
    target: PredicateId,
    types: &'f [TypeId],
    max_length: usize,
}

impl ChainFinder<'_> {
    /// Returns the chains that cover an example, each once.
    fn around(&self, example: &Example) -> Vec<Chain> {
        let view = &self.graph.database.view(self.target, &example.args);
        let reachable = |argument: usize, depth: usize| {
            self.graph.reachable(example.args[argument], self.types[argument], depth, view)
        };
        let mut chains = Vec::new();
        if self.types.len() == 1 {
            let add = |links| chains.push(Chain { ends: (0, None), links });
            self.graph.to_constants(&mut reachable(0, self.max_length - 1), view, add);
            return chains;
        }
        // The halves of a chain of odd length meet one link further from its first argument.
        let far = self.max_length.div_ceil(2);
        let last = self.types.len() - 1;
        let depth = |argument: usize| if argument < last { far } else { self.max_length - far };
        let around: Vec<Reachable> = (0..=last).map(|argument| reachable(argument, depth(argument))).collect();
        for second in 1..=last {
            for first in 0..second {
                let ends = (first as u32, Some(second as u32));
                self.meet(&around[first], &around[second], |links| chains.push(Chain { ends, links }));
            }
        }
        chains
    }

    /// Calls `f` with the chains along which two searches meet, shorter ones first.
    fn meet(&self, from: &Reachable, to: &Reachable, mut f: impl FnMut(Vec<ChainLink>)) {
        let mut left = MAX_STEPS;
        for length in 1..=self.max_length {
            let far = length.div_ceil(2);
            for a in from.level(far) {
                for b in to.level(length - far) {
                    let (here, there) = (from.get(a), to.get(b));
                    let compatible = here.is_compatible(there);
                    let cost = if compatible { here.reached.len().min(there.reached.len()) } else { 0 };
                    left = left.saturating_sub(1 + cost);
                    if left == 0 {
                        return;
                    }
                    if compatible && intersect(&here.reached, &there.reached) {
                        left = left.saturating_sub(CHAIN_STEPS);
                        let mut chain = from.path(a);
                        chain.extend(to.path(b).into_iter().rev().map(|link| self.graph.links.reversed(link)));
                        f(chain);
                    }
                }
            }
        }
    }
}

/// Returns whether two sorted lists intersect.
fn intersect(a: &[Constant], b: &[Constant]) -> bool {
    let (shorter, mut longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    shorter.iter().any(|constant| {
        longer = &longer[longer.partition_point(|other| other < constant)..];
        longer.first() == Some(constant)
    })
}

/// A chain with its sort keys: the number of covered examples, and its literals, whose ids are in
/// canonical order.
type Ranked = (Reverse<usize>, Vec<Literal>);

/// Converts the chains to literals and keeps the best of each length.
fn best_chains(
    counts: HashMap<Chain, usize>,
    links: &Links<'_>,
    types: &[TypeId],
    options: &PathOptions,
) -> Vec<Vec<Literal>> {
    let mut by_length: Vec<Vec<Ranked>> = vec![Vec::new(); options.max_length];
    // The order of the map does not matter: the literals are sorted below.
    for (Chain { ends: (first, last), links: chain }, count) in counts {
        let literals = links.literals(&chain, first, last, types.len() as u32);
        if links.within_mode_limits(&chain, &literals, types[first as usize], last.map(|last| types[last as usize])) {
            by_length[chain.len() - 1].push((Reverse(count), literals));
        }
    }
    let share = options.max_chains / options.max_length;
    let mut left = options.max_chains - by_length.iter().map(|chains| chains.len().min(share)).sum::<usize>();
    for chains in &mut by_length {
        chains.sort_unstable();
        let more = chains.len().saturating_sub(share).min(left);
        left -= more;
        chains.truncate(share + more);
    }
    by_length.into_iter().flatten().map(|(_, literals)| literals).collect()
}
