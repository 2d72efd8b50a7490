//! The rules of a model of any kind, and the predicates they test.

use super::any::SavedModel;
use super::network::Method;
use crate::determinism::IndexMap;
use crate::logic::{Literal, PredicateId, Predicates};
use crate::rbm::Network;
use crate::rbm::network::ConvertError;
use crate::tree::Node;

/// A rule, clause or walk of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRule {
    /// The rule in readable notation.
    pub clause: String,
    /// For networks, the contribution to the log-odds of the second of two classes, or to the score
    /// of each of several; for other models, the weight, if it has one.
    pub weights: Vec<f64>,
}

impl SavedModel {
    /// Returns the rules. Those of trees are the rules of the equivalent network; those of networks
    /// are sorted by decreasing magnitude of their contribution.
    ///
    /// # Errors
    /// If the trees cannot be converted to a network.
    pub fn rules(&self) -> Result<Vec<ModelRule>, ConvertError> {
        Ok(match self {
            SavedModel::Trees(trees) => of_network(&trees.to_network(Method::Exact)?.merged()),
            SavedModel::Network(network) => of_network(network),
            SavedModel::Mln(model) => {
                let formulas = model.formulas().iter();
                let rule = |clause: String, weight| ModelRule { clause, weights: vec![weight] };
                formulas.map(|formula| rule(model.show(formula).to_string(), formula.weight)).collect()
            }
            SavedModel::Walks(model) => {
                let walk = |index| ModelRule { clause: model.show_walk(index), weights: Vec::new() };
                (0..model.walks().len()).map(walk).collect()
            }
            SavedModel::Template(model) => {
                let rules = model.template().rules.iter().enumerate();
                let weight = |rule| model.rule_weights(rule).0;
                rules
                    .map(|(i, rule)| ModelRule { clause: model.template().show(rule), weights: vec![weight(i)] })
                    .collect()
            }
        })
    }

    /// Returns how often the tests, rules or walks mention each predicate, most frequent first and
    /// by name.
    pub fn predicate_counts(&self) -> Vec<(String, usize)> {
        let mut counts: IndexMap<String, usize> = IndexMap::default();
        let mut count = |predicates: &Predicates, ids: &mut dyn Iterator<Item = PredicateId>| {
            for id in ids {
                *counts.entry(predicates.name(id).to_owned()).or_default() += 1;
            }
        };
        let literal = |literal: &Literal| literal.comparison().is_none().then_some(literal.predicate);
        match self {
            SavedModel::Trees(model) => {
                let nodes = model.trees().iter().flat_map(|tree| tree.nodes());
                let tests = nodes.filter_map(|node| match node {
                    Node::Split(split) => Some(&split.test),
                    Node::Leaf(_) => None,
                });
                count(model.predicates(), &mut tests.flatten().filter_map(literal));
            }
            SavedModel::Network(network) => {
                let literals = network.hidden().iter().flat_map(|node| node.rule.literals());
                count(network.names().predicates, &mut literals.filter_map(literal));
            }
            SavedModel::Mln(model) => {
                let patterns = model.formulas().iter().map(|formula| &formula.pattern);
                let literals =
                    patterns.flat_map(|pattern| pattern.literals.iter().chain(pattern.none_of.iter().flatten()));
                count(model.names().predicates, &mut literals.filter_map(literal));
            }
            SavedModel::Walks(model) => {
                let steps = model.walks().iter().flat_map(|walk| &walk.steps);
                count(model.predicates(), &mut steps.map(|step| step.predicate));
            }
            SavedModel::Template(model) => {
                let template = model.template();
                let literals = template.rules.iter().flat_map(|rule| &rule.body);
                count(&template.predicates, &mut literals.filter_map(literal));
            }
        }
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }
}

fn of_network(network: &Network) -> Vec<ModelRule> {
    let two = network.classes().len() == 2;
    let rule = |node: usize| {
        let hidden = &network.hidden()[node];
        // As in explanations: what the rule adds to the log-odds when it becomes true.
        let change = |classes| hidden.log_odds(classes, true) - hidden.log_odds(classes, false);
        ModelRule {
            clause: hidden.rule.show(network.target(), network.names()).to_string(),
            weights: if two { vec![change([1, 0])] } else { hidden.contributions() },
        }
    };
    network.strongest_first().into_iter().map(rule).collect()
}

#[cfg(test)]
mod tests {
    use crate::data::generate::Domain;
    use crate::data::load::Dataset;
    use crate::learn::{Kind, Params};

    #[test]
    fn rules_and_predicates_of_every_kind() {
        let movies = Dataset::generate(Domain::Movies).unwrap();
        for kind in Kind::ALL {
            let mut params = Params::new(kind);
            for (name, value) in [("trees", 2i64), ("epochs", 2)] {
                let _ = params.set(name, &value.into());
            }
            let model = params.fit(&movies).unwrap().model;
            let rules = model.rules().unwrap();
            assert!(!rules.is_empty(), "{kind}");
            let counts = model.predicate_counts();
            assert!(counts.iter().any(|(name, count)| name == "directedby" && *count > 0), "{kind}: {counts:?}");
        }
    }
}
