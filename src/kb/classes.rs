//! Targets that tell several classes apart.

use crate::logic::PredicateId;

/// The classes of a target whose last argument, in the files, is the class of an example.
///
/// That argument is taken away before anything else is done: the target has one argument less, and nothing that looks at examples
/// sees the class but by [`Example::class`](super::Example::class).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The target, without the class.
    pub target: PredicateId,
    /// The predicate that the files have, with the class as its last argument.
    pub labelled: PredicateId,
    /// The names of the classes, sorted: numbers by their value, then names.
    pub names: Vec<String>,
}

/// Sorts names of classes, numbers by their value before other names, and leaves each once.
pub fn sort_names(names: &mut Vec<String>) {
    let number = |name: &String| name.parse::<f64>().ok();
    names.sort_by(|a, b| match (number(a), number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.cmp(b),
    });
    names.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_before_names_and_by_their_value() {
        let mut names = ["tall", "10", "9", "-1", "low", "9"].map(str::to_owned).to_vec();
        sort_names(&mut names);
        assert_eq!(names, ["-1", "9", "10", "low", "tall"]);
    }
}
