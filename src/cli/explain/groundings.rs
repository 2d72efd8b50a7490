//! Explanation of a query by a model of weighted clauses.

use std::io::Write;

use serde::Serialize;

use super::decision::Decision;
use crate::cli::error::CommandError;
use crate::cli::output::Output;
use crate::data::load::Dataset;
use crate::kb::Example;
use crate::learn::{MlnModel, Scored};
use crate::logic::Constant;

/// Contributions of the clauses to ψ of a query.
#[derive(Debug, Serialize)]
pub struct ClauseContributions {
    #[serde(flatten)]
    decision: Decision,
    prior: f64,
    /// Clauses with a grounding, by decreasing magnitude of the contribution.
    clauses: Vec<Entry>,
    /// Number of clauses without a grounding.
    without_groundings: usize,
}

#[derive(Debug, Serialize)]
struct Entry {
    clause: String,
    weight: f64,
    groundings: f64,
    adds: f64,
}

impl ClauseContributions {
    /// Counts the groundings of every clause for one query.
    pub fn new(
        model: &MlnModel,
        loaded: &Dataset,
        constants: &[Constant],
        threshold: f64,
        output: &Output,
    ) -> Result<Self, CommandError> {
        let example = Example { args: constants.into(), positive: false, class: 0, weight: 1.0, line: 0 };
        let counted = model.groundings(&loaded.database, loaded.target, &[example]);
        let Scored { scores: counts, warnings } = counted.map_err(CommandError::input)?;
        output.warn(&warnings);
        let mut psi = model.prior;
        let mut clauses = Vec::new();
        for (formula, counts) in model.formulas().iter().zip(&counts) {
            let (weight, groundings) = (formula.weight, counts[0]);
            psi += weight * groundings;
            if groundings > 0.0 {
                let clause = model.show(formula).to_string();
                clauses.push(Entry { clause, weight, groundings, adds: weight * groundings });
            }
        }
        clauses.sort_by(|a, b| b.adds.abs().total_cmp(&a.adds.abs()));
        Ok(ClauseContributions {
            decision: Decision::new(loaded, constants, psi, threshold),
            prior: model.prior,
            without_groundings: counts.len() - clauses.len(),
            clauses,
        })
    }

    /// Prints the explanation as JSON, or as text with at most `top` clauses.
    pub fn print(&self, json: bool, top: usize, output: &mut Output) -> Result<(), CommandError> {
        if json {
            let text = serde_json::to_string_pretty(self).map_err(CommandError::internal)?;
            writeln!(output.out, "{text}")?;
            return Ok(());
        }
        let out = &mut output.out;
        self.decision.print(out)?;
        writeln!(out, "\n{:>12.4}  bias", self.prior)?;
        for Entry { clause, weight, groundings, adds } in self.clauses.iter().take(top) {
            let of = if *groundings == 1.0 { "grounding" } else { "groundings" };
            writeln!(out, "{adds:>+12.4}  {weight:+.4} for each of {groundings} {of} of {clause}")?;
        }
        if let Some(rest) = self.clauses.get(top..).filter(|rest| !rest.is_empty()) {
            let adds: f64 = rest.iter().map(|entry| entry.adds).sum();
            writeln!(out, "{adds:>+12.4}  {} more clauses", rest.len())?;
        }
        writeln!(out, "{:>+12.4}  = psi, the log-odds of true against false", self.decision.psi())?;
        writeln!(out, "{} clauses have no grounding", self.without_groundings)?;
        Ok(())
    }
}
