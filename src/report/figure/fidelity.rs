//! Fidelity of explainable trees to their ensembles on test examples.

use super::axis::Axis;
use super::error::FigureError;
use super::naming::slug;
use super::output::FigureScene;
use super::panel::{COLUMNS, Panel, PanelMargins, axis_names, grid, panel_height, reference};
use super::rows::RunRows;
use super::scene::Scene;
use super::style::{SeriesStyle, WIDTH};
use crate::determinism::{HashMap, IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::frame::{Group, StoredJob};
use crate::metric::summary::mean;

const HEIGHT: f64 = 130.0;
/// Points are aggregated in this many cells per axis, so that files stay small.
const CELLS: f64 = 56.0;

/// ψ of the ensemble and of the tree for one test example.
type PsiPair = (f64, f64);

/// Lays out one figure per explainable model whose ensemble is in the run, with one panel per
/// dataset.
///
/// # Errors
/// If the predictions of a job cannot be read.
pub fn fidelity(results: &Results) -> Result<Vec<FigureScene>, FigureError> {
    let rows = RunRows::of(results);
    if rows.has_sweep() {
        return Ok(Vec::new());
    }
    let labels: IndexSet<String> = explained(&rows).map(|group| group.key.label()).collect();
    let scenes = labels.iter().map(|label| of_label(&rows, label));
    Ok(scenes.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn explained<'a, 'r>(rows: &'a RunRows<'r>) -> impl Iterator<Item = &'a Group<'r>> {
    rows.groups.iter().filter(|group| group.done().any(|stored| stored.record.key.from.is_some()))
}

fn of_label(rows: &RunRows<'_>, label: &str) -> Result<Option<FigureScene>, FigureError> {
    let Some(key) = explained(rows).map(|group| &group.key).find(|key| key.label() == label) else { return Ok(None) };
    let mut panels: Vec<(&str, Vec<PsiPair>)> = Vec::new();
    for group in explained(rows).filter(|group| group.key.label() == label) {
        let mut pairs = Vec::new();
        for stored in group.done() {
            pairs.extend(pairs_of(rows.results, stored)?);
        }
        if !pairs.is_empty() {
            panels.push((&group.key.dataset, pairs));
        }
    }
    if panels.is_empty() {
        return Ok(None);
    }
    let mut scene = Scene::new(WIDTH, 0.0);
    let margins = PanelMargins { left: 36.0, top: 26.0, bottom: 22.0 };
    let across = panels.len().min(COLUMNS);
    let area = (18.0, 2.0, WIDTH);
    let height = panel_height(across, area, margins, HEIGHT);
    let (positions, width, bottom) = grid(panels.len(), across, area, height, margins);
    for ((dataset, pairs), (left, top)) in panels.iter().zip(positions) {
        let axis = range(pairs);
        let panel = Panel { left, top, width, height, x: axis, y: axis };
        panel.y_ticks(&mut scene, &axis.ticks(6), true);
        panel.x_ticks(&mut scene, &axis.ticks(6), true);
        panel.frame(&mut scene);
        let end = r_squared(pairs).map_or_else(String::new, |r_squared| format!(", R² {r_squared:.3}"));
        panel.heading(&mut scene, &format!("{dataset}{end}"));
        scene.line([panel.at(axis.low, axis.low), panel.at(axis.high, axis.high)], reference());
        draw(&mut scene, &panel, pairs);
    }
    axis_names(&mut scene, (2.0, bottom), "ψ of the ensemble", "ψ of the explainable tree");
    Ok(Some(FigureScene {
        name: ["fidelity", &key.model, &key.preset].map(slug).join("-").trim_end_matches('-').to_owned(),
        title: format!("Fidelity of {label} to its ensemble"),
        caption: "Each test example of all folds by the predictions of ensemble and tree; larger dots are more examples, on \
                  the dotted diagonal both agree. R² is the part of the variance of the ensemble's ψ that the tree explains, on \
                  these examples."
            .to_owned(),
        scene,
    }))
}

/// Returns ψ of ensemble and tree for the test examples of a tree, if the run has the ensemble.
fn pairs_of(results: &Results, stored: &StoredJob) -> Result<Vec<PsiPair>, FigureError> {
    let record = &stored.record;
    let is_ensemble = |other: &&StoredJob| {
        let (row, key) = (&other.record.row, &other.record.key);
        other.is_done()
            && (row.dataset == record.row.dataset && row.fold == record.row.fold && row.seed == record.row.seed)
            && (Some(&key.learner) == record.key.from.as_ref() && key.dataset == record.key.dataset)
            && key.negatives_per_positive == record.key.negatives_per_positive
    };
    let Some(ensemble) = results.stored.iter().find(is_ensemble) else { return Ok(Vec::new()) };
    let both = (results.predictions(ensemble)?, results.predictions(stored)?);
    let (Some(ensemble_psi), Some(tree)) = both else { return Ok(Vec::new()) };
    let ensemble_psi: HashMap<&str, f64> = ensemble_psi.iter().map(|row| (row.example.as_str(), row.psi)).collect();
    let pairs = tree.iter().filter_map(|row| Some((*ensemble_psi.get(row.example.as_str())?, row.psi)));
    Ok(pairs.filter(|(a, b)| a.is_finite() && b.is_finite()).collect())
}

/// Returns the coefficient of determination; `None` if the variance is zero.
fn r_squared(pairs: &[PsiPair]) -> Option<f64> {
    let middle = mean(&pairs.iter().map(|(ensemble, _)| *ensemble).collect::<Vec<_>>());
    let all: f64 = pairs.iter().map(|(ensemble, _)| (ensemble - middle).powi(2)).sum();
    let left: f64 = pairs.iter().map(|(ensemble, tree)| (ensemble - tree).powi(2)).sum();
    (all > 0.0).then(|| 1.0 - left / all)
}

/// Returns the common axis of both, slightly wider than the data.
fn range(pairs: &[PsiPair]) -> Axis {
    let ends = pairs.iter().map(|&(a, b)| (a.min(b), a.max(b)));
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (a, b)| (l.min(a), h.max(b)));
    let space = 0.06 * (high - low).max(0.5);
    Axis::linear(low - space, high + space)
}

/// Draws a dot per nonempty cell, at the mean of its points.
fn draw(scene: &mut Scene, panel: &Panel, pairs: &[PsiPair]) {
    let mut cells: IndexMap<(i64, i64), (f64, f64, u32)> = IndexMap::default();
    for &(x, y) in pairs {
        let cell = |value: f64, axis: Axis| (CELLS * axis.position(value)).floor() as i64;
        let (sum_x, sum_y, n) = cells.entry((cell(x, panel.x), cell(y, panel.y))).or_default();
        (*sum_x, *sum_y, *n) = (*sum_x + x, *sum_y + y, *n + 1);
    }
    // Largest first, so that no dot is hidden; ties stay in order.
    cells.sort_by(|_, a, _, b| b.2.cmp(&a.2));
    for (x, y, n) in cells.into_values() {
        let radius = 1.3 * f64::from(n + 1).log2().sqrt();
        let number = f64::from(n);
        scene.disc(panel.at(x / number, y / number), radius.min(4.8), SeriesStyle::of(0, 0).color, 0.6);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_squared_matches_hand_computed_values() {
        // Sum of squares 2 around the mean 2; residual 0 + 0.25 + 0.
        assert_eq!(r_squared(&[(1.0, 1.0), (2.0, 2.5), (3.0, 3.0)]), Some(1.0 - 0.25 / 2.0));
        assert_eq!(r_squared(&[(1.0, 1.0), (1.0, 1.0)]), None);
    }

    #[test]
    fn equal_points_share_one_dot() {
        let axis = Axis::linear(0.0, 1.0);
        let panel = Panel { left: 0.0, top: 0.0, width: 100.0, height: 100.0, x: axis, y: axis };
        let mut scene = Scene::new(100.0, 100.0);
        draw(&mut scene, &panel, &[(0.2, 0.2), (0.9, 0.9), (0.2, 0.2)]);
        assert_eq!(scene.shapes.len(), 2);
    }
}
