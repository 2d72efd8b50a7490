//! `lrbm train`: trains a model on a data directory.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::data_args::{DataArgs, SplitSettings};
use super::error::{CommandError, with_cause};
use super::fold_data::{FoldOptions, FoldRequest, Side};
use super::output::Output;
use super::output_files::OutputFiles;
use super::progress::steps_bar;
use super::weights;
use super::write::{check_writable, write_whole};
use crate::cover::{Audit, Audited};
use crate::data::benchmark::Arity;
use crate::data::load::{Dataset, LoadOptions, load};
use crate::determinism::IndexMap;
use crate::experiment::spec::units;
use crate::files::visible::ShownPath;
use crate::learn::lrnn::Template;
use crate::learn::params::Entry;
use crate::learn::prepare::{PrepareOptions, Purpose, make_binary_for};
use crate::learn::{
    self, Choice, Distillation, Kind, LearnError, Learner, ListedParameter, LrbmExplainable, Lrnn, Model, Params,
    Preset, Resources, SavedModel, Stored, Task, Trained, TreeModel, Unchecked,
};
use crate::logic::Diagnostics;

/// Arguments of `lrbm train`.
#[derive(clap::Args)]
pub struct Train {
    #[command(flatten)]
    data: DataArgs,
    /// Predicate to learn [default: that of the examples, if they have one predicate].
    #[arg(long)]
    target: Option<String>,
    #[arg(long, default_value = "lrbm-boost", help = kinds())]
    kind: String,
    /// File of rules to learn the weights of, for lrbm-weights, or instead of learned clauses for
    /// lrnn. See `lrbm convert --help` for the notation.
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Preset of parameters for kinds that grow trees: `paper`, `lookahead` (same as none),
    /// `extended`, or `auto` for the one that is best on held-out training examples
    #[arg(long)]
    preset: Option<String>,
    /// Arity of predicates: `binary` replaces longer ones by a predicate `p_i_j` for each pair of
    /// arguments and prints them. Required by rrbm-c and rrbm-e; commands that use the model
    /// convert their data likewise.
    #[arg(long, value_name = "ARITY", default_value = "original", value_parser = ["original", "binary"])]
    arity: String,
    /// With `--set recursive=true`: treat p(a,b) and p(b,a) as equivalent, so that neither is
    /// evidence for the other.
    #[arg(long)]
    symmetric: bool,
    /// Train although no fact has a mode, or a background file is not read: every example gets the
    /// same probability.
    #[arg(long)]
    allow_constant: bool,
    /// Model file of the ensemble to distill, for lrbm-explainable only.
    #[arg(long, value_name = "MODEL.json")]
    from: Option<PathBuf>,
    /// Write the model to this file.
    #[arg(long, value_name = "MODEL.json")]
    out: PathBuf,
    /// Also write the trees as a Graphviz file.
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Size of the coverage cache, such as 512MiB or 2GiB. A smaller one is slower and gives the
    /// same model.
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = size)]
    memory: usize,
    /// Recompute the coverage of N tests with the slow reference evaluator, and fail on any
    /// difference.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1000", value_parser = clap::value_parser!(u32).range(1..))]
    audit: Option<u32>,
}

impl Train {
    fn outputs(&self) -> Result<OutputFiles, CommandError> {
        OutputFiles::new([("--out", Some(&self.out)), ("--dot", self.dot.as_ref())])
    }
}

impl Train {
    fn read_directory(
        &self,
        options: &LoadOptions,
        from: Option<&TreeModel>,
        output: &Output,
    ) -> Result<Dataset, CommandError> {
        let mut loaded = load(&self.data.data, options)?;
        if options.target.is_none() && !loaded.counts.other_examples.is_empty() {
            return Err(several_targets(&loaded));
        }
        if let Some(ensemble) = from.filter(|_| self.arity != "binary") {
            make_binary_for(ensemble, &mut loaded).map_err(CommandError::input)?;
        }
        output.warn(&loaded.warnings);
        if self.arity == "binary" {
            let made = loaded.make_binary(options.time.as_ref()).map_err(CommandError::input)?;
            output.note(made.trim_end());
        }
        Ok(loaded)
    }

    fn read_fold(
        &self,
        request: &FoldRequest<'_>,
        options: &LoadOptions,
        from: Option<&TreeModel>,
        unchecked: &Unchecked,
        output: &Output,
    ) -> Result<Dataset, CommandError> {
        let is_recursive = |read: &Dataset| {
            let checked = unchecked.clone().background(read.database.schema.parameters()).check();
            checked.map(|params| params.recursive()).map_err(CommandError::input)
        };
        let read = match from {
            Some(ensemble) => request.read_for(ensemble, &PrepareOptions::default())?,
            None => {
                let arity = if self.arity == "binary" { Arity::Binary } else { Arity::Original };
                let fold = FoldOptions { arity, load: options.clone(), ..FoldOptions::default() };
                let read = request.read(&fold)?;
                if is_recursive(&read.dataset)? {
                    request.read(&FoldOptions { recursive: true, ..fold })?
                } else {
                    read
                }
            }
        };
        let target = read.dataset.database.predicates.name(read.dataset.target);
        if let Some(given) = self.target.as_ref().filter(|given| *given != target) {
            let message = format!("--target {given}: the target of {} is {target}", self.data.data.display());
            return Err(CommandError::Input(message));
        }
        output.warn(&read.dataset.warnings);
        output.note(&read.about);
        if self.arity == "binary" {
            output.note(read.binary.trim_end());
        }
        Ok(read.dataset)
    }
}

fn several_targets(loaded: &Dataset) -> CommandError {
    let chosen = loaded.database.predicates.show(loaded.target).to_string();
    let others = loaded.counts.other_examples.keys().cloned();
    let names: Vec<String> = std::iter::once(chosen).chain(others).collect();
    CommandError::Input(format!("the examples have several predicates, {}: select one with --target", names.join(", ")))
}

/// Parses a size; one above the address space saturates.
fn size(text: &str) -> Result<usize, String> {
    let invalid = || {
        "invalid size; expected a number of bytes of at least 0, or a number with a unit from kB to TiB, such as 512MiB"
            .to_owned()
    };
    units::size(text).map(|bytes| bytes as usize).ok_or_else(invalid)
}

/// Lists the kinds, for help.
fn kinds() -> String {
    let names: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).collect();
    format!("Kind of model: {}, or {} with --rules", names.join(", "), weights::KIND)
}

/// Lists the kinds and, by the kinds that have them, every parameter with help and accepted values.
pub fn parameters() -> String {
    let of_kinds: Vec<(Kind, Params)> = Kind::ALL.into_iter().map(|kind| (kind, Params::new(kind))).collect();
    let width = Kind::ALL.into_iter().map(|kind| kind.name().len()).max().unwrap_or(0);
    let about = |kind: Kind| format!("  {:<width$}  {}", kind.name(), kind.info().about);
    let about: Vec<String> = Kind::ALL.into_iter().map(about).collect();
    let width = learn::parameters().iter().map(|parameter| parameter.entry.name.len()).max().unwrap_or(0);
    let line = |parameter: &ListedParameter| {
        let Entry { name, help, shape, .. } = parameter.entry;
        format!("    {name:<width$}  {help} ({shape}) [default: {}]", defaults(parameter, &of_kinds))
    };
    let mut groups: IndexMap<&[Kind], Vec<String>> = IndexMap::default();
    for parameter in learn::parameters() {
        groups.entry(&parameter.kinds).or_default().push(line(parameter));
    }
    let group = |(kinds, lines): (&[Kind], Vec<String>)| {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        let of = if kinds.len() == Kind::ALL.len() { "all kinds".to_owned() } else { names.join(", ") };
        format!("  {of}:\n{}", lines.join("\n"))
    };
    let groups: Vec<String> = groups.into_iter().map(group).collect();
    format!("Kinds:\n{}\n\nParameters for --set KEY=VALUE, by kind:\n{}", about.join("\n"), groups.join("\n"))
}

/// Returns the default of a parameter; if it differs between kinds, that of most kinds first.
fn defaults(parameter: &ListedParameter, of_kinds: &[(Kind, Params)]) -> String {
    let mut kinds_by_value: IndexMap<String, Vec<&str>> = IndexMap::default();
    for (kind, params) in of_kinds.iter().filter(|(kind, _)| parameter.kinds.contains(kind)) {
        if let Some(value) = params.get(parameter.entry.name) {
            kinds_by_value.entry(value.to_string()).or_default().push(kind.name());
        }
    }
    kinds_by_value.sort_by(|_, a, _, b| b.len().cmp(&a.len()));
    let shown = kinds_by_value.iter().enumerate().map(|(rank, (value, kinds))| match rank {
        0 => value.clone(),
        _ => format!("{value} for {}", kinds.join(", ")),
    });
    shown.collect::<Vec<_>>().join("; ")
}

pub fn run(args: &Train, output: &mut Output) -> Result<(), CommandError> {
    if args.kind == weights::KIND {
        return train_weights(args, output);
    }
    let kind = Kind::find(&args.kind).map_err(|error| CommandError::Input(format!("{error}, {}", weights::KIND)))?;
    if args.rules.is_some() && kind != Kind::Lrnn {
        let message = format!("--rules requires --kind {} or lrnn, got {kind}", weights::KIND);
        return Err(CommandError::Input(message));
    }
    // Report invalid paths before training.
    let out = check_writable(&args.out)?;
    let dot = args.dot.as_deref().map(check_writable).transpose()?;
    if dot.is_some() && !kind.grows_trees() {
        return Err(CommandError::Input(format!("--dot draws trees, and {kind} has none: omit it")));
    }
    if dot.as_ref() == Some(&out) {
        return Err(CommandError::input("--out and --dot name the same file: give each its own"));
    }
    let outputs = args.outputs()?;
    outputs.protect([&args.from, &args.rules].into_iter().flatten().map(PathBuf::as_path))?;
    let from = match &args.from {
        Some(_) if kind.info().distillation != Distillation::Target => {
            let message = format!("--from requires --kind lrbm-explainable, got {kind}");
            return Err(CommandError::Input(message));
        }
        Some(path) => Some(TreeModel::load(path).map_err(with_cause)?),
        None => None,
    };
    let request = args.data.fold_request(Side::Train, output);
    let other = |ensemble: &&TreeModel| args.target.as_ref().is_some_and(|target| ensemble.target_name() != target);
    if let Some(ensemble) = from.as_ref().filter(other) {
        let message = format!(
            "the ensemble predicts {}, got --target {}: give its own target",
            ensemble.target_name(),
            args.target.as_deref().unwrap_or_default()
        );
        return Err(CommandError::Input(message));
    }
    let settings = args.data.split_settings();
    let mut unchecked = Unchecked::new(kind);
    if let Some(name) = &args.preset {
        unchecked = unchecked.preset(Preset::find(name).map_err(CommandError::input)?);
    }
    if let Some(request) = &request {
        unchecked = unchecked.set(&format!("seed={}", request.training_seed())).map_err(CommandError::input)?;
    }
    for setting in &settings.others {
        unchecked = unchecked.set(setting).map_err(CommandError::input)?;
    }
    let is_recursive = unchecked.check().map_err(CommandError::input)?.recursive();
    let of_ensemble = || from.as_ref().map(|ensemble| ensemble.target_name().to_owned());
    let mut options = args.data.load_options(args.target.clone().or_else(of_ensemble))?;
    options.needs_modes = !args.allow_constant && !is_recursive && args.rules.is_none() && from.is_none();
    // A distilled model has the time limits of its ensemble.
    options.time = options.time.or_else(|| from.as_ref().and_then(|ensemble| ensemble.header.signature.time.clone()));
    let mut loaded = match &request {
        Some(request) => args.read_fold(request, &options, from.as_ref(), &unchecked, output)?,
        None => args.read_directory(&options, from.as_ref(), output)?,
    };
    outputs.protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
    let template = args.rules.as_deref().map(|path| template(path, &loaded, output)).transpose()?;
    let params = unchecked.background(loaded.database.schema.parameters()).check().map_err(CommandError::input)?;
    // A distilled model uses the facts of the target if its ensemble does.
    let inherited = from.as_ref().and_then(|ensemble| ensemble.header.signature.recursive);
    if request.is_some() {
        // The fold has the facts of the target that its examples may see.
        if args.symmetric {
            return Err(CommandError::input("--symmetric applies to directories: a dataset says whether it is"));
        }
    } else if (params.recursive() || inherited.is_some()) && loaded.database.classes.is_none() {
        let symmetric = args.symmetric || inherited.is_some_and(|recursive| recursive.symmetric);
        loaded.add_positives_to_evidence(symmetric, options.time.as_ref()).map_err(CommandError::input)?;
    } else if args.symmetric && !params.recursive() {
        return Err(CommandError::input("--symmetric requires --set recursive=true"));
    }
    let audit = args.audit.map(|size| Audit::new(size as usize, params.seed()));
    let resources = Resources { memory_bytes: args.memory, audit: audit.as_ref() };
    let given = match (from, template) {
        (Some(from), _) => Given::Ensemble(Box::new(from)),
        (None, Some(template)) => Given::Template(Box::new(template)),
        (None, None) => Given::Nothing,
    };
    let trained = fit(kind, given, &loaded, &params, resources, output.quiet)?;
    // A model that fails its audit is not written.
    let audited = audit.map(|audit| audit.check(&loaded.database, loaded.target, &loaded.examples));
    let audited = audited.transpose().map_err(CommandError::internal)?;
    let mut warnings = Diagnostics::default();
    trained.warnings.iter().for_each(|warning| warnings.push(warning.clone()));
    output.warn(&warnings);
    trained.model.save(&out).map_err(with_cause)?;
    if let Some(path) = &dot {
        let trees = trained.model.trees().map(TreeModel::to_dot);
        write_whole(path, &trees.unwrap_or_default())?;
    }
    summary(output, kind, &trained, &args.out, &loaded)?;
    if let Some(choice) = &trained.choice {
        writeln!(output.out, "{}\n\nThis table repeats it in an experiment:\n", choice.describe())?;
        write!(output.out, "{}", model_table(choice, &params, &trained.model)?)?;
    }
    if let Some(Audited { conjunctions, answers }) = audited {
        writeln!(output.out, "audit: {answers} answers for {conjunctions} conjunctions recomputed, no difference")?;
    }
    Ok(())
}

/// Returns the table of a spec with the chosen preset and the parameters that differ from it.
fn model_table(choice: &Choice, params: &Params, model: &SavedModel) -> Result<String, CommandError> {
    let kind = params.kind();
    let of_preset = Unchecked::new(kind).preset(choice.preset).check().map_err(CommandError::input)?;
    let chosen = model.header().map_or_else(|| params.clone(), |header| params.resolved(&header.parameters));
    let mut lines = vec![
        "[[model]]".to_owned(),
        format!("name = \"{kind}\""),
        format!("kind = \"{kind}\""),
        format!("preset = \"{}\"", choice.preset.name()),
    ];
    // An experiment derives the seed from its own seed, the dataset and the fold.
    for name in chosen.entries().into_iter().map(|entry| entry.name).filter(|name| *name != "seed") {
        if let Some(value) = chosen.get(name).filter(|value| of_preset.get(name).as_ref() != Some(value)) {
            lines.push(format!("{name} = {value}"));
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// Learns the weights of given rules.
fn train_weights(args: &Train, output: &mut Output) -> Result<(), CommandError> {
    let with_trees =
        [("--preset", args.preset.is_some()), ("--from", args.from.is_some()), ("--audit", args.audit.is_some())];
    if args.arity == "binary" {
        let message = format!("--kind {} does not support --arity binary: omit it", weights::KIND);
        return Err(CommandError::Input(message));
    }
    if let Some((flag, _)) = with_trees.iter().find(|(_, given)| *given) {
        return Err(CommandError::Input(format!(
            "{flag} applies to tree learners only, and {} learns weights: omit it",
            weights::KIND
        )));
    }
    let Some(rules) = &args.rules else {
        let message = format!("--kind {} needs --rules FILE, the rules to learn the weights of", weights::KIND);
        return Err(CommandError::Input(message));
    };
    let out = check_writable(&args.out)?;
    let dot = args.dot.as_deref().map(check_writable).transpose()?;
    let outputs = args.outputs()?;
    outputs.protect([rules.as_path()])?;
    let SplitSettings { others, .. } = args.data.split_settings();
    let settings = weights::FitSettings::new(&others)?;
    let mut network = weights::from_rules(rules, weights::InitialWeights::Zero)?;
    if let Some(target) = args.target.as_ref().filter(|target| network.target_name() != *target) {
        let message = format!("the rules are for {}, got --target {target}: give their target", network.target_name());
        return Err(CommandError::Input(message));
    }
    let loaded = args.data.prepare(&network, Purpose::Refit, output)?;
    outputs.protect(loaded.counts.files.iter().map(PathBuf::as_path))?;
    weights::check_names(&network, &loaded, output)?;
    let resources = Resources { memory_bytes: args.memory, audit: None };
    let task = settings.task(&loaded, resources);
    let learned = settings.learner(true).fit(&mut network, &task).map_err(CommandError::input)?;
    network.origin = format!("{}, weights learned from {} examples", network.origin, loaded.examples.len());
    network.save(&out).map_err(with_cause)?;
    if let Some(path) = &dot {
        write_whole(path, &network.to_dot())?;
    }
    writeln!(
        output.out,
        "{}: {} for {}/{}",
        args.out.shown(),
        weights::KIND,
        network.target_name(),
        network.target_arity()
    )?;
    writeln!(output.out, "{}", network.size())?;
    weights::print_learned(output, &learned)
}

/// Reads hand-written rules as a template.
fn template(path: &Path, loaded: &Dataset, output: &Output) -> Result<Template, CommandError> {
    let predicates = &loaded.database.predicates;
    let target = (predicates.name(loaded.target), predicates.arity(loaded.target));
    let template = Template::from_rules(&weights::read(path)?, target).map_err(CommandError::Data)?;
    let unknown = template.check_names(&loaded.database);
    if unknown.has_errors() {
        return Err(CommandError::Data(unknown));
    }
    output.warn(&template.unused_facts(&loaded.database));
    Ok(template)
}

/// Further input of a learner.
enum Given {
    Nothing,
    Ensemble(Box<TreeModel>),
    Template(Box<Template>),
}

fn fit(
    kind: Kind,
    given: Given,
    loaded: &Dataset,
    params: &Params,
    resources: Resources<'_>,
    quiet: bool,
) -> Result<Trained<SavedModel>, CommandError> {
    // The first report of progress sets the number of steps.
    let bar = steps_bar(quiet, 1);
    let mut progress = |at: crate::learn::Progress| {
        bar.set_length(at.of as u64);
        bar.set_position(at.done as u64);
        if !bar.is_hidden() {
            bar.set_message(format!("mean log-likelihood {:.4}", at.log_likelihood()));
        }
    };
    let (database, target, examples) = (&loaded.database, loaded.target, loaded.examples.as_slice());
    let task = Task { database, target, examples, seed: params.seed(), resources };
    let trained = match given {
        Given::Ensemble(from) => {
            // If the preset was chosen, it is that of the ensemble.
            let params = params.resolved(&from.header.parameters).typed();
            let learner = params.map(|params| LrbmExplainable { params, from: Some(*from) });
            learner.map_err(LearnError::from).and_then(|learner| learner.fit(&task, &mut progress).map(Trained::saved))
        }
        Given::Template(template) => {
            let learner = params.typed().map(|params| Lrnn { params, template: Some(*template) });
            learner.map_err(LearnError::from).and_then(|learner| learner.fit(&task, &mut progress).map(Trained::saved))
        }
        Given::Nothing => learn::fit(kind, &task, params, &mut progress),
    };
    bar.finish_and_clear();
    trained.map_err(CommandError::input)
}

fn summary(
    output: &mut Output,
    kind: Kind,
    trained: &Trained<SavedModel>,
    path: &Path,
    loaded: &Dataset,
) -> Result<(), CommandError> {
    let model = &trained.model;
    let positives = loaded.examples.iter().filter(|example| example.positive).count();
    let from = match loaded.database.classes_of(loaded.target) {
        Some(names) => format!("{positives} examples of the classes {}", names.join(", ")),
        None => format!("{positives} positives and {} negatives", loaded.examples.len() - positives),
    };
    let size = model.size();
    writeln!(
        output.out,
        "{}: {kind} for {}/{}, {size}, learned from {from}",
        path.shown(),
        model.target_name(),
        model.target_arity(),
    )?;
    if let Some(fidelity) = model.trees().and_then(|trees| trees.fidelity) {
        writeln!(
            output.out,
            "fidelity to the ensemble on the training examples: R² {:.4}, mean gap in probability {:.4}",
            fidelity.r_squared, fidelity.mean_probability_gap
        )?;
    }
    Ok(())
}
