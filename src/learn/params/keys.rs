//! Every parameter: its name, what it means, what it may be, and where it goes.

use super::value::Value;
use super::{ClauseWeights, Form, LeafFit, Params, Prior};
use crate::learn::Kind;
use crate::learn::lrnn::Family;
use crate::learn::rrbm::feature::Feature;
use crate::rbm::{Schedule, Visit};
use crate::tree::Expand;

/// A parameter of the learners.
pub struct Key {
    /// Its name in specs and on the command line.
    pub name: &'static str,
    /// What it means, in a line.
    pub about: &'static str,
    /// What it may be, as messages say it.
    pub allowed: &'static str,
    /// The kinds that use it.
    pub kinds: &'static [Kind],
    /// Puts a value in its place; `None` if it is not allowed.
    pub(super) set: fn(&mut Params, &Value) -> Option<()>,
    /// The value in its place.
    pub(super) get: fn(&Params) -> Value,
}

const ALL: &[Kind] = &Kind::ALL;
const ENSEMBLES: &[Kind] = &[Kind::LrbmBoost, Kind::LrbmExplainable, Kind::RdnBoost, Kind::MlnBoost];
/// Those whose trees test whether something is there.
const TREES: &[Kind] = &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost, Kind::Rpt];
/// Those that add what they learn to a first ψ.
const SUMS: &[Kind] = &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost, Kind::MlnBoost];
/// Those that grow trees of any kind.
const GROWN: &[Kind] =
    &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost, Kind::MlnBoost, Kind::Rpt];
/// Those that grow on the gradients of examples which need not count alike.
const BOOSTED: &[Kind] = &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost];
const LRBM: &[Kind] = &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable];
const EXPLAINABLE: &[Kind] = &[Kind::LrbmExplainable];
const MLN: &[Kind] = &[Kind::MlnBoost];
const RPT: &[Kind] = &[Kind::Rpt];
const PROGOL: &[Kind] = &[Kind::Progol];
/// Those that search for clauses from seeds.
const SEEDS: &[Kind] = &[Kind::Progol, Kind::Lrnn];
const CLAUSES: &[Kind] = &[Kind::MlnBoost, Kind::Progol, Kind::Lrnn];
const WALKS: &[Kind] = &[Kind::RrbmC, Kind::RrbmE];
const TEMPLATE: &[Kind] = &[Kind::Lrnn];
const DESCENT: &[Kind] = &[Kind::RrbmC, Kind::RrbmE, Kind::Lrnn];
const STEPS: &[Kind] =
    &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RrbmC, Kind::RrbmE, Kind::Lrnn];

/// The most trees, leaves, or anything else that is counted.
const MANY: u64 = 1_000_000;

/// Every parameter, in the order in which they are listed.
pub const KEYS: &[Key] = &[
    Key {
        name: "trees",
        about: "how many trees are added up",
        allowed: "a whole number from 1 to 1000000",
        kinds: ENSEMBLES,
        set: |p, v| whole(v, 1, MANY).map(|n| p.trees = n as u32),
        get: |p| Value::Integer(p.trees.into()),
    },
    Key {
        name: "max_leaves",
        about: "the most leaves of a tree",
        allowed: "a whole number from 2 to 1000000, or \"none\"",
        kinds: GROWN,
        set: |p, v| whole_or_none(v, 2).map(|n| p.max_leaves = n),
        get: |p| number_or_none(p.max_leaves),
    },
    Key {
        name: "max_depth",
        about: "the most tests on the way to a leaf",
        allowed: "a whole number from 1 to 1000000, or \"none\"",
        kinds: GROWN,
        set: |p, v| whole_or_none(v, 1).map(|n| p.max_depth = n),
        get: |p| number_or_none(p.max_depth),
    },
    Key {
        name: "node_size",
        about: "the most literals in a test",
        allowed: "a whole number from 1 to 4",
        kinds: GROWN,
        set: |p, v| whole(v, 1, 4).map(|n| p.node_size = n as u32),
        get: |p| Value::Integer(p.node_size.into()),
    },
    Key {
        name: "path_length",
        about: "the most literals of a chain that is tried as one test, between two arguments of the target or from the \
                only one to a constant; 0 for none",
        allowed: "a whole number from 0 to 6",
        kinds: GROWN,
        set: |p, v| whole(v, 0, 6).map(|n| p.path_length = n as u32),
        get: |p| Value::Integer(p.path_length.into()),
    },
    Key {
        name: "counts",
        about: "whether a test may also ask for several groundings, as many as divide the training examples",
        allowed: "true or false",
        kinds: TREES,
        set: |p, v| v.as_bool().map(|counts| p.counts = counts),
        get: |p| Value::Bool(p.counts),
    },
    Key {
        name: "count_margin",
        about: "how much more than any other test one for several groundings must gain, as a part of the squared error",
        allowed: "a number from 0 to 1",
        kinds: TREES,
        set: |p, v| v.as_f64().filter(|x| (0.0..=1.0).contains(x)).map(|x| p.count_margin = x),
        get: |p| Value::Number(p.count_margin),
    },
    Key {
        name: "cuts",
        about: "with how many numbers an argument of numbers is compared (`C <= 0.5`) where a mode has `#`; 0 asks for the \
                numbers themselves",
        allowed: "a whole number from 0 to 100",
        kinds: TREES,
        set: |p, v| whole(v, 0, 100).map(|n| p.cuts = n as u32),
        get: |p| Value::Integer(p.cuts.into()),
    },
    Key {
        name: "recursive",
        about: "whether training positives are evidence for other examples, by the modes of the target",
        allowed: "true or false",
        kinds: BOOSTED,
        set: |p, v| v.as_bool().map(|recursive| p.recursive = recursive),
        get: |p| Value::Bool(p.recursive),
    },
    Key {
        name: "min_leaf",
        about: "the fewest examples in a leaf, or their least weight if it is above 1",
        allowed: "a whole number from 1 to 1000000",
        kinds: GROWN,
        set: |p, v| whole(v, 1, MANY).map(|n| p.min_leaf = n as u32),
        get: |p| Value::Integer(p.min_leaf.into()),
    },
    Key {
        name: "step",
        about: "what the values of each tree are multiplied by",
        allowed: "a number above 0, up to 10",
        kinds: SUMS,
        set: |p, v| above_zero(v, 10.0).map(|x| p.step = x),
        get: |p| Value::Number(p.step),
    },
    Key {
        name: "positive_weight",
        about: "how much a positive example counts for each negative one, beside the weights of examples",
        allowed: "a number above 0, up to 1000",
        kinds: BOOSTED,
        set: |p, v| above_zero(v, 1000.0).map(|x| p.positive_weight = x),
        get: |p| Value::Number(p.positive_weight),
    },
    Key {
        name: "learning_rate",
        about: "the first step of coordinate descent in a leaf; for kinds without trees, the step of gradient descent",
        allowed: "a number above 0, up to 1",
        kinds: STEPS,
        set: |p, v| above_zero(v, 1.0).map(|x| p.learning_rate = x),
        get: |p| Value::Number(p.learning_rate),
    },
    Key {
        name: "prior",
        about: "ψ before the first tree",
        allowed: "a number from -100 to 100, or \"log-odds\"",
        kinds: SUMS,
        set: |p, v| prior(v).map(|prior| p.prior = prior),
        get: |p| match p.prior {
            Prior::Value(x) => Value::Number(x),
            Prior::LogOdds => "log-odds".into(),
        },
    },
    Key {
        name: "leaf_fit",
        about: "how the numbers of a leaf are found",
        allowed: "\"coordinate-descent\" or \"closed-form\"",
        kinds: LRBM,
        set: |p, v| one_of(v, LEAF_FITS).map(|fit| p.leaf_fit = fit),
        get: |p| name_of(p.leaf_fit, LEAF_FITS),
    },
    Key {
        name: "schedule",
        about: "how the step of coordinate descent falls",
        allowed: "\"authors\" or \"sqrt\"",
        kinds: LRBM,
        set: |p, v| one_of(v, SCHEDULES).map(|schedule| p.schedule = schedule),
        get: |p| name_of(p.schedule, SCHEDULES),
    },
    Key {
        name: "order",
        about: "whether a step of coordinate descent looks at one example or at all",
        allowed: "\"online\" or \"batch\"",
        kinds: LRBM,
        set: |p, v| one_of(v, ORDERS).map(|order| p.order = order),
        get: |p| name_of(p.order, ORDERS),
    },
    Key {
        name: "subsample",
        about: "the part of the positives and of the negatives that each tree is grown on",
        allowed: "a number above 0, up to 1",
        kinds: SUMS,
        set: |p, v| above_zero(v, 1.0).map(|x| p.subsample = x),
        get: |p| Value::Number(p.subsample),
    },
    Key {
        name: "early_stopping",
        about: "stop after this many trees without a better likelihood of held-out training examples; 0 for never",
        allowed: "a whole number from 0 to 1000000",
        kinds: ENSEMBLES,
        set: |p, v| whole(v, 0, MANY).map(|n| p.early_stopping = n as u32),
        get: |p| Value::Integer(p.early_stopping.into()),
    },
    Key {
        name: "held_out",
        about: "the part of the training examples that early_stopping holds out",
        allowed: "a number above 0, up to 0.5",
        kinds: ENSEMBLES,
        set: |p, v| above_zero(v, 0.5).map(|x| p.held_out = x),
        get: |p| Value::Number(p.held_out),
    },
    Key {
        name: "expand",
        about: "whether the leaf with the largest mean or total squared error is split next",
        allowed: "\"mean\" or \"total\"",
        kinds: GROWN,
        set: |p, v| one_of(v, EXPANDS).map(|expand| p.expand = expand),
        get: |p| name_of(p.expand, EXPANDS),
    },
    Key {
        name: "rescore",
        about: "the most candidates fitted in earnest before one is chosen, or all that could be chosen",
        allowed: "a whole number from 1 to 1000000, or \"all\"",
        kinds: LRBM,
        set: |p, v| whole_or(v, 1, "all").map(|n| p.rescore = n),
        get: |p| number_or(p.rescore, "all"),
    },
    Key {
        name: "max_candidates",
        about: "the most tests looked at for one node",
        allowed: "a whole number from 1 to 1000000",
        kinds: GROWN,
        set: |p, v| whole(v, 1, MANY).map(|n| p.max_candidates = n as u32),
        get: |p| Value::Integer(p.max_candidates.into()),
    },
    Key {
        name: "distil_leaves",
        about: "the most leaves of the one tree that explains the ensemble",
        allowed: "a whole number from 2 to 1000000, or \"none\"",
        kinds: EXPLAINABLE,
        set: |p, v| whole_or_none(v, 2).map(|n| p.distil_leaves = n),
        get: |p| number_or_none(p.distil_leaves),
    },
    Key {
        name: "distil_depth",
        about: "the most tests on the way to a leaf of that tree",
        allowed: "a whole number from 1 to 1000000, or \"none\"",
        kinds: EXPLAINABLE,
        set: |p, v| whole_or_none(v, 1).map(|n| p.distil_depth = n),
        get: |p| number_or_none(p.distil_depth),
    },
    Key {
        name: "form",
        about: "whether each step learns a tree or clauses",
        allowed: "\"trees\" or \"clauses\"",
        kinds: MLN,
        set: |p, v| one_of(v, FORMS).map(|form| p.form = form),
        get: |p| name_of(p.form, FORMS),
    },
    Key {
        name: "clauses_per_step",
        about: "how many clauses each step learns, if it learns clauses",
        allowed: "a whole number from 1 to 1000000",
        kinds: MLN,
        set: |p, v| whole(v, 1, MANY).map(|n| p.clauses_per_step = n as u32),
        get: |p| Value::Integer(p.clauses_per_step.into()),
    },
    Key {
        name: "beam",
        about: "how many clauses are kept to be made longer",
        allowed: "a whole number from 1 to 1000000",
        kinds: MLN,
        set: |p, v| whole(v, 1, MANY).map(|n| p.beam = n as u32),
        get: |p| Value::Integer(p.beam.into()),
    },
    Key {
        name: "count_budget",
        about: "the most facts looked at to count the groundings of a conjunction for one example",
        allowed: "a whole number from 1 to 1000000",
        kinds: MLN,
        set: |p, v| whole(v, 1, MANY).map(|n| p.count_budget = n as u32),
        get: |p| Value::Integer(p.count_budget.into()),
    },
    Key {
        name: "shrinkage",
        about: "how much weights are held back, as the number of examples that speak for 0",
        allowed: "a number from 0 to 1000000",
        kinds: MLN,
        set: |p, v| v.as_f64().filter(|x| (0.0..=1e6).contains(x)).map(|x| p.shrinkage = x),
        get: |p| Value::Number(p.shrinkage),
    },
    Key {
        name: "largest_part",
        about: "how many literals of a path that hang together are not added to any more",
        allowed: "a whole number from 1 to 6",
        kinds: MLN,
        set: |p, v| whole(v, 1, 6).map(|n| p.largest_part = n as u32),
        get: |p| Value::Integer(p.largest_part.into()),
    },
    Key {
        name: "laplace",
        about: "how many examples of each class a leaf is taken to have beside its own",
        allowed: "a number from 0.000001 to 1000",
        kinds: RPT,
        // Less would be as good as nothing, and the odds of a leaf of one class would be infinite.
        set: |p, v| v.as_f64().filter(|x| (1e-6..=1000.0).contains(x)).map(|x| p.laplace = x),
        get: |p| Value::Number(p.laplace),
    },
    Key {
        name: "clause_length",
        about: "the most literals in a clause",
        allowed: "a whole number from 1 to 20",
        kinds: CLAUSES,
        set: |p, v| whole(v, 1, 20).map(|n| p.clause_length = n as u32),
        get: |p| Value::Integer(p.clause_length.into()),
    },
    Key {
        name: "variable_depth",
        about: "how many literals may lie between a variable of a clause and the target's",
        allowed: "a whole number from 1 to 10",
        kinds: SEEDS,
        set: |p, v| whole(v, 1, 10).map(|n| p.variable_depth = n as u32),
        get: |p| Value::Integer(p.variable_depth.into()),
    },
    Key {
        name: "recall",
        about: "the most facts that a mode takes into a bottom clause for each binding of its inputs",
        allowed: "a whole number from 1 to 1000000",
        kinds: SEEDS,
        set: |p, v| whole(v, 1, MANY).map(|n| p.recall = n as u32),
        get: |p| Value::Integer(p.recall.into()),
    },
    Key {
        // A dataset of a spec has its own `noise`.
        name: "clause_noise",
        about: "the largest part of what a clause covers which may be negative, by weight",
        allowed: "a number from 0 to 1",
        kinds: SEEDS,
        set: |p, v| v.as_f64().filter(|x| (0.0..=1.0).contains(x)).map(|x| p.clause_noise = x),
        get: |p| Value::Number(p.clause_noise),
    },
    Key {
        name: "balance",
        about: "whether the negatives together weigh as much as the positives in the search for clauses, if they are more",
        allowed: "true or false",
        kinds: SEEDS,
        set: |p, v| v.as_bool().map(|balance| p.balance = balance),
        get: |p| Value::Bool(p.balance),
    },
    Key {
        name: "min_positives",
        about: "the fewest positive examples that a clause covers and no clause before it did",
        allowed: "a whole number from 1 to 1000000",
        kinds: SEEDS,
        set: |p, v| whole(v, 1, MANY).map(|n| p.min_positives = n as u32),
        get: |p| Value::Integer(p.min_positives.into()),
    },
    Key {
        name: "search_limit",
        about: "the most clauses looked at for one seed example",
        allowed: "a whole number from 1 to 1000000",
        kinds: SEEDS,
        set: |p, v| whole(v, 1, MANY).map(|n| p.search_limit = n as u32),
        get: |p| Value::Integer(p.search_limit.into()),
    },
    Key {
        name: "max_seeds",
        about: "the most positive examples that clauses are searched from",
        allowed: "a whole number from 1 to 1000000",
        kinds: SEEDS,
        set: |p, v| whole(v, 1, MANY).map(|n| p.max_seeds = n as u32),
        get: |p| Value::Integer(p.max_seeds.into()),
    },
    Key {
        name: "clause_weights",
        about: "whether each clause gets a weight of its own or all have the same vote",
        allowed: "\"fitted\" or \"votes\"",
        kinds: PROGOL,
        set: |p, v| one_of(v, CLAUSE_WEIGHTS).map(|weights| p.clause_weights = weights),
        get: |p| name_of(p.clause_weights, CLAUSE_WEIGHTS),
    },
    Key {
        name: "walk_length",
        about: "the most steps of a walk between the arguments of the target",
        allowed: "a whole number from 1 to 8",
        kinds: WALKS,
        set: |p, v| whole(v, 1, 8).map(|n| p.walk_length = n as u32),
        get: |p| Value::Integer(p.walk_length.into()),
    },
    Key {
        name: "max_walks",
        about: "the most walks that are kept",
        allowed: "a whole number from 1 to 100000",
        kinds: WALKS,
        set: |p, v| whole(v, 1, 100_000).map(|n| p.max_walks = n as u32),
        get: |p| Value::Integer(p.max_walks.into()),
    },
    Key {
        name: "count_scale",
        about: "what numbers of walks are turned into, before they are divided by the largest",
        allowed: "\"log\" or \"linear\"",
        kinds: &[Kind::RrbmC],
        set: |p, v| one_of(v, COUNT_SCALES).map(|scale| p.count_scale = scale),
        get: |p| name_of(p.count_scale, COUNT_SCALES),
    },
    Key {
        name: "hidden_units",
        about: "how many hidden units there are",
        allowed: "a whole number from 1 to 10000",
        kinds: WALKS,
        set: |p, v| whole(v, 1, 10_000).map(|n| p.hidden_units = n as u32),
        get: |p| Value::Integer(p.hidden_units.into()),
    },
    Key {
        name: "family",
        about: "whether the groundings of a rule are joined by their maximum or their average",
        allowed: "\"max\" or \"avg\"",
        kinds: TEMPLATE,
        set: |p, v| one_of(v, &Family::NAMES).map(|family| p.family = family),
        get: |p| p.family.name().into(),
    },
    Key {
        name: "max_groundings",
        about: "the most groundings of a rule that are taken for one head",
        allowed: "a whole number from 1 to 1000000",
        kinds: TEMPLATE,
        set: |p, v| whole(v, 1, MANY).map(|n| p.max_groundings = n as u32),
        get: |p| Value::Integer(p.max_groundings.into()),
    },
    Key {
        name: "epochs",
        about: "how often gradient descent goes through the examples",
        allowed: "a whole number from 0 to 1000000",
        kinds: DESCENT,
        set: |p, v| whole(v, 0, MANY).map(|n| p.epochs = n as u32),
        get: |p| Value::Integer(p.epochs.into()),
    },
    Key {
        name: "batch",
        about: "how many examples a step of gradient descent looks at",
        allowed: "a whole number from 1 to 1000000",
        kinds: DESCENT,
        set: |p, v| whole(v, 1, MANY).map(|n| p.batch = n as u32),
        get: |p| Value::Integer(p.batch.into()),
    },
    Key {
        name: "l2",
        about: "how much weights are held back: half of it times their squares is added to the mean loss",
        allowed: "a number from 0 to 1000",
        kinds: DESCENT,
        set: |p, v| v.as_f64().filter(|x| (0.0..=1000.0).contains(x)).map(|x| p.l2 = x),
        get: |p| Value::Number(p.l2),
    },
    Key {
        name: "seed",
        about: "where the random draws start",
        allowed: "a whole number from 0",
        kinds: ALL,
        set: |p, v| v.as_u64().map(|n| p.seed = n),
        get: |p| Value::Integer(p.seed as i64),
    },
];

const LEAF_FITS: &[(&str, LeafFit)] =
    &[("coordinate-descent", LeafFit::CoordinateDescent), ("closed-form", LeafFit::ClosedForm)];
const SCHEDULES: &[(&str, Schedule)] = &[("authors", Schedule::Authors), ("sqrt", Schedule::Sqrt)];
const ORDERS: &[(&str, Visit)] = &[("online", Visit::Online), ("batch", Visit::Batch)];
const FORMS: &[(&str, Form)] = &[("trees", Form::Trees), ("clauses", Form::Clauses)];
const CLAUSE_WEIGHTS: &[(&str, ClauseWeights)] = &[("fitted", ClauseWeights::Fitted), ("votes", ClauseWeights::Votes)];
const COUNT_SCALES: &[(&str, Feature)] = &[("log", Feature::Log), ("linear", Feature::Linear)];
const EXPANDS: &[(&str, Expand)] = &[("mean", Expand::Mean), ("total", Expand::Total)];

fn whole(value: &Value, from: u64, to: u64) -> Option<u64> {
    value.as_u64().filter(|n| (from..=to).contains(n))
}

/// A whole number, or nothing, which has a name.
fn whole_or(value: &Value, from: u64, nothing: &str) -> Option<Option<u32>> {
    if value.as_text() == Some(nothing) {
        return Some(None);
    }
    whole(value, from, MANY).map(|n| Some(n as u32))
}

fn number_or(number: Option<u32>, nothing: &str) -> Value {
    number.map_or_else(|| nothing.into(), |n| Value::Integer(n.into()))
}

fn whole_or_none(value: &Value, from: u64) -> Option<Option<u32>> {
    whole_or(value, from, "none")
}

fn number_or_none(number: Option<u32>) -> Value {
    number_or(number, "none")
}

fn above_zero(value: &Value, to: f64) -> Option<f64> {
    value.as_f64().filter(|&x| x > 0.0 && x <= to)
}

fn prior(value: &Value) -> Option<Prior> {
    match value.as_text() {
        Some("log-odds") => Some(Prior::LogOdds),
        _ => value.as_f64().filter(|x| x.abs() <= 100.0).map(Prior::Value),
    }
}

fn one_of<T: Copy>(value: &Value, names: &[(&str, T)]) -> Option<T> {
    let text = value.as_text()?;
    names.iter().find(|(name, _)| *name == text).map(|&(_, meaning)| meaning)
}

fn name_of<T: PartialEq>(meaning: T, names: &[(&str, T)]) -> Value {
    names.iter().find(|(_, known)| *known == meaning).map_or("", |(name, _)| name).into()
}
