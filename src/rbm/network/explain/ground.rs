//! Groundings of conjunctions for one query, in a fixed order.
//!
//! The order is that of a search that takes the positive literals from left to right, and for each the facts by their
//! arguments from left to right: names in the order in which the data first mention them, then numbers in the order in which the
//! data first mention those. Before it goes on with a fact, the search asks the fast evaluator whether the rest can hold with it,
//! so it never turns back and its first grounding costs no more than the facts that were tried.

use crate::cover::Coverage;
use crate::kb::naive::unify;
use crate::kb::{Database, Example, Fact, TypeId, View};
use crate::logic::{Argument, Constant, Literal, PredicateId};
use crate::rbm::network::{Condition, Rule};

/// What each variable stands for, by its number, those of the head first; `None` for one that only negated literals or comparisons
/// mention.
pub type Grounding = Vec<Option<Constant>>;

/// What a few answers take.
const MEMORY_BYTES: usize = 16 << 20;

/// One query, asked about conjunctions.
pub(super) struct Asked<'a> {
    database: &'a Database,
    target: PredicateId,
    coverage: Coverage<'a>,
    args: &'a [Constant],
    view: View<'a>,
}

/// How far a search for groundings may go, and whether it had to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// How many groundings are wanted.
    pub groundings: usize,
    /// How many facts may still be tried.
    pub facts: usize,
    /// Whether there may be more groundings than were found.
    pub cut: bool,
}

/// An example of the target that is nothing but a question.
pub(super) fn question(args: &[Constant]) -> [Example; 1] {
    [Example { args: args.into(), positive: false, class: 0, weight: 1.0, line: 0 }]
}

/// The literals with what is bound put in the place of variables.
pub fn substitute(body: &[Literal], grounding: &[Option<Constant>]) -> Vec<Literal> {
    let bound = |arg: &Argument| match arg {
        Argument::Variable(v) => grounding.get(v.0 as usize).copied().flatten().map_or(*arg, Argument::Constant),
        Argument::Constant(_) | Argument::Number(_) => *arg,
    };
    body.iter().map(|literal| Literal { args: literal.args.iter().map(bound).collect(), ..literal.clone() }).collect()
}

/// The fact that a literal without variables states; a comparison states none.
pub(super) fn ground_fact(literal: &Literal) -> Option<Fact> {
    let constant = |arg: &Argument| match arg {
        Argument::Constant(constant) => Some(*constant),
        Argument::Variable(_) | Argument::Number(_) => None,
    };
    if literal.comparison().is_some() {
        return None;
    }
    let args = literal.args.iter().map(constant).collect::<Option<Box<[Constant]>>>()?;
    Some(Fact { predicate: literal.predicate, args })
}

impl<'a> Asked<'a> {
    pub fn new(database: &'a Database, target: PredicateId, question: &'a [Example; 1]) -> Self {
        let args = &question[0].args;
        let coverage = Coverage::new(database, target, question, MEMORY_BYTES);
        Asked { database, target, coverage, args, view: database.view(target, args) }
    }

    /// The facts and names.
    pub fn database(&self) -> &'a Database {
        self.database
    }

    /// The constants of a type, sorted, with those that the query gives it.
    pub fn constants_of_type(&self, kind: TypeId) -> Vec<Constant> {
        let mut all = self.database.constants_of_type(kind);
        let types = self.database.schema.argument_types(self.target).unwrap_or_default();
        all.extend(self.args.iter().zip(types).filter(|(_, here)| **here == kind).map(|(arg, _)| *arg));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a rule holds.
    pub fn is_lit(&self, rule: &Rule) -> bool {
        rule.cover(&self.coverage).get(0)
    }

    /// Whether some grounding of the conjunction holds.
    pub fn holds(&self, body: &[Literal]) -> bool {
        self.coverage.cover(body).get(0)
    }

    /// How many groundings of a condition hold, up to the number it asks for.
    pub fn number(&self, condition: &Condition) -> u32 {
        match condition.at_least {
            1 => u32::from(self.holds(&condition.body)),
            most => self.coverage.counts(&[&condition.body])[0].get(0).min(most),
        }
    }

    /// Whether the query may see a fact.
    pub fn sees(&self, fact: &Fact) -> bool {
        self.database.view_includes(&self.view, fact.predicate, &fact.args)
    }

    /// The head's variables and nothing else.
    pub fn head(&self) -> Grounding {
        self.args.iter().copied().map(Some).collect()
    }

    /// The first grounding of a conjunction.
    pub fn first(&self, body: &[Literal]) -> Option<Grounding> {
        let mut bound = Bound { groundings: 1, facts: usize::MAX, cut: false };
        self.groundings(body, &mut bound).pop()
    }

    /// The first groundings of a conjunction, within bounds.
    pub fn groundings(&self, body: &[Literal], bound: &mut Bound) -> Vec<Grounding> {
        let mut found = Vec::new();
        let variables = body.iter().flat_map(Literal::variables).map(|v| v.0 as usize + 1).max().unwrap_or(0);
        let mut head = self.head();
        head.resize(variables.max(head.len()), None);
        if self.holds(body) {
            self.extend(&substitute(body, &head), head, bound, &mut found);
        }
        found
    }

    /// Extends a grounding by what is left of a conjunction, which holds.
    fn extend(&self, left: &[Literal], grounding: Grounding, bound: &mut Bound, found: &mut Vec<Grounding>) {
        if found.len() >= bound.groundings {
            bound.cut = true;
            return;
        }
        let Some(next) = left.iter().position(|literal| !literal.is_check()) else {
            found.push(grounding);
            return;
        };
        let rest = [&left[..next], &left[next + 1..]].concat();
        for fact in self.matches(&left[next]) {
            if bound.facts == 0 || (bound.cut && found.len() >= bound.groundings) {
                bound.cut = true;
                return;
            }
            bound.facts -= 1;
            let Some(extended) = unify(&left[next], &fact.args, &grounding) else { continue };
            let rest = substitute(&rest, &extended);
            if self.holds(&rest) {
                self.extend(&rest, extended, bound, found);
                if bound.groundings == 1 && !found.is_empty() {
                    return;
                }
            }
        }
    }

    /// The facts that the query sees and that agree with the constants of a literal, in order.
    pub fn matches(&self, literal: &Literal) -> Vec<Fact> {
        let constant = |arg: &Argument| match arg {
            Argument::Constant(constant) => Some(*constant),
            Argument::Variable(_) | Argument::Number(_) => None,
        };
        let bound: Vec<Option<Constant>> = literal.args.iter().map(constant).collect();
        let rows = self.database.facts.relation(literal.predicate).lookup(&bound);
        let fact = |args: Vec<Constant>| Fact { predicate: literal.predicate, args: args.into() };
        let mut facts: Vec<Fact> = rows.map(|row| fact(row.to_vec())).filter(|fact| self.sees(fact)).collect();
        facts.sort_unstable();
        facts
    }

    /// The facts that a grounding uses, in the order of the literals, each once.
    pub fn facts(&self, body: &[Literal], grounding: &[Option<Constant>]) -> Vec<Fact> {
        let mut facts: Vec<Fact> = Vec::new();
        for literal in substitute(body, grounding).iter().filter(|literal| !literal.is_check()) {
            facts.extend(ground_fact(literal).filter(|fact| !facts.contains(fact)));
        }
        facts
    }
}
