//! `lrbm explain --query` for models whose parts are walks or rules of a template.

use std::io::Write;
use std::path::Path;

use super::super::predict::ABOUT_LEARNING;
use super::super::table::Table;
use super::{CommandError, Explain, Output, one, query};
use crate::data::load::{LoadOptions, Loaded, load_for_questions};
use crate::kb::Example;
use crate::learn::{LrnnModel, RrbmModel, SavedModel, ScoreError, Stored};
use crate::rbm::sigmoid;

/// What a model says of one example, and what that is made of.
struct Account {
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

/// Prints why a model says what it says of a query; `None` if it is another kind of model.
pub fn explain(
    args: &Explain,
    model: &SavedModel,
    (directory, options): (&Path, &LoadOptions),
    output: &mut Output,
) -> Option<Result<(), CommandError>> {
    match model {
        SavedModel::Walks(walks) => {
            let account = |loaded: &Loaded, example: &Example| of_walks(walks, loaded, example);
            Some(answer(args, (model, &account), (directory, options), output))
        }
        SavedModel::Template(rules) => {
            let account = |loaded: &Loaded, example: &Example| of_rules(rules, loaded, example);
            Some(answer(args, (model, &account), (directory, options), output))
        }
        _ => None,
    }
}

type Accountant<'a> = &'a dyn Fn(&Loaded, &Example) -> Result<Account, ScoreError>;

fn answer(
    args: &Explain,
    (model, account): (&SavedModel, Accountant<'_>),
    (directory, options): (&Path, &LoadOptions),
    output: &mut Output,
) -> Result<(), CommandError> {
    let Some(asked) = args.query.as_deref().filter(|_| !args.json && args.html.is_none()) else {
        let message = "of this kind of model --query is explained as text: leave out --importance, --json and --html";
        return Err(CommandError::input(message));
    };
    let target = (model.target_name(), model.target_arity());
    let atom = query::parse(asked, target).map_err(one)?;
    let mut loaded = load_for_questions(directory, options, target)?;
    output.warn(&loaded.warnings.without(&ABOUT_LEARNING));
    let constants = query::constants(&atom, &mut loaded, args.allow_unknown)?;
    let example = Example { args: constants.into(), positive: false, weight: 1.0, line: 0 };
    let account = account(&loaded, &example).map_err(CommandError::input)?;
    print(output, &atom.to_string(), &account, args.top)
}

fn of_walks(model: &RrbmModel, loaded: &Loaded, example: &Example) -> Result<Account, ScoreError> {
    let present = model.present(&loaded.database, loaded.target, example)?;
    let part = |walk: &crate::learn::rrbm::Present| (walk.adds, walk.count.to_string(), model.show_walk(walk.walk));
    Ok(Account {
        bias: model.rbm().psi(&[]),
        psi: present.psi,
        parts: present.walks.iter().map(part).collect(),
        heading: ">groundings",
        reading: "adds: by how much psi would be lower without the walk; the units mix walks, so these do not add up",
    })
}

fn of_rules(model: &LrnnModel, loaded: &Loaded, example: &Example) -> Result<Account, ScoreError> {
    let fired = model.fired(&loaded.database, loaded.target, std::slice::from_ref(example))?;
    let fired = fired.into_iter().next().unwrap_or_default();
    let bias = model.head_weight(0);
    let text = |rule: usize| model.template().show(&model.template().rules[rule]);
    Ok(Account {
        bias,
        psi: bias + fired.iter().map(|fired| fired.adds).sum::<f64>(),
        parts: fired.iter().map(|fired| (fired.adds, format!("{:.4}", fired.value), text(fired.rule))).collect(),
        heading: ">value",
        reading: "adds: the value of the rule times its weight; with the first number these add up to psi",
    })
}

fn print(output: &mut Output, atom: &str, account: &Account, top: usize) -> Result<(), CommandError> {
    let Account { bias, psi, parts, heading, reading } = account;
    writeln!(output.out, "{atom}: P = {:.4}, psi = {psi:.4}; without any part psi is {bias:.4}", sigmoid(*psi))?;
    if parts.is_empty() {
        writeln!(output.out, "no part of the model is there for it")?;
        return Ok(());
    }
    let mut order: Vec<&(f64, String, String)> = parts.iter().collect();
    order.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let mut table = Table::new(&[">adds", heading, "what"]);
    for (adds, measure, text) in order.iter().take(top) {
        table.row([format!("{adds:+.4}"), measure.clone(), text.clone()]);
    }
    table.print(&mut output.out)?;
    if order.len() > top {
        writeln!(output.out, "and {} more: --top shows them", order.len() - top)?;
    }
    writeln!(output.out, "{reading}")?;
    Ok(())
}
