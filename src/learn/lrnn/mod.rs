//! Lifted relational neural networks (Šourek et al., 2015): weighted rules, unrolled over the facts around each example into a
//! network whose neurons share the weights of the rules.
//!
//! Taken from there: the four sorts of neurons and what they compute ([`net`]), groundings joined by their maximum (the
//! original's max-sigmoid family) or by their average (avg-sigmoid), only groundings whose body holds, and gradient descent
//! through all of it. The original's λ-rules, which are conjunctions, and κ-rules, whose weights make a soft disjunction, are one
//! here: every rule is a conjunction with an offset, and its weight counts where rules with the same head meet.
//!
//! The original takes its rules from a person, and in the comparison of the LRBM paper from Progol; so rules are those of
//! [`super::clauses`] unless others are given, with one latent predicate between a literal and its facts, see
//! [`Template::from_clauses`]. Facts have no degrees of truth here, so all groundings of such a clause are alike, and maximum and
//! average are the same; they differ for rules over latent predicates with several rules of their own.
//!
//! Departs from the original: steps are scaled for each weight, see [`super::sgd`], and the loss is −log P(y) instead of the
//! squared error, as for all kinds here.

mod model;
pub(super) mod net;
mod print;
mod template;
mod unroll;
mod wire;

pub use model::LrnnModel;
pub use net::Family;
pub use template::{Template, TemplateRule};
pub use wire::FORMAT;

use super::clauses::learn_clauses;
use super::header::{Record, log_odds};
use super::sgd::{Differentiable, descend};
use super::{Kind, LearnError, Learner, Params, Progress, Statistics, Task, Trained, warnings};
use crate::determinism::Stream;
use crate::logic::Diagnostic;
use net::{Layout, Net, Weights};
use unroll::unroll;

/// Learns the weights of a template, and its rules first if there are none.
#[derive(Clone, Debug)]
pub struct Lrnn {
    /// The parameters.
    pub params: Params,
    /// The rules, for the target of the task.
    pub template: Option<Template>,
}

impl Learner for Lrnn {
    type Model = LrnnModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<LrnnModel>, LearnError> {
        let params = &self.params;
        let record = Record::new(Kind::Lrnn, task, params)?;
        if task.database.times.is_some() {
            let what = "cannot keep time limits, and the data have some".to_owned();
            let instead = "choose another kind of model, or data without time limits".to_owned();
            return Err(LearnError::Cannot { kind: Kind::Lrnn, what, instead });
        }
        let mut warnings = Vec::new();
        let template = match &self.template {
            Some(template) => template.clone(),
            None => learned(task, params, &mut warnings),
        };
        let layout = Layout { rules: template.rules.len(), heads: template.heads().len() };
        let weights = start(&template, layout, log_odds(task), &mut Stream::new(task.seed, &["lrnn"]));
        let unrolled = unroll(&template, &task.coverage(), params.family, params.max_groundings as usize);
        let help = "raise max_groundings, or write rules with fewer groundings";
        warnings.extend(warnings::groundings_cut(unrolled.budget_hits, params.max_groundings, help));
        let mut machine = Machine { layout, family: params.family, weights, nets: unrolled.nets, of: unrolled.of };
        descend(&mut machine, task, &params.sgd_options(), progress);
        let statistics = Statistics { budget_hits: unrolled.budget_hits, ..Statistics::default() };
        let Machine { weights, family, .. } = machine;
        let model = LrnnModel { record, template, family, max_groundings: params.max_groundings, weights };
        Ok(Trained { model, warnings, statistics })
    }
}

/// The clauses of the clause learner as a template.
fn learned(task: &Task<'_>, params: &Params, warnings: &mut Vec<Diagnostic>) -> Template {
    let options = params.clause_options();
    let theory = learn_clauses(task, &options);
    let (database, target) = (task.database, task.target);
    warnings.extend(warnings::clauses(&theory, &options));
    if theory.clauses.is_empty() {
        warnings.extend(warnings::nothing_learned(database, target));
    }
    // Clauses mention some of the names of one database, so the tables cannot be full.
    Template::from_clauses(&theory.clauses, database, target)
        .unwrap_or_else(|_| Template::new(database.predicates.name(target), database.predicates.arity(target)))
}

/// The weights to start from. A latent atom starts as true if what it stands for is, and the rules of the target start with
/// little to say, each a little different, or with the weight that was written.
fn start(template: &Template, layout: Layout, log_odds: f64, stream: &mut Stream) -> Vec<f64> {
    let mut weights = vec![0.0; layout.size()];
    for (number, rule) in (0u32..).zip(&template.rules) {
        let around = 2.0 * stream.unit() - 1.0;
        let own = if rule.head == template.target() { 0.1 * around } else { 1.0 + 0.5 * around };
        weights[layout.w(number)] = rule.weight.unwrap_or(own);
        weights[layout.c(number)] = 1.0;
    }
    weights[layout.d(0)] = log_odds;
    weights
}

/// The networks of the training examples.
struct Machine {
    layout: Layout,
    family: Family,
    weights: Vec<f64>,
    nets: Vec<Net>,
    of: Vec<usize>,
}

impl Machine {
    fn now(&self) -> Weights<'_> {
        Weights { all: &self.weights, layout: self.layout, family: self.family }
    }
}

impl Differentiable for Machine {
    fn weights(&mut self) -> &mut [f64] {
        &mut self.weights
    }

    /// Weights are held back, and offsets are not.
    fn is_penalized(&self, weight: usize) -> bool {
        weight < 2 * self.layout.rules && weight.is_multiple_of(2)
    }

    fn psi(&self, example: usize) -> f64 {
        self.nets[self.of[example]].psi(self.now())
    }

    fn add_gradient(&self, example: usize, scale: &dyn Fn(f64) -> f64, sum: &mut [f64]) {
        self.nets[self.of[example]].add_gradient(self.now(), scale, sum);
    }
}

#[cfg(test)]
mod tests;
