//! A template with its weights.

use super::flat::Activations;
use super::net::{Family, Layout, NetWeights, Neuron};
use super::template::Template;
use super::unroll::{Unrolled, unroll};
use crate::cover::{Coverage, DEFAULT_MEMORY_BYTES};
use crate::kb::{Database, Example, Signature};
use crate::learn::error::ScoreError;
use crate::learn::header::Header;
use crate::learn::scoring::{Model, Scored};
use crate::learn::warnings;
use crate::logic::PredicateId;

/// A model whose ψ is computed by neural networks that are unrolled from weighted rules.
#[derive(Clone, Debug)]
pub struct LrnnModel {
    /// How the model was trained.
    pub header: Header,
    pub(super) template: Template,
    pub(super) family: Family,
    pub(super) max_groundings: u32,
    /// See [`Layout`].
    pub(super) weights: Vec<f64>,
}

/// The contribution of a rule for the target to ψ of an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Fired {
    /// The number of the rule.
    pub rule: usize,
    /// The aggregated value of its groundings.
    pub value: f64,
    /// The value times the weight of the rule.
    pub contribution: f64,
}

impl LrnnModel {
    /// Returns the rules.
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// Returns how groundings are aggregated.
    pub fn family(&self) -> Family {
        self.family
    }

    pub(super) fn layout(&self) -> Layout {
        Layout { rules: self.template.rules.len(), heads: self.template.heads().len() }
    }

    fn now(&self) -> NetWeights<'_> {
        NetWeights { all: &self.weights, layout: self.layout(), family: self.family }
    }

    /// Returns the weight of a rule and the offset of its conjunction.
    pub fn rule_weights(&self, rule: usize) -> (f64, f64) {
        let layout = self.layout();
        (self.weights[layout.w(rule as u32)], self.weights[layout.c(rule as u32)])
    }

    /// Returns the offset of a head; head 0 is the target.
    pub fn head_weight(&self, head: usize) -> f64 {
        self.weights[self.layout().d(head as u32)]
    }

    /// Checks that the model supports the target and the database.
    fn check(&self, database: &Database, target: PredicateId) -> Result<(), ScoreError> {
        let Template { predicates, .. } = &self.template;
        ScoreError::check_arity((predicates, self.template.target()), (&database.predicates, target))?;
        if database.times.is_some() { Err(ScoreError::Times { kind: self.header.kind }) } else { Ok(()) }
    }

    /// Unrolls the networks of the examples; a warning says whether groundings were left out.
    fn unrolled(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Scored<Unrolled>, ScoreError> {
        self.check(database, target)?;
        let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
        let unrolled = unroll(&self.template, &coverage, self.family, self.max_groundings as usize);
        let help = "scores are inexact; train with a larger max_groundings, or with rules of fewer groundings";
        let warning = warnings::groundings_cut(unrolled.budget_hits, self.max_groundings, help);
        Ok(Scored { scores: unrolled, warnings: warning.into_iter().collect() })
    }

    /// Returns, for each example, the contributions of the rules for the target that have
    /// groundings.
    ///
    /// # Errors
    /// As [`Model::score`].
    pub fn fired(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Scored<Vec<Vec<Fired>>>, ScoreError> {
        let Scored { scores: unrolled, warnings } = self.unrolled(database, target, examples)?;
        let of_net = |net: &super::net::Net| {
            let values = net.values(self.now());
            let Some(Neuron::Atom { inputs, .. }) = net.neurons.last() else { return Vec::new() };
            let fired = |&(rule, input): &(u32, u32)| {
                let value = values[input as usize];
                Fired { rule: rule as usize, value, contribution: self.rule_weights(rule as usize).0 * value }
            };
            inputs.iter().map(fired).collect()
        };
        let fired: Vec<Vec<Fired>> = unrolled.nets().iter().map(of_net).collect();
        Ok(Scored { scores: unrolled.of.iter().map(|&net| fired[net].clone()).collect(), warnings })
    }
}

impl Model for LrnnModel {
    fn signature(&self) -> &Signature {
        &self.header.signature
    }

    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Scored, ScoreError> {
        let unrolled = self.unrolled(database, target, examples)?;
        Ok(unrolled.map(|unrolled| {
            let (nets, mut activations) = (unrolled.flat(), Activations::default());
            activations.clear();
            let psi = |net| nets.forward(net, self.now(), &mut activations);
            let psi: Vec<f64> = (0..nets.len()).map(psi).collect();
            unrolled.of.iter().map(|&net| psi[net]).collect()
        }))
    }
}
