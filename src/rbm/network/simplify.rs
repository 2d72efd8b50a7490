//! Smaller networks: rules that are the same become one, and literals and rules that nobody misses go.

use super::{Condition, Hidden, Network, Rule, is_worth, shares};
use crate::cover::{Bits, Coverage};

impl Network {
    /// The network with equivalent rules merged; it gives the same probabilities for every example.
    ///
    /// A merged node is worth the sum of what the others are worth (see [`Hidden::indicator`]); what they add when their rule does
    /// not hold goes into the biases, as does what a rule is worth that holds always. Rules that would together be worth more
    /// than a rule can be stay apart.
    pub fn merged(&self) -> Network {
        let arity = self.target_arity();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (j, node) in self.hidden.iter().enumerate() {
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
            let mut worth = vec![0.0; self.classes().len()];
            nodes().for_each(|node| worth.iter_mut().zip(node.worth()).for_each(|(sum, worth)| *sum += worth));
            let too_much = !worth.iter().all(|&worth| is_worth(worth));
            if (group.len() == 1 || too_much) && !first.rule.is_always() {
                merged.hidden.extend(nodes().cloned());
                continue;
            }
            nodes().for_each(|node| merged.d.iter_mut().zip(node.adds(false)).for_each(|(d, off)| *d += off));
            if !first.rule.is_always() {
                let dropped = nodes().map(|node| node.dropped).max().unwrap_or(0);
                merged.hidden.push(Hidden { dropped, ..Hidden::indicator(first.rule.clone(), &worth) });
            }
        }
        merged
    }

    /// The network with every literal and condition left out that no example misses: each rule holds for the same examples of the
    /// coverage as before. What was lost is counted in [`Hidden::dropped`].
    pub fn without_idle_literals(&self, coverage: &Coverage<'_>) -> Network {
        let mut shorter = self.clone();
        let arity = self.target_arity();
        let lit = self.lit(coverage);
        for (node, lit) in shorter.hidden.iter_mut().zip(&lit) {
            let covers = |rule: &Rule| {
                let bound = rule.bind(self.names(), coverage.database().names());
                bound.map_or_else(|| Bits::zeros(lit.len()), |bound| bound.cover(coverage)) == *lit
            };
            let rule = shortened(&node.rule, arity, &covers);
            let lost = node.rule.literals().count() - rule.literals().count();
            if lost > 0 {
                *node = with_rule(node, rule, lost as u32);
            }
        }
        shorter
    }

    /// The network without a hidden node, whose mean over `examples` examples, of which `lit` light it, goes into the biases.
    pub fn without(&self, j: usize, lit: usize, examples: usize) -> Network {
        let mut smaller = self.clone();
        let node = smaller.hidden.remove(j);
        let part = lit as f64 / examples.max(1) as f64;
        for (d, (on, off)) in smaller.d.iter_mut().zip(node.adds(true).into_iter().zip(node.adds(false))) {
            *d += part * on + (1.0 - part) * off;
        }
        smaller
    }
}

/// The node with another rule. The edges of predicates that are gone leave their weight to those that stay.
fn with_rule(node: &Hidden, rule: Rule, lost: u32) -> Hidden {
    let input: f64 = node.w.iter().sum();
    let edges = rule.predicates().len();
    // Without an edge the node is always lit.
    let c = if edges == 0 { node.c + input } else { node.c };
    Hidden { rule, c, w: shares(input, edges), u: node.u.clone(), dropped: node.dropped + lost }
}

/// The rule without what can go, tried from the end: whole conditions, then their literals, then those of the body.
fn shortened(rule: &Rule, arity: usize, covers: &dyn Fn(&Rule) -> bool) -> Rule {
    let (mut body, mut conditions) = (rule.body().to_vec(), rule.conditions().to_vec());
    let fits = |body: &[crate::logic::Literal], conditions: &[Condition]| {
        covers(&Rule::new(body.to_vec(), conditions.to_vec(), arity))
    };
    for k in (0..conditions.len()).rev() {
        let mut fewer = conditions.clone();
        fewer.remove(k);
        if fits(&body, &fewer) {
            conditions = fewer;
        }
    }
    for k in 0..conditions.len() {
        for i in (0..conditions[k].body.len()).rev() {
            let mut fewer = conditions.clone();
            // A condition without a literal would be a riddle.
            if fewer[k].body.len() > 1 && may_go(&fewer[k].body, i, arity) {
                fewer[k].body.remove(i);
                if fits(&body, &fewer) {
                    conditions = fewer;
                }
            }
        }
    }
    for i in (0..body.len()).rev() {
        let mut fewer = body.clone();
        if may_go(&fewer, i, arity) {
            fewer.remove(i);
            if fits(&fewer, &conditions) {
                body = fewer;
            }
        }
    }
    Rule::new(body, conditions, arity)
}

/// Whether a literal binds no variable that a negated one or a comparison needs: without it, that one would mean something else.
fn may_go(body: &[crate::logic::Literal], i: usize, arity: usize) -> bool {
    let others = || body.iter().enumerate().filter(|&(k, _)| k != i).map(|(_, literal)| literal);
    let needed = |v| others().any(|literal| literal.is_check() && literal.variables().any(|other| other == v));
    let bound = |v| others().any(|literal| !literal.is_check() && literal.variables().any(|other| other == v));
    body[i].is_check() || body[i].variables().all(|v| (v.0 as usize) < arity || !needed(v) || bound(v))
}
