//! `lrbm explain`: prints a model as clauses, explains a prediction, or measures importance.

mod args;
mod text;

pub use args::Explain;

use std::io::Write;
use std::path::{Path, PathBuf};

use super::data_args::DataArgs;
use super::error::{CommandError, with_cause};
use super::output::Output;
use super::write::{check_writable, write_whole};
use crate::cli::output::shown;
use crate::data::query;
use crate::files::visible::ShownPath;
use crate::learn::explain::{QueryError, QueryExplanation, QueryOptions};
use crate::learn::prepare::Purpose;
use crate::learn::{Method, Model, SavedModel};
use crate::rbm::network::draw::DrawingWidth;
use crate::rbm::network::explain::FlipOptions;
use crate::report::importance::{Importance, Weight, chart, importance};
use crate::report::table::Grid;

pub fn run(args: &Explain, output: &mut Output) -> Result<(), CommandError> {
    args.check()?;
    let files = [&args.html, &args.csv, &args.svg].map(|path| path.as_deref().map(check_writable).transpose());
    let [html, csv, svg] = files;
    let (html, csv, svg) = (html?, csv?, svg?);
    if csv.is_some() && csv == svg {
        return Err(CommandError::input("--csv and --svg name the same file: give each its own"));
    }
    let outputs = args.outputs()?;
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
    if let Some(query) = &args.query {
        let data = args.data()?.ok_or_else(|| CommandError::input("--query requires --data"))?;
        return explain_query(args, &model, query, &data, html.as_deref(), output);
    }
    let network = match &model {
        SavedModel::Trees(trees) => trees.to_network(Method::Exact).map_err(CommandError::input)?.merged(),
        SavedModel::Network(network) => network.clone(),
        other => {
            args.check_network(other)?;
            writeln!(output.out, "{}", other.describe().trim_end())?;
            return Ok(());
        }
    };
    let Some(data) = args.data()? else {
        writeln!(output.out, "{}", network.describe().trim_end())?;
        return Ok(());
    };
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
    announce(args.csv.as_deref(), args.json, output)?;
    announce(args.svg.as_deref(), args.json, output)?;
    print_importance(&measured, args.json, output)
}

fn explain_query(
    args: &Explain,
    model: &SavedModel,
    query: &str,
    data: &DataArgs,
    html: Option<&Path>,
    output: &mut Output,
) -> Result<(), CommandError> {
    args.check_network(model)?;
    // The query is checked before any file is read.
    query::parse(query, (model.target_name(), model.target_arity()))?;
    let loaded = data.prepare(model, Purpose::Query, output)?;
    args.outputs()?.protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
    let budget = args.tries.unwrap_or(FlipOptions::default().budget);
    let options = QueryOptions {
        allow_unknown: args.allow_unknown,
        class: args.class.clone(),
        flips: FlipOptions { threshold: args.threshold, budget },
    };
    let explained = model.explain(query, loaded, &options).map_err(|error| match error {
        QueryError::Query(diagnostic) => (*diagnostic).into(),
        other => CommandError::input(other),
    })?;
    match &explained {
        QueryExplanation::Network(explained) => {
            if let Some(path) = html {
                let [wide, narrow] = [DrawingWidth::Wide, DrawingWidth::Narrow].map(|width| explained.to_svg_of(width));
                let page = explained.view.to_html(&wide, &narrow);
                write_whole(path, &page.map_err(CommandError::internal)?)?;
            }
        }
        QueryExplanation::Clauses(_, warnings) | QueryExplanation::Parts(_, warnings) => output.warn(warnings),
    }
    announce(args.html.as_deref(), args.json, output)?;
    let out = &mut output.out;
    match &explained {
        explained if args.json => write!(out, "{}", explained.to_json())?,
        QueryExplanation::Network(explained) => write!(out, "{}", explained.view.show(args.top))?,
        QueryExplanation::Clauses(clauses, _) => text::print_clauses(clauses, args.top, out)?,
        QueryExplanation::Parts(parts, _) => text::print_parts(parts, args.top, out)?,
    }
    Ok(())
}

/// Prints the path of a written file, unless stdout is for a program.
fn announce(path: Option<&Path>, json: bool, output: &mut Output) -> Result<(), CommandError> {
    if let Some(path) = path.filter(|_| !json) {
        writeln!(output.out, "wrote {}", path.shown())?;
    }
    Ok(())
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
            Grid::new(&[">mean |contribution|", ">coverage", ">AUC-ROC lost", ">log-likelihood lost", name]);
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
        write!(output.out, "{}", shown(&table))?;
    }
    writeln!(output.out, "lost: the drop if the rule, or every rule with the predicate, covers no example")?;
    Ok(())
}
