//! RRBM-C and RRBM-E (Kaur et al., 2017, "Relational restricted Boltzmann machines: a probabilistic logic learning
//! approach"): lifted random walks between the arguments of the target as the inputs of a discriminative RBM.
//!
//! Walks lead over binary predicates, forwards and backwards, and over properties, see [`walk`]. The number of groundings
//! of each ([`count`]), or whether there is one, is an input ([`feature`]); and the machine over them is
//! [`crate::rbm::dense`].
//!
//! The original draws walks at random. Here all walks up to a length are tried while they are few enough, and drawn evenly
//! beyond that. The original does not say how counts were made comparable; see [`feature::Feature`].

pub mod count;
pub mod feature;
mod model;
mod print;
pub mod walk;
mod wire;

pub use model::{Account, Present, RrbmModel, WalkInput};
pub use wire::FORMAT;

use super::header::{Record, log_odds};
use super::sgd::{Differentiable, descend};
use super::{Kind, LearnError, Learner, Params, Progress, Statistics, Task, Trained};
use crate::cancel;
use crate::determinism::Stream;
use crate::kb::{Schema, TypeId};
use crate::logic::{Diagnostic, PredicateId};
use crate::rbm::DenseRbm;
use count::{Counter, Counts};
use feature::{Feature, choose, numbers};
use walk::{Step, TypeGraph};

/// For every walk that may be kept, so many are tried.
const TRIED_FOR_EACH: usize = 20;

/// Learns RRBM-C or RRBM-E.
#[derive(Clone, Debug)]
pub struct Rrbm {
    /// Which of the two.
    pub kind: Kind,
    /// Its parameters.
    pub params: Params,
}

impl Learner for Rrbm {
    type Model = RrbmModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<RrbmModel>, LearnError> {
        let Rrbm { kind, ref params } = *self;
        if task.resources.audit.is_some() {
            let what = "counts walks and asks for no conjunctions, so there is nothing to audit".to_owned();
            return Err(LearnError::Cannot { kind, what, instead: "leave --audit out".to_owned() });
        }
        let record = Record::new(kind, task, params)?;
        let ends = ends(kind, task)?;
        let feature = if kind == Kind::RrbmE { Feature::Existence } else { params.count_scale };
        let most = params.max_walks as usize;
        let graph = TypeGraph::new(&task.database.schema, task.target);
        let found = graph.walks(ends, params.walk_length as usize, most.saturating_mul(TRIED_FOR_EACH), task.seed);
        let tried: Vec<Option<Vec<Step>>> = found.walks.iter().cloned().map(Some).collect();
        cancel::poll();
        let memory_bytes = task.resources.memory_bytes;
        let counts = Counter::new(task.database, task.target, &tried, memory_bytes).count(task.examples);
        cancel::poll();
        let kept = choose(feature, &counts, task.examples, tried.len(), most);
        let mut warnings = Vec::new();
        warnings.extend(too_many(found.possible, tried.len(), kept.telling, kept.walks.len(), params.max_walks));
        if kept.walks.is_empty() {
            warnings.push(no_walks(task, found.possible, params.walk_length));
        }
        let number = numbers(&kept.walks);
        let scales: Vec<f64> = kept.walks.iter().map(|&(_, scale)| scale).collect();
        let inputs = feature.inputs(&counts, |walk| number.get(&walk).copied(), &scales);
        let stream = &mut Stream::new(task.seed, &["rrbm"]);
        let rbm = DenseRbm::new(kept.walks.len(), params.hidden_units as usize, log_odds(task), stream);
        let mut machine = Machine { rbm, inputs };
        descend(&mut machine, task, &params.sgd_options(), progress);
        let input = |&(walk, scale): &(u32, f64)| WalkInput { steps: found.walks[walk as usize].clone(), scale };
        let walks = kept.walks.iter().map(input).collect();
        let model = RrbmModel::new(record, feature, (task.database, task.target), walks, machine.rbm);
        Ok(Trained { model, warnings, statistics: Statistics::default() })
    }
}

/// A machine and the inputs of the training examples.
struct Machine {
    rbm: DenseRbm,
    inputs: Vec<Counts>,
}

impl Differentiable for Machine {
    fn weights(&mut self) -> &mut [f64] {
        self.rbm.weights_mut()
    }

    fn is_penalized(&self, weight: usize) -> bool {
        DenseRbm::is_held(weight)
    }

    fn psi(&self, example: usize) -> f64 {
        self.rbm.psi(&self.inputs[example])
    }

    fn add_gradient(&self, example: usize, scale: &dyn Fn(f64) -> f64, sum: &mut [f64]) {
        self.rbm.add_gradient(&self.inputs[example], scale, sum);
    }
}

/// The types between which walks lead; what cannot be walked is refused.
fn ends(kind: Kind, task: &Task<'_>) -> Result<(TypeId, TypeId), LearnError> {
    let (schema, predicates) = (&task.database.schema, &task.database.predicates);
    let target = predicates.show(task.target);
    let refuse = |what: String, instead: &str| Err(LearnError::Cannot { kind, what, instead: instead.to_owned() });
    let arity = predicates.arity(task.target);
    if arity != 2 {
        let what = format!("walks from one argument of the target to the other, and {target} has {arity}");
        return refuse(what, "choose a target of two arguments, or another kind of model");
    }
    let longer: Vec<String> = longer(schema, task.target).map(|id| predicates.show(id).to_string()).collect();
    if !longer.is_empty() {
        let what = format!("walks over predicates of one or two arguments, and the modes have {}", longer.join(", "));
        return refuse(
            what,
            "set arity = \"binary\" in the spec or give --arity binary, which makes binary predicates of them, or drop their modes",
        );
    }
    match schema.argument_types(task.target) {
        Some(&[first, second]) => Ok((first, second)),
        _ => {
            let what = format!("needs the types of the target's arguments, and no mode gives those of {target}");
            refuse(
                what,
                "add a mode for the target to the background file, such as `mode: advisedby(+person,+person).`",
            )
        }
    }
}

/// The predicates of more than two arguments that a walk for the target could want, each once.
fn longer(schema: &Schema, target: PredicateId) -> impl Iterator<Item = PredicateId> {
    let modes = schema.modes().iter().filter(move |mode| mode.predicate != target && mode.args.len() > 2);
    let found: crate::determinism::IndexSet<PredicateId> =
        modes.filter(|mode| mode.target.is_none_or(|only| only == target)).map(|mode| mode.predicate).collect();
    found.into_iter()
}

/// What to say if not every walk was taken.
fn too_many(possible: u64, tried: usize, telling: usize, kept: usize, max_walks: u32) -> Option<Diagnostic> {
    let message = match (possible > tried as u64, telling > kept) {
        (false, false) => return None,
        (true, false) => format!("the types allow {possible} walks, of which {tried} were tried"),
        (false, true) => format!("{telling} walks tell examples apart, of which the best {kept} were kept"),
        (true, true) => format!(
            "the types allow {possible} walks, of which {tried} were tried; {telling} of these tell examples apart, of \
             which the best {kept} were kept"
        ),
    };
    let help = format!("raise max_walks, which is {max_walks}, or lower walk_length");
    Some(Diagnostic::warning("walk-budget", message, help))
}

/// What to say if no walk tells examples apart.
fn no_walks(task: &Task<'_>, possible: u64, walk_length: u32) -> Diagnostic {
    let target = task.database.predicates.show(task.target);
    let model = "the model is the same number for every example";
    let message = if possible == 0 {
        format!("no walk of up to {walk_length} steps leads from one argument of {target} to the other, so {model}")
    } else {
        format!(
            "none of the {possible} walks between the arguments of {target} tells training examples apart, so {model}"
        )
    };
    Diagnostic::warning("no-walks", message, "raise walk_length, or add facts and modes that link the two arguments")
}

#[cfg(test)]
mod tests;
