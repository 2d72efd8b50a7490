//! `lrbm convert`: converts trees or rules to a network, and prunes, fits or draws it.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::data_args::DataArgs;
use super::error::{CommandError, with_cause};
use super::fold_data::FoldArgs;
use super::output::Output;
use super::output_files::OutputFiles;
use super::weights::{self, FitSettings};
use super::write::{check_writable, write_whole};
use crate::cover::{Coverage, DEFAULT_MEMORY_BYTES};
use crate::data::load::Dataset;
use crate::files::visible::ShownPath;
use crate::learn::prepare::{Purpose, class_labels};
use crate::learn::{LearnedWeights, Method, Model, Prune, Resources, SavedModel, Scored};
use crate::logic::{Diagnostic, Diagnostics};
use crate::math::sigmoid;
use crate::metric::calibration::{Probabilities, cll};
use crate::metric::ranking::{Ranking, auc_pr, auc_roc};
use crate::metric::{ClassMetrics, Column, Metrics, Output as Scores, Undefined};
use crate::rbm::network::draw::DRAWN_RULES;
use crate::rbm::network::{Network, two_classes};

/// Arguments of `lrbm convert`.
#[derive(clap::Args)]
#[command(after_help = NOTATION)]
pub struct Convert {
    /// Model file: trees to convert, or a network to prune, refit or draw.
    #[arg(long, value_name = "MODEL.json", required_unless_present = "rules", conflicts_with = "rules")]
    model: Option<PathBuf>,
    /// File of hand-written rules, instead of a model.
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Conversion of trees: `exact` keeps the probabilities, `paper` copies the weights [default:
    /// exact].
    #[arg(long, value_name = "exact|paper")]
    method: Option<String>,
    /// Merge equivalent rules; with --data also drop literals that do not change the coverage of
    /// its examples.
    #[arg(long)]
    simplify: bool,
    /// Simplify, then remove the weakest rules until N are left, and refit the weights.
    #[arg(long, value_name = "N", conflicts_with = "max_auc_loss")]
    max_hidden: Option<usize>,
    /// Simplify, then remove rules while AUC-ROC on held-out examples drops by at most X.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    max_auc_loss: Option<f64>,
    /// Refit all weights jointly to the examples of --data.
    #[arg(long)]
    refit: bool,
    /// Directory with pos, neg and facts files, or the id of a dataset as in `lrbm datasets list`:
    /// the training examples, to fit, simplify or compare.
    #[arg(long, value_name = "DIR|ID")]
    data: Option<PathBuf>,
    #[command(flatten)]
    fold: FoldArgs,
    /// File of modes and parameters [default: the one in the directory].
    #[arg(long, value_name = "FILE", requires = "data")]
    background: Option<PathBuf>,
    /// Set how weights are fitted (start, l2, max_steps, folds, seed) or how the directory is read
    /// (time_predicate, …).
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "data")]
    set: Vec<String>,
    /// Write the network to this file.
    #[arg(long, value_name = "NETWORK.json")]
    out: Option<PathBuf>,
    /// Write the network as a Graphviz file.
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Draw the network to this file, with equal rules merged.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// With --svg: number of rules to draw, the strongest.
    #[arg(long, value_name = "N", default_value_t = DRAWN_RULES, requires = "svg")]
    top: usize,
}

const NOTATION: &str = "\
Rules, one clause each; the number before a rule is its contribution to the log-odds when it holds [default: 1]:
  -1.8 advisedby(_, _).                                           the bias: prior log-odds
  2.5 advisedby(A, B) :- publication(T, A), publication(T, B).
  advisedby(A, B) :- ta(C, A), taughtby(C, B), \\+ student(B).      \\+ negates inside one grounding
  advisedby(A, _) :- student(A), not (publication(T, A)).         no grounding exists
  advisedby(_, B) :- at_least(3, (publication(T, B))).            at least 3 groundings exist; also with `not` before it
  active(M) :- lumo(M, E), E <= -1.5.                             numbers are compared with <=, <, >= and >
  collab(P, Q) = 3 :- actedin(P, M), actedin(Q, M).               for one class of several
A condition in parentheses shares only the head's variables with the rest. `_` in the head matches any argument.";

pub fn run(args: &Convert, output: &mut Output) -> Result<(), CommandError> {
    let files = [&args.out, &args.dot, &args.svg].map(|path| path.as_deref().map(check_writable).transpose());
    let [out, dot, svg] = files;
    let (out, dot, svg) = (out?, dot?, svg?);
    let written: Vec<&PathBuf> = [&out, &dot, &svg].into_iter().flatten().collect();
    if (1..written.len()).any(|k| written[..k].contains(&written[k])) {
        return Err(CommandError::input("two of --out, --dot and --svg name the same file: give each its own"));
    }
    let outputs =
        OutputFiles::new([("--out", args.out.as_ref()), ("--dot", args.dot.as_ref()), ("--svg", args.svg.as_ref())])?;
    outputs.protect([&args.model, &args.rules].into_iter().flatten().map(PathBuf::as_path))?;
    check_data(args)?;
    let data = args.data.clone();
    let (background, fold, set) = (args.background.clone(), args.fold.clone(), args.set.clone());
    let data = data.map(|data| DataArgs { data, background, fold, set });
    let others = data.as_ref().map(|data| data.split_settings().others).unwrap_or_default();
    let settings = FitSettings::new(&others)?;
    let (original, mut network) = start(args)?;
    output.warn(&constant_network(&network));
    let loaded = data.as_ref().map(|data| examples(data, &mut network, output)).transpose()?;
    outputs.protect(loaded.iter().flat_map(|loaded| &loaded.counts.files).map(PathBuf::as_path))?;
    match &loaded {
        Some(loaded) if args.rules.is_some() => weights::check_names(&network, loaded, output)?,
        None if args.rules.is_some() => output.warn(&weights::unchecked_names(&network)),
        _ => {}
    }
    let learned = shrink(args, &settings, &mut network, loaded.as_ref())?;
    if let Some(path) = &out {
        network.save(path).map_err(with_cause)?;
    }
    if let Some(path) = &dot {
        write_whole(path, &network.to_dot())?;
    }
    if let Some(path) = &svg {
        write_whole(path, &network.merged().to_svg_of_strongest(args.top))?;
    }
    let place = args.out.as_ref().map(|path| format!("{}: ", path.shown())).unwrap_or_default();
    writeln!(
        output.out,
        "{place}network for {}/{}, {}",
        network.target_name(),
        network.target_arity(),
        network.origin
    )?;
    writeln!(output.out, "{}", network.size())?;
    if let Some(path) = &args.svg {
        let (rules, drawn) = (network.merged().hidden().len(), args.top);
        let which =
            if drawn < rules { format!("the {drawn} strongest of {rules} rules") } else { "all rules".to_owned() };
        writeln!(output.out, "{}: a drawing of {which}", path.shown())?;
    }
    if let Some(learned) = &learned {
        weights::print_learned(output, learned)?;
    }
    match &loaded {
        Some(loaded) if loaded.database.classes.is_some() => {
            compare_classes(output, original.as_ref(), &network, loaded)
        }
        Some(loaded) if network.classes().len() == 2 => compare(output, original.as_ref(), &network, loaded),
        _ => Ok(()),
    }
}

/// Checks that options that fit or measure are given with examples.
fn check_data(args: &Convert) -> Result<(), CommandError> {
    if let Some(loss) = args.max_auc_loss.filter(|loss| !(0.0..=1.0).contains(loss)) {
        return Err(CommandError::Input(format!("--max-auc-loss must be from 0 to 1, such as 0.01, got {loss}")));
    }
    let flags = [
        ("--refit", args.refit),
        ("--max-hidden", args.max_hidden.is_some()),
        ("--max-auc-loss", args.max_auc_loss.is_some()),
    ];
    match flags.iter().find(|(_, given)| *given && args.data.is_none()) {
        Some((flag, _)) => Err(CommandError::Input(format!("{flag} needs --data DIR: the training examples"))),
        None => Ok(()),
    }
}

/// Returns the model, if one is given, and the network to start from.
fn start(args: &Convert) -> Result<(Option<SavedModel>, Network), CommandError> {
    let method = args.method.as_deref().map(Method::find).transpose().map_err(CommandError::input)?;
    let only_trees = |what: &str| match method {
        Some(_) => Err(CommandError::Input(format!("--method applies to trees only, and {what}: omit it"))),
        None => Ok(()),
    };
    if let Some(path) = &args.rules {
        only_trees("--rules defines a network")?;
        return Ok((None, weights::from_rules(path, weights::InitialWeights::FromFile)?));
    }
    let path = args.model.as_deref().unwrap_or(Path::new(""));
    let model = SavedModel::load(path).map_err(with_cause)?;
    let network = match &model {
        SavedModel::Network(network) => {
            only_trees(&format!("{} is already a network", path.shown()))?;
            network.clone()
        }
        SavedModel::Walks(_) | SavedModel::Template(_) => {
            let why = match model {
                SavedModel::Walks(_) => "its hidden units combine counts of walks",
                _ => "its rules are combined by a neural network",
            };
            let message = format!(
                "{}: {why}, and a network uses only whether a rule holds: give trees, or rules of progol or of your own",
                path.shown()
            );
            return Err(CommandError::Input(message));
        }
        SavedModel::Trees(trees) => {
            let unsupported = |error| CommandError::Input(format!("{}: {}: {error}", path.shown(), trees.header.kind));
            trees.to_network(method.unwrap_or(Method::Exact)).map_err(unsupported)?
        }
        SavedModel::Mln(_) => {
            return Err(CommandError::Input(format!(
                "{}: it counts groundings, and a network uses only whether a rule holds: give trees, or rules of progol or of your own",
                path.shown()
            )));
        }
    };
    Ok((Some(model), network))
}

/// Warns about a network whose rules all have no weight.
///
/// Leaves with their whole value in d have no weights that the paper's conversion could copy.
fn constant_network(network: &Network) -> Diagnostics {
    let mut found = Diagnostics::default();
    if !network.hidden().is_empty() && network.hidden().iter().all(|node| node.strength() == 0.0) {
        let message = "no rule has weights that depend on whether it holds, so every example gets the same probability";
        let help = "leaves not fitted by gradient descent have their whole value in d: use --method exact";
        found.push(Diagnostic::warning("constant-network", message, help));
    }
    found
}

/// Reads the examples. Time limits set on the command line replace those of the network.
fn examples(data: &DataArgs, network: &mut Network, output: &Output) -> Result<Dataset, CommandError> {
    let loaded = data.prepare(network, Purpose::Refit, output)?;
    network.use_time_of(&loaded.database);
    Ok(loaded)
}

/// Whether pruning fits weights from scratch. This and [`REFIT_FROM_SCRATCH`] gave the better
/// likelihood on held-out parts of training folds (`scripts/networks --settle`).
const PRUNE_FROM_SCRATCH: bool = true;
/// Whether refitting fits weights from scratch.
const REFIT_FROM_SCRATCH: bool = false;

/// Simplifies, prunes and refits the network, as the options request.
fn shrink(
    args: &Convert,
    settings: &FitSettings,
    network: &mut Network,
    loaded: Option<&Dataset>,
) -> Result<Option<LearnedWeights>, CommandError> {
    let prune = match (args.max_hidden, args.max_auc_loss) {
        (Some(size), _) => Some(Prune::ToSize(size)),
        (None, Some(loss)) => Some(Prune::ToLoss(loss)),
        (None, None) => None,
    };
    if args.simplify || prune.is_some() {
        *network = network.merged();
        network.origin.push_str(", merged");
        if let Some(loaded) = loaded {
            let coverage = Coverage::new(&loaded.database, loaded.target, &loaded.examples, DEFAULT_MEMORY_BYTES);
            *network = network.without_redundant_literals(&coverage).merged();
            network.origin.push_str(", idle literals dropped");
        }
    }
    let Some(loaded) = loaded else { return Ok(None) };
    let task = settings.task(loaded, Resources::default());
    let mut learned = None;
    if let Some(prune) = prune {
        let area = |psi: &[f64], labels: &[bool]| {
            Ranking::new(psi, labels).ok().and_then(|ranking| auc_roc(&ranking).ok()).unwrap_or(0.5)
        };
        let pruned =
            settings.learner(PRUNE_FROM_SCRATCH).prune(network, &task, prune, &area).map_err(CommandError::input)?;
        *network = pruned.0;
        network.origin.push_str(", pruned");
        learned = Some(pruned.1);
    }
    if args.refit {
        learned = Some(settings.learner(REFIT_FROM_SCRATCH).fit(network, &task).map_err(CommandError::input)?);
        network.origin.push_str(", refitted");
    }
    Ok(learned)
}

/// Prints the differences in probability from the model, and metrics, on the examples of the data.
fn compare(
    output: &mut Output,
    original: Option<&SavedModel>,
    network: &Network,
    loaded: &Dataset,
) -> Result<(), CommandError> {
    let score = |model: &dyn Model| -> Result<Vec<f64>, CommandError> {
        let scored = model.score(&loaded.database, loaded.target, &loaded.examples);
        let Scored { scores, warnings } = scored.map_err(CommandError::input)?;
        output.warn(&warnings);
        Ok(scores)
    };
    let psi = score(network)?;
    let probabilities: Vec<f64> = psi.iter().map(|&psi| sigmoid(psi)).collect();
    let n = psi.len();
    let original =
        original.filter(|model| !matches!(model, SavedModel::Network(from) if from.classes() != two_classes()));
    if let Some(original) = original {
        let before = score(original)?;
        let gaps: Vec<f64> = before.iter().zip(&probabilities).map(|(&psi, p)| (sigmoid(psi) - p).abs()).collect();
        print_gaps(output, &gaps, n)?;
    }
    let labels: Vec<bool> = loaded.examples.iter().map(|example| example.positive).collect();
    let ranking = Ranking::new(&psi, &labels).map_err(CommandError::input)?;
    let predicted = Probabilities::new(&probabilities, &labels).map_err(CommandError::input)?;
    let values = [("AUC-ROC", auc_roc(&ranking)), ("AUC-PR", auc_pr(&ranking)), ("CLL", cll(&predicted))];
    for (name, value) in values {
        match value {
            Ok(value) => writeln!(output.out, "{name} {value:.6}")?,
            Err(_) => writeln!(output.out, "{name} undefined (one class)")?,
        }
    }
    Ok(())
}

fn print_gaps(output: &mut Output, gaps: &[f64], examples: usize) -> Result<(), CommandError> {
    let largest = gaps.iter().copied().fold(0.0, f64::max);
    let mean = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
    writeln!(
        output.out,
        "against the model on {examples} examples: P differs by {largest:.1e} at most, {mean:.1e} on average"
    )?;
    Ok(())
}

/// Prints the same as [`compare`] for a multi-class target.
fn compare_classes(
    output: &mut Output,
    original: Option<&SavedModel>,
    network: &Network,
    loaded: &Dataset,
) -> Result<(), CommandError> {
    let score = |model: &dyn Model| -> Result<Vec<Vec<f64>>, CommandError> {
        let scored = model.score_classes(&loaded.database, loaded.target, &loaded.examples);
        let Scored { scores, warnings } = scored.map_err(CommandError::input)?;
        output.warn(&warnings);
        Ok(scores)
    };
    let odds = score(network)?;
    if let Some(original) = original.filter(|model| Model::classes(*model) == Some(network.classes())) {
        let before = score(original)?;
        let pairs = before.iter().flatten().zip(odds.iter().flatten());
        let gaps: Vec<f64> = pairs.map(|(a, b)| (sigmoid(*a) - sigmoid(*b)).abs()).collect();
        print_gaps(output, &gaps, loaded.examples.len())?;
    }
    let labels = class_labels(loaded, network.classes()).map_err(CommandError::input)?;
    let outputs: Vec<Scores<'_>> = odds.iter().map(|row| Scores::LogOdds(row)).collect();
    let no_thresholds = vec![Err(Undefined::NoTrainingScores); outputs.len()];
    let metrics = Metrics::macro_average(&outputs, &labels, &no_thresholds).map_err(CommandError::input)?;
    for (name, column) in [("AUC-ROC", Column::AucRoc), ("AUC-PR", Column::AucPr)] {
        match metrics.get(column) {
            Ok(value) => writeln!(output.out, "{name} {value:.6} (mean over classes)")?,
            Err(why) => writeln!(output.out, "{name} undefined (of some class: {why})")?,
        }
    }
    if let Ok(decided) = ClassMetrics::new(&odds, &labels).map_err(CommandError::input)? {
        writeln!(output.out, "accuracy {:.6}\nlog loss {:.6}", decided.accuracy, decided.log_loss)?;
    }
    Ok(())
}
