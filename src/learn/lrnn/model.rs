//! A template with its weights: a model that stands by itself.

use super::net::{Family, Layout, NetWeights, Neuron};
use super::template::Template;
use super::unroll::{Unrolled, unroll};
use crate::cover::{Coverage, DEFAULT_MEMORY_BYTES};
use crate::kb::{Database, Example, TimeRule};
use crate::learn::header::Record;
use crate::learn::{Model, ModelSize, ScoreError, SizeOf, Stored, warnings};
use crate::logic::{Diagnostics, PredicateId, Predicates};

/// ψ by networks that are unrolled from weighted rules.
#[derive(Clone, Debug)]
pub struct LrnnModel {
    /// How it was learned.
    pub record: Record,
    pub(super) template: Template,
    pub(super) family: Family,
    pub(super) max_groundings: u32,
    /// See [`Layout`].
    pub(super) weights: Vec<f64>,
}

/// What a rule for the target adds to ψ of an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Fired {
    /// The number of the rule.
    pub rule: usize,
    /// The value of its groundings, joined.
    pub value: f64,
    /// That times the weight of the rule.
    pub adds: f64,
}

impl LrnnModel {
    /// The rules.
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// How groundings are joined.
    pub fn family(&self) -> Family {
        self.family
    }

    pub(super) fn layout(&self) -> Layout {
        Layout { rules: self.template.rules.len(), heads: self.template.heads().len() }
    }

    fn now(&self) -> NetWeights<'_> {
        NetWeights { all: &self.weights, layout: self.layout(), family: self.family }
    }

    /// The weight of a rule and the offset of its conjunction.
    pub fn rule_weights(&self, rule: usize) -> (f64, f64) {
        let layout = self.layout();
        (self.weights[layout.w(rule as u32)], self.weights[layout.c(rule as u32)])
    }

    /// The offset of a head by its number; the first is that of the target.
    pub fn head_weight(&self, head: usize) -> f64 {
        self.weights[self.layout().d(head as u32)]
    }

    /// Whether the examples can be asked about.
    fn check(&self, database: &Database, target: PredicateId) -> Result<(), ScoreError> {
        let Template { predicates, .. } = &self.template;
        ScoreError::check_arity((predicates, self.template.target()), (&database.predicates, target))?;
        if database.times.is_some() { Err(ScoreError::Times { kind: self.record.kind }) } else { Ok(()) }
    }

    /// The examples' networks, and whether some rule had too many groundings.
    fn unrolled(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<(Unrolled, Diagnostics), ScoreError> {
        self.check(database, target)?;
        let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
        let unrolled = unroll(&self.template, &coverage, self.family, self.max_groundings as usize);
        let help = "scores are off; train with a larger max_groundings, or with rules of fewer groundings";
        let remark = warnings::groundings_cut(unrolled.budget_hits, self.max_groundings, help);
        Ok((unrolled, remark.into_iter().collect()))
    }

    /// The rules for the target that have groundings for each example, and what they add to ψ; with what there is to say of it.
    ///
    /// # Errors
    /// As for [`Model::score`].
    pub fn fired(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<(Vec<Vec<Fired>>, Diagnostics), ScoreError> {
        let (unrolled, remarks) = self.unrolled(database, target, examples)?;
        let of_net = |net: &super::net::Net| {
            let values = net.values(self.now());
            let Some(Neuron::Atom { inputs, .. }) = net.neurons.last() else { return Vec::new() };
            let fired = |&(rule, input): &(u32, u32)| {
                let value = values[input as usize];
                Fired { rule: rule as usize, value, adds: self.rule_weights(rule as usize).0 * value }
            };
            inputs.iter().map(fired).collect()
        };
        let fired: Vec<Vec<Fired>> = unrolled.nets.iter().map(of_net).collect();
        Ok((unrolled.of.iter().map(|&net| fired[net].clone()).collect(), remarks))
    }
}

impl Model for LrnnModel {
    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Vec<f64>, ScoreError> {
        Ok(self.score_with_remarks(database, target, examples)?.0)
    }

    fn score_with_remarks(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<(Vec<f64>, Diagnostics), ScoreError> {
        let (unrolled, remarks) = self.unrolled(database, target, examples)?;
        let psi: Vec<f64> = unrolled.nets.iter().map(|net| net.psi(self.now())).collect();
        Ok((unrolled.of.iter().map(|&net| psi[net]).collect(), remarks))
    }

    fn describe(&self) -> String {
        super::print::describe(self)
    }
}

impl Stored for LrnnModel {
    fn target_name(&self) -> &str {
        self.template.predicates.name(self.template.target())
    }

    fn target_arity(&self) -> usize {
        self.template.predicates.arity(self.template.target())
    }

    fn time(&self) -> Option<&TimeRule> {
        self.record.time.as_ref()
    }

    fn predicates(&self) -> &Predicates {
        &self.template.predicates
    }

    fn set_time(&mut self, time: Option<TimeRule>) {
        self.record.time = time;
    }

    fn to_json(&self) -> String {
        self.text()
    }

    fn size(&self) -> ModelSize {
        let target = self.template.target();
        let rules = &self.template.rules;
        let leaves = rules.iter().filter(|rule| rule.head == target).count();
        ModelSize { trees: 0, leaves, parts: SizeOf::Template { latent: rules.len() - leaves } }
    }
}
