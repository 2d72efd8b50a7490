//! Time limits: the times of entities, and which facts are visible to an example.
//!
//! The time of a fact is the latest time among its arguments, that of an example is the time of its
//! first argument that has one; facts up to the time of an example are visible to it. For
//! predicates listed in `by_argument` (such as citations), only the time of the first argument
//! counts, and it must be strictly before the example: a paper in question has not cited anything
//! yet. Facts without a time are visible to all, and an example without a time has no limit.

use super::facts::Facts;
use super::mode::TypeId;
use super::schema::Schema;
use crate::logic::{Constant, Diagnostic, PredicateId, Predicates, Symbols};

/// The source of entity times, and how they apply to facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeRule {
    /// The source of the times.
    pub source: TimeSource,
    /// Predicates whose facts have the time of their first argument only.
    pub by_argument: Vec<String>,
}

/// The source of entity times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeSource {
    /// Facts `name(entity, number)`.
    Predicate(String),
    /// Names of entities of a type encode their time: all digits of the name as one number, or the
    /// value of an entity that is a number itself.
    Ids {
        /// The type.
        type_name: String,
    },
}

/// A time rule that does not match the facts.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimeError {
    /// The time predicate has no facts with two arguments.
    #[error("time: no facts of the form {predicate}(entity, number){instead}: name a predicate that has such facts")]
    NoFacts {
        /// Name of the predicate.
        predicate: String,
        /// The arities it has instead.
        instead: String,
    },
    /// A time is not a number.
    #[error("time: the time in {fact} is not a number: use numbers, or replace the times by their ranks")]
    NotANumber {
        /// The fact.
        fact: String,
    },
    /// An entity has two different times.
    #[error("time: {entity} has the times {first} and {second}: keep one of them")]
    TwoTimes {
        /// The entity.
        entity: String,
        /// One time.
        first: f64,
        /// The other.
        second: f64,
    },
    /// An entity is a number without a type, which is ambiguous.
    #[error(
        "time: the entity in {fact} is a number without a type, indistinguishable from any other {entity}: \
         add a mode for {predicate}/2 (and a noMode if clauses must not use it)"
    )]
    NumberWithoutType {
        /// The fact.
        fact: String,
        /// The entity.
        entity: String,
        /// The time predicate.
        predicate: String,
    },
    /// No mode has the type.
    #[error("time: unknown type {type_name}; expected one of {known}")]
    UnknownType {
        /// Name of the type.
        type_name: String,
        /// The known types.
        known: String,
    },
    /// No mode or fact has the predicate.
    #[error("time: unknown predicate {predicate} in by_argument; expected some of {known}")]
    UnknownPredicate {
        /// Name of the predicate.
        predicate: String,
        /// The known predicates.
        known: String,
    },
}

/// The times of all entities.
#[derive(Clone, Debug)]
pub struct Times {
    /// The rule that the times were computed by.
    rule: TimeRule,
    /// Time of each name, or NaN; empty if no name has one.
    names: Vec<f64>,
    /// Time of each number that denotes an entity, or NaN; empty if no number has one.
    numbers: Vec<f64>,
    /// Whether names have their time at all positions rather than only those of the timed type.
    names_anywhere: bool,
    /// The positions of the timed type, per predicate. The number 17 may be a paper at one position
    /// and an age at another, so numbers have times at these positions only.
    timed_positions: Vec<Vec<bool>>,
    /// Whether only the first argument counts, per predicate.
    by_argument: Vec<bool>,
}

/// The inputs from which times and warnings are derived.
pub(crate) struct TimeInputs<'a> {
    pub symbols: &'a Symbols,
    pub predicates: &'a Predicates,
    pub schema: &'a Schema,
    pub facts: &'a Facts,
}

impl Times {
    /// Derives the times; also warns if entities of the timed type have none.
    pub(crate) fn new(rule: &TimeRule, from: &TimeInputs<'_>) -> Result<(Self, Option<Diagnostic>), TimeError> {
        let by_argument = by_argument(&rule.by_argument, from.predicates)?;
        let (timed_type, names, numbers) = match &rule.source {
            TimeSource::Predicate(name) => from_facts(name, from)?,
            TimeSource::Ids { type_name } => from_ids(type_name, from)?,
        };
        let is_timed = |id| {
            let types = from.schema.argument_types(id).unwrap_or_default();
            types.iter().map(|&t| Some(t) == timed_type).collect()
        };
        let unless_untimed = |table: Vec<f64>| if table.iter().all(|time| time.is_nan()) { Vec::new() } else { table };
        let times = Times {
            rule: rule.clone(),
            names: unless_untimed(names),
            numbers: unless_untimed(numbers),
            names_anywhere: matches!(rule.source, TimeSource::Predicate(_)),
            timed_positions: from.predicates.iter().map(is_timed).collect(),
            by_argument,
        };
        let warning = timed_type.and_then(|timed_type| times.untimed(timed_type, from));
        Ok((times, warning))
    }

    /// Returns the rule that the times were computed by.
    pub fn rule(&self) -> &TimeRule {
        &self.rule
    }

    /// Returns the time of a constant at an argument position of a predicate.
    #[inline]
    pub fn of_argument(&self, predicate: PredicateId, position: usize, constant: Constant) -> Option<f64> {
        let index = constant.id() & !NUMBER_BIT;
        let table = if constant.is_number() { &self.numbers } else { &self.names };
        let time = table.get(index as usize).copied().filter(|time| !time.is_nan())?;
        let anywhere = self.names_anywhere && !constant.is_number();
        (anywhere || self.is_timed(predicate, position)).then_some(time)
    }

    fn is_timed(&self, predicate: PredicateId, position: usize) -> bool {
        let positions = self.timed_positions.get(predicate.0 as usize);
        positions.and_then(|positions| positions.get(position)).copied().unwrap_or(false)
    }

    /// Returns the time limit of an example: the time of its first argument that has one.
    pub fn of_example(&self, target: PredicateId, args: &[Constant]) -> Option<f64> {
        args.iter().enumerate().find_map(|(position, &constant)| self.of_argument(target, position, constant))
    }

    /// Returns the time of a fact, if it has one.
    #[inline]
    pub fn of_fact(&self, predicate: PredicateId, args: &[Constant]) -> Option<f64> {
        let considered = if self.is_by_argument(predicate) { 1 } else { args.len() };
        let times = args.iter().enumerate().take(considered);
        times.filter_map(|(position, &constant)| self.of_argument(predicate, position, constant)).reduce(f64::max)
    }

    /// Returns whether facts of this predicate have the time of their first argument and are
    /// visible strictly after it only.
    #[inline]
    pub fn is_by_argument(&self, predicate: PredicateId) -> bool {
        self.by_argument.get(predicate.0 as usize).copied().unwrap_or(false)
    }

    /// Returns whether a fact is visible under a time limit.
    #[inline]
    pub fn visible(&self, predicate: PredicateId, args: &[Constant], limit: Option<f64>) -> bool {
        match (self.of_fact(predicate, args), limit) {
            (Some(time), Some(limit)) if self.is_by_argument(predicate) => time < limit,
            (Some(time), Some(limit)) => time <= limit,
            _ => true,
        }
    }

    /// Returns the times of constants at an argument position; `None` if no fact has its time from
    /// there.
    pub(crate) fn at_position(&self, predicate: PredicateId, position: usize) -> Option<PositionTimes<'_>> {
        if position > 0 && self.is_by_argument(predicate) {
            return None;
        }
        let (is_timed, is_strict) = (self.is_timed(predicate, position), self.is_by_argument(predicate));
        let names: &[f64] = if is_timed || self.names_anywhere { &self.names } else { &[] };
        let numbers: &[f64] = if is_timed { &self.numbers } else { &[] };
        let has_any = !names.is_empty() || !numbers.is_empty();
        has_any.then_some(PositionTimes { names, numbers, is_strict })
    }

    /// Warns about constants of the timed type that have no time, since facts about them have no
    /// limit.
    fn untimed(&self, timed_type: TypeId, from: &TimeInputs<'_>) -> Option<Diagnostic> {
        let mut untimed = Vec::new();
        for id in from.predicates.iter() {
            let positions = &self.timed_positions[id.0 as usize];
            for position in (0..positions.len()).filter(|&k| positions[k]) {
                let no_time = |&constant: &Constant| self.of_argument(id, position, constant).is_none();
                from.facts
                    .relation(id)
                    .for_each_value(position, |constant| untimed.extend(Some(constant).filter(no_time)));
            }
        }
        untimed.sort_unstable();
        untimed.dedup();
        let example = from.symbols.show(*untimed.first()?);
        let (type_name, count) = (from.schema.type_name(timed_type), untimed.len());
        Some(Diagnostic::warning(
            "entity-without-time",
            format!("{count} of the constants of type {type_name} have no time, such as {example}"),
            "facts that mention no timed constant are visible to every example: give these a time too",
        ))
    }

    /// Returns the allocated bytes, including spare capacity.
    pub fn bytes(&self) -> usize {
        8 * (self.names.capacity() + self.numbers.capacity())
            + self.by_argument.capacity()
            + self.timed_positions.iter().map(|p| size_of::<Vec<bool>>() + p.capacity()).sum::<usize>()
    }
}

/// The times of constants at an argument position of a predicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PositionTimes<'t> {
    names: &'t [f64],
    numbers: &'t [f64],
    /// Whether facts are visible strictly after this time only.
    is_strict: bool,
}

impl PositionTimes<'_> {
    /// Returns whether facts with this constant here are invisible under a time limit. A fact is
    /// visible if none of its constants hides it, since its time is the latest of theirs.
    #[inline]
    pub fn hides(&self, constant: Constant, limit: f64) -> bool {
        let table = if constant.is_number() { self.numbers } else { self.names };
        // A missing time is NaN, for which no comparison holds.
        let time = table.get((constant.id() & !NUMBER_BIT) as usize);
        time.is_some_and(|&time| if self.is_strict { time >= limit } else { time > limit })
    }
}

/// Id bit of numbers.
const NUMBER_BIT: u32 = 1 << 31;

type TimeTables = (Option<TypeId>, Vec<f64>, Vec<f64>);

fn from_facts(name: &str, from: &TimeInputs<'_>) -> Result<TimeTables, TimeError> {
    let relation = from.predicates.find(name, 2).map(|id| (id, from.facts.relation(id)));
    let Some((predicate, relation)) = relation.filter(|(_, relation)| !relation.is_empty()) else {
        return Err(TimeError::NoFacts { predicate: name.to_owned(), instead: arities(name, from) });
    };
    let timed_type = from.schema.argument_types(predicate).and_then(|types| types.first().copied());
    let mut names = vec![f64::NAN; from.symbols.names()];
    let mut numbers = vec![f64::NAN; from.symbols.numbers()];
    for row in relation.iter() {
        let (entity, value) = (row.get(0), row.get(1));
        let fact = || format!("{name}({}, {})", from.symbols.show(entity), from.symbols.show(value));
        let Some(time) = from.symbols.number(value).filter(|time| !time.is_nan()) else {
            return Err(TimeError::NotANumber { fact: fact() });
        };
        if entity.is_number() && timed_type.is_none() {
            let entity = from.symbols.show(entity).to_string();
            return Err(TimeError::NumberWithoutType { fact: fact(), entity, predicate: name.to_owned() });
        }
        let table = if entity.is_number() { &mut numbers } else { &mut names };
        let known = &mut table[(entity.id() & !NUMBER_BIT) as usize];
        if !known.is_nan() {
            // Facts are distinct, so a second one gives a different time.
            let entity = from.symbols.show(entity).to_string();
            return Err(TimeError::TwoTimes { entity, first: known.min(time), second: known.max(time) });
        }
        *known = time;
    }
    Ok((timed_type, names, numbers))
}

fn from_ids(type_name: &str, from: &TimeInputs<'_>) -> Result<TimeTables, TimeError> {
    let Some(timed_type) = from.schema.find_type(type_name) else {
        let known = list(from.schema.types().map(|id| from.schema.type_name(id)));
        return Err(TimeError::UnknownType { type_name: type_name.to_owned(), known });
    };
    let digits = |id: u32| {
        let name = from.symbols.name(Constant::from_id(id)).unwrap_or_default();
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(f64::NAN)
    };
    let names = (0..from.symbols.names() as u32).map(digits).collect();
    let value = |id: u32| from.symbols.number(Constant::from_id(id | NUMBER_BIT)).unwrap_or(f64::NAN);
    let numbers = (0..from.symbols.numbers() as u32).map(value).collect();
    Ok((Some(timed_type), names, numbers))
}

fn by_argument(listed: &[String], predicates: &Predicates) -> Result<Vec<bool>, TimeError> {
    let mut by_argument = vec![false; predicates.len()];
    for name in listed {
        let mut found = false;
        for id in predicates.iter().filter(|&id| predicates.name(id) == name) {
            by_argument[id.0 as usize] = true;
            found = true;
        }
        if !found {
            let known = list(predicates.iter().map(|id| predicates.name(id)));
            return Err(TimeError::UnknownPredicate { predicate: name.clone(), known });
        }
    }
    Ok(by_argument)
}

/// Lists the arities with which a predicate has facts, if any.
fn arities(name: &str, from: &TimeInputs<'_>) -> String {
    let same = |id: &PredicateId| from.predicates.name(*id) == name && !from.facts.relation(*id).is_empty();
    let forms: Vec<String> =
        from.predicates.iter().filter(same).map(|id| from.predicates.show(id).to_string()).collect();
    if forms.is_empty() { String::new() } else { format!(", only facts of {}", forms.join(", ")) }
}

/// Formats a list of names, truncated if it is long.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return "(none)".to_owned();
    }
    let more = if names.len() > SHOWN { ", …" } else { "" };
    names.truncate(SHOWN);
    names.join(", ") + more
}
