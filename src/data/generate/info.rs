//! The static description of a domain.

/// The static description of a domain.
#[derive(Clone, Copy, Debug)]
pub struct DomainInfo {
    /// The identifier used on the command line and in specs.
    pub id: &'static str,
    /// The title printed in tables; it says that the data are generated.
    pub title: &'static str,
    /// A paragraph of description.
    pub about: &'static str,
    /// The target predicate.
    pub target: &'static str,
    /// The number of classes if the last argument of the target is a class in `0..classes`.
    pub classes: Option<u32>,
    /// The mode of the target, in the syntax of a BoostSRL background file.
    pub target_mode: &'static str,
    /// The modes of the evidence, in the same syntax.
    pub evidence_modes: &'static [&'static str],
    /// The planted rules as clauses: the first whose body holds decides; if none does, the example
    /// is negative.
    pub rules: &'static [&'static str],
    /// The predicate that gives an entity its time, if the domain has times.
    pub time: Option<&'static str>,
    /// The default seed.
    pub seed: u64,
}

impl DomainInfo {
    /// Iterates over all modes, that of the target first.
    pub fn modes(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.target_mode).chain(self.evidence_modes.iter().copied())
    }
}
