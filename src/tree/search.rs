//! Depth-first search for a witness: it stops at the first one.

use super::plan::{Access, Action, Plan, Source, Step};
use crate::kb::{Database, Index};
use crate::logic::Constant;
use crate::order::HashMap;

/// No more answers of parts are kept than this, for each part.
const MEMO_ENTRIES: usize = 1 << 20;

/// A search through one plan, for one head after the other.
pub(super) struct Search<'p, 'a> {
    plan: &'p Plan<'a>,
    database: &'a Database,
    bindings: Vec<u32>,
    limit: Option<f64>,
    /// A number that tells limits apart, for the tables of answers.
    limit_id: u32,
    memos: Vec<HashMap<u64, bool>>,
    args: Vec<Constant>,
    /// Rows looked at.
    pub steps: u64,
}

impl<'p, 'a> Search<'p, 'a> {
    pub fn new(plan: &'p Plan<'a>, database: &'a Database) -> Self {
        Search {
            plan,
            database,
            bindings: vec![0; plan.slots],
            limit: None,
            limit_id: 0,
            memos: vec![HashMap::default(); plan.memos],
            args: Vec::new(),
            steps: 0,
        }
    }

    /// Whether the component holds for a head with this limit; `limit_id` tells limits apart.
    pub fn holds(&mut self, head: &[Constant], limit: Option<f64>, limit_id: u32) -> bool {
        for (slot, constant) in self.bindings.iter_mut().zip(head) {
            *slot = constant.id();
        }
        (self.limit, self.limit_id) = (limit, limit_id);
        self.steps += 1;
        self.all(&self.plan.roots)
    }

    fn all(&mut self, steps: &'p [Step<'a>]) -> bool {
        steps.iter().all(|step| self.holds_with_memo(step))
    }

    fn holds_with_memo(&mut self, step: &'p Step<'a>) -> bool {
        let Some((memo, slots)) = &step.memo else { return self.step_holds(step) };
        let value = |k: usize| u64::from(slots.get(k).map_or(0, |&slot| self.bindings[slot]));
        let key = match slots.len() {
            2 if self.limit.is_some() => return self.step_holds(step),
            2 => value(0) << 32 | value(1),
            _ => value(0) << 32 | u64::from(self.limit_id),
        };
        if let Some(&known) = self.memos[*memo].get(&key) {
            return known;
        }
        let holds = self.step_holds(step);
        if self.memos[*memo].len() < MEMO_ENTRIES {
            self.memos[*memo].insert(key, holds);
        }
        holds
    }

    fn step_holds(&mut self, step: &'p Step<'a>) -> bool {
        let found = step.access.as_ref().is_some_and(|access| self.matches(step, access));
        found != step.negated
    }

    #[inline]
    fn value(&self, source: Source) -> u32 {
        match source {
            Source::Constant(id) => id,
            Source::Slot(slot) => self.bindings[slot],
        }
    }

    /// Whether some fact matches under which all that follows holds.
    fn matches(&mut self, step: &'p Step<'a>, access: &'p Access<'a>) -> bool {
        let index = access.index;
        let Some((&first, others)) = access.prefix.split_first() else {
            if index.order().is_empty() {
                return index.rows() > 0 && self.row_holds(step, access, 0, 0);
            }
            return index.directory().iter().any(|(key, run)| {
                let fits = match access.actions.first() {
                    Some(&(0, action)) => self.act(action, key),
                    _ => true,
                };
                fits && self.run_holds(step, access, run, key)
            });
        };
        let key = self.value(first);
        let mut run = index.run(Constant::from_id(key));
        for (k, &source) in others.iter().enumerate() {
            run = index.narrow(run, k + 1, Constant::from_id(self.value(source)));
        }
        self.run_holds(step, access, run, key)
    }

    fn run_holds(&mut self, step: &'p Step<'a>, access: &'p Access<'a>, run: std::ops::Range<usize>, key: u32) -> bool {
        if self.limit.is_none() {
            // Columns that nobody asks about do not tell rows apart, and the key of the run is bound already.
            if run.is_empty() || access.actions.iter().all(|(column, _)| *column == 0) {
                self.steps += 1;
                return !run.is_empty() && self.all(&step.then);
            }
            if access.may_repeat && !access.prefix.is_empty() {
                let column = &access.index.column(access.prefix.len())[run.clone()];
                let mut last = None;
                return run
                    .zip(column)
                    .any(|(at, value)| last.replace(value) != Some(value) && self.row_holds(step, access, at, key));
            }
        }
        run.into_iter().any(|at| self.row_holds(step, access, at, key))
    }

    fn row_holds(&mut self, step: &'p Step<'a>, access: &'p Access<'a>, at: usize, key: u32) -> bool {
        self.steps += 1;
        for &(column, action) in &access.actions {
            if column > 0 && !self.act(action, access.index.column(column)[at]) {
                return false;
            }
        }
        (self.limit.is_none() || self.is_visible(step, access.index, at, key)) && self.all(&step.then)
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
        self.database.visible(step.predicate, &self.args, self.limit)
    }
}
