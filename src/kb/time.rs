//! What was known when: times of entities, and which facts an example may see.
//!
//! A fact's time is the latest time among its arguments, and an example sees the facts up to its own time. For the
//! predicates listed as `by_argument` (a paper's citations) the time of the first argument counts alone, and only what
//! lies strictly before the example is seen: the paper that is asked about has not cited anything yet. Facts without a
//! time are always seen, and an example without a time sees everything.

use super::facts::Facts;
use super::schema::{Schema, TypeId};
use crate::logic::{Constant, Diagnostic, PredicateId, Predicates, Symbols};

/// Where the times of entities come from, and how they count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeRule {
    /// Where the times come from.
    pub source: TimeSource,
    /// Predicates whose facts have the time of their first argument, whatever the others say.
    pub by_argument: Vec<String>,
}

/// Where the times of entities come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeSource {
    /// Facts `name(entity, number)`.
    Predicate(String),
    /// The entities of a type are named by their time: it is all digits of the name read as one number, or the value of
    /// an entity that is a number itself.
    Ids {
        /// The type.
        type_name: String,
    },
}

/// A rule for times that does not fit the facts.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimeError {
    /// The time predicate has no facts with two arguments.
    #[error("time: there are no facts {predicate}(entity, number){instead}: name a predicate that has such facts")]
    NoFacts {
        /// Its name.
        predicate: String,
        /// What there is instead.
        instead: String,
    },
    /// A time is not a number.
    #[error("time: {fact} gives a time that is not a number: give a number, or order the times and number them")]
    NotANumber {
        /// The fact.
        fact: String,
    },
    /// An entity has two times.
    #[error("time: {entity} has the times {first} and {second}: keep one of them")]
    TwoTimes {
        /// The entity.
        entity: String,
        /// One time.
        first: f64,
        /// The other.
        second: f64,
    },
    /// An entity is a number, and nothing tells it from other numbers.
    #[error(
        "time: in {fact} the entity is a number, and no mode gives its type, so it looks like every other {entity}: \
         add a mode for {predicate}/2 (and a noMode for it, if clauses should not use it)"
    )]
    NumberWithoutType {
        /// The fact.
        fact: String,
        /// The entity.
        entity: String,
        /// The time predicate.
        predicate: String,
    },
    /// No mode knows the type.
    #[error("time: no mode has the type {type_name}: use one of {known}")]
    UnknownType {
        /// Its name.
        type_name: String,
        /// The types there are.
        known: String,
    },
    /// No mode and no fact has the predicate.
    #[error("time: by_argument names {predicate}, which no mode and no fact has: use some of {known}")]
    UnknownPredicate {
        /// Its name.
        predicate: String,
        /// The predicates there are.
        known: String,
    },
}

/// The times of all entities.
#[derive(Clone, Debug)]
pub struct Times {
    /// Time of each name; NaN for none.
    names: Vec<f64>,
    /// Time of each number where it stands for an entity; NaN for none.
    numbers: Vec<f64>,
    /// Whether names have their time at every position, and not only at those of the timed type.
    names_anywhere: bool,
    /// For each predicate the positions of the timed type. The number 17 may be a paper in one place and an age in
    /// another, so numbers have times at these positions only.
    timed_positions: Vec<Vec<bool>>,
    /// For each predicate whether the first argument counts alone.
    by_argument: Vec<bool>,
}

/// What times are made from.
pub(crate) struct Sources<'a> {
    pub symbols: &'a Symbols,
    pub predicates: &'a Predicates,
    pub schema: &'a Schema,
    pub facts: &'a Facts,
}

impl Times {
    /// The times that a rule gives, with a warning if entities of the timed type have none.
    pub(crate) fn new(rule: &TimeRule, from: &Sources<'_>) -> Result<(Self, Option<Diagnostic>), TimeError> {
        let by_argument = by_argument(&rule.by_argument, from.predicates)?;
        let (timed_type, names, numbers) = match &rule.source {
            TimeSource::Predicate(name) => from_facts(name, from)?,
            TimeSource::Ids { type_name } => from_ids(type_name, from)?,
        };
        let is_timed = |id| {
            let types = from.schema.argument_types(id).unwrap_or_default();
            types.iter().map(|&t| Some(t) == timed_type).collect()
        };
        let times = Times {
            names,
            numbers,
            names_anywhere: matches!(rule.source, TimeSource::Predicate(_)),
            timed_positions: from.predicates.iter().map(is_timed).collect(),
            by_argument,
        };
        let warning = timed_type.and_then(|timed_type| times.untimed(timed_type, from));
        Ok((times, warning))
    }

    /// The time of a constant at an argument position of a predicate.
    #[inline]
    pub fn of_argument(&self, predicate: PredicateId, position: usize, constant: Constant) -> Option<f64> {
        let index = constant.id() & !NUMBERS;
        let table = if constant.is_number() { &self.numbers } else { &self.names };
        let time = table.get(index as usize).copied().filter(|time| !time.is_nan())?;
        let anywhere = self.names_anywhere && !constant.is_number();
        (anywhere || self.is_timed(predicate, position)).then_some(time)
    }

    fn is_timed(&self, predicate: PredicateId, position: usize) -> bool {
        let positions = self.timed_positions.get(predicate.0 as usize);
        positions.and_then(|positions| positions.get(position)).copied().unwrap_or(false)
    }

    /// The time of an example: that of its first argument that has one. It is the limit of what the example may see.
    pub fn of_example(&self, target: PredicateId, args: &[Constant]) -> Option<f64> {
        args.iter().enumerate().find_map(|(position, &constant)| self.of_argument(target, position, constant))
    }

    /// The time of a fact, if it has one.
    pub fn of_fact(&self, predicate: PredicateId, args: &[Constant]) -> Option<f64> {
        let counted = if self.is_by_argument(predicate) { 1 } else { args.len() };
        let times = args.iter().enumerate().take(counted);
        times.filter_map(|(position, &constant)| self.of_argument(predicate, position, constant)).reduce(f64::max)
    }

    /// Whether facts of this predicate have the time of their first argument and are seen strictly after it only.
    #[inline]
    pub fn is_by_argument(&self, predicate: PredicateId) -> bool {
        self.by_argument.get(predicate.0 as usize).copied().unwrap_or(false)
    }

    /// Whether an example with this limit may see a fact.
    pub fn visible(&self, predicate: PredicateId, args: &[Constant], limit: Option<f64>) -> bool {
        match (self.of_fact(predicate, args), limit) {
            (Some(time), Some(limit)) if self.is_by_argument(predicate) => time < limit,
            (Some(time), Some(limit)) => time <= limit,
            _ => true,
        }
    }

    /// The constants at positions of the timed type that have no time: facts about them alone are seen by everyone.
    fn untimed(&self, timed_type: TypeId, from: &Sources<'_>) -> Option<Diagnostic> {
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

    /// Bytes held, counting capacity.
    pub fn bytes(&self) -> usize {
        8 * (self.names.capacity() + self.numbers.capacity())
            + self.by_argument.capacity()
            + self.timed_positions.iter().map(|p| size_of::<Vec<bool>>() + p.capacity()).sum::<usize>()
    }
}

/// The first id of a number.
const NUMBERS: u32 = 1 << 31;

type Tables = (Option<TypeId>, Vec<f64>, Vec<f64>);

fn from_facts(name: &str, from: &Sources<'_>) -> Result<Tables, TimeError> {
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
        let known = &mut table[(entity.id() & !NUMBERS) as usize];
        if !known.is_nan() {
            // Facts are distinct, so a second one gives another time.
            let entity = from.symbols.show(entity).to_string();
            return Err(TimeError::TwoTimes { entity, first: known.min(time), second: known.max(time) });
        }
        *known = time;
    }
    Ok((timed_type, names, numbers))
}

fn from_ids(type_name: &str, from: &Sources<'_>) -> Result<Tables, TimeError> {
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
    let value = |id: u32| from.symbols.number(Constant::from_id(id | NUMBERS)).unwrap_or(f64::NAN);
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

/// The forms in which a predicate has facts, if it has any.
fn arities(name: &str, from: &Sources<'_>) -> String {
    let same = |id: &PredicateId| from.predicates.name(*id) == name && !from.facts.relation(*id).is_empty();
    let forms: Vec<String> =
        from.predicates.iter().filter(same).map(|id| from.predicates.show(id).to_string()).collect();
    if forms.is_empty() { String::new() } else { format!(", only facts of {}", forms.join(", ")) }
}

/// A list of names for a message, cut where it gets long.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return "(there are none)".to_owned();
    }
    let more = if names.len() > SHOWN { ", …" } else { "" };
    names.truncate(SHOWN);
    names.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, constants};
    use super::*;

    fn rule(source: TimeSource, by_argument: &[&str]) -> TimeRule {
        TimeRule { source, by_argument: by_argument.iter().map(|&name| name.to_owned()).collect() }
    }

    fn by_facts(by_argument: &[&str]) -> TimeRule {
        rule(TimeSource::Predicate("year".into()), by_argument)
    }

    fn by_ids(type_name: &str) -> TimeRule {
        rule(TimeSource::Ids { type_name: type_name.into() }, &["cites"])
    }

    fn error(text: &str, rule: &TimeRule) -> String {
        sample::read(text).0.build(Some(rule)).unwrap_err().to_string()
    }

    #[test]
    fn facts_are_seen_up_to_the_example_and_citations_before_it() {
        let text = "year(old, 1990). year(new, 2000). cites(new, old). similar(new, old). similar(old, old).
            author(old, ann). author(new, ann). knows(ann, bob). rain. h(X) :- cites(X, X).";
        let (database, clauses, _) = sample::build(text, Some(&by_facts(&["cites"])));
        let target = clauses[0].0;
        let [old, new, ann, bob] = constants(&database, ["old", "new", "ann", "bob"]);
        let sees = |limit: Option<f64>| {
            let fact = |name: &str, args: &[Constant]| {
                database.visible(database.predicates.find(name, args.len()).unwrap(), args, limit)
            };
            let facts = [("cites", [new, old]), ("similar", [new, old]), ("similar", [old, old])];
            let more = [("author", [old, ann]), ("author", [new, ann]), ("knows", [ann, bob])];
            let mut seen: Vec<bool> = facts.iter().chain(&more).map(|(name, args)| fact(name, args)).collect();
            seen.push(fact("rain", &[]));
            seen.into_iter().map(|yes| if yes { 'x' } else { '-' }).collect::<String>()
        };
        assert_eq!(database.limit(target, &[old]), Some(1990.0));
        assert_eq!(database.limit(target, &[ann, new, old]), Some(2000.0));
        assert_eq!(database.limit(target, &[ann, bob]), None);
        assert_eq!(sees(Some(1980.0)), "-----xx");
        assert_eq!(sees(Some(1990.0)), "--xx-xx");
        assert_eq!(sees(Some(2000.0)), "-xxxxxx");
        assert_eq!(sees(Some(2001.0)), "xxxxxxx");
        assert_eq!(sees(None), "xxxxxxx");
        // cites(old, new) has the time of old alone.
        let cites = database.predicates.find("cites", 2).unwrap();
        assert!(database.visible(cites, &[old, new], Some(1991.0)));
        assert!(!database.visible(cites, &[old, new], Some(1990.0)));
    }

    #[test]
    fn ids_are_times_only_where_the_type_says_so() {
        let text = "mode: cites(+paper, -paper). mode: pages(+paper, #count). mode: age(+paper, #count).
            mode: h(+count, +paper). cites(\"hep-th/9402\", 9301). pages(9301, 9402). pages(\"hep-th/9402\", 12).
            age(draft, 3).";
        let (database, _, warnings) = sample::build(text, Some(&by_ids("paper")));
        let [pages, cites, h] = ["pages", "cites", "h"].map(|name| database.predicates.find(name, 2).unwrap());
        let [paper, number, count] = constants(&database, ["\"hep-th/9402\"", "9301", "9402"]);
        let times = database.times.as_ref().unwrap();
        assert_eq!(times.of_fact(cites, &[paper, number]), Some(9402.0));
        assert_eq!(times.of_fact(cites, &[number, paper]), Some(9301.0));
        assert_eq!(times.of_fact(pages, &[number, count]), Some(9301.0));
        assert_eq!(times.of_example(h, &[count, number]), Some(9301.0));
        let untimed: Vec<_> = warnings.iter().filter(|w| w.code == "entity-without-time").collect();
        assert_eq!(untimed.len(), 1);
        assert_eq!(untimed[0].message, "1 of the constants of type paper have no time, such as draft");
    }

    #[test]
    fn numbers_have_times_at_their_type_only() {
        let text = "mode: year(+paper, #year). mode: cites(+paper, -paper). mode: pages(+paper, #count).
            year(17, 1990). year(18, 2000). cites(17, 18). pages(17, 18).";
        let (database, ..) = sample::build(text, Some(&by_facts(&[])));
        let [cites, pages] = ["cites", "pages"].map(|name| database.predicates.find(name, 2).unwrap());
        let both = constants(&database, ["17", "18"]);
        let times = database.times.as_ref().unwrap();
        assert_eq!(times.of_fact(cites, &both), Some(2000.0));
        assert_eq!(times.of_fact(pages, &both), Some(1990.0));
    }

    #[test]
    fn rules_that_do_not_fit_are_refused() {
        let facts = by_facts(&[]);
        assert_eq!(
            error("year(a, 1, 2). p(a).", &facts),
            "time: there are no facts year(entity, number), only facts of year/3: name a predicate that has such facts"
        );
        assert_eq!(
            error("p(a).", &facts),
            "time: there are no facts year(entity, number): name a predicate that has such facts"
        );
        assert_eq!(
            error("year(a, soon).", &facts),
            "time: year(a, soon) gives a time that is not a number: give a number, or order the times and number them"
        );
        assert_eq!(error("year(a, 2). year(a, 1).", &facts), "time: a has the times 1 and 2: keep one of them");
        assert!(error("year(17, 1).", &facts).contains("looks like every other 17: add a mode for year/2"));
        assert_eq!(
            error("mode: p(+author, -book). p(a, b). cites(a, b).", &by_ids("paper")),
            "time: no mode has the type paper: use one of author, book"
        );
        assert_eq!(
            error("year(a, 1). p(a).", &by_facts(&["cites"])),
            "time: by_argument names cites, which no mode and no fact has: use some of p, year"
        );
    }
}
