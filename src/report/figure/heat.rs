//! Heat maps of sweeps over two parameters: one panel per dataset and model, one cell per pair of
//! values.

use super::color::Color;
use super::font;
use super::naming::{axis_label, slug};
use super::output::FigureScene;
use super::panel::COLUMNS;
use super::rows::{RunRows, series_label};
use super::scene::{Anchor, Scene, Stroke, Text};
use super::style::{HEADING, LABEL, TICK, WIDTH};
use super::swept::{Swept, key_name, swept};
use crate::determinism::IndexSet;
use crate::experiment::Results;
use crate::experiment::frame::Group;
use crate::metric::Column;

/// Height of a cell.
const CELL: f64 = 24.0;
/// Smallest width of a cell with a number.
const NUMBER: f64 = 36.0;
const MAX_WIDTH: f64 = 84.0;
/// Heading above, tick labels below, and gaps between panels.
const ABOVE: f64 = 26.0;
const BELOW: f64 = 22.0;
const GAP: f64 = 18.0;
/// Space for the label of the vertical axis.
const SIDE: f64 = 26.0;
/// Tints of the worst and the best value, as shares of full color; numbers are legible on both.
const PALEST: f64 = 0.06;
const STRONGEST: f64 = 0.7;

/// Lays out a metric over the pairs of values of a sweep that sets exactly two parameters.
pub fn heat(results: &Results, column: Column) -> Option<FigureScene> {
    let rows = RunRows::of(results);
    let parameters = swept(&rows);
    let [first, second] = &parameters[..] else { return None };
    // The parameter with the most values is horizontal, as on the lines.
    let (x, y) = if second.values.len() > first.values.len() { (second, first) } else { (first, second) };
    let maps = maps(&rows, column, (x, y));
    if maps.is_empty() {
        return None;
    }
    let mut scene = Scene::new(WIDTH, 0.0);
    let names = y.values.iter().map(|value| font::reserved_width(value, TICK)).fold(0.0, f64::max).min(120.0);
    let left = SIDE + names + 6.0;
    let columns = x.values.len() as f64;
    // As many panels in a row as leave space for the numbers.
    let fit = ((WIDTH - left) / (columns * NUMBER + GAP)) as usize;
    let across = fit.clamp(1, COLUMNS).min(maps.len());
    let width = ((WIDTH - left) / across as f64 - GAP).min(columns * MAX_WIDTH);
    let height = CELL * y.values.len() as f64;
    for (i, map) in maps.iter().enumerate() {
        let (row, place) = ((i / across) as f64, i % across);
        let at = (left + place as f64 * (width + GAP), 4.0 + ABOVE + row * (ABOVE + height + BELOW));
        map.draw(&mut scene, at, (width / columns, x, y), place == 0);
    }
    let bottom = 4.0 + maps.len().div_ceil(across) as f64 * (ABOVE + height + BELOW);
    let middle = left + (across as f64 * (width + GAP) - GAP) / 2.0;
    let name = font::truncated(&key_name(&x.key), LABEL, 2.0 * (WIDTH - middle).min(middle) - 8.0);
    scene.text(Text::new(name, (middle, bottom + LABEL), LABEL).anchored(Anchor::Middle));
    let name = font::truncated(&y.key, LABEL, bottom - 8.0);
    scene.text(Text::new(name, (16.0, f64::midpoint(4.0, bottom)), LABEL).anchored(Anchor::Middle).rotated());
    scene.height = bottom + LABEL + 8.0;
    Some(FigureScene {
        name: format!("heat-{}-{}-{}", slug(&x.key), slug(&y.key), slug(column.name())),
        title: format!("{} by {} and {}", axis_label(column), x.key, y.key),
        caption: "Means over folds (seeds of given folds averaged first). A stronger color is better, on a scale of its own for each dataset; \
                  the best cells are outlined unless most are equal."
            .to_owned(),
        scene,
    })
}

/// The values of one dataset and model.
struct HeatMap {
    heading: String,
    /// Means by row and column; `None` without a result.
    cells: Vec<Vec<Option<f64>>>,
    /// Worst and best value of the dataset.
    range: (f64, f64),
}

fn maps(rows: &RunRows<'_>, column: Column, (x, y): (&Swept, &Swept)) -> Vec<HeatMap> {
    let is_swept = |group: &&Group<'_>| !group.key.case.is_empty();
    let models: IndexSet<String> = rows.groups.iter().filter(is_swept).map(|group| series_label(&group.key)).collect();
    let mut maps = Vec::new();
    for dataset in rows.datasets() {
        let of_dataset = || rows.groups.iter().filter(|group| group.key.dataset == dataset).filter(is_swept);
        let mean = |group: &Group<'_>| group.average(column).map(|average| average.mean);
        let ends = of_dataset()
            .filter_map(mean)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let range = if column.higher_is_better() { ends } else { (ends.1, ends.0) };
        for model in &models {
            let at = |xs: &String, ys: &String| {
                let is = |group: &&Group<'_>| {
                    let settings = &group.jobs[0].record.row.settings;
                    settings.get(&x.key) == Some(xs)
                        && settings.get(&y.key) == Some(ys)
                        && series_label(&group.key) == *model
                };
                of_dataset().find(is).and_then(mean)
            };
            // Large values of the vertical parameter are on top.
            let cells: Vec<Vec<Option<f64>>> =
                y.values.iter().rev().map(|ys| x.values.iter().map(|xs| at(xs, ys)).collect()).collect();
            if cells.iter().flatten().flatten().next().is_some() {
                let heading = if models.len() > 1 { format!("{dataset}, {model}") } else { dataset.to_owned() };
                maps.push(HeatMap { heading, cells, range });
            }
        }
    }
    maps
}

impl HeatMap {
    fn draw(&self, scene: &mut Scene, (left, top): (f64, f64), (wide, x, y): (f64, &Swept, &Swept), names: bool) {
        let best = self.cells.iter().flatten().flatten().fold(f64::NAN, |best: f64, &value| {
            let is_better = if self.range.1 >= self.range.0 { value > best } else { value < best };
            if best.is_nan() || is_better { value } else { best }
        });
        let corners = |i: usize, j: usize| {
            let (x, y) = (left + wide * j as f64, top + CELL * i as f64);
            ((x, y), (x + wide, y + CELL))
        };
        let mut outlined = Vec::new();
        for (i, row) in self.cells.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                let (from, to) = corners(i, j);
                let center = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
                let text = |text: String, color: Color| {
                    let text = Text::new(text, center, TICK).anchored(Anchor::Middle).centered_vertically();
                    Text { color, ..text }
                };
                let Some(value) = *value else {
                    scene.text(text("–".to_owned(), Color::GREY));
                    continue;
                };
                let tint = self.tint(value);
                scene.rectangle(from, to, Color::PAPER.mixed(Color::BLUE, tint), 1.0);
                let number = format!("{value:.3}");
                if font::reserved_width(&number, TICK) < wide {
                    scene.text(text(number, Color::INK));
                }
                if value == best {
                    outlined.push((from, to));
                }
            }
        }
        // Where most cells are equally good, outlines would say nothing.
        let is_telling = 2 * outlined.len() <= self.cells.iter().flatten().flatten().count();
        for ((left, top), (right, bottom)) in outlined.into_iter().filter(|_| is_telling) {
            scene.outline((left + 1.0, top + 1.0), (right - 1.0, bottom - 1.0), Stroke::new(Color::INK, 2.0));
        }
        let bottom = top + CELL * self.cells.len() as f64;
        let right = left + wide * x.values.len() as f64;
        scene.outline((left, top), (right, bottom), Stroke::new(Color::GREY, 0.8));
        let heading = font::truncated(&self.heading, HEADING, right - left + GAP - 4.0);
        scene.text(Text::new(heading, (f64::midpoint(left, right), top - 7.0), HEADING).anchored(Anchor::Middle));
        for (j, value) in x.values.iter().enumerate() {
            let middle = left + wide * (j as f64 + 0.5);
            let value = font::truncated(value, TICK, wide - 2.0);
            scene.text(Text::new(value, (middle, bottom + 4.0 + TICK), TICK).anchored(Anchor::Middle));
        }
        for (i, value) in y.values.iter().rev().enumerate().filter(|_| names) {
            let middle = top + CELL * (i as f64 + 0.5);
            let value = font::truncated(value, TICK, 120.0);
            scene.text(Text::new(value, (left - 5.0, middle), TICK).anchored(Anchor::End).centered_vertically());
        }
    }

    /// Returns the tint of a value.
    fn tint(&self, value: f64) -> f64 {
        let (worst, best) = self.range;
        // Equal values get one tint, which says nothing.
        let share = if best == worst { 0.5 } else { (value - worst) / (best - worst) };
        PALEST + (STRONGEST - PALEST) * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(values: [[Option<f64>; 2]; 2], range: (f64, f64)) -> Scene {
        let swept = |key: &str, values: [&str; 2]| Swept {
            key: key.into(),
            values: values.map(str::to_owned).into(),
            is_numeric: true,
        };
        let map = HeatMap { heading: "d".into(), cells: values.map(|row| row.to_vec()).to_vec(), range };
        let mut scene = Scene::new(WIDTH, 200.0);
        let (x, y) = (swept("trees", ["1", "2"]), swept("max_leaves", ["4", "8"]));
        map.draw(&mut scene, (100.0, 60.0), (50.0, &x, &y), true);
        scene
    }

    /// Contrast ratio of WCAG 2.
    fn contrast(a: Color, b: Color) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let luminance = |c: Color| 0.2126 * linear(c.0) + 0.7152 * linear(c.1) + 0.0722 * linear(c.2);
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn numbers_are_legible_on_every_tint() {
        for step in 0..=10 {
            let tint = PALEST + (STRONGEST - PALEST) * f64::from(step) / 10.0;
            let ratio = contrast(Color::PAPER.mixed(Color::BLUE, tint), Color::INK);
            assert!(ratio > 4.5, "{tint}: {ratio}");
        }
    }

    #[test]
    fn cells_show_numbers_and_the_best_is_strongest_and_outlined() {
        use super::super::scene::Primitive;
        let scene = drawn([[Some(0.5), Some(0.9)], [None, Some(0.7)]], (0.5, 0.9));
        let texts: Vec<&str> = scene.texts().map(|text| text.text.as_str()).collect();
        assert_eq!(texts, ["0.500", "0.900", "–", "0.700", "d", "1", "2", "8", "4"]);
        assert_eq!(scene.layout_problems(), [""; 0]);
        let fills: Vec<Color> = scene
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Primitive::Area(_, color, _) => Some(*color),
                _ => None,
            })
            .collect();
        let strongest = Color::PAPER.mixed(Color::BLUE, STRONGEST);
        assert_eq!(fills[1], strongest);
        assert!(fills[0].0 > fills[2].0 && fills[2].0 > fills[1].0, "{fills:?}");
        let outlines =
            scene.shapes.iter().filter(|shape| matches!(shape, Primitive::Line(_, stroke) if stroke.width == 2.0));
        assert_eq!(outlines.count(), 1);
        // A lower value can be the better one.
        let scene = drawn([[Some(0.5), Some(0.9)], [None, Some(0.7)]], (0.9, 0.5));
        assert!(scene.shapes.iter().any(
            |shape| matches!(shape, Primitive::Area(at, color, _) if *color == strongest && at[0] == (100.0, 60.0))
        ));
    }
}
