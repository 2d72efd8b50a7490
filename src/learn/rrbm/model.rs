//! A discriminative RBM over lifted random walks.

use super::count::{Counter, SparseRow};
use super::feature::Feature;
use super::walk::{self, Step};
use crate::cover::DEFAULT_MEMORY_BYTES;
use crate::kb::{Database, Example, Signature};
use crate::learn::error::ScoreError;
use crate::learn::header::Header;
use crate::learn::scoring::{Model, Scored};
use crate::logic::clause::show_conjunction;
use crate::logic::{PredicateId, Predicates, Symbols};
use crate::rbm::DenseRbm;

/// A model whose ψ is that of a discriminative RBM over lifted random walks.
#[derive(Clone, Debug)]
pub struct RrbmModel {
    /// How the model was trained.
    pub header: Header,
    pub(super) feature: Feature,
    pub(super) target: PredicateId,
    pub(super) predicates: Predicates,
    pub(super) walks: Vec<WalkInput>,
    pub(super) rbm: DenseRbm,
}

/// A random walk as an input of the RBM.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkInput {
    /// The steps, over the predicates of the model.
    pub steps: Vec<Step>,
    /// The largest feature value among the training examples; inputs are divided by it.
    pub scale: f64,
}

impl RrbmModel {
    /// Creates a model that keeps the predicates of a database that its walks mention.
    pub(super) fn new(
        header: Header,
        feature: Feature,
        (database, target): (&Database, PredicateId),
        walks: Vec<WalkInput>,
        rbm: DenseRbm,
    ) -> Self {
        let from = &database.predicates;
        let mut predicates = Predicates::default();
        let mut own = |id| predicates.intern(from.name(id), from.arity(id));
        let target = own(target);
        let mut walks = walks;
        for step in walks.iter_mut().flat_map(|walk| &mut walk.steps) {
            step.predicate = own(step.predicate);
        }
        RrbmModel { header, feature, target, predicates, walks, rbm }
    }

    /// Returns the walks, over [`RrbmModel::predicates`].
    pub fn walks(&self) -> &[WalkInput] {
        &self.walks
    }

    /// Returns the predicates that the walks mention.
    pub fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    /// Returns the RBM; walk `k` is its input `k`.
    pub fn rbm(&self) -> &DenseRbm {
        &self.rbm
    }

    /// Returns how the number of groundings of a walk becomes an input.
    pub fn feature(&self) -> Feature {
        self.feature
    }

    /// Returns a walk as a conjunction.
    pub fn show_walk(&self, walk: usize) -> String {
        show_conjunction(&walk::literals(&self.walks[walk].steps), &self.predicates, &Symbols::new()).to_string()
    }

    /// Counts the groundings of each walk for each example; the target must have the arity of the
    /// model's.
    pub fn counts(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Vec<SparseRow> {
        // A walk over a predicate that the database lacks has no grounding.
        let bound = |step: &Step| {
            let (name, arity) = (self.predicates.name(step.predicate), self.predicates.arity(step.predicate));
            database.predicates.find(name, arity).map(|predicate| Step { predicate, ..*step })
        };
        let walks: Vec<Option<Vec<Step>>> =
            self.walks.iter().map(|walk| walk.steps.iter().map(bound).collect()).collect();
        Counter::new(database, target, &walks, DEFAULT_MEMORY_BYTES).count(examples)
    }

    /// Returns the inputs of the RBM for these counts.
    pub(super) fn inputs(&self, counts: &[SparseRow]) -> Vec<SparseRow> {
        let scales: Vec<f64> = self.walks.iter().map(|walk| walk.scale).collect();
        self.feature.inputs(counts, Some, &scales)
    }
}

/// The contributions of walks to ψ of an example.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkContributions {
    /// ψ of the example.
    pub psi: f64,
    /// The walks with a grounding.
    pub walks: Vec<WalkContribution>,
}

/// The contribution of a walk to ψ of an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkContribution {
    /// The number of the walk.
    pub walk: usize,
    /// The number of its groundings.
    pub count: f64,
    /// The decrease of ψ if the walk had no grounding.
    pub contribution: f64,
}

impl RrbmModel {
    /// Returns the contributions of the walks that connect the arguments of an example.
    ///
    /// # Errors
    /// As [`Model::score`].
    pub fn contributions(
        &self,
        database: &Database,
        target: PredicateId,
        example: &Example,
    ) -> Result<WalkContributions, ScoreError> {
        ScoreError::check_arity((&self.predicates, self.target), (&database.predicates, target))?;
        let counts = self.counts(database, target, std::slice::from_ref(example));
        let (counts, inputs) = (counts.concat(), self.inputs(&counts).concat());
        let psi = self.rbm.psi(&inputs);
        let without = |at: usize| {
            let others: SparseRow =
                inputs.iter().enumerate().filter(|&(k, _)| k != at).map(|(_, &input)| input).collect();
            self.rbm.psi(&others)
        };
        let contribution = |(at, &(walk, count)): (usize, &(u32, f64))| WalkContribution {
            walk: walk as usize,
            count,
            contribution: psi - without(at),
        };
        Ok(WalkContributions { psi, walks: counts.iter().enumerate().map(contribution).collect() })
    }
}

impl Model for RrbmModel {
    fn signature(&self) -> &Signature {
        &self.header.signature
    }

    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Scored, ScoreError> {
        ScoreError::check_arity((&self.predicates, self.target), (&database.predicates, target))?;
        let inputs = self.inputs(&self.counts(database, target, examples));
        Ok(inputs.iter().map(|row| self.rbm.psi(row)).collect::<Vec<f64>>().into())
    }
}
