//! The list of domains.

use std::convert::Infallible;

use super::info::DomainInfo;
use super::settings::GeneratorSettings;
use super::sink::{DomainSink, Name};
use super::{binding, citations, documents, interests, movies, relations, university};

/// A synthetic domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Who worked under whom: the paper's running example with a binary target.
    Movies,
    /// The facts of [`Domain::Movies`] for the same seed, with the paper's four classes.
    MoviesClasses,
    /// Who advises whom; modeled on UW-CSE.
    University,
    /// Which paper cites which; modeled on Yeast2, with times.
    Citations,
    /// Which field a position of a document belongs to.
    Documents,
    /// Who consults whom, by a dense bipartite graph of people and topics.
    Interests,
    /// Which ligand binds to which site, by ternary predicates with many constants.
    Binding,
    /// Which nodes are linked, in a graph of fifty relations.
    Relations,
}

impl Domain {
    /// All domains.
    pub const ALL: [Domain; 8] = [
        Domain::Movies,
        Domain::MoviesClasses,
        Domain::University,
        Domain::Citations,
        Domain::Documents,
        Domain::Interests,
        Domain::Binding,
        Domain::Relations,
    ];

    /// Returns the domain with this id.
    pub fn find(id: &str) -> Result<Domain, UnknownDomain> {
        Self::ALL.into_iter().find(|domain| domain.info().id == id).ok_or_else(|| UnknownDomain { id: id.to_owned() })
    }

    /// Returns the description of the domain.
    pub fn info(self) -> &'static DomainInfo {
        match self {
            Domain::Movies => &movies::INFO,
            Domain::MoviesClasses => &movies::CLASSES_INFO,
            Domain::University => &university::INFO,
            Domain::Citations => &citations::INFO,
            Domain::Documents => &documents::INFO,
            Domain::Interests => &interests::INFO,
            Domain::Binding => &binding::INFO,
            Domain::Relations => &relations::INFO,
        }
    }

    /// Returns the default settings: scale 1, the seed of the domain, no noise.
    pub fn settings(self) -> GeneratorSettings {
        GeneratorSettings { scale: 1, seed: self.info().seed, noise: 0.0 }
    }

    /// Generates the domain. Equal settings give the same calls in the same order on every machine.
    pub fn generate<S: DomainSink>(self, settings: &GeneratorSettings, sink: &mut S) -> Result<(), S::Error> {
        match self {
            Domain::Movies => movies::generate(settings, sink),
            Domain::MoviesClasses => movies::generate_classes(settings, sink),
            Domain::University => university::generate(settings, sink),
            Domain::Citations => citations::generate(settings, sink),
            Domain::Documents => documents::generate(settings, sink),
            Domain::Interests => interests::generate(settings, sink),
            Domain::Binding => binding::generate(settings, sink),
            Domain::Relations => relations::generate(settings, sink),
        }
    }
}

/// The error for an unknown domain id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown generated domain `{id}`; expected one of {}", known_ids())]
pub struct UnknownDomain {
    /// The unknown id.
    pub id: String,
}

fn known_ids() -> String {
    Domain::ALL.map(|domain| domain.info().id).join(", ")
}

/// The size of a domain; as a sink it counts without storing anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DomainCounts {
    /// Facts of the evidence.
    pub facts: u64,
    /// Positive examples; all examples if the target has classes.
    pub positives: u64,
    /// Negative examples.
    pub negatives: u64,
}

impl DomainCounts {
    /// Counts the facts and examples of a domain by generating it.
    pub fn of(domain: Domain, settings: &GeneratorSettings) -> DomainCounts {
        let mut counts = DomainCounts::default();
        let Ok(()) = domain.generate(settings, &mut counts);
        counts
    }
}

impl DomainSink for DomainCounts {
    type Error = Infallible;

    fn fact(&mut self, _: &'static str, _: &[Name]) -> Result<(), Infallible> {
        self.facts += 1;
        Ok(())
    }

    fn example(&mut self, positive: bool, _: &[Name]) -> Result<(), Infallible> {
        *(if positive { &mut self.positives } else { &mut self.negatives }) += 1;
        Ok(())
    }
}
