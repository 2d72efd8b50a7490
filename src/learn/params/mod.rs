//! The parameters of the learners: what was written, from several places, and what it comes to once it is checked.
//!
//! What stands first wins: `--set`, the spec, the preset, what makes a kind what it is (one tree, no leaf limit), `setParam` of
//! the background file, the default.

mod allowed;
mod keys;
mod kinds;
mod value;

pub use keys::{KEYS, Key};
pub use value::Value;

use std::collections::BTreeMap;

use super::Kind;
use super::clauses::ClauseOptions;
use super::lrnn::Family;
use super::mln::{CountClauseOptions, CountOptions};
use super::rrbm::feature::Feature;
use super::sgd::SgdOptions;
use crate::logic::Term;
use crate::logic::nearest::nearest;
use crate::rbm::{Descent, Schedule, Visit};
use crate::tree::{Expand, GrowOptions, LanguageOptions, LookAhead};

/// ψ before the first tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prior {
    /// This value.
    Value(f64),
    /// log(positives / negatives) of the training examples.
    LogOdds,
}

/// How the numbers of a leaf are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafFit {
    /// By coordinate descent from zeros, as the paper does.
    CoordinateDescent,
    /// As where descent would end if it went on: ψ is the mean gradient.
    ClosedForm,
}

/// What each step of MLN-Boost learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A tree, whose paths are clauses.
    Trees,
    /// Clauses one by one.
    Clauses,
}

/// What clauses are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseWeights {
    /// Each has a weight of its own, by the likelihood of the training examples.
    Fitted,
    /// All have the same weight: what counts is how many hold.
    Votes,
}

/// Parameters whose every value is allowed, from [`Params::new`] or [`Unchecked::check`]; see [`KEYS`] for what each
/// means.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each field is described where its key is, in KEYS")]
pub struct Params {
    pub trees: u32,
    pub max_leaves: Option<u32>,
    pub max_depth: Option<u32>,
    pub node_size: u32,
    pub look_ahead: LookAhead,
    pub look_ahead_margin: f64,
    pub path_length: u32,
    pub counts: bool,
    pub count_margin: f64,
    pub cuts: u32,
    pub recursive: bool,
    pub min_leaf: u32,
    pub step: f64,
    pub positive_weight: f64,
    pub learning_rate: f64,
    pub prior: Prior,
    pub leaf_fit: LeafFit,
    pub schedule: Schedule,
    pub order: Visit,
    pub subsample: f64,
    pub early_stopping: u32,
    pub held_out: f64,
    pub expand: Expand,
    pub rescore: Option<u32>,
    pub max_candidates: u32,
    pub distil_leaves: Option<u32>,
    pub distil_depth: Option<u32>,
    pub form: Form,
    pub clauses_per_step: u32,
    pub beam: u32,
    pub count_budget: u32,
    pub shrinkage: f64,
    pub largest_part: u32,
    pub laplace: f64,
    pub clause_length: u32,
    pub variable_depth: u32,
    pub recall: u32,
    pub clause_noise: f64,
    pub balance: bool,
    pub min_positives: u32,
    pub search_limit: u32,
    pub max_seeds: u32,
    pub clause_weights: ClauseWeights,
    pub walk_length: u32,
    pub max_walks: u32,
    pub count_scale: Feature,
    pub hidden_units: u32,
    pub family: Family,
    pub max_groundings: u32,
    pub epochs: u32,
    pub batch: u32,
    pub l2: f64,
    pub seed: u64,
}

impl Params {
    /// The parameters of a kind when nothing is said.
    pub fn new(kind: Kind) -> Self {
        let mut params = Self::common();
        for &(key, ref value) in own_settings(kind).iter() {
            params.put(key, value);
        }
        params
    }

    fn common() -> Self {
        let clauses = ClauseOptions::default();
        Params {
            trees: 20,
            max_leaves: Some(4),
            max_depth: None,
            node_size: 2,
            look_ahead: LookAhead::Anywhere,
            look_ahead_margin: 0.0,
            path_length: 3,
            counts: false,
            count_margin: 0.05,
            cuts: 0,
            recursive: false,
            min_leaf: 1,
            step: 2.0,
            positive_weight: 1.0,
            learning_rate: 0.02,
            prior: Prior::Value(-1.8),
            leaf_fit: LeafFit::CoordinateDescent,
            schedule: Schedule::Authors,
            order: Visit::Batch,
            subsample: 1.0,
            early_stopping: 0,
            held_out: 0.2,
            expand: Expand::Mean,
            rescore: Some(1),
            max_candidates: 50_000,
            distil_leaves: None,
            distil_depth: Some(10),
            form: Form::Trees,
            clauses_per_step: 3,
            beam: 5,
            count_budget: 10_000,
            shrinkage: 0.0,
            largest_part: 2,
            laplace: 1.0,
            clause_length: clauses.max_length as u32,
            variable_depth: clauses.variable_depth as u32,
            recall: clauses.recall as u32,
            clause_noise: clauses.noise,
            balance: clauses.balance,
            min_positives: clauses.min_positives as u32,
            search_limit: clauses.search_limit as u32,
            max_seeds: clauses.max_seeds as u32,
            clause_weights: ClauseWeights::Fitted,
            walk_length: 4,
            max_walks: 200,
            count_scale: Feature::Log,
            hidden_units: 20,
            family: Family::Max,
            max_groundings: 1000,
            epochs: 100,
            batch: 32,
            l2: 1e-4,
            seed: 1,
        }
    }

    /// Puts a value of our own, which is allowed, in its place.
    fn put(&mut self, name: &str, value: &Value) {
        let set = find(name).and_then(|key| (key.set)(self, value));
        debug_assert!(set.is_some(), "{name} = {value} is not allowed");
    }

    /// The values of the keys that a kind uses, by name; without those of [`YOUNGER`] that have their default.
    pub fn to_values(&self, kind: Kind) -> BTreeMap<String, Value> {
        let usual = Params::common();
        let shown = |key: &Key| !YOUNGER.contains(&key.name) || (key.get)(self) != (key.get)(&usual);
        let used = KEYS.iter().filter(|key| key.kinds.contains(&kind) && shown(key));
        used.map(|key| (key.name.to_owned(), (key.get)(self))).collect()
    }

    /// Coordinate descent as these parameters want it.
    pub fn descent(&self) -> Descent {
        Descent::new(self.schedule, self.order, self.learning_rate)
    }

    /// How the trees of an ensemble grow.
    pub fn grow_options(&self) -> GrowOptions {
        GrowOptions {
            max_leaves: self.max_leaves.map(|n| n as usize),
            max_depth: self.max_depth.map(|n| n as usize),
            min_leaf: self.min_leaf as usize,
            rescore: self.rescore.map(|n| n as usize),
            expand: self.expand,
            // Numbers are chosen by the examples of a path, and a leaf alone knows only some of them.
            single: self.trees == 1 && !self.counts,
            count_margin: self.count_margin,
            look_ahead_margin: self.look_ahead_margin,
        }
    }

    /// How trees grow whose leaves count groundings.
    pub fn count_options(&self) -> CountOptions {
        CountOptions {
            max_leaves: self.max_leaves.map(|n| n as usize),
            max_depth: self.max_depth.map(|n| n as usize),
            min_leaf: self.min_leaf as usize,
            expand: self.expand,
            shrinkage: self.shrinkage,
        }
    }

    /// How clauses are searched for whose groundings count.
    pub fn count_clause_options(&self) -> CountClauseOptions {
        CountClauseOptions {
            clauses: self.clauses_per_step as usize,
            max_length: self.clause_length as usize,
            beam: self.beam as usize,
            min_examples: self.min_leaf as usize,
            shrinkage: self.shrinkage,
        }
    }

    /// How clauses are searched for from seeds.
    pub fn clause_options(&self) -> ClauseOptions {
        ClauseOptions {
            max_length: self.clause_length as usize,
            variable_depth: self.variable_depth as usize,
            recall: self.recall as usize,
            noise: self.clause_noise,
            balance: self.balance,
            min_positives: self.min_positives as usize,
            search_limit: self.search_limit as usize,
            max_seeds: self.max_seeds as usize,
        }
    }

    /// Gradient descent as these parameters want it.
    pub fn sgd_options(&self) -> SgdOptions {
        SgdOptions {
            epochs: self.epochs as usize,
            learning_rate: self.learning_rate,
            batch: self.batch as usize,
            l2: self.l2,
        }
    }

    /// Which tests a node may ask.
    pub fn language_options(&self) -> LanguageOptions {
        LanguageOptions {
            node_size: self.node_size as usize,
            look_ahead: self.look_ahead,
            max_candidates: self.max_candidates as usize,
            counts: self.counts,
            cuts: self.cuts as usize,
        }
    }
}

/// Parameters that are younger than the first recorded models and results. With their defaults everything is as it was without
/// them, so they are left out of records: what was recorded stays what a run of today gives.
pub const YOUNGER: [&str; 5] = ["positive_weight", "cuts", "recursive", "look_ahead", "look_ahead_margin"];

/// What makes a kind what it is; a background file that was written for another learner does not change it.
fn own_settings(kind: Kind) -> Vec<(&'static str, Value)> {
    match kind {
        // Paper: section 4.3, "a large lifted tree (of depth 10)"
        Kind::LrbmNoBoost => {
            vec![("trees", 1.into()), ("max_depth", 10.into()), ("max_leaves", "none".into()), ("step", 1.into())]
        }
        // As in BoostSRL.
        Kind::RdnBoost => vec![("step", 1.into())],
        // Chosen, as are shrinkage and largest_part, by cross-validation inside the training folds of IMDB, UW-CSE and WEBKB, with inner
        // folds by sets of facts where the outer ones are; results/peers.md says what this choice had seen.
        Kind::MlnBoost => vec![("prior", "log-odds".into()), ("step", 1.into())],
        Kind::Rpt => {
            vec![("trees", 1.into()), ("max_leaves", "none".into()), ("max_depth", 10.into()), ("min_leaf", 5.into())]
        }
        Kind::LrbmBoost | Kind::LrbmExplainable | Kind::Progol => Vec::new(),
        // l2 by cross-validation on the generated domains with a tenth of the labels wrong.
        Kind::RrbmC | Kind::RrbmE => vec![("learning_rate", 0.01.into()), ("l2", 0.003.into())],
        Kind::Lrnn => vec![("learning_rate", 0.01.into())],
    }
}

/// Refuses a number from a model file that no parameter of this name could be.
///
/// # Errors
/// If it is not what the parameter may be.
pub(super) fn check_stored(name: &str, value: u64) -> Result<(), String> {
    let value = Value::Integer(i64::try_from(value).unwrap_or(i64::MAX));
    match find(name) {
        // The parameter is the same for all kinds that have it.
        Some(key) if (key.set)(&mut Params::new(key.kinds[0]), &value).is_none() => {
            Err(format!("{name} is {value}; it must be {}", key.allowed))
        }
        _ => Ok(()),
    }
}

/// A named set of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// What the paper's own figures seem to come from: one literal in a test, no chains, and leaves as the authors'
    /// program fits them.
    Paper,
    /// The defaults.
    Lookahead,
    /// The defaults with longer chains, tests on numbers of groundings and larger trees: slower, and mostly better.
    Extended,
}

impl Preset {
    /// Every preset with its name.
    pub const ALL: [(&'static str, Preset); 3] =
        [("paper", Preset::Paper), ("lookahead", Preset::Lookahead), ("extended", Preset::Extended)];

    /// The preset with this name.
    pub fn find(name: &str) -> Result<Self, ParamError> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|&(_, preset)| preset).ok_or_else(|| ParamError::UnknownPreset { name: name.to_owned() })
    }

    /// Whether presets mean something for a kind: they are about the tests of trees.
    pub fn is_for(kind: Kind) -> bool {
        find("node_size").is_some_and(|key| key.kinds.contains(&kind))
    }

    fn settings(self) -> Vec<(&'static str, Value)> {
        let (node_size, path_length) = match self {
            Preset::Paper => (1, 0),
            Preset::Lookahead => (2, 3),
            Preset::Extended => (2, 4),
        };
        let mut settings = vec![("node_size", node_size.into()), ("path_length", path_length.into())];
        match self {
            Preset::Paper => {
                settings.extend([
                    ("order", "online".into()),
                    ("learning_rate", Value::Number(0.05)),
                    ("rescore", 64.into()),
                    ("step", 1.into()),
                ]);
            }
            Preset::Lookahead => {}
            // Compared with others in results/settled.md.
            Preset::Extended => settings.extend([("counts", true.into()), ("max_leaves", 8.into())]),
        }
        settings
    }
}

/// A parameter that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// There is no such parameter.
    #[error("{place}: no parameter is called `{key}`: did you mean `{nearest}`?")]
    UnknownKey {
        /// Where it was given.
        place: &'static str,
        /// Its name.
        key: String,
        /// The name that was probably meant.
        nearest: &'static str,
    },
    /// The value is not allowed.
    #[error("{place}: {key} = {value} is not allowed: it must be {allowed}")]
    BadValue {
        /// Where it was given.
        place: &'static str,
        /// The parameter.
        key: String,
        /// The value.
        value: Value,
        /// What it may be.
        allowed: String,
    },
    /// The kind has no use for the parameter.
    #[error("{place}: {kind} has no parameter `{key}`, which is for {kinds}: leave it out")]
    NotUsed {
        /// Where it was given.
        place: &'static str,
        /// The kind.
        kind: Kind,
        /// The parameter.
        key: &'static str,
        /// The kinds that use it.
        kinds: String,
    },
    /// A setting of the command line without `=`.
    #[error("--set {text}: this is not KEY=VALUE: write it as in `--set trees=10`")]
    NoEquals {
        /// What was written.
        text: String,
    },
    /// Presets are about trees.
    #[error("{kind} has no presets, which are for kinds that grow trees: leave it out")]
    NoPresets {
        /// The kind.
        kind: Kind,
    },
    /// There is no such preset.
    #[error("no preset is called `{name}`: choose one of paper, lookahead, extended")]
    UnknownPreset {
        /// Its name.
        name: String,
    },
}

/// Parameters as they were written.
#[derive(Clone, Debug)]
pub struct Unchecked {
    kind: Kind,
    background: Vec<(String, Value)>,
    preset: Option<Preset>,
    spec: Vec<(String, Value)>,
    set: Vec<(String, Value)>,
}

impl Unchecked {
    /// Nothing but the kind.
    pub fn new(kind: Kind) -> Self {
        Unchecked { kind, background: Vec::new(), preset: None, spec: Vec::new(), set: Vec::new() }
    }

    /// Adds the parameters of a background file ([`crate::kb::Schema::parameters`]); keys that mean nothing to the
    /// learners are left out here, and warned about where the file is read.
    pub fn background(mut self, parameters: &[(String, Term)]) -> Self {
        self.background.extend(parameters.iter().map(|(key, value)| (key.clone(), value.into())));
        self
    }

    /// Starts from a preset.
    pub fn preset(mut self, preset: Preset) -> Self {
        self.preset = Some(preset);
        self
    }

    /// Adds a parameter of a spec.
    pub fn spec(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.spec.push((key.to_owned(), value.into()));
        self
    }

    /// Adds a parameter of the command line, `KEY=VALUE`.
    ///
    /// # Errors
    /// If there is no `=` in it.
    pub fn set(mut self, text: &str) -> Result<Self, ParamError> {
        let (key, value) = text.split_once('=').ok_or_else(|| ParamError::NoEquals { text: text.to_owned() })?;
        self.set.push((key.trim().to_owned(), Value::parse(value)));
        Ok(self)
    }

    /// Checks every value that was given, also those that others override.
    ///
    /// # Errors
    /// For a key that no kind or not this kind has, and for a value that is not allowed.
    pub fn check(&self) -> Result<Params, ParamError> {
        let mut params = Params::common();
        for (key, value) in &self.background {
            from_background(&mut params, key, value)?;
        }
        for (key, value) in own_settings(self.kind) {
            params.put(key, &value);
        }
        if self.preset.is_some() && !Preset::is_for(self.kind) {
            return Err(ParamError::NoPresets { kind: self.kind });
        }
        for (key, value) in self.preset.iter().flat_map(|preset| preset.settings()) {
            if find(key).is_some_and(|key| key.kinds.contains(&self.kind)) {
                params.put(key, &value);
            }
        }
        for (place, layer) in [("parameters", &self.spec), ("--set", &self.set)] {
            for (key, value) in layer {
                self.apply(&mut params, place, key, value)?;
            }
        }
        Ok(params)
    }

    fn apply(&self, params: &mut Params, place: &'static str, name: &str, value: &Value) -> Result<(), ParamError> {
        let Some(key) = find(name) else {
            let names = KEYS.iter().map(|key| key.name);
            let nearest = nearest(name, names).unwrap_or_default();
            return Err(ParamError::UnknownKey { place, key: name.to_owned(), nearest });
        };
        if !key.kinds.contains(&self.kind) {
            let kinds: Vec<&str> = key.kinds.iter().map(|kind| kind.name()).collect();
            return Err(ParamError::NotUsed { place, kind: self.kind, key: key.name, kinds: kinds.join(", ") });
        }
        (key.set)(params, value).ok_or_else(|| ParamError::BadValue {
            place,
            key: name.to_owned(),
            value: value.clone(),
            allowed: key.allowed.to_owned(),
        })
    }
}

fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// What `setParam` keys mean here. The original does not mind how they are capitalised.
fn from_background(params: &mut Params, key: &str, value: &Value) -> Result<(), ParamError> {
    let bad = |allowed: &str| ParamError::BadValue {
        place: "setParam in the background file",
        key: key.to_owned(),
        value: value.clone(),
        allowed: allowed.to_owned(),
    };
    let (name, value) = match key.to_ascii_lowercase().as_str() {
        "nodesize" => ("node_size", value.clone()),
        "maxtreedepth" => ("max_depth", value.clone()),
        // A tree of k tests has k + 1 leaves.
        "numofclauses" => {
            let tests = value.as_u64().filter(|n| (1..1_000_000).contains(n));
            let tests = tests.ok_or_else(|| bad("a whole number from 1 to 999999"))?;
            ("max_leaves", Value::Integer(tests as i64 + 1))
        }
        _ => return Ok(()),
    };
    let Some(key) = find(name) else { return Ok(()) };
    (key.set)(params, &value).ok_or_else(|| bad(key.allowed))
}

#[cfg(test)]
mod tests;
