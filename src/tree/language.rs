//! The language bias: the literals and tests that the modes allow, given the variables in scope.

use super::cuts;
use crate::cancel;
use crate::determinism::HashMap;
use crate::kb::{Database, Mode, ModeSlot, TypeId};
use crate::logic::{Argument, Comparison, Constant, Literal, ModeSymbol, Number, PredicateId, Variable};

/// The scope of a test of several literals (look-ahead).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LookAhead {
    /// The same variables as for a test of one literal. Its literals need not be connected.
    #[default]
    Anywhere,
    /// Head variables and its own: its literals are connected by new variables and use no variable
    /// of the path.
    ///
    /// Most of what this excludes a tree expresses by several tests: unconnected literals, and
    /// literals on a variable of the path. It loses literals that are informative only together,
    /// and those reached from a path variable through a literal that covers all examples. Such
    /// tests are the same at all nodes, so they are evaluated once.
    Head,
}

/// Limits on the tests of a [`Language`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageOptions {
    /// The maximum number of literals in a test.
    pub node_size: usize,
    /// The scope of a test of several literals.
    pub look_ahead: LookAhead,
    /// The maximum number of candidates per node. Beyond it, only the most promising conjuncts are
    /// combined.
    pub max_candidates: usize,
    /// Whether to generate at-least-k tests.
    pub counts: bool,
    /// The number of thresholds for a numeric argument where a mode requires a constant; 0 treats
    /// numbers like other constants.
    pub cuts: usize,
}

impl Default for LanguageOptions {
    fn default() -> Self {
        LanguageOptions {
            node_size: 2,
            look_ahead: LookAhead::Anywhere,
            max_candidates: 50_000,
            counts: false,
            cuts: 0,
        }
    }
}

/// The number of literals generated between two polls for cancellation.
const POLL_INTERVAL: u32 = 1 << 10;

/// The upper limit of [`LanguageOptions::node_size`].
pub const MAX_NODE_SIZE: usize = 4;

/// The tests that the modes of a database allow for a target.
///
/// The target itself occurs in tests only if its facts are evidence ([`crate::kb::Recursion`]).
/// Modes for another target are ignored. `+` takes a variable of its type, `-` such a variable or a
/// new one, `#` a constant that occurs at that argument in a fact. With cuts, if all of these are
/// numbers, `#` takes a new variable thresholds with a threshold: `charge(A, C), C <= 0.5`.
#[derive(Clone, Debug)]
pub struct Language {
    options: LanguageOptions,
    /// The types of the head variables, where a mode of the target declares them.
    head: Vec<Option<TypeId>>,
    modes: Vec<UsableMode>,
    /// Whether a mode limits the occurrences of its predicate.
    has_limits: bool,
    /// Whether a mode requires a variable of the body.
    has_in_body: bool,
    /// Whether an argument has more constants than the candidate limit allows.
    constants_truncated: bool,
    fixed_tests: Vec<FixedTest>,
    /// By predicate, for the variables of fixed tests.
    argument_types: Vec<Option<Vec<TypeId>>>,
}

#[derive(Clone, Debug)]
struct UsableMode {
    mode: Mode,
    /// The constants allowed at each argument.
    constants: Vec<Vec<Constant>>,
    /// The thresholds for each argument.
    cuts: Vec<Vec<f64>>,
}

/// A test that is a candidate at every node.
#[derive(Clone, Debug)]
pub(crate) struct FixedTest {
    pub literals: Vec<Literal>,
    /// The variables other than those of the head.
    pub new: Vec<TypedVariable>,
}

/// A variable in scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypedVariable {
    pub variable: Variable,
    /// `None` for a variable of a predicate without modes, which no literal can reuse.
    pub type_id: Option<TypeId>,
    /// Whether it was introduced by `$`, which allows one occurrence only.
    pub once: bool,
}

impl TypedVariable {
    /// Returns the variable with its number increased.
    pub fn shifted(self, by: u32) -> Self {
        TypedVariable { variable: Variable(self.variable.0 + by), ..self }
    }
}

/// A literal that a mode allows.
#[derive(Clone, Debug)]
pub(crate) struct DraftLiteral {
    /// The index of the mode, for its limits.
    pub mode: usize,
    pub literal: Literal,
    /// The comparisons of its new variables with thresholds; they do not count as literals of a
    /// test.
    pub comparisons: Vec<Literal>,
    /// The variables it introduces.
    pub new: Vec<TypedVariable>,
}

/// The context in which literals are generated.
pub(crate) struct Scope<'s> {
    /// The variables in scope.
    pub known: &'s [TypedVariable],
    /// The literals of the clause so far.
    pub clause: &'s [&'s Literal],
    /// The number of the first new variable.
    pub next: u32,
    /// If set, only literals that reuse a variable with at least this number are generated.
    pub must_use: Option<u32>,
}

impl Scope<'_> {
    /// Returns whether a variable is one of those of which every literal must reuse one.
    fn requires(&self, variable: Variable) -> bool {
        self.must_use.is_some_and(|from| (from..self.next).contains(&variable.0))
    }
}

impl Language {
    /// Builds the language from the modes for a target and the constants of the facts.
    pub fn new(database: &Database, target: PredicateId, options: LanguageOptions) -> Self {
        let schema = &database.schema;
        let is_recursive = is_recursive(database, target);
        let is_usable = |mode: &&Mode| {
            let for_target = mode.target.is_none_or(|for_target| for_target == target);
            (mode.predicate != target || is_recursive) && for_target
        };
        let mut constants_truncated = false;
        let modes: Vec<UsableMode> = schema
            .modes()
            .iter()
            .filter(is_usable)
            .map(|mode| {
                // The combinations of constants over all arguments should not exceed the candidate
                // limit.
                let constant_args = mode.args.iter().filter(|slot| slot.symbol.may_be_constant()).count().max(1);
                let max_constants = (options.max_candidates as f64).powf(1.0 / constant_args as f64).ceil() as usize;
                let all = mode.args.iter().enumerate();
                let (mut constants, mut thresholds) = (Vec::new(), Vec::new());
                for (position, slot) in all {
                    let (found, truncated) = constants_for(database, mode, position, slot, max_constants);
                    let cuts = cuts::of_slot(database, mode, position, options.cuts);
                    constants_truncated |= truncated && cuts.is_empty();
                    constants.push(if cuts.is_empty() { found } else { Vec::new() });
                    thresholds.push(cuts);
                }
                UsableMode { mode: mode.clone(), constants, cuts: thresholds }
            })
            .collect();
        Language {
            options: LanguageOptions { node_size: options.node_size.clamp(1, MAX_NODE_SIZE), ..options },
            head: (0..database.predicates.arity(target))
                .map(|k| schema.argument_types(target).and_then(|types| types.get(k)).copied())
                .collect(),
            has_limits: modes.iter().any(|usable| usable.mode.max.is_some() || usable.mode.max_per_input.is_some()),
            has_in_body: modes.iter().any(|usable| usable.mode.args.iter().any(|s| s.symbol == ModeSymbol::InBody)),
            modes,
            constants_truncated,
            fixed_tests: Vec::new(),
            argument_types: database
                .predicates
                .iter()
                .map(|id| schema.argument_types(id).map(<[TypeId]>::to_vec))
                .collect(),
        }
    }

    /// Adds tests that are candidates at every node, regardless of the modes and `node_size`, such
    /// as chains between head variables.
    ///
    /// Variables `0..arity` are those of the head; all others are new at each node.
    pub fn with_tests(mut self, tests: Vec<Vec<Literal>>) -> Self {
        let fixed = |literals: Vec<Literal>| FixedTest { new: self.new_variables(&literals), literals };
        self.fixed_tests = tests.into_iter().map(fixed).collect();
        self
    }

    /// Returns the variables of literals other than the head's, typed by their first occurrence.
    pub(crate) fn new_variables(&self, literals: &[Literal]) -> Vec<TypedVariable> {
        let mut new: Vec<TypedVariable> = Vec::new();
        for literal in literals {
            let types = self.argument_types.get(literal.predicate.0 as usize).and_then(Option::as_ref);
            for (position, arg) in literal.args.iter().enumerate() {
                let Argument::Variable(variable) = *arg else { continue };
                if !self.is_head(variable) && new.iter().all(|known| known.variable != variable) {
                    let type_id = types.and_then(|types| types.get(position)).copied();
                    new.push(TypedVariable { variable, type_id, once: false });
                }
            }
        }
        new
    }

    fn is_head(&self, variable: Variable) -> bool {
        (variable.0 as usize) < self.head.len()
    }

    /// Returns the limits on tests.
    pub fn options(&self) -> LanguageOptions {
        self.options
    }

    /// Returns whether no mode is usable and there is no fixed test, so that there are no
    /// candidates.
    pub fn is_empty(&self) -> bool {
        self.modes.is_empty() && self.fixed_tests.is_empty()
    }

    /// Returns whether an argument has too many constants, so that only the most frequent are used.
    pub fn constants_were_truncated(&self) -> bool {
        self.constants_truncated
    }

    pub(crate) fn fixed_tests(&self) -> &[FixedTest] {
        &self.fixed_tests
    }

    /// Returns whether a mode limits the occurrences of its predicate.
    pub(crate) fn has_limits(&self) -> bool {
        self.has_limits
    }

    /// Returns whether a mode requires a variable of the body (`=`): then a literal may depend on
    /// another with which it shares only a head variable.
    pub(crate) fn has_in_body(&self) -> bool {
        self.has_in_body
    }

    /// Returns whether each body variable (`=`) that the mode of a literal requires occurs in
    /// `clause`.
    pub(crate) fn binds_body_variables(&self, mode: usize, literal: &Literal, clause: &[Literal]) -> bool {
        let asked = self.modes[mode].mode.args.iter().zip(&literal.args);
        asked.filter(|(slot, _)| slot.symbol == ModeSymbol::InBody).all(|(_, arg)| match arg {
            Argument::Variable(v) => clause.iter().any(|other| other.variables().any(|own| own == *v)),
            Argument::Constant(_) | Argument::Number(_) => true,
        })
    }

    /// Returns the head variables.
    pub(crate) fn head(&self) -> Vec<TypedVariable> {
        let known = |(v, &type_id)| TypedVariable { variable: Variable(v as u32), type_id, once: false };
        self.head.iter().enumerate().map(known).collect()
    }

    /// Returns the number of modes.
    pub(crate) fn modes(&self) -> usize {
        self.modes.len()
    }

    /// Returns whether all literals are facts with variables and constants: there are no
    /// comparisons, neither by modes nor by cuts.
    pub(crate) fn is_plain(&self) -> bool {
        let is_plain =
            |usable: &UsableMode| usable.mode.predicate.comparison().is_none() && usable.cuts.iter().all(Vec::is_empty);
        self.modes.iter().all(is_plain)
    }

    /// Calls `f` with each literal that [`Language::literals`] returns, until it returns `false`;
    /// also with those that are already in the clause, which are marked by `true`.
    pub(crate) fn for_each_literal(
        &self,
        mode: usize,
        scope: &Scope<'_>,
        mut f: impl FnMut(&DraftLiteral, bool) -> bool,
    ) {
        let mut fillings = Fillings::new(self, mode, scope);
        let literal = Literal::new(self.modes[mode].mode.predicate, Vec::new());
        let mut draft = DraftLiteral { mode, literal, comparisons: Vec::new(), new: Vec::new() };
        let mut filled = 0u32;
        while fillings.advance() {
            filled = filled.wrapping_add(1);
            if filled.is_multiple_of(POLL_INTERVAL) {
                cancel::poll();
            }
            fillings.fill(&mut draft);
            let is_known = scope.clause.contains(&&draft.literal);
            if (is_known || self.is_candidate(&draft, scope)) && !f(&draft, is_known) {
                return;
            }
        }
    }

    /// Returns whether a literal is nontrivial and within the limits of its mode.
    fn is_candidate(&self, draft: &DraftLiteral, scope: &Scope<'_>) -> bool {
        // Comparing a number with itself is trivial.
        let literal = &draft.literal;
        let is_nontrivial = literal.comparison().is_none() || literal.args.first() != literal.args.last();
        is_nontrivial && self.is_allowed(draft.mode, literal, scope.clause)
    }

    /// Returns the literals that a mode allows in this scope, generated on demand: arguments from
    /// left to right, for each first the variables in scope, then a new one, then constants.
    ///
    /// Literals already in the clause are skipped. Two modes may generate the same literal.
    pub(crate) fn literals<'s>(&'s self, mode: usize, scope: &'s Scope<'s>) -> impl Iterator<Item = DraftLiteral> + 's {
        let mut fillings = Fillings::new(self, mode, scope);
        let mut filled = 0u32;
        std::iter::from_fn(move || {
            loop {
                filled = filled.wrapping_add(1);
                if filled.is_multiple_of(POLL_INTERVAL) {
                    cancel::poll();
                }
                let draft = fillings.advance().then(|| fillings.draft(mode))?;
                if !scope.clause.contains(&&draft.literal) && self.is_candidate(&draft, scope) {
                    return Some(draft);
                }
            }
        })
    }

    fn may_reuse(&self, slot: &ModeSlot, known: &TypedVariable, scope: &Scope<'_>) -> bool {
        let in_body = || scope.clause.iter().any(|literal| literal.variables().any(|v| v == known.variable));
        known.type_id == Some(slot.type_id)
            && !known.once
            && slot.symbol.may_reuse()
            && match slot.symbol {
                // A variable that is introduced by `$` has no second occurrence.
                ModeSymbol::Once => false,
                ModeSymbol::NotHead => !self.is_head(known.variable),
                ModeSymbol::InBody => in_body(),
                _ => true,
            }
    }

    /// Returns whether adding a literal to a clause keeps the occurrence limits of its mode.
    pub(crate) fn is_allowed(&self, mode: usize, literal: &Literal, clause: &[&Literal]) -> bool {
        let mode = &self.modes[mode].mode;
        let same = || clause.iter().filter(|other| other.predicate == literal.predicate);
        let same_input = |other: &&&Literal| {
            let inputs = mode.args.iter().enumerate().filter(|(_, slot)| slot.symbol == ModeSymbol::Input);
            inputs.into_iter().all(|(k, _)| other.args.get(k) == literal.args.get(k))
        };
        mode.max.is_none_or(|max| same().count() < max as usize)
            && mode.max_per_input.is_none_or(|max| same().filter(same_input).count() < max as usize)
    }
}

/// The ways to fill the arguments of a mode, in lexicographic order.
///
/// Only the current choice is kept, since their number grows exponentially with the arguments.
struct Fillings<'s> {
    usable: &'s UsableMode,
    scope: &'s Scope<'s>,
    /// The variables in scope that each argument may reuse.
    reusable: Vec<Vec<Variable>>,
    /// For each argument, whether one after it may take a required variable.
    required_later: Vec<bool>,
    /// The current choice at each argument.
    chosen: Vec<usize>,
    is_started: bool,
}

impl<'s> Fillings<'s> {
    fn new(language: &'s Language, mode: usize, scope: &'s Scope<'s>) -> Self {
        let usable = &language.modes[mode];
        let reusable = |slot: &ModeSlot| -> Vec<Variable> {
            let known = scope.known.iter().filter(|known| language.may_reuse(slot, known, scope));
            known.map(|known| known.variable).collect()
        };
        let reusable: Vec<Vec<Variable>> = usable.mode.args.iter().map(reusable).collect();
        let is_required = |variables: &Vec<Variable>| variables.iter().any(|&v| scope.requires(v));
        let required_later = (1..=reusable.len()).map(|k| reusable[k..].iter().any(is_required)).collect();
        let chosen = vec![0; reusable.len()];
        Fillings { usable, scope, reusable, required_later, chosen, is_started: false }
    }

    /// Returns the number of choices that a cut gives: one per comparison with it.
    fn choices_per_cut(&self) -> usize {
        if self.usable.mode.predicate.comparison().is_some() { 1 } else { Comparison::ALL.len() }
    }

    /// Returns the first choice for an argument from `from` on.
    fn choose(&self, position: usize, from: usize) -> Option<usize> {
        let reusable = &self.reusable[position];
        let is_required = |(k, &choice): (usize, &usize)| {
            self.reusable[k].get(choice).is_some_and(|&variable| self.scope.requires(variable))
        };
        let may_wait = self.scope.must_use.is_none()
            || self.required_later[position]
            || self.chosen[..position].iter().enumerate().any(is_required);
        if !may_wait {
            return (from..reusable.len()).find(|&choice| self.scope.requires(reusable[choice]));
        }
        let slot = &self.usable.mode.args[position];
        let (constants, cuts) = (&self.usable.constants[position], &self.usable.cuts[position]);
        let new = usize::from(slot.symbol.may_be_new());
        let choices = reusable.len() + new + constants.len() + cuts.len() * self.choices_per_cut();
        Some(from).filter(|&choice| choice < choices)
    }

    /// Moves to the next filling that uses a required variable; returns whether there is one.
    fn advance(&mut self) -> bool {
        let arity = self.chosen.len();
        if arity == 0 {
            return !std::mem::replace(&mut self.is_started, true) && self.scope.must_use.is_none();
        }
        let (mut position, mut from) = match std::mem::replace(&mut self.is_started, true) {
            true => (arity - 1, self.chosen[arity - 1] + 1),
            false => (0, 0),
        };
        while position < arity {
            match (self.choose(position, from), position.checked_sub(1)) {
                (Some(choice), _) => {
                    self.chosen[position] = choice;
                    (position, from) = (position + 1, 0);
                }
                (None, Some(previous)) => (position, from) = (previous, self.chosen[previous] + 1),
                (None, None) => return false,
            }
        }
        true
    }

    /// Returns the literal of the current choice.
    fn draft(&self, mode: usize) -> DraftLiteral {
        let literal = Literal::new(self.usable.mode.predicate, Vec::with_capacity(self.chosen.len()));
        let mut draft = DraftLiteral { mode, literal, comparisons: Vec::new(), new: Vec::new() };
        self.fill(&mut draft);
        draft
    }

    /// Replaces the arguments of a literal by the current choice.
    fn fill(&self, draft: &mut DraftLiteral) {
        let UsableMode { mode: declared, constants, cuts } = self.usable;
        let DraftLiteral { literal: Literal { args, .. }, comparisons, new, .. } = draft;
        args.clear();
        comparisons.clear();
        new.clear();
        for (position, (slot, &choice)) in declared.args.iter().zip(&self.chosen).enumerate() {
            let reusable = &self.reusable[position];
            if let Some(&variable) = reusable.get(choice) {
                args.push(Argument::Variable(variable));
                continue;
            }
            let variable = Variable(self.scope.next + new.len() as u32);
            let once = slot.symbol == ModeSymbol::Once;
            let fresh = TypedVariable { variable, type_id: Some(slot.type_id), once };
            let mut choice = choice - reusable.len();
            if slot.symbol.may_be_new() {
                if choice == 0 {
                    new.push(fresh);
                    args.push(Argument::Variable(variable));
                    continue;
                }
                choice -= 1;
            }
            if let Some(&constant) = constants[position].get(choice) {
                args.push(Argument::Constant(constant));
                continue;
            }
            choice -= constants[position].len();
            let cut = Argument::Number(Number::new(cuts[position][choice / self.choices_per_cut()]));
            if declared.predicate.comparison().is_some() {
                args.push(cut);
                continue;
            }
            let variable = Argument::Variable(variable);
            new.push(fresh);
            comparisons.push(Literal::compare(variable, Comparison::ALL[choice % self.choices_per_cut()], cut));
            args.push(variable);
        }
    }
}

/// Returns whether literals of the target may occur in tests.
pub(crate) fn is_recursive(database: &Database, target: PredicateId) -> bool {
    database.recursion.is_some_and(|recursion| recursion.target == target)
}

/// Returns the constants allowed at an argument, the most frequent if there are too many, and
/// whether any were dropped.
fn constants_for(
    database: &Database,
    mode: &Mode,
    position: usize,
    slot: &ModeSlot,
    max_constants: usize,
) -> (Vec<Constant>, bool) {
    if !slot.symbol.may_be_constant() {
        return (Vec::new(), false);
    }
    let relation = database.facts.relation(mode.predicate);
    if let Some(constant) = slot.constant {
        return (vec![constant], false);
    }
    let mut constants = relation.values(position);
    if constants.len() <= max_constants {
        return (constants, false);
    }
    let mut counts: HashMap<Constant, u32> = HashMap::default();
    for row in relation.iter() {
        *counts.entry(row.get(position)).or_default() += 1;
    }
    constants.sort_by_key(|constant| std::cmp::Reverse(counts.get(constant).copied().unwrap_or(0)));
    constants.truncate(max_constants);
    constants.sort_unstable();
    (constants, true)
}
