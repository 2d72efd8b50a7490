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
/// Smallest difference of shares at which an alternative is typical of near specifications.
const MIN_EXCESS: f64 = 0.1;

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
    /// Whether the reference is among the specifications within all deviations; `None` without it.
    pub is_reference_near: Option<bool>,
    /// Alternatives that are more frequent within all deviations than elsewhere, the most typical
    /// first.
    pub typical: Vec<TypicalAlternative>,
}

/// An alternative that specifications near all cells have more often than others.
#[derive(Clone, Debug, PartialEq)]
pub struct TypicalAlternative {
    /// Choice and alternative, as `choice=alternative`.
    pub name: String,
    /// Its share of the near specifications.
    pub near: f64,
    /// Its share of all compared specifications.
    pub all: f64,
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
    let levels = |draw, evaluation| levels(specifications, multiverse, cells, draw, evaluation);
    let (is_reference_near, typical) = typical(
        specifications,
        all.iter().map(|&(_, draw, evaluation, within)| (levels(draw, evaluation), within == cells.len())),
    );
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let closest = all.iter().take(LISTED).map(|&(distance, draw, evaluation, within)| {
        let names = realized.iter().filter_map(|realized| (*realized)?.universes.get(draw)?.clone());
        let names: IndexSet<String> = names.collect();
        CloseSpecification {
            distance,
            within,
            differs: differences(specifications, &levels(draw, evaluation)),
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
        is_reference_near,
        typical,
    })
}

/// Returns the alternative of each choice: of the universes if the cells are of one dataset, else
/// of the draw.
fn levels(
    specifications: &Specifications,
    multiverse: &Multiverse,
    cells: &[&Cell<'_>],
    draw: usize,
    evaluation: usize,
) -> Vec<Option<usize>> {
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
    levels.extend(specifications.evaluations[evaluation].0.iter().map(|&level| Some(level)));
    levels
}

/// Returns the alternatives that differ from the reference.
fn differences(specifications: &Specifications, levels: &[Option<usize>]) -> String {
    let differing = levels.iter().zip(&specifications.choices).filter_map(|(level, choice)| {
        let level = level.filter(|level| *level > 0)?;
        Some(format!("{}={}", choice.name, choice.alternatives[level]))
    });
    differing.collect::<Vec<_>>().join(", ")
}

/// Returns whether the reference is near, and the alternatives that near specifications have more
/// often than all, given the levels of each specification and whether it is near.
fn typical(
    specifications: &Specifications,
    compared: impl Iterator<Item = (Vec<Option<usize>>, bool)>,
) -> (Option<bool>, Vec<TypicalAlternative>) {
    let mut counts: Vec<Vec<[usize; 2]>> =
        specifications.choices.iter().map(|choice| vec![[0; 2]; choice.alternatives.len()]).collect();
    let (mut reference, mut near, mut all) = (None, 0usize, 0usize);
    for (levels, is_near) in compared {
        all += 1;
        near += usize::from(is_near);
        if levels.iter().all(|level| level.unwrap_or(0) == 0) {
            reference = Some(is_near);
        }
        for (counts, level) in counts.iter_mut().zip(levels) {
            if let Some(level) = level {
                counts[level][0] += usize::from(is_near);
                counts[level][1] += 1;
            }
        }
    }
    let mut found = Vec::new();
    for (choice, counts) in specifications.choices.iter().zip(counts) {
        for (alternative, [of_near, of_all]) in choice.alternatives.iter().zip(counts) {
            let (of_near, of_all) = (of_near as f64 / near.max(1) as f64, of_all as f64 / all.max(1) as f64);
            if of_near - of_all >= MIN_EXCESS {
                let name = format!("{}={alternative}", choice.name);
                found.push(TypicalAlternative { name, near: of_near, all: of_all });
            }
        }
    }
    found.sort_by(|a, b| (b.near - b.all).total_cmp(&(a.near - a.all)));
    (reference, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::multiverse::specifications::ReportChoice;

    #[test]
    fn alternatives_of_near_specifications_are_typical() {
        let choice = |name: &str, alternatives: &[&str]| ReportChoice {
            name: name.to_owned(),
            alternatives: alternatives.iter().map(|&name| name.to_owned()).collect(),
        };
        let specifications = Specifications {
            choices: vec![choice("literals", &["1", "2"]), choice("seed", &["a", "b"]), choice("time", &["limit"])],
            evaluations: Vec::new(),
            metrics: Vec::new(),
            models: Vec::new(),
        };
        // Both near specifications have two literals, and seeds like all others. The choice `time`
        // does not apply.
        let compared = [([0, 0], false), ([1, 0], true), ([1, 1], true), ([0, 1], false)]
            .map(|(levels, is_near)| (levels.iter().map(|&level| Some(level)).chain([None]).collect(), is_near));
        let (reference, found) = typical(&specifications, compared.into_iter());
        assert_eq!(reference, Some(false));
        assert_eq!(found, [TypicalAlternative { name: "literals=2".to_owned(), near: 1.0, all: 0.5 }]);
        // Without near specifications nothing is typical.
        assert_eq!(
            typical(&specifications, std::iter::once((vec![Some(1), Some(0), None], false))),
            (None, Vec::new())
        );
    }
}
