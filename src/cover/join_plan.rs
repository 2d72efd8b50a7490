//! Join plans: the order in which the literals of a component are matched, and the index for each.
//!
//! A plan is a tree. Once a literal is matched, the remaining literals may fall into components
//! that share no free variable. Each is searched on its own, so that a failure in one never repeats
//! the matches of another.
//!
//! A plan may also project: it then enumerates the values of some variables, and only checks that
//! the others have values. The literals of projected variables are matched one below the other, so
//! that a match of the last determines all of these variables.

use super::catalog::{Catalog, Extension};
use super::conjunction::{ComponentKey, KeyArg, KeyLiteral, decode};
use crate::kb::{Index, PositionTimes, Relation};
use crate::logic::{Comparison, Constant, PredicateId};

/// The assumed number of rows visited for the literal that follows another.
const ROWS_OF_NEXT_LITERAL: f64 = 16.0;

/// The number of literals from which on further indexes are worthwhile.
const MIN_LITERALS_FOR_INDEXES: usize = 3;

/// The maximum number of bindings that form the key of a memo, and of a narrow one.
pub(super) const MAX_MEMO_SLOTS: usize = 4;
pub(super) const MAX_NARROW_MEMO_SLOTS: usize = 2;

/// The source of a value known before a literal is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundValue {
    /// The id of a constant.
    Constant(u32),
    /// An index into the bindings: first the head variables, then the local ones.
    Slot(usize),
}

/// The treatment of a column of a matched row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The row matches only with this value.
    Equals(BoundValue),
    /// The value is bound for later steps.
    Bind(usize),
}

/// One side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operand {
    /// A number; `None` for a constant that is not a number, and for an unbound variable.
    Value(Option<f64>),
    /// An index into the bindings.
    Slot(usize),
}

/// A literal to match, and the steps that follow each match.
#[derive(Debug)]
pub(super) struct JoinStep<'a> {
    pub negated: bool,
    pub predicate: PredicateId,
    /// The operands, for a comparison.
    pub compare: Option<(Comparison, [Operand; 2])>,
    /// `None` if the arity of the literal differs from that of the facts: nothing matches.
    pub access: Option<Access<'a>>,
    /// The steps that must succeed under a match; they share no free variable.
    pub then: Vec<JoinStep<'a>>,
    /// Steps that must not succeed together. Such a step has no literal of its own.
    pub none_of: Vec<JoinStep<'a>>,
    /// The index of the memo table and the bindings that form its key, unless the step is a single
    /// lookup.
    pub memo: Option<(usize, Vec<usize>)>,
    /// Whether the projected variables are all bound here. Such a step has no literal of its own.
    pub emits: bool,
    /// The number of the literal, if it has one.
    literal: Option<usize>,
}

impl JoinStep<'_> {
    /// Returns the step that completes a projection.
    fn emit() -> Self {
        JoinStep {
            negated: false,
            predicate: PredicateId(u32::MAX),
            compare: None,
            access: None,
            then: Vec::new(),
            none_of: Vec::new(),
            memo: None,
            emits: true,
            literal: None,
        }
    }
}

/// The index lookup that finds matching rows.
#[derive(Debug)]
pub(super) struct Access<'a> {
    pub index: &'a Index,
    /// The values of the leading columns of the index.
    pub prefix: Vec<BoundValue>,
    /// The treatment of further columns; columns that need none are omitted.
    pub actions: Vec<(usize, Action)>,
    /// Whether the only bound value comes sorted and may repeat.
    pub may_repeat: bool,
    /// The columns that decide whether a fact is visible under a time limit; `None` if facts are
    /// checked one by one.
    pub times: Option<FactTimes<'a>>,
    /// A later step that looks up the first value bound here.
    pub intersection: Option<Intersection<'a>>,
}

/// A later step that only looks up the first value that a step binds, among facts that agree in all
/// other bound arguments. The values of both come sorted, so that both are visited at once.
#[derive(Debug)]
pub(super) struct Intersection<'a> {
    /// The number of the later step among those that follow.
    pub then: usize,
    /// The index of its facts in which the value follows the other bound arguments.
    pub index: &'a Index,
    /// The other bound arguments, at least one.
    pub prefix: Vec<BoundValue>,
    /// The columns of the prefix that decide whether all of its facts are visible under a time
    /// limit; `None` if other columns do so as well.
    pub times: Option<Vec<(usize, PositionTimes<'a>)>>,
}

/// The columns of an index with the times of facts.
#[derive(Debug, Default)]
pub(super) struct FactTimes<'a> {
    /// Columns with the same value for all rows of a run.
    pub of_run: Vec<(usize, PositionTimes<'a>)>,
    /// Other columns.
    pub of_row: Vec<(usize, PositionTimes<'a>)>,
}

/// A plan for searching a component.
#[derive(Debug)]
pub(crate) struct JoinPlan<'a> {
    pub(super) roots: Vec<JoinStep<'a>>,
    /// The number of bindings.
    pub(super) slots: usize,
    pub(super) memos: usize,
    /// The bindings that are projected, in the order of the projection.
    pub(super) projected: Vec<usize>,
    /// The memos of steps that enumerate projected variables: they are valid for one head only.
    pub(super) enumerated: Vec<usize>,
    /// Whether two bindings are the key of a memo under a time limit too. See
    /// [`Planner::looks_ahead`].
    pub(super) memoizes_limited_pairs: bool,
}

/// Estimates the rows visited to match a literal whose head variables are bound.
pub(super) fn estimated_rows(literal: &KeyLiteral, arity: usize, catalog: &Catalog<'_>) -> f64 {
    let slots = arity + literal.args.len();
    let (literals, groups, is_projected) = (vec![literal.clone()], Vec::new(), vec![false; slots]);
    let (memos, enumerated, looks_ahead) = (0, Vec::new(), false);
    let planner = Planner { catalog, literals, groups, arity, memos, is_projected, enumerated, looks_ahead };
    let bound: Vec<bool> = (0..slots).map(|slot| slot < arity).collect();
    planner.rows(0, &bound)
}

impl<'a> JoinPlan<'a> {
    /// Plans a component.
    pub fn new(key: &ComponentKey, arity: usize, catalog: &'a Catalog<'_>) -> Self {
        Self::plan(decode(key), &[], Vec::new(), arity, catalog, true)
    }

    /// Plans literals of which the last form groups of the given sizes; a match is rejected if any
    /// of the groups is satisfiable under it.
    pub fn with_exclusions(key: &ComponentKey, groups: &[usize], arity: usize, catalog: &'a Catalog<'_>) -> Self {
        Self::plan(decode(key), groups, Vec::new(), arity, catalog, false)
    }

    /// Plans the projection of positive literals onto some of their local variables, at least one.
    pub(super) fn projecting(literals: Vec<KeyLiteral>, onto: &[u32], arity: usize, catalog: &'a Catalog<'_>) -> Self {
        let projected = onto.iter().map(|&local| arity + local as usize).collect();
        Self::plan(literals, &[], projected, arity, catalog, true)
    }

    /// Plans literals without projection.
    pub(super) fn of_literals(literals: Vec<KeyLiteral>, arity: usize, catalog: &'a Catalog<'_>) -> Self {
        Self::plan(literals, &[], Vec::new(), arity, catalog, true)
    }

    /// Returns whether the plan visits all facts of a predicate with more than `max_rows` for one
    /// binding, for lack of an index.
    pub(super) fn scans(&self, max_rows: usize) -> bool {
        fn scan(steps: &[JoinStep<'_>], max_rows: usize) -> bool {
            let is_scan = |access: &Access<'_>| access.prefix.is_empty() && access.index.rows() > max_rows;
            steps.iter().any(|step| step.access.as_ref().is_some_and(is_scan) || scan(&step.then, max_rows))
        }
        scan(&self.roots, max_rows)
    }

    /// Returns the number of projected variables.
    pub fn width(&self) -> usize {
        self.projected.len()
    }

    fn plan(
        literals: Vec<KeyLiteral>,
        groups: &[usize],
        projected: Vec<usize>,
        arity: usize,
        catalog: &'a Catalog<'_>,
        looks_ahead: bool,
    ) -> Self {
        let locals = literals.iter().flat_map(|literal| &literal.args).filter_map(|arg| match arg {
            KeyArg::Local(k) => Some(*k as usize + 1),
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
        let mut is_projected = vec![false; slots];
        projected.iter().for_each(|&slot| is_projected[slot] = true);
        let enumerated = Vec::new();
        let mut planner = Planner { catalog, literals, groups, arity, memos: 0, is_projected, enumerated, looks_ahead };
        let mut bound = vec![false; slots];
        bound[..arity].fill(true);
        let roots = planner.steps(all, &bound, true);
        let Planner { memos, enumerated, .. } = planner;
        JoinPlan { roots, slots, memos, projected, enumerated, memoizes_limited_pairs: looks_ahead }
    }
}

struct Planner<'a> {
    catalog: &'a Catalog<'a>,
    literals: Vec<KeyLiteral>,
    /// The literals of each excluded group; group numbers follow those of the literals.
    groups: Vec<Vec<usize>>,
    arity: usize,
    memos: usize,
    /// By binding slot.
    is_projected: Vec<bool>,
    /// See [`JoinPlan::enumerated`].
    enumerated: Vec<usize>,
    /// Whether the order of literals depends on the checks they enable, and further indexes, memos
    /// and the times of columns are used. Otherwise the rows visited by a search under a budget,
    /// and so the counts that the budget cuts, are those of earlier versions.
    looks_ahead: bool,
}

impl<'a> Planner<'a> {
    /// Returns the facts of a predicate, and their further indexes if they are used.
    fn relation(&self, predicate: PredicateId) -> (&'a Relation, Option<&'a Extension>) {
        let is_long = self.looks_ahead && self.literals.len() >= MIN_LITERALS_FOR_INDEXES;
        let extension = if is_long { self.catalog.extension(predicate) } else { None };
        (self.catalog.database.facts.relation(predicate), extension)
    }

    /// Returns the number of distinct values per argument of a predicate.
    fn distinct(&self, predicate: PredicateId) -> &'a [f64] {
        self.relation(predicate).1.map_or_else(|| self.catalog.distinct(predicate), |extension| &extension.distinct)
    }

    fn slot(&self, arg: KeyArg) -> Option<usize> {
        match arg {
            KeyArg::Head(v) => Some(v as usize),
            KeyArg::Local(k) => Some(self.arity + k as usize),
            KeyArg::Constant(_) | KeyArg::Number(_) => None,
        }
    }

    /// Returns the literals of a group, or `None` for a literal.
    fn group(&self, item: usize) -> Option<&Vec<usize>> {
        self.groups.get(item.checked_sub(self.literals.len())?)
    }

    /// Returns the binding slots of the variables of a literal or group.
    fn slots(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        let members = self.group(item).map_or_else(|| item..item + 1, |group| group[0]..group[group.len() - 1] + 1);
        members.flat_map(|literal| &self.literals[literal].args).filter_map(|&arg| self.slot(arg))
    }

    /// Returns whether the item is a literal that binds variables.
    fn binds(&self, item: usize) -> bool {
        self.literals.get(item).is_some_and(|literal| !literal.negated && literal.predicate.comparison().is_none())
    }

    /// Returns whether a literal has a projected variable that is not bound yet.
    fn enumerates(&self, item: usize, bound: &[bool]) -> bool {
        self.slots(item).any(|slot| self.is_projected[slot] && !bound[slot])
    }

    /// Plans the components of these literals, the cheapest first, but those of projected variables
    /// last and as one.
    fn steps(&mut self, literals: Vec<usize>, bound: &[bool], at_root: bool) -> Vec<JoinStep<'a>> {
        let enumerates = |component: &Vec<usize>| component.iter().any(|&item| self.enumerates(item, bound));
        let (enumerated, checked): (Vec<_>, Vec<_>) =
            self.components(literals, bound).into_iter().partition(enumerates);
        let mut components: Vec<(f64, JoinStep<'a>)> =
            checked.into_iter().map(|component| self.step(component, bound, at_root)).collect();
        components.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut steps: Vec<JoinStep<'a>> = components.into_iter().map(|(_, step)| step).collect();
        if !enumerated.is_empty() {
            steps.push(self.step(enumerated.concat(), bound, at_root).1);
        }
        steps
    }

    /// Splits literals into components connected by free variables that a positive literal can
    /// bind.
    fn components(&self, literals: Vec<usize>, bound: &[bool]) -> Vec<Vec<usize>> {
        let positive = |&&i: &&usize| self.binds(i);
        let mut can_bind = vec![false; bound.len()];
        for &i in literals.iter().filter(positive) {
            self.slots(i).for_each(|slot| can_bind[slot] = !bound[slot]);
        }
        let mut components: Vec<Vec<usize>> = Vec::new();
        for i in literals {
            let touches = |other: usize| self.slots(other).any(|s| can_bind[s] && self.slots(i).any(|own| own == s));
            let (mut joined, apart): (Vec<_>, Vec<_>) = components
                .into_iter()
                .partition(|component: &Vec<usize>| component.iter().any(|&other| touches(other)));
            let mut merged: Vec<usize> = joined.drain(..).flatten().collect();
            merged.push(i);
            merged.sort_unstable();
            components = apart;
            components.push(merged);
        }
        components.sort();
        components
    }

    /// Estimates the rows visited to match a literal under one binding: those that agree with the
    /// longest bound prefix of an index, regardless of other bound columns.
    fn rows(&self, literal: usize, bound: &[bool]) -> f64 {
        let KeyLiteral { predicate, args, .. } = &self.literals[literal];
        let (relation, extension) = self.relation(*predicate);
        if relation.arity() != args.len() {
            return 0.0;
        }
        let distinct = self.distinct(*predicate);
        let is_bound = |position: &&u32| self.slot(args[**position as usize]).is_none_or(|slot| bound[slot]);
        let rows = |index: &Index| {
            let prefix = index.order().iter().take_while(is_bound);
            relation.len() as f64 / prefix.map(|&position| distinct[position as usize]).product::<f64>()
        };
        let further = extension.iter().flat_map(|extension| extension.indexes());
        relation.indexes().iter().chain(further).map(rows).fold(f64::INFINITY, f64::min)
    }

    /// Estimates the rows visited if a component is matched from this literal on: its own, and for
    /// each of them that passes the literals it binds completely those of the next literal.
    fn search_cost(&self, literal: usize, component: &[usize], bound: &[bool]) -> f64 {
        let rows = self.rows(literal, bound);
        if !self.looks_ahead {
            return rows;
        }
        let is_bound = |slot: usize| bound[slot] || self.slots(literal).any(|own| own == slot);
        let checks = component.iter().filter(|&&i| {
            i != literal && self.binds(i) && self.slots(i).all(is_bound) && self.slots(i).any(|slot| !bound[slot])
        });
        rows * (1.0 + ROWS_OF_NEXT_LITERAL * checks.map(|&i| self.selectivity(i)).product::<f64>())
    }

    /// Estimates the share of arguments for which a fact exists, given that each occurs in one.
    fn selectivity(&self, literal: usize) -> f64 {
        let predicate = self.literals[literal].predicate;
        let rows = self.catalog.database.facts.relation(predicate).len() as f64;
        (rows / self.distinct(predicate).iter().product::<f64>()).min(1.0)
    }

    /// Plans one component; also returns the estimated cost of its first literal.
    fn step(&mut self, mut component: Vec<usize>, bound: &[bool], at_root: bool) -> (f64, JoinStep<'a>) {
        // A negated literal or comparison waits until all its bindable variables are bound; then it
        // is a component of its own.
        let positive = |&&i: &&usize| self.binds(i);
        let costs: Vec<(f64, usize)> =
            component.iter().filter(positive).map(|&i| (self.search_cost(i, &component, bound), i)).collect();
        let cheapest = costs.iter().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, i)| i);
        let first = cheapest.or(component.first()).copied().unwrap_or_default();
        // The same applies to an excluded group.
        if let Some(group) = self.group(first).cloned() {
            return (f64::INFINITY, self.none_of(first, group, bound));
        }
        let cost = self.rows(first, bound);
        component.retain(|&i| i != first);

        let enumerates = self.enumerates(first, bound) || component.iter().any(|&i| self.enumerates(i, bound));
        let mut used_later = self.is_projected.clone();
        for &i in &component {
            self.slots(i).for_each(|slot| used_later[slot] = true);
        }
        let mut access = self.access(first, bound, &used_later);
        let mut now_bound = bound.to_vec();
        if self.binds(first) {
            self.slots(first).for_each(|slot| now_bound[slot] = true);
        }
        let mut interface: Vec<usize> =
            component.iter().chain([&first]).flat_map(|&i| self.slots(i)).filter(|&slot| bound[slot]).collect();
        if enumerates {
            // Such a memo is for one head, and a repetition finds the same values of variables that
            // are bound later only.
            interface.extend((self.arity..bound.len()).filter(|&slot| self.is_projected[slot] && bound[slot]));
            interface.retain(|&slot| slot >= self.arity);
        }
        interface.sort_unstable();
        interface.dedup();
        let mut then = self.steps(component, &now_bound, false);
        if enumerates && !(self.arity..bound.len()).any(|slot| self.is_projected[slot] && !now_bound[slot]) {
            then.push(JoinStep::emit());
        }
        if let Some(access) = &mut access {
            access.intersection = self.intersection(access, &then, bound);
        }
        let mut memo = None;
        let widest = if self.looks_ahead { MAX_MEMO_SLOTS } else { MAX_NARROW_MEMO_SLOTS };
        if !at_root && !then.is_empty() && interface.len() <= widest {
            memo = Some((self.memos, interface));
            if enumerates {
                self.enumerated.push(self.memos);
            }
            self.memos += 1;
        }
        let KeyLiteral { negated, predicate, .. } = self.literals[first];
        let compare = predicate.comparison().map(|comparison| (comparison, self.operands(first, bound)));
        let literal = Some(first);
        (cost, JoinStep { negated, predicate, compare, access, then, none_of: Vec::new(), memo, emits: false, literal })
    }

    /// Returns the operands of a comparison.
    fn operands(&self, literal: usize, bound: &[bool]) -> [Operand; 2] {
        let args = &self.literals[literal].args;
        let operand = |k: usize| match (args.get(k), args.len()) {
            (Some(KeyArg::Number(bits)), 2) => Operand::Value(Some(f64::from_bits(*bits))),
            (Some(KeyArg::Constant(id)), 2) => {
                Operand::Value(self.catalog.database.symbols.number(Constant::from_id(*id)))
            }
            (Some(arg), 2) => match self.slot(*arg) {
                Some(slot) if bound[slot] => Operand::Slot(slot),
                _ => Operand::Value(None),
            },
            _ => Operand::Value(None),
        };
        [operand(0), operand(1)]
    }

    fn none_of(&mut self, item: usize, group: Vec<usize>, bound: &[bool]) -> JoinStep<'a> {
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
        JoinStep {
            negated: true,
            predicate,
            compare: None,
            access: None,
            then: Vec::new(),
            none_of,
            memo,
            emits: false,
            literal: None,
        }
    }

    fn access(&self, literal: usize, bound: &[bool], used_later: &[bool]) -> Option<Access<'a>> {
        let KeyLiteral { predicate, args, .. } = &self.literals[literal];
        let (relation, extension) = self.relation(*predicate);
        if relation.arity() != args.len() {
            return None;
        }
        let source = |position: u32| self.source(args[position as usize], bound);
        let prefix_of = |index: &Index| index.order().iter().map_while(|&p| source(p)).collect::<Vec<_>>();
        let mut index = &relation.indexes()[0];
        let mut prefix = prefix_of(index);
        let further = extension.iter().flat_map(|extension| extension.indexes());
        for other in relation.indexes()[1..].iter().chain(further) {
            let longer = prefix_of(other);
            if longer.len() > prefix.len() {
                (index, prefix) = (other, longer);
            }
        }
        let mut here = vec![false; bound.len()];
        let mut actions = Vec::new();
        for (column, &position) in index.order().iter().enumerate().skip(prefix.len()) {
            if let Some(source) = source(position) {
                actions.push((column, Action::Equals(source)));
                continue;
            }
            let Some(slot) = self.slot(args[position as usize]) else { continue };
            let repeats = args.iter().filter(|&&arg| self.slot(arg) == Some(slot)).count() > 1;
            if std::mem::replace(&mut here[slot], true) {
                actions.push((column, Action::Equals(BoundValue::Slot(slot))));
            } else if repeats || used_later[slot] {
                actions.push((column, Action::Bind(slot)));
            }
        }
        let next = prefix.len();
        let may_repeat = next + 1 < args.len() && matches!(actions[..], [(column, Action::Bind(_))] if column == next);
        let times = self.times(*predicate, index, prefix.len());
        Some(Access { index, prefix, actions, may_repeat, times, intersection: None })
    }

    /// Returns where the value of an argument is known from; `None` if it is not bound.
    fn source(&self, arg: KeyArg, bound: &[bool]) -> Option<BoundValue> {
        match (arg, self.slot(arg)) {
            (KeyArg::Constant(id), _) => Some(BoundValue::Constant(id)),
            (_, Some(slot)) if bound[slot] => Some(BoundValue::Slot(slot)),
            _ => None,
        }
    }

    /// Returns a later step that only looks up the first value that a step binds. `bound` are the
    /// variables bound before the step.
    fn intersection(&self, access: &Access<'a>, then: &[JoinStep<'a>], bound: &[bool]) -> Option<Intersection<'a>> {
        let value = match access.actions.first() {
            Some(&(column, Action::Bind(slot))) if column > 0 && column == access.prefix.len() => slot,
            _ => return None,
        };
        if !self.looks_ahead {
            return None;
        }
        let of_step = |(number, step): (usize, &JoinStep<'a>)| {
            let (&KeyLiteral { predicate, ref args, .. }, later) =
                (&self.literals[step.literal?], step.access.as_ref()?);
            let is_lookup = !step.negated && step.compare.is_none() && step.then.is_empty() && later.actions.is_empty();
            let width = later.prefix.len().checked_sub(1).filter(|&width| is_lookup && width > 0)?;
            // Other variables that the step binds are not known while its values are visited.
            let prefix = |index: &Index| -> Option<Vec<BoundValue>> {
                let (first, last) = index.order().split_at(width);
                let is_last = self.slot(args[last[0] as usize]) == Some(value);
                let sources = first.iter().map(|&position| self.source(args[position as usize], bound));
                sources.collect::<Option<_>>().filter(|_| is_last)
            };
            let (relation, extension) = self.relation(predicate);
            let further = extension.iter().flat_map(|extension| extension.indexes());
            let mut indexes = relation.indexes().iter().chain(further);
            let (index, prefix) = indexes.find_map(|index| Some((index, prefix(index)?)))?;
            let times = self.times(predicate, index, width).filter(|times| times.of_row.is_empty());
            Some(Intersection { then: number, index, prefix, times: times.map(|times| times.of_run) })
        };
        then.iter().enumerate().find_map(of_step)
    }

    /// Returns the columns with the times of facts; a run has the same values in the first `bound`
    /// columns.
    fn times(&self, predicate: PredicateId, index: &Index, bound: usize) -> Option<FactTimes<'a>> {
        let database = self.catalog.database;
        // Labels have a rule of their own, see `Database::view_includes`.
        if !self.looks_ahead || database.recursion.is_some_and(|recursion| recursion.target == predicate) {
            return None;
        }
        let Some(times) = &database.times else { return Some(FactTimes::default()) };
        let at = |(column, &position): (usize, &u32)| Some((column, times.at_position(predicate, position as usize)?));
        // The first column is the key of a run, bound or not.
        let is_of_run = |(column, _): &(usize, PositionTimes<'_>)| *column < bound.max(1);
        let (of_run, of_row) = index.order().iter().enumerate().filter_map(at).partition(is_of_run);
        Some(FactTimes { of_run, of_row })
    }
}
