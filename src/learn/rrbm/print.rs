//! RBMs over random walks in readable notation.

use std::fmt;

use super::feature::Feature;
use super::model::RrbmModel;
use crate::learn::scoring::Model;
use crate::math;

/// Maximum number of hidden units that are printed, and of walks of each.
const UNITS: usize = 5;
const WALKS_OF_UNIT: usize = 5;

impl fmt::Display for RrbmModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_model(f, self)
    }
}

fn write_model(out: &mut fmt::Formatter<'_>, model: &RrbmModel) -> fmt::Result {
    let (positives, negatives) = model.header.trained_on;
    let (walks, units) = (model.walks.len(), model.rbm.hidden());
    writeln!(out, "% {} for {}/{}", model.header.kind, model.target_name(), model.target_arity())?;
    writeln!(out, "% learned from {positives} positive and {negatives} negative examples")?;
    let input = match model.feature {
        Feature::Existence => "1 if the walk has a grounding, 0 if not",
        Feature::Linear => "the number of groundings / the largest of the training examples, the scale",
        Feature::Log => "log(1 + the number of groundings) / the largest of the training examples, the scale",
    };
    writeln!(out, "% {walks} walks from A to B; an input is {input}")?;
    writeln!(
        out,
        "% {units} hidden units; psi = d + sum over units of log((1 + exp(c + U1 + Wv)) / (1 + exp(c + U0 + Wv)))"
    )?;
    let nothing = model.rbm.psi(&[]);
    writeln!(
        out,
        "% psi without any walk: {nothing:.4}; each walk with its contribution to psi at input 1, without the others"
    )?;
    let alone: Vec<f64> = (0..walks).map(|walk| model.rbm.psi(&[(walk as u32, 1.0)]) - nothing).collect();
    writeln!(out, "\n% walks, the strongest first")?;
    for walk in strongest(&alone) {
        write!(out, "{:+.4}  {}", alone[walk], model.show_walk(walk))?;
        match model.feature {
            Feature::Existence => writeln!(out)?,
            Feature::Linear | Feature::Log => writeln!(out, "  % scale {:.4}", model.walks[walk].scale)?,
        }
    }
    // The contribution of a unit to ψ is at most the difference of its two class weights.
    let reach: Vec<f64> = model.rbm.units().map(|unit| unit.u1 - unit.u0).collect();
    for number in strongest(&reach).into_iter().take(UNITS) {
        let Some(unit) = model.rbm.units().nth(number) else { continue };
        writeln!(out, "\n% hidden unit {}: c={:.4} U0={:.4} U1={:.4}", number + 1, unit.c, unit.u0, unit.u1)?;
        for walk in strongest(unit.w).into_iter().take(WALKS_OF_UNIT) {
            writeln!(out, "%   W={:+.4}  {}", unit.w[walk], model.show_walk(walk))?;
        }
        if walks > WALKS_OF_UNIT {
            writeln!(out, "%   and {} weaker walks", walks - WALKS_OF_UNIT)?;
        }
    }
    if units > UNITS {
        writeln!(out, "\n% and {} weaker units", units - UNITS)?;
    }
    Ok(())
}

/// Returns the indices of values by decreasing magnitude.
fn strongest(values: &[f64]) -> Vec<usize> {
    math::strongest_first((0..values.len()).collect(), |&at| values[at])
}
