//! Conjuncts: connected sets of literals, and the search for all of them at a node.
//!
//! A conjunct of one literal is any literal that the modes allow. A larger one extends a
//! conjunction by one more literal that connects it: through a new variable of the conjunction,
//! through a path component that both touch, or through a variable of the body (`=`) that only the
//! conjunction mentions. With look-ahead from the head, only new variables connect, and no path
//! component is touched.

mod last;

use std::sync::Arc;

pub(crate) use self::last::Needed;
use super::language::{DraftLiteral, FixedTest, Language, LookAhead, MAX_NODE_SIZE, Scope, TypedVariable};
use crate::cover::{Bits, ComponentKey, Coverage, EncodedConjunction};
use crate::determinism::{HashMap, HashSet};
use crate::kb::TypeId;
use crate::logic::{Argument, Literal, Variable};
use crate::parallel;

/// The number of literals at which a path component is closed to further literals. Each additional
/// literal multiplies the search effort by the facts it may match, and a deep node has thousands of
/// tests.
pub(crate) const MAX_PATH_COMPONENT: usize = 6;

/// The maximum number of proposals evaluated at once, so that the memory for their queries is
/// limited.
const MAX_BATCH: usize = 1 << 14;

/// The maximum number of keys of proposals computed at once.
const MAX_KEYS: usize = 1 << 12;

/// The estimated cost of the key of a proposal, in steps of a simple loop.
const STEPS_PER_KEY: usize = 500;

/// A connected set of literals.
#[derive(Clone, Debug)]
pub(crate) struct Conjunct {
    pub literals: Vec<Literal>,
    /// The comparisons of its numeric variables.
    pub comparisons: Vec<Literal>,
    /// The mode of each literal; empty for a fixed test, which is not part of larger conjuncts.
    pub modes: Vec<usize>,
    pub new: Vec<TypedVariable>,
    /// The path components it touches, as bits.
    pub touched: u64,
    /// The number of covered examples.
    pub count: usize,
    /// The covered examples, while candidates are generated.
    pub bits: Arc<Bits>,
}

impl Conjunct {
    /// Appends the conjunct to a test with the new variables `new`; its own are numbered after
    /// them.
    pub fn append_to(&self, next: u32, literals: &mut Vec<Literal>, new: &mut Vec<TypedVariable>) {
        let shift = new.len() as u32;
        literals.extend(self.literals.iter().chain(&self.comparisons).map(|literal| shifted(literal, next, shift)));
        new.extend(self.new.iter().map(|known| known.shifted(shift)));
    }
}

/// Returns the literal with its variables from `from` on increased.
fn shifted(literal: &Literal, from: u32, by: u32) -> Literal {
    let arg = |arg: &Argument| match *arg {
        Argument::Variable(v) if v.0 >= from => Argument::Variable(Variable(v.0 + by)),
        other => other,
    };
    Literal { args: literal.args.iter().map(arg).collect(), ..*literal }
}

/// A conjunct before its coverage is known.
struct Proposal {
    literals: Vec<Literal>,
    comparisons: Vec<Literal>,
    modes: Vec<usize>,
    new: Vec<TypedVariable>,
    touched: u64,
}

/// The identity of a proposal: its normal form, the types of its new variables and whether they are
/// restricted to one occurrence, and its modes if modes have occurrence limits.
type ProposalKey = (ComponentKey, Vec<(Option<TypeId>, bool)>, Vec<usize>);

/// The conjuncts below a path.
pub(crate) struct Conjuncts<'b, 'a> {
    pub coverage: &'b Coverage<'a>,
    language: &'b Language,
    pub path: &'b [Literal],
    /// The variables in scope.
    known: Vec<TypedVariable>,
    next: u32,
    /// The number of head variables.
    arity: usize,
    /// The path component of each path literal, as a bit; 0 for literals with head variables only.
    components: Vec<u64>,
    /// The path component of each path variable, as a bit.
    component_of: HashMap<Variable, u64>,
    /// The examples that the path covers.
    pub path_coverage: Arc<Bits>,
    /// The conjuncts so far, ordered by the number of literals.
    pub list: Vec<Conjunct>,
    seen: HashSet<ProposalKey>,
    /// The number of candidates left in the budget.
    pub left: usize,
    /// Whether the budget was exceeded.
    pub over_budget: bool,
    /// Whether a path component is closed to further literals.
    pub closed: bool,
    needed: Needed,
}

impl<'b, 'a> Conjuncts<'b, 'a> {
    /// Finds all conjuncts below a path, the fixed tests of the language last. No literal is
    /// connected to a path component with `max_component` literals or more.
    pub fn new(
        coverage: &'b Coverage<'a>,
        language: &'b Language,
        path: &'b [Literal],
        known: &'b [TypedVariable],
        next: u32,
        max_component: usize,
        needed: Needed,
    ) -> Self {
        let arity = coverage.database().predicates.arity(coverage.target());
        let encoded = EncodedConjunction::new(path.iter(), arity);
        let mut components = vec![0; path.len()];
        let mut component_of = HashMap::default();
        let mut closed: HashSet<Variable> = HashSet::default();
        for (number, members) in encoded.components(&(0..path.len()).collect::<Vec<_>>()).into_iter().enumerate() {
            // Components from the 64th on share a bit: more is searched together than necessary,
            // which is correct.
            let bit = 1 << number.min(63);
            let is_closed = members.len() >= max_component;
            for i in members {
                for variable in path[i].variables().filter(|v| v.0 as usize >= arity) {
                    if is_closed {
                        closed.insert(variable);
                    }
                    components[i] = bit;
                    *component_of.entry(variable).or_insert(0) |= bit;
                }
            }
        }
        let mut conjuncts = Conjuncts {
            coverage,
            language,
            path,
            known: known.iter().copied().filter(|known| !closed.contains(&known.variable)).collect(),
            next,
            arity,
            components,
            component_of,
            path_coverage: coverage.cover(path),
            list: Vec::new(),
            seen: HashSet::default(),
            left: language.options().max_candidates,
            over_budget: false,
            closed: !closed.is_empty(),
            needed,
        };
        conjuncts.single_literals();
        let largest = language.options().node_size;
        for size in 2..=largest {
            if size < largest || !conjuncts.extend_last(size) {
                conjuncts.extend(size);
            }
        }
        conjuncts.fixed_tests();
        conjuncts
    }

    fn touched(&self, literal: &Literal) -> u64 {
        literal.variables().filter_map(|v| self.component_of.get(&v)).fold(0, |touched, component| touched | component)
    }

    fn single_literals(&mut self) {
        let (language, path, known) = (self.language, self.path, self.known.clone());
        let clause: Vec<&Literal> = path.iter().collect();
        let scope = Scope { known: &known, clause: &clause, next: self.next, must_use: None };
        let mut proposals = Vec::new();
        for mode in 0..language.modes() {
            // No more than the whole budget of one mode is ever kept.
            let mut of_mode = 0;
            for (number, draft) in language.literals(mode, &scope).enumerate() {
                let DraftLiteral { mode, literal, comparisons, new } = draft;
                let touched = self.touched(&literal);
                let proposal = Proposal { literals: vec![literal], comparisons, modes: vec![mode], new, touched };
                let is_new = self.is_new(&proposal);
                if (is_new && of_mode == self.left) || number > self.max_drafts() {
                    self.over_budget = true;
                    break;
                }
                if is_new {
                    proposals.push(proposal);
                    of_mode += 1;
                }
            }
            proposals = self.limited(proposals);
        }
        self.evaluate(proposals);
    }

    /// Returns the maximum number of literals generated for one mode, or for one base. Many of
    /// them may be equal up to the names of variables.
    fn max_drafts(&self) -> usize {
        self.left.saturating_mul(8).max(MAX_BATCH)
    }

    /// Returns whether no equivalent proposal was made before.
    fn is_new(&mut self, proposal: &Proposal) -> bool {
        let key = self.key(proposal);
        self.seen.insert(key)
    }

    /// Returns the identity of a proposal.
    fn key(&self, proposal: &Proposal) -> ProposalKey {
        let encoded =
            EncodedConjunction::new(proposal.literals.iter().chain(&proposal.comparisons), self.next as usize);
        let is_small = encoded.literals() <= MAX_NODE_SIZE;
        let key =
            if is_small { encoded.exact_key() } else { encoded.key(&(0..encoded.literals()).collect::<Vec<_>>()) };
        // Two modes may generate the same literal but allow different continuations.
        let mut continuations: Vec<_> = proposal.new.iter().map(|known| (known.type_id, known.once)).collect();
        continuations.sort_unstable();
        let modes = if self.language.has_limits() { proposal.modes.clone() } else { Vec::new() };
        (key, continuations, modes)
    }

    /// Reduces proposals to the remaining budget.
    fn limited(&mut self, proposals: Vec<Proposal>) -> Vec<Proposal> {
        if proposals.len() <= self.left {
            return proposals;
        }
        self.over_budget = true;
        fair_share(proposals, self.left)
    }

    /// Evaluates the proposals not seen before.
    fn add(&mut self, mut proposals: Vec<Proposal>) {
        let mut is_new = Vec::with_capacity(proposals.len());
        for batch in proposals.chunks(MAX_KEYS) {
            let keys = parallel::map(batch, STEPS_PER_KEY, |proposal| self.key(proposal));
            is_new.extend(keys.into_iter().map(|key| self.seen.insert(key)));
        }
        let mut is_new = is_new.into_iter();
        proposals.retain(|_| is_new.next().unwrap_or(false));
        let proposals = self.limited(proposals);
        self.evaluate(proposals);
    }

    /// Evaluates proposals and keeps those that cover an example of the path.
    fn evaluate(&mut self, mut proposals: Vec<Proposal>) {
        self.left -= proposals.len();
        while !proposals.is_empty() {
            let rest = proposals.split_off(proposals.len().min(MAX_BATCH));
            self.evaluate_batch(proposals);
            proposals = rest;
        }
    }

    fn evaluate_batch(&mut self, proposals: Vec<Proposal>) {
        let mut conjunctions: Vec<Vec<&Literal>> = Vec::with_capacity(proposals.len());
        for Proposal { literals, comparisons, touched, .. } in &proposals {
            let path = self.path.iter().zip(&self.components).filter(|(_, component)| *component & touched != 0);
            let own = literals.iter().chain(comparisons);
            conjunctions.push(path.map(|(literal, _)| literal).chain(own).collect());
        }
        let covered = self.coverage.cover_each(&conjunctions);
        let covers_all = self.path_coverage.count() == self.path_coverage.len();
        for (proposal, bits) in proposals.into_iter().zip(covered) {
            let count = bits.count_and(&self.path_coverage);
            // Coverage is anti-monotone: a conjunct without coverage is dropped with all its
            // refinements.
            if count > 0 {
                let bits = if covers_all { bits } else { Arc::new(bits.and(&self.path_coverage)) };
                let Proposal { literals, comparisons, modes, new, touched } = proposal;
                self.list.push(Conjunct { literals, comparisons, modes, new, touched, count, bits });
            }
        }
    }

    /// Finds the conjuncts with one more literal.
    fn extend(&mut self, size: usize) {
        let mut bases = self.bases(size - 1);
        by_coverage(&mut bases);
        let mut extended = Vec::new();
        let mut total = 0;
        for base in &bases {
            if total > self.left {
                self.over_budget = true;
                break;
            }
            let (proposals, is_complete) = self.extensions(base);
            self.over_budget |= !is_complete;
            total += proposals.len();
            extended.push((base.order, proposals));
        }
        extended.sort_by_key(|&(order, _)| order);
        self.add(extended.into_iter().flat_map(|(_, proposals)| proposals).collect());
    }

    /// Returns the conjunctions of this size that one more literal may connect: conjuncts, then
    /// sets of them.
    fn bases(&mut self, size: usize) -> Vec<Base> {
        let has_in_body = self.language.has_in_body();
        let connects = |&b: &usize| has_in_body || !self.list[b].new.is_empty() || self.list[b].touched != 0;
        let mut conjuncts: Vec<usize> = (0..self.list.len()).filter(connects).filter(|&b| self.may_extend(b)).collect();
        let mut bases = Vec::new();
        for &b in conjuncts.iter().filter(|&&b| self.list[b].literals.len() == size) {
            // Of two literals that touch the same component, the later one is added to the earlier.
            bases.push(Base { order: bases.len(), first: b, ..self.base(&[b]) });
        }
        if size > 1 {
            let max = max_combinable(self.left, size);
            if conjuncts.len() > max {
                self.over_budget = true;
                conjuncts.sort_by_key(|&b| std::cmp::Reverse(self.list[b].count));
                conjuncts.truncate(max);
                conjuncts.sort_unstable();
            }
            self.sets_of_conjuncts(&conjuncts, size, &mut Vec::new(), &mut bases);
        }
        bases
    }

    /// Adds every set of at least two conjuncts with `size` more literals in total that touch
    /// disjoint components. A conjunct may occur twice, with different variables.
    fn sets_of_conjuncts(&self, conjuncts: &[usize], size: usize, chosen: &mut Vec<usize>, bases: &mut Vec<Base>) {
        let touched = chosen.iter().fold(0, |touched, &b| touched | self.list[b].touched);
        for (at, &b) in conjuncts.iter().enumerate() {
            let own = self.list[b].literals.len();
            if self.list[b].touched & touched != 0 || own > size || (own == size && chosen.is_empty()) {
                continue;
            }
            chosen.push(b);
            if own < size {
                let may_repeat = !self.list[b].new.is_empty();
                self.sets_of_conjuncts(&conjuncts[if may_repeat { at } else { at + 1 }..], size - own, chosen, bases);
            } else if self.are_compatible(chosen) {
                bases.push(Base { order: bases.len(), ..self.base(chosen) });
            }
            chosen.pop();
        }
    }

    /// Returns the number of literals beyond the first, the extent of the look-ahead; 0 for a
    /// conjunct that connects head variables.
    ///
    /// With a single head variable there is nothing to connect, and the number is 0 as well.
    pub fn look_ahead_literals(&self, conjuncts: &[usize]) -> u32 {
        let literals: usize = conjuncts.iter().map(|&b| self.list[b].literals.len()).sum();
        let connects = || conjuncts.len() == 1 && self.connects_head(&self.list[conjuncts[0]].literals);
        if literals < 2 || self.arity < 2 || connects() {
            return 0;
        }
        literals as u32 - 1
    }

    /// Returns whether literals mention several head variables and are connected by other
    /// variables.
    fn connects_head(&self, literals: &[Literal]) -> bool {
        let mut of_head = literals.iter().flat_map(Literal::variables).filter(|v| (v.0 as usize) < self.arity);
        let first = of_head.next();
        let all: Vec<usize> = (0..literals.len()).collect();
        of_head.any(|other| Some(other) != first)
            && EncodedConjunction::new(literals.iter(), self.arity).components(&all).len() == 1
    }

    /// Returns whether conjuncts can form one test: no repeated literal, and the occurrence limits
    /// are kept.
    pub fn are_compatible(&self, conjuncts: &[usize]) -> bool {
        let mut clause: Vec<&Literal> = self.path.iter().collect();
        for conjunct in conjuncts.iter().map(|&b| &self.list[b]) {
            for (literal, &mode) in conjunct.literals.iter().zip(&conjunct.modes) {
                // Literals with new variables are renamed apart.
                let repeated = clause.contains(&literal) && literal.variables().all(|v| v.0 < self.next);
                if repeated || !self.language.is_allowed(mode, literal, &clause) {
                    return false;
                }
                clause.push(literal);
            }
        }
        true
    }

    fn base(&self, conjuncts: &[usize]) -> Base {
        let mut base = Base { count: usize::MAX, ..Base::default() };
        base.members = conjuncts.to_vec();
        for conjunct in conjuncts.iter().map(|&b| &self.list[b]) {
            base.conjuncts.push((base.new.len(), conjunct.new.len(), conjunct.touched));
            let shift = base.new.len() as u32;
            let move_up = |literal: &Literal| shifted(literal, self.next, shift);
            base.literals.extend(conjunct.literals.iter().map(move_up));
            base.comparisons.extend(conjunct.comparisons.iter().map(move_up));
            base.new.extend(conjunct.new.iter().map(|known| known.shifted(shift)));
            base.modes.extend(&conjunct.modes);
            base.count = base.count.min(conjunct.count);
        }
        base
    }

    /// Returns whether a conjunct may be part of a larger one.
    fn may_extend(&self, conjunct: usize) -> bool {
        match self.language.options().look_ahead {
            LookAhead::Anywhere => true,
            LookAhead::Head => self.list[conjunct].touched == 0,
        }
    }

    /// Returns whether a literal of a larger conjunct may have this variable.
    fn may_connect(&self, known: &TypedVariable) -> bool {
        match self.language.options().look_ahead {
            LookAhead::Anywhere => true,
            LookAhead::Head => !self.component_of.contains_key(&known.variable),
        }
    }

    /// Returns the conjuncts formed by a base and one more literal, and whether these are all: if
    /// the base alone exceeds the budget, modes have equal shares.
    fn extensions(&self, base: &Base) -> (Vec<Proposal>, bool) {
        let clause: Vec<&Literal> = self.path.iter().chain(&base.literals).collect();
        let next = self.next + base.new.len() as u32;
        let old = self.known.iter().filter(|known| self.may_connect(known));
        let known: Vec<TypedVariable> = old.chain(&base.new).copied().collect();
        let has_in_body = self.language.has_in_body();
        let is_anywhere = self.language.options().look_ahead == LookAhead::Anywhere;
        let (mut proposals, mut is_complete) = (Vec::new(), true);
        let propose = |mode: usize, literal: Literal, comparisons: Vec<Literal>, new: &[TypedVariable]| {
            let touched = self.touched(&literal);
            let depends_on_body =
                is_anywhere && has_in_body && !self.language.binds_body_variables(mode, &literal, self.path);
            let is_connected = depends_on_body || base.is_connected_by(&literal, touched, self.next);
            is_connected.then(|| Proposal {
                literals: base.literals.iter().cloned().chain([literal]).collect(),
                comparisons: base.comparisons.iter().cloned().chain(comparisons).collect(),
                modes: base.modes.iter().copied().chain([mode]).collect(),
                new: base.new.iter().chain(new).copied().collect(),
                touched: base.conjuncts.iter().fold(touched, |all, conjunct| all | conjunct.2),
            })
        };
        if (has_in_body && is_anywhere) || !base.new.is_empty() {
            let must_use = (!has_in_body || !is_anywhere).then_some(self.next);
            let scope = Scope { known: &known, clause: &clause, next, must_use };
            let mut drafts: Vec<_> =
                (0..self.language.modes()).map(|mode| self.language.literals(mode, &scope)).collect();
            let mut generated = 0;
            while !drafts.is_empty() && proposals.len() <= self.left && generated <= self.max_drafts() {
                drafts.retain_mut(|drafts| {
                    let Some(draft) = drafts.next() else { return false };
                    generated += 1;
                    proposals.extend(propose(draft.mode, draft.literal, draft.comparisons, &draft.new));
                    true
                });
            }
            is_complete = drafts.is_empty();
            proposals.sort_by_key(|proposal| proposal.modes.last().copied());
        }
        if base.conjuncts.iter().any(|conjunct| conjunct.2 != 0) {
            let singles = self.list.iter().take_while(|conjunct| conjunct.literals.len() == 1);
            for conjunct in singles.skip(if base.literals.len() == 1 { base.first } else { 0 }) {
                let shift = base.new.len() as u32;
                let (mode, literal) = (conjunct.modes[0], shifted(&conjunct.literals[0], self.next, shift));
                if !clause.contains(&&literal) && self.language.is_allowed(mode, &literal, &clause) {
                    let comparisons: Vec<Literal> =
                        conjunct.comparisons.iter().map(|literal| shifted(literal, self.next, shift)).collect();
                    let new: Vec<TypedVariable> = conjunct.new.iter().map(|known| known.shifted(shift)).collect();
                    proposals.extend(propose(mode, literal, comparisons, &new));
                }
            }
        }
        (proposals, is_complete)
    }

    /// Adds the tests that are candidates at every node.
    fn fixed_tests(&mut self) {
        let proposal = |fixed: &FixedTest| {
            // Renumber all variables other than the head's from `next` on.
            let name = |v: Variable| fixed.new.iter().position(|known| known.variable == v);
            let rename = |v: Variable| name(v).map_or(v, |k| Variable(self.next + k as u32));
            let arg = |arg: &Argument| match *arg {
                Argument::Variable(v) => Argument::Variable(rename(v)),
                constant => constant,
            };
            let literal = |literal: &Literal| Literal { args: literal.args.iter().map(arg).collect(), ..*literal };
            let new = |known: &TypedVariable| TypedVariable { variable: rename(known.variable), ..*known };
            Proposal {
                literals: fixed.literals.iter().map(literal).collect(),
                comparisons: Vec::new(),
                modes: Vec::new(),
                new: fixed.new.iter().map(new).collect(),
                touched: 0,
            }
        };
        let proposals: Vec<Proposal> = self.language.fixed_tests().iter().map(proposal).collect();
        // They are few and preselected, so they do not count towards the budget.
        let left = std::mem::replace(&mut self.left, usize::MAX);
        self.add(proposals);
        self.left = left;
    }
}

/// Reduces proposals to `max` with equal shares for the modes of their last literals, the first of
/// each first.
fn fair_share(proposals: Vec<Proposal>, max: usize) -> Vec<Proposal> {
    let mut of_mode: HashMap<Option<usize>, usize> = HashMap::default();
    let mut numbered: Vec<(usize, usize, Proposal)> = Vec::with_capacity(proposals.len());
    for (number, proposal) in proposals.into_iter().enumerate() {
        let place = of_mode.entry(proposal.modes.last().copied()).or_insert(0);
        numbered.push((*place, number, proposal));
        *place += 1;
    }
    numbered.sort_by_key(|&(place, number, _)| (place, number));
    numbered.truncate(max);
    numbered.sort_by_key(|&(_, number, _)| number);
    numbered.into_iter().map(|(_, _, proposal)| proposal).collect()
}

/// Sorts bases by decreasing coverage: an extension covers no more examples than its base.
fn by_coverage(bases: &mut [Base]) {
    bases.sort_by_key(|base| std::cmp::Reverse(base.count));
}

/// A conjunction to be extended by a literal.
#[derive(Clone, Debug, Default)]
struct Base {
    order: usize,
    literals: Vec<Literal>,
    comparisons: Vec<Literal>,
    modes: Vec<usize>,
    new: Vec<TypedVariable>,
    /// For each conjunct: the start and number of its new variables, and the path components it
    /// touches.
    conjuncts: Vec<(usize, usize, u64)>,
    count: usize,
    /// The index of the conjunct, if the base is a single one.
    first: usize,
    /// The indices of the conjuncts.
    members: Vec<usize>,
}

impl Base {
    /// Returns whether a literal that touches these path components connects all conjuncts.
    fn is_connected_by(&self, literal: &Literal, touched: u64, next: u32) -> bool {
        self.conjuncts.iter().all(|&(start, len, own_touched)| {
            let own = next + start as u32..next + (start + len) as u32;
            own_touched & touched != 0 || literal.variables().any(|v| own.contains(&v.0))
        })
    }
}

/// Returns the largest number of items whose combinations of 2 to `size` are at most `max`.
pub(crate) fn max_combinable(max: usize, size: usize) -> usize {
    let choices = |n: usize| {
        let mut total = 0f64;
        let mut ways = n as f64;
        for k in 2..=size {
            ways *= (n as f64 - k as f64 + 1.0).max(0.0) / k as f64;
            total += ways;
        }
        total
    };
    if size < 2 {
        return usize::MAX;
    }
    let mut n = 1;
    while choices(n + 1) <= max as f64 {
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_limited() {
        // Four items have six pairs and four triples.
        assert_eq!((max_combinable(5, 2), max_combinable(6, 2), max_combinable(9, 2)), (3, 4, 4));
        assert_eq!((max_combinable(9, 3), max_combinable(10, 3)), (3, 4));
        assert_eq!((max_combinable(0, 2), max_combinable(0, 1)), (1, usize::MAX));
    }

    #[test]
    fn modes_get_equal_shares() {
        let proposal = |&mode: &usize| Proposal {
            literals: Vec::new(),
            comparisons: Vec::new(),
            modes: vec![mode],
            new: Vec::new(),
            touched: 0,
        };
        let proposals: Vec<Proposal> = [0, 0, 0, 0, 1, 2, 2].iter().map(proposal).collect();
        let modes: Vec<usize> = fair_share(proposals, 5).iter().map(|proposal| proposal.modes[0]).collect();
        assert_eq!(modes, [0, 0, 1, 2, 2]);
    }
}
