//! The answer of a multiverse in a few lines.

use super::cells::{CellReport, Place};
use super::closest::{ClosestToCells, MIN_DEVIATION};
use super::specifications::Specifications;
use crate::determinism::IndexMap;
use crate::experiment::Results;
use crate::logic::quantity::{counted, counted_as};
use crate::report::table::metric_title;

/// What a multiverse with published values can and cannot show; every report of one says it.
pub const LIMITS: &str = "A universe close to the published values is a candidate explanation of them, and no universe \
is a better estimate than another: the choices are not known, the universes are not equally likely, and interactions \
between choices are not in the effects.";

/// What a multiverse without published values cannot show.
const LIMITS_UNPUBLISHED: &str = "No universe is a better estimate than another: the universes are not equally likely, \
and interactions between choices are not in the effects.";

/// Returns the answer, one short finding per line; tables have the details.
pub fn answer(
    results: &Results,
    specifications: &Specifications,
    cells: &[CellReport<'_>],
    closest: &[ClosestToCells],
) -> Vec<String> {
    let mut lines = places(cells);
    lines.extend(influence(specifications, cells));
    lines.extend(nearness(closest));
    lines.extend(explanations(closest));
    let (jobs, seconds) = results.stored.iter().fold((0, 0.0), |(jobs, seconds), stored| {
        let machine = &stored.record.machine;
        (jobs + 1, seconds + machine.train_seconds + machine.ensemble_seconds + machine.score_seconds)
    });
    let stopped = results.stored.iter().filter(|stored| stored.record.status.is_stopped()).count();
    let universes: usize = specifications.models.iter().map(|model| model.universes.len()).sum();
    let planned: usize = specifications.models.iter().map(|model| model.planned).sum();
    let stopped = match stopped {
        0 => "none was stopped at a limit".to_owned(),
        _ => format!("{} stopped at a limit", counted_as(stopped, "was", "were")),
    };
    let seconds = if seconds < 10.0 { format!("{seconds:.1}") } else { format!("{seconds:.0}") };
    lines.push(format!(
        "{} took {seconds} s of learning and scoring; {stopped}. {universes} of {} complete, each evaluated in {}.",
        counted(jobs, "job"),
        counted_as(planned, "universe is", "universes are"),
        counted(specifications.evaluations.len(), "way"),
    ));
    let has_published = cells.iter().any(|cell| !cell.published.is_empty());
    lines.push(if has_published { LIMITS } else { LIMITS_UNPUBLISHED }.to_owned());
    lines
}

/// States how many published cells lie inside, and where the others are.
fn places(cells: &[CellReport<'_>]) -> Vec<String> {
    let published = || cells.iter().flat_map(|cell| cell.published.iter().map(move |found| (cell, found)));
    let all = published().count();
    if all == 0 {
        return Vec::new();
    }
    let inside = published().filter(|(_, found)| found.place == Place::Inside).count();
    let mut lines = vec![format!(
        "{inside} of {} inside the multiverse.",
        counted_as(all, "published cell lies", "published cells lie")
    )];
    for (place, word) in [(Place::Above, "Above"), (Place::Below, "Below")] {
        let mut datasets: IndexMap<&str, usize> = IndexMap::default();
        for (cell, _) in published().filter(|(_, found)| found.place == place) {
            *datasets.entry(&cell.model.dataset).or_default() += 1;
        }
        let parts: Vec<String> = datasets
            .iter()
            .map(|(dataset, &outside)| {
                let of_dataset = published().filter(|(cell, _)| cell.model.dataset == *dataset).count();
                format!("{dataset} {outside} of {of_dataset}")
            })
            .collect();
        if !parts.is_empty() {
            lines.push(format!("{word} all universes: {}.", parts.join(", ")));
        }
    }
    lines
}

/// Names the choice with the largest share of variance on each dataset.
fn influence(specifications: &Specifications, cells: &[CellReport<'_>]) -> Option<String> {
    let first = cells.first()?;
    let of_first = cells.iter().filter(|cell| cell.model.model == first.model.model && cell.metric == first.metric);
    let parts: Vec<(&str, String)> = of_first
        .filter_map(|cell| {
            let largest = cell.largest()?;
            let effect = cell.effects.as_ref()?.choices[largest].as_ref()?;
            let moved = match effect.extremes().filter(|(low, high)| low != high) {
                Some(_) => format!("{} ({:+.3})", specifications.choices[largest].name, effect.range()),
                None => "none".to_owned(),
            };
            Some((&*cell.model.dataset, moved))
        })
        .collect();
    if cells.iter().all(|cell| cell.effects.is_none()) {
        return Some("How much each choice matters is not estimated: the universes are too few for that.".to_owned());
    }
    let what = format!("The choice that moves {} of {} most", metric_title(first.metric), first.model.model);
    match parts.as_slice() {
        [] => None,
        [(dataset, moved)] => Some(format!("{what} on {dataset}: {moved}.")),
        _ => {
            let parts: Vec<String> = parts.iter().map(|(dataset, moved)| format!("{dataset} {moved}")).collect();
            Some(format!("{what}: {}.", parts.join(", ")))
        }
    }
}

/// States for each table how many specifications are near all of its cells.
fn nearness(closest: &[ClosestToCells]) -> Vec<String> {
    let mut tables: IndexMap<&str, (bool, Vec<String>)> = IndexMap::default();
    for group in closest.iter().filter(|group| group.model.is_none() && group.compared > 0) {
        let dataset = group.dataset.as_deref().unwrap_or("all datasets together");
        let entry = tables.entry(&group.table).or_insert_with(|| (group.has_deviations, Vec::new()));
        entry.1.push(format!("{dataset} {} of {}", group.within_all, group.compared));
    }
    let line = |(table, (has_deviations, parts)): (&str, (bool, Vec<String>))| {
        let margin = if has_deviations { "one standard deviation".to_owned() } else { MIN_DEVIATION.to_string() };
        format!("Specifications within {margin} of every cell of {table}: {}.", parts.join(", "))
    };
    tables.into_iter().map(line).collect()
}

/// Number of typical alternatives that a finding names.
const NAMED: usize = 3;

/// Names, where the reference misses published cells and other specifications do not, what the
/// latter have in common.
fn explanations(closest: &[ClosestToCells]) -> Vec<String> {
    let missed = closest.iter().filter(|group| {
        let is_of_dataset = group.model.is_none() && group.dataset.is_some();
        is_of_dataset && group.has_deviations && group.is_reference_near == Some(false) && !group.typical.is_empty()
    });
    let line = |group: &ClosestToCells| {
        let named = group.typical.iter().take(NAMED);
        let named =
            named.map(|one| format!("{} in {:.0}% ({:.0}% of all)", one.name, 100.0 * one.near, 100.0 * one.all));
        format!(
            "Near every cell of {} on {}, where the reference is not: {}.",
            group.table,
            group.dataset.as_deref().unwrap_or_default(),
            named.collect::<Vec<_>>().join(", ")
        )
    };
    missed.map(line).collect()
}
