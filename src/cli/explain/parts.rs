//! `lrbm explain` for models whose parts are walks or rules of a template.

use std::io::Write;

use super::super::table::Table;
use super::{CommandError, Explain, Output, asked};
use crate::kb::Example;
use crate::learn::rrbm::Present;
use crate::learn::{LrnnModel, RrbmModel};
use crate::rbm::sigmoid;

/// What is not there for such models.
const ONLY_NETWORKS: [&str; 3] = ["--importance", "--html", "--json"];

/// What a model says of one example, and what that is made of.
struct Told {
    query: String,
    /// ψ without any part.
    bias: f64,
    psi: f64,
    /// What a part adds to ψ, how often or how much it is there, and its text.
    parts: Vec<(f64, String, String)>,
    /// What the middle column is.
    heading: &'static str,
    /// How the first column is to be read.
    reading: &'static str,
}

/// Prints the walks of a model, or those that matter for a query.
pub fn of_walks(args: &Explain, model: &RrbmModel, output: &mut Output) -> Result<(), CommandError> {
    let Some((loaded, constants)) = asked(args, model, &ONLY_NETWORKS, output)? else { return Ok(()) };
    let query = loaded.database.show_atom(loaded.target, &constants);
    let example = Example { args: constants.into(), positive: false, class: 0, weight: 1.0, line: 0 };
    let found = model.present(&loaded.database, loaded.target, &example).map_err(CommandError::input)?;
    let part = |walk: &Present| (walk.adds, walk.count.to_string(), model.show_walk(walk.walk));
    let told = Told {
        query,
        bias: model.rbm().psi(&[]),
        psi: found.psi,
        parts: found.walks.iter().map(part).collect(),
        heading: ">groundings",
        reading: "adds: by how much psi would be lower without the walk; units mix walks, so these do not add up to psi",
    };
    told.print(args.top, output)
}

/// Prints the rules of a model, or those that matter for a query.
pub fn of_rules(args: &Explain, model: &LrnnModel, output: &mut Output) -> Result<(), CommandError> {
    let Some((loaded, constants)) = asked(args, model, &ONLY_NETWORKS, output)? else { return Ok(()) };
    let query = loaded.database.show_atom(loaded.target, &constants);
    let example = Example { args: constants.into(), positive: false, class: 0, weight: 1.0, line: 0 };
    let (fired, remarks) = model.fired(&loaded.database, loaded.target, &[example]).map_err(CommandError::input)?;
    output.warn(&remarks);
    let fired = fired.concat();
    let bias = model.head_weight(0);
    let text = |rule: usize| model.template().show(&model.template().rules[rule]);
    let told = Told {
        query,
        bias,
        psi: bias + fired.iter().map(|fired| fired.adds).sum::<f64>(),
        parts: fired.iter().map(|fired| (fired.adds, format!("{:.4}", fired.value), text(fired.rule))).collect(),
        heading: ">value",
        reading: "adds: the value of the rule times its weight; all together, with psi of no part, they are psi",
    };
    told.print(args.top, output)
}

impl Told {
    fn print(&self, top: usize, output: &mut Output) -> Result<(), CommandError> {
        let Told { query, bias, psi, parts, heading, reading } = self;
        let out = &mut output.out;
        writeln!(
            out,
            "{query}: probability of true {:.6}, psi {psi:.4}; without any part psi is {bias:.4}",
            sigmoid(*psi)
        )?;
        if parts.is_empty() {
            writeln!(out, "no part of the model is there for it")?;
            return Ok(());
        }
        let mut order: Vec<&(f64, String, String)> = parts.iter().collect();
        order.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let mut table = Table::new(&[">adds", heading, "what"]);
        for (adds, measure, text) in order.iter().take(top) {
            table.row([format!("{adds:+.4}"), measure.clone(), text.clone()]);
        }
        table.print(out)?;
        if order.len() > top {
            writeln!(out, "and {} more: --top shows them", order.len() - top)?;
        }
        writeln!(out, "{reading}")?;
        Ok(())
    }
}
