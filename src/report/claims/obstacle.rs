//! Reasons why a comparison cannot test a claim, although it has numbers.

use super::list::OWN_TASKS;
use crate::metric::summary::mean;
use crate::report::compare::RowComparison;
use crate::report::published::published_clauses;
use crate::report::rows::ReportRow;

/// Largest factor between our number of clauses and the published one.
const MAX_CLAUSE_FACTOR: f64 = 1.5;

/// Returns why two rows cannot test a claim about a dataset; `None` if they can. `clauses` is the
/// row of the clause learner on the dataset, if the run has one.
pub(super) fn obstacle(
    dataset: &str,
    [first, other]: [&ReportRow<'_>; 2],
    clauses: Option<&ReportRow<'_>>,
    compared: &RowComparison,
) -> Option<String> {
    stand_in(dataset, first)
        .or_else(|| own_task(dataset))
        .or_else(|| at_chance([first, other], compared))
        .or_else(|| nearly_empty(dataset, other))
        .or_else(|| clauses.filter(|_| other.kind == "lrnn").and_then(|clauses| other_clauses(dataset, clauses)))
}

fn stand_in(dataset: &str, row: &ReportRow<'_>) -> Option<String> {
    if row.dataset_id != dataset {
        return Some(format!("{dataset}: stand-in data ({})", row.dataset_id));
    }
    let record = row.group.done().next()?.record.data.as_ref()?;
    record.footnote.as_ref().map(|footnote| format!("{dataset}: stand-in data ({footnote})"))
}

fn own_task(dataset: &str) -> Option<String> {
    let (_, reason) = OWN_TASKS.iter().find(|(own, _)| *own == dataset)?;
    Some(format!("{dataset}: {reason}"))
}

fn at_chance([first, other]: [&ReportRow<'_>; 2], compared: &RowComparison) -> Option<String> {
    // The other model is the first side of the comparison.
    let [of_other, of_first] = compared.at_chance.map(|known| known == Some(true));
    let dataset = &compared.dataset;
    match (of_first, of_other) {
        (true, true) => Some(format!("{dataset}: both at chance")),
        (true, false) => Some(format!("{dataset}: {} at chance", first.key().model)),
        (false, true) => Some(format!("{dataset}: {} at chance", other.key().model)),
        (false, false) => None,
    }
}

/// LRNN is a network over Progol's clauses; one over far fewer or more of them is another model
/// than the published one.
fn other_clauses(dataset: &str, row: &ReportRow<'_>) -> Option<String> {
    let numbers: Vec<f64> =
        row.group.done().filter_map(|stored| Some(stored.record.result.as_ref()?.leaves as f64)).collect();
    let published = published_clauses(row.kind, dataset).filter(|_| !numbers.is_empty())?;
    clauses_differ(dataset, mean(&numbers), published)
}

fn clauses_differ(dataset: &str, ours: f64, published: u64) -> Option<String> {
    let factor = ours / published as f64;
    let is_close = (1.0 / MAX_CLAUSE_FACTOR..=MAX_CLAUSE_FACTOR).contains(&factor);
    (!is_close)
        .then(|| format!("{dataset}: LRNN is built on {ours:.1} clauses in the mean, in the paper on {published}"))
}

/// A baseline of a single clause or walk tests its language bias, not its method.
fn nearly_empty(dataset: &str, row: &ReportRow<'_>) -> Option<String> {
    let results = || row.group.done().filter_map(|stored| stored.record.result.as_ref());
    let walks: Vec<f64> = results().filter_map(|result| Some(result.walks? as f64)).collect();
    let leaves: Vec<f64> = results().map(|result| result.leaves as f64).collect();
    let (size, part) = if walks.is_empty() { (leaves, "part") } else { (walks, "walk") };
    let is_empty = !size.is_empty() && mean(&size) < 1.5;
    is_empty.then(|| format!("{dataset}: {} has {:.1} {part}s in the mean", row.key().model, mean(&size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_over_other_clauses_is_not_the_published_one() {
        let differ = |ours, published| clauses_differ("webkb", ours, published);
        let expected = "webkb: LRNN is built on 2.3 clauses in the mean, in the paper on 5";
        assert_eq!(differ(2.3, 5).as_deref(), Some(expected));
        assert_eq!([differ(4.0, 6), differ(9.0, 6)], [None, None]);
        assert!(differ(3.9, 6).is_some() && differ(9.1, 6).is_some());
    }
}
