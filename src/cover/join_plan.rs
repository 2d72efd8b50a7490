//! How a component is searched for a witness: which literal first, through which index, and what then.
//!
//! A plan is a tree. Once a literal is matched, what is left may fall into parts that share no free variable; each part
//! is searched by itself, so that a failure in one never walks again through the matches of another.

use super::conjunction::{Arg, Key, KeyLiteral, decode};
use crate::kb::{Database, Index, IndexId, Relation};
use crate::logic::{Comparison, Constant, PredicateId};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The id of a constant.
    Constant(u32),
    /// A place among the bindings: first the variables of the head, then the others.
    Slot(usize),
}

/// What is done with a column of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// The row fits only with this value.
    Equals(Source),
    /// The value is bound for later.
    Bind(usize),
}

/// One side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A number; `None` stands for what is none: a name, or a variable that is bound to nothing.
    Value(Option<f64>),
    /// A place among the bindings.
    Slot(usize),
}

/// A literal to match, and what must hold under some match of it.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    pub negated: bool,
    pub predicate: PredicateId,
    /// For a comparison, what is compared.
    pub compare: Option<(Comparison, [Operand; 2])>,
    /// `None` if the literal has another number of arguments than the facts: nothing matches.
    pub access: Option<Access<'a>>,
    /// The parts that must hold under a match.
    pub then: Vec<Step<'a>>,
    /// Parts that must not hold together. Then the step has no literal.
    pub none_of: Vec<Step<'a>>,
    /// A table of answers, for a part that is not just one look-up; and the bindings that the answer depends on.
    pub memo: Option<(usize, Vec<usize>)>,
}

/// How rows are found.
#[derive(Debug)]
pub(crate) struct Access<'a> {
    pub index: &'a Index,
    /// The values of the first columns of the index.
    pub prefix: Vec<Source>,
    /// What is done with the other columns, as far as anything is.
    pub actions: Vec<(usize, Action)>,
    /// Whether the one value that is bound comes sorted and may come repeatedly.
    pub may_repeat: bool,
}

/// How a component is searched.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub roots: Vec<Step<'a>>,
    /// How many bindings there are.
    pub slots: usize,
    pub memos: usize,
}

/// How many different values stand at an argument position; a guess where no index tells.
pub(crate) fn distinct_values(relation: &Relation) -> Box<[f64]> {
    let rows = relation.len() as f64;
    let distinct = |position: usize| {
        let first = |index: &&Index| index.order().first() == Some(&(position as u32));
        let known = relation.indexes().iter().find(first);
        known.map_or(rows.sqrt(), |index| index.directory().iter().count() as f64).max(1.0)
    };
    (0..relation.arity()).map(distinct).collect()
}

impl<'a> Plan<'a> {
    /// A plan for a component. `distinct` gives [`distinct_values`] of a predicate.
    pub fn new<'d>(
        key: &Key,
        arity: usize,
        database: &'a Database,
        distinct: &dyn Fn(PredicateId) -> &'d [f64],
    ) -> Self {
        Self::without(key, &[], arity, database, distinct)
    }

    /// A plan for literals of which the last fall into groups, of these sizes: no group may hold under a match of the others.
    pub fn without<'d>(
        key: &Key,
        groups: &[usize],
        arity: usize,
        database: &'a Database,
        distinct: &dyn Fn(PredicateId) -> &'d [f64],
    ) -> Self {
        let literals = decode(key);
        let locals = literals.iter().flat_map(|literal| &literal.args).filter_map(|arg| match arg {
            Arg::Local(k) => Some(*k as usize + 1),
            _ => None,
        });
        let slots = arity + locals.max().unwrap_or(0);
        let mut free = literals.len() - groups.iter().sum::<usize>();
        let mut all: Vec<usize> = (0..free).collect();
        all.extend((0..groups.len()).map(|group| literals.len() + group));
        let group = |&size: &usize| {
            free += size;
            (free - size..free).collect()
        };
        let groups = groups.iter().map(group).collect();
        let mut builder = Builder { database, distinct, literals, groups, arity, memos: 0 };
        let mut bound = vec![false; slots];
        bound[..arity].fill(true);
        let roots = builder.steps(all, &bound, true);
        Plan { roots, slots, memos: builder.memos }
    }
}

struct Builder<'a, 'f, 'd> {
    database: &'a Database,
    distinct: &'f dyn Fn(PredicateId) -> &'d [f64],
    literals: Vec<KeyLiteral>,
    /// The literals of each group that must not hold; a group is numbered behind all literals.
    groups: Vec<Vec<usize>>,
    arity: usize,
    memos: usize,
}

impl<'a> Builder<'a, '_, '_> {
    fn slot(&self, arg: Arg) -> Option<usize> {
        match arg {
            Arg::Head(v) => Some(v as usize),
            Arg::Local(k) => Some(self.arity + k as usize),
            Arg::Constant(_) | Arg::Number(_) => None,
        }
    }

    /// The literals of a group, if it is one.
    fn group(&self, item: usize) -> Option<&Vec<usize>> {
        self.groups.get(item.checked_sub(self.literals.len())?)
    }

    /// The places of the variables of a literal, or of a group of them.
    fn slots(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        let members = self.group(item).map_or_else(|| item..item + 1, |group| group[0]..group[group.len() - 1] + 1);
        members.flat_map(|literal| &self.literals[literal].args).filter_map(|&arg| self.slot(arg))
    }

    /// Whether it is a literal that binds variables.
    fn binds(&self, item: usize) -> bool {
        self.literals.get(item).is_some_and(|literal| !literal.negated && literal.predicate.comparison().is_none())
    }

    /// The steps of the parts into which these literals fall, the cheapest first.
    fn steps(&mut self, literals: Vec<usize>, bound: &[bool], at_root: bool) -> Vec<Step<'a>> {
        let mut parts: Vec<(f64, Step<'a>)> =
            self.parts(literals, bound).into_iter().map(|part| self.step(part, bound, at_root)).collect();
        parts.sort_by(|a, b| a.0.total_cmp(&b.0));
        parts.into_iter().map(|(_, step)| step).collect()
    }

    /// Literals that share a variable which is free and which a positive one of them can bind.
    fn parts(&self, literals: Vec<usize>, bound: &[bool]) -> Vec<Vec<usize>> {
        let positive = |&&i: &&usize| self.binds(i);
        let mut can_bind = vec![false; bound.len()];
        for &i in literals.iter().filter(positive) {
            self.slots(i).for_each(|slot| can_bind[slot] = !bound[slot]);
        }
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for i in literals {
            let touches = |other: usize| self.slots(other).any(|s| can_bind[s] && self.slots(i).any(|own| own == s));
            let (mut joined, apart): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|part: &Vec<usize>| part.iter().any(|&other| touches(other)));
            let mut whole: Vec<usize> = joined.drain(..).flatten().collect();
            whole.push(i);
            whole.sort_unstable();
            parts = apart;
            parts.push(whole);
        }
        parts.sort();
        parts
    }

    /// How many rows are looked at to match a literal under one binding, about: those that agree with the longest bound
    /// prefix of an index, whether or not they agree with what else is bound.
    fn rows(&self, literal: usize, bound: &[bool]) -> f64 {
        let KeyLiteral { predicate, args, .. } = &self.literals[literal];
        let relation = self.database.facts.relation(*predicate);
        if relation.arity() != args.len() {
            return 0.0;
        }
        let distinct = (self.distinct)(*predicate);
        let is_bound = |position: &&u32| self.slot(args[**position as usize]).is_none_or(|slot| bound[slot]);
        let rows = |index: &Index| {
            let prefix = index.order().iter().take_while(is_bound);
            relation.len() as f64 / prefix.map(|&position| distinct[position as usize]).product::<f64>()
        };
        relation.indexes().iter().map(rows).fold(f64::INFINITY, f64::min)
    }

    /// The step of one part, with what its first literal costs.
    fn step(&mut self, mut part: Vec<usize>, bound: &[bool], at_root: bool) -> (f64, Step<'a>) {
        // A negated literal or a comparison waits until all its variables are bound that will be; then it is a part of its own.
        let positive = |&&i: &&usize| self.binds(i);
        let cost = |&i: &usize| self.rows(i, bound);
        let cheapest = part.iter().filter(positive).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        let first = cheapest.or(part.first()).copied().unwrap_or_default();
        // So does a group that must not hold.
        if let Some(group) = self.group(first).cloned() {
            return (f64::INFINITY, self.none_of(first, group, bound));
        }
        let cost = self.rows(first, bound);
        part.retain(|&i| i != first);

        let mut used_later = vec![false; bound.len()];
        for &i in &part {
            self.slots(i).for_each(|slot| used_later[slot] = true);
        }
        let access = self.access(first, bound, &used_later);
        let mut now_bound = bound.to_vec();
        if self.binds(first) {
            self.slots(first).for_each(|slot| now_bound[slot] = true);
        }
        let mut interface: Vec<usize> =
            part.iter().chain([&first]).flat_map(|&i| self.slots(i)).filter(|&slot| bound[slot]).collect();
        interface.sort_unstable();
        interface.dedup();
        let then = self.steps(part, &now_bound, false);
        let mut memo = None;
        if !at_root && !then.is_empty() && interface.len() <= 2 {
            memo = Some((self.memos, interface));
            self.memos += 1;
        }
        let KeyLiteral { negated, predicate, .. } = self.literals[first];
        let compare = predicate.comparison().map(|comparison| (comparison, self.operands(first, bound)));
        (cost, Step { negated, predicate, compare, access, then, none_of: Vec::new(), memo })
    }

    /// What a comparison compares.
    fn operands(&self, literal: usize, bound: &[bool]) -> [Operand; 2] {
        let args = &self.literals[literal].args;
        let operand = |k: usize| match (args.get(k), args.len()) {
            (Some(Arg::Number(bits)), 2) => Operand::Value(Some(f64::from_bits(*bits))),
            (Some(Arg::Constant(id)), 2) => Operand::Value(self.database.symbols.number(Constant::from_id(*id))),
            (Some(arg), 2) => match self.slot(*arg) {
                Some(slot) if bound[slot] => Operand::Slot(slot),
                _ => Operand::Value(None),
            },
            _ => Operand::Value(None),
        };
        [operand(0), operand(1)]
    }

    fn none_of(&mut self, item: usize, group: Vec<usize>, bound: &[bool]) -> Step<'a> {
        let mut interface: Vec<usize> = self.slots(item).filter(|&slot| bound[slot]).collect();
        interface.sort_unstable();
        interface.dedup();
        let predicate = self.literals[group[0]].predicate;
        let none_of = self.steps(group, bound, false);
        let mut memo = None;
        if interface.len() <= 2 {
            memo = Some((self.memos, interface));
            self.memos += 1;
        }
        Step { negated: true, predicate, compare: None, access: None, then: Vec::new(), none_of, memo }
    }

    fn access(&self, literal: usize, bound: &[bool], used_later: &[bool]) -> Option<Access<'a>> {
        let KeyLiteral { predicate, args, .. } = &self.literals[literal];
        let relation = self.database.facts.relation(*predicate);
        if relation.arity() != args.len() {
            return None;
        }
        let source = |position: u32| {
            let arg = args[position as usize];
            match (arg, self.slot(arg)) {
                (Arg::Constant(id), _) => Some(Source::Constant(id)),
                (_, Some(slot)) if bound[slot] => Some(Source::Slot(slot)),
                _ => None,
            }
        };
        let prefix_of = |index: &Index| index.order().iter().map_while(|&p| source(p)).collect::<Vec<_>>();
        let (mut best, mut prefix) = (0, prefix_of(&relation.indexes()[0]));
        for (i, index) in relation.indexes().iter().enumerate().skip(1) {
            let other = prefix_of(index);
            if other.len() > prefix.len() {
                (best, prefix) = (i, other);
            }
        }
        let index = relation.index(IndexId(best as u32));
        let mut here = vec![false; bound.len()];
        let mut actions = Vec::new();
        for (column, &position) in index.order().iter().enumerate().skip(prefix.len()) {
            if let Some(source) = source(position) {
                actions.push((column, Action::Equals(source)));
                continue;
            }
            let Some(slot) = self.slot(args[position as usize]) else { continue };
            let again = args.iter().filter(|&&arg| self.slot(arg) == Some(slot)).count() > 1;
            if std::mem::replace(&mut here[slot], true) {
                actions.push((column, Action::Equals(Source::Slot(slot))));
            } else if again || used_later[slot] {
                actions.push((column, Action::Bind(slot)));
            }
        }
        let next = prefix.len();
        let may_repeat = next + 1 < args.len() && matches!(actions[..], [(column, Action::Bind(_))] if column == next);
        Some(Access { index, prefix, actions, may_repeat })
    }
}
