//! `lrbm explain`: prints a model as clauses, explains a prediction, or measures importance.

mod args;
mod decision;
mod groundings;
mod parts;
mod query;
mod question;

pub use args::Explain;

use std::io::Write;
use std::path::{Path, PathBuf};

use super::data_args::DataArgs;
use super::error::{CommandError, with_cause};
use super::output::Output;
use super::write::{check_writable, write_whole};
use crate::data::load::Dataset;
use crate::files::visible::ShownPath;
use crate::kb::{Example, TimeSource};
use crate::learn::prepare::Purpose;
use crate::learn::{Method, MlnModel, Model, SavedModel};
use crate::logic::Constant;
use crate::logic::nearest::did_you_mean;
use crate::math::sigmoid;
use crate::rbm::network::Network;
use crate::rbm::network::explain::{Explainer, FlipOptions};
use crate::report::explanation::{ExplanationView, QueryContext};
use crate::report::importance::{Importance, Weight, chart, importance};
use crate::report::table::Grid;
use groundings::ClauseContributions;
use question::example;

pub fn run(args: &Explain, output: &mut Output) -> Result<(), CommandError> {
    args.check()?;
    let files = [&args.html, &args.csv, &args.svg].map(|path| path.as_deref().map(check_writable).transpose());
    let [html, csv, svg] = files;
    let (html, csv, svg) = (html?, csv?, svg?);
    if csv.is_some() && csv == svg {
        return Err(CommandError::input("--csv and --svg name the same file: give each its own"));
    }
    let outputs = args.outputs();
    outputs.protect([args.model.as_path()])?;
    let model = SavedModel::load(&args.model).map_err(with_cause)?;
    if args.trees {
        let Some(trees) = model.trees() else {
            let what = match model {
                SavedModel::Mln(_) => "has clauses whose groundings are counted, and no trees",
                SavedModel::Walks(_) => "has walks that are counted, and no trees",
                SavedModel::Template(_) => "has rules of a template, and no trees",
                SavedModel::Trees(_) | SavedModel::Network(_) => "is a network of rules and has no trees",
            };
            let message = format!("{}: --trees: the model {what}: omit it", args.model.shown());
            return Err(CommandError::Input(message));
        };
        writeln!(output.out, "{}", trees.describe().trim_end())?;
        return Ok(());
    }
    let network = match &model {
        SavedModel::Mln(model) => return explain_groundings(args, model, output),
        SavedModel::Walks(model) => return parts::of_walks(args, model, output),
        SavedModel::Template(model) => return parts::of_rules(args, model, output),
        SavedModel::Trees(trees) => trees.to_network(Method::Exact).map_err(CommandError::input)?.merged(),
        SavedModel::Network(network) => network.clone(),
    };
    let Some(data) = args.data()? else {
        writeln!(output.out, "{}", network.describe().trim_end())?;
        return Ok(());
    };
    match &args.query {
        Some(query) => explain_query(args, (&model, &network), query, &data, html.as_deref(), output),
        None => {
            let loaded = data.prepare(&model, Purpose::Score, output)?;
            outputs.protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
            let measured = importance(&network, &loaded.database, loaded.target, &loaded.examples);
            let measured = measured.map_err(CommandError::input)?;
            if let Some(path) = &csv {
                write_whole(path, &measured.to_csv())?;
            }
            if let Some(path) = &svg {
                write_whole(path, &chart(&measured, &format!("what matters for {}", network.target_name())))?;
            }
            print_importance(&measured, args.json, output)
        }
    }
}

/// Explains a model of weighted clauses.
fn explain_groundings(args: &Explain, model: &MlnModel, output: &mut Output) -> Result<(), CommandError> {
    match question::read(args, model, output)? {
        Some((loaded, constants)) => ClauseContributions::new(model, &loaded, &constants, args.threshold, output)?
            .print(args.json, args.top, output),
        None => Ok(()),
    }
}

fn explain_query(
    args: &Explain,
    (model, network): (&SavedModel, &Network),
    query: &str,
    data: &DataArgs,
    html: Option<&Path>,
    output: &mut Output,
) -> Result<(), CommandError> {
    let target = (network.target_name(), network.target_arity());
    // The query is checked before any file is read.
    let atom = query::parse(query, target)?;
    let mut loaded = data.prepare(model, Purpose::Query, output)?;
    args.outputs().protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
    let constants = query::constants(&atom, &mut loaded, args.allow_unknown)?;
    let class = args.class.as_deref().map(|name| find_class(name, network)).transpose()?;
    let context =
        QueryContext { model: tree_probabilities(model, &loaded, &constants)?, label: label(&loaded, &constants) };
    // Facts that give times are not changed: they determine which other facts are visible.
    let fixed = match loaded.database.time_rule().map(|rule| &rule.source) {
        Some(TimeSource::Predicate(name)) => loaded.database.predicates.find(name, 2),
        _ => None,
    };
    let Dataset { database, target, .. } = loaded;
    let mut explainer =
        Explainer::new(network, database, target).map_err(CommandError::input)?.exclude(fixed).about(class);
    let budget = args.tries.unwrap_or(FlipOptions::default().budget);
    let options = FlipOptions { threshold: args.threshold, budget };
    let explanation = explainer.explain(&constants, &options).map_err(CommandError::input)?;
    let view = ExplanationView::new(network, &explainer, &explanation, &options, context);
    if let Some(path) = html {
        let drawing = network.to_svg_with_active(|j| explanation.fired.iter().any(|fired| fired.node == j));
        write_whole(path, &view.to_html(&drawing).map_err(CommandError::internal)?)?;
    }
    match args.json {
        true => write!(output.out, "{}", view.to_json())?,
        false => write!(output.out, "{}", view.show(args.top))?,
    }
    Ok(())
}

/// Returns the index of a class.
fn find_class(name: &str, network: &Network) -> Result<usize, CommandError> {
    let known = network.classes();
    known.iter().position(|class| class == name).ok_or_else(|| {
        let near = did_you_mean(name, known.iter().map(String::as_str));
        CommandError::Input(format!("--class {name}: {near}the classes are {}", known.join(", ")))
    })
}

/// Returns the label of the query, if it is an example of the data.
fn label(loaded: &Dataset, constants: &[Constant]) -> Option<String> {
    let example = example(loaded, constants)?;
    Some(match loaded.database.classes_of(loaded.target) {
        Some(names) => names[example.class as usize].clone(),
        None if example.positive => "positive".to_owned(),
        None => "negative".to_owned(),
    })
}

/// Returns the class probabilities of the trees that the network was converted from, if it was.
fn tree_probabilities(
    model: &SavedModel,
    loaded: &Dataset,
    constants: &[Constant],
) -> Result<Option<Vec<f64>>, CommandError> {
    let SavedModel::Trees(trees) = model else { return Ok(None) };
    let example = Example { args: constants.into(), positive: false, class: 0, weight: 1.0, line: 0 };
    let odds = trees.score_classes(&loaded.database, loaded.target, &[example]).map_err(CommandError::input)?;
    Ok(Some(odds.scores.iter().map(|row| sigmoid(row[0])).collect()))
}

fn print_importance(measured: &Importance, json: bool, output: &mut Output) -> Result<(), CommandError> {
    if json {
        let text = serde_json::to_string_pretty(measured).map_err(CommandError::internal)?;
        writeln!(output.out, "{text}")?;
        return Ok(());
    }
    let area = measured.auc_roc.map_or("undefined (one class)".to_owned(), |area| format!("{area:.6}"));
    writeln!(output.out, "{}", measured.counted())?;
    writeln!(output.out, "AUC-ROC {area}, mean log-likelihood {:.6}", measured.log_likelihood)?;
    for (name, weights) in [("predicate", &measured.predicates), ("rule", &measured.rules)] {
        writeln!(output.out)?;
        let mut table =
            Grid::new(&[">mean |adds to psi|", ">holds for", ">AUC-ROC lost", ">log-likelihood lost", name]);
        for weight in weights {
            let Weight { name, holds_for, mean_contribution, auc_roc_drop, log_likelihood_drop, .. } = weight;
            table.row([
                format!("{mean_contribution:.4}"),
                format!("{:.1}%", 100.0 * holds_for),
                auc_roc_drop.map_or("undefined".to_owned(), |drop| format!("{drop:.4}")),
                format!("{log_likelihood_drop:.4}"),
                name.clone(),
            ]);
        }
        write!(output.out, "{table}")?;
    }
    writeln!(output.out, "lost: the drop if the rule, or every rule with the predicate, covers no example")?;
    Ok(())
}
