//! Universes that come closest to the cells of a published table jointly.

use super::cells::cell_of;
use super::specifications::{ModelUniverses, Specifications};
use crate::determinism::IndexSet;
use crate::experiment::spec::universe::Multiverse;
use crate::report::published::{PublishedCell, PublishedTable};

/// Smallest deviation that differences are divided by.
pub const MIN_DEVIATION: f64 = 0.01;
/// Number of closest universes that are listed.
const LISTED: usize = 3;

/// A group of published cells with the specifications that come closest to all of them.
pub struct ClosestToCells {
    /// Name of the table.
    pub table: String,
    /// Dataset; `None` for all.
    pub dataset: Option<String>,
    /// Model; `None` for all.
    pub model: Option<String>,
    /// Number of cells.
    pub cells: usize,
    /// Number of specifications that have a value for every cell.
    pub compared: usize,
    /// Number of them within one standard deviation, or 0.01 if that is more, of every cell.
    pub within_all: usize,
    /// Whether standard deviations are published.
    pub has_deviations: bool,
    /// The closest ones.
    pub closest: Vec<CloseSpecification>,
}

/// A specification close to published cells.
pub struct CloseSpecification {
    /// Mean |difference| / max(sd, 0.01).
    pub distance: f64,
    /// Number of cells within one standard deviation.
    pub within: usize,
    /// Alternatives that differ from the reference, as text.
    pub differs: String,
    /// Names of the universes, if the cells are of one dataset.
    pub universes: Vec<String>,
}

/// Compares every draw with the cells of each table: of all datasets, of each dataset, and of
/// each model on each dataset.
pub fn closest(
    specifications: &Specifications,
    multiverse: &Multiverse,
    published: &[PublishedTable],
) -> Vec<ClosestToCells> {
    let mut groups = Vec::new();
    for table in published {
        let cells: Vec<Cell<'_>> = cells_of(specifications, table);
        let datasets: IndexSet<&str> = cells.iter().map(|cell| cell.model.dataset.as_str()).collect();
        let group = |dataset: Option<&str>, model: Option<&str>| {
            let of_group = cells.iter().filter(|cell| {
                dataset.is_none_or(|name| cell.model.dataset == name)
                    && model.is_none_or(|name| cell.model.model == name)
            });
            let of_group: Vec<&Cell<'_>> = of_group.collect();
            compare(specifications, multiverse, table, &of_group, (dataset, model))
        };
        if datasets.len() > 1 {
            groups.extend(group(None, None));
        }
        for &dataset in &datasets {
            let models: IndexSet<&str> = cells
                .iter()
                .filter(|cell| cell.model.dataset == dataset)
                .map(|cell| cell.model.model.as_str())
                .collect();
            groups.extend(group(Some(dataset), None));
            if models.len() > 1 {
                groups.extend(models.into_iter().filter_map(|model| group(Some(dataset), Some(model))));
            }
        }
    }
    groups
}

struct Cell<'a> {
    model: &'a ModelUniverses,
    published: &'a PublishedCell,
}

fn cells_of<'a>(specifications: &'a Specifications, table: &'a PublishedTable) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    for model in &specifications.models {
        let of_model = specifications.metrics.iter().filter_map(|&metric| cell_of(table, model, metric));
        cells.extend(of_model.map(|published| Cell { model, published }));
    }
    cells
}

fn compare(
    specifications: &Specifications,
    multiverse: &Multiverse,
    table: &PublishedTable,
    cells: &[&Cell<'_>],
    (dataset, model): (Option<&str>, Option<&str>),
) -> Option<ClosestToCells> {
    if cells.is_empty() {
        return None;
    }
    let realized: Vec<_> =
        cells.iter().map(|cell| multiverse.realized(&cell.model.dataset, &cell.model.model)).collect();
    let mut all: Vec<(f64, usize, usize, usize)> = Vec::new();
    let mut seen: IndexSet<(Vec<&str>, usize)> = IndexSet::default();
    let mut within_all = 0;
    for draw in 0..multiverse.draws.len() {
        let names: Option<Vec<&str>> =
            realized.iter().map(|realized| (*realized)?.universes.get(draw)?.as_deref()).collect();
        let Some(names) = names else { continue };
        for evaluation in 0..specifications.evaluations.len() {
            let value = |(cell, name): (&&Cell<'_>, &&str)| {
                let value = specifications.value(cell.model, name, evaluation, cell.published.metric)?;
                let deviation = cell.published.deviation.unwrap_or(0.0).max(MIN_DEVIATION);
                Some((value - cell.published.mean).abs() / deviation)
            };
            let distances: Option<Vec<f64>> = cells.iter().zip(&names).map(value).collect();
            let Some(distances) = distances else { continue };
            // Draws that are the same here count once.
            if !seen.insert((names.clone(), evaluation)) {
                continue;
            }
            let within = distances.iter().filter(|distance| **distance <= 1.0 + 1e-9).count();
            within_all += usize::from(within == cells.len());
            all.push((distances.iter().sum::<f64>() / cells.len() as f64, draw, evaluation, within));
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let closest = all.iter().take(LISTED).map(|&(distance, draw, evaluation, within)| {
        let names = realized.iter().filter_map(|realized| (*realized)?.universes.get(draw)?.clone());
        let names: IndexSet<String> = names.collect();
        CloseSpecification {
            distance,
            within,
            differs: differences(specifications, multiverse, cells, draw, evaluation),
            universes: if dataset.is_some() { names.into_iter().collect() } else { Vec::new() },
        }
    });
    Some(ClosestToCells {
        table: table.name.clone(),
        dataset: dataset.map(str::to_owned),
        model: model.map(str::to_owned),
        cells: cells.len(),
        compared: all.len(),
        within_all,
        has_deviations: cells.iter().any(|cell| cell.published.deviation.is_some()),
        closest: closest.collect(),
    })
}

/// Returns the alternatives that differ from the reference: of the universes if the cells are of
/// one dataset, else of the draw.
fn differences(
    specifications: &Specifications,
    multiverse: &Multiverse,
    cells: &[&Cell<'_>],
    draw: usize,
    evaluation: usize,
) -> String {
    let datasets: IndexSet<&str> = cells.iter().map(|cell| cell.model.dataset.as_str()).collect();
    let mut levels: Vec<Option<usize>> = vec![None; multiverse.choices.len()];
    if datasets.len() > 1 {
        levels = multiverse.draws[draw].iter().map(|&level| Some(level)).collect();
    } else {
        for cell in cells {
            let realized = multiverse.realized(&cell.model.dataset, &cell.model.model);
            let name = realized.and_then(|realized| realized.universes.get(draw)?.as_deref());
            let universe = name.and_then(|name| cell.model.universes.get(name));
            for (level, own) in levels.iter_mut().zip(universe.map_or(&[][..], |universe| &universe.levels)) {
                *level = level.or(*own);
            }
        }
    }
    let of_scores = specifications.evaluations[evaluation].0.iter().map(|&level| Some(level));
    let all = levels.into_iter().chain(of_scores).zip(&specifications.choices);
    let differing = all.filter_map(|(level, choice)| {
        let level = level.filter(|level| *level > 0)?;
        Some(format!("{}={}", choice.name, choice.alternatives[level]))
    });
    differing.collect::<Vec<_>>().join(", ")
}
