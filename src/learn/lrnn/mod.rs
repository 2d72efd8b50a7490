//! Lifted relational neural networks (Šourek et al., 2015): weighted rules, unrolled over the facts
//! around each example into a network whose neurons share the weights of the rules.
//!
//! As in the original: four kinds of neurons ([`net`]), aggregation of groundings by maximum
//! (max-sigmoid family) or average (avg-sigmoid), only groundings whose body is true, and
//! backpropagation. The original's λ-rules (conjunctions) and κ-rules (weighted soft disjunctions)
//! are merged: every rule is a conjunction with an offset, and its weight applies where rules with
//! the same head meet.
//!
//! The original takes its rules from an expert, and in the comparison of the LRBM paper from
//! Progol. By default, rules come from [`super::clauses`], with one latent predicate between a
//! literal and its facts, see [`Template::from_clauses`]. Facts have no degrees of truth here, so
//! all groundings of such a clause are equal, and the network would restate the clauses. Latent
//! [`groups`] of constants, as in the templates of the original, make groundings differ.
//!
//! Departs from the original: Adam ([`super::sgd`]) instead of plain descent, and the loss −log
//! P(y) instead of the squared error, as for all kinds here.

mod flat;
mod grounding;
mod groups;
mod model;
pub(super) mod net;
mod params;
mod print;
mod shared;
mod template;
mod unroll;
mod wire;

pub use model::LrnnModel;
pub use net::Family;
pub use params::{Grouping, LrnnParams, Unrolling};
pub use template::{Template, TemplateRule};

use super::checks::count_weighted;
use super::clauses::{ClauseOptions, learn_clauses};
use super::header::Header;
use super::kind_params::{KindParams, tree_cost};
use super::params::{Builder, ParamSet};
use super::sgd::{Differentiable, SgdOptions, descend};
use super::weights;
use super::{Kind, LearnError, Learner, Progress, Statistics, Task, Trained, warnings};
use crate::determinism::Stream;
use crate::logic::Diagnostic;
use flat::{Activations, FlatNets};
use groups::add_groups;
use net::{Layout, NetWeights};
use unroll::unroll;

/// Learner of template weights; without a template, it learns clauses first.
#[derive(Clone, Debug)]
pub struct Lrnn {
    /// The parameters.
    pub params: LrnnParams,
    /// The rules; their target must be that of the task.
    pub template: Option<Template>,
}

impl Lrnn {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<LrnnParams> {
        Builder::new()
    }
}

impl KindParams for LrnnParams {
    type Learner = Lrnn;

    fn learner(self) -> Lrnn {
        Lrnn { params: self, template: None }
    }

    /// The clauses cost as much as one large tree, and the networks are small.
    fn cost(&self) -> f64 {
        tree_cost(None) + 1e-2 * f64::from(self.sgd.epochs)
    }
}

impl Learner for Lrnn {
    type Model = LrnnModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<LrnnModel>, LearnError> {
        let params = &self.params;
        let trained_on = count_weighted(Kind::Lrnn, task, &weights::Weights::new(task.examples, 1.0))?;
        let header = Header::new(Kind::Lrnn, task, params.to_values(), trained_on);
        if task.database.times.is_some() {
            let what = "does not support time limits, and the data have some".to_owned();
            let instead = "choose another kind, or data without time limits".to_owned();
            return Err(LearnError::Cannot { kind: Kind::Lrnn, what, instead });
        }
        let mut warnings = Vec::new();
        let template = match &self.template {
            Some(template) => template.clone(),
            None => learned_template(task, params, &mut warnings),
        };
        let layout = Layout { rules: template.rules.len(), heads: template.heads().len() };
        let weights = initial_weights(&template, layout, task.log_odds(), &mut Stream::new(task.seed, &["lrnn"]));
        let unrolled =
            unroll(&template, &task.coverage(), params.unrolling.family, params.unrolling.max_groundings as usize);
        let help = "raise max_groundings, or write rules with fewer groundings";
        warnings.extend(warnings::groundings_cut(unrolled.budget_hits, params.unrolling.max_groundings, help));
        let (family, nets) = (params.unrolling.family, unrolled.flat());
        let mut unrolled_model = UnrolledModel { layout, family, weights, nets, of: unrolled.of };
        descend(&mut unrolled_model, task, &SgdOptions::new(&params.rate, &params.sgd), progress);
        let statistics = Statistics { budget_hits: unrolled.budget_hits, ..Statistics::default() };
        let UnrolledModel { weights, family, .. } = unrolled_model;
        let model = LrnnModel { header, template, family, max_groundings: params.unrolling.max_groundings, weights };
        Ok(Trained { model, warnings, statistics, choice: None })
    }
}

/// Learns clauses and converts them to a template.
fn learned_template(task: &Task<'_>, params: &LrnnParams, warnings: &mut Vec<Diagnostic>) -> Template {
    let options = ClauseOptions::new(&params.length, &params.search);
    let theory = learn_clauses(task, &options);
    let (database, target) = (task.database, task.target);
    warnings.extend(warnings::clauses(&theory, &options));
    if theory.clauses.is_empty() {
        warnings.extend(warnings::nothing_learned(database, target, &[]));
    }
    // Clauses use names of one database, so the tables cannot overflow.
    let groups = params.grouping.groups as usize;
    Template::from_clauses(&theory.clauses, database, target)
        .and_then(|mut template| {
            add_groups(&mut template, &theory.clauses, database, target, groups).map(|()| template)
        })
        .unwrap_or_else(|_| Template::new(database.predicates.name(target), database.predicates.arity(target)))
}

/// Returns the initial weights. A latent atom with one rule starts as true if its body is; the
/// rules of one with several start with random weights, so that such predicates differ. Rules of
/// the target start with small random weights, or with the weight given in the file.
fn initial_weights(template: &Template, layout: Layout, log_odds: f64, stream: &mut Stream) -> Vec<f64> {
    let mut weights = vec![0.0; layout.size()];
    let mut rules_of_head = vec![0; layout.heads];
    let head = |rule: &TemplateRule| template.head_number(rule.head).unwrap_or_default();
    template.rules.iter().for_each(|rule| rules_of_head[head(rule)] += 1);
    for (number, rule) in (0u32..).zip(&template.rules) {
        let noise = 2.0 * stream.unit() - 1.0;
        let own = match rules_of_head[head(rule)] {
            _ if rule.head == template.target() => 0.1 * noise,
            1 => 1.0 + 0.5 * noise,
            _ => noise,
        };
        weights[layout.w(number)] = rule.weight.unwrap_or(own);
        weights[layout.c(number)] = 1.0;
    }
    weights[layout.d(0)] = log_odds;
    weights
}

/// The ground networks of the training examples with their weights.
struct UnrolledModel {
    layout: Layout,
    family: Family,
    weights: Vec<f64>,
    nets: FlatNets,
    of: Vec<usize>,
}

impl UnrolledModel {
    fn net_weights(&self) -> NetWeights<'_> {
        NetWeights { all: &self.weights, layout: self.layout, family: self.family }
    }
}

impl Differentiable for UnrolledModel {
    type Passes = Activations;

    fn weights(&mut self) -> &mut [f64] {
        &mut self.weights
    }

    /// The penalty applies to weights, not to offsets.
    fn is_penalized(&self, weight: usize) -> bool {
        weight < 2 * self.layout.rules && weight.is_multiple_of(2)
    }

    fn inputs(&self) -> usize {
        self.nets.len()
    }

    fn input_of(&self, example: usize) -> usize {
        self.of[example]
    }

    fn clear(&self, activations: &mut Activations) {
        activations.clear();
    }

    fn forward(&self, input: usize, _: usize, activations: &mut Activations) -> f64 {
        self.nets.forward(input, self.net_weights(), activations)
    }

    fn add_gradient(&self, (input, _): (usize, usize), activations: &mut Activations, scale: f64, sum: &mut [f64]) {
        self.nets.add_gradient(input, self.net_weights(), activations, scale, sum);
    }
}

#[cfg(test)]
mod tests;
