//! Weighted templates in readable notation.

use std::fmt;

use super::model::LrnnModel;
use super::net::Family;
use crate::learn::scoring::Model;
use crate::math;

impl fmt::Display for LrnnModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_model(f, self)
    }
}

fn write_model(out: &mut fmt::Formatter<'_>, model: &LrnnModel) -> fmt::Result {
    let (positives, negatives) = model.header.trained_on;
    let joined = match model.family {
        Family::Max => "maximum",
        Family::Avg => "average",
    };
    writeln!(out, "% {} for {}/{}", model.header.kind, model.target_name(), model.target_arity())?;
    writeln!(out, "% learned from {positives} positive and {negatives} negative examples")?;
    writeln!(
        out,
        "% a rule is s(sum of its k atoms - k + c), with s(x) = 1 / (1 + exp(-x)), of its groundings the {joined};"
    )?;
    writeln!(
        out,
        "% an atom is s(d + sum of w * rule over its rules), for the target without s: that is psi; a fact is 1"
    )?;
    let template = &model.template;
    for (number, head) in template.heads().enumerate() {
        writeln!(out, "\n% {}: d={:.4}", template.predicates.show(head), model.head_weight(number))?;
        let rules = (0..template.rules.len()).filter(|&k| template.rules[k].head == head).collect();
        for rule in math::strongest_first(rules, |&rule| model.rule_weights(rule).0) {
            let (w, c) = model.rule_weights(rule);
            writeln!(out, "{w:.4} {} % c={c:.4}", template.show(&template.rules[rule]))?;
        }
    }
    Ok(())
}
