//! Which literals the modes allow, given the variables that are there.

use super::cuts;
use crate::determinism::HashMap;
use crate::kb::{Database, Mode, ModeSlot, TypeId};
use crate::logic::{Argument, Comparison, Constant, Literal, ModeSymbol, Number, PredicateId, Variable};

/// What a test of several literals may speak of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LookAhead {
    /// Whatever a test of one literal may speak of. Its literals need not hang together.
    #[default]
    Anywhere,
    /// The variables of the head and its own: its literals hang together by new variables, and none has a variable of the path.
    ///
    /// Most of what this leaves out a tree can ask by several tests: two things that have nothing to do with each other, and
    /// what hangs on a variable of the path. Lost is what helps only together, and what hangs on a variable of the path by a literal
    /// that holds for all. Such tests are the same at all nodes, so they are searched for once.
    Head,
}

/// How large tests may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageOptions {
    /// The most literals in a test.
    pub node_size: usize,
    /// What a test of several literals may speak of.
    pub look_ahead: LookAhead,
    /// The most candidates looked at for one node. Where there are more, the most promising parts are combined.
    pub max_candidates: usize,
    /// Whether tests may ask for several groundings.
    pub counts: bool,
    /// How many numbers an argument of numbers is compared with, where a mode wants a constant; 0 means that numbers are constants
    /// like all others.
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

/// The most literals that a test may be given.
pub const MAX_NODE_SIZE: usize = 4;

/// The tests that the modes of a database allow for a target.
///
/// The target itself is part of a test only if its facts are evidence ([`crate::kb::Recursion`]), and modes that are for another target are not used. `+` takes a variable
/// of its type, `-` such a variable or a new one, `#` a constant that stands at that argument in a fact. With cuts, where all of
/// these are numbers, `#` takes a new variable that is compared with some of them: `charge(A, C), C <= 0.5`.
#[derive(Clone, Debug)]
pub struct Language {
    options: LanguageOptions,
    /// The types of the variables of the head, as far as a mode of the target gives them.
    head: Vec<Option<TypeId>>,
    modes: Vec<UsableMode>,
    /// Whether some mode says how often its predicate may occur.
    has_limits: bool,
    /// Whether some mode asks for a variable of the body.
    has_in_body: bool,
    /// Whether some argument has more constants than candidates are allowed.
    constants_cut: bool,
    whole_tests: Vec<WholeTest>,
    /// By predicate, for the variables of whole tests.
    argument_types: Vec<Option<Vec<TypeId>>>,
}

#[derive(Clone, Debug)]
struct UsableMode {
    mode: Mode,
    /// For each argument the constants it may be.
    constants: Vec<Vec<Constant>>,
    /// For each argument the numbers it is compared with.
    cuts: Vec<Vec<f64>>,
}

/// A test that is a candidate everywhere.
#[derive(Clone, Debug)]
pub(crate) struct WholeTest {
    pub literals: Vec<Literal>,
    /// The variables that are not of the head.
    pub new: Vec<Known>,
}

/// A variable that literals may reuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Known {
    pub variable: Variable,
    /// `None` for a variable of a predicate without modes: nothing can reuse it.
    pub type_id: Option<TypeId>,
    /// Whether it came with `$`, which allows it to stand in one place only.
    pub once: bool,
}

impl Known {
    /// The same with its variable moved up.
    pub fn shifted(self, by: u32) -> Self {
        Known { variable: Variable(self.variable.0 + by), ..self }
    }
}

/// A literal that a mode allows.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// The mode, for its limits.
    pub mode: usize,
    pub literal: Literal,
    /// What its new variables are compared with; this comes with the literal and does not count as another.
    pub comparisons: Vec<Literal>,
    /// The variables that are new in it.
    pub new: Vec<Known>,
}

/// A literal in the making.
#[derive(Clone, Debug, Default)]
struct Filling {
    args: Vec<Argument>,
    new: Vec<Known>,
    comparisons: Vec<Literal>,
}

/// What a literal is built from.
pub(crate) struct Scope<'s> {
    /// All variables that are bound.
    pub known: &'s [Known],
    /// The literals of the clause so far.
    pub clause: &'s [&'s Literal],
    /// The number of the first new variable.
    pub next: u32,
    /// Only literals with some variable from this number on are wanted, and not just as a new one.
    pub must_use: Option<u32>,
}

impl Language {
    /// The language of the modes of a database for a target, with the constants of its facts.
    pub fn new(database: &Database, target: PredicateId, options: LanguageOptions) -> Self {
        let schema = &database.schema;
        let is_recursive = is_recursive(database, target);
        let is_usable = |mode: &&Mode| {
            let for_target = mode.target.is_none_or(|for_target| for_target == target);
            (mode.predicate != target || is_recursive) && for_target
        };
        let mut constants_cut = false;
        let modes: Vec<UsableMode> = schema
            .modes()
            .iter()
            .filter(is_usable)
            .map(|mode| {
                // All choices of constants for all arguments should be no more than the candidates.
                let places = mode.args.iter().filter(|slot| slot.symbol.may_be_constant()).count().max(1);
                let most = (options.max_candidates as f64).powf(1.0 / places as f64).ceil() as usize;
                let all = mode.args.iter().enumerate();
                let (mut constants, mut compared) = (Vec::new(), Vec::new());
                for (position, slot) in all {
                    let (found, cut) = constants_for(database, mode, position, slot, most);
                    let cuts = cuts::of_slot(database, mode, position, options.cuts);
                    constants_cut |= cut && cuts.is_empty();
                    constants.push(if cuts.is_empty() { found } else { Vec::new() });
                    compared.push(cuts);
                }
                UsableMode { mode: mode.clone(), constants, cuts: compared }
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
            constants_cut,
            whole_tests: Vec::new(),
            argument_types: database
                .predicates
                .iter()
                .map(|id| schema.argument_types(id).map(<[TypeId]>::to_vec))
                .collect(),
        }
    }

    /// The same with tests that are candidates at every node as they stand, whatever the modes and `node_size` say of
    /// them, such as chains between the variables of the head.
    ///
    /// They speak of the variables of the head, `0..arity`; all their other variables are new at each node.
    pub fn with_tests(mut self, tests: Vec<Vec<Literal>>) -> Self {
        let whole = |literals: Vec<Literal>| WholeTest { new: self.new_variables(&literals), literals };
        self.whole_tests = tests.into_iter().map(whole).collect();
        self
    }

    /// The variables of literals that are not of the head, with the types of the arguments where they stand first.
    pub(crate) fn new_variables(&self, literals: &[Literal]) -> Vec<Known> {
        let mut new: Vec<Known> = Vec::new();
        for literal in literals {
            let types = self.argument_types.get(literal.predicate.0 as usize).and_then(Option::as_ref);
            for (position, arg) in literal.args.iter().enumerate() {
                let Argument::Variable(variable) = *arg else { continue };
                if !self.is_head(variable) && new.iter().all(|known| known.variable != variable) {
                    let type_id = types.and_then(|types| types.get(position)).copied();
                    new.push(Known { variable, type_id, once: false });
                }
            }
        }
        new
    }

    fn is_head(&self, variable: Variable) -> bool {
        (variable.0 as usize) < self.head.len()
    }

    /// How large tests may get.
    pub fn options(&self) -> LanguageOptions {
        self.options
    }

    /// Whether no mode can be used, so that the only test is none at all.
    pub fn is_empty(&self) -> bool {
        self.modes.is_empty() && self.whole_tests.is_empty()
    }

    /// Whether some argument has more constants than candidates are allowed, so that only the most frequent are used.
    pub fn constants_were_cut(&self) -> bool {
        self.constants_cut
    }

    pub(crate) fn whole_tests(&self) -> &[WholeTest] {
        &self.whole_tests
    }

    /// Whether some mode says how often its predicate may occur.
    pub(crate) fn has_limits(&self) -> bool {
        self.has_limits
    }

    /// Whether some mode asks for a variable of the body (`=`), so that a literal may wait for another that shares nothing
    /// but a variable of the head with it.
    pub(crate) fn has_in_body(&self) -> bool {
        self.has_in_body
    }

    /// Whether a literal of a mode finds each variable of the body it asks for among these literals.
    pub(crate) fn finds_in_body(&self, mode: usize, literal: &Literal, clause: &[Literal]) -> bool {
        let asked = self.modes[mode].mode.args.iter().zip(&literal.args);
        asked.filter(|(slot, _)| slot.symbol == ModeSymbol::InBody).all(|(_, arg)| match arg {
            Argument::Variable(v) => clause.iter().any(|other| other.variables().any(|own| own == *v)),
            Argument::Constant(_) | Argument::Number(_) => true,
        })
    }

    /// The variables of the head.
    pub(crate) fn head(&self) -> Vec<Known> {
        let known = |(v, &type_id)| Known { variable: Variable(v as u32), type_id, once: false };
        self.head.iter().enumerate().map(known).collect()
    }

    /// Every literal that some mode allows in this scope: modes in the order of the schema, arguments from left to
    /// right, for each first the variables that are there, then a new one, then the constants.
    ///
    /// A literal that is in the clause already is left out. Two modes may give the same literal.
    pub(crate) fn literals(&self, scope: &Scope<'_>, mut f: impl FnMut(Draft)) {
        for (number, usable) in self.modes.iter().enumerate() {
            let args = Vec::with_capacity(usable.mode.args.len());
            self.fill(number, scope, &mut Filling { args, ..Filling::default() }, &mut f);
        }
    }

    fn fill(&self, number: usize, scope: &Scope<'_>, filling: &mut Filling, f: &mut impl FnMut(Draft)) {
        let usable = &self.modes[number];
        let position = filling.args.len();
        let Some(slot) = usable.mode.args.get(position) else {
            let is_from =
                |from: u32, arg: &Argument| matches!(arg, Argument::Variable(v) if v.0 >= from && v.0 < scope.next);
            let uses_one = |from: u32| filling.args.iter().any(|arg| is_from(from, arg));
            let literal = Literal::new(usable.mode.predicate, filling.args.clone());
            let wanted = scope.must_use.is_none_or(uses_one);
            // A number is no news to itself.
            let says_something = literal.comparison().is_none() || literal.args.first() != literal.args.last();
            if wanted
                && says_something
                && !scope.clause.contains(&&literal)
                && self.is_allowed(number, &literal, scope.clause)
            {
                let Filling { new, comparisons, .. } = filling.clone();
                f(Draft { mode: number, literal, comparisons, new });
            }
            return;
        };
        let next = |argument, filling: &mut Filling, f: &mut _| {
            filling.args.push(argument);
            self.fill(number, scope, filling, f);
            filling.args.pop();
        };
        for known in scope.known {
            if self.may_reuse(slot, known, scope) {
                next(Argument::Variable(known.variable), filling, f);
            }
        }
        let fresh = |filling: &Filling| Known {
            variable: Variable(scope.next + filling.new.len() as u32),
            type_id: Some(slot.type_id),
            once: slot.symbol == ModeSymbol::Once,
        };
        if slot.symbol.may_be_new() {
            let known = fresh(filling);
            filling.new.push(known);
            next(Argument::Variable(known.variable), filling, f);
            filling.new.pop();
        }
        for &constant in &usable.constants[position] {
            next(Argument::Constant(constant), filling, f);
        }
        for &cut in &usable.cuts[position] {
            let cut = Argument::Number(Number::new(cut));
            if usable.mode.predicate.comparison().is_some() {
                next(cut, filling, f);
                continue;
            }
            for comparison in Comparison::ALL {
                let known = fresh(filling);
                let variable = Argument::Variable(known.variable);
                filling.new.push(known);
                filling.comparisons.push(Literal::compare(variable, comparison, cut));
                next(variable, filling, f);
                filling.comparisons.pop();
                filling.new.pop();
            }
        }
    }

    fn may_reuse(&self, slot: &ModeSlot, known: &Known, scope: &Scope<'_>) -> bool {
        let in_body = || scope.clause.iter().any(|literal| literal.variables().any(|v| v == known.variable));
        known.type_id == Some(slot.type_id)
            && !known.once
            && slot.symbol.may_reuse()
            && match slot.symbol {
                // A variable that is used once is not used again.
                ModeSymbol::Once => false,
                ModeSymbol::NotHead => !self.is_head(known.variable),
                ModeSymbol::InBody => in_body(),
                _ => true,
            }
    }

    /// Whether a literal of a mode may join the literals of a clause, by how often its predicate is there.
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

/// Whether literals of the target may be part of a test.
pub(crate) fn is_recursive(database: &Database, target: PredicateId) -> bool {
    database.recursion.is_some_and(|recursion| recursion.target == target)
}

/// The constants that may stand at an argument, and whether some were left out. The most frequent stay.
fn constants_for(
    database: &Database,
    mode: &Mode,
    position: usize,
    slot: &ModeSlot,
    most: usize,
) -> (Vec<Constant>, bool) {
    if !slot.symbol.may_be_constant() {
        return (Vec::new(), false);
    }
    let relation = database.facts.relation(mode.predicate);
    if let Some(constant) = slot.constant {
        return (vec![constant], false);
    }
    let mut constants = relation.values(position);
    if constants.len() <= most {
        return (constants, false);
    }
    let mut counts: HashMap<Constant, u32> = HashMap::default();
    for row in relation.iter() {
        *counts.entry(row.get(position)).or_default() += 1;
    }
    constants.sort_by_key(|constant| std::cmp::Reverse(counts.get(constant).copied().unwrap_or(0)));
    constants.truncate(most);
    constants.sort_unstable();
    (constants, true)
}
