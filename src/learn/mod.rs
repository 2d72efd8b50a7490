//! The learners: one file or folder for each kind of model.
//!
//! A learner takes its parameters and a training task, and returns a model that scores examples of
//! any database by ψ, the log-odds of the target. The table in [`kind`] registers all kinds.
//! Ensembles of trees share one loop, [`boost`].
//!
//! ```
//! use lrbm::internal::data::{embedded::load_domain, generate::Domain};
//! use lrbm::internal::learn::{Kind, Model, Params, train};
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
pub mod auto;
pub mod boost;
mod checks;
pub mod clauses;
mod error;
pub mod explain;
mod fitting;
pub mod format;
pub mod gradient;
pub mod header;
pub mod kind;
mod kind_params;
mod layers;
mod leaf;
mod learner;
pub mod lrbm_boost;
pub mod lrbm_explainable;
pub mod lrbm_noboost;
pub mod lrbm_weights;
pub mod lrnn;
pub mod mln;
mod negatives;
pub mod network;
pub mod params;
pub mod prepare;
pub mod progol;
mod progress;
pub mod rdn_boost;
mod registry;
pub mod rpt;
pub mod rrbm;
mod rules;
mod scoring;
pub mod sgd;
mod stored;
mod task;
mod tree_model;
mod warnings;
mod weights;

pub use any::SavedModel;
pub use auto::Choice;
pub use error::{LearnError, ScoreError};
pub use fitting::FitControl;
pub use header::Header;
pub use kind::{Distillation, Kind, KindInfo, UnknownKind};
pub use kind_params::KindParams;
pub use layers::Unchecked;
pub use learner::{Learner, Trained};
pub use lrbm_boost::LrbmBoost;
pub use lrbm_explainable::LrbmExplainable;
pub use lrbm_noboost::LrbmNoBoost;
pub use lrbm_weights::{LearnedWeights, LrbmWeights, Prune};
pub use lrnn::{Lrnn, LrnnModel};
pub use mln::{MlnBoost, MlnModel};
pub use network::{Method, UnknownMethod};
pub use params::{ParamError, Preset};
pub use progol::Progol;
pub use progress::{Progress, Statistics};
pub use rdn_boost::RdnBoost;
pub use registry::{ListedParameter, Params, fit, fit_prefixes, parameter, parameters, select_separately, train};
pub use rpt::Rpt;
pub use rrbm::{RrbmC, RrbmE, RrbmModel};
pub use rules::ModelRule;
pub use scoring::{Model, Scored};
pub use stored::{ModelSize, SizeOf, Stored};
pub use task::{Resources, Task};
pub use tree_model::{ClassSums, Fidelity, LeafWeights, TrainedModel, TreeModel};
#[cfg(feature = "harness")]
pub(crate) use tree_model::{leaf_weights, tree_title};

#[cfg(test)]
mod tests;
