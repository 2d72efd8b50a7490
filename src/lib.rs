//! `lrbm` reproduces, questions and extends LRBM-Boost: *Non-parametric learning of lifted
//! restricted Boltzmann machines* (Kaur, Kunapuli, Natarajan; IJAR 2020).
//!
//! The library learns models of relational data, predicts, explains and evaluates. The program
//! `lrbm`, which runs whole experiments, is the feature `harness` (on by default); without it
//! (`default-features = false`) the learners build in a fraction of the time. Published and
//! generated datasets with their folds are the feature `benchmarks`, a part of `harness`.
//!
//! ```
//! use lrbm::{Benchmark, ExampleSet, LrbmBoost, Metrics, Model, Output, SplitOptions, Store};
//! use lrbm::{Undefined, Variant};
//!
//! // A generated benchmark; `lrbm::Dataset::read("mydata", "smokes")` reads a directory of yours.
//! let movies = Benchmark::open("movies", &Store::open("datasets/cache"), &Variant::default())?;
//! let fold = movies.fold(0, &SplitOptions::new(1))?;
//!
//! let trained = LrbmBoost::params().trees(20).max_leaves(4).fit(&fold.train)?;
//! let predicted = trained.model.predict(&fold.test)?;
//!
//! let labels = ExampleSet::from(&fold.test).labels();
//! let threshold = Err(Undefined::NoTrainingScores);
//! let metrics = Metrics::new(Output::LogOdds(&predicted.scores), &labels, threshold)?;
//! assert!(metrics.iter().all(|(column, value)| column.name() != "auc_roc" || value.unwrap() > 0.9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A kind that is only known at run time takes its parameters by name, with a preset if wanted:
//!
//! ```
//! use lrbm::params::Unchecked;
//! use lrbm::{Dataset, Domain, Kind, Model, Preset};
//!
//! let movies = Dataset::generate(Domain::Movies)?;
//! let kind = Kind::find("rdn-boost")?;
//! let params = Unchecked::new(kind).preset(Preset::Paper).set("trees=3")?.check()?;
//! let model = params.fit(&movies)?.model;
//! assert_eq!(model.predict(&movies)?.scores.len(), movies.examples.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Progress and cancellation
//!
//! ```
//! use lrbm::{Benchmark, CancelToken, FitControl, LearnError, RdnBoost, SplitOptions, Store, Variant};
//!
//! let movies = Benchmark::open("movies", &Store::open("datasets/cache"), &Variant::default())?;
//! let fold = movies.fold(0, &SplitOptions::new(1))?;
//! let token = CancelToken::default();
//! let cancel = Some(token.clone());
//! let mut stop_early = |progress: lrbm::Progress| {
//!     if progress.done == 3 {
//!         token.cancel();
//!     }
//! };
//! let control = FitControl { progress: Some(&mut stop_early), cancel, ..FitControl::default() };
//! let stopped = RdnBoost::params().trees(1000).fit_with(&fold.train, control);
//! assert_eq!(stopped.unwrap_err(), LearnError::Cancelled);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Model files, networks and explanations
//!
//! Every model is saved and loaded as a [`SavedModel`]. A sum of trees converts to one lifted RBM,
//! a [`Network`], exactly or as in the paper; an [`Explainer`] shows why a network predicts what
//! it predicts.
//!
//! ```
//! use lrbm::{Dataset, Domain, Explainer, FlipOptions, LrbmBoost, Method, Model, SavedModel, Stored};
//!
//! let movies = Dataset::generate(Domain::Movies)?;
//! let model = LrbmBoost::params().trees(5).fit(&movies)?.model;
//! let network = model.to_network(Method::Exact)?;
//!
//! let restored = SavedModel::from_json(&model.to_json())?;
//! assert_eq!(restored.predict(&movies)?.scores, model.predict(&movies)?.scores);
//!
//! let example = movies.examples[0].args.clone();
//! let mut explainer = Explainer::new(&network, movies.database, movies.target)?;
//! let explanation = explainer.explain(&example, &FlipOptions::default())?;
//! assert!(!explanation.fired.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! Modules are private and layered; each imports only from those before it: `math`, `determinism`,
//! `cancel`, `parallel`, `files` (foundations), `logic` (symbols, modes, clauses, the reader of
//! BoostSRL files), `kb` (the fact store and the naive evaluator), `data` (datasets, generated
//! domains, folds, negatives), `cover` (the conjunctive-query engine), `tree` (relational
//! regression trees), `rbm` (leaf parameters, descent, the lifted network), `metric`, `learn` (one
//! module per kind of model), and with the feature `harness` `experiment`, `report` and `cli`.

#![forbid(unsafe_code)]
// The documentation of private modules links freely; `--document-private-items` shows it.
#![allow(rustdoc::private_intra_doc_links)]

/// All modules, for the program and for the tests of this repository. Not part of the interface.
#[doc(hidden)]
#[path = ""]
pub mod internal {
    pub mod cancel;
    #[cfg(feature = "harness")]
    pub mod cli;
    pub mod cover;
    pub mod data;
    pub mod determinism;
    #[cfg(feature = "harness")]
    pub mod experiment;
    pub mod files;
    pub mod kb;
    pub mod learn;
    pub mod logic;
    pub mod math;
    pub mod metric;
    pub mod parallel;
    pub mod rbm;
    #[cfg(feature = "harness")]
    pub mod report;
    pub mod tree;
}

/// The page of the book about the library, whose examples are documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/src/library.md")]
pub struct LibraryPage;

// So that paths inside the crate need not name `internal`.
use internal::{cancel, cover, data, determinism, files, kb, learn, logic, math, metric, parallel, rbm, tree};
#[cfg(feature = "harness")]
use internal::{cli, experiment, report};

pub use cancel::{Stopped, Token as CancelToken, run as run_cancellable};
#[cfg(feature = "benchmarks")]
pub use data::adapt::AdaptError;
#[cfg(feature = "benchmarks")]
pub use data::benchmark::{Arity, Benchmark, BenchmarkError, Reflexive, TimeUse, Variant};
pub use data::binary::RewriteError;
pub use data::classes::ClassLabels;
pub use data::example_set::ExampleSet;
#[cfg(feature = "benchmarks")]
pub use data::generate::{
    Domain, DomainCounts, GeneratorSettings, SettingsError, UnknownDomain, WriteDomainError, write_directory,
};
pub use data::load::{Dataset, LoadCounts, LoadError, LoadOptions, load};
#[cfg(feature = "benchmarks")]
pub use data::manifest::{FoldScheme, ManifestError, NegativeScheme};
pub use data::sources::{DataOrigin, DataSource, DataSources};
#[cfg(feature = "benchmarks")]
pub use data::split::{Fold, FoldCounts, FoldSide, SideCounts, SplitOptions};
#[cfg(feature = "benchmarks")]
pub use data::store::{Store, StoreError};
#[cfg(feature = "benchmarks")]
pub use data::toml_file::TomlFileError;
pub use files::json::FileError;
pub use kb::{
    Database, Example, Fact, FactChange, Recursion, Signature, StoredRecursion, TimeError, TimeRule, TimeSource,
};
pub use learn::explain::{
    Activity, ClauseContribution, ClauseContributions, Decision, NetworkExplanation, PartContribution,
    PartContributions, QueryError, QueryExplanation, QueryOptions,
};
pub use learn::lrnn::Template;
pub use learn::params::Builder;
pub use learn::prepare::{PrepareError, PrepareOptions, Purpose, adapt, prepare};
pub use learn::{
    Distillation, Fidelity, FitControl, Header, Kind, KindInfo, KindParams, LearnError, Learner, LrbmBoost,
    LrbmExplainable, LrbmNoBoost, Lrnn, LrnnModel, Method, MlnBoost, MlnModel, Model, ModelRule, ModelSize, ParamError,
    Params, Preset, Progol, Progress, RdnBoost, Resources, Rpt, RrbmC, RrbmE, RrbmModel, SavedModel, ScoreError,
    Scored, SizeOf, Statistics, Stored, Task, Trained, TreeModel, UnknownKind, UnknownMethod,
};
pub use logic::rule::{ParsedRule, parse_rules};
pub use logic::{
    Constant, Diagnostic, Diagnostics, Literal, Location, PredicateId, Predicates, ReadError, Severity, Symbols,
};
pub use metric::{Column, MetricError, Metrics, Output, Ranking, Threshold, Undefined};
pub use rbm::Network;
pub use rbm::network::explain::{
    BindingView, ChangeView, ChangesView, CheckedCondition, ClassView, ConditionView, ExplainError, Explainer,
    Explanation, ExplanationView, Fired, Flip, FlipOptions, Flips, Grounding, ModelAgreement, QueryContext, RuleView,
};
pub use rbm::network::{Condition, ConvertError, Hidden, Rule};

/// Tables of other programs as facts and examples, by a mapping.
#[cfg(feature = "benchmarks")]
pub mod tables {
    pub use crate::data::import::infer::Answers;
    pub use crate::data::import::render;
    pub use crate::data::import::{
        ApplyError, ForeignKey, Imported, Mapping, Proposal, SourceColumn, SourceTable, Values, apply, infer,
    };
}

/// The types of parameters: the arguments of setters, the parameters of each kind and their groups,
/// and access to parameters by name.
pub mod params {
    pub use crate::learn::lrbm_boost::LrbmBoostParams;
    pub use crate::learn::lrbm_explainable::{DistilSettings, DistilledTree, LrbmExplainableParams};
    pub use crate::learn::lrbm_noboost::LrbmNoBoostParams;
    pub use crate::learn::lrnn::{Family, Grouping, LrnnParams, Unrolling};
    pub use crate::learn::mln::{Counting, Form, MlnBoostParams};
    pub use crate::learn::params::shared::{
        Additive, ClauseLength, ClauseSearch, Growth, LeafFit, LeafFitting, LearningRate, MaxShare, Prior, Rounds,
        Seed, Sgd, Stopping, TestExtensions, Tests, Training,
    };
    pub use crate::learn::params::{Argument, Entry, Has, ParamSet, ParamType, Shape, Value};
    pub use crate::learn::progol::{ClauseWeights, ProgolParams, Weighing};
    pub use crate::learn::rdn_boost::RdnBoostParams;
    pub use crate::learn::rpt::{RptParams, Smoothing};
    pub use crate::learn::rrbm::feature::Feature;
    pub use crate::learn::rrbm::{CountScale, RrbmCParams, RrbmEParams, Walks};
    pub use crate::learn::{ListedParameter, Unchecked, parameter, parameters};
    pub use crate::rbm::{Schedule, Visit};
    pub use crate::tree::{Expand, LookAhead};
}
