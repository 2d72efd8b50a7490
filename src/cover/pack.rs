//! Query packs: components that differ only in their last literal, decided together.
//!
//! A *refinement* adds one literal to a base. A pack holds the refinements of a base whose literals
//! mention the same bound variables, the *interface*. The base is projected onto the interface once
//! per group of examples, and the refinements that match a tuple of the interface are found once
//! per tuple. Those that differ only in constants share one lookup: the constants of the matching
//! facts tell which of them match.
//!
//! A pack visits all groundings of its base, while a search ends at the first. Its effort is
//! therefore bounded, and a pack that exceeds the bound is left to the search of its components.

use super::bits::Bits;
use super::catalog::Catalog;
use super::conjunction::{ComponentKey, EncodedConjunction, KeyArg, KeyLiteral, decode, head_variables};
use super::groups::{Groups, TimeLimits};
use super::join_plan::{JoinPlan, estimated_rows};
use super::search::Search;
use crate::cancel;
use crate::determinism::HashMap;
use crate::kb::{Database, Example};
use crate::logic::Constant;

/// The steps that a pack may take per pair of a component and a group of examples that it may
/// cover. A search takes a few.
const STEPS_PER_PAIR: u64 = 4;

/// The steps that a pack may take in any case.
const MIN_STEPS: u64 = 1 << 16;

/// The number of words at which the memo of a pack is cleared.
const MAX_MEMO_WORDS: usize = 1 << 18;

/// The number of groups between two polls for cancellation.
const POLL_INTERVAL: usize = 64;

/// The inputs shared by all packs.
pub(super) struct PackContext<'c, 'a> {
    pub catalog: &'a Catalog<'a>,
    pub arity: usize,
    pub examples: &'c [Example],
    pub limits: &'c TimeLimits,
}

/// The components that extend a base by a literal with the same bound variables.
pub(super) struct Pack {
    base: Vec<KeyLiteral>,
    /// The head variables of the base, in ascending order.
    pub base_heads: Vec<u32>,
    /// The head variables of the components, in ascending order.
    pub heads: Vec<u32>,
    /// The bound variables of the last literals: head variables, then those of the base.
    interface: Vec<KeyArg>,
    /// The number of each component, and its last literal.
    pub refinements: Vec<(usize, KeyLiteral)>,
}

/// The refinements that one lookup decides.
struct Lookup<'a> {
    plan: JoinPlan<'a>,
    decided: Decided,
}

enum Decided {
    /// A single refinement, by whether a fact matches.
    One(usize),
    /// Refinements by their constants.
    ByConstants(HashMap<Box<[u32]>, usize>),
}

/// A literal with the variables of the interface as its head, and with constants replaced by
/// variables, which are listed.
type Abstracted = (KeyLiteral, Vec<u32>);

/// Refinements of one shape: their components with the constants that were abstracted.
type Members = Vec<(usize, Box<[u32]>)>;

impl Pack {
    /// Groups components, given by number and literals, into packs.
    pub fn group<'e>(components: impl Iterator<Item = (usize, &'e EncodedConjunction, &'e [usize])>) -> Vec<Pack> {
        let mut packs: Vec<Pack> = Vec::new();
        let mut pack_of: HashMap<(ComponentKey, Vec<KeyArg>), usize> = HashMap::default();
        for (number, encoded, members) in components {
            let Some((base, last)) = encoded.split_last(members) else { continue };
            let Some(literal) = decode(&last).pop() else { continue };
            let bound_locals = EncodedConjunction::locals_of(&base);
            let is_bound = |arg: &KeyArg| match arg {
                KeyArg::Head(_) => true,
                KeyArg::Local(k) => *k < bound_locals,
                KeyArg::Constant(_) | KeyArg::Number(_) => false,
            };
            let mut interface: Vec<KeyArg> = literal.args.iter().copied().filter(is_bound).collect();
            interface.sort_unstable();
            interface.dedup();
            let pack = *pack_of.entry((base, interface)).or_insert_with_key(|(base, interface)| {
                let base_heads = head_variables(base);
                let own = interface.iter().filter_map(|arg| if let KeyArg::Head(v) = arg { Some(*v) } else { None });
                let mut heads: Vec<u32> = base_heads.iter().copied().chain(own).collect();
                heads.sort_unstable();
                heads.dedup();
                let (base, interface) = (decode(base), interface.clone());
                packs.push(Pack { base, base_heads, heads, interface, refinements: Vec::new() });
                packs.len() - 1
            });
            packs[pack].refinements.push((number, literal));
        }
        packs
    }

    /// Returns the examples that each refinement covers, `None` for no example, all of them inside
    /// `within`; and the steps taken. Returns `None` if these exceed the bound.
    ///
    /// `base_groups` and `groups` are the groups by the head variables of the base and of the
    /// components; `pairs` is the number of pairs of a component and a group that it may cover.
    pub fn evaluate(
        &self,
        context: &PackContext<'_, '_>,
        base_groups: &Groups,
        groups: &Groups,
        within: Option<&Bits>,
        pairs: usize,
    ) -> Option<(Vec<Option<Bits>>, u64)> {
        let PackContext { catalog, arity, examples, limits } = *context;
        let database = catalog.database;
        let components = self.refinements.len();
        let max_steps = STEPS_PER_PAIR * pairs as u64 + MIN_STEPS;
        let (mut heads, mut locals) = (Vec::new(), Vec::new());
        for arg in &self.interface {
            match arg {
                KeyArg::Head(v) => heads.push(*v as usize),
                KeyArg::Local(k) => locals.push(*k),
                KeyArg::Constant(_) | KeyArg::Number(_) => {}
            }
        }
        let base_plan = (!locals.is_empty()).then(|| JoinPlan::projecting(self.base.clone(), &locals, arity, catalog));
        let mut base_search =
            base_plan.as_ref().map(|plan| Search::new(plan, database, 1, None).with_budget(max_steps));
        let lookups = self.lookups(context);
        let mut matcher = Matcher::new(&lookups, database, components, max_steps);
        let is_memoized = heads.is_empty() && !locals.is_empty();

        // Groups with the same bindings of the base follow each other.
        let mut order: Vec<u32> = (0..groups.first.len() as u32).collect();
        let base_group = |group: u32| base_groups.of[groups.first[group as usize] as usize];
        if self.heads != self.base_heads {
            order.sort_by_key(|&group| base_group(group));
        }
        let words = groups.first.len().div_ceil(64);
        let mut covered: Vec<Vec<u64>> = vec![Vec::new(); components];
        let mut found = MatchSet::new(components);
        let (mut bindings, mut bindings_of, mut steps): (Vec<u32>, Option<u32>, u64) = (Vec::new(), None, 0);
        let mut tuple: Vec<Constant> = Vec::with_capacity(self.interface.len());
        for (number, &group) in order.iter().enumerate() {
            if number.is_multiple_of(POLL_INTERVAL) {
                cancel::poll();
            }
            let first = groups.first[group as usize] as usize;
            if within.is_some_and(|within| !within.get(first)) {
                continue;
            }
            let (args, limit_id) = (&examples[first].args, limits.of[first]);
            let limit = limits.values[limit_id as usize];
            if let Some(search) = &mut base_search
                && bindings_of.replace(base_group(group)) != Some(base_group(group))
            {
                let projected = search.project(args, limit, limit_id)?;
                distinct_tuples(projected, locals.len(), &mut bindings);
            }
            found.clear();
            let tuples = if locals.is_empty() { 1 } else { bindings.len() / locals.len() };
            for at in 0..tuples {
                tuple.clear();
                tuple.extend(heads.iter().map(|&v| args[v]));
                let own = &bindings[at * locals.len()..(at + 1) * locals.len()];
                tuple.extend(own.iter().map(|&id| Constant::from_id(id)));
                match is_memoized {
                    true => matcher.add_memoized(&tuple, limit, limit_id, &mut found)?,
                    false => matcher.add(&tuple, limit, limit_id, &mut found)?,
                }
                if found.is_full() {
                    break;
                }
            }
            steps += tuples as u64;
            let taken = steps + matcher.steps + base_search.as_ref().map_or(0, |search| search.steps);
            if taken > max_steps {
                return None;
            }
            for component in found.iter() {
                let covered = &mut covered[component];
                if covered.is_empty() {
                    covered.resize(words, 0);
                }
                covered[group as usize / 64] |= 1 << (group % 64);
            }
        }
        let steps = steps + matcher.steps + base_search.map_or(0, |search| search.steps);
        let bits = |covered: &Vec<u64>| (!covered.is_empty()).then(|| groups.covered_words(covered));
        Some((covered.iter().map(bits).collect(), steps))
    }

    /// Plans the lookups that decide all refinements.
    fn lookups<'a>(&self, context: &PackContext<'_, 'a>) -> Vec<Lookup<'a>> {
        let mut shapes: Vec<(Abstracted, Members)> = Vec::new();
        let mut shape_of: HashMap<Abstracted, usize> = HashMap::default();
        for (component, (_, literal)) in self.refinements.iter().enumerate() {
            let (abstracted, constants) = self.abstracted(literal);
            let shape = *shape_of.entry(abstracted).or_insert_with_key(|abstracted| {
                shapes.push((abstracted.clone(), Vec::new()));
                shapes.len() - 1
            });
            shapes[shape].1.push((component, constants));
        }
        let catalog = context.catalog;
        let arity = self.interface.len();
        let mut lookups = Vec::new();
        for ((literal, places), members) in shapes {
            let rows = || estimated_rows(&literal, arity, catalog);
            if members.len() > 1 && 4.0 * members.len() as f64 >= rows() {
                let plan = JoinPlan::projecting(vec![literal], &places, arity, catalog);
                let by_constants = members.into_iter().map(|(component, constants)| (constants, component)).collect();
                lookups.push(Lookup { plan, decided: Decided::ByConstants(by_constants) });
                continue;
            }
            for (component, constants) in members {
                let mut literal = literal.clone();
                for arg in &mut literal.args {
                    if let KeyArg::Local(k) = *arg
                        && let Some(place) = places.iter().position(|&place| place == k)
                    {
                        *arg = KeyArg::Constant(constants[place]);
                    }
                }
                let plan = JoinPlan::of_literals(vec![literal], arity, catalog);
                lookups.push(Lookup { plan, decided: Decided::One(component) });
            }
        }
        lookups
    }

    /// Returns a literal in terms of the interface, with its constants apart.
    fn abstracted(&self, literal: &KeyLiteral) -> (Abstracted, Box<[u32]>) {
        let (mut names, mut next) = (Vec::new(), 0);
        let (mut places, mut constants) = (Vec::new(), Vec::new());
        let arg = |&arg: &KeyArg| {
            if let Some(place) = self.interface.iter().position(|&other| other == arg) {
                return KeyArg::Head(place as u32);
            }
            if let Some(&(_, name)) = names.iter().find(|&&(other, _)| other == arg && matches!(arg, KeyArg::Local(_)))
            {
                return KeyArg::Local(name);
            }
            if let KeyArg::Constant(id) = arg {
                places.push(next);
                constants.push(id);
            }
            names.push((arg, next));
            next += 1;
            KeyArg::Local(next - 1)
        };
        let args = literal.args.iter().map(arg).collect();
        ((KeyLiteral { args, ..*literal }, places), constants.into())
    }
}

/// Copies the distinct tuples of this width; some of those wider than two may repeat.
fn distinct_tuples(projected: &mut [u32], width: usize, distinct: &mut Vec<u32>) {
    distinct.clear();
    match width {
        1 => {
            projected.sort_unstable();
            distinct.extend_from_slice(projected);
            distinct.dedup();
        }
        2 => {
            let mut pairs: Vec<u64> =
                projected.chunks_exact(2).map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1])).collect();
            pairs.sort_unstable();
            pairs.dedup();
            distinct.extend(pairs.into_iter().flat_map(|pair| [(pair >> 32) as u32, pair as u32]));
        }
        _ => distinct.extend_from_slice(projected),
    }
}

/// A set of components of a pack.
struct MatchSet {
    words: Vec<u64>,
    /// The number of components not in the set.
    missing: usize,
    components: usize,
}

impl MatchSet {
    fn new(components: usize) -> Self {
        MatchSet { words: vec![0; components.div_ceil(64)], missing: components, components }
    }

    fn clear(&mut self) {
        self.words.fill(0);
        self.missing = self.components;
    }

    fn is_full(&self) -> bool {
        self.missing == 0
    }

    fn get(&self, component: usize) -> bool {
        self.words[component / 64] >> (component % 64) & 1 == 1
    }

    fn insert(&mut self, component: usize) {
        self.insert_word(component / 64, 1 << (component % 64));
    }

    fn insert_word(&mut self, at: usize, word: u64) {
        let new = word & !self.words[at];
        self.missing -= new.count_ones() as usize;
        self.words[at] |= new;
    }

    /// Returns the nonzero words with their indices.
    fn nonzero(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.words.iter().enumerate().filter(|(_, word)| **word != 0).map(|(at, &word)| (at as u32, word))
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.nonzero().flat_map(|(at, word)| {
            let rest = |&word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(word), rest).map(move |word| 64 * at as usize + word.trailing_zeros() as usize)
        })
    }
}

/// Finds the refinements that match a tuple of the interface.
struct Matcher<'l, 'a> {
    lookups: Vec<(&'l Decided, usize, Search<'l, 'a>)>,
    /// By tuple and time limit, the range of its nonzero words in `words`.
    memo: HashMap<Box<[u32]>, (u32, u32)>,
    words: Vec<(u32, u64)>,
    key: Vec<u32>,
    of_tuple: MatchSet,
    steps: u64,
}

impl<'l, 'a> Matcher<'l, 'a> {
    fn new(lookups: &'l [Lookup<'a>], database: &'a Database, components: usize, max_steps: u64) -> Self {
        let search = |lookup: &'l Lookup<'a>| {
            let search = Search::new(&lookup.plan, database, 1, None).with_budget(max_steps);
            (&lookup.decided, lookup.plan.width(), search)
        };
        Matcher {
            lookups: lookups.iter().map(search).collect(),
            memo: HashMap::default(),
            words: Vec::new(),
            key: Vec::new(),
            of_tuple: MatchSet::new(components),
            steps: 0,
        }
    }

    /// Adds the components that match a tuple; `None` if the budget runs out.
    fn add(&mut self, tuple: &[Constant], limit: Option<f64>, limit_id: u32, found: &mut MatchSet) -> Option<()> {
        for (decided, width, search) in &mut self.lookups {
            let before = search.steps;
            match decided {
                Decided::One(component) if found.get(*component) => {}
                Decided::One(component) => {
                    let matches = search.count(tuple, limit, limit_id) > 0;
                    if search.is_exhausted() {
                        return None;
                    }
                    if matches {
                        found.insert(*component);
                    }
                }
                Decided::ByConstants(by_constants) => {
                    for constants in search.project(tuple, limit, limit_id)?.chunks_exact(*width) {
                        if let Some(&component) = by_constants.get(constants) {
                            found.insert(component);
                        }
                    }
                }
            }
            self.steps += search.steps - before;
        }
        Some(())
    }

    /// The same, with a memo.
    fn add_memoized(
        &mut self,
        tuple: &[Constant],
        limit: Option<f64>,
        limit_id: u32,
        found: &mut MatchSet,
    ) -> Option<()> {
        self.key.clear();
        self.key.extend(tuple.iter().map(|constant| constant.id()).chain([limit_id]));
        let range = match self.memo.get(&self.key[..]) {
            Some(&range) => range,
            None => {
                if self.words.len() >= MAX_MEMO_WORDS {
                    self.memo.clear();
                    self.words.clear();
                }
                let mut matching = std::mem::replace(&mut self.of_tuple, MatchSet::new(0));
                matching.clear();
                self.add(tuple, limit, limit_id, &mut matching)?;
                let start = self.words.len() as u32;
                self.words.extend(matching.nonzero());
                self.of_tuple = matching;
                let range = (start, self.words.len() as u32);
                self.memo.insert(self.key[..].into(), range);
                range
            }
        };
        let words = &self.words[range.0 as usize..range.1 as usize];
        self.steps += words.len() as u64;
        for &(at, word) in words {
            found.insert_word(at as usize, word);
        }
        Some(())
    }
}
