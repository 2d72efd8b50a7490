//! An explanation with all names resolved: as text, as JSON, and as data of an HTML page.

use serde::Serialize;

use super::explainer::Explainer;
use super::explanation::{CheckedCondition, Explanation, Fired};
use super::flip::{Flip, FlipOptions, Flips};
use super::ground::Grounding;
use crate::kb::{Fact, FactChange};
use crate::logic::clause::{show_conjunction, variable_name};
use crate::logic::{Literal, Variable};
use crate::rbm::network::Network;

/// Version of the JSON format.
pub const FORMAT_VERSION: u32 = 1;

/// An explanation with all names resolved.
#[derive(Clone, Debug, Serialize)]
pub struct ExplanationView {
    pub(crate) format: &'static str,
    pub(crate) version: u32,
    /// Query.
    pub query: String,
    /// Origin of the network.
    pub origin: String,
    /// Predicted class.
    pub decision: String,
    /// Decision threshold: of two classes, the second is predicted above this probability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// All classes with their probabilities.
    pub classes: Vec<ClassView>,
    /// Log-odds ψ of the first class of `compared` against the second.
    pub psi: f64,
    /// The two classes that ψ compares.
    pub compared: [String; 2],
    /// Prediction of the model that the network was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelAgreement>,
    /// Label of the query in the data, if it is an example there: positive, negative, or its
    /// class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// Bias: ψ without any active rule.
    pub before: f64,
    /// Active rules, by the magnitude of their contribution to ψ.
    pub rules: Vec<RuleView>,
    /// Number of all rules.
    pub rules_in_all: usize,
    /// Effects of single changed facts.
    pub changes: ChangesView,
}

/// A class.
#[derive(Clone, Debug, Serialize)]
pub struct ClassView {
    /// Its name.
    pub name: String,
    /// Its probability.
    pub probability: f64,
}

/// Agreement of the network with the model it was made from.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ModelAgreement {
    /// The model's probability of the second class, or of the predicted class with more than two.
    pub probability: f64,
    /// Absolute difference from the network's probability.
    pub difference: f64,
}

/// An active rule.
#[derive(Clone, Debug, Serialize)]
pub struct RuleView {
    /// Number in the list that `lrbm explain --model` prints.
    pub number: usize,
    /// Contribution to ψ.
    pub adds: f64,
    /// Clause.
    pub clause: String,
    /// Variable bindings.
    pub substitution: Vec<BindingView>,
    /// Facts used.
    pub facts: Vec<String>,
    /// Negated atoms, which are not in the data.
    pub absent: Vec<String>,
    /// Further conditions.
    pub conditions: Vec<ConditionView>,
}

/// A variable binding.
#[derive(Clone, Debug, Serialize)]
pub struct BindingView {
    /// The variable.
    pub variable: String,
    /// The constant.
    pub constant: String,
}

/// A condition of an active rule.
#[derive(Clone, Debug, Serialize)]
pub struct ConditionView {
    /// Whether at least `at_least` groundings must exist, or must not.
    pub holds: bool,
    /// Required number of groundings.
    pub at_least: u32,
    /// Number of groundings found, up to the required number.
    pub found: u32,
    /// Conjunction, instantiated for the query.
    pub body: String,
    /// Variable bindings of the first grounding.
    pub substitution: Vec<BindingView>,
    /// Facts used by the first grounding.
    pub facts: Vec<String>,
}

/// Effects of single changed facts.
#[derive(Clone, Debug, Serialize)]
pub struct ChangesView {
    /// Changes that flip the decision.
    pub found: Vec<ChangeView>,
    /// Closest change, if none flips the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest: Option<ChangeView>,
    /// Number of changes tried.
    pub tried: usize,
    /// Number of candidate changes not tried.
    pub untried: usize,
    /// Whether the candidate list is incomplete.
    pub cut: bool,
}

/// A changed fact and its effect.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeView {
    /// `remove` or `add`.
    pub change: &'static str,
    /// The fact.
    pub fact: String,
    /// Decision after the change.
    pub decision: String,
    /// Probability of the second class, or of the previously predicted class with more than two.
    pub probability: f64,
}

/// Additional information about a query.
#[derive(Clone, Debug, Default)]
pub struct QueryContext {
    /// Class probabilities of the model that the network was made from.
    pub model: Option<Vec<f64>>,
    /// Label of the query in the data: positive, negative, or its class.
    pub label: Option<String>,
}

/// Resolves the names of an explanation.
struct Namer<'a> {
    network: &'a Network,
    explainer: &'a Explainer<'a>,
}

impl ExplanationView {
    /// Resolves the names of an explanation.
    pub fn new(
        network: &Network,
        explainer: &Explainer<'_>,
        explanation: &Explanation,
        options: &FlipOptions,
        context: QueryContext,
    ) -> ExplanationView {
        let namer = Namer { network, explainer };
        let names = network.classes();
        let two = names.len() == 2;
        let shown = if two { 1 } else { explanation.decision };
        let model = context.model.and_then(|probabilities| probabilities.get(shown).copied()).map(|probability| {
            ModelAgreement { probability, difference: (probability - explanation.probabilities[shown]).abs() }
        });
        let class = |(name, &probability): (&String, &f64)| ClassView { name: name.clone(), probability };
        let target = network.target();
        let numbers = numbers(network);
        ExplanationView {
            format: "lrbm-explanation",
            version: FORMAT_VERSION,
            query: namer.atom(network.names().predicates.name(target), &explanation.args),
            origin: network.origin.clone(),
            decision: names[explanation.decision].clone(),
            threshold: two.then_some(options.threshold),
            classes: names.iter().zip(&explanation.probabilities).map(class).collect(),
            psi: explanation.psi,
            compared: explanation.compared.map(|class| names[class].clone()),
            model,
            example: context.label,
            before: explanation.prior_log_odds,
            rules: explanation.fired.iter().map(|fired| namer.rule(fired, numbers[fired.node])).collect(),
            rules_in_all: network.hidden().len(),
            changes: namer.changes(&explanation.flips, explanation.decision),
        }
    }

    /// Formats the explanation as JSON.
    pub fn to_json(&self) -> String {
        // Only maps with non-string keys can fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Returns the number of each hidden node in the list of rules, strongest first.
pub(crate) fn numbers(network: &Network) -> Vec<usize> {
    let mut numbers = vec![0; network.hidden().len()];
    for (index, node) in network.strongest_first().into_iter().enumerate() {
        numbers[node] = index + 1;
    }
    numbers
}

/// Describes the label of an example.
pub(crate) fn of_example(label: &str) -> String {
    match label {
        "positive" | "negative" => format!("a {label} example"),
        class => format!("an example of class {class}"),
    }
}

impl Namer<'_> {
    fn atom(&self, predicate: &str, args: &[crate::logic::Constant]) -> String {
        let symbols = &self.explainer.database().symbols;
        let args: Vec<String> = args.iter().map(|&constant| symbols.show(constant).to_string()).collect();
        if args.is_empty() { predicate.to_owned() } else { format!("{predicate}({})", args.join(", ")) }
    }

    fn fact(&self, fact: &Fact) -> String {
        self.atom(self.explainer.database().predicates.name(fact.predicate), &fact.args)
    }

    fn facts(&self, facts: &[Fact]) -> Vec<String> {
        facts.iter().map(|fact| self.fact(fact)).collect()
    }

    fn conjunction(&self, body: &[Literal]) -> String {
        let database = self.explainer.database();
        show_conjunction(body, &database.predicates, &database.symbols).to_string()
    }

    fn substitution(&self, grounding: &Grounding, body: &[Literal]) -> Vec<BindingView> {
        let symbols = &self.explainer.database().symbols;
        let is_used = |v: usize| body.iter().flat_map(Literal::variables).any(|variable| variable.0 as usize == v);
        let bound = grounding.iter().enumerate().filter_map(|(v, constant)| Some((v, (*constant)?)));
        let binding = |(v, constant)| BindingView {
            variable: variable_name(Variable(v as u32)).to_string(),
            constant: symbols.show(constant).to_string(),
        };
        bound.filter(|&(v, _)| is_used(v)).map(binding).collect()
    }

    fn rule(&self, fired: &Fired, number: usize) -> RuleView {
        let own = &self.network.hidden()[fired.node].rule;
        let rule = &self.explainer.rules()[fired.node];
        RuleView {
            number,
            adds: fired.contribution,
            clause: own.show(self.network.target(), self.network.names()).to_string(),
            substitution: self.substitution(&fired.grounding, rule.body()),
            facts: self.facts(&fired.facts),
            absent: fired.absent.iter().map(|literal| self.conjunction(&[literal.clone().negate()])).collect(),
            conditions: fired.conditions.iter().map(|checked| self.condition(checked)).collect(),
        }
    }

    fn condition(&self, checked: &CheckedCondition) -> ConditionView {
        let grounding = checked.grounding.as_ref();
        ConditionView {
            holds: checked.holds,
            at_least: checked.at_least,
            found: checked.number,
            body: self.conjunction(&checked.body),
            substitution: grounding.map(|g| self.substitution(g, &checked.body)).unwrap_or_default(),
            facts: self.facts(&checked.facts),
        }
    }

    fn changes(&self, flips: &Flips, decision: usize) -> ChangesView {
        let classes = self.network.classes();
        let shown = if classes.len() == 2 { 1 } else { decision };
        let view = |flip: &Flip| ChangeView {
            change: if matches!(flip.change, FactChange::Add(_)) { "add" } else { "remove" },
            fact: self.fact(flip.change.fact()),
            decision: classes[flip.decision].clone(),
            probability: flip.probabilities[shown],
        };
        ChangesView {
            found: flips.found.iter().map(view).collect(),
            closest: flips.closest.as_ref().map(view),
            tried: flips.tried,
            untried: flips.untried,
            cut: flips.cut,
        }
    }
}
