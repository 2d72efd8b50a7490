//! The prediction task of a model: everything that data must be prepared by before the model scores
//! them.

use super::database::Database;
use super::recursion::StoredRecursion;
use super::time::TimeRule;
use crate::logic::PredicateId;

/// Target, classes, time limits and recursion under which a model is trained and must be used.
///
/// Training takes it from the database with [`Database::signature`], so that no caller can omit a
/// part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Name of the target predicate.
    pub target: String,
    /// Number of its arguments, without the class.
    pub arity: usize,
    /// Names of the classes; `None` for a boolean target.
    pub classes: Option<Vec<String>>,
    /// Rule that limits the facts an example sees by time.
    pub time: Option<TimeRule>,
    /// Set if facts of the target are evidence for its own examples.
    pub recursive: Option<StoredRecursion>,
}

impl Signature {
    /// Creates the signature of a boolean target without time limits and recursion.
    pub fn new(target: &str, arity: usize) -> Self {
        Signature { target: target.to_owned(), arity, classes: None, time: None, recursive: None }
    }
}

impl Database {
    /// Returns the signature of models that are trained on examples of a target.
    pub fn signature(&self, target: PredicateId) -> Signature {
        Signature {
            classes: self.classes_of(target).map(<[String]>::to_vec),
            time: self.time_rule().cloned(),
            recursive: self.recursive(target),
            ..Signature::new(self.predicates.name(target), self.predicates.arity(target))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::recursion::Recursion;
    use super::super::sample;
    use super::super::time::TimeSource;
    use super::*;

    #[test]
    fn a_signature_holds_the_time_rule_and_the_recursion_of_its_database() {
        let rule = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: vec!["cites".into()] };
        let (mut database, clauses, _) =
            sample::build("cites(a, b). year(a, 1999). year(b, 1998). h(X) :- cites(X, Y).", Some(&rule));
        let target = clauses[0].0;
        database.recursion = Some(Recursion { target, symmetric: true });
        let expected = Signature {
            time: Some(rule),
            recursive: Some(StoredRecursion { symmetric: true }),
            ..Signature::new("h", 1)
        };
        assert_eq!(database.signature(target), expected);
        database.times = None;
        database.recursion = None;
        assert_eq!(database.signature(target), Signature::new("h", 1));
    }
}
