//! Three made-up domains with planted rules: always there, made in memory from a seed, written only when asked.
//!
//! They answer what real data cannot: whether the learner finds a rule that is known to be there, and what happens as
//! data grow or labels get wrong. Each domain is made of small groups (a studio, a department, a field of research)
//! that share no person, movie, paper or the like, so a generator holds one group at a time, whatever the scale, and a
//! larger scale is the same facts followed by more. Facts and examples go to a [`Sink`] as they are made.
//!
//! Labels are read off the facts by the planted rule. Where the target has two classes, every pair for which the rule
//! holds is listed as a positive, so more negatives may be drawn from the closed world.

mod citations;
mod group;
mod movies;
mod university;
mod write;

#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::fmt;

pub use write::{WriteError, write_directory};

/// A generated domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Who worked under whom: the paper's running example, two classes.
    Movies,
    /// The same world as [`Domain::Movies`] for the same seed, with the paper's four classes.
    MoviesClasses,
    /// Who advises whom; shaped like UW-CSE.
    University,
    /// Which paper cites which; shaped like Yeast2, with times.
    Citations,
}

/// What is known of a domain without making it.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The name that users type.
    pub id: &'static str,
    /// The name that tables print; it says that the data are generated.
    pub title: &'static str,
    /// What the domain is like, in a paragraph.
    pub about: &'static str,
    /// The predicate to learn.
    pub target: &'static str,
    /// For a target whose last argument is a class, how many classes there are: `0..classes`.
    pub classes: Option<u32>,
    /// The mode of the target, as a line of a BoostSRL background file.
    pub target_mode: &'static str,
    /// The modes of the evidence, as such lines.
    pub evidence_modes: &'static [&'static str],
    /// The planted rules, as clauses; the first whose body holds decides, and if none does the example is negative.
    pub rules: &'static [&'static str],
    /// The predicate that gives an entity its time, where the domain has times.
    pub time: Option<&'static str>,
    /// The seed used unless another is asked for.
    pub seed: u64,
}

impl Info {
    /// Every mode, that of the target first.
    pub fn modes(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.target_mode).chain(self.evidence_modes.iter().copied())
    }
}

impl Domain {
    /// Every domain.
    pub const ALL: [Domain; 4] = [Domain::Movies, Domain::MoviesClasses, Domain::University, Domain::Citations];

    /// The domain with this id.
    pub fn find(id: &str) -> Result<Domain, UnknownDomain> {
        Self::ALL.into_iter().find(|domain| domain.info().id == id).ok_or_else(|| UnknownDomain { id: id.to_owned() })
    }

    /// What is known of it.
    pub fn info(self) -> &'static Info {
        match self {
            Domain::Movies => &movies::INFO,
            Domain::MoviesClasses => &movies::CLASSES_INFO,
            Domain::University => &university::INFO,
            Domain::Citations => &citations::INFO,
        }
    }

    /// The settings of the domain as it is always there: scale 1, its own seed, no noise.
    pub fn settings(self) -> Settings {
        Settings { scale: 1, seed: self.info().seed, noise: 0.0 }
    }

    /// Makes the domain. The same settings give the same calls in the same order, on every machine.
    pub fn generate<S: Sink>(self, settings: &Settings, sink: &mut S) -> Result<(), S::Error> {
        match self {
            Domain::Movies => movies::generate(settings, sink),
            Domain::MoviesClasses => movies::generate_classes(settings, sink),
            Domain::University => university::generate(settings, sink),
            Domain::Citations => citations::generate(settings, sink),
        }
    }
}

/// No generated domain has this id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no generated domain is called `{id}`: choose one of {}", known_ids())]
pub struct UnknownDomain {
    /// The id that was asked for.
    pub id: String,
}

fn known_ids() -> String {
    Domain::ALL.map(|domain| domain.info().id).join(", ")
}

/// How a domain is made; only allowed values can be built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    scale: u32,
    seed: u64,
    noise: f64,
}

impl Settings {
    /// The largest scale: one to three thousand million facts, with every entity's number still in 32 bits.
    pub const MAX_SCALE: u32 = 1_000_000;

    /// Checked settings; see the accessors for what they mean.
    pub fn new(scale: u32, seed: u64, noise: f64) -> Result<Self, SettingsError> {
        if !(1..=Self::MAX_SCALE).contains(&scale) {
            return Err(SettingsError::Scale(scale));
        }
        if !(0.0..1.0).contains(&noise) {
            return Err(SettingsError::Noise(noise));
        }
        Ok(Settings { scale, seed, noise })
    }

    /// How many times as many groups as at scale 1; facts and examples grow alike.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// The seed of every random choice.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The chance that an example's label is wrong: flipped, or replaced by another class. Facts are never noisy.
    pub fn noise(&self) -> f64 {
        self.noise
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "scale {}, seed {}, noise {}", self.scale, self.seed, self.noise)
    }
}

/// A setting that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// The scale is out of range.
    #[error("scale must be from 1 to {max}, but was {0}: scale 1 has 1,000 to 2,500 facts", max = Settings::MAX_SCALE)]
    Scale(u32),
    /// The noise is out of range.
    #[error("noise must be at least 0 and below 1, but was {0}: it is the share of labels that are wrong")]
    Noise(f64),
}

/// An argument of a generated fact, small and free to copy; its text is a bare name or a number in every notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// An entity by its kind and number, such as `person12`.
    Entity(&'static str, u32),
    /// A word, such as `drama`.
    Word(&'static str),
    /// A number, such as a year or a class.
    Number(u32),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Entity(kind, number) => {
                f.write_str(kind)?;
                fmt::Display::fmt(number, f)
            }
            Name::Word(word) => f.write_str(word),
            Name::Number(number) => fmt::Display::fmt(number, f),
        }
    }
}

/// Where a domain goes as it is made. Facts and examples come mixed; no fact and no example comes twice.
pub trait Sink {
    /// Why the sink could not take more.
    type Error;

    /// Takes a fact of the evidence; never one of the target.
    fn fact(&mut self, predicate: &'static str, args: &[Name]) -> Result<(), Self::Error>;

    /// Takes an example of the target. Where the target has classes, the class is the last argument and every
    /// example is positive.
    fn example(&mut self, positive: bool, args: &[Name]) -> Result<(), Self::Error>;
}

/// How much a domain holds; as a sink it counts and keeps nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Facts of the evidence.
    pub facts: u64,
    /// Positive examples; all of them where the target has classes.
    pub positives: u64,
    /// Negative examples.
    pub negatives: u64,
}

impl Counts {
    /// The counts of a domain, found by making it.
    pub fn of(domain: Domain, settings: &Settings) -> Counts {
        let mut counts = Counts::default();
        let Ok(()) = domain.generate(settings, &mut counts);
        counts
    }
}

impl Sink for Counts {
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
