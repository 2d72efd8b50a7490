//! RRBM-C and RRBM-E (Kaur et al., 2017, "Relational restricted Boltzmann machines: a probabilistic
//! logic learning approach"): lifted random walks between the arguments of the target as the inputs
//! of a discriminative RBM.
//!
//! Walks traverse binary predicates in both directions and test unary ones, see [`walk`]. The
//! number of groundings of each ([`count`]), or whether there is one, is an input ([`feature`]) of
//! the RBM in [`crate::rbm::dense`].
//!
//! The original samples walks at random. Here all walks up to a length are enumerated, and sampled
//! uniformly beyond a limit; labels play no part. The original does not say how counts were scaled;
//! see [`feature::Feature`].

pub mod count;
pub mod feature;
mod model;
mod params;
mod print;
pub mod walk;
mod wire;

pub use model::{RrbmModel, WalkContribution, WalkContributions, WalkInput};
pub use params::{CountScale, RrbmCParams, RrbmEParams, Walks};

use std::collections::BTreeMap;

use super::checks::count_weighted;
use super::header::Header;
use super::kind_params::KindParams;
use super::params::shared::{LearningRate, Sgd};
use super::params::{Builder, ParamSet, Value};
use super::sgd::{Differentiable, SgdOptions, descend};
use super::weights::Weights;
use super::{Kind, LearnError, Learner, Progress, Statistics, Task, Trained};
use crate::cancel;
use crate::determinism::{HashMap, Stream};
use crate::kb::{Schema, TypeId};
use crate::logic::{Diagnostic, PredicateId};
use crate::rbm::{DenseRbm, InterleavedRbm, UnitStates};
use count::{Counter, SparseRow};
use feature::{Feature, select_walks, selected_indices};
use walk::{Step, TypeGraph};

/// Walks tried per walk kept.
const TRIED_PER_KEPT: usize = 20;

/// Learner of RRBM-C.
#[derive(Clone, Debug)]
pub struct RrbmC {
    /// Parameters.
    pub params: RrbmCParams,
}

/// Learns RRBM-E.
#[derive(Clone, Debug)]
pub struct RrbmE {
    /// The parameters.
    pub params: RrbmEParams,
}

impl RrbmC {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<RrbmCParams> {
        Builder::new()
    }
}

impl RrbmE {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<RrbmEParams> {
        Builder::new()
    }
}

impl RrbmC {
    /// Returns the walks of a task without descent: a model with its initial weights, whose counts
    /// are features for other learners.
    ///
    /// # Errors
    /// See [`Learner::fit`].
    pub fn walks(&self, task: &Task<'_>) -> Result<RrbmModel, LearnError> {
        self.rrbm().initial(task).map(|initial| initial.model)
    }

    fn rrbm(&self) -> Rrbm {
        let RrbmCParams { walks, scale, rate, sgd, .. } = self.params;
        let (feature, values) = (scale.count_scale, self.params.to_values());
        Rrbm { kind: Kind::RrbmC, feature, walks, rate, sgd, values }
    }
}

impl KindParams for RrbmCParams {
    type Learner = RrbmC;

    fn learner(self) -> RrbmC {
        RrbmC { params: self }
    }

    fn cost(&self) -> f64 {
        cost(&self.walks, &self.sgd)
    }
}

impl KindParams for RrbmEParams {
    type Learner = RrbmE;

    fn learner(self) -> RrbmE {
        RrbmE { params: self }
    }

    fn cost(&self) -> f64 {
        cost(&self.walks, &self.sgd)
    }
}

/// Counting walks is cheap beside descent, which passes over the examples many times.
fn cost(walks: &Walks, sgd: &Sgd) -> f64 {
    5e-4 * f64::from(sgd.epochs) * f64::from(walks.hidden_units)
}

impl Learner for RrbmC {
    type Model = RrbmModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<RrbmModel>, LearnError> {
        self.rrbm().fit(task, progress)
    }
}

impl Learner for RrbmE {
    type Model = RrbmModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<RrbmModel>, LearnError> {
        let RrbmEParams { walks, rate, sgd, .. } = self.params;
        let (feature, values) = (Feature::Existence, self.params.to_values());
        Rrbm { kind: Kind::RrbmE, feature, walks, rate, sgd, values }.fit(task, progress)
    }
}

/// The learner behind both.
struct Rrbm {
    kind: Kind,
    feature: Feature,
    walks: Walks,
    rate: LearningRate,
    sgd: Sgd,
    /// All parameters, for the record.
    values: BTreeMap<String, Value>,
}

impl Rrbm {
    fn fit(self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<RrbmModel>, LearnError> {
        let options = SgdOptions::new(&self.rate, &self.sgd);
        let Initial { mut model, inputs, warnings } = self.initial(task)?;
        let mut walk_rbm = WalkRbm::new(&model.rbm, inputs);
        descend(&mut walk_rbm, task, &options, progress);
        // The size did not change.
        model.rbm = walk_rbm.rbm.to_dense().unwrap_or(model.rbm);
        Ok(Trained { model, warnings, statistics: Statistics::default(), choice: None })
    }

    /// Selects the walks and initializes the weights.
    fn initial(self, task: &Task<'_>) -> Result<Initial, LearnError> {
        let Rrbm { kind, feature, walks: params, values, .. } = self;
        if task.resources.audit.is_some() {
            let what = "does not support audits, because it counts walks instead of conjunctions".to_owned();
            return Err(LearnError::Cannot { kind, what, instead: "omit --audit".to_owned() });
        }
        let trained_on = count_weighted(kind, task, &Weights::new(task.examples, 1.0))?;
        let header = Header::new(kind, task, values, trained_on);
        let ends = ends(kind, task)?;
        let max_walks = params.max_walks as usize;
        let graph = TypeGraph::new(&task.database.schema, task.target);
        let found = graph.walks(ends, params.walk_length as usize, max_walks.saturating_mul(TRIED_PER_KEPT), task.seed);
        let tried: Vec<Option<Vec<Step>>> = found.walks.iter().cloned().map(Some).collect();
        cancel::poll();
        let memory_bytes = task.resources.memory_bytes;
        let counts = Counter::new(task.database, task.target, &tried, memory_bytes).count(task.examples);
        cancel::poll();
        let lengths: Vec<usize> = found.walks.iter().map(Vec::len).collect();
        let kept =
            select_walks(feature, &counts, &lengths, max_walks, &mut Stream::new(task.seed, &["walks", "selection"]));
        let mut warnings = Vec::new();
        warnings.extend(too_many(found.possible, tried.len(), kept.informative, kept.walks.len(), params.max_walks));
        if kept.walks.is_empty() {
            warnings.push(no_walks(task, found.possible, params.walk_length));
        }
        let number = selected_indices(&kept.walks);
        let scales: Vec<f64> = kept.walks.iter().map(|&(_, scale)| scale).collect();
        let inputs = feature.inputs(&counts, |walk| number.get(&walk).copied(), &scales);
        let stream = &mut Stream::new(task.seed, &["rrbm"]);
        let rbm = DenseRbm::new(kept.walks.len(), params.hidden_units as usize, task.log_odds(), stream);
        let input = |&(walk, scale): &(u32, f64)| WalkInput { steps: found.walks[walk as usize].clone(), scale };
        let walks = kept.walks.iter().map(input).collect();
        let model = RrbmModel::new(header, feature, (task.database, task.target), walks, rbm);
        Ok(Initial { model, inputs, warnings })
    }
}

/// A model before descent.
struct Initial {
    model: RrbmModel,
    /// Inputs of the training examples.
    inputs: Vec<SparseRow>,
    warnings: Vec<Diagnostic>,
}

/// An RBM with the inputs of the training examples.
struct WalkRbm {
    rbm: InterleavedRbm,
    /// The distinct rows of inputs.
    inputs: Vec<SparseRow>,
    /// The row of each example.
    of: Vec<usize>,
}

impl WalkRbm {
    fn new(rbm: &DenseRbm, rows: Vec<SparseRow>) -> Self {
        let mut known: HashMap<Vec<(u32, u64)>, usize> = HashMap::default();
        let (mut inputs, mut of) = (Vec::new(), Vec::with_capacity(rows.len()));
        for row in rows {
            let bits = row.iter().map(|&(walk, value)| (walk, value.to_bits())).collect();
            let number = *known.entry(bits).or_insert(inputs.len());
            if number == inputs.len() {
                inputs.push(row);
            }
            of.push(number);
        }
        WalkRbm { rbm: InterleavedRbm::new(rbm), inputs, of }
    }
}

impl Differentiable for WalkRbm {
    /// By slot.
    type Passes = Vec<UnitStates>;

    fn weights(&mut self) -> &mut [f64] {
        self.rbm.weights_mut()
    }

    fn is_penalized(&self, weight: usize) -> bool {
        DenseRbm::is_penalized(weight)
    }

    fn inputs(&self) -> usize {
        self.inputs.len()
    }

    fn input_of(&self, example: usize) -> usize {
        self.of[example]
    }

    fn clear(&self, _: &mut Vec<UnitStates>) {}

    fn forward(&self, input: usize, slot: usize, passes: &mut Vec<UnitStates>) -> f64 {
        if slot >= passes.len() {
            passes.resize_with(slot + 1, UnitStates::default);
        }
        self.rbm.forward(&self.inputs[input], &mut passes[slot])
    }

    fn add_gradient(&self, (input, slot): (usize, usize), passes: &mut Vec<UnitStates>, scale: f64, sum: &mut [f64]) {
        self.rbm.add_gradient(&self.inputs[input], &passes[slot], scale, sum);
    }
}

/// Returns the types of the target's arguments, between which walks lead.
///
/// # Errors
/// If the target is not binary or untyped, or a mode has more than two arguments.
fn ends(kind: Kind, task: &Task<'_>) -> Result<(TypeId, TypeId), LearnError> {
    let (schema, predicates) = (&task.database.schema, &task.database.predicates);
    let target = predicates.show(task.target);
    let unsupported = |what: String, instead: &str| Err(LearnError::Cannot { kind, what, instead: instead.to_owned() });
    let arity = predicates.arity(task.target);
    if arity != 2 {
        let what = format!("supports binary targets only, got {target}");
        return unsupported(what, "choose a binary target or another kind");
    }
    let longer: Vec<String> = longer(schema, task.target).map(|id| predicates.show(id).to_string()).collect();
    if !longer.is_empty() {
        let what = format!("supports unary and binary predicates only, and the modes have {}", longer.join(", "));
        return unsupported(
            what,
            "set arity = \"binary\" in the spec or pass --arity binary to decompose them, or drop their modes",
        );
    }
    match schema.argument_types(task.target) {
        Some(&[first, second]) => Ok((first, second)),
        _ => {
            let what = format!("needs the types of the target's arguments, and {target} has no mode");
            unsupported(
                what,
                "add a mode for the target to the background file, such as `mode: advisedby(+person,+person).`",
            )
        }
    }
}

/// Returns the predicates of more than two arguments in the modes for the target.
fn longer(schema: &Schema, target: PredicateId) -> impl Iterator<Item = PredicateId> {
    let modes = schema.modes().iter().filter(move |mode| mode.predicate != target && mode.args.len() > 2);
    let found: crate::determinism::IndexSet<PredicateId> =
        modes.filter(|mode| mode.target.is_none_or(|only| only == target)).map(|mode| mode.predicate).collect();
    found.into_iter()
}

/// Returns the warning if not every walk was tried or kept.
fn too_many(possible: u64, tried: usize, informative: usize, kept: usize, max_walks: u32) -> Option<Diagnostic> {
    let message = match (possible > tried as u64, informative > kept) {
        (false, false) => return None,
        (true, false) => format!("the types allow {possible} walks, of which {tried} were tried"),
        (false, true) => format!("{informative} walks are informative, of which {kept} were kept"),
        (true, true) => format!(
            "the types allow {possible} walks, of which {tried} were tried; {informative} of these are informative, of \
             which {kept} were kept"
        ),
    };
    let help = format!("raise max_walks, which is {max_walks}, or lower walk_length");
    Some(Diagnostic::warning("walk-budget", message, help))
}

/// Returns the warning if no walk is informative.
fn no_walks(task: &Task<'_>, possible: u64, walk_length: u32) -> Diagnostic {
    let target = task.database.predicates.show(task.target);
    let model = "the model scores every example alike";
    let message = if possible == 0 {
        format!("no walk of up to {walk_length} steps connects the arguments of {target}, so {model}")
    } else {
        format!(
            "none of the {possible} walks between the arguments of {target} distinguishes training examples, so {model}"
        )
    };
    Diagnostic::warning("no-walks", message, "raise walk_length, or add facts and modes that link the two arguments")
}

#[cfg(test)]
mod tests;
