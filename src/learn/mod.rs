//! The learners: one file for each kind of model, behind one trait.
//!
//! A learner takes checked [`Params`], a database, a target and its examples, and gives a model that scores any examples
//! of any database by ψ, the log-odds of the target. The four kinds of trees share one loop, [`boost`], and differ in
//! their settings.
//!
//! ```
//! use lrbm::data::{embedded::load_domain, generate::Domain};
//! use lrbm::learn::{Kind, Model, Params, train};
//!
//! let movies = load_domain(Domain::Movies, &Domain::Movies.settings())?;
//! let params = Params::new(Kind::LrbmBoost);
//! let trained = train(Kind::LrbmBoost, &movies.database, movies.target, &movies.examples, &params, 1, &mut |_| {})?;
//! let psi = trained.model.score(&movies.database, movies.target, &movies.examples)?.scores;
//! assert!(movies.examples.iter().zip(&psi).all(|(example, &psi)| example.positive == (psi > 0.0)));
//! println!("{}", trained.model.describe());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod any;
pub mod boost;
mod checks;
pub mod clauses;
mod error;
pub mod format;
pub mod gradient;
pub mod header;
mod leaf;
mod learner;
pub mod lrbm_boost;
pub mod lrbm_explainable;
pub mod lrbm_noboost;
pub mod lrbm_weights;
pub mod lrnn;
pub mod mln;
pub mod network;
pub mod params;
pub mod prepare;
pub mod progol;
mod progress;
pub mod rdn_boost;
pub mod rpt;
pub mod rrbm;
mod scoring;
pub mod sgd;
mod stored;
mod task;
mod tree_model;
mod warnings;
mod weights;

pub use any::SavedModel;
pub use error::{LearnError, ScoreError, UnknownKind};
pub use header::Header;
pub use learner::{Learner, Trained};
pub use lrbm_boost::LrbmBoost;
pub use lrbm_explainable::LrbmExplainable;
pub use lrbm_noboost::LrbmNoBoost;
pub use lrbm_weights::{LearnedWeights, LrbmWeights, Prune};
pub use lrnn::{Lrnn, LrnnModel};
pub use mln::{MlnBoost, MlnModel};
pub use network::Method;
pub use params::{ParamError, Params, Preset, Unchecked};
pub use progol::Progol;
pub use progress::{Progress, Statistics};
pub use rdn_boost::RdnBoost;
pub use rpt::Rpt;
pub use rrbm::{Rrbm, RrbmModel};
pub use scoring::{Model, Scored};
pub use stored::{ModelSize, SizeOf, Stored};
pub use task::{Resources, Task};
pub use tree_model::{ClassSums, Fidelity, LeafWeights, TrainedModel, TreeModel};
#[cfg(feature = "harness")]
pub(crate) use tree_model::{leaf_weights, tree_title};

use std::fmt;

use crate::kb::{Database, Example};
use crate::logic::PredicateId;

/// The kinds of models that are learned from examples alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The paper's LRBM-Boost.
    LrbmBoost,
    /// One large tree instead of an ensemble.
    LrbmNoBoost,
    /// One large tree that copies an ensemble.
    LrbmExplainable,
    /// RDN-Boost (Natarajan et al., 2012): the same loop with the mean gradient in the leaves.
    RdnBoost,
    /// MLN-Boost (Khot et al., 2011): the same loop with weights for numbers of groundings.
    MlnBoost,
    /// A relational probability tree: one tree with the frequencies of the classes in its leaves.
    Rpt,
    /// Clauses as Progol learns them (Muggleton, 1995), with weights.
    Progol,
    /// RRBM-C (Kaur et al., 2017): a discriminative RBM over numbers of lifted random walks.
    RrbmC,
    /// RRBM-E: the same over whether there are such walks.
    RrbmE,
    /// LRNN (Šourek et al., 2015): networks that are unrolled from weighted rules.
    Lrnn,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 10] = [
        Kind::LrbmBoost,
        Kind::LrbmNoBoost,
        Kind::LrbmExplainable,
        Kind::RdnBoost,
        Kind::MlnBoost,
        Kind::Rpt,
        Kind::Progol,
        Kind::RrbmC,
        Kind::RrbmE,
        Kind::Lrnn,
    ];

    /// The name that users type.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::LrbmBoost => "lrbm-boost",
            Kind::LrbmNoBoost => "lrbm-noboost",
            Kind::LrbmExplainable => "lrbm-explainable",
            Kind::RdnBoost => "rdn-boost",
            Kind::MlnBoost => "mln-boost",
            Kind::Rpt => "rpt",
            Kind::Progol => "progol",
            Kind::RrbmC => "rrbm-c",
            Kind::RrbmE => "rrbm-e",
            Kind::Lrnn => "lrnn",
        }
    }

    /// Whether its models are sums of trees, which can be drawn.
    pub const fn grows_trees(self) -> bool {
        match self {
            Kind::LrbmBoost | Kind::LrbmNoBoost | Kind::LrbmExplainable | Kind::RdnBoost | Kind::Rpt => true,
            Kind::MlnBoost | Kind::Progol | Kind::RrbmC | Kind::RrbmE | Kind::Lrnn => false,
        }
    }

    /// Whether the weights of training examples count in what it learns.
    pub const fn uses_weights(self) -> bool {
        match self {
            Kind::LrbmBoost | Kind::LrbmNoBoost | Kind::LrbmExplainable | Kind::RdnBoost => true,
            Kind::Progol | Kind::RrbmC | Kind::RrbmE | Kind::Lrnn => true,
            Kind::MlnBoost | Kind::Rpt => false,
        }
    }

    /// The kind with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<Kind, UnknownKind> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownKind { name: name.to_owned() })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Learns a model of a kind; `progress` hears of every tree.
///
/// # Errors
/// See [`Learner::fit`].
pub fn train(
    kind: Kind,
    database: &Database,
    target: PredicateId,
    examples: &[Example],
    params: &Params,
    seed: u64,
    progress: &mut dyn FnMut(Progress),
) -> Result<Trained<SavedModel>, LearnError> {
    let task = Task { database, target, examples, seed, resources: Resources::default() };
    fit(kind, &task, params, progress)
}

/// The same as [`train`], for a task.
///
/// # Errors
/// See [`Learner::fit`].
pub fn fit(
    kind: Kind,
    task: &Task<'_>,
    params: &Params,
    progress: &mut dyn FnMut(Progress),
) -> Result<Trained<SavedModel>, LearnError> {
    let params = params.clone();
    match kind {
        Kind::LrbmBoost => LrbmBoost { params }.fit(task, progress).map(Trained::saved),
        Kind::LrbmNoBoost => LrbmNoBoost { params }.fit(task, progress).map(Trained::saved),
        Kind::LrbmExplainable => LrbmExplainable { params, from: None }.fit(task, progress).map(Trained::saved),
        Kind::RdnBoost => RdnBoost { params }.fit(task, progress).map(Trained::saved),
        Kind::MlnBoost => MlnBoost { params }.fit(task, progress).map(Trained::saved),
        Kind::Rpt => Rpt { params }.fit(task, progress).map(Trained::saved),
        Kind::Progol => Progol { params }.fit(task, progress).map(Trained::saved),
        Kind::RrbmC | Kind::RrbmE => Rrbm { kind, params }.fit(task, progress).map(Trained::saved),
        Kind::Lrnn => Lrnn { params, template: None }.fit(task, progress).map(Trained::saved),
    }
}

#[cfg(test)]
mod tests;
