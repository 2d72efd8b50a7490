//! Reasons why a comparison cannot test a claim, although it has numbers.

use super::list::OWN_TASKS;
use crate::metric::summary::mean;
use crate::report::compare::RowComparison;
use crate::report::rows::ReportRow;

/// Returns why two rows cannot test a claim about a dataset; `None` if they can.
pub(super) fn obstacle(dataset: &str, [first, other]: [&ReportRow<'_>; 2], compared: &RowComparison) -> Option<String> {
    stand_in(dataset, first)
        .or_else(|| own_task(dataset))
        .or_else(|| at_chance([first, other], compared))
        .or_else(|| nearly_empty(dataset, other))
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

/// A baseline of a single clause or walk tests its language bias, not its method.
fn nearly_empty(dataset: &str, row: &ReportRow<'_>) -> Option<String> {
    let results = || row.group.done().filter_map(|stored| stored.record.result.as_ref());
    let walks: Vec<f64> = results().filter_map(|result| Some(result.walks? as f64)).collect();
    let leaves: Vec<f64> = results().map(|result| result.leaves as f64).collect();
    let (size, part) = if walks.is_empty() { (leaves, "part") } else { (walks, "walk") };
    let is_empty = !size.is_empty() && mean(&size) < 1.5;
    is_empty.then(|| format!("{dataset}: {} has {:.1} {part}s in the mean", row.key().model, mean(&size)))
}
