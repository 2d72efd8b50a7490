//! The relations domain: a graph of fifty relations over one type of node. A group is a component
//! of the graph.
//!
//! Two of the relations form the chain of the planted rule; the others are uninformative. There are
//! a hundred modes, so a test of two literals has thousands of candidates.

use super::group::{self, Labels, Pairs, draw, draw_from, draw_other};
use super::info::DomainInfo;
use super::settings::GeneratorSettings;
use super::sink::{DomainSink, Name};
use crate::determinism::Stream;

macro_rules! relations {
    ($($number:literal)*) => {
        /// The names of the relations.
        const RELATIONS: [&str; 50] = [$(concat!("rel", $number)),*];

        /// The modes of the relations, two each.
        const MODES: [&str; 100] = [$(
            concat!("mode: rel", $number, "(+node,-node)."),
            concat!("mode: rel", $number, "(-node,+node).")
        ),*];
    };
}

relations! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41
    42 43 44 45 46 47 48 49
}

pub(super) const INFO: DomainInfo = DomainInfo {
    id: "relations",
    title: "Relations (generated)",
    about: "A graph with fifty relations over one type of node. A node is linked with another if a chain of two of \
            the relations leads to it; the other 48 are uninformative. A third of the listed negatives have the first \
            relation with some node, a third are reached by the second.",
    target: "linked",
    classes: None,
    target_mode: "mode: linked(+node,+node).",
    evidence_modes: &MODES,
    rules: &["linked(A, B) :- rel7(A, C), rel23(C, B)."],
    time: None,
    seed: 20_220_530,
};

const COMPONENTS: u32 = 6;
const NODES: u32 = 40;
const FIRST: usize = 7;
const SECOND: usize = 23;
const EDGES_OF_RULE: u32 = 24;
const EDGES: u32 = 4;
const NEGATIVES_PER_POSITIVE: usize = 3;

/// The relations of one component that the rule refers to.
struct Component {
    number: u32,
    first: Pairs,
    second: Pairs,
}

impl Component {
    fn node(&self, member: u32) -> Name {
        Name::Entity("node", self.number * NODES + member)
    }

    /// Generates the facts of component `number`.
    fn make<S: DomainSink>(number: u32, stream: &mut Stream, sink: &mut S) -> Result<Component, S::Error> {
        let mut component = Component { number, first: Pairs::new(), second: Pairs::new() };
        for (relation, &name) in RELATIONS.iter().enumerate() {
            let is_of_rule = relation == FIRST || relation == SECOND;
            let mut edges = Pairs::new();
            for _ in 0..if is_of_rule { EDGES_OF_RULE } else { EDGES } {
                let first = &component.first;
                let edge = edges.insert_fresh(stream, |stream| {
                    let a = draw(stream, NODES);
                    let b = draw_other(stream, NODES, a);
                    // No chain of the rule leads back to its start.
                    (relation != SECOND || !first.contains(b, a)).then_some((a, b))
                });
                if let Some((a, b)) = edge {
                    sink.fact(name, &[component.node(a), component.node(b)])?;
                }
            }
            match relation {
                FIRST => component.first = edges,
                SECOND => component.second = edges,
                _ => {}
            }
        }
        Ok(component)
    }
}

/// Generates the domain.
pub(super) fn generate<S: DomainSink>(settings: &GeneratorSettings, sink: &mut S) -> Result<(), S::Error> {
    let mut facts = group::stream(settings, INFO.id, "facts");
    let mut pairs = group::stream(settings, INFO.id, "pairs");
    let mut labels = Labels::new(settings, INFO.id);
    for number in 0..settings.scale() * COMPONENTS {
        let component = Component::make(number, &mut facts, sink)?;
        list_examples(&component, &mut labels, &mut pairs, sink)?;
    }
    Ok(())
}

fn list_examples<S: DomainSink>(
    component: &Component,
    labels: &mut Labels,
    stream: &mut Stream,
    sink: &mut S,
) -> Result<(), S::Error> {
    let Component { first, second, .. } = component;
    let mut linked = Pairs::new();
    for (a, c) in first.iter() {
        // The planted rule.
        for b in group::members(second.row(c)) {
            linked.insert(a, b);
        }
    }
    let mut positives = 0;
    for (a, b) in linked.iter() {
        sink.example(labels.binary(true), &[component.node(a), component.node(b)])?;
        positives += 1;
    }
    let reached = second.iter().fold(0, |all, (_, b)| all | 1u64 << b);
    let starts = first.iter().fold(0, |all, (a, _)| all | 1u64 << a);
    let mut listed = linked;
    for i in 0..positives * NEGATIVES_PER_POSITIVE {
        // In turn: the first node has the first relation, the other one is reached by the second,
        // any pair.
        let pair = listed.insert_fresh(stream, |stream| {
            let kind = i % NEGATIVES_PER_POSITIVE;
            let all = (1u64 << NODES) - 1;
            let a = draw_from(stream, if kind == 0 { starts } else { all })?;
            let b = draw_from(stream, if kind == 1 { reached } else { all } & !(1 << a))?;
            Some((a, b))
        });
        if let Some((a, b)) = pair {
            sink.example(labels.binary(false), &[component.node(a), component.node(b)])?;
        }
    }
    Ok(())
}
