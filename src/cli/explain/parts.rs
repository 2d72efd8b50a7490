//! Explanation of a query by the walks or template rules of a model.

use std::io::Write;

use serde::Serialize;

use super::args::Explain;
use super::decision::Decision;
use super::question;
use crate::cli::error::CommandError;
use crate::cli::output::Output;
use crate::kb::Example;
use crate::learn::rrbm::WalkContribution;
use crate::learn::{LrnnModel, RrbmModel, Scored};
use crate::report::table::Grid;

/// A prediction with the contributions of its parts.
#[derive(Serialize)]
struct PartsView {
    #[serde(flatten)]
    decision: Decision,
    /// ψ without any part.
    psi_without_parts: f64,
    /// Parts with a grounding, by decreasing magnitude of the contribution.
    parts: Vec<Part>,
    /// Heading of the middle column.
    #[serde(skip)]
    heading: &'static str,
    /// Explanation of the first column.
    #[serde(skip)]
    reading: &'static str,
}

/// A walk or a rule.
#[derive(Serialize)]
struct Part {
    what: String,
    adds: f64,
    #[serde(flatten)]
    activity: Activity,
}

/// Number of groundings, or value, of a part.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Activity {
    Groundings(f64),
    Value(f64),
}

/// Prints the walks of a model, or their contributions to a query.
pub fn of_walks(args: &Explain, model: &RrbmModel, output: &mut Output) -> Result<(), CommandError> {
    let Some((loaded, constants)) = question::read(args, model, output)? else { return Ok(()) };
    let example = Example { args: constants.as_slice().into(), positive: false, class: 0, weight: 1.0, line: 0 };
    let found = model.contributions(&loaded.database, loaded.target, &example).map_err(CommandError::input)?;
    let part = |walk: &WalkContribution| Part {
        what: model.show_walk(walk.walk),
        adds: walk.contribution,
        activity: Activity::Groundings(walk.count),
    };
    let view = PartsView {
        decision: Decision::new(&loaded, &constants, found.psi, args.threshold),
        psi_without_parts: model.rbm().psi(&[]),
        parts: found.walks.iter().map(part).collect(),
        heading: ">groundings",
        reading: "adds: the drop of psi without the walk; hidden units combine walks, so these do not sum to psi",
    };
    view.print(args, output)
}

/// Prints the rules of a model, or their contributions to a query.
pub fn of_rules(args: &Explain, model: &LrnnModel, output: &mut Output) -> Result<(), CommandError> {
    let Some((loaded, constants)) = question::read(args, model, output)? else { return Ok(()) };
    let example = Example { args: constants.as_slice().into(), positive: false, class: 0, weight: 1.0, line: 0 };
    let fired = model.fired(&loaded.database, loaded.target, &[example]).map_err(CommandError::input)?;
    let Scored { scores: fired, warnings } = fired;
    output.warn(&warnings);
    let fired = fired.concat();
    let bias = model.head_weight(0);
    let psi = bias + fired.iter().map(|fired| fired.contribution).sum::<f64>();
    let text = |rule: usize| model.template().show(&model.template().rules[rule]);
    let parts = fired.iter();
    let view = PartsView {
        decision: Decision::new(&loaded, &constants, psi, args.threshold),
        psi_without_parts: bias,
        parts: parts
            .map(|fired| Part {
                what: text(fired.rule),
                adds: fired.contribution,
                activity: Activity::Value(fired.value),
            })
            .collect(),
        heading: ">value",
        reading: "adds: the value of the rule times its weight; their sum plus psi without any part is psi",
    };
    view.print(args, output)
}

impl PartsView {
    fn print(mut self, args: &Explain, output: &mut Output) -> Result<(), CommandError> {
        self.parts.sort_by(|a, b| b.adds.abs().total_cmp(&a.adds.abs()));
        let out = &mut output.out;
        if args.json {
            let text = serde_json::to_string_pretty(&self).map_err(CommandError::internal)?;
            writeln!(out, "{text}")?;
            return Ok(());
        }
        let PartsView { decision, psi_without_parts, parts, heading, reading } = &self;
        decision.print(out)?;
        writeln!(out, "psi {:.4}; without any part it is {psi_without_parts:.4}", decision.psi())?;
        if parts.is_empty() {
            writeln!(out, "no part of the model has a grounding")?;
            return Ok(());
        }
        let mut table = Grid::new(&[">adds", heading, "what"]);
        for Part { what, adds, activity } in parts.iter().take(args.top) {
            let activity = match activity {
                Activity::Groundings(count) => count.to_string(),
                Activity::Value(value) => format!("{value:.4}"),
            };
            table.row([format!("{adds:+.4}"), activity, what.clone()]);
        }
        write!(out, "{table}")?;
        if parts.len() > args.top {
            writeln!(out, "and {} more: raise --top to show them", parts.len() - args.top)?;
        }
        writeln!(out, "{reading}")?;
        Ok(())
    }
}
