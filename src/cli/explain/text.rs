//! Explanations of models that are not networks as terminal text.

use std::io::{self, Write};

use crate::cli::output::shown;
use crate::learn::explain::{
    Activity, ClauseContribution, ClauseContributions, Decision, PartContribution, PartContributions,
};
use crate::report::table::Grid;

/// Prints the decision as explanations of networks do.
fn print_decision(decision: &Decision, out: &mut impl Write) -> io::Result<()> {
    let Decision { query, label, decision, probability, threshold, .. } = decision;
    writeln!(out, "{query}: {decision}, probability of true {probability:.6}")?;
    if *threshold != 0.5 {
        writeln!(out, "true is predicted above {threshold}")?;
    }
    match label {
        Some(true) => writeln!(out, "in the data it is a positive example"),
        Some(false) => writeln!(out, "in the data it is a negative example"),
        None => Ok(()),
    }
}

/// Prints the contributions of at most `top` clauses.
pub fn print_clauses(found: &ClauseContributions, top: usize, out: &mut impl Write) -> io::Result<()> {
    print_decision(&found.decision, out)?;
    writeln!(out, "\n{:>12.4}  bias", found.prior)?;
    for ClauseContribution { clause, weight, groundings, adds } in found.clauses.iter().take(top) {
        let of = if *groundings == 1.0 { "grounding" } else { "groundings" };
        writeln!(out, "{adds:>+12.4}  {weight:+.4} for each of {groundings} {of} of {clause}")?;
    }
    if let Some(rest) = found.clauses.get(top..).filter(|rest| !rest.is_empty()) {
        let adds: f64 = rest.iter().map(|entry| entry.adds).sum();
        writeln!(out, "{adds:>+12.4}  {} more clauses", rest.len())?;
    }
    writeln!(out, "{:>+12.4}  = psi, the log-odds of true against false", found.decision.psi)?;
    writeln!(out, "{} clauses have no grounding", found.without_groundings)
}

/// Prints the contributions of at most `top` walks or rules.
pub fn print_parts(found: &PartContributions, top: usize, out: &mut impl Write) -> io::Result<()> {
    let PartContributions { decision, psi_without_parts, parts } = found;
    print_decision(decision, out)?;
    writeln!(out, "psi {:.4}; without any part it is {psi_without_parts:.4}", decision.psi)?;
    let Some(first) = parts.first() else { return writeln!(out, "no part of the model has a grounding") };
    let (heading, reading) = match first.activity {
        Activity::Groundings(_) => (
            ">groundings",
            "adds: the drop of psi without the walk; hidden units combine walks, so these do not sum to psi",
        ),
        Activity::Value(_) => {
            (">value", "adds: the value of the rule times its weight; their sum plus psi without any part is psi")
        }
    };
    let mut table = Grid::new(&[">adds", heading, "what"]);
    for PartContribution { what, adds, activity } in parts.iter().take(top) {
        let activity = match activity {
            Activity::Groundings(count) => count.to_string(),
            Activity::Value(value) => format!("{value:.4}"),
        };
        table.row([format!("{adds:+.4}"), activity, what.clone()]);
    }
    write!(out, "{}", shown(&table))?;
    if parts.len() > top {
        writeln!(out, "and {} more: raise --top to show them", parts.len() - top)?;
    }
    writeln!(out, "{reading}")
}
