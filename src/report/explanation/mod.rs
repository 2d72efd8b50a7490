//! Why a model says what it says of one query, in words: as text, as JSON, and as a page.

mod page;
mod text;

use serde::Serialize;

use crate::kb::{Change, Fact};
use crate::logic::clause::{show_conjunction, variable_name};
use crate::logic::{Literal, Variable};
use crate::rbm::Network;
use crate::rbm::network::explain::{Checked, Explainer, Explanation, Fired, Flip, FlipOptions, Flips, Grounding};

/// The version of the JSON that is written.
pub const FORMAT_VERSION: u32 = 1;

/// An explanation in words.
#[derive(Clone, Debug, Serialize)]
pub struct ExplanationView {
    format: &'static str,
    version: u32,
    /// The query.
    pub query: String,
    /// Where the network comes from.
    pub origin: String,
    /// The class that is decided for.
    pub decision: String,
    /// Of two classes, the second is decided for if it is more likely than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Every class with its probability.
    pub classes: Vec<ClassView>,
    /// The log-odds of the first of `compared` against the second.
    pub psi: f64,
    /// The two classes that ψ is about.
    pub compared: [String; 2],
    /// What the model says that the network was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelAgreement>,
    /// What the data say of the query, if it is an example there: positive, negative, or its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// ψ before any rule holds.
    pub before: f64,
    /// The rules that hold, by the size of what they add to ψ.
    pub rules: Vec<RuleView>,
    /// How many rules there are.
    pub rules_in_all: usize,
    /// What one fact could change.
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

/// What the model itself says, that the network was made from.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ModelAgreement {
    /// Its probability of the second class, or of the class that is decided for if there are more than two.
    pub probability: f64,
    /// How far the network's is from it.
    pub difference: f64,
}

/// A rule that holds.
#[derive(Clone, Debug, Serialize)]
pub struct RuleView {
    /// Its number in the list that `lrbm explain --model` prints.
    pub number: usize,
    /// What it adds to ψ.
    pub adds: f64,
    /// The clause.
    pub clause: String,
    /// What its variables stand for.
    pub substitution: Vec<BindingView>,
    /// The facts that this uses.
    pub facts: Vec<String>,
    /// What is negated in it, and not in the data.
    pub absent: Vec<String>,
    /// What else was asked.
    pub conditions: Vec<ConditionView>,
}

/// What a variable stands for.
#[derive(Clone, Debug, Serialize)]
pub struct BindingView {
    /// The variable.
    pub variable: String,
    /// The constant.
    pub constant: String,
}

/// A condition of a rule that holds.
#[derive(Clone, Debug, Serialize)]
pub struct ConditionView {
    /// Whether so many groundings had to exist, or had not to.
    pub holds: bool,
    /// How many groundings were asked for.
    pub at_least: u32,
    /// How many there are, up to that number.
    pub found: u32,
    /// The conjunction for this query.
    pub body: String,
    /// What the variables of the first grounding stand for.
    pub substitution: Vec<BindingView>,
    /// The facts it uses.
    pub facts: Vec<String>,
}

/// What one fact could change.
#[derive(Clone, Debug, Serialize)]
pub struct ChangesView {
    /// What turns the decision.
    pub found: Vec<ChangeView>,
    /// If nothing does, what comes closest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest: Option<ChangeView>,
    /// How many changes were tried.
    pub tried: usize,
    /// How many were proposed and not tried.
    pub untried: usize,
    /// Whether there may be proposals that were not looked for.
    pub cut: bool,
}

/// One changed fact and what follows.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeView {
    /// `remove` or `add`.
    pub change: &'static str,
    /// The fact.
    pub fact: String,
    /// The decision with it.
    pub decision: String,
    /// The probability of the second class, or of the class that was decided for if there are more than two.
    pub probability: f64,
}

/// What is known of a query beside what the network says.
#[derive(Clone, Debug, Default)]
pub struct QueryContext {
    /// The probability of each class by the model that the network was made from.
    pub model: Option<Vec<f64>>,
    /// Whether the query is a positive or negative example of the data, or its class there.
    pub label: Option<String>,
}

/// Writes the names of one explanation.
struct Namer<'a> {
    network: &'a Network,
    explainer: &'a Explainer<'a>,
}

impl ExplanationView {
    /// An explanation in words.
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
            before: explanation.before,
            rules: explanation.fired.iter().map(|fired| namer.rule(fired, numbers[fired.node])).collect(),
            rules_in_all: network.hidden().len(),
            changes: namer.changes(&explanation.flips, explanation.decision),
        }
    }

    /// The explanation as JSON.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are not text can fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// The number of each hidden node in the list of rules, the strongest first.
pub(crate) fn numbers(network: &Network) -> Vec<usize> {
    let mut numbers = vec![0; network.hidden().len()];
    for (place, node) in network.strongest_first().into_iter().enumerate() {
        numbers[node] = place + 1;
    }
    numbers
}

/// What to say of an example of the data.
pub(super) fn of_example(label: &str) -> String {
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
        let told = |(v, constant)| BindingView {
            variable: variable_name(Variable(v as u32)).to_string(),
            constant: symbols.show(constant).to_string(),
        };
        bound.filter(|&(v, _)| is_used(v)).map(told).collect()
    }

    fn rule(&self, fired: &Fired, number: usize) -> RuleView {
        let own = &self.network.hidden()[fired.node].rule;
        let rule = &self.explainer.rules()[fired.node];
        RuleView {
            number,
            adds: fired.adds,
            clause: own.show(self.network.target(), self.network.names()).to_string(),
            substitution: self.substitution(&fired.grounding, rule.body()),
            facts: self.facts(&fired.facts),
            absent: fired.absent.iter().map(|literal| self.conjunction(&[literal.clone().negate()])).collect(),
            conditions: fired.conditions.iter().map(|checked| self.condition(checked)).collect(),
        }
    }

    fn condition(&self, checked: &Checked) -> ConditionView {
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
        let tell = |flip: &Flip| ChangeView {
            change: if matches!(flip.change, Change::Add(_)) { "add" } else { "remove" },
            fact: self.fact(flip.change.fact()),
            decision: classes[flip.decision].clone(),
            probability: flip.probabilities[shown],
        };
        ChangesView {
            found: flips.found.iter().map(tell).collect(),
            closest: flips.closest.as_ref().map(tell),
            tried: flips.tried,
            untried: flips.untried,
            cut: flips.cut,
        }
    }
}
