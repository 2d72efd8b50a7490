//! The knowledge base: symbols, predicates, modes, facts and times.

use super::classes::Classes;
use super::facts::{FactError, Facts, FactsBuilder};
use super::mode::TypeId;
use super::recursion::Recursion;
use super::renumbering::Renumbering;
use super::schema::Schema;
use super::time::{TimeError, TimeInputs, TimeRule, TimeSource, Times};
use super::warnings;
use crate::logic::rename::Names;
use crate::logic::{Constant, Diagnostic, PredicateId, Predicates, Symbols};

/// An example of a target predicate.
///
/// Examples are stored outside the database: folds share the facts and differ in the examples.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The arguments.
    pub args: Box<[Constant]>,
    /// Whether the example is positive; always `true` for multi-class targets.
    pub positive: bool,
    /// Index of the class in [`Database::classes`] for multi-class targets; 0 otherwise.
    pub class: u32,
    /// The weight of the example.
    pub weight: f64,
    /// Line number in the file, 0 for generated examples.
    pub line: u32,
}

/// An immutable, indexed set of facts with its symbol tables; threads share it.
#[derive(Clone, Debug)]
pub struct Database {
    /// The constants.
    pub symbols: Symbols,
    /// The predicates.
    pub predicates: Predicates,
    /// Modes and types.
    pub schema: Schema,
    /// The facts.
    pub facts: Facts,
    /// The times of entities, if visibility is limited by time.
    pub times: Option<Times>,
    /// The target whose facts are evidence for its own examples, if any.
    ///
    /// Without it, facts of a target are never used.
    pub recursion: Option<Recursion>,
    /// The classes of a multi-class target.
    pub classes: Option<Classes>,
}

impl Database {
    /// Returns the class names of a target, if it is multi-class.
    pub fn classes_of(&self, target: PredicateId) -> Option<&[String]> {
        self.classes.as_ref().filter(|classes| classes.target == target).map(|classes| &classes.names[..])
    }

    /// Returns the predicate and symbol tables.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// Returns the rule that limits visible facts by time, if there is one.
    pub fn time_rule(&self) -> Option<&TimeRule> {
        self.times.as_ref().map(Times::rule)
    }

    /// Returns the time limit of an example; `None` if it may use all facts.
    pub fn limit(&self, target: PredicateId, args: &[Constant]) -> Option<f64> {
        self.times.as_ref()?.of_example(target, args)
    }

    /// Returns whether a fact is visible under a time limit.
    #[inline]
    pub fn visible(&self, predicate: PredicateId, args: &[Constant], limit: Option<f64>) -> bool {
        self.times.as_ref().is_none_or(|times| times.visible(predicate, args, limit))
    }

    /// Formats an atom as `advisedby(ann,bob)`.
    pub fn show_atom(&self, predicate: PredicateId, args: &[Constant]) -> String {
        let args: Vec<String> = args.iter().map(|&constant| self.symbols.show(constant).to_string()).collect();
        format!("{}({})", self.predicates.name(predicate), args.join(","))
    }

    /// Returns the sorted constants of a type: those in facts at arguments of that type, and its
    /// ranges.
    ///
    /// Examples are not part of the database, so constants that occur only in examples are
    /// excluded.
    pub fn constants_of_type(&self, type_id: TypeId) -> Vec<Constant> {
        let mut constants = Vec::new();
        for id in self.predicates.iter() {
            for (position, &here) in self.schema.argument_types(id).unwrap_or_default().iter().enumerate() {
                if here == type_id {
                    self.facts.relation(id).for_each_value(position, |constant| constants.push(constant));
                }
            }
        }
        for (here, range) in self.schema.ranges() {
            if *here == type_id {
                constants.extend_from_slice(range);
            }
        }
        constants.sort_unstable();
        constants.dedup();
        constants
    }

    /// Returns the allocated bytes, including spare capacity.
    pub fn bytes(&self) -> usize {
        self.symbols.bytes()
            + self.schema.bytes()
            + self.facts.bytes()
            + self.times.as_ref().map_or(0, Times::bytes)
            + self
                .predicates
                .iter()
                .map(|id| self.predicates.name(id).len() + 2 * size_of::<(String, u32)>())
                .sum::<usize>()
    }
}

/// Builder of a [`Database`].
#[derive(Clone, Debug, Default)]
pub struct DatabaseBuilder {
    /// The symbol table; constants of examples must be interned here before building.
    pub symbols: Symbols,
    /// The predicates so far.
    pub predicates: Predicates,
    /// The modes so far.
    pub schema: Schema,
    facts: FactsBuilder,
}

impl DatabaseBuilder {
    /// Creates an empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact; duplicates are counted and removed when the database is built.
    ///
    /// # Errors
    /// If the number of arguments is wrong, or the predicate has too many facts.
    ///
    /// # Panics
    /// If the predicate is not in [`DatabaseBuilder::predicates`].
    #[inline]
    pub fn fact(&mut self, predicate: PredicateId, args: &[Constant]) -> Result<(), FactError> {
        self.facts.push(predicate, args, &self.predicates)
    }

    /// Returns the number of facts added, including duplicates.
    pub fn facts(&self) -> usize {
        self.facts.len()
    }

    /// Numbers constants, predicates, types and modes by name, so that no number depends on the
    /// order in which they were added.
    ///
    /// Call it once, after the last addition; ids obtained before must be translated.
    pub fn canonicalize(&mut self) -> Renumbering {
        let constants = self.symbols.sort();
        let predicates = self.predicates.sort();
        let renumbering = Renumbering { constants, predicates };
        self.schema.canonicalize(&renumbering);
        self.facts.renumber(&renumbering.constants, &renumbering.predicates, &self.predicates);
        renumbering
    }

    /// Indexes the facts and derives the times; also returns warnings about modes and facts.
    ///
    /// # Errors
    /// If the time rule does not match the facts.
    pub fn build(mut self, time: Option<&TimeRule>) -> Result<(Database, Vec<Diagnostic>), TimeError> {
        self.symbols.shrink();
        let DatabaseBuilder { symbols, predicates, schema, facts } = self;
        let facts = facts.build(&schema, &predicates);
        let from = TimeInputs { symbols: &symbols, predicates: &predicates, schema: &schema, facts: &facts };
        let time_predicate = match time.map(|rule| &rule.source) {
            Some(TimeSource::Predicate(name)) => predicates.find(name, 2),
            _ => None,
        };
        let mut warnings = warnings::find(&from, time_predicate);
        let mut times = None;
        if let Some(rule) = time {
            let (found, warning) = Times::new(rule, &from)?;
            times = Some(found);
            warnings.extend(warning);
        }
        Ok((Database { symbols, predicates, schema, facts, times, recursion: None, classes: None }, warnings))
    }
}
