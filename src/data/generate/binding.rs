//! The binding domain: ternary predicates with many constants. A group is an assay of ligands and
//! sites.
//!
//! A ligand binds to a site if it has one of the properties of the site with the same level. Levels
//! are constants that all assays share, so a mode that takes constants has hundreds of candidates,
//! nearly all of which cover few examples.

use super::group::{self, Labels, Pairs, distinct, draw, draw_from, members};
use super::info::DomainInfo;
use super::settings::GeneratorSettings;
use super::sink::{DomainSink, Name};
use crate::determinism::Stream;

pub(super) const INFO: DomainInfo = DomainInfo {
    id: "binding",
    title: "Binding (generated)",
    about: "Ligands carry properties at a level, and sites require properties at a level: ternary predicates whose \
            last argument is one of 400 constants. A ligand binds to a site if some property has the same level in \
            both. A third of the listed negatives share a property, and a third share a level of different \
            properties.",
    target: "binds",
    classes: None,
    target_mode: "mode: binds(+ligand,+site).",
    evidence_modes: &[
        "mode: carries(+ligand,-property,#level).",
        "mode: carries(+ligand,-property,-level).",
        "mode: carries(-ligand,+property,+level).",
        "mode: requires(+site,-property,#level).",
        "mode: requires(+site,-property,-level).",
        "mode: requires(-site,+property,+level).",
    ],
    rules: &["binds(A, B) :- carries(A, P, L), requires(B, P, L)."],
    time: None,
    seed: 20_210_804,
};

const ASSAYS: u32 = 6;
const LIGANDS: u32 = 32;
const SITES: u32 = 32;
const PROPERTIES: u32 = 8;
const PROPERTIES_OF_ENTITY: u32 = 4;
/// An assay uses this many consecutive levels of all.
const LEVELS_OF_ASSAY: u32 = 16;
const LEVELS: u32 = 400;
const NEGATIVES_PER_POSITIVE: usize = 3;

/// The level of each property of an entity, if it has the property.
type Properties = [Option<u32>; PROPERTIES as usize];

struct Assay {
    number: u32,
    first_level: u32,
}

/// Generates the facts of some entities of an assay.
fn make<S: DomainSink>(
    predicate: &'static str,
    names: impl Iterator<Item = Name>,
    assay: &Assay,
    stream: &mut Stream,
    sink: &mut S,
) -> Result<Vec<Properties>, S::Error> {
    let mut all = Vec::new();
    for name in names {
        let mut properties: Properties = [None; PROPERTIES as usize];
        for property in members(distinct(stream, PROPERTIES, PROPERTIES_OF_ENTITY)) {
            let level = (assay.first_level + draw(stream, LEVELS_OF_ASSAY)) % LEVELS;
            properties[property as usize] = Some(level);
            let own = Name::Entity("property", assay.number * PROPERTIES + property);
            sink.fact(predicate, &[name, own, Name::Entity("level", level)])?;
        }
        all.push(properties);
    }
    Ok(all)
}

/// Generates the domain.
pub(super) fn generate<S: DomainSink>(settings: &GeneratorSettings, sink: &mut S) -> Result<(), S::Error> {
    let mut facts = group::stream(settings, INFO.id, "facts");
    let mut pairs = group::stream(settings, INFO.id, "pairs");
    let mut labels = Labels::new(settings, INFO.id);
    for number in 0..settings.scale() * ASSAYS {
        let ligand = |member: u32| Name::Entity("ligand", number * LIGANDS + member);
        let site = |member: u32| Name::Entity("site", number * SITES + member);
        let assay = Assay { number, first_level: draw(&mut facts, LEVELS) };
        let ligands = make("carries", (0..LIGANDS).map(ligand), &assay, &mut facts, sink)?;
        let sites = make("requires", (0..SITES).map(site), &assay, &mut facts, sink)?;
        // (A, B): some property has the same level; they share a property; they share a level.
        let (mut binds, mut property, mut level) = (Pairs::new(), Pairs::new(), Pairs::new());
        for (a, ligand) in (0..).zip(&ligands) {
            for (b, site) in (0..).zip(&sites) {
                let both = || ligand.iter().zip(site).filter_map(|(own, other)| Some(((*own)?, (*other)?)));
                if both().any(|(own, other)| own == other) {
                    binds.insert(a, b);
                }
                if both().next().is_some() {
                    property.insert(a, b);
                }
                if ligand.iter().flatten().any(|own| site.contains(&Some(*own))) {
                    level.insert(a, b);
                }
            }
        }
        let mut listed = binds.clone();
        let mut positives = 0;
        for (a, b) in binds.iter() {
            sink.example(labels.binary(true), &[ligand(a), site(b)])?;
            positives += 1;
        }
        for i in 0..positives * NEGATIVES_PER_POSITIVE {
            // In turn: a shared property, a shared level, any pair.
            let pair = listed.insert_fresh(&mut pairs, |stream| {
                let a = draw(stream, LIGANDS);
                let eligible = match i % NEGATIVES_PER_POSITIVE {
                    0 => property.row(a),
                    1 => level.row(a),
                    _ => (1 << SITES) - 1,
                };
                Some((a, draw_from(stream, eligible & !binds.row(a))?))
            });
            if let Some((a, b)) = pair {
                sink.example(labels.binary(false), &[ligand(a), site(b)])?;
            }
        }
    }
    Ok(())
}
