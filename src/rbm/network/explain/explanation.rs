//! Explanations of single predictions.

use super::super::{Condition, Rule};
use super::explainer::{ExplainError, Explainer, compared, decide};
use super::flip::{self, FlipOptions, Flips};
use super::ground::{GroundQuery, Grounding, query_example, substitute};
use crate::kb::Fact;
use crate::logic::{Constant, Literal};
use crate::math;

/// A prediction for one query with its explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The arguments of the query.
    pub args: Box<[Constant]>,
    /// The probability of each class.
    pub probabilities: Vec<f64>,
    /// The predicted class.
    pub decision: usize,
    /// The classes whose log-odds ψ is, the first against the second. Of two classes, the second
    /// against the first; of more, the most likely against the next, or the requested class against
    /// the most likely other.
    pub compared: [usize; 2],
    /// ψ.
    pub psi: f64,
    /// The prior log-odds, before any rule.
    pub prior_log_odds: f64,
    /// The rules that are true, by decreasing absolute contribution.
    pub fired: Vec<Fired>,
    /// The single facts that would flip the decision.
    pub flips: Flips,
}

/// A rule that is true for the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Fired {
    /// The index of the hidden node.
    pub node: usize,
    /// Its contribution to ψ, relative to the inactive node.
    pub contribution: f64,
    /// The first grounding of its body.
    pub grounding: Grounding,
    /// The facts of the grounding.
    pub facts: Vec<Fact>,
    /// The negated literals under the grounding, without comparisons: no fact matches them.
    /// Remaining variables match anything.
    pub absent: Vec<Literal>,
    /// Its conditions, in order.
    pub conditions: Vec<CheckedCondition>,
}

/// A condition of a rule that is true.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedCondition {
    /// Whether at least `at_least` groundings are required; otherwise fewer are.
    pub holds: bool,
    /// The number of groundings required.
    pub at_least: u32,
    /// The number of groundings found, up to the required number.
    pub number: u32,
    /// The conjunction with the arguments of the query substituted.
    pub body: Vec<Literal>,
    /// The first grounding, if there is any.
    pub grounding: Option<Grounding>,
    /// The facts of the first grounding.
    pub facts: Vec<Fact>,
}

impl Explainer<'_> {
    /// Explains the prediction for a query.
    ///
    /// # Errors
    /// If the number of arguments differs from the arity of the target.
    pub fn explain(&mut self, args: &[Constant], options: &FlipOptions) -> Result<Explanation, ExplainError> {
        let arity = self.network.target_arity();
        if args.len() != arity {
            let target = self.network.target_name().to_owned();
            return Err(ExplainError::Arity { target, arity, found: args.len() });
        }
        let query_example = query_example(args);
        let query = GroundQuery::new(&self.database, self.target, &query_example);
        let active: Vec<bool> = self.rules.iter().map(|rule| query.is_active(rule)).collect();
        let probabilities = self.network.probabilities_given(&active);
        let compared = match self.class {
            Some(class) => [class, likeliest_other(&probabilities, class)],
            None => compared(&probabilities),
        };
        let prior_log_odds = self.network.prior_log_odds(compared);
        let gain = |j: usize| {
            let node = &self.network.hidden[j];
            node.log_odds(compared, true) - node.log_odds(compared, false)
        };
        let active_nodes = || active.iter().enumerate().filter(|(_, active)| **active).map(|(j, _)| j);
        let psi = active_nodes().fold(prior_log_odds, |sum, j| sum + gain(j));
        let fired = active_nodes().filter_map(|j| explain_rule(&query, &self.rules[j], j, gain(j))).collect();
        // Ties keep the order of the nodes.
        let fired = math::strongest_first(fired, |fired: &Fired| fired.contribution);
        let candidates = flip::candidates(&query, &self.order(&fired), self.exclude, options);
        let decision = decide(&probabilities, options.threshold);
        let flips = self.try_changes(args, &probabilities, candidates, options);
        Ok(Explanation { args: args.into(), probabilities, decision, compared, psi, prior_log_odds, fired, flips })
    }

    /// Returns the rules, true ones first, then by strength.
    fn order(&self, fired: &[Fired]) -> Vec<&Rule> {
        let first = fired.iter().map(|fired| fired.node);
        let others = self.network.strongest_first();
        let others = others.into_iter().filter(|j| !fired.iter().any(|fired| fired.node == *j));
        first.chain(others).map(|j| &self.rules[j]).collect()
    }
}

/// Collects the grounding, facts and conditions of a rule that is true.
fn explain_rule(query: &GroundQuery<'_>, rule: &Rule, node: usize, contribution: f64) -> Option<Fired> {
    let grounding = query.first(rule.body())?;
    let facts = query.facts(rule.body(), &grounding);
    let is_absent = |literal: &Literal| literal.negated && literal.comparison().is_none();
    let absent = substitute(rule.body(), &grounding).into_iter().filter(is_absent).collect();
    let check = |condition: &Condition| {
        let grounding = query.first(&condition.body);
        let facts = grounding.as_ref().map(|grounding| query.facts(&condition.body, grounding));
        CheckedCondition {
            holds: condition.holds,
            at_least: condition.at_least,
            number: query.count(condition),
            body: substitute(&condition.body, &query.head()),
            grounding,
            facts: facts.unwrap_or_default(),
        }
    };
    let conditions = rule.conditions().iter().map(check).collect();
    Some(Fired { node, contribution, grounding, facts, absent, conditions })
}

/// Returns the most likely class other than `class`, the first of equals.
fn likeliest_other(probabilities: &[f64], class: usize) -> usize {
    let others = (0..probabilities.len()).filter(|&other| other != class);
    others.reduce(|best, other| if probabilities[other] > probabilities[best] { other } else { best }).unwrap_or(class)
}
