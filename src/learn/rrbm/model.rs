//! Walks and the machine over them: a model that stands by itself.

use super::count::{Counter, SparseRow};
use super::feature::Feature;
use super::walk::{self, Step};
use crate::cover::DEFAULT_MEMORY_BYTES;
use crate::kb::{Database, Example, TimeRule};
use crate::learn::header::Record;
use crate::learn::{Model, ModelSize, ScoreError, SizeOf, Stored};
use crate::logic::clause::show_conjunction;
use crate::logic::{PredicateId, Predicates, Symbols};
use crate::rbm::DenseRbm;

/// ψ by a discriminative RBM over lifted random walks.
#[derive(Clone, Debug)]
pub struct RrbmModel {
    /// How it was learned.
    pub record: Record,
    pub(super) feature: Feature,
    pub(super) target: PredicateId,
    pub(super) predicates: Predicates,
    pub(super) walks: Vec<WalkInput>,
    pub(super) rbm: DenseRbm,
}

/// A walk as an input of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkInput {
    /// Its steps, over the predicates of the model.
    pub steps: Vec<Step>,
    /// The largest worth of the training examples, by which inputs are divided.
    pub scale: f64,
}

impl RrbmModel {
    /// A model over the names of a database, of which it keeps those that its walks mention.
    pub(super) fn new(
        record: Record,
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
        RrbmModel { record, feature, target, predicates, walks, rbm }
    }

    /// The walks, over [`RrbmModel::predicates`].
    pub fn walks(&self) -> &[WalkInput] {
        &self.walks
    }

    /// The predicates that the walks mention.
    pub fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    /// The machine, of which walk `k` is the input `k`.
    pub fn rbm(&self) -> &DenseRbm {
        &self.rbm
    }

    /// What is made of the number of groundings of a walk.
    pub fn feature(&self) -> Feature {
        self.feature
    }

    /// A walk as a conjunction.
    pub fn show_walk(&self, walk: usize) -> String {
        show_conjunction(&walk::literals(&self.walks[walk].steps), &self.predicates, &Symbols::new()).to_string()
    }

    /// The numbers of groundings of each walk for each example, of a target with as many arguments.
    pub fn counts(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Vec<SparseRow> {
        // A walk over a predicate that the database does not have is never there.
        let bound = |step: &Step| {
            let (name, arity) = (self.predicates.name(step.predicate), self.predicates.arity(step.predicate));
            database.predicates.find(name, arity).map(|predicate| Step { predicate, ..*step })
        };
        let walks: Vec<Option<Vec<Step>>> =
            self.walks.iter().map(|walk| walk.steps.iter().map(bound).collect()).collect();
        Counter::new(database, target, &walks, DEFAULT_MEMORY_BYTES).count(examples)
    }

    /// What a machine sees of these counts.
    pub(super) fn inputs(&self, counts: &[SparseRow]) -> Vec<SparseRow> {
        let scales: Vec<f64> = self.walks.iter().map(|walk| walk.scale).collect();
        self.feature.inputs(counts, Some, &scales)
    }
}

/// The walks that join the arguments of an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// ψ of the example.
    pub psi: f64,
    /// The walks that are there.
    pub walks: Vec<Present>,
}

/// A walk that joins the arguments of an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Present {
    /// The number of the walk.
    pub walk: usize,
    /// How often it does.
    pub count: f64,
    /// By how much ψ would be lower if it did not.
    pub adds: f64,
}

impl RrbmModel {
    /// What there is of walks between the arguments of an example.
    ///
    /// # Errors
    /// As for [`Model::score`].
    pub fn present(&self, database: &Database, target: PredicateId, example: &Example) -> Result<Account, ScoreError> {
        ScoreError::check_arity((&self.predicates, self.target), (&database.predicates, target))?;
        let counts = self.counts(database, target, std::slice::from_ref(example));
        let (counts, inputs) = (counts.concat(), self.inputs(&counts).concat());
        let psi = self.rbm.psi(&inputs);
        let without = |at: usize| {
            let others: SparseRow =
                inputs.iter().enumerate().filter(|&(k, _)| k != at).map(|(_, &input)| input).collect();
            self.rbm.psi(&others)
        };
        let present = |(at, &(walk, count)): (usize, &(u32, f64))| Present {
            walk: walk as usize,
            count,
            adds: psi - without(at),
        };
        Ok(Account { psi, walks: counts.iter().enumerate().map(present).collect() })
    }
}

impl Model for RrbmModel {
    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Vec<f64>, ScoreError> {
        ScoreError::check_arity((&self.predicates, self.target), (&database.predicates, target))?;
        let inputs = self.inputs(&self.counts(database, target, examples));
        Ok(inputs.iter().map(|row| self.rbm.psi(row)).collect())
    }

    fn describe(&self) -> String {
        super::print::describe(self)
    }
}

impl Stored for RrbmModel {
    fn target_name(&self) -> &str {
        self.predicates.name(self.target)
    }

    fn target_arity(&self) -> usize {
        self.predicates.arity(self.target)
    }

    fn time(&self) -> Option<&TimeRule> {
        self.record.time.as_ref()
    }

    fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    fn set_time(&mut self, time: Option<TimeRule>) {
        self.record.time = time;
    }

    fn to_json(&self) -> String {
        self.text()
    }

    fn size(&self) -> ModelSize {
        ModelSize { trees: 0, leaves: self.rbm.hidden(), parts: SizeOf::Units { walks: self.walks.len() } }
    }
}
