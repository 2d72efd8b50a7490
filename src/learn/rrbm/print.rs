//! Walks and the machine over them as people read them.

use std::fmt::Write;

use super::RrbmModel;
use super::feature::Feature;
use crate::learn::Stored;

/// The hidden units and the walks of each that are printed.
const UNITS: usize = 5;
const WALKS_OF_UNIT: usize = 5;

pub(super) fn describe(model: &RrbmModel) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_model(&mut text, model);
    text
}

fn write_model(out: &mut String, model: &RrbmModel) -> std::fmt::Result {
    let (positives, negatives) = model.record.trained_on;
    let (walks, units) = (model.walks.len(), model.rbm.hidden());
    writeln!(out, "% {} for {}/{}", model.record.kind, model.target_name(), model.target_arity())?;
    writeln!(out, "% learned from {positives} positive and {negatives} negative examples")?;
    let input = match model.feature {
        Feature::Existence => "1 if the walk has a grounding, 0 if not",
        Feature::Linear => "the number of groundings / the largest of the training examples",
        Feature::Log => "log(1 + the number of groundings) / the largest of the training examples",
    };
    writeln!(out, "% {walks} walks from A to B; an input is {input}")?;
    writeln!(
        out,
        "% {units} hidden units; psi = d + sum over units of log((1 + exp(c + U1 + Wv)) / (1 + exp(c + U0 + Wv)))"
    )?;
    let nothing = model.rbm.psi(&[]);
    writeln!(out, "% psi without any walk: {nothing:.4}; beside each walk what it adds alone, at its largest")?;
    let alone: Vec<f64> = (0..walks).map(|walk| model.rbm.psi(&[(walk as u32, 1.0)]) - nothing).collect();
    writeln!(out, "\n% walks, the strongest first")?;
    for walk in strongest(&alone) {
        writeln!(out, "{:+.4}  {}", alone[walk], model.show_walk(walk))?;
    }
    // A unit can move ψ by no more than its two weights to the classes differ.
    let reach: Vec<f64> = model.rbm.units().map(|unit| unit.u1 - unit.u0).collect();
    for number in strongest(&reach).into_iter().take(UNITS) {
        let Some(unit) = model.rbm.units().nth(number) else { continue };
        writeln!(out, "\n% hidden unit {}: c={:.4} U0={:.4} U1={:.4}", number + 1, unit.c, unit.u0, unit.u1)?;
        for walk in strongest(unit.w).into_iter().take(WALKS_OF_UNIT) {
            writeln!(out, "%   W={:+.4}  {}", unit.w[walk], model.show_walk(walk))?;
        }
    }
    if units > UNITS {
        writeln!(out, "\n% and {} weaker units", units - UNITS)?;
    }
    Ok(())
}

/// The numbers of values, the largest first, whatever their sign.
fn strongest(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
    order
}
