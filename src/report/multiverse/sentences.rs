//! The answer of a multiverse in a few sentences.

use super::cells::{CellReport, Place};
use super::closest::ClosestToCells;
use super::specifications::Specifications;
use crate::determinism::IndexMap;
use crate::experiment::Results;
use crate::report::table::metric_title;

/// What a multiverse can and cannot show; every report says it.
pub const LIMITS: &str = "A universe close to the published values is a candidate explanation of them, and no universe \
is a better estimate than another: the choices are not known, the universes are not equally likely, and interactions \
between choices are not in the effects.";

/// Returns the answer, one sentence per line.
pub fn answer(
    results: &Results,
    specifications: &Specifications,
    cells: &[CellReport<'_>],
    closest: &[ClosestToCells],
) -> Vec<String> {
    let mut lines = Vec::new();
    let published = cells.iter().flat_map(|cell| cell.published.iter().map(move |place| (cell, place)));
    let all = published.clone().count();
    if all > 0 {
        let inside = published.clone().filter(|(_, place)| place.place == Place::Inside).count();
        lines.push(format!("{inside} of {all} published cells lie inside the multiverse."));
        for (place, word) in [(Place::Above, "above"), (Place::Below, "below")] {
            let mut names: IndexMap<String, Vec<String>> = IndexMap::default();
            for (cell, found) in published.clone().filter(|(_, found)| found.place == place) {
                let key = format!("{} {}", cell.model.dataset, cell.model.model);
                names.entry(key).or_default().push(format!("{} ({})", metric_title(cell.metric), found.table));
            }
            let names: Vec<String> =
                names.iter().map(|(key, metrics)| format!("{key} {}", metrics.join(" and "))).collect();
            if !names.is_empty() {
                lines.push(format!("Outside, {word} all universes: {}.", names.join("; ")));
            }
        }
    }
    let mut moved: IndexMap<&str, String> = IndexMap::default();
    for cell in cells {
        let (Some(largest), Some(effects)) = (cell.largest(), &cell.effects) else { continue };
        let Some(effect) = &effects.choices[largest] else { continue };
        moved.entry(&cell.model.dataset).or_insert_with(|| {
            let choice = &specifications.choices[largest];
            let name = |place: usize| choice.alternatives[place].as_str();
            let (low, high) = effect.extremes().unwrap_or_default();
            if low == high {
                return format!("{} none", cell.model.dataset);
            }
            format!(
                "{} {} ({} to {}: {:+.3}, {:.0}% of the variance)",
                cell.model.dataset,
                choice.name,
                name(low),
                name(high),
                effect.range(),
                100.0 * effect.share
            )
        });
    }
    if let Some(first) = cells.first() {
        let moved: Vec<String> = moved.into_values().collect();
        lines.push(format!(
            "The choice that moves each dataset most ({} of {}): {}.",
            metric_title(first.metric),
            first.model.model,
            moved.join("; ")
        ));
    }
    let mut near: IndexMap<&str, Vec<String>> = IndexMap::default();
    for group in closest.iter().filter(|group| group.model.is_none()) {
        let Some(best) = group.closest.first() else { continue };
        let differs = if best.differs.is_empty() { "the reference" } else { &best.differs };
        near.entry(&group.table).or_default().push(format!(
            "{} {} of {} (closest, at distance {:.2}: {differs})",
            group.dataset.as_deref().unwrap_or("all datasets together"),
            group.within_all,
            group.compared,
            best.distance,
        ));
    }
    for (table, groups) in near {
        lines.push(format!(
            "Specifications within one standard deviation of every cell of {table}: {}.",
            groups.join("; ")
        ));
    }
    let (jobs, seconds) = results.stored.iter().fold((0, 0.0), |(jobs, seconds), stored| {
        let machine = &stored.record.machine;
        (jobs + 1, seconds + machine.train_seconds + machine.ensemble_seconds + machine.score_seconds)
    });
    let stopped = results.stored.iter().filter(|stored| stored.record.status.is_stopped()).count();
    let universes: usize = specifications.models.iter().map(|model| model.universes.len()).sum();
    let planned: usize = specifications.models.iter().map(|model| model.planned).sum();
    lines.push(format!(
        "{jobs} jobs took {seconds:.0} s of learning and scoring; {stopped} were stopped at a limit. {universes} of {planned} universes are complete, each evaluated in {} ways.",
        specifications.evaluations.len()
    ));
    lines.push(LIMITS.to_owned());
    lines
}
