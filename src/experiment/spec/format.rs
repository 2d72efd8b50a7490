//! The format of a spec: every key with its help and accepted values. The reader, the messages and
//! the JSON Schema are derived from these tables; the parameters of models come from
//! [`crate::learn::parameters`].

use super::diagnostic::listed;
use super::names::{
    areas, arities, feature_names, fold_schemes, kept, kinds, maximized_metrics, metrics, mirrors, negative_schemes,
    paper_tables, poolings, presets, recorded_tables, reflexives, tests, time_uses, tune_methods,
};
use super::raw::{Item, RawValue};
use super::units;
use crate::files::visible::is_active;
use crate::learn::params::Value;

/// A table of a spec.
pub struct Section {
    /// Its keys.
    pub fields: &'static [Field],
    /// Whether parameters of models are keys as well.
    pub parameters: Parameters,
}

/// Whether and how a table has parameters of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// No parameters.
    No,
    /// Each parameter has a value.
    Values,
    /// Each parameter has a list of values.
    Lists,
    /// Each parameter has a list of values or a range.
    Ranges,
}

/// A key of a table.
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// The accepted values.
    pub shape: FieldShape,
    /// Whether it is required.
    pub required: bool,
}

/// The accepted values of a key.
pub enum FieldShape {
    /// Nonempty text.
    Text,
    /// Text without control characters: a name in tables and paths.
    Label,
    /// Nonempty text of one line.
    Line,
    /// An option of `sbatch` in its long form.
    SbatchOption,
    /// A valid directory name.
    Name,
    /// A whole number in an inclusive range.
    Whole(u64, u64),
    /// A number of folds.
    Folds,
    /// A number above the first bound and at most the second.
    Above(f64, f64),
    /// A number in an inclusive range.
    Between(f64, f64),
    /// Any number.
    Number,
    /// `true` or `false`.
    Bool,
    /// A time such as `"10 min"`.
    Time,
    /// An amount of memory such as `"2 GiB"`.
    Memory,
    /// One of several names.
    OneOf(fn() -> Vec<&'static str>),
    /// A nonempty list.
    List(&'static FieldShape),
    /// A table.
    Table(&'static Section),
    /// A table of any names with scalar values.
    Scalars,
    /// A list of tables.
    Tables(&'static Section),
    /// A table of tables, whose keys are names.
    Named(&'static Section),
}

const fn optional(name: &'static str, about: &'static str, shape: FieldShape) -> Field {
    Field { name, about, shape, required: false }
}

const fn required(name: &'static str, about: &'static str, shape: FieldShape) -> Field {
    Field { name, about, shape, required: true }
}

/// The largest whole number that TOML can hold.
const LARGEST: u64 = i64::MAX as u64;
/// Maximum number of jobs of an experiment.
pub const MAX_JOBS: usize = 100_000;
/// Maximum number of folds.
pub const MAX_FOLDS: u64 = 1000;
const SEED: FieldShape = FieldShape::Whole(0, LARGEST);
const TEXT: FieldShape = FieldShape::Text;
const ARGUMENTS: FieldShape = FieldShape::List(&FieldShape::Text);
const LABEL: FieldShape = FieldShape::Label;
const RATIO: FieldShape = FieldShape::Above(0.0, 10_000.0);
const FRACTION: FieldShape = FieldShape::Above(0.0, 1.0);
const PRESET: FieldShape = FieldShape::OneOf(presets);
const ARITY: FieldShape = FieldShape::OneOf(arities);
const SBATCH_OPTION: FieldShape = FieldShape::SbatchOption;
const TOLERANCE: FieldShape = FieldShape::Between(0.0, 1.0);

/// The keys at the top of the file.
pub const TOP: Section = Section {
    fields: &[
        required("name", "the name of the experiment and of its run directory", FieldShape::Name),
        optional("about", "the question it answers, in a sentence or two", TEXT),
        optional("seed", "seed of all random draws [default: 20200120]", SEED),
        optional("seeds", "several seeds instead of one; every job runs once per seed", FieldShape::List(&SEED)),
        optional("folds", "number of cross-validation folds [default: that of the dataset]", FieldShape::Folds),
        optional("negatives_per_positive", "number of negatives per positive [default: 2]", RATIO),
        optional(
            "arity",
            "whether predicates with more than two arguments are kept or made binary [default: original]",
            ARITY,
        ),
        optional(
            "presets",
            "presets; every model without its own preset runs once with each",
            FieldShape::List(&PRESET),
        ),
        required(
            "datasets",
            "ids of datasets, directories, or names of [dataset.NAME] tables",
            FieldShape::List(&LABEL),
        ),
        optional("time_limit", "maximum running time of a job", FieldShape::Time),
        optional(
            "memory_limit",
            "maximum resident memory of a job, which then runs in a process of its own",
            FieldShape::Memory,
        ),
        optional(
            "isolate",
            "whether every job runs in a process of its own, so that its peak memory is known [default: false]",
            FieldShape::Bool,
        ),
        optional(
            "keep",
            "what is stored of a job besides its record [default: metrics, predictions, models]",
            FieldShape::List(&FieldShape::OneOf(kept)),
        ),
        optional("dataset", "settings of one dataset", FieldShape::Named(&DATASET)),
        required("model", "the models, one table each", FieldShape::Tables(&MODEL)),
        optional(
            "sweep",
            "parameter sweep: every combination of the lists, with every case",
            FieldShape::Table(&SWEEP),
        ),
        optional(
            "tune",
            "parameters that are chosen on the training part of each fold, for every model that has them",
            FieldShape::Table(&TUNE),
        ),
        optional(
            "multiverse",
            "choices that a publication leaves open; universes are drawn from their product",
            FieldShape::Table(&MULTIVERSE),
        ),
        optional("compare", "comparison with the paper, and significance tests", FieldShape::Table(&COMPARE)),
        optional("expected", "expected results", FieldShape::Table(&EXPECTED)),
        optional(
            "slurm",
            "resources that `--executor slurm` requests; they change no result",
            FieldShape::Table(&SLURM),
        ),
    ],
    parameters: Parameters::No,
};

/// The keys of `[[model]]`.
pub const MODEL: Section = Section {
    fields: &[
        required("name", "the name of the model in tables and paths", LABEL),
        required("kind", "the kind of model", FieldShape::OneOf(kinds)),
        optional("preset", "preset of its parameters", PRESET),
        optional(
            "from",
            "the model whose ensemble of the same fold and seed an lrbm-explainable is distilled from",
            TEXT,
        ),
        optional(
            "arity",
            "whether it sees predicates with more than two arguments, or binary ones [default: as the dataset]",
            ARITY,
        ),
        optional("run", "command: program and arguments; {spec_dir} is the directory of the spec", ARGUMENTS),
        optional("version", "command: program and arguments that print the version", ARGUMENTS),
        optional(
            "files",
            "command: files relative to the spec whose checksums are part of the identity of its jobs",
            FieldShape::List(&FieldShape::Line),
        ),
        optional("params", "command: parameters, which [sweep] may vary", FieldShape::Scalars),
        optional("repeatable", "command: whether equal inputs give equal scores [default: true]", FieldShape::Bool),
        optional("features", "command: features that are computed for it", FieldShape::OneOf(feature_names)),
        optional("time_limit", "command: maximum running time of its jobs", FieldShape::Time),
        optional(
            "path",
            "scores: files relative to the spec, with the placeholders {dataset}, {case}, {fold} and {seed}",
            FieldShape::Line,
        ),
        optional(
            "tune",
            "its parameters that are chosen on the training part of each fold, instead of those of [tune]",
            FieldShape::Table(&TUNE),
        ),
    ],
    parameters: Parameters::Values,
};

/// The keys of `[dataset.NAME]`.
pub const DATASET: Section = Section {
    fields: &[
        optional("id", "the dataset or directory, if NAME is not its id", LABEL),
        optional("path", "a directory of own data, relative to the spec file", LABEL),
        optional("target", "with a directory: the predicate to learn [default: the one with most positives]", LABEL),
        optional(
            "background",
            "with a directory: its file of modes, relative to the spec file [default: the one in the directory]",
            LABEL,
        ),
        optional("evidence", "evidence variant of a published dataset", TEXT),
        optional("arity", "whether predicates with more than two arguments are kept or made binary", ARITY),
        optional("folds", "number of cross-validation folds", FieldShape::Folds),
        optional("seeds", "its own seeds; every job runs once per seed", FieldShape::List(&SEED)),
        optional("fold_scheme", "how examples are split into folds", FieldShape::OneOf(fold_schemes)),
        optional(
            "negatives",
            "where negatives come from [default: that of the dataset; for a directory the listed ones if they suffice]",
            FieldShape::OneOf(negative_schemes),
        ),
        optional("negatives_per_positive", "number of negatives per positive", RATIO),
        optional("reflexive", "whether examples of the form (a,a) are kept", FieldShape::OneOf(reflexives)),
        optional(
            "drop_shared",
            "whether training positives that are also test positives are dropped",
            FieldShape::Bool,
        ),
        optional("time", "whether the time limits of the dataset apply", FieldShape::OneOf(time_uses)),
        optional("modes", "mode options of a published dataset, separated by `+`", TEXT),
        optional(
            "mirror",
            "whether recursive models see p(b,a) as evidence for p(a,b) of a symmetric target [default: hide]",
            FieldShape::OneOf(mirrors),
        ),
        optional(
            "classes",
            "whether the last argument of the target becomes the class of an example",
            FieldShape::Bool,
        ),
        optional(
            "class_size",
            "with `classes`: minimum number of examples of a class",
            FieldShape::Whole(1, 1_000_000),
        ),
        optional("scale", "size factor of a generated domain", FieldShape::Whole(1, 1_000_000)),
        optional("noise", "fraction of wrong labels of a generated domain", FieldShape::Between(0.0, 0.99)),
        optional("data_seed", "seed of a generated domain", SEED),
    ],
    parameters: Parameters::Values,
};

/// The keys of `[sweep]`.
pub const SWEEP: Section = Section {
    fields: &[
        optional("negatives_per_positive", "number of negatives per positive", FieldShape::List(&RATIO)),
        optional(
            "arity",
            "whether predicates with more than two arguments are kept or made binary",
            FieldShape::List(&ARITY),
        ),
        optional(
            "train_fraction",
            "fraction of the training examples that is kept; smaller ones are nested in larger ones",
            FieldShape::List(&FRACTION),
        ),
        optional("case", "named cases, one table each", FieldShape::Tables(&CASE)),
    ],
    parameters: Parameters::Lists,
};

/// The keys of `[[sweep.case]]`.
pub const CASE: Section = Section {
    fields: &[
        required("name", "the name of the case in tables and paths", LABEL),
        optional("negatives_per_positive", "number of negatives per positive", RATIO),
        optional("arity", "whether predicates with more than two arguments are kept or made binary", ARITY),
        optional(
            "train_fraction",
            "fraction of the training examples that is kept; smaller ones are nested in larger ones",
            FRACTION,
        ),
    ],
    parameters: Parameters::Values,
};

/// The keys of `[tune]` and of `tune` in `[[model]]`.
pub const TUNE: Section = Section {
    fields: &[
        optional(
            "method",
            "whether every combination is tried, or random ones [default: grid]",
            FieldShape::OneOf(tune_methods),
        ),
        optional("trials", "with `method = \"random\"`: number of settings to draw", FieldShape::Whole(1, 10_000)),
        optional("folds", "number of inner folds of the training part [default: 3]", FieldShape::Whole(2, 100)),
        optional("metric", "the metric to maximize [default: auc_roc]", FieldShape::OneOf(maximized_metrics)),
        optional("presets", "presets to choose from", FieldShape::List(&PRESET)),
    ],
    parameters: Parameters::Ranges,
};

/// The keys of a range of `[tune]`.
pub const RANGE: Section = Section {
    fields: &[
        required("min", "the smallest value", FieldShape::Number),
        required("max", "the largest value", FieldShape::Number),
        optional("steps", "with a grid: number of values, ends included", FieldShape::Whole(2, 1000)),
        optional("log", "whether values are spread evenly in their logarithm [default: false]", FieldShape::Bool),
    ],
    parameters: Parameters::No,
};

/// The keys of `[multiverse]`.
pub const MULTIVERSE: Section = Section {
    fields: &[
        optional(
            "sample",
            "number of universes per dataset and model [default: all combinations]",
            FieldShape::Whole(1, MAX_JOBS as u64),
        ),
        optional("samples", "number of universes by model, instead of `sample`", FieldShape::Scalars),
        optional(
            "published",
            "file of published values, relative to the spec [default: results/paper.toml of the program]",
            FieldShape::Line,
        ),
        optional("tables", "tables of published values [default: all]", FieldShape::List(&LABEL)),
        required("choice", "the choices, one table each", FieldShape::Tables(&UNIVERSE_CHOICE)),
        optional(
            "exclude",
            "combinations of alternatives that do not occur, as tables of choice and alternative",
            FieldShape::List(&FieldShape::Scalars),
        ),
    ],
    parameters: Parameters::No,
};

/// The keys of `[[multiverse.choice]]`.
pub const UNIVERSE_CHOICE: Section = Section {
    fields: &[
        required("name", "the name of the choice, which is a column of the results", FieldShape::Name),
        required("stated", "what the publication says about it, in a sentence", TEXT),
        optional("models", "models it applies to [default: all that it affects]", FieldShape::List(&LABEL)),
        optional("datasets", "datasets it applies to [default: all]", FieldShape::List(&LABEL)),
        required("alternatives", "the alternatives, the first one the reference", FieldShape::Tables(&ALTERNATIVE)),
    ],
    parameters: Parameters::No,
};

/// The keys of an alternative of a choice.
pub const ALTERNATIVE: Section = Section {
    fields: &[
        required("name", "the name of the alternative", LABEL),
        optional("datasets", "datasets it is run on [default: all that offer it]", FieldShape::List(&LABEL)),
        optional("evidence", "evidence variant of a published dataset", TEXT),
        optional("arity", "whether predicates with more than two arguments are kept or made binary", ARITY),
        optional("folds", "number of cross-validation folds", FieldShape::Folds),
        optional("fold_scheme", "how examples are split into folds", FieldShape::OneOf(fold_schemes)),
        optional("negatives", "where negatives come from", FieldShape::OneOf(negative_schemes)),
        optional("negatives_per_positive", "number of negatives per positive", RATIO),
        optional("reflexive", "whether examples of the form (a,a) are kept", FieldShape::OneOf(reflexives)),
        optional(
            "drop_shared",
            "whether training positives that are also test positives are dropped",
            FieldShape::Bool,
        ),
        optional("time", "whether the time limits of the dataset apply", FieldShape::OneOf(time_uses)),
        optional("modes", "mode options of a published dataset; those of several choices add up", TEXT),
        optional(
            "mirror",
            "whether recursive models see p(b,a) as evidence for p(a,b) of a symmetric target",
            FieldShape::OneOf(mirrors),
        ),
        optional("seed", "seed of folds, negatives and training", SEED),
        optional("area", "definition of the areas, evaluated from the scores", FieldShape::OneOf(areas)),
        optional(
            "pooling",
            "mean over folds, or one value of all predictions together, evaluated from the scores",
            FieldShape::OneOf(poolings),
        ),
    ],
    parameters: Parameters::Values,
};

/// The keys of `[compare]`.
pub const COMPARE: Section = Section {
    fields: &[
        optional("paper", "the table of results/paper.toml to print beside ours", FieldShape::OneOf(paper_tables)),
        optional(
            "recorded",
            "the table of results/recorded-peers.toml to print below the results",
            FieldShape::OneOf(recorded_tables),
        ),
        optional("tests", "significance tests", FieldShape::List(&FieldShape::OneOf(tests))),
    ],
    parameters: Parameters::No,
};

/// The keys of `[expected]`.
pub const EXPECTED: Section = Section {
    fields: &[
        optional(
            "tolerance",
            "maximum distance of a mean from the expected one, for rows without their own",
            TOLERANCE,
        ),
        required("rows", "one row for each expected mean", FieldShape::Tables(&ROW)),
    ],
    parameters: Parameters::No,
};

/// The keys of a row of `[expected]`.
pub const ROW: Section = Section {
    fields: &[
        required("dataset", "a dataset of the experiment", TEXT),
        required("model", "a model of the experiment", TEXT),
        optional("preset", "the preset, if the model runs in several", PRESET),
        optional("case", "the case of the sweep, as `lrbm plan` prints it", TEXT),
        required("metric", "the metric", FieldShape::OneOf(metrics)),
        required("mean", "the mean over folds, seeds averaged first", FieldShape::Number),
        optional("tolerance", "maximum distance of the mean from the expected one, in both directions", TOLERANCE),
    ],
    parameters: Parameters::No,
};

/// The keys of `[slurm]`, which are those of `--slurm-option` as well.
pub const SLURM: Section = Section {
    fields: &[
        optional("partition", "the partition [default: that of the cluster]", FieldShape::Line),
        optional("account", "the account to charge", FieldShape::Line),
        optional("time", "maximum running time of a task, after which the cluster ends it", FieldShape::Time),
        optional("memory", "the memory of a task", FieldShape::Memory),
        optional("cpus", "number of processors of a task [default: 1]", FieldShape::Whole(1, 1024)),
        optional(
            "prologue",
            "shell command to run before the jobs of a task, such as `module load gcc`",
            FieldShape::Line,
        ),
        optional("options", "further options of sbatch, such as `--qos=long`", FieldShape::List(&SBATCH_OPTION)),
        optional("task_time", "approximate duration of a task [default: 5 min]", FieldShape::Time),
        optional(
            "attempts",
            "maximum submissions of a job whose task ends without a result [default: 3]",
            FieldShape::Whole(1, 100),
        ),
    ],
    parameters: Parameters::No,
};

/// Options of `sbatch` that a spec must not set: tasks depend on them, they have their own key, or
/// they select a cluster whose queue is not watched.
pub const OWN_OPTIONS: [&str; 18] = [
    "account",
    "array",
    "chdir",
    "clusters",
    "cpus-per-task",
    "error",
    "job-name",
    "mem",
    "no-requeue",
    "ntasks",
    "output",
    "parsable",
    "partition",
    "requeue",
    "test-only",
    "time",
    "wait",
    "wrap",
];

/// Kinds of models that specs do not support yet, with their description.
pub const NOT_BUILT: [(&str, &str); 1] = [("lrbm-weights", "a lifted RBM of given rules")];

impl Section {
    /// Returns the field with this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl FieldShape {
    /// Returns the accepted values as a noun phrase, for messages.
    pub fn allowed(&self) -> String {
        match self {
            FieldShape::Text => "text in quotes".to_owned(),
            FieldShape::Label => "text in quotes, on one line and without control characters".to_owned(),
            FieldShape::Line => "text in quotes, on one line".to_owned(),
            FieldShape::SbatchOption => format!(
                "a long option such as \"--qos=long\", on one line, except the reserved options {}",
                listed(OWN_OPTIONS)
            ),
            FieldShape::Name => {
                "a name of letters, digits, `-`, `_` and `.`, up to 80, with a letter or digit first".to_owned()
            }
            FieldShape::Whole(from, to) => format!("a whole number from {from} to {to}"),
            FieldShape::Folds => format!("a whole number from 2 to {MAX_FOLDS}, or 1 if folds go by time"),
            FieldShape::Above(from, to) => format!("a number above {from}, up to {to}"),
            FieldShape::Between(from, to) => format!("a number from {from} to {to}"),
            FieldShape::Number => "a number".to_owned(),
            FieldShape::Bool => "true or false".to_owned(),
            FieldShape::Time => "seconds, or a time such as \"90 s\", \"10 min\" or \"2 h\"".to_owned(),
            FieldShape::Memory => {
                "an amount of memory with its unit, such as \"500 MB\" or \"2 GiB\", at most 1024 TiB".to_owned()
            }
            FieldShape::OneOf(names) => format!("one of {}", listed(names())),
            FieldShape::List(each) => format!("a list of one or more, each {}", each.allowed()),
            FieldShape::Table(_) | FieldShape::Named(_) => "a table".to_owned(),
            FieldShape::Scalars => "a table of numbers, texts, true or false, such as { trees = 20 }".to_owned(),
            FieldShape::Tables(_) => "a list of tables".to_owned(),
        }
    }

    /// Returns whether a value is allowed. Elements of lists and tables are not checked.
    pub fn fits(&self, item: &Item) -> bool {
        match self {
            FieldShape::Text => item.text().is_some_and(|text| !text.trim().is_empty()),
            FieldShape::Label => item.text().is_some_and(|text| !text.trim().is_empty() && !text.contains(is_active)),
            FieldShape::Line => item.text().is_some_and(is_line),
            FieldShape::SbatchOption => item.text().is_some_and(is_sbatch_option),
            FieldShape::Name => item.text().is_some_and(is_name),
            FieldShape::Whole(from, to) => item.whole().is_some_and(|n| (*from..=*to).contains(&n)),
            FieldShape::Folds => item.whole().is_some_and(|n| (1..=MAX_FOLDS).contains(&n)),
            FieldShape::Above(from, to) => item.number().is_some_and(|x| x > *from && x <= *to),
            FieldShape::Between(from, to) => item.number().is_some_and(|x| (*from..=*to).contains(&x)),
            FieldShape::Number => item.number().is_some(),
            FieldShape::Bool => matches!(item.scalar(), Some(Value::Bool(_))),
            FieldShape::Time => item.scalar().and_then(units::time).is_some(),
            FieldShape::Memory => item.scalar().and_then(units::memory).is_some(),
            FieldShape::OneOf(names) => item.text().is_some_and(|text| names().contains(&text)),
            FieldShape::List(_) => matches!(&item.value, RawValue::List(items) if !items.is_empty()),
            FieldShape::Table(_) | FieldShape::Named(_) => item.table().is_some(),
            FieldShape::Scalars => item.table().is_some_and(|table| table.values().all(|item| item.scalar().is_some())),
            FieldShape::Tables(_) => match &item.value {
                RawValue::List(items) => !items.is_empty() && items.iter().all(|item| item.table().is_some()),
                _ => false,
            },
        }
    }
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(|c: char| c.is_control() && c != '\t')
}

fn is_sbatch_option(text: &str) -> bool {
    let name = text.strip_prefix("--").map(|rest| rest.split('=').next().unwrap_or_default());
    let is_word = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    // `sbatch` accepts unambiguous prefixes of option names.
    let is_own = |name: &str| OWN_OPTIONS.iter().any(|own| own.starts_with(name));
    is_line(text) && name.is_some_and(|name| is_word(name) && !is_own(name))
}

fn is_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.len() <= 80
        && text.bytes().all(inner)
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
        && super::super::job::safe_name(text) == text
}
