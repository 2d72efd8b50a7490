//! Depth-first search for groundings: it stops as soon as there are as many as are asked for.
//!
//! Whether some grounding exists is the question for one of them.

use super::join_plan::{Access, Action, Operand, Plan, Source, Step};
use crate::cancel;
use crate::determinism::HashMap;
use crate::kb::{Database, Index, View};
use crate::logic::{Constant, PredicateId};

/// No more answers of parts are kept than this, for each part.
const MEMO_ENTRIES: usize = 1 << 20;

/// A table of answers with room for more than this is made anew and not cleared.
const SMALL_TABLE: usize = 64;

/// How many rows are looked at before somebody is asked whether to go on.
const STEPS_BETWEEN: u64 = 1 << 16;

/// What is remembered of a part.
#[derive(Clone, Copy, Debug)]
struct Known {
    count: u32,
    /// The rows that are looked at to count it if nothing at all is remembered; [`TOO_MANY`] stands for so many or more.
    cost: u32,
}

const TOO_MANY: u32 = u32::MAX;

/// A search through one plan, for one head after the other.
///
/// What it answers for a head is the same whatever heads came before, also where a budget ends it: what is remembered of a part
/// is charged as if it had been counted again. Whoever stays below the budget with that has its exact count; whoever does not is
/// counted once more with nothing remembered of others.
pub(crate) struct Search<'p, 'a> {
    plan: &'p Plan<'a>,
    database: &'a Database,
    bindings: Vec<u32>,
    /// The target, if an example must not see its own answer among the facts.
    hidden: Option<PredicateId>,
    /// The tables of parts that ask for facts of it: their answers are good for one example only.
    forgotten: Vec<usize>,
    /// The example.
    head: Vec<Constant>,
    limit: Option<f64>,
    /// A number that tells limits apart, for the tables of answers.
    limit_id: u32,
    /// Counts end here.
    enough: u32,
    memos: Vec<HashMap<u64, Known>>,
    /// Whether all that is remembered is of this head, so that it is charged already.
    alone: bool,
    args: Vec<Constant>,
    /// Rows looked at.
    pub steps: u64,
    /// The most rows looked at for one head.
    budget: u64,
    /// When the rows for this head come to an end; what is charged for answers that are remembered brings it nearer.
    end: u64,
}

impl<'p, 'a> Search<'p, 'a> {
    /// A search that looks for `enough` groundings, at least one. Where `hidden` is set, no example sees its own answer among
    /// the facts of that predicate.
    pub fn new(plan: &'p Plan<'a>, database: &'a Database, enough: u32, hidden: Option<PredicateId>) -> Self {
        Search {
            hidden,
            forgotten: hidden.map_or_else(Vec::new, |hidden| tables_with(&plan.roots, hidden)),
            head: Vec::new(),
            plan,
            database,
            enough: enough.max(1),
            bindings: vec![0; plan.slots],
            limit: None,
            limit_id: 0,
            memos: vec![HashMap::default(); plan.memos],
            alone: false,
            args: Vec::new(),
            steps: 0,
            budget: u64::MAX,
            end: u64::MAX,
        }
    }

    /// The same, looking at no more than about so many rows for each head.
    pub fn within(self, budget: u64) -> Self {
        Search { budget, ..self }
    }

    /// Whether the last count is not exact: there were too many groundings, or too many rows to look at.
    pub fn was_cut(&self, count: u32) -> bool {
        count >= self.enough || self.is_over()
    }

    /// One more row is looked at; asks every so often whether to go on.
    #[inline]
    fn step(&mut self) {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_BETWEEN) {
            cancel::poll();
        }
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.steps >= self.end
    }

    /// How many groundings of the component there are for a head with this limit, or `enough` if there are more;
    /// `limit_id` tells limits apart.
    pub fn count(&mut self, head: &[Constant], limit: Option<f64>, limit_id: u32) -> u32 {
        for (slot, constant) in self.bindings.iter_mut().zip(head) {
            *slot = constant.id();
        }
        (self.limit, self.limit_id) = (limit, limit_id);
        self.head.clear();
        self.head.extend_from_slice(head);
        for &memo in &self.forgotten {
            // To clear a table takes as long as it is large, and most examples need little.
            let table = &mut self.memos[memo];
            if table.capacity() > SMALL_TABLE { *table = HashMap::default() } else { table.clear() }
        }
        let count = self.count_roots();
        if !self.is_over() {
            return count;
        }
        let others = std::mem::replace(&mut self.memos, vec![HashMap::default(); self.plan.memos]);
        self.alone = true;
        let count = self.count_roots();
        self.alone = false;
        self.memos = others;
        count
    }

    fn count_roots(&mut self) -> u32 {
        self.step();
        self.end = self.steps.saturating_add(self.budget);
        self.all(&self.plan.roots)
    }

    /// The groundings of parts that share no free variable: every choice of one from each.
    fn all(&mut self, steps: &'p [Step<'a>]) -> u32 {
        let mut count = 1;
        for step in steps {
            count = self.enough.min(self.count_with_memo(step).saturating_mul(count));
            if count == 0 {
                break;
            }
        }
        count
    }

    fn count_with_memo(&mut self, step: &'p Step<'a>) -> u32 {
        let Some((memo, slots)) = &step.memo else { return self.count_step(step) };
        let value = |k: usize| u64::from(slots.get(k).map_or(0, |&slot| self.bindings[slot]));
        let key = match slots.len() {
            2 if self.limit.is_some() => return self.count_step(step),
            2 => value(0) << 32 | value(1),
            _ => value(0) << 32 | u64::from(self.limit_id),
        };
        if let Some(&Known { count, cost }) = self.memos[*memo].get(&key) {
            if !self.alone && self.budget < u64::MAX {
                self.end = if cost == TOO_MANY { 0 } else { self.end.saturating_sub(cost.into()) };
            }
            return count;
        }
        let (steps, end) = (self.steps, self.end);
        let count = self.count_step(step);
        // What was cut short is not known.
        if self.memos[*memo].len() < MEMO_ENTRIES && !self.is_over() {
            let cost = u32::try_from(self.steps - steps + (end - self.end)).unwrap_or(TOO_MANY);
            self.memos[*memo].insert(key, Known { count, cost });
        }
        count
    }

    fn count_step(&mut self, step: &'p Step<'a>) -> u32 {
        let found = match (&step.compare, &step.access) {
            (Some((comparison, [left, right])), _) => {
                self.step();
                u32::from(comparison.holds(self.operand(*left), self.operand(*right)))
            }
            (None, Some(access)) => self.matches(step, access),
            (None, None) if step.none_of.is_empty() => 0,
            (None, None) => {
                let enough = std::mem::replace(&mut self.enough, 1);
                let found = self.all(&step.none_of);
                self.enough = enough;
                found
            }
        };
        match step.negated {
            // A search that was cut may have missed what must not be there: then nothing is counted, so that no count is too high.
            true => u32::from(found == 0 && !self.is_over()),
            false => found,
        }
    }

    /// The sum of what `f` gives, until it is enough.
    #[inline]
    fn sum<T>(&mut self, items: impl IntoIterator<Item = T>, mut f: impl FnMut(&mut Self, T) -> u32) -> u32 {
        let mut sum = 0u32;
        for item in items {
            sum = sum.saturating_add(f(self, item));
            if sum >= self.enough {
                return self.enough;
            }
            if self.is_over() {
                break;
            }
        }
        sum
    }

    #[inline]
    fn value(&self, source: Source) -> u32 {
        match source {
            Source::Constant(id) => id,
            Source::Slot(slot) => self.bindings[slot],
        }
    }

    #[inline]
    fn operand(&self, operand: Operand) -> Option<f64> {
        match operand {
            Operand::Value(value) => value,
            Operand::Slot(slot) => self.database.symbols.number(Constant::from_id(self.bindings[slot])),
        }
    }

    /// In how many ways a fact matches and all that follows holds.
    fn matches(&mut self, step: &'p Step<'a>, access: &'p Access<'a>) -> u32 {
        let index = access.index;
        let Some((&first, others)) = access.prefix.split_first() else {
            if index.order().is_empty() {
                return if index.rows() > 0 { self.row(step, access, 0, 0) } else { 0 };
            }
            return self.sum(index.directory().iter(), |search, (key, run)| {
                let fits = match access.actions.first() {
                    Some(&(0, action)) => search.act(action, key),
                    _ => true,
                };
                if fits { search.run(step, access, run, key) } else { 0 }
            });
        };
        let key = self.value(first);
        let mut run = index.run(Constant::from_id(key));
        for (k, &source) in others.iter().enumerate() {
            run = index.narrow(run, k + 1, Constant::from_id(self.value(source)));
        }
        self.run(step, access, run, key)
    }

    fn run(&mut self, step: &'p Step<'a>, access: &'p Access<'a>, run: std::ops::Range<usize>, key: u32) -> u32 {
        if self.limit.is_none() && self.hidden != Some(step.predicate) {
            // Columns that nobody asks about do not tell rows apart, and the key of the run is bound already.
            if run.is_empty() || access.actions.iter().all(|(column, _)| *column == 0) {
                self.step();
                let rows = self.enough.min(u32::try_from(run.len()).unwrap_or(u32::MAX));
                return if rows == 0 { 0 } else { self.enough.min(rows.saturating_mul(self.all(&step.then))) };
            }
            if self.enough == 1 && access.may_repeat && !access.prefix.is_empty() {
                let column = &access.index.column(access.prefix.len())[run.clone()];
                let mut last = None;
                return self.sum(run.zip(column), |search, (at, value)| {
                    if last.replace(value) == Some(value) { 0 } else { search.row(step, access, at, key) }
                });
            }
        }
        self.sum(run, |search, at| search.row(step, access, at, key))
    }

    fn row(&mut self, step: &'p Step<'a>, access: &'p Access<'a>, at: usize, key: u32) -> u32 {
        self.step();
        for &(column, action) in &access.actions {
            if column > 0 && !self.act(action, access.index.column(column)[at]) {
                return 0;
            }
        }
        if (self.limit.is_some() || self.hidden == Some(step.predicate))
            && !self.is_visible(step, access.index, at, key)
        {
            return 0;
        }
        self.all(&step.then)
    }

    #[inline]
    fn act(&mut self, action: Action, value: u32) -> bool {
        match action {
            Action::Equals(source) => self.value(source) == value,
            Action::Bind(slot) => {
                self.bindings[slot] = value;
                true
            }
        }
    }

    fn is_visible(&mut self, step: &Step<'a>, index: &Index, at: usize, key: u32) -> bool {
        self.args.clear();
        self.args.resize(index.order().len(), Constant::from_id(key));
        for (column, &position) in index.order().iter().enumerate().skip(1) {
            self.args[position as usize] = Constant::from_id(index.column(column)[at]);
        }
        let predicate = step.predicate;
        let recursion = self.database.recursion.filter(|recursion| recursion.target == predicate);
        match recursion {
            None => self.database.visible(predicate, &self.args, self.limit),
            Some(recursion) => {
                // Where nothing is hidden, the answer is for all examples of a group, and no own answer is among the facts or all are.
                let own: &[Constant] = if self.hidden.is_some() { &self.head } else { &[] };
                self.database.sees(&View::recursive(self.limit, recursion, own), predicate, &self.args)
            }
        }
    }
}

/// The tables of steps that ask for facts of a predicate, themselves or further on.
fn tables_with(steps: &[Step<'_>], predicate: PredicateId) -> Vec<usize> {
    let mut tables = Vec::new();
    for step in steps {
        let here = step.predicate == predicate || mentions(&step.then, predicate);
        tables.extend(step.memo.as_ref().filter(|_| here).map(|(memo, _)| *memo));
        tables.extend(tables_with(&step.then, predicate));
    }
    tables
}

/// Whether some step asks for facts of a predicate.
fn mentions(steps: &[Step<'_>], predicate: PredicateId) -> bool {
    steps.iter().any(|step| step.predicate == predicate || mentions(&step.then, predicate))
}
