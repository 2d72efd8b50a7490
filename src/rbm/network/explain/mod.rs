//! Why a network says what it says of one query: the rules that hold, what each is worth, the facts that make it hold, what was
//! looked for and not found, and which single fact would turn the decision.
//!
//! ```text
//! ψ = log-odds before any rule holds + Σ over the rules that hold of what they add
//! ```

mod flip;
mod ground;

pub use flip::{Flip, FlipOptions, Flips};
pub use ground::{Grounding, substitute};

use super::{Condition, Network, Rule};
use crate::kb::{Database, Fact};
use crate::logic::{Constant, Literal, PredicateId, SymbolTableFull, rename};
use crate::math::{sigmoid, softmax};
use ground::{Asked, question};

/// Answers why, for queries about one database.
///
/// It owns the database, since it asks what would be if the facts were others.
#[derive(Clone, Debug)]
pub struct Explainer<'n> {
    network: &'n Network,
    database: Database,
    target: PredicateId,
    /// The rules over the names of the database.
    rules: Vec<Rule>,
    fixed: Option<PredicateId>,
    class: Option<usize>,
}

/// A query that cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplainError {
    /// The number of arguments is not that of the target.
    #[error("the query has {found} arguments, and {target} has {arity}: give as many")]
    Arity {
        /// The predicate that is predicted.
        target: String,
        /// The number of its arguments.
        arity: usize,
        /// How many were given.
        found: usize,
    },
    /// Too many names.
    #[error(transparent)]
    Full(#[from] SymbolTableFull),
}

/// What a network says of one query, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The arguments of the query.
    pub args: Box<[Constant]>,
    /// The probability of each class.
    pub probabilities: Vec<f64>,
    /// The class that is decided for.
    pub decision: usize,
    /// ψ is the log-odds of the first of these classes against the second: of two classes, the second against the first; of more,
    /// the most likely against the next, or the class that was asked about against the most likely other.
    pub compared: [usize; 2],
    /// ψ.
    pub psi: f64,
    /// What of it is there before any rule holds.
    pub before: f64,
    /// The rules that hold, by the size of what they add.
    pub fired: Vec<Fired>,
    /// What one fact could change.
    pub flips: Flips,
}

/// A rule that holds for the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Fired {
    /// The hidden node.
    pub node: usize,
    /// What it adds to ψ, compared with what it would add if the rule did not hold.
    pub adds: f64,
    /// The first grounding of its body.
    pub grounding: Grounding,
    /// The facts that the grounding uses.
    pub facts: Vec<Fact>,
    /// The negated literals under the grounding, without comparisons: nothing in the data matches them. Variables that are left match
    /// anything.
    pub absent: Vec<Literal>,
    /// Its conditions, in their order.
    pub conditions: Vec<Checked>,
}

/// A condition of a rule that holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Whether so many groundings had to exist, or had not to.
    pub holds: bool,
    /// How many groundings were asked for.
    pub at_least: u32,
    /// How many there are, up to the number asked for.
    pub number: u32,
    /// The conjunction, with the query's arguments in it.
    pub body: Vec<Literal>,
    /// The first grounding, if there is any.
    pub grounding: Option<Grounding>,
    /// The facts it uses.
    pub facts: Vec<Fact>,
}

impl<'n> Explainer<'n> {
    /// Explanations of what the network says of queries about the target among these facts.
    ///
    /// Names that the network has and the database has not are added to its tables: no fact mentions them, but one could.
    ///
    /// # Errors
    /// If there are too many names.
    pub fn new(network: &'n Network, mut database: Database, target: PredicateId) -> Result<Self, ExplainError> {
        let mut rules = Vec::with_capacity(network.hidden.len());
        for node in &network.hidden {
            let mut full = None;
            rules.push(node.rule.map(|literal| {
                let Database { predicates, symbols, .. } = &mut database;
                rename::intern(literal, network.names(), predicates, symbols).unwrap_or_else(|error| {
                    full = Some(error);
                    literal.clone()
                })
            }));
            if let Some(error) = full {
                return Err(error.into());
            }
        }
        Ok(Explainer { network, database, target, rules, fixed: None, class: None })
    }

    /// The same, with no proposals to change facts of this predicate: those that give times, for one.
    pub fn fixed(self, predicate: Option<PredicateId>) -> Self {
        Explainer { fixed: predicate, ..self }
    }

    /// The same, about one of the classes: ψ is of it against the most likely of the others.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn about(self, class: Option<usize>) -> Self {
        assert!(class.is_none_or(|class| class < self.network.classes().len()), "it is one of the classes");
        Explainer { class, ..self }
    }

    /// The facts.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The rules of the hidden nodes, over the names of the database.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Explains what the network says of a query.
    ///
    /// # Errors
    /// If the query has not the arguments of the target.
    pub fn explain(&mut self, args: &[Constant], options: &FlipOptions) -> Result<Explanation, ExplainError> {
        let arity = self.network.target_arity();
        if args.len() != arity {
            let target = self.network.target_name().to_owned();
            return Err(ExplainError::Arity { target, arity, found: args.len() });
        }
        let question = question(args);
        let asked = Asked::new(&self.database, self.target, &question);
        let lit: Vec<bool> = self.rules.iter().map(|rule| asked.is_lit(rule)).collect();
        let probabilities = self.network.probabilities_if(&lit);
        let compared = match self.class {
            Some(class) => [class, likeliest_other(&probabilities, class)],
            None => compared(&probabilities),
        };
        let before = self.network.before(compared);
        let gain = |j: usize| {
            let node = &self.network.hidden[j];
            node.log_odds(compared, true) - node.log_odds(compared, false)
        };
        let lit_nodes = || lit.iter().enumerate().filter(|(_, lit)| **lit).map(|(j, _)| j);
        let psi = lit_nodes().fold(before, |sum, j| sum + gain(j));
        let mut fired: Vec<Fired> = lit_nodes().filter_map(|j| fire(&asked, &self.rules[j], j, gain(j))).collect();
        // Equals stay in the order of the nodes.
        fired.sort_by(|a, b| b.adds.abs().total_cmp(&a.adds.abs()));
        let candidates = flip::candidates(&asked, &self.order(&fired), self.fixed, options);
        let decision = decide(&probabilities, options.threshold);
        let flips = self.try_changes(args, &probabilities, candidates, options);
        Ok(Explanation { args: args.into(), probabilities, decision, compared, psi, before, fired, flips })
    }

    /// The rules, those that hold first, then by strength.
    fn order(&self, fired: &[Fired]) -> Vec<&Rule> {
        let first = fired.iter().map(|fired| fired.node);
        let others = self.network.strongest_first();
        let others = others.into_iter().filter(|j| !fired.iter().any(|fired| fired.node == *j));
        first.chain(others).map(|j| &self.rules[j]).collect()
    }
}

/// What makes a rule that holds hold.
fn fire(asked: &Asked<'_>, rule: &Rule, node: usize, adds: f64) -> Option<Fired> {
    let grounding = asked.first(rule.body())?;
    let facts = asked.facts(rule.body(), &grounding);
    let is_absent = |literal: &Literal| literal.negated && literal.comparison().is_none();
    let absent = substitute(rule.body(), &grounding).into_iter().filter(is_absent).collect();
    let check = |condition: &Condition| {
        let grounding = asked.first(&condition.body);
        let facts = grounding.as_ref().map(|grounding| asked.facts(&condition.body, grounding));
        Checked {
            holds: condition.holds,
            at_least: condition.at_least,
            number: asked.number(condition),
            body: substitute(&condition.body, &asked.head()),
            grounding,
            facts: facts.unwrap_or_default(),
        }
    };
    let conditions = rule.conditions().iter().map(check).collect();
    Some(Fired { node, adds, grounding, facts, absent, conditions })
}

/// The most likely class beside one, the first of equals.
fn likeliest_other(probabilities: &[f64], class: usize) -> usize {
    let others = (0..probabilities.len()).filter(|&other| other != class);
    others.reduce(|best, other| if probabilities[other] > probabilities[best] { other } else { best }).unwrap_or(class)
}

/// Two classes whose odds tell what happened.
fn compared(probabilities: &[f64]) -> [usize; 2] {
    if probabilities.len() == 2 {
        return [1, 0];
    }
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]));
    [order[0], order[1]]
}

/// The class that is decided for: of two, the second if it is more likely than the threshold; of more, the most likely.
fn decide(probabilities: &[f64], threshold: f64) -> usize {
    match probabilities {
        [_, second] => usize::from(*second > threshold),
        _ => compared(probabilities)[0],
    }
}

impl Network {
    /// The log-odds of one class against another before any rule holds.
    pub fn before(&self, [one, other]: [usize; 2]) -> f64 {
        let off = self.hidden.iter().map(|node| node.log_odds([one, other], false));
        off.fold(self.d[one] - self.d[other], |sum, off| sum + off)
    }

    /// The probability of each class if these hidden nodes are lit.
    fn probabilities_if(&self, lit: &[bool]) -> Vec<f64> {
        if self.classes().len() > 2 {
            return softmax(&self.scores(|j| lit[j]));
        }
        // Node by node, so that what the two classes share cancels at once.
        let bias = self.d[1] - self.d[0];
        let psi = self.hidden.iter().zip(lit).fold(bias, |psi, (node, &lit)| psi + node.log_odds([1, 0], lit));
        vec![sigmoid(-psi), sigmoid(psi)]
    }
}

#[cfg(test)]
mod tests;
