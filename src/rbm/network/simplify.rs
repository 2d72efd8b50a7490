//! Simplification: equivalent rules are merged, and literals without effect on the coverage are
//! removed.

use super::hidden::{equal_shares, is_valid_contribution};
use super::{Condition, Hidden, Network, Rule};
use crate::cancel;
use crate::cover::{Bits, Coverage};

impl Network {
    /// Merges equivalent rules; the probabilities of every example stay the same.
    ///
    /// A merged node has the sum of the contributions (see [`Hidden::indicator`]). The terms of
    /// inactive nodes go into the biases, as do the contributions of a rule that is always true.
    /// Rules whose total would exceed the maximum contribution are kept separate.
    pub fn merged(&self) -> Network {
        let arity = self.target_arity();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (j, node) in self.hidden.iter().enumerate() {
            cancel::poll();
            let same = |group: &&mut Vec<usize>| self.hidden[group[0]].rule.is_equivalent(&node.rule, arity);
            match groups.iter_mut().find(same) {
                Some(group) => group.push(j),
                None => groups.push(vec![j]),
            }
        }
        let mut merged = Network { hidden: Vec::new(), ..self.clone() };
        for group in groups {
            let first = &self.hidden[group[0]];
            let nodes = || group.iter().map(|&j| &self.hidden[j]);
            let mut contributions = vec![0.0; self.classes().len()];
            nodes().for_each(|node| {
                contributions
                    .iter_mut()
                    .zip(node.contributions())
                    .for_each(|(sum, contributions)| *sum += contributions)
            });
            let exceeds_max = !contributions.iter().all(|&contributions| is_valid_contribution(contributions));
            if (group.len() == 1 || exceeds_max) && !first.rule.is_always() {
                merged.hidden.extend(nodes().cloned());
                continue;
            }
            nodes().for_each(|node| merged.d.iter_mut().zip(node.class_terms(false)).for_each(|(d, off)| *d += off));
            if !first.rule.is_always() {
                let dropped = nodes().map(|node| node.dropped).max().unwrap_or(0);
                merged.hidden.push(Hidden { dropped, ..Hidden::indicator(first.rule.clone(), &contributions) });
            }
        }
        merged
    }

    /// Removes every literal and condition that does not change the coverage: each rule covers the
    /// same examples as before. The removed literals are counted in [`Hidden::dropped`].
    pub fn without_redundant_literals(&self, coverage: &Coverage<'_>) -> Network {
        let mut simplified = self.clone();
        let arity = self.target_arity();
        let active = self.active(coverage);
        for (node, active) in simplified.hidden.iter_mut().zip(&active) {
            let keeps_coverage = |rule: &Rule| {
                let bound = rule.bind(self.names(), coverage.database().names());
                bound.map_or_else(|| Bits::zeros(active.len()), |bound| bound.cover(coverage)) == *active
            };
            let rule = simplify_rule(&node.rule, arity, &keeps_coverage);
            let lost = node.rule.literals().count() - rule.literals().count();
            if lost > 0 {
                *node = with_rule(node, rule, lost as u32);
            }
        }
        simplified
    }

    /// Removes a hidden node; its mean term, with `active` of `examples` examples active, goes into
    /// the biases.
    pub fn without(&self, j: usize, active: usize, examples: usize) -> Network {
        let mut smaller = self.clone();
        let node = smaller.hidden.remove(j);
        let fraction = active as f64 / examples.max(1) as f64;
        for (d, (on, off)) in smaller.d.iter_mut().zip(node.class_terms(true).into_iter().zip(node.class_terms(false)))
        {
            *d += fraction * on + (1.0 - fraction) * off;
        }
        smaller
    }
}

/// Replaces the rule of a node. The weights of edges to removed predicates are distributed over the
/// rest.
fn with_rule(node: &Hidden, rule: Rule, lost: u32) -> Hidden {
    let input: f64 = node.w.iter().sum();
    let edges = rule.predicates().len();
    // Without an edge the node is always active.
    let c = if edges == 0 { node.c + input } else { node.c };
    Hidden { rule, c, w: equal_shares(input, edges), u: node.u.clone(), dropped: node.dropped + lost }
}

/// Removes what can be removed, from the end: whole conditions, then their literals, then body
/// literals.
fn simplify_rule(rule: &Rule, arity: usize, keeps_coverage: &dyn Fn(&Rule) -> bool) -> Rule {
    let (mut body, mut conditions) = (rule.body().to_vec(), rule.conditions().to_vec());
    let preserves = |body: &[crate::logic::Literal], conditions: &[Condition]| {
        keeps_coverage(&Rule::new(body.to_vec(), conditions.to_vec(), arity))
    };
    for k in (0..conditions.len()).rev() {
        let mut fewer = conditions.clone();
        fewer.remove(k);
        if preserves(&body, &fewer) {
            conditions = fewer;
        }
    }
    for k in 0..conditions.len() {
        for i in (0..conditions[k].body.len()).rev() {
            let mut fewer = conditions.clone();
            // A condition must keep a literal.
            if fewer[k].body.len() > 1 && is_removable(&fewer[k].body, i, arity) {
                fewer[k].body.remove(i);
                if preserves(&body, &fewer) {
                    conditions = fewer;
                }
            }
        }
    }
    for i in (0..body.len()).rev() {
        let mut fewer = body.clone();
        if is_removable(&fewer, i, arity) {
            fewer.remove(i);
            if preserves(&fewer, &conditions) {
                body = fewer;
            }
        }
    }
    Rule::new(body, conditions, arity)
}

/// Returns whether removing a literal leaves all variables of negated literals and comparisons
/// bound, so that their meaning does not change.
fn is_removable(body: &[crate::logic::Literal], i: usize, arity: usize) -> bool {
    let others = || body.iter().enumerate().filter(|&(k, _)| k != i).map(|(_, literal)| literal);
    let needed = |v| others().any(|literal| literal.is_check() && literal.variables().any(|other| other == v));
    let bound = |v| others().any(|literal| !literal.is_check() && literal.variables().any(|other| other == v));
    body[i].is_check() || body[i].variables().all(|v| (v.0 as usize) < arity || !needed(v) || bound(v))
}
