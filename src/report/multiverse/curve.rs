//! Specification curves: all values of a cell in ascending order, with the published value as a
//! band and the alternatives of each choice below.

use super::cells::CellReport;
use super::specifications::Specifications;
use crate::determinism::IndexMap;
use crate::experiment::job::safe_name;
use crate::report::figure::FigureScene;
use crate::report::figure::axis::Axis;
use crate::report::figure::color::{Color, Dash};
use crate::report::figure::font;
use crate::report::figure::panel::Panel;
use crate::report::figure::scene::{Anchor, Scene, Stroke, Text};
use crate::report::figure::style::{HEADING, PALETTE, TICK, WIDTH};
use crate::report::table::metric_title;

const LEFT: f64 = 212.0;
const RIGHT: f64 = 16.0;
const CURVE_HEIGHT: f64 = 190.0;
/// Height of a row of the dashboard.
const ROW: f64 = 11.5;
/// Gap between two choices.
const GAP: f64 = 4.0;
/// Columns of the dashboard; each shows the share of an alternative among its specifications.
const BINS: usize = 110;
/// Lower ends of the shades of a column; below the first one nothing is drawn.
const SHADES: [(f64, Color); 3] =
    [(0.02, Color(0xc9, 0xd7, 0xe6)), (0.4, Color(0x7a, 0xa3, 0xc8)), (0.75, Color(0x1f, 0x5a, 0x93))];
/// Smallest share of variance of a choice with rows of its own.
const MIN_SHARE: f64 = 0.005;
const SMALL_WIDTH: f64 = 194.0;
const SMALL_HEIGHT: f64 = 96.0;

/// The figures of a multiverse.
pub struct CurveFigures {
    /// One per dataset.
    pub datasets: Vec<FigureScene>,
    /// One per cell.
    pub cells: Vec<FigureScene>,
}

/// Draws one figure per dataset and one per cell.
pub fn figures(specifications: &Specifications, cells: &[CellReport<'_>]) -> CurveFigures {
    let mut datasets: IndexMap<&str, Vec<&CellReport<'_>>> = IndexMap::default();
    for cell in cells {
        datasets.entry(&cell.model.dataset).or_default().push(cell);
    }
    let of_dataset = |(dataset, cells): (&&str, &Vec<&CellReport<'_>>)| {
        let scene = scene(specifications, cells[0], &cells[1..]);
        FigureScene {
            name: format!("universes-{}", safe_name(dataset)),
            title: format!("Specification curve of {dataset}: {}", label(cells[0])),
            caption: caption(cells[0]),
            scene,
        }
    };
    let of_cell = |cell: &CellReport<'_>| FigureScene {
        name: format!(
            "universes-{}-{}-{}",
            safe_name(&cell.model.dataset),
            safe_name(&cell.model.model),
            cell.metric.name()
        ),
        title: format!("Specification curve of {}: {}", cell.model.dataset, label(cell)),
        caption: caption(cell),
        scene: scene(specifications, cell, &[]),
    };
    CurveFigures { datasets: datasets.iter().map(of_dataset).collect(), cells: cells.iter().map(of_cell).collect() }
}

fn label(cell: &CellReport<'_>) -> String {
    format!("{}, {}", cell.model.model, metric_title(cell.metric))
}

fn caption(cell: &CellReport<'_>) -> String {
    let published = match cell.published.is_empty() {
        true => "",
        false => " Bands are published means with their standard deviation, lines published means; they are not ours.",
    };
    let below = match cell.effects {
        Some(_) => {
            " Below: how often each alternative occurs at that place, from rarely (pale) to nearly always (strong); \
             choices by their share of variance, those below 0.5% by name only."
        }
        None => " The universes are too few to separate the effects of the choices.",
    };
    format!(
        "{} specifications of {} universes in ascending order. The dashed line is the reference, with the first alternative of every choice.{published}{below}",
        cell.sorted.len(),
        cell.model.universes.len()
    )
}

fn scene(specifications: &Specifications, main: &CellReport<'_>, others: &[&CellReport<'_>]) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    // Names of alternatives are left of their rows.
    let left = if main.effects.is_some() { LEFT } else { 34.0 };
    let panel = curve_panel(main, (left, 26.0), (WIDTH - left - RIGHT, CURVE_HEIGHT));
    panel.heading(&mut scene, &format!("{} · {}", main.model.dataset, label(main)));
    panel.y_ticks(&mut scene, &panel.y.ticks(6), true);
    curve(&mut scene, &panel, main);
    let mut top = key(&mut scene, main, panel.bottom() + 16.0);
    top = dashboard(&mut scene, specifications, main, top + 6.0);
    let fitting = ((WIDTH - 10.0) / (SMALL_WIDTH + 40.0)) as usize;
    // Few panels share the width of a row.
    let per_row = others.len().clamp(1, fitting.max(1));
    let small_width = match per_row < fitting {
        true => (WIDTH - RIGHT + 6.0) / per_row as f64 - 40.0,
        false => SMALL_WIDTH,
    };
    for (row, chunk) in others.chunks(per_row).enumerate() {
        let top = top + 34.0 + row as f64 * (SMALL_HEIGHT + 44.0);
        for (k, cell) in chunk.iter().enumerate() {
            let left = 34.0 + k as f64 * (small_width + 40.0);
            let panel = curve_panel(cell, (left, top), (small_width, SMALL_HEIGHT));
            panel.heading(&mut scene, &label(cell));
            panel.y_ticks(&mut scene, &panel.y.ticks(4), true);
            curve(&mut scene, &panel, cell);
        }
    }
    let rows = others.len().div_ceil(per_row);
    scene.height = top + rows as f64 * (SMALL_HEIGHT + 44.0) + 8.0;
    scene
}

fn curve_panel(cell: &CellReport<'_>, (left, top): (f64, f64), (width, height): (f64, f64)) -> Panel {
    let values = cell.sorted.iter().map(|one| one.value);
    let published = cell.published.iter().map(|published| published.mean);
    let all: Vec<f64> = values.chain(published).chain(cell.reference).collect();
    let (low, high) = all.iter().fold((1.0f64, 0.0f64), |(low, high), &value| (low.min(value), high.max(value)));
    let x = Axis::linear(0.0, (cell.sorted.len().max(2) - 1) as f64);
    Panel { left, top, width, height, x, y: Axis::share(low, high) }
}

/// Color of a published table, by its number among all of them.
fn table_color(number: usize) -> Color {
    PALETTE[(number + 1) % PALETTE.len()]
}

fn curve(scene: &mut Scene, panel: &Panel, cell: &CellReport<'_>) {
    let within = |value: f64| value.clamp(panel.y.low, panel.y.high);
    let y = |value: f64| panel.at(panel.x.low, within(value)).1;
    for published in &cell.published {
        let color = table_color(published.number);
        if let Some(deviation) = published.deviation {
            let (upper, lower) = (y(published.mean + deviation), y(published.mean - deviation));
            scene.rectangle((panel.left, upper), (panel.right(), lower), color, 0.18);
        }
        let at = y(published.mean);
        scene.line([(panel.left, at), (panel.right(), at)], Stroke::new(color, 1.4));
    }
    if let Some(reference) = cell.reference {
        let at = y(reference);
        scene.line([(panel.left, at), (panel.right(), at)], Stroke::new(Color::GREY, 1.0).dashed(Dash::Dashed));
    }
    let points = cell.sorted.iter().enumerate().map(|(place, one)| panel.at(place as f64, one.value));
    scene.line(points.collect::<Vec<_>>(), Stroke::new(Color::INK, 1.8));
    panel.frame(scene);
}

/// Draws the key of the lines below the curve; returns its lower edge.
fn key(scene: &mut Scene, cell: &CellReport<'_>, top: f64) -> f64 {
    let mut entries = vec![(Color::INK, format!("{} specifications", cell.sorted.len()))];
    if let Some(reference) = cell.reference {
        entries.push((Color::GREY, format!("reference {reference:.3}")));
    }
    for published in &cell.published {
        let deviation = published.deviation.map_or_else(String::new, |deviation| format!(" ± {deviation}"));
        let text = format!("published in {}: {}{deviation}", published.table, published.mean);
        entries.push((table_color(published.number), text));
    }
    let mut left = 34.0;
    for (color, text) in entries {
        scene.line([(left, top - 4.0), (left + 16.0, top - 4.0)], Stroke::new(color, 2.0));
        scene.text(Text::new(&text, (left + 20.0, top), TICK));
        left += 30.0 + font::reserved_width(&text, TICK);
    }
    top + 4.0
}

/// Draws the alternatives of each choice along the curve; returns its lower edge.
fn dashboard(scene: &mut Scene, specifications: &Specifications, cell: &CellReport<'_>, top: f64) -> f64 {
    let Some(effects) = &cell.effects else { return top };
    let mut choices: Vec<(usize, f64)> =
        effects.choices.iter().enumerate().filter_map(|(c, effect)| Some((c, effect.as_ref()?.share))).collect();
    choices.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    // Alternatives without influence are spread evenly: rows of them would hide the others.
    let shown = choices.iter().take_while(|(_, share)| *share >= MIN_SHARE).count().max(1).min(choices.len());
    let others: Vec<&str> = choices[shown..].iter().map(|(c, _)| specifications.choices[*c].name.as_str()).collect();
    let width = WIDTH - LEFT - RIGHT;
    let n = cell.sorted.len();
    let bins = n.min(BINS);
    let bin_of = |place: usize| place * bins / n;
    let mut y = top;
    for &(c, share) in &choices[..shown] {
        let choice = &specifications.choices[c];
        let began = y;
        for (k, alternative) in choice.alternatives.iter().enumerate() {
            let (mut counts, mut sizes) = (vec![0usize; bins], vec![0usize; bins]);
            for (place, one) in cell.sorted.iter().enumerate() {
                sizes[bin_of(place)] += 1;
                counts[bin_of(place)] += usize::from(one.levels[c] == Some(k));
            }
            if counts.iter().all(|&count| count == 0) {
                continue;
            }
            let middle = y + ROW / 2.0;
            let name = font::truncated(alternative, TICK - 2.0, 84.0);
            let text = Text::new(name, (LEFT - 5.0, middle), TICK - 2.0).anchored(Anchor::End);
            scene.text(text.centered_vertically());
            let shade = |bin: usize| {
                let share = counts[bin] as f64 / sizes[bin].max(1) as f64;
                SHADES.iter().rposition(|(from, _)| share >= *from)
            };
            for (level, (_, color)) in SHADES.iter().enumerate() {
                let stroke = Stroke::new(*color, ROW - 2.0);
                let mut bin = 0;
                while bin < bins {
                    let run = (bin..bins).take_while(|&bin| shade(bin) == Some(level)).count();
                    if run > 0 {
                        let x = |bin: usize| LEFT + width * bin as f64 / bins as f64;
                        scene.line([(x(bin), middle), (x(bin + run), middle)], stroke);
                    }
                    bin += run.max(1);
                }
            }
            y += ROW;
        }
        let middle = f64::midpoint(began, y);
        let name = font::truncated(&choice.name, TICK - 1.0, 82.0);
        scene.text(Text::new(name, (6.0, middle), TICK - 1.0).centered_vertically());
        let percent = Text::new(format!("{:.0}%", 100.0 * share), (120.0, middle), TICK - 1.0).anchored(Anchor::End);
        scene.text(percent.centered_vertically());
        y += GAP;
    }
    let mut lines = vec!["share of variance of each choice, and its alternatives along the curve".to_owned()];
    if !others.is_empty() {
        let text = format!("Below {}% each: {}", 100.0 * MIN_SHARE, others.join(", "));
        lines.extend(wrapped(&text, TICK - 2.0, width));
    }
    for line in lines {
        scene.text(Text::new(line, (LEFT, y + 9.0), TICK - 2.0));
        y += ROW;
    }
    y - ROW + HEADING
}

/// Breaks a text at spaces into lines that fit into a width.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if font::reserved_width(&format!("{line} {word}"), size) <= width => {
                *line += &format!(" {word}")
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
