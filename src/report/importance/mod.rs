//! Importance of each rule and predicate of a network for the examples of a dataset.
//!
//! Two measures are reported. The mean absolute contribution of a rule to ψ over all examples;
//! and the loss in AUC-ROC and log-likelihood when the rule is disabled. A predicate is disabled
//! together with all rules that mention it.

mod chart;

pub use chart::chart;

use serde::Serialize;

use crate::cover::{Bits, Coverage, DEFAULT_MEMORY_BYTES};
use crate::kb::{Database, Example};
use crate::learn::{Model, ScoreError};
use crate::logic::PredicateId;
use crate::math::sigmoid;
use crate::metric::ClassMetrics;
use crate::metric::calibration::{Probabilities, cll};
use crate::metric::ranking::{Ranking, auc_roc};
use crate::rbm::Network;
use crate::rbm::network::explain::numbers;
use crate::rbm::network::one_vs_rest;

/// Importance of all rules and predicates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Importance {
    /// Numbers of positive and negative examples; all are positive if they have several classes.
    pub examples: (usize, usize),
    /// Number of examples per class, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<(String, usize)>,
    /// AUC-ROC of the full network, averaged over classes if there are several; `None` for a
    /// single class.
    pub auc_roc: Option<f64>,
    /// Mean log-likelihood per example of the full network.
    pub log_likelihood: f64,
    /// Rules, by decreasing mean contribution.
    pub rules: Vec<Weight>,
    /// Predicates, by decreasing mean contribution.
    pub predicates: Vec<Weight>,
}

/// Importance of one rule or predicate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Weight {
    /// The clause with its number, or the predicate with its arity.
    pub name: String,
    /// Number of rules disabled with it.
    pub rules: usize,
    /// Share of examples covered by any of these rules.
    pub holds_for: f64,
    /// Mean absolute contribution to ψ; with several classes, the mean of the largest difference
    /// in contribution between two classes.
    pub mean_contribution: f64,
    /// AUC-ROC of the full network minus that without these rules; `None` for a single class.
    pub auc_roc_drop: Option<f64>,
    /// Mean log-likelihood per example of the full network minus that without these rules.
    pub log_likelihood_drop: f64,
}

/// Measures the importance of rules and predicates on examples.
///
/// # Errors
/// If the classes of network and examples differ, or the arity of the examples differs from the
/// target.
pub fn importance(
    network: &Network,
    database: &Database,
    target: PredicateId,
    examples: &[Example],
) -> Result<Importance, ScoreError> {
    let (scores, labels, classes) = match database.classes_of(target) {
        None => {
            let psi = network.score(database, target, examples)?.scores;
            (vec![psi], examples.iter().map(|example| usize::from(example.positive)).collect(), Vec::new())
        }
        Some(names) => class_scores(network, names, database, target, examples)?,
    };
    let positives = examples.iter().filter(|example| example.positive).count();
    let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
    let active = network.active(&coverage);
    let gains = network.hidden().iter();
    let gains = gains
        .map(|node| match scores.len() {
            1 => vec![node.log_odds([1, 0], true) - node.log_odds([1, 0], false)],
            _ => node.contributions(),
        })
        .collect();
    let full = quality(&scores, &labels);
    let measure = Measure { scores, labels, active, gains, full };
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
        classes,
        auc_roc: full.0,
        log_likelihood: full.1,
        rules: by_contribution(network.strongest_first().into_iter().map(clause).collect()),
        predicates: by_contribution(network.visible().into_iter().map(predicate).collect()),
    })
}

/// The scores of each class, the class index of each example, and the class counts.
type ClassScores = (Vec<Vec<f64>>, Vec<usize>, Vec<(String, usize)>);

fn class_scores(
    network: &Network,
    names: &[String],
    database: &Database,
    target: PredicateId,
    examples: &[Example],
) -> Result<ClassScores, ScoreError> {
    let known = network.classes();
    let mut class_indices = Vec::with_capacity(names.len());
    for class in names {
        let unknown = || ScoreError::UnknownClass { model: known.join(", "), class: class.clone() };
        class_indices.push(known.iter().position(|name| name == class).ok_or_else(unknown)?);
    }
    let labels: Vec<usize> = examples.iter().map(|example| class_indices[example.class as usize]).collect();
    let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
    let scores = network.class_scores(&network.active(&coverage), examples.len());
    let count = |(k, name): (usize, &String)| (name.clone(), labels.iter().filter(|&&label| label == k).count());
    let counts = known.iter().enumerate().map(count).collect();
    Ok((scores, labels, counts))
}

struct Measure {
    /// ψ of each example, or one row of scores per class.
    scores: Vec<Vec<f64>>,
    /// Class index of each example.
    labels: Vec<usize>,
    active: Vec<Bits>,
    /// Contribution of each node to each row where its rule is active.
    gains: Vec<Vec<f64>>,
    full: (Option<f64>, f64),
}

impl Measure {
    /// Measures the loss without the given nodes.
    fn without(&self, name: String, nodes: &[usize]) -> Weight {
        let (n, rows) = (self.labels.len(), self.scores.len());
        let (mut adds, mut any) = (vec![vec![0.0; n]; rows], Bits::zeros(n));
        for &j in nodes {
            for i in self.active[j].iter() {
                adds.iter_mut().zip(&self.gains[j]).for_each(|(adds, gain)| adds[i] += gain);
                any.set(i, true);
            }
        }
        let less = |(scores, adds): (&Vec<f64>, &Vec<f64>)| scores.iter().zip(adds).map(|(s, a)| s - a).collect();
        let left: Vec<Vec<f64>> = self.scores.iter().zip(&adds).map(less).collect();
        let (auc_roc, log_likelihood) = quality(&left, &self.labels);
        let moved = |i: usize| match &adds[..] {
            [adds] => adds[i].abs(),
            rows => {
                let all = || rows.iter().map(|row| row[i]);
                all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
            }
        };
        let share = |sum: f64| if n == 0 { 0.0 } else { sum / n as f64 };
        Weight {
            name,
            rules: nodes.len(),
            holds_for: share(any.count() as f64),
            mean_contribution: share((0..n).map(moved).sum()),
            auc_roc_drop: self.full.0.zip(auc_roc).map(|(full, left)| full - left),
            log_likelihood_drop: self.full.1 - log_likelihood,
        }
    }
}

/// Returns AUC-ROC, if all classes occur, and the mean log-likelihood.
fn quality(scores: &[Vec<f64>], labels: &[usize]) -> (Option<f64>, f64) {
    let area = |odds: &[f64], class: usize| {
        let labels: Vec<bool> = labels.iter().map(|&label| label == class).collect();
        Ranking::new(odds, &labels).ok().and_then(|ranking| auc_roc(&ranking).ok())
    };
    if let [psi] = scores {
        let positive: Vec<bool> = labels.iter().map(|&label| label == 1).collect();
        let probabilities: Vec<f64> = psi.iter().map(|&psi| sigmoid(psi)).collect();
        let likelihood = Probabilities::new(&probabilities, &positive).ok().and_then(|all| cll(&all).ok());
        return (area(psi, 1), likelihood.unwrap_or(0.0));
    }
    let odds = one_vs_rest(scores);
    let areas: Option<Vec<f64>> = odds.iter().enumerate().map(|(class, odds)| area(odds, class)).collect();
    let mean = areas.map(|areas| areas.iter().sum::<f64>() / odds.len() as f64);
    let measured = ClassMetrics::new(&odds, labels).ok().and_then(Result::ok);
    (mean, measured.map_or(0.0, |measured| -measured.log_loss))
}

/// Sorts by decreasing mean contribution; ties stay in order.
fn by_contribution(mut weights: Vec<Weight>) -> Vec<Weight> {
    weights.sort_by(|a, b| b.mean_contribution.total_cmp(&a.mean_contribution));
    weights
}

impl Importance {
    /// Describes the examples.
    pub fn counted(&self) -> String {
        let (positives, negatives) = self.examples;
        if self.classes.is_empty() {
            return format!("{positives} positive and {negatives} negative examples");
        }
        let each: Vec<String> = self.classes.iter().map(|(name, count)| format!("{count} of class {name}")).collect();
        format!("{positives} examples: {}", each.join(", "))
    }

    /// Formats one CSV line per rule and predicate.
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
            class: 0,
            weight: 1.0,
            line: 0,
        };
        let examples = [("ann", true), ("bob", true), ("cid", false)].map(example);
        importance(&network, &database, target, &examples).unwrap()
    }

    #[test]
    fn contribution_and_loss_match_hand_computed_values() {
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
        // Without p: −1, −2, −2: ann is above cid, bob is tied with cid: 0.75.
        close(p.auc_roc_drop.unwrap(), 0.25);
        close(p.log_likelihood_drop, likelihood([2.0, 1.0, -2.0]) - likelihood([-1.0, -2.0, -2.0]));
        assert_eq!(q.name, "2: h(A) :- q(A), not (r(A))");
        close(q.mean_contribution, 2.0 / 3.0);
        close(q.auc_roc_drop.unwrap(), 0.0);
        // q and r occur in the same rule, so disabling either has the same effect.
        let named = |name: &str| measured.predicates.iter().find(|weight| weight.name == name).unwrap();
        assert_eq!(Weight { name: "q/1".into(), ..named("r/1").clone() }, *named("q/1"));
        close(named("q/1").log_likelihood_drop, q.log_likelihood_drop);
        assert_eq!(measured.predicates[0].name, "p/1");
    }

    #[test]
    fn csv_has_every_rule_and_predicate() {
        let csv = measured().to_csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 1 + 2 + 3);
        assert!(lines[1].starts_with("rule,\"1: h(A) :- p(A)\",1,0.66666"), "{csv}");
        assert!(lines[3].starts_with("predicate,\"p/1\",1,"), "{csv}");
    }
}
