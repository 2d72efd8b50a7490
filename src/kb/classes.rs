//! Multi-class targets.

use crate::logic::PredicateId;

/// The classes of a target; in the files, the class is the last argument of an example.
///
/// That argument is removed on loading: the target has one argument less, and the class is
/// accessible only through [`Example::class`](super::Example::class).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The target, without the class argument.
    pub target: PredicateId,
    /// The predicate of the files, with the class as last argument.
    pub labelled: PredicateId,
    /// The class names, sorted: numbers by value, then other names.
    pub names: Vec<String>,
}

/// Sorts class names, numbers by value before other names, and removes duplicates.
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
    fn class_names_sort_numbers_by_value_before_names() {
        let mut names = ["tall", "10", "9", "-1", "low", "9"].map(str::to_owned).to_vec();
        sort_names(&mut names);
        assert_eq!(names, ["-1", "9", "10", "low", "tall"]);
    }
}
