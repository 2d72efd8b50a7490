//! Bottom clauses: the most specific clause of an example that the modes allow.

use super::options::ClauseOptions;
use crate::cancel;
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Database, Example, Mode, ModeSlot, TypeId};
use crate::logic::{Argument, Constant, Literal, ModeSymbol, PredicateId, Variable};

/// Maximum number of literals of a bottom clause; those nearest to the head are kept.
const MAX_LITERALS: usize = 1000;

/// A literal of a bottom clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct BottomLiteral {
    pub literal: Literal,
    /// Body variables that earlier literals must bind.
    pub inputs: Vec<Variable>,
    /// Maximum number of literals with its predicate in a clause.
    pub max: Option<u32>,
}

/// The facts connected to an example as literals, nearest to the head first.
///
/// Each constant of a type is one variable, and the arguments of the head are `0..arity`. A `#`
/// argument keeps its constant.
#[derive(Clone, Debug)]
pub(super) struct BottomClause {
    pub literals: Vec<BottomLiteral>,
    /// Predicate of the head.
    pub target: PredicateId,
    /// Number of arguments of the head.
    pub arity: u32,
    /// Whether literals beyond the limit were dropped.
    pub cut: bool,
}

impl BottomClause {
    pub fn new(database: &Database, target: PredicateId, example: &Example, options: &ClauseOptions) -> Self {
        let mut saturator = Saturator {
            database,
            limit: database.limit(target, &example.args),
            recall: options.recall,
            arity: example.args.len() as u32,
            variables: HashMap::default(),
            known: Vec::new(),
            next: example.args.len() as u32,
            found: IndexSet::default(),
            cut: false,
        };
        if let Some(types) = database.schema.argument_types(target) {
            for (k, (&constant, &type_id)) in example.args.iter().zip(types).enumerate() {
                saturator.add_term(constant, type_id, Variable(k as u32));
            }
        }
        let for_target = |mode: &&Mode| mode.target.is_none_or(|only| only == target);
        let usable =
            |mode: &&Mode| mode.predicate != target && mode.predicate.comparison().is_none() && for_target(mode);
        let modes: Vec<&Mode> = database.schema.modes().iter().filter(usable).collect();
        // Semi-naive saturation: inputs of a round are terms known at its start, at least one of
        // them new.
        let mut old = 0;
        for _ in 0..options.variable_depth {
            let now = saturator.known.len();
            for mode in &modes {
                saturator.saturate(mode, old, now);
            }
            old = now;
            if saturator.known.len() == now {
                break;
            }
        }
        BottomClause {
            literals: saturator.found.into_iter().collect(),
            target,
            arity: saturator.arity,
            cut: saturator.cut,
        }
    }
}

/// A constant of a type with its variable.
type TypedTerm = (Constant, TypeId, Variable);

struct Saturator<'a> {
    database: &'a Database,
    limit: Option<f64>,
    recall: usize,
    arity: u32,
    /// Indices into `known`. Several variables share a constant only if two head arguments are
    /// equal.
    variables: HashMap<(Constant, TypeId), Vec<usize>>,
    known: Vec<TypedTerm>,
    next: u32,
    found: IndexSet<BottomLiteral>,
    cut: bool,
}

/// Returns whether an argument must be bound by an earlier literal.
fn is_input(slot: &ModeSlot) -> bool {
    matches!(slot.symbol, ModeSymbol::Input | ModeSymbol::NotHead | ModeSymbol::InBody)
}

impl Saturator<'_> {
    fn add_term(&mut self, constant: Constant, type_id: TypeId, variable: Variable) {
        self.variables.entry((constant, type_id)).or_default().push(self.known.len());
        self.known.push((constant, type_id, variable));
    }

    /// Adds the literals of a mode whose inputs are among the first `now` terms, at least one of
    /// them beyond the first `old`.
    fn saturate(&mut self, mode: &Mode, old: usize, now: usize) {
        let inputs: Vec<usize> = (0..mode.args.len()).filter(|&k| is_input(&mode.args[k])).collect();
        if inputs.is_empty() && old > 0 {
            return;
        }
        let mut bound: Vec<Option<Constant>> = mode.args.iter().map(|slot| slot.constant).collect();
        self.choose_inputs(mode, &inputs, (old, now), &mut Vec::new(), &mut bound);
    }

    /// Enumerates, input by input, the terms that agree with some fact. Enumerating all
    /// combinations would cost the number of terms to the power of the inputs.
    fn choose_inputs(
        &mut self,
        mode: &Mode,
        inputs: &[usize],
        (old, now): (usize, usize),
        chosen: &mut Vec<usize>,
        bound: &mut Vec<Option<Constant>>,
    ) {
        cancel::poll();
        if self.database.facts.relation(mode.predicate).lookup(bound).next().is_none() {
            return;
        }
        let Some(&position) = inputs.get(chosen.len()) else {
            if inputs.is_empty() || chosen.iter().any(|&term| term >= old) {
                self.add_facts(mode, inputs, chosen, bound);
            }
            return;
        };
        let slot = &mode.args[position];
        for term in 0..now {
            let (constant, type_id, variable) = self.known[term];
            let fits = type_id == slot.type_id && (slot.symbol != ModeSymbol::NotHead || variable.0 >= self.arity);
            if fits && !self.cut {
                chosen.push(term);
                bound[position] = Some(constant);
                self.choose_inputs(mode, inputs, (old, now), chosen, bound);
                chosen.pop();
            }
        }
        bound[position] = None;
    }

    /// Adds the facts that agree with the inputs, up to the recall.
    fn add_facts(&mut self, mode: &Mode, inputs: &[usize], chosen: &[usize], bound: &[Option<Constant>]) {
        let database = self.database;
        let rows = database.facts.relation(mode.predicate).lookup(bound).map(|row| row.to_vec());
        let facts: Vec<Vec<Constant>> =
            rows.filter(|fact| database.visible(mode.predicate, fact, self.limit)).take(self.recall).collect();
        for fact in facts {
            let variables: Vec<Variable> = chosen.iter().map(|&term| self.known[term].2).collect();
            self.fill(mode, inputs, &variables, &fact, &mut Vec::new());
        }
    }

    /// Adds the literals that a fact gives rise to, argument by argument.
    fn fill(
        &mut self,
        mode: &Mode,
        inputs: &[usize],
        chosen: &[Variable],
        fact: &[Constant],
        args: &mut Vec<Argument>,
    ) {
        if self.cut {
            return;
        }
        let at = args.len();
        let Some(slot) = mode.args.get(at) else {
            let inputs = chosen.iter().copied().filter(|variable| variable.0 >= self.arity).collect();
            let literal = Literal::new(mode.predicate, args.clone());
            self.found.insert(BottomLiteral { literal, inputs, max: mode.max });
            self.cut = self.found.len() >= MAX_LITERALS;
            return;
        };
        let choices = match inputs.iter().position(|&position| position == at) {
            Some(k) => vec![Argument::Variable(chosen[k])],
            None => self.choices(slot, fact[at]),
        };
        for argument in choices {
            args.push(argument);
            self.fill(mode, inputs, chosen, fact, args);
            args.pop();
        }
    }

    /// Returns the possible arguments for a constant at a position that is not an input.
    fn choices(&mut self, slot: &ModeSlot, constant: Constant) -> Vec<Argument> {
        let mut choices = Vec::new();
        let known = self.variables.get(&(constant, slot.type_id)).cloned().unwrap_or_default();
        let fresh_only = matches!(slot.symbol, ModeSymbol::New | ModeSymbol::Once);
        if slot.symbol.may_reuse() && !fresh_only {
            choices.extend(known.iter().map(|&index| Argument::Variable(self.known[index].2)));
        }
        if slot.symbol.may_be_new() && choices.is_empty() {
            let variable = Variable(self.next);
            self.next += 1;
            choices.push(Argument::Variable(variable));
            // A `$` variable occurs once.
            if slot.symbol != ModeSymbol::Once {
                self.add_term(constant, slot.type_id, variable);
            }
        }
        if slot.symbol.may_be_constant() {
            choices.push(Argument::Constant(constant));
        }
        choices
    }
}
