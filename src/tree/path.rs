//! Relational pathfinding: chains of literals from one argument of the head to another, proposed as whole tests.
//!
//! Growth that adds a literal or two at a time cannot see that `venue(P, A), samebib(P, Q), venue(Q, B)` is the test to
//! ask, since its first literals separate nothing. So the facts around some positive examples are searched from both
//! arguments at once; where the searches meet is a path of facts, and its predicates with the arguments it passes
//! through are a chain. What is found thus holds for some positive example. The idea is that of Richards and Mooney
//! (1992), "Learning relations by pathfinding".

mod ground;
mod link;

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::cancel;
use crate::determinism::{HashMap, Stream};
use crate::kb::{Database, Example, TypeId};
use crate::logic::clause::show_conjunction;
use crate::logic::{Constant, Literal, PredicateId};
use ground::{CHAIN_STEPS, Ground, MOST_STEPS, Places};
use link::{Links, Piece};

/// Which chains are wanted, and how they are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathOptions {
    /// The most literals in a chain.
    pub max_length: usize,
    /// How many positive examples are looked at; all if there are fewer.
    pub sample: usize,
    /// The most chains. Every length gets an equal share, and shorter chains what others leave.
    pub max_chains: usize,
    /// The part of these positive examples that a chain to a constant must hold for; one of them at least.
    pub constant_share: f64,
    /// Whether numbers are compared with, so that no chain asks for one of them.
    pub compares: bool,
    /// Where the draw of the examples starts.
    pub seed: u64,
}

impl Default for PathOptions {
    fn default() -> Self {
        PathOptions { max_length: 3, sample: 100, max_chains: 200, constant_share: 0.05, compares: false, seed: 1 }
    }
}

/// The chains of up to `max_length` literals between any two variables of the head that hold for some of the sampled
/// positive examples.
///
/// A chain is a row of literals in which each shares one new variable with the next. The modes must allow its literals
/// to be added one after another in some order, starting from the variables of the head. Arguments that the chain does
/// not pass through are variables of no other literal, or constants where the modes want constants. The target is
/// part of a chain only if its facts are evidence.
///
/// For a target with one variable, chains lead from it to a literal with a constant instead.
///
/// Shorter chains come first, then those that hold for more of the sampled examples, then the order of their text. The
/// variables of the head are `0..arity`, new ones follow from left to right. Around an example with very many neighbours
/// not everything is looked at.
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
    let ground = Ground::new(database, &links);
    let sampled = sample(examples, options);
    let finder = Finder { ground: &ground, target, types, max_length: options.max_length };
    let around = |&example: &&Example| {
        cancel::poll();
        finder.around(example)
    };
    let found: Vec<Vec<Chain>> = sampled.par_iter().map(around).collect();
    let mut counts: HashMap<Chain, usize> = HashMap::default();
    for chain in found.into_iter().flatten() {
        *counts.entry(chain).or_default() += 1;
    }
    if types.len() == 1 {
        let least = options.constant_share * sampled.len() as f64;
        counts.retain(|_, count| *count as f64 >= least);
    }
    in_order(counts, database, &links, types, options)
}

/// Some of the positive examples.
fn sample<'e>(examples: &'e [Example], options: &PathOptions) -> Vec<&'e Example> {
    let mut positives: Vec<&Example> = examples.iter().filter(|example| example.positive).collect();
    if positives.len() > options.sample {
        Stream::new(options.seed, &["paths"]).shuffle(&mut positives);
        positives.truncate(options.sample);
    }
    positives
}

/// A chain as it is found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Chain {
    /// The variables of the head at its ends; `None` for a constant.
    ends: (u32, Option<u32>),
    pieces: Vec<Piece>,
}

struct Finder<'f> {
    ground: &'f Ground<'f>,
    target: PredicateId,
    types: &'f [TypeId],
    max_length: usize,
}

impl Finder<'_> {
    /// The chains that hold for an example, each once.
    fn around(&self, example: &Example) -> Vec<Chain> {
        let view = &self.ground.database.view(self.target, &example.args);
        let places = |argument: usize, depth: usize| {
            self.ground.places(example.args[argument], self.types[argument], depth, view)
        };
        let mut chains = Vec::new();
        if self.types.len() == 1 {
            let add = |pieces| chains.push(Chain { ends: (0, None), pieces });
            self.ground.to_constants(&mut places(0, self.max_length - 1), view, add);
            return chains;
        }
        // A chain of odd length is met one link further from its first argument.
        let far = self.max_length.div_ceil(2);
        let last = self.types.len() - 1;
        let depth = |argument: usize| if argument < last { far } else { self.max_length - far };
        let around: Vec<Places> = (0..=last).map(|argument| places(argument, depth(argument))).collect();
        for second in 1..=last {
            for first in 0..second {
                let ends = (first as u32, Some(second as u32));
                self.meet(&around[first], &around[second], |pieces| chains.push(Chain { ends, pieces }));
            }
        }
        chains
    }

    /// Calls `f` with the chains along which two searches meet, the shorter ones first.
    fn meet(&self, from: &Places, to: &Places, mut f: impl FnMut(Vec<Piece>)) {
        let mut left = MOST_STEPS;
        for length in 1..=self.max_length {
            let far = length.div_ceil(2);
            for a in from.level(far) {
                for b in to.level(length - far) {
                    let (here, there) = (from.get(a), to.get(b));
                    let fits = here.fits(there);
                    let cost = if fits { here.reached.len().min(there.reached.len()) } else { 0 };
                    left = left.saturating_sub(1 + cost);
                    if left == 0 {
                        return;
                    }
                    if fits && have_common(&here.reached, &there.reached) {
                        left = left.saturating_sub(CHAIN_STEPS);
                        let mut pieces = from.path(a);
                        pieces.extend(to.path(b).into_iter().rev().map(|piece| self.ground.links.turned(piece)));
                        f(pieces);
                    }
                }
            }
        }
    }
}

/// Whether sorted lists have something in common.
fn have_common(a: &[Constant], b: &[Constant]) -> bool {
    let (few, mut many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    few.iter().any(|constant| {
        many = &many[many.partition_point(|other| other < constant)..];
        many.first() == Some(constant)
    })
}

/// A chain behind what it is sorted by: how many examples it holds for, and its text.
type Ranked = (Reverse<usize>, String, Vec<Literal>);

/// The chains as literals, the best of each length.
fn in_order(
    counts: HashMap<Chain, usize>,
    database: &Database,
    links: &Links<'_>,
    types: &[TypeId],
    options: &PathOptions,
) -> Vec<Vec<Literal>> {
    let mut by_length: Vec<Vec<Ranked>> = vec![Vec::new(); options.max_length];
    // The map comes in no order that matters: the texts below, and the literals behind them, bring one.
    for (Chain { ends: (first, last), pieces }, count) in counts {
        let literals = links.literals(&pieces, first, last, types.len() as u32);
        if links.keep_limits(&pieces, &literals, types[first as usize], last.map(|last| types[last as usize])) {
            let text = show_conjunction(&literals, &database.predicates, &database.symbols).to_string();
            by_length[pieces.len() - 1].push((Reverse(count), text, literals));
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
    by_length.into_iter().flatten().map(|(_, _, literals)| literals).collect()
}
