//! How much each rule and each predicate of a network matters for the examples of a dataset.
//!
//! Two readings stand side by side. What a rule adds to ψ of the examples it holds for, without its sign, on average over all
//! examples: how loud it is. And what is lost if it is silenced, so that it holds for nobody: how much is missed. A predicate is
//! silenced with all rules that mention it.

mod chart;

pub use chart::chart;

use serde::Serialize;

use super::explanation::numbers;
use crate::kb::{Database, Example};
use crate::learn::{Model, ScoreError};
use crate::logic::PredicateId;
use crate::metric::calibration::{Probabilities, cll};
use crate::metric::ranking::{Ranking, auc_roc};
use crate::rbm::{Network, sigmoid};
use crate::tree::{Bits, Coverage, DEFAULT_MEMORY_BYTES};

/// How much every rule and predicate matters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Importance {
    /// How many positive and negative examples it was measured on.
    pub examples: (usize, usize),
    /// Of the whole network; `None` if there is one class only.
    pub auc_roc: Option<f64>,
    /// The mean log-likelihood of an example, of the whole network.
    pub log_likelihood: f64,
    /// The rules, the loudest first.
    pub rules: Vec<Weight>,
    /// The predicates, the loudest first.
    pub predicates: Vec<Weight>,
}

/// How much one rule or predicate matters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Weight {
    /// The clause with its number, or the predicate with its arity.
    pub name: String,
    /// How many rules are silenced with it.
    pub rules: usize,
    /// The part of the examples for which any of them holds.
    pub holds_for: f64,
    /// The mean of |what they add to ψ|.
    pub mean_contribution: f64,
    /// AUC-ROC of the whole network minus that without them; `None` if there is one class only.
    pub auc_roc_drop: Option<f64>,
    /// The mean log-likelihood of an example with the whole network minus that without them.
    pub log_likelihood_drop: f64,
}

/// Measures a network of two classes on examples.
///
/// # Errors
/// If the network has more classes, or the examples have another arity than its target.
pub fn importance(
    network: &Network,
    database: &Database,
    target: PredicateId,
    examples: &[Example],
) -> Result<Importance, ScoreError> {
    let psi = network.score(database, target, examples)?;
    let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
    let lit = network.lit(&coverage);
    let labels: Vec<bool> = examples.iter().map(|example| example.positive).collect();
    let positives = labels.iter().filter(|label| **label).count();
    let gains =
        network.hidden().iter().map(|node| node.log_odds([1, 0], true) - node.log_odds([1, 0], false)).collect();
    let whole = quality(&psi, &labels);
    let measure = Measure { psi, labels, lit, gains, whole };
    let numbers = numbers(network);
    let names = network.names();
    let clause = |j: usize| {
        let rule = network.hidden()[j].rule.show(network.target(), names);
        measure.without(format!("{}: {rule}", numbers[j]), &[j])
    };
    let predicate = |id: PredicateId| {
        let mentions = |j: &usize| network.hidden()[*j].rule.predicates().contains(&id);
        let nodes: Vec<usize> = (0..network.hidden().len()).filter(mentions).collect();
        measure.without(names.predicates.show(id).to_string(), &nodes)
    };
    Ok(Importance {
        examples: (positives, examples.len() - positives),
        auc_roc: whole.0,
        log_likelihood: whole.1,
        rules: loudest_first(network.strongest_first().into_iter().map(clause).collect()),
        predicates: loudest_first(network.visible().into_iter().map(predicate).collect()),
    })
}

struct Measure {
    psi: Vec<f64>,
    labels: Vec<bool>,
    lit: Vec<Bits>,
    /// What each node adds to ψ where its rule holds.
    gains: Vec<f64>,
    whole: (Option<f64>, f64),
}

impl Measure {
    /// What is lost without some nodes.
    fn without(&self, name: String, nodes: &[usize]) -> Weight {
        let n = self.psi.len();
        let (mut adds, mut any) = (vec![0.0; n], Bits::zeros(n));
        for &j in nodes {
            for i in self.lit[j].iter() {
                adds[i] += self.gains[j];
                any.set(i, true);
            }
        }
        let left: Vec<f64> = self.psi.iter().zip(&adds).map(|(psi, adds)| psi - adds).collect();
        let (auc_roc, log_likelihood) = quality(&left, &self.labels);
        let share = |sum: f64| if n == 0 { 0.0 } else { sum / n as f64 };
        Weight {
            name,
            rules: nodes.len(),
            holds_for: share(any.count() as f64),
            mean_contribution: share(adds.iter().map(|adds| adds.abs()).sum()),
            auc_roc_drop: self.whole.0.zip(auc_roc).map(|(whole, left)| whole - left),
            log_likelihood_drop: self.whole.1 - log_likelihood,
        }
    }
}

/// AUC-ROC, if there are two classes, and the mean log-likelihood.
fn quality(psi: &[f64], labels: &[bool]) -> (Option<f64>, f64) {
    let area = Ranking::new(psi, labels).ok().and_then(|ranking| auc_roc(&ranking).ok());
    let probabilities: Vec<f64> = psi.iter().map(|&psi| sigmoid(psi)).collect();
    let likelihood = Probabilities::new(&probabilities, labels).ok().and_then(|all| cll(&all).ok());
    (area, likelihood.unwrap_or(0.0))
}

/// Equals stay in their order.
fn loudest_first(mut weights: Vec<Weight>) -> Vec<Weight> {
    weights.sort_by(|a, b| b.mean_contribution.total_cmp(&a.mean_contribution));
    weights
}

impl Importance {
    /// One line for each rule and predicate.
    pub fn to_csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let mut text = String::from("kind,name,rules,holds_for,mean_contribution,auc_roc_drop,log_likelihood_drop\n");
        for (kind, weights) in [("rule", &self.rules), ("predicate", &self.predicates)] {
            for weight in weights {
                let Weight { name, rules, holds_for, mean_contribution, auc_roc_drop, log_likelihood_drop } = weight;
                let area = auc_roc_drop.map(|drop| drop.to_string()).unwrap_or_default();
                text += &format!(
                    "{kind},{},{rules},{holds_for},{mean_contribution},{area},{log_likelihood_drop}\n",
                    quoted(name)
                );
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::rule::parse_rules;

    /// Ann and bob have p, bob and cid have q; the first two are positive.
    fn measured() -> Importance {
        let (mut builder, _) = crate::kb::sample::read("p(ann). p(bob). q(bob). q(cid). r(ann).");
        let target = builder.predicates.intern("h", 1);
        let (database, _) = builder.build(None).unwrap();
        let rules = "-1 h(_). 3 h(A) :- p(A). -1 h(A) :- q(A), not (r(A)).";
        let network = Network::from_rules(&parse_rules(std::path::Path::new("rules"), rules).unwrap(), 1.0).unwrap();
        let example = |(name, positive)| Example {
            args: Box::new(crate::kb::sample::constants(&database, [name])),
            positive,
            weight: 1.0,
            line: 0,
        };
        let examples = [("ann", true), ("bob", true), ("cid", false)].map(example);
        importance(&network, &database, target, &examples).unwrap()
    }

    #[test]
    fn loudness_and_loss_by_hand() {
        // ψ: ann −1 + 3 = 2, bob −1 + 3 − 1 = 1, cid −1 − 1 = −2.
        let measured = measured();
        let likelihood = |psi: [f64; 3]| {
            let log = |psi: f64| -(1.0 + (-psi).exp()).ln();
            (log(psi[0]) + log(psi[1]) + log(-psi[2])) / 3.0
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        assert_eq!((measured.examples, measured.auc_roc), ((2, 1), Some(1.0)));
        close(measured.log_likelihood, likelihood([2.0, 1.0, -2.0]));
        let [p, q] = &measured.rules[..] else { panic!("{measured:?}") };
        assert_eq!(p.name, "1: h(A) :- p(A)");
        close(p.mean_contribution, 2.0);
        close(p.holds_for, 2.0 / 3.0);
        // Without p: −1, −2, −2: ann is above cid, bob level with cid: 0.75.
        close(p.auc_roc_drop.unwrap(), 0.25);
        close(p.log_likelihood_drop, likelihood([2.0, 1.0, -2.0]) - likelihood([-1.0, -2.0, -2.0]));
        assert_eq!(q.name, "2: h(A) :- q(A), not (r(A))");
        close(q.mean_contribution, 2.0 / 3.0);
        close(q.auc_roc_drop.unwrap(), 0.0);
        // q and r are in the same rule, so silencing either is the same.
        let named = |name: &str| measured.predicates.iter().find(|weight| weight.name == name).unwrap();
        assert_eq!(Weight { name: "q/1".into(), ..named("r/1").clone() }, *named("q/1"));
        close(named("q/1").log_likelihood_drop, q.log_likelihood_drop);
        assert_eq!(measured.predicates[0].name, "p/1");
    }

    #[test]
    fn the_table_has_every_rule_and_predicate() {
        let csv = measured().to_csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 1 + 2 + 3);
        assert!(lines[1].starts_with("rule,\"1: h(A) :- p(A)\",1,0.66666"), "{csv}");
        assert!(lines[3].starts_with("predicate,\"p/1\",1,"), "{csv}");
    }
}
