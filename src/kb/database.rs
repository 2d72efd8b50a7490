//! A knowledge base: symbols, predicates, modes, facts and times that belong together.

use super::classes::Classes;
use super::facts::{FactError, Facts, FactsBuilder};
use super::schema::{Schema, TypeId};
use super::time::{Sources, TimeError, TimeRule, TimeSource, Times};
use super::view::Recursion;
use super::warnings;
use crate::logic::rename::Names;
use crate::logic::{Constant, Diagnostic, PredicateId, Predicates, Symbols};

/// An example of a target predicate. Examples live beside the database: folds share the one and differ in the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The arguments.
    pub args: Box<[Constant]>,
    /// Whether the target holds for them; always, if it tells classes apart.
    pub positive: bool,
    /// The number of its class among [`Database::classes`], if the target tells several apart; 0 otherwise.
    pub class: u32,
    /// How much the example counts.
    pub weight: f64,
    /// The line it was read from, 0 if it was made.
    pub line: u32,
}

/// Facts with everything needed to ask for them. It never changes, so threads may share it.
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
    /// The times of entities, if examples may not see all facts.
    pub times: Option<Times>,
    /// The target whose facts are evidence for its own examples, if there is one. Without it, facts of a target are never used.
    pub recursion: Option<Recursion>,
    /// The classes of the target, if it tells several apart.
    pub classes: Option<Classes>,
}

impl Database {
    /// The names of the classes of a target, if it tells several apart.
    pub fn classes_of(&self, target: PredicateId) -> Option<&[String]> {
        self.classes.as_ref().filter(|classes| classes.target == target).map(|classes| &classes.names[..])
    }

    /// Its predicates and constants.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// The time up to which an example sees facts; `None` if it sees all.
    pub fn limit(&self, target: PredicateId, args: &[Constant]) -> Option<f64> {
        self.times.as_ref()?.of_example(target, args)
    }

    /// Whether an example with this limit may see a fact.
    #[inline]
    pub fn visible(&self, predicate: PredicateId, args: &[Constant], limit: Option<f64>) -> bool {
        self.times.as_ref().is_none_or(|times| times.visible(predicate, args, limit))
    }

    /// An atom as people write it: `advisedby(ann,bob)`.
    pub fn show_atom(&self, predicate: PredicateId, args: &[Constant]) -> String {
        let args: Vec<String> = args.iter().map(|&constant| self.symbols.show(constant).to_string()).collect();
        format!("{}({})", self.predicates.name(predicate), args.join(","))
    }

    /// The constants of a type, sorted: all that stand at an argument of that type in a fact, and those of its ranges.
    ///
    /// Examples are not part of the database, so constants that only examples mention are not among them.
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

    /// Bytes held, counting capacity.
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

/// A database in the making.
#[derive(Clone, Debug, Default)]
pub struct DatabaseBuilder {
    /// The constants so far. Those of examples belong here too, before the database is built.
    pub symbols: Symbols,
    /// The predicates so far.
    pub predicates: Predicates,
    /// The modes so far.
    pub schema: Schema,
    facts: FactsBuilder,
}

impl DatabaseBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact; one that is there already is counted and dropped when the database is built.
    ///
    /// # Errors
    /// If the number of arguments is wrong, or the predicate has too many facts.
    ///
    /// # Panics
    /// If the predicate is not one of [`DatabaseBuilder::predicates`].
    #[inline]
    pub fn fact(&mut self, predicate: PredicateId, args: &[Constant]) -> Result<(), FactError> {
        self.facts.push(predicate, args, &self.predicates)
    }

    /// How many facts were added, counting repetitions.
    pub fn facts(&self) -> usize {
        self.facts.len()
    }

    /// Indexes the facts and finds the times; also what modes and facts make doubtful.
    ///
    /// # Errors
    /// If the rule for times does not fit the facts.
    pub fn build(mut self, time: Option<&TimeRule>) -> Result<(Database, Vec<Diagnostic>), TimeError> {
        self.symbols.shrink();
        let DatabaseBuilder { symbols, predicates, schema, facts } = self;
        let facts = facts.build(&schema, &predicates);
        let from = Sources { symbols: &symbols, predicates: &predicates, schema: &schema, facts: &facts };
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

#[cfg(test)]
mod tests {
    use super::super::sample::{self, constants};
    use super::*;

    #[test]
    fn threads_may_share_a_database() {
        fn shared<T: Send + Sync>() {}
        shared::<Database>();
    }

    #[test]
    fn constants_of_a_type_come_from_facts_and_ranges() {
        let (mut builder, _) = sample::read(
            "mode: friends(+person, -person). mode: age(+person, #years). friends(bob, ann). friends(bob, cat).
             age(dan, 7). untyped(eve).",
        );
        let zoe = builder.symbols.intern("zoe").unwrap();
        let ann = builder.symbols.find("ann").unwrap();
        builder.schema.add_range("person", vec![zoe, ann]).unwrap();
        let (database, _) = builder.build(None).unwrap();
        let [bob, ann, cat, dan, seven] = constants(&database, ["bob", "ann", "cat", "dan", "7"]);
        let of = |name: &str| database.constants_of_type(database.schema.find_type(name).unwrap());
        // Sorted by first appearance in the text.
        assert_eq!(of("person"), [bob, ann, cat, dan, zoe]);
        assert_eq!(of("years"), [seven]);
    }

    #[test]
    fn indexes_follow_the_modes() {
        let text = "mode: one(+a, -a). mode: both(+a, -a). mode: both(-a, +a). one(x, y). both(x, y). none(x, y).";
        let (database, ..) = sample::build(text, None);
        let orders = |name: &str| {
            let id = database.predicates.find(name, 2).unwrap();
            database.facts.relation(id).indexes().iter().map(|index| index.order().to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(orders("one"), [[0, 1]]);
        assert_eq!(orders("both"), [[0, 1], [1, 0]]);
        assert_eq!(orders("none"), [[0, 1]]);
    }
}
