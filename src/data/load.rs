//! Loads a directory of files into a validated database with examples.

use std::path::{Path, PathBuf};

use super::classes::{ClassExamples, ClassLabels};
use super::examples::{Contradiction, NoExamples, RawExamples};
use super::layout::{self, DatasetFiles};
use super::parameters;
use super::sources::{DataOrigin, DataSource, DataSources};
use crate::determinism::{HashSet, IndexMap};
use crate::files::visible::ShownPath;
use crate::kb::{Database, DatabaseBuilder, Example, Renumbering, TimeRule};
use crate::logic::{
    CapacityError, Constant, Diagnostic, Diagnostics, FileRole, ImportKind, PredicateId, ReadError, Reader, Sentence,
    Severity, Sink, SourceWindow, Symbols,
};

mod error;

pub use error::LoadError;

/// Options of loading a directory.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The background file, if it is not in the directory.
    pub background: Option<PathBuf>,
    /// The target predicate; by default the predicate with the most positive examples.
    pub target: Option<String>,
    /// The time limits on examples.
    pub time: Option<TimeRule>,
    /// How the last argument of the target is used.
    pub classes: ClassLabels,
    /// Whether some facts must have modes, since nothing can be learned otherwise.
    pub needs_modes: bool,
    /// Modes in addition to those of the background file, one line each.
    pub modes: Vec<String>,
}

/// A database with the examples of its target.
#[derive(Debug)]
pub struct Dataset {
    /// Facts, modes and types.
    pub database: Database,
    /// The target predicate; without the class if examples have one.
    pub target: PredicateId,
    /// The positives, then the negatives, each in canonical order of their arguments.
    ///
    /// A dataset is a set: ids and order do not depend on the order of the files.
    pub examples: Vec<Example>,
    /// Indices into `examples` in the order of the files: positives, then negatives.
    pub file_order: Vec<u32>,
    /// The counts of loading.
    pub counts: LoadCounts,
    /// The warnings of loading.
    pub warnings: Diagnostics,
}

/// The counts of loading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadCounts {
    /// The files read, in order.
    pub files: Vec<PathBuf>,
    /// The number of facts, including duplicates.
    pub facts_read: u64,
    /// The number of dropped duplicates with the same label.
    pub duplicate_examples: u64,
    /// The numbers of positive and negative examples of other predicates, by `name/arity`.
    pub other_examples: IndexMap<String, (u64, u64)>,
}

impl Dataset {
    /// Reads a directory with files of facts, modes, positive and negative examples of `target`.
    ///
    /// # Errors
    /// If files are missing or invalid; then all errors are reported together.
    pub fn read(directory: impl AsRef<Path>, target: &str) -> Result<Dataset, LoadError> {
        load(directory.as_ref(), &LoadOptions { target: Some(target.to_owned()), ..LoadOptions::default() })
    }
}

/// Loads a directory, or given files and texts.
///
/// # Errors
/// If files are missing or unreadable, or if they are invalid; then all errors are reported
/// together.
pub fn load<'a>(origin: impl Into<DataOrigin<'a>>, options: &LoadOptions) -> Result<Dataset, LoadError> {
    read(origin.into(), options, None)
}

/// Loads data for prediction: they may lack examples of the target, which is given with its arity.
///
/// # Errors
/// As [`load`].
pub fn load_for_prediction<'a>(
    origin: impl Into<DataOrigin<'a>>,
    options: &LoadOptions,
    target: (&str, usize),
) -> Result<Dataset, LoadError> {
    read(origin.into(), options, Some(target))
}

/// Loads data. If examples may be missing, the target is known.
fn read(origin: DataOrigin<'_>, options: &LoadOptions, known: Option<(&str, usize)>) -> Result<Dataset, LoadError> {
    match origin {
        DataOrigin::Directory(directory) => read_directory(directory, options, known),
        DataOrigin::Sources(sources) => read_sources(Path::new("the data"), sources, options, known),
    }
}

fn read_directory(directory: &Path, options: &LoadOptions, known: Option<(&str, usize)>) -> Result<Dataset, LoadError> {
    if !directory.is_dir() {
        return Err(match layout::describe_file(directory) {
            Some(what) => LoadError::NotADirectory(directory.to_owned(), what),
            None => LoadError::NoDirectory(directory.to_owned()),
        });
    }
    let files = find_files(directory, options, known.is_none())?;
    if options.needs_modes && files.background.is_none() {
        check_background(directory)?;
    }
    read_sources(directory, &files.into(), options, known)
}

/// Loads given files and texts; without examples, the target is known.
fn read_sources(
    directory: &Path,
    files: &DataSources,
    options: &LoadOptions,
    known: Option<(&str, usize)>,
) -> Result<Dataset, LoadError> {
    let mut loader = Loader::default();
    if let Some(background) = &files.background {
        loader.read_with_imports(background, FileRole::Background)?;
    }
    if !options.modes.is_empty() {
        let added = DataSource::text("added modes", options.modes.join("\n") + "\n");
        loader.read_with_imports(&added, FileRole::Background)?;
        loader.counts.files.pop();
    }
    if let Some(facts) = &files.facts {
        loader.read_with_imports(facts, FileRole::Facts)?;
    }
    for (source, positive) in [(&files.positives, true), (&files.negatives, false)] {
        if let Some(source) = source {
            loader.sink.reading_positives = positive;
            loader.read_with_imports(source, FileRole::Examples)?;
        }
    }
    if files.background.is_none() {
        let message =
            format!("{}: no background file, so there are no modes and nothing can be learned", directory.shown());
        let help = format!(
            "write {}, or pass one with --background, in a spec with `background = \"…\"`",
            directory.join("bk.txt").shown()
        );
        loader.reader.diagnostics.push(Diagnostic::warning("no-background", message, help));
    }
    let dataset = loader.finish(files, options, known)?;
    if options.needs_modes && !has_modes(&dataset) {
        let own = files.background.as_ref().map(DataSource::path);
        let background = own.map_or_else(|| directory.join("bk.txt"), Path::to_owned).shown().to_string();
        return Err(LoadError::NoModes { directory: directory.to_owned(), background });
    }
    Ok(dataset)
}

/// Checks that a directory without a background file has none that is overlooked.
pub(super) fn check_background(directory: &Path) -> Result<(), LoadError> {
    match layout::unread_background(directory) {
        None => Ok(()),
        Some(file) => {
            let first = || layout::names(directory, "bk").into_iter().next().unwrap_or_default();
            let expected = layout::miscased(directory, "bk").map_or_else(first, |(_, lower)| lower);
            Err(LoadError::UnreadBackground { file, expected })
        }
    }
}

/// Returns whether a literal over the facts is in the language. Facts of the target alone are
/// evidence for recursive models only.
fn has_modes(dataset: &Dataset) -> bool {
    let Database { facts, schema, .. } = &dataset.database;
    let is_usable = |predicate: PredicateId| predicate != dataset.target && !facts.relation(predicate).is_empty();
    schema.modes().iter().any(|mode| is_usable(mode.predicate))
}

fn find_files(directory: &Path, options: &LoadOptions, examples: bool) -> Result<DatasetFiles, LoadError> {
    let mut files = layout::find(directory);
    if options.background.is_some() {
        files.background.clone_from(&options.background);
    }
    let missing = |what, kind| {
        let mut names = layout::names(directory, kind);
        names.retain(|name| name.ends_with(".txt"));
        let found = layout::miscased(directory, kind).map_or_else(String::new, |(name, lower)| {
            format!("; {name} is not read, since names are in lower case: rename it to {lower}")
        });
        let looked_for = format!("{} (also with .pl and .gz){found}", names.join(", "));
        Err(LoadError::MissingFile { directory: directory.to_owned(), what, looked_for })
    };
    let is_missing = files.positives.is_none() && files.negatives.is_none() && (examples || files.facts.is_none());
    if is_missing && let Some(fold) = layout::fold_directories(directory)?.first() {
        return Err(LoadError::OnlyFolds { directory: directory.to_owned(), side: fold.join("train") });
    }
    match &files {
        DatasetFiles { positives: None, negatives: None, .. } if examples => missing("positive examples", "pos"),
        DatasetFiles { facts: None, .. } => missing("facts", "facts"),
        _ => Ok(files),
    }
}

#[derive(Default)]
struct Loader {
    reader: Reader,
    sink: DataSink,
    counts: LoadCounts,
    seen: HashSet<PathBuf>,
}

impl Loader {
    /// Reads a file and then the files it imports, in order and each only once.
    fn read_with_imports(&mut self, source: &DataSource, role: FileRole) -> Result<(), LoadError> {
        let mut queue = vec![(source.clone(), role)];
        while let Some((source, role)) = queue.pop() {
            let path = source.path().to_owned();
            if !self.seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                continue;
            }
            let opened = source.open();
            let file = path.shown().to_string();
            let reader = opened.map_err(|error| ReadError::Io { file, error })?;
            self.sink.role = Some(role);
            self.reader.read(&mut SourceWindow::new(&path, reader), role, &mut self.sink)?;
            self.counts.files.push(path);
            let imports = std::mem::take(&mut self.sink.imports);
            queue.extend(imports.into_iter().rev().map(|import| (import.into(), FileRole::Background)));
        }
        Ok(())
    }

    fn finish(
        mut self,
        files: &DataSources,
        options: &LoadOptions,
        known: Option<(&str, usize)>,
    ) -> Result<Dataset, LoadError> {
        let mut diagnostics = self.reader.diagnostics;
        let DataSink { mut builder, raw_examples, .. } = self.sink;
        let chosen = raw_examples.choose_target(&builder.predicates, options.target.as_deref());
        let target = match (known, chosen) {
            (Some((name, arity)), _) => {
                // Examples without labels lack the class argument.
                let with_class = usize::from(options.classes == ClassLabels::Always);
                builder.predicates.intern(name, arity + with_class)
            }
            (None, Ok(target)) => target,
            (None, Err(error)) => {
                diagnostics.push(no_example(&error, files));
                return Err(LoadError::Invalid(diagnostics));
            }
        };
        let selected = raw_examples.into_target_examples(&builder, target);
        // Each is shown with its line, which has to be read again, so only as many as are kept are
        // located.
        let shown = selected.contradictions.len().min(Diagnostics::ERRORS_PER_FILE);
        for contradiction in &selected.contradictions[..shown] {
            diagnostics.push(both_labels(contradiction, &builder, target, files));
        }
        diagnostics.suppress((selected.contradictions.len() - shown) as u64);
        self.counts.facts_read = builder.facts() as u64;
        self.counts.duplicate_examples = selected.duplicates;
        self.counts.other_examples = selected.others;
        if options.target.is_none() && !self.counts.other_examples.is_empty() {
            diagnostics.push(several_targets(&builder, target, &self.counts));
        }
        if options.target.is_some() && known.is_none() {
            diagnostics.extend(other_arities(&builder, target, &self.counts));
        }
        if diagnostics.has_errors() {
            return Err(LoadError::Invalid(diagnostics));
        }
        build(builder, target, selected.examples, options, self.counts, diagnostics)
    }
}

/// Builds the database; the last step for files and for generated data.
pub(super) fn build(
    mut builder: DatabaseBuilder,
    mut target: PredicateId,
    mut examples: Vec<Example>,
    options: &LoadOptions,
    counts: LoadCounts,
    mut diagnostics: Diagnostics,
) -> Result<Dataset, LoadError> {
    let mut classes = None;
    if let Some(separated) = options.classes.separate(&mut builder, target, &examples, &mut diagnostics) {
        let ClassExamples { target: without_class, examples: kept, classes: found } = separated;
        (target, examples, classes) = (without_class, kept, Some(found));
        if diagnostics.has_errors() {
            return Err(LoadError::Invalid(diagnostics));
        }
    }
    builder.schema.add_target(target);
    if builder.schema.argument_types(target).is_none() {
        let name = builder.predicates.show(target);
        let message = format!("no mode for the target {name}, so the types of its arguments are unknown");
        let slots = vec!["+type"; builder.predicates.arity(target)].join(", ");
        let help = format!("add `mode: {}({slots}).` with the names of your types", builder.predicates.name(target));
        diagnostics.push(Diagnostic::warning("target-without-mode", message, help));
    }
    for (label, word) in [(true, "positive"), (false, "negative")] {
        // If the target has classes, all its examples are positive.
        if !examples.iter().any(|example| example.positive == label) && (label || classes.is_none()) {
            let message = format!("no {word} example of {}", builder.predicates.show(target));
            let help = "nothing can be learned from one class alone";
            diagnostics.push(Diagnostic::warning("one-class", message, help));
        }
    }
    let renumbering = builder.canonicalize();
    target = renumbering.predicate(target);
    if let Some(classes) = &mut classes {
        classes.target = renumbering.predicate(classes.target);
        classes.labelled = renumbering.predicate(classes.labelled);
    }
    let (examples, file_order) = canonical_examples(examples, &renumbering);
    match builder.build(options.time.as_ref()) {
        Ok((mut database, found)) => {
            database.classes = classes;
            for diagnostic in found {
                // Each message names its subject, so it identifies duplicates.
                let subject = diagnostic.message.clone();
                diagnostics.push(diagnostic.about(subject));
            }
            Ok(Dataset { database, target, examples, file_order, counts, warnings: diagnostics })
        }
        Err(error) => {
            diagnostics.push(Diagnostic::error("time", error.to_string(), ""));
            Err(LoadError::Invalid(diagnostics))
        }
    }
}

/// Returns the examples with their new ids in canonical order, and their order before.
fn canonical_examples(mut examples: Vec<Example>, ids: &Renumbering) -> (Vec<Example>, Vec<u32>) {
    for example in &mut examples {
        example.args.iter_mut().for_each(|constant| *constant = ids.constant(*constant));
    }
    // The first two arguments decide most comparisons without a look at the example.
    let key = |(example, index): (&Example, u32)| {
        let id = |position: usize| u64::from(example.args.get(position).map_or(0, |constant| constant.id()));
        (!example.positive, id(0) << 32 | id(1), index)
    };
    let mut keys: Vec<(bool, u64, u32)> = examples.iter().zip(0..).map(key).collect();
    let args = |index: u32| &examples[index as usize].args;
    let compare = |a: &(bool, u64, u32), b: &(bool, u64, u32)| (a.0, a.1, args(a.2)).cmp(&(b.0, b.1, args(b.2)));
    if keys.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return (examples, keys.into_iter().map(|(_, _, index)| index).collect());
    }
    // Examples are distinct, so that the keys of short ones are too.
    if examples.iter().all(|example| example.args.len() <= 2) {
        keys.sort_unstable();
    } else {
        keys.sort_unstable_by(compare);
    }
    let mut file_order = vec![0; keys.len()];
    let mut before: Vec<Option<Example>> = examples.into_iter().map(Some).collect();
    let mut sorted = Vec::with_capacity(keys.len());
    for (rank, &(_, _, index)) in keys.iter().enumerate() {
        file_order[index as usize] = rank as u32;
        sorted.extend(before[index as usize].take());
    }
    (sorted, file_order)
}

fn both_labels(
    contradiction: &Contradiction,
    builder: &DatabaseBuilder,
    target: PredicateId,
    files: &DataSources,
) -> Diagnostic {
    let positives = files.positives.as_ref().map_or(Path::new(""), DataSource::path);
    let message = format!(
        "{} is a negative example here and a positive one in {}:{}",
        contradiction.show(builder, target),
        positives.shown(),
        contradiction.positive_line
    );
    let diagnostic = Diagnostic::error("positive-and-negative", message, "delete one of the two");
    match &files.negatives {
        Some(negatives) => diagnostic.at(negatives.locate_line(contradiction.negative_line)),
        None => diagnostic,
    }
}

fn several_targets(builder: &DatabaseBuilder, target: PredicateId, counts: &LoadCounts) -> Diagnostic {
    let others: Vec<&str> = counts.other_examples.keys().map(String::as_str).collect();
    let message = format!(
        "examples of several predicates: {} has the most positives and is used as the target, not {}",
        builder.predicates.show(target),
        others.join(", ")
    );
    Diagnostic::warning("several-targets", message, "select the target with --target")
}

/// Warns about examples with the target's name and another arity, which are easily overlooked.
fn other_arities(builder: &DatabaseBuilder, target: PredicateId, counts: &LoadCounts) -> Diagnostics {
    let mut found = Diagnostics::default();
    let name = builder.predicates.name(target);
    let is_other = |other: &&String| other.rsplit_once('/').is_some_and(|(other, _)| other == name);
    for other in counts.other_examples.keys().filter(is_other) {
        let (positives, negatives) = counts.other_examples[other];
        let target = builder.predicates.show(target);
        let message = format!(
            "{positives} positive and {negatives} negative examples of {other} are ignored, since the target is {target}"
        );
        let help = "give all examples of a target the same number of arguments";
        found.push(Diagnostic::warning("other-arity", message, help).about(other.clone()));
    }
    found
}

fn no_example(error: &NoExamples, files: &DataSources) -> Diagnostic {
    let diagnostic = Diagnostic::error("no-example", error.to_string(), error.help());
    match files.positives.as_ref().or(files.negatives.as_ref()) {
        Some(source) => diagnostic.in_file(source.path()),
        None => diagnostic,
    }
}

/// Distributes the sentences of all files to the database builder and the example list.
#[derive(Default)]
struct DataSink {
    builder: DatabaseBuilder,
    raw_examples: RawExamples,
    role: Option<FileRole>,
    reading_positives: bool,
    imports: Vec<PathBuf>,
    /// The predicate of the previous fact: facts of a predicate usually come in sequence.
    last: Option<(String, usize, PredicateId)>,
}

impl DataSink {
    fn predicate(&mut self, name: &str, arity: usize) -> PredicateId {
        match &self.last {
            Some((known, n, id)) if known == name && *n == arity => *id,
            _ => {
                let id = self.builder.predicates.intern(name, arity);
                self.last = Some((name.to_owned(), arity, id));
                id
            }
        }
    }

    fn import(&mut self, file: &Path, kind: ImportKind, path: &str) -> Vec<Diagnostic> {
        if kind == ImportKind::Library {
            return vec![unused("importLibrary", "the libraries of BoostSRL are not needed")];
        }
        let directory = file.parent().unwrap_or(Path::new("."));
        let found = ["", ".txt", ".gz", ".txt.gz"]
            .iter()
            .map(|end| directory.join(format!("{path}{end}")))
            .find(|p| p.is_file());
        match found {
            Some(path) => {
                self.imports.push(path);
                Vec::new()
            }
            None if kind == ImportKind::IfExists => Vec::new(),
            None => {
                let message = format!("the imported file `{path}` does not exist");
                let help = format!(
                    "paths are relative to {}; use `importIfExists:` if the file may be missing",
                    directory.shown()
                );
                vec![Diagnostic::error("missing-import", message, help)]
            }
        }
    }
}

fn unused(directive: &str, why: &str) -> Diagnostic {
    let message = format!("`{directive}` is ignored");
    Diagnostic::warning("unused-directive", message, why).about(directive)
}

impl Sink for DataSink {
    fn symbols(&mut self) -> &mut Symbols {
        &mut self.builder.symbols
    }

    #[inline]
    fn fact(
        &mut self,
        line: u64,
        predicate: &str,
        args: &[Constant],
        weight: Option<f64>,
    ) -> Result<(), CapacityError> {
        let id = self.predicate(predicate, args.len());
        if self.role == Some(FileRole::Examples) {
            self.raw_examples.push(id, args, self.reading_positives, weight.unwrap_or(1.0), line);
            return Ok(());
        }
        self.builder.fact(id, args).map_err(|error| CapacityError(error.to_string()))
    }

    fn sentence(&mut self, file: &Path, sentence: Sentence) -> Result<Vec<Diagnostic>, CapacityError> {
        let builder = &mut self.builder;
        Ok(match sentence {
            Sentence::Mode(mode) => {
                let added = builder.schema.add(&mode, &mut builder.predicates, &mut builder.symbols);
                added
                    .err()
                    .into_iter()
                    .map(|d| if d.severity == Severity::Warning { d.about(mode.to_string()) } else { d })
                    .collect()
            }
            Sentence::Parameter(key, value) => {
                let warning = parameters::check(&key);
                builder.schema.add_parameter(key, value);
                warning.into_iter().collect()
            }
            Sentence::Range(name, values) => {
                let mut constants = Vec::with_capacity(values.len());
                for value in &values {
                    constants.push(crate::logic::reader::intern_term(&mut builder.symbols, value)?);
                }
                builder.schema.add_range(&name, constants).err().into_iter().collect()
            }
            Sentence::Bridger(name, arity) => {
                let id = builder.predicates.intern(&name, arity as usize);
                builder.schema.add_bridger(id);
                vec![unused("bridger", "connecting chains are found by pathfinding, see `path_length`")]
            }
            Sentence::Import(kind, path) => self.import(file, kind, &path),
            Sentence::Clause { head, .. } => {
                let message = format!("the clause for `{}` is ignored", head.predicate);
                let help = "state the facts that follow from clauses explicitly";
                vec![Diagnostic::warning("unused-clause", message, help)]
            }
            Sentence::Unused(name, text) if name == ":-" && text.starts_with("dynamic") => Vec::new(),
            Sentence::Unused(name, _) if name.ends_with(":-") => {
                vec![Diagnostic::warning(
                    "unused-clause",
                    "a clause or goal is ignored",
                    "state the facts that follow from clauses explicitly",
                )]
            }
            Sentence::Unused(name, _) => vec![unused(&name, "it has no effect; delete it to silence this warning")],
            Sentence::Notation(_) | Sentence::Fact { .. } => Vec::new(),
        })
    }
}
