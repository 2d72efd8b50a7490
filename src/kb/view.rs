//! What an example may see: facts up to its time, and never its own answer.

use serde::{Deserialize, Serialize};

use super::database::Database;
use crate::logic::{Constant, PredicateId};

/// Says that facts of a target are evidence for examples of the same target.
///
/// An example never sees itself among them, nor, if the target is symmetric, itself with its two arguments the other way
/// round. Where there are times, it sees only what lies strictly before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recursion {
    /// The target.
    pub target: PredicateId,
    /// Whether p(a,b) and p(b,a) say the same.
    pub symmetric: bool,
}

/// What of it a model keeps: facts of its target are evidence for its own examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recursive {
    /// Whether p(a,b) and p(b,a) say the same, so that neither is evidence for the other.
    pub symmetric: bool,
}

/// How one example looks at the facts.
#[derive(Clone, Copy, Debug)]
pub struct View<'e> {
    /// The time up to which it sees facts; `None` if it sees all.
    pub limit: Option<f64>,
    /// Its arguments, if facts of its own target are evidence.
    own: Option<(Recursion, &'e [Constant])>,
}

impl<'e> View<'e> {
    /// The view of an example with this limit, whose own answer is among the evidence.
    #[inline]
    pub(crate) fn recursive(limit: Option<f64>, recursion: Recursion, args: &'e [Constant]) -> Self {
        View { limit, own: Some((recursion, args)) }
    }

    /// Whether a fact says what is to be predicted.
    #[inline]
    fn is_own(&self, predicate: PredicateId, fact: &[Constant]) -> bool {
        let Some((recursion, args)) = self.own else { return false };
        let turned = || recursion.symmetric && args.len() == 2 && fact.iter().eq(args.iter().rev());
        predicate == recursion.target && (fact == args || turned())
    }
}

impl Database {
    /// Whether facts of a target are evidence for its own examples, and how.
    pub fn recursive(&self, target: PredicateId) -> Option<Recursive> {
        let own = self.recursion.filter(|recursion| recursion.target == target)?;
        Some(Recursive { symmetric: own.symmetric })
    }

    /// How an example of a target looks at the facts.
    pub fn view<'e>(&self, target: PredicateId, args: &'e [Constant]) -> View<'e> {
        let own = self.recursion.filter(|recursion| recursion.target == target).map(|recursion| (recursion, args));
        View { limit: self.limit(target, args), own }
    }

    /// Whether an example may see a fact.
    pub fn sees(&self, view: &View<'_>, predicate: PredicateId, fact: &[Constant]) -> bool {
        !view.is_own(predicate, fact) && self.is_in_time(view, predicate, fact)
    }

    /// Whether a fact is early enough for an example.
    fn is_in_time(&self, view: &View<'_>, predicate: PredicateId, fact: &[Constant]) -> bool {
        let Some(times) = &self.times else { return true };
        // Answers of the same time are no answers yet.
        if view.own.is_some_and(|(recursion, _)| recursion.target == predicate)
            && let (Some(time), Some(limit)) = (times.of_fact(predicate, fact), view.limit)
        {
            return time < limit;
        }
        times.visible(predicate, fact, view.limit)
    }

    /// Whether the answer of an example is among the facts, early enough to be seen by it if it were not its own.
    pub fn knows_answer(&self, target: PredicateId, args: &[Constant]) -> bool {
        let view = self.view(target, args);
        let Some((recursion, _)) = view.own else { return false };
        let known =
            |fact: &[Constant]| self.facts.relation(target).contains(fact) && self.is_in_time(&view, target, fact);
        let turned: Vec<Constant> = args.iter().rev().copied().collect();
        known(args) || (recursion.symmetric && args.len() == 2 && known(&turned))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, constants};
    use super::super::{TimeRule, TimeSource};
    use super::*;

    #[test]
    fn nobody_sees_the_own_answer() {
        let (mut database, _, _) = sample::build("t(a, b). t(b, a). t(c, a). q(a, b).", None);
        let [t, q] = ["t", "q"].map(|name| database.predicates.find(name, 2).unwrap());
        let [a, b, c] = constants(&database, ["a", "b", "c"]);
        let sees = |database: &Database, example: &[Constant], predicate, fact: &[Constant]| {
            database.sees(&database.view(t, example), predicate, fact)
        };
        assert!(sees(&database, &[a, b], t, &[a, b]), "without recursion a target is a predicate like others");
        for symmetric in [false, true] {
            database.recursion = Some(Recursion { target: t, symmetric });
            assert!(!sees(&database, &[a, b], t, &[a, b]));
            assert_eq!(sees(&database, &[a, b], t, &[b, a]), !symmetric);
            assert!(sees(&database, &[a, b], t, &[c, a]) && sees(&database, &[a, b], q, &[a, b]));
            assert!(database.knows_answer(t, &[a, b]) && !database.knows_answer(t, &[b, c]));
            assert_eq!(database.knows_answer(t, &[a, c]), symmetric);
        }
    }

    #[test]
    fn only_what_is_earlier_is_known() {
        let rule = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: vec![] };
        let text = "year(a, 1). year(b, 2). year(c, 2). t(a, a). t(b, a). t(c, a).";
        let (mut database, _, _) = sample::build(text, Some(&rule));
        let t = database.predicates.find("t", 2).unwrap();
        let [a, b, c] = constants(&database, ["a", "b", "c"]);
        database.recursion = Some(Recursion { target: t, symmetric: false });
        let example = [b, a];
        let view = database.view(t, &example);
        assert!(database.sees(&view, t, &[a, a]));
        assert!(!database.sees(&view, t, &[c, a]), "a fact of the same year is not known yet");
        assert!(!database.knows_answer(t, &[b, a]), "the own answer is never earlier");
    }
}
