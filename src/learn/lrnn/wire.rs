//! Weighted templates as JSON files.
//!
//! Versions of the format:
//! 1. The first.

use serde::{Deserialize, Serialize};

use super::model::LrnnModel;
use super::net::{Family, Layout};
use super::params::Unrolling;
use super::template::{Template, TemplateRule};
use crate::files::json::{self, FileError};
use crate::learn::Kind;
use crate::learn::format;
use crate::learn::header::{Header, WireHeader};
use crate::learn::params::check_stored;
use crate::learn::stored::{ModelSize, SizeOf, Stored};
use crate::logic::Predicates;
use crate::logic::wire::{self, WireLiteral, WirePredicate};
use crate::rbm::check_weight;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireModel {
    format: String,
    version: u32,
    target: WirePredicate,
    learned: WireHeader,
    family: String,
    max_groundings: u32,
    rules: Vec<WireRule>,
    /// Offsets of the heads of rules, the target first.
    offsets: Vec<WireOffset>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRule {
    head: WirePredicate,
    body: Vec<WireLiteral>,
    w: f64,
    c: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireOffset {
    head: WirePredicate,
    d: f64,
}

impl Stored for LrnnModel {
    fn header(&self) -> Option<&Header> {
        Some(&self.header)
    }

    fn predicates(&self) -> &Predicates {
        &self.template.predicates
    }

    fn size(&self) -> ModelSize {
        let target = self.template.target();
        let rules = &self.template.rules;
        let leaves = rules.iter().filter(|rule| rule.head == target).count();
        ModelSize { trees: 0, leaves, parts: SizeOf::Template { latent: rules.len() - leaves } }
    }

    fn to_json(&self) -> String {
        let Template { predicates, symbols, rules, .. } = &self.template;
        let named = |id| WirePredicate { name: predicates.name(id).to_owned(), arity: predicates.arity(id) };
        let rule = |(number, rule): (usize, &TemplateRule)| {
            let (w, c) = self.rule_weights(number);
            let body = rule.body.iter().map(|literal| WireLiteral::new(literal, predicates, symbols)).collect();
            WireRule { head: named(rule.head), body, w, c }
        };
        let offset = |(number, head)| WireOffset { head: named(head), d: self.head_weight(number) };
        json::text(&WireModel {
            format: format::LRNN.name.to_owned(),
            version: format::LRNN.version,
            target: self.header.target(),
            learned: (&self.header).into(),
            family: self.family.name().to_owned(),
            max_groundings: self.max_groundings,
            rules: rules.iter().enumerate().map(rule).collect(),
            offsets: self.template.heads().enumerate().map(offset).collect(),
        })
    }
}

impl LrnnModel {
    /// Reads a model from the text of a file.
    ///
    /// # Errors
    /// If the text is not such a model of this or an earlier version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        from_wire(format::LRNN.read(text)?).map_err(|what| format::LRNN.invalid(what))
    }
}

fn from_wire(wire: WireModel) -> Result<LrnnModel, String> {
    let header = wire.learned.read(&wire.target, &[Kind::Lrnn])?;
    let family = Family::NAMES.iter().find(|(name, _)| *name == wire.family).map(|&(_, family)| family);
    let family = family.ok_or_else(|| format!("unknown family \"{}\"; expected max or avg", wire.family))?;
    check_stored::<Unrolling>("max_groundings", wire.max_groundings.into())?;
    let mut template = Template::new(&wire.target.name, wire.target.arity);
    let mut weights = Vec::new();
    for (number, WireRule { head, body, w, c }) in wire.rules.into_iter().enumerate() {
        let Template { predicates, symbols, .. } = &mut template;
        let id = predicates.intern(&head.name, head.arity);
        let body: Result<Vec<_>, String> = body.into_iter().map(|literal| literal.read(predicates, symbols)).collect();
        let body = body.map_err(|what| format!("rules[{number}]: {what}"))?;
        wire::check(head.arity, body.iter()).map_err(|error| format!("rules[{number}]: {error}"))?;
        template.push(TemplateRule { head: id, body, weight: None });
        for (name, weight) in [("w", w), ("c", c)] {
            check_weight(name, weight).map_err(|what| format!("rules[{number}]: {what}"))?;
        }
        weights.extend([w, c]);
    }
    // A model without rules is a constant.
    if !template.rules.is_empty() {
        template.check()?;
    }
    let layout = Layout { rules: template.rules.len(), heads: template.heads().len() };
    let named = |offset: &WireOffset| template.predicates.find(&offset.head.name, offset.head.arity);
    if !wire.offsets.iter().map(named).eq(template.heads().map(Some)) {
        let heads: Vec<String> = template.heads().map(|id| template.predicates.show(id).to_string()).collect();
        return Err(format!("offsets must have one d for each head, in this order: {}", heads.join(", ")));
    }
    wire.offsets.iter().try_for_each(|offset| check_weight("d", offset.d))?;
    weights.extend(wire.offsets.iter().map(|offset| offset.d));
    debug_assert_eq!(weights.len(), layout.size(), "one weight for each rule, conjunction and head");
    Ok(LrnnModel { header, template, family, max_groundings: wire.max_groundings, weights })
}
