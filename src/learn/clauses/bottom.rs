//! Everything that the modes let one say of an example: its bottom clause.

use super::ClauseOptions;
use crate::cancel;
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Database, Example, Mode, ModeSlot, TypeId};
use crate::logic::{Argument, Constant, Literal, ModeSymbol, PredicateId, Variable};

/// No bottom clause has more literals than this; those nearest to the head stay.
const MOST_LITERALS: usize = 1000;

/// A literal of a bottom clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct BottomLiteral {
    pub literal: Literal,
    /// The variables, not of the head, that other literals must bind first.
    pub inputs: Vec<Variable>,
    /// How often its predicate may occur in a clause.
    pub max: Option<u32>,
}

/// The facts around an example as literals, those nearer to the head first.
///
/// Each constant of a type is one variable, and the arguments of the head are `0..arity`. Where `#` stands, a constant stays.
#[derive(Clone, Debug)]
pub(super) struct Bottom {
    pub literals: Vec<BottomLiteral>,
    /// The predicate of the head.
    pub target: PredicateId,
    /// How many arguments the head has.
    pub arity: u32,
    /// Whether there are more than fit.
    pub cut: bool,
}

impl Bottom {
    pub fn new(database: &Database, target: PredicateId, example: &Example, options: &ClauseOptions) -> Self {
        let mut builder = Builder {
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
                builder.know(constant, type_id, Variable(k as u32));
            }
        }
        let for_target = |mode: &&Mode| mode.target.is_none_or(|only| only == target);
        let usable =
            |mode: &&Mode| mode.predicate != target && mode.predicate.comparison().is_none() && for_target(mode);
        let modes: Vec<&Mode> = database.schema.modes().iter().filter(usable).collect();
        // What is known at the start of a round may be an input in it; what was known a round before was an input already.
        let mut old = 0;
        for _ in 0..options.variable_depth {
            let now = builder.known.len();
            for mode in &modes {
                builder.saturate(mode, old, now);
            }
            old = now;
            if builder.known.len() == now {
                break;
            }
        }
        Bottom { literals: builder.found.into_iter().collect(), target, arity: builder.arity, cut: builder.cut }
    }
}

/// A constant of a type, and the variable that stands for it.
type Term = (Constant, TypeId, Variable);

struct Builder<'a> {
    database: &'a Database,
    limit: Option<f64>,
    recall: usize,
    arity: u32,
    /// The places in `known`. There is more than one variable only if two arguments of the head are the same.
    variables: HashMap<(Constant, TypeId), Vec<usize>>,
    known: Vec<Term>,
    next: u32,
    found: IndexSet<BottomLiteral>,
    cut: bool,
}

/// Whether something that is bound must stand at an argument.
fn is_input(slot: &ModeSlot) -> bool {
    matches!(slot.symbol, ModeSymbol::Input | ModeSymbol::NotHead | ModeSymbol::InBody)
}

impl Builder<'_> {
    fn know(&mut self, constant: Constant, type_id: TypeId, variable: Variable) {
        self.variables.entry((constant, type_id)).or_default().push(self.known.len());
        self.known.push((constant, type_id, variable));
    }

    /// Adds the literals of a mode whose inputs are among the first `now` terms, one of them behind the first `old`.
    fn saturate(&mut self, mode: &Mode, old: usize, now: usize) {
        let inputs: Vec<usize> = (0..mode.args.len()).filter(|&k| is_input(&mode.args[k])).collect();
        if inputs.is_empty() && old > 0 {
            return;
        }
        let mut bound: Vec<Option<Constant>> = mode.args.iter().map(|slot| slot.constant).collect();
        self.choose_inputs(mode, &inputs, (old, now), &mut Vec::new(), &mut bound);
    }

    /// Goes through every choice of terms for the inputs of a mode that some fact agrees with, input by input: all choices would be
    /// as many as the terms to the power of the inputs.
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

    /// The facts that agree with the inputs, up to the recall.
    fn add_facts(&mut self, mode: &Mode, inputs: &[usize], chosen: &[usize], bound: &[Option<Constant>]) {
        let database = self.database;
        let rows = database.facts.relation(mode.predicate).lookup(bound).map(|row| row.to_vec());
        let seen: Vec<Vec<Constant>> =
            rows.filter(|fact| database.visible(mode.predicate, fact, self.limit)).take(self.recall).collect();
        for fact in seen {
            let variables: Vec<Variable> = chosen.iter().map(|&term| self.known[term].2).collect();
            self.fill(mode, inputs, &variables, &fact, &mut Vec::new());
        }
    }

    /// Adds the literals that a fact can be, argument by argument.
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
            self.cut = self.found.len() >= MOST_LITERALS;
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

    /// What may stand for a constant at an argument that is not an input.
    fn choices(&mut self, slot: &ModeSlot, constant: Constant) -> Vec<Argument> {
        let mut choices = Vec::new();
        let places = self.variables.get(&(constant, slot.type_id)).cloned().unwrap_or_default();
        let alone = matches!(slot.symbol, ModeSymbol::New | ModeSymbol::Once);
        if slot.symbol.may_reuse() && !alone {
            choices.extend(places.iter().map(|&place| Argument::Variable(self.known[place].2)));
        }
        if slot.symbol.may_be_new() && choices.is_empty() {
            let variable = Variable(self.next);
            self.next += 1;
            choices.push(Argument::Variable(variable));
            // A variable of `$` stands in one place only.
            if slot.symbol != ModeSymbol::Once {
                self.know(constant, slot.type_id, variable);
            }
        }
        if slot.symbol.may_be_constant() {
            choices.push(Argument::Constant(constant));
        }
        choices
    }
}
