//! The format of a spec: every key with its help and shape. The reader, the messages, the JSON Schema and the page of
//! keys come from these tables; the parameters of models come from [`crate::learn::parameters`].

use super::diagnostic::listed;
use super::raw::{Item, Written};
use super::units;
use crate::data::benchmark::{Arity, Reflexive, TimeUse};
use crate::data::manifest::{FoldScheme, NegativeScheme};
use crate::learn::params::Value;
use crate::learn::{Kind, Preset};
use crate::metric::Column;

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
    /// Not at all.
    No,
    /// Each with a value.
    Values,
    /// Each with a list of values.
    Lists,
}

/// A key of a table.
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// The accepted values.
    pub shape: Shape,
    /// Whether it is required.
    pub required: bool,
}

/// The accepted values of a key.
pub enum Shape {
    /// Nonempty text.
    Text,
    /// Nonempty text of one line.
    Line,
    /// An option of `sbatch` in its long form.
    SbatchOption,
    /// A valid directory name.
    Name,
    /// A whole number.
    Whole(u64, u64),
    /// A number of folds.
    Folds,
    /// A number above the first, up to the second.
    Above(f64, f64),
    /// A number from the first, up to the second.
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
    List(&'static Shape),
    /// A table.
    Table(&'static Section),
    /// A list of tables.
    Tables(&'static Section),
    /// A table of tables, whose keys are names.
    Named(&'static Section),
}

const fn optional(name: &'static str, about: &'static str, shape: Shape) -> Field {
    Field { name, about, shape, required: false }
}

const fn required(name: &'static str, about: &'static str, shape: Shape) -> Field {
    Field { name, about, shape, required: true }
}

/// The largest whole number that TOML can hold.
const LARGEST: u64 = i64::MAX as u64;
/// Maximum number of folds.
pub const MAX_FOLDS: u64 = 1000;
const SEED: Shape = Shape::Whole(0, LARGEST);
const TEXT: Shape = Shape::Text;
const RATIO: Shape = Shape::Above(0.0, 10_000.0);
const PRESET: Shape = Shape::OneOf(presets);
const ARITY: Shape = Shape::OneOf(arities);
const SBATCH_OPTION: Shape = Shape::SbatchOption;
const TOLERANCE: Shape = Shape::Between(0.0, 1.0);

/// The keys at the top of the file.
pub const TOP: Section = Section {
    fields: &[
        required("name", "the name of the experiment and of its run directory", Shape::Name),
        optional("about", "the question it answers, in a sentence or two", TEXT),
        optional("seed", "where the random draws start; 20200120 if nothing is said", SEED),
        optional("seeds", "several seeds instead of one; every job runs once for each", Shape::List(&SEED)),
        optional(
            "folds",
            "into how many folds the examples are split; without it, as many as the dataset has",
            Shape::Folds,
        ),
        optional(
            "negatives_per_positive",
            "how many negatives stand beside each positive; 2 if nothing is said",
            RATIO,
        ),
        optional("arity", "whether predicates of more than two arguments stay; original if nothing is said", ARITY),
        optional("presets", "every model without a preset of its own runs once in each of these", Shape::List(&PRESET)),
        required("datasets", "ids of datasets, directories, or names of [dataset.NAME] tables", Shape::List(&TEXT)),
        optional("time_limit", "the longest a job may take", Shape::Time),
        optional("memory_limit", "the most memory a job may use", Shape::Memory),
        optional("dataset", "what is different for one dataset", Shape::Named(&DATASET)),
        required("model", "the models, one table each", Shape::Tables(&MODEL)),
        optional("sweep", "settings to try: every combination of the lists, with every case", Shape::Table(&SWEEP)),
        optional("compare", "what the results are compared with", Shape::Table(&COMPARE)),
        optional("expected", "what the results must come to", Shape::Table(&EXPECTED)),
        optional("slurm", "what `--executor slurm` asks the cluster for; it changes no result", Shape::Table(&SLURM)),
    ],
    parameters: Parameters::No,
};

/// The keys of `[[model]]`.
pub const MODEL: Section = Section {
    fields: &[
        required("name", "the name of the model in tables and paths", TEXT),
        required("kind", "what kind of model it is", Shape::OneOf(kinds)),
        optional("preset", "where its parameters start", PRESET),
        optional("from", "the model whose ensemble an lrbm-explainable copies, of the same fold and seed", TEXT),
    ],
    parameters: Parameters::Values,
};

/// The keys of `[dataset.NAME]`.
pub const DATASET: Section = Section {
    fields: &[
        optional("id", "the dataset or directory, if NAME is not its id", TEXT),
        optional("evidence", "the evidence variant, of a published dataset", TEXT),
        optional("arity", "whether predicates of more than two arguments stay", ARITY),
        optional("folds", "into how many folds the examples are split", Shape::Folds),
        optional("fold_scheme", "how examples are split", Shape::OneOf(fold_schemes)),
        optional("negatives", "where negatives come from", Shape::OneOf(negative_schemes)),
        optional("negatives_per_positive", "how many negatives stand beside each positive", RATIO),
        optional("reflexive", "whether examples of the form (a,a) stay", Shape::OneOf(reflexives)),
        optional("drop_shared", "whether training positives that are test positives, too, go", Shape::Bool),
        optional("time", "whether examples are under the time limits of the dataset", Shape::OneOf(time_uses)),
        optional("classes", "whether the last argument of the target becomes the class of an example", Shape::Bool),
        optional("class_size", "with `classes`: how many examples a class has at least", Shape::Whole(1, 1_000_000)),
        optional("scale", "how many times as large a generated domain is", Shape::Whole(1, 1_000_000)),
        optional("noise", "the share of wrong labels of a generated domain", Shape::Between(0.0, 0.99)),
        optional("data_seed", "the seed that a generated domain is made with", SEED),
    ],
    parameters: Parameters::Values,
};

/// The keys of `[sweep]`.
pub const SWEEP: Section = Section {
    fields: &[
        optional("negatives_per_positive", "how many negatives stand beside each positive", Shape::List(&RATIO)),
        optional("arity", "whether predicates of more than two arguments stay", Shape::List(&ARITY)),
        optional("case", "named cases, one table each", Shape::Tables(&CASE)),
    ],
    parameters: Parameters::Lists,
};

/// The keys of `[[sweep.case]]`.
pub const CASE: Section = Section {
    fields: &[
        required("name", "the name of the case in tables and paths", TEXT),
        optional("negatives_per_positive", "how many negatives stand beside each positive", RATIO),
        optional("arity", "whether predicates of more than two arguments stay", ARITY),
    ],
    parameters: Parameters::Values,
};

/// The keys of `[compare]`.
pub const COMPARE: Section = Section {
    fields: &[
        optional("paper", "the table of results/paper.toml to print beside ours", Shape::OneOf(paper_tables)),
        optional("tests", "the tests of significance", Shape::List(&Shape::OneOf(tests))),
    ],
    parameters: Parameters::No,
};

/// The keys of `[expected]`.
pub const EXPECTED: Section = Section {
    fields: &[
        optional("tolerance", "how far a mean may lie from what is expected, unless its row says so itself", TOLERANCE),
        required("rows", "one row for each expected mean", Shape::Tables(&ROW)),
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
        required("metric", "the column", Shape::OneOf(metrics)),
        required("mean", "the mean over folds, seeds averaged first", Shape::Number),
        optional("tolerance", "how far the mean may lie from it, in both directions", TOLERANCE),
    ],
    parameters: Parameters::No,
};

/// The keys of `[slurm]`, which are those of `--slurm-option` as well.
pub const SLURM: Section = Section {
    fields: &[
        optional("partition", "the partition; that of the cluster's choice if nothing is said", Shape::Line),
        optional("account", "the account that pays", Shape::Line),
        optional("time", "the longest a task may take; after it the cluster ends the task", Shape::Time),
        optional("memory", "the memory of a task", Shape::Memory),
        optional("cpus", "the processors of a task; 1 if nothing is said", Shape::Whole(1, 1024)),
        optional("prologue", "a line of shell before the jobs of a task, such as `module load gcc`", Shape::Line),
        optional("options", "further options of sbatch, such as `--qos=long`", Shape::List(&SBATCH_OPTION)),
        optional("task_time", "about how long a task should take; 5 min if nothing is said", Shape::Time),
        optional(
            "attempts",
            "how often a job is submitted whose task ends without its result; 3 if nothing is said",
            Shape::Whole(1, 100),
        ),
    ],
    parameters: Parameters::No,
};

/// Options of `sbatch` that a spec must not set: tasks depend on them, they have their own key, or they select a
/// cluster whose queue is not watched.
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

/// Significance tests that a spec may select.
pub const TESTS: [&str; 3] = [CORRECTED_T, WILCOXON, FRIEDMAN_NEMENYI];
/// The corrected resampled t-test on the folds of each dataset.
pub const CORRECTED_T: &str = "corrected-t";
/// Wilcoxon's signed-rank test on the means of all datasets.
pub const WILCOXON: &str = "wilcoxon-over-datasets";
/// Friedman's test on the ranks of all rows, with Nemenyi's critical difference.
pub const FRIEDMAN_NEMENYI: &str = "friedman-nemenyi";

/// Kinds of models that specs do not support yet, with their description.
pub const NOT_BUILT: [(&str, &str); 1] = [("lrbm-weights", "a lifted RBM of given rules")];

fn kinds() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.name()).collect()
}

fn presets() -> Vec<&'static str> {
    Preset::ALL.iter().map(|(name, _)| *name).collect()
}

fn tests() -> Vec<&'static str> {
    TESTS.to_vec()
}

fn metrics() -> Vec<&'static str> {
    Column::ALL.iter().map(|column| column.name()).collect()
}

/// Returns the tables of `results/paper.toml`, in its order.
pub fn paper_tables() -> Vec<&'static str> {
    let lines = include_str!("../../../results/paper.toml").lines();
    lines.filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).collect()
}

/// Lists the names of a type with few values and finds a value by its name.
macro_rules! named {
    ($names:ident, $find:ident, $type:ty, $values:expr) => {
        fn $names() -> Vec<&'static str> {
            $values.iter().map(|(name, _)| *name).collect()
        }

        /// Returns the value with this name.
        pub fn $find(name: &str) -> Option<$type> {
            $values.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
        }
    };
}

const ARITIES: [(&str, Arity); 2] = [("original", Arity::Original), ("binary", Arity::Binary)];
const REFLEXIVES: [(&str, Reflexive); 2] = [("keep", Reflexive::Keep), ("drop", Reflexive::Drop)];
const FOLD_SCHEMES: [(&str, FoldScheme); 3] =
    [("given", FoldScheme::Given), ("random", FoldScheme::Random), ("by-time", FoldScheme::ByTime)];
const NEGATIVE_SCHEMES: [(&str, NegativeScheme); 2] = [
    ("listed-then-closed-world", NegativeScheme::ListedThenClosedWorld),
    ("closed-world", NegativeScheme::ClosedWorld),
];
const TIME_USES: [(&str, TimeUse); 2] = [("limit", TimeUse::Limit), ("ignore", TimeUse::Ignore)];
named!(arities, arity, Arity, ARITIES);
named!(time_uses, time_use, TimeUse, TIME_USES);
named!(reflexives, reflexive, Reflexive, REFLEXIVES);
named!(fold_schemes, fold_scheme, FoldScheme, FOLD_SCHEMES);
named!(negative_schemes, negative_scheme, NegativeScheme, NEGATIVE_SCHEMES);

impl Section {
    /// Returns the field with this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Shape {
    /// Returns the accepted values as a noun phrase, for messages.
    pub fn allowed(&self) -> String {
        match self {
            Shape::Text => "text in quotes".to_owned(),
            Shape::Line => "text in quotes, on one line".to_owned(),
            Shape::SbatchOption => format!(
                "a long option such as \"--qos=long\", on one line, and none of {}, which are not yours to set",
                listed(OWN_OPTIONS)
            ),
            Shape::Name => {
                "a name of letters, digits, `-`, `_` and `.`, up to 80, with a letter or digit first".to_owned()
            }
            Shape::Whole(from, to) => format!("a whole number from {from} to {to}"),
            Shape::Folds => format!("a whole number from 2 to {MAX_FOLDS}, or 1 if folds go by time"),
            Shape::Above(from, to) => format!("a number above {from}, up to {to}"),
            Shape::Between(from, to) => format!("a number from {from} to {to}"),
            Shape::Number => "a number".to_owned(),
            Shape::Bool => "true or false".to_owned(),
            Shape::Time => "seconds, or a time such as \"90 s\", \"10 min\" or \"2 h\"".to_owned(),
            Shape::Memory => "an amount of memory such as \"500 MB\" or \"2 GiB\"".to_owned(),
            Shape::OneOf(names) => format!("one of {}", listed(names())),
            Shape::List(each) => format!("a list of one or more, each {}", each.allowed()),
            Shape::Table(_) | Shape::Named(_) => "a table".to_owned(),
            Shape::Tables(_) => "a list of tables".to_owned(),
        }
    }

    /// Whether a value is allowed; of lists and tables, whether it is one.
    pub fn fits(&self, item: &Item) -> bool {
        match self {
            Shape::Text => item.text().is_some_and(|text| !text.trim().is_empty()),
            Shape::Line => item.text().is_some_and(is_line),
            Shape::SbatchOption => item.text().is_some_and(is_sbatch_option),
            Shape::Name => item.text().is_some_and(is_name),
            Shape::Whole(from, to) => item.whole().is_some_and(|n| (*from..=*to).contains(&n)),
            Shape::Folds => item.whole().is_some_and(|n| (1..=MAX_FOLDS).contains(&n)),
            Shape::Above(from, to) => item.number().is_some_and(|x| x > *from && x <= *to),
            Shape::Between(from, to) => item.number().is_some_and(|x| (*from..=*to).contains(&x)),
            Shape::Number => item.number().is_some(),
            Shape::Bool => matches!(item.scalar(), Some(Value::Bool(_))),
            Shape::Time => item.scalar().and_then(units::time).is_some(),
            Shape::Memory => item.scalar().and_then(units::memory).is_some(),
            Shape::OneOf(names) => item.text().is_some_and(|text| names().contains(&text)),
            Shape::List(_) => matches!(&item.value, Written::List(items) if !items.is_empty()),
            Shape::Table(_) | Shape::Named(_) => item.table().is_some(),
            Shape::Tables(_) => match &item.value {
                Written::List(items) => !items.is_empty() && items.iter().all(|item| item.table().is_some()),
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
    // What is the beginning of a name stands for it.
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
