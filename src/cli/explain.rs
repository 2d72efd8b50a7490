//! `lrbm explain`

mod decision;
mod groundings;
mod parts;
mod query;

use std::io::Write;
use std::path::{Path, PathBuf};

use super::data_args::DataArgs;
use super::table::TextTable;
use super::write::{check_writable, write_whole};
use super::{CommandError, Output, OutputFiles, settings, with_cause};
use crate::data::load::Loaded;
use crate::kb::{Example, TimeSource};
use crate::learn::prepare::{PrepareOptions, Purpose, prepare};
use crate::learn::{Method, MlnModel, Model, SavedModel, Stored};
use crate::logic::nearest::nearest;
use crate::logic::{Constant, Diagnostics};
use crate::math::sigmoid;
use crate::rbm::network::Network;
use crate::rbm::network::explain::{Explainer, FlipOptions};
use crate::report::explanation::{ExplanationView, QueryContext};
use crate::report::importance::{Importance, Weight, chart, importance};
use groundings::Account;

/// Which model, and what about it: its rules, one query, or what matters for the examples of a directory.
#[derive(clap::Args)]
#[command(after_help = NOTES)]
pub struct Explain {
    /// The model, of any kind.
    #[arg(long, value_name = "MODEL.json")]
    model: PathBuf,
    /// Print trees as trees: a clause for each path, in the order in which they are tried, with weights and counts.
    #[arg(long, conflicts_with_all = ["query", "importance"])]
    trees: bool,
    /// Why the model says what it says of this, such as 'advisedby(ann, bob)'.
    #[arg(long, value_name = "ATOM", conflicts_with = "importance")]
    query: Option<String>,
    /// How much each rule and predicate matters for the examples of --data; for trees and networks.
    #[arg(long)]
    importance: bool,
    /// A directory with a file of facts; for --importance also pos and neg files.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The file of modes and parameters, if it is not in the directory.
    #[arg(long, value_name = "FILE", requires = "data")]
    background: Option<PathBuf>,
    /// How the directory is read (time_predicate, time_type, time_by_argument).
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "data")]
    set: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// With --query: also write a page with the part of the network that is active; for trees and networks.
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// With --importance: also write the table.
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
    /// With --importance: also draw bars.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// With --query: the probability above which the decision is for the target.
    #[arg(long, value_name = "P", default_value_t = 0.5, requires = "query")]
    threshold: f64,
    /// With --query: why, or why not, this class of several, against the most likely other one; for trees and networks.
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    #[arg(long, value_name = "N", requires = "query", help = tries_help())]
    tries: Option<usize>,
    /// With --query: how many rules are printed, the largest first; --json and --html have all.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "query")]
    top: usize,
    /// With --query: ask about constants that the data never mention.
    #[arg(long, requires = "query")]
    allow_unknown: bool,
}

fn tries_help() -> String {
    format!(
        "With --query: how many changes of one fact are tried, to see which turn the decision; 0 for none, {} unless given; for trees \
         and networks",
        FlipOptions::default().budget
    )
}

const NOTES: &str = "\
Models of mln-boost, rrbm-c, rrbm-e and lrnn are no networks of rules that hold or do not: they are printed as their clauses, walks or
rules, and --query tells what each of these adds.
Trees are converted to a network that gives the same probabilities, rules that are the same are merged, and the rules are numbered
from the strongest. A grounding that is shown is the first in a fixed order: the literals of a rule from left to right, and for each
the facts by their arguments in the order in which the data first mention them.
A change that is proposed takes away a fact that such a grounding uses, or adds the fact that part of a rule lacks for one more
grounding, with constants of the query and of that grounding, or with the number of the data that just passes a comparison. Each is tried by asking the network again. That none is found does not
mean that there is none.";

impl Explain {
    fn outputs(&self) -> OutputFiles {
        OutputFiles::new([("--html", self.html.as_ref()), ("--csv", self.csv.as_ref()), ("--svg", self.svg.as_ref())])
    }
}

pub fn run(args: &Explain, output: &mut Output) -> Result<(), CommandError> {
    check_together(args)?;
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
            let message = format!("{}: --trees: the model {what}: leave it out", args.model.display());
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
    let Some(data) = args.data.clone() else {
        writeln!(output.out, "{}", network.describe().trim_end())?;
        return Ok(());
    };
    let options = prepare_options(args, &data)?;
    match &args.query {
        Some(query) => explain_query(args, (&model, &network), query, (&data, &options), html.as_deref(), output),
        None => {
            let loaded = prepare(&model, &data, &options, Purpose::Score)?;
            output.warn(&loaded.warnings);
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

/// Returns the options of reading the directory.
fn prepare_options(args: &Explain, data: &Path) -> Result<PrepareOptions, CommandError> {
    let data = DataArgs { data: data.to_owned(), background: args.background.clone(), set: args.set.clone() };
    if let Some(setting) = data.split_settings().others.first() {
        return Err(settings::unknown(setting));
    }
    data.prepare_options()
}

/// The clauses of a model that counts their groundings, or what each adds for a query.
fn explain_groundings(args: &Explain, model: &MlnModel, output: &mut Output) -> Result<(), CommandError> {
    match asked(args, model, output)? {
        Some((loaded, constants)) => {
            Account::new(model, &loaded, &constants, args.threshold, output)?.print(args.json, args.top, output)
        }
        None => Ok(()),
    }
}

/// The data and the constants of the query, for a model that is no network; without a query the model is printed.
fn asked(
    args: &Explain,
    model: &dyn Stored,
    output: &mut Output,
) -> Result<Option<(Loaded, Vec<Constant>)>, CommandError> {
    let only_networks = [
        ("--importance", args.importance),
        ("--html", args.html.is_some()),
        ("--class", args.class.is_some()),
        ("--tries", args.tries.is_some()),
    ];
    if let Some((flag, _)) = only_networks.iter().find(|(_, given)| *given) {
        let instead = if args.query.is_some() { "leave it out" } else { "ask with --query instead" };
        return Err(CommandError::Input(format!(
            "{}: {flag} is about rules that hold or do not, and this is another kind of model: {instead}",
            args.model.display()
        )));
    }
    let (Some(data), Some(query)) = (&args.data, &args.query) else {
        writeln!(output.out, "{}", model.describe().trim_end())?;
        return Ok(None);
    };
    let target = (model.target_name(), model.target_arity());
    let atom = query::parse(query, target).map_err(one)?;
    let mut loaded = prepare(model, data, &prepare_options(args, data)?, Purpose::Query)?;
    output.warn(&loaded.warnings);
    args.outputs().protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
    let constants = query::constants(&atom, &mut loaded, args.allow_unknown)?;
    Ok(Some((loaded, constants)))
}

/// What needs what.
fn check_together(args: &Explain) -> Result<(), CommandError> {
    let (query, importance, data) = (args.query.is_some(), args.importance, args.data.is_some());
    let wrong = |message: &str| Err(CommandError::input(message));
    if query && !data {
        return wrong("--query asks about facts: give the directory that holds them with --data");
    }
    if importance && !data {
        return wrong("--importance is measured on examples: give the directory that holds them with --data");
    }
    if data && !query && !importance {
        return wrong("--data: add what is asked of it, --query 'p(a, b)' or --importance");
    }
    if args.html.is_some() && !query {
        return wrong("--html is a page about one query: add --query 'p(a, b)'");
    }
    if (args.csv.is_some() || args.svg.is_some()) && !importance {
        return wrong("--csv and --svg are of --importance: add it");
    }
    if args.class.is_some() && !query {
        return wrong("--class is of one query: add --query 'p(a, b)'");
    }
    if args.json && !query && !importance {
        return wrong("--json goes with --query or --importance: add one of them");
    }
    if !(0.0..=1.0).contains(&args.threshold) {
        return Err(CommandError::Input(format!(
            "--threshold {}: a probability is from 0 to 1, such as 0.5",
            args.threshold
        )));
    }
    Ok(())
}

fn explain_query(
    args: &Explain,
    (model, network): (&SavedModel, &Network),
    query: &str,
    (directory, options): (&Path, &PrepareOptions),
    html: Option<&Path>,
    output: &mut Output,
) -> Result<(), CommandError> {
    let target = (network.target_name(), network.target_arity());
    // What is wrong with the query itself is found before anything is read.
    let atom = query::parse(query, target).map_err(one)?;
    let mut loaded = prepare(model, directory, options, Purpose::Query)?;
    output.warn(&loaded.warnings);
    args.outputs().protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
    let constants = query::constants(&atom, &mut loaded, args.allow_unknown)?;
    let class = args.class.as_deref().map(|name| find_class(name, network)).transpose()?;
    let context = QueryContext { model: itself(model, &loaded, &constants)?, label: label(&loaded, &constants) };
    // Facts that give times are not for changing: what other facts are seen hangs on them.
    let fixed = match loaded.database.time_rule().map(|rule| &rule.source) {
        Some(TimeSource::Predicate(name)) => loaded.database.predicates.find(name, 2),
        _ => None,
    };
    let Loaded { database, target, .. } = loaded;
    let mut explainer =
        Explainer::new(network, database, target).map_err(CommandError::input)?.fixed(fixed).about(class);
    let budget = args.tries.unwrap_or(FlipOptions::default().budget);
    let options = FlipOptions { threshold: args.threshold, budget };
    let said = explainer.explain(&constants, &options).map_err(CommandError::input)?;
    let told = ExplanationView::new(network, &explainer, &said, &options, context);
    if let Some(path) = html {
        let drawing = network.to_svg_with_lit(|j| said.fired.iter().any(|fired| fired.node == j));
        write_whole(path, &told.to_html(&drawing).map_err(CommandError::internal)?)?;
    }
    match args.json {
        true => write!(output.out, "{}", told.to_json())?,
        false => write!(output.out, "{}", told.show(args.top))?,
    }
    Ok(())
}

/// The number of a class that was asked about.
fn find_class(name: &str, network: &Network) -> Result<usize, CommandError> {
    let known = network.classes();
    known.iter().position(|class| class == name).ok_or_else(|| {
        let near = nearest(name, known.iter().map(String::as_str)).unwrap_or_default();
        CommandError::Input(format!("--class {name}: did you mean {near}? the classes are {}", known.join(", ")))
    })
}

/// The query as an example of the data, if it is one.
fn example<'a>(loaded: &'a Loaded, constants: &[Constant]) -> Option<&'a Example> {
    loaded.examples.iter().find(|example| *example.args == *constants)
}

/// What the data say of the query, if it is an example there.
fn label(loaded: &Loaded, constants: &[Constant]) -> Option<String> {
    let example = example(loaded, constants)?;
    Some(match loaded.database.classes_of(loaded.target) {
        Some(names) => names[example.class as usize].clone(),
        None if example.positive => "positive".to_owned(),
        None => "negative".to_owned(),
    })
}

/// The probability of each class by the model that the network was made from, if it was made from one.
fn itself(model: &SavedModel, loaded: &Loaded, constants: &[Constant]) -> Result<Option<Vec<f64>>, CommandError> {
    let SavedModel::Trees(trees) = model else { return Ok(None) };
    let example = Example { args: constants.into(), positive: false, class: 0, weight: 1.0, line: 0 };
    let odds = trees.score_classes(&loaded.database, loaded.target, &[example]).map_err(CommandError::input)?;
    Ok(Some(odds.scores.iter().map(|row| sigmoid(row[0])).collect()))
}

fn one(diagnostic: crate::logic::Diagnostic) -> CommandError {
    let mut all = Diagnostics::default();
    all.push(diagnostic);
    CommandError::Data(all)
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
            TextTable::new(&[">mean |adds to psi|", ">holds for", ">AUC-ROC lost", ">log-likelihood lost", name]);
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
        table.print(&mut output.out)?;
    }
    writeln!(output.out, "lost: what is missed if the rule, or every rule with the predicate, holds for nobody")?;
    Ok(())
}
