//! Visibility of facts to an example: within its time limit, and never its own label.

use super::database::Database;
use super::recursion::{Recursion, StoredRecursion};
use crate::logic::{Constant, PredicateId};

/// The facts visible to one example.
#[derive(Clone, Copy, Debug)]
pub struct View<'e> {
    /// The time limit; `None` if there is none.
    pub limit: Option<f64>,
    /// The arguments of the example, if facts of its own target are evidence.
    own: Option<(Recursion, &'e [Constant])>,
}

impl<'e> View<'e> {
    /// Creates the view of an example whose own label is among the facts.
    #[inline]
    pub(crate) fn recursive(limit: Option<f64>, recursion: Recursion, args: &'e [Constant]) -> Self {
        View { limit, own: Some((recursion, args)) }
    }

    /// Returns whether a fact is the label of the example.
    #[inline]
    fn is_label(&self, predicate: PredicateId, fact: &[Constant]) -> bool {
        let Some((recursion, args)) = self.own else { return false };
        let swapped = || recursion.symmetric && args.len() == 2 && fact.iter().eq(args.iter().rev());
        predicate == recursion.target && (fact == args || swapped())
    }
}

impl Database {
    /// Returns how facts of a target are evidence for its own examples, if they are.
    pub fn recursive(&self, target: PredicateId) -> Option<StoredRecursion> {
        let own = self.recursion.filter(|recursion| recursion.target == target)?;
        Some(StoredRecursion { symmetric: own.symmetric })
    }

    /// Returns the view of an example of a target.
    pub fn view<'e>(&self, target: PredicateId, args: &'e [Constant]) -> View<'e> {
        let own = self.recursion.filter(|recursion| recursion.target == target).map(|recursion| (recursion, args));
        View { limit: self.limit(target, args), own }
    }

    /// Returns whether a fact is visible in a view.
    #[inline]
    pub fn view_includes(&self, view: &View<'_>, predicate: PredicateId, fact: &[Constant]) -> bool {
        !view.is_label(predicate, fact) && self.is_within_limit(view, predicate, fact)
    }

    /// Returns whether a fact is within the time limit of a view.
    #[inline]
    fn is_within_limit(&self, view: &View<'_>, predicate: PredicateId, fact: &[Constant]) -> bool {
        let Some(times) = &self.times else { return true };
        // Labels of the same time are not known yet.
        if view.own.is_some_and(|(recursion, _)| recursion.target == predicate)
            && let (Some(time), Some(limit)) = (times.of_fact(predicate, fact), view.limit)
        {
            return time < limit;
        }
        times.visible(predicate, fact, view.limit)
    }

    /// Returns whether the label of an example is among the facts and within its time limit.
    pub fn label_is_evidence(&self, target: PredicateId, args: &[Constant]) -> bool {
        let view = self.view(target, args);
        let Some((recursion, _)) = view.own else { return false };
        let is_evidence =
            |fact: &[Constant]| self.facts.relation(target).contains(fact) && self.is_within_limit(&view, target, fact);
        let swapped: Vec<Constant> = args.iter().rev().copied().collect();
        is_evidence(args) || (recursion.symmetric && args.len() == 2 && is_evidence(&swapped))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, constants};
    use super::super::time::{TimeRule, TimeSource};
    use super::*;

    #[test]
    fn the_own_label_is_invisible() {
        let (mut database, _, _) = sample::build("t(a, b). t(b, a). t(c, a). q(a, b).", None);
        let [t, q] = ["t", "q"].map(|name| database.predicates.find(name, 2).unwrap());
        let [a, b, c] = constants(&database, ["a", "b", "c"]);
        let sees = |database: &Database, example: &[Constant], predicate, fact: &[Constant]| {
            database.view_includes(&database.view(t, example), predicate, fact)
        };
        assert!(sees(&database, &[a, b], t, &[a, b]), "without recursion a target is a predicate like others");
        for symmetric in [false, true] {
            database.recursion = Some(Recursion { target: t, symmetric });
            assert!(!sees(&database, &[a, b], t, &[a, b]));
            assert_eq!(sees(&database, &[a, b], t, &[b, a]), !symmetric);
            assert!(sees(&database, &[a, b], t, &[c, a]) && sees(&database, &[a, b], q, &[a, b]));
            assert!(database.label_is_evidence(t, &[a, b]) && !database.label_is_evidence(t, &[b, c]));
            assert_eq!(database.label_is_evidence(t, &[a, c]), symmetric);
        }
    }

    #[test]
    fn labels_of_the_same_time_are_invisible() {
        let rule = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: vec![] };
        let text = "year(a, 1). year(b, 2). year(c, 2). t(a, a). t(b, a). t(c, a).";
        let (mut database, _, _) = sample::build(text, Some(&rule));
        let t = database.predicates.find("t", 2).unwrap();
        let [a, b, c] = constants(&database, ["a", "b", "c"]);
        database.recursion = Some(Recursion { target: t, symmetric: false });
        let example = [b, a];
        let view = database.view(t, &example);
        assert!(database.view_includes(&view, t, &[a, a]));
        assert!(!database.view_includes(&view, t, &[c, a]), "a fact of the same year is not known yet");
        assert!(!database.label_is_evidence(t, &[b, a]), "the own answer is never earlier");
    }
}
