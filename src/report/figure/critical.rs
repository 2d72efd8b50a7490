//! Critical-difference diagrams (Demšar 2006, *Statistical comparisons of classifiers over
//! multiple data sets*).

use std::ops::Range;

use super::axis::Axis;
use super::color::Color;
use super::error::FigureError;
use super::font;
use super::naming::{axis_label, figure_name, figure_title, slug};
use super::output::FigureScene;
use super::rows::RunRows;
use super::scene::{Anchor, Scene, Stroke, Text};
use super::style::{LABEL, TICK, WIDTH};
use crate::experiment::Results;
use crate::metric::Column;
use crate::metric::significance::{ALPHA, CriticalLevel, Ranks, SampleError, Verdict};
use crate::report::compare::with_sign;

/// Mean ranks of models over datasets.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalDifference {
    /// Metric by which models are ranked, as in the title.
    pub by: String,
    /// Models with their mean ranks, best first.
    pub ranks: Vec<(String, f64)>,
    /// Critical difference: mean ranks at least this far apart differ significantly.
    pub difference: f64,
    /// Groups of models without a significant difference, as ranges of `ranks`.
    pub groups: Vec<Range<usize>>,
    /// Number of datasets.
    pub datasets: usize,
}

/// Ends of the axis.
const AXIS: (f64, f64) = (250.0, 470.0);
const ROW: f64 = 19.0;

/// Rows that are ranked together.
pub(crate) struct RankedRows {
    /// Their preset, if presets are ranked separately.
    pub preset: Option<String>,
    /// Names and ranks; `None` with fewer than three rows or two complete datasets.
    pub ranks: Option<(Vec<String>, Ranks)>,
}

/// Ranks all rows over the datasets on which every row has a result. Presets are ranked
/// separately if models without presets accompany several, since these would count once and the
/// others twice.
///
/// # Errors
/// If a value is not finite.
pub(crate) fn ranked(results: &Results, column: Column) -> Result<Vec<RankedRows>, SampleError> {
    let of = |(preset, rows): (Option<String>, RunRows<'_>)| Ok(RankedRows { preset, ranks: ranks_of(&rows, column)? });
    RunRows::of(results).by_preset().into_iter().map(of).collect()
}

fn ranks_of(rows: &RunRows<'_>, column: Column) -> Result<Option<(Vec<String>, Ranks)>, SampleError> {
    let labels: Vec<&str> = rows.labels().collect();
    let value = |dataset: &str, label: &str| Some(rows.find(dataset, label)?.average(column)?.mean);
    let of_dataset = |dataset: &str| labels.iter().map(|label| value(dataset, label)).collect::<Option<Vec<f64>>>();
    let table: Vec<Vec<f64>> = rows.datasets().into_iter().filter_map(of_dataset).collect();
    if labels.len() < 3 || table.len() < 2 {
        return Ok(None);
    }
    let ranks = Ranks::new(&table, column.higher_is_better())?;
    Ok(Some((labels.iter().map(|label| rows.short_label(label)).collect(), ranks)))
}

/// Describes the result of Friedman's test, without which Nemenyi's test is not justified.
pub(crate) fn friedman_words(ranks: &Ranks) -> String {
    match ranks.friedman(ALPHA).map(|test| test.verdict) {
        Ok(Verdict::P(p)) if p < ALPHA => format!("Friedman's test rejects that all are alike (p {}).", with_sign(p)),
        Ok(Verdict::P(p)) => {
            format!(
                "Friedman's test does not reject that all are alike (p {}), so no difference is significant.",
                with_sign(p)
            )
        }
        Ok(Verdict::CannotReach { smallest }) => format!(
            "Friedman's test cannot tell: {} datasets can reach p = {smallest:.4} at best, not {ALPHA}.",
            ranks.datasets()
        ),
        Err(why) => format!("Friedman's test cannot be made: {why}."),
    }
}

/// Lays out a diagram of the mean ranks if there are three to ten rows and enough datasets on which
/// every row has a result; one per preset if models without presets accompany several. With fewer
/// datasets no difference could be significant, and the diagram would say nothing.
///
/// # Errors
/// If a value is not finite.
pub fn mean_ranks(results: &Results, column: Column) -> Result<Vec<FigureScene>, FigureError> {
    let scenes = ranked(results, column)?.into_iter().filter_map(|ranked| diagram(&ranked, column));
    Ok(scenes.collect())
}

fn diagram(RankedRows { preset, ranks }: &RankedRows, column: Column) -> Option<FigureScene> {
    let (names, ranks) = ranks.as_ref()?;
    let difference = ranks.critical_difference(CriticalLevel::Five).ok()?;
    let can_differ = difference < names.len() as f64 - 1.0;
    let can_reject = matches!(ranks.friedman(ALPHA).map(|test| test.verdict), Ok(Verdict::P(_)));
    if !can_differ || !can_reject {
        return None;
    }
    let positions = ranks.order().into_iter().map(|i| (names[i].clone(), ranks.means()[i]));
    let input = CriticalDifference {
        by: axis_label(column).to_owned(),
        ranks: positions.collect(),
        difference,
        groups: ranks.groups(difference),
        datasets: ranks.datasets(),
    };
    let diagram = critical_difference(&input);
    let caption = format!("{} {}", diagram.caption, friedman_words(ranks));
    let name = figure_name(&format!("ranks-{}", slug(column.name())), preset.as_deref());
    Some(FigureScene { name, title: figure_title(&diagram.title, preset.as_deref()), caption, ..diagram })
}

/// Lays out a critical-difference diagram.
pub fn critical_difference(input: &CriticalDifference) -> FigureScene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let axis = Axis::linear(1.0, input.ranks.len().max(2) as f64);
    let x = |rank: f64| AXIS.0 + (AXIS.1 - AXIS.0) * axis.position(rank);
    let ink = |width: f64| Stroke::new(Color::INK, width);
    // The critical difference as a ruler.
    let (left, right, y) = (x(1.0), x(1.0 + input.difference).min(AXIS.1), 22.0);
    scene.line([(left, y), (right, y)], ink(1.4));
    for end in [left, right] {
        scene.line([(end, y - 4.0), (end, y + 4.0)], ink(1.4));
    }
    let text = format!("critical difference {:.2}", input.difference);
    let middle = f64::midpoint(left, right).max(70.0);
    scene.text(Text::new(text, (middle, y - 8.0), TICK).anchored(Anchor::Middle));
    // The axis, with the best rank on the left.
    let y = 62.0;
    scene.line([(AXIS.0, y), (AXIS.1, y)], ink(1.2));
    for rank in 1..=input.ranks.len() {
        let at = x(rank as f64);
        scene.line([(at, y - 5.0), (at, y)], ink(1.2));
        scene.text(Text::new(rank.to_string(), (at, y - 9.0), TICK).anchored(Anchor::Middle));
    }
    scene.text(Text::new("mean rank", (AXIS.0 - 14.0, y), TICK).anchored(Anchor::End).centered_vertically());
    for (i, group) in input.groups.iter().enumerate() {
        let (Some(first), Some(last)) = (input.ranks.get(group.start), input.ranks.get(group.end.max(1) - 1)) else {
            continue;
        };
        let y = y + 9.0 + 7.0 * i as f64;
        let (left, right) = ((x(first.1) - 4.0).max(AXIS.0), (x(last.1) + 4.0).min(AXIS.1));
        scene.line([(left, y), (right, y)], Stroke::new(Color::GREY, 4.0));
    }
    let first_row = y + 16.0 + 7.0 * input.groups.len() as f64;
    let half = input.ranks.len().div_ceil(2);
    for (i, (name, rank)) in input.ranks.iter().enumerate() {
        // From the outside in, so that no lines cross.
        let (row, at_left) = if i < half { (i, true) } else { (input.ranks.len() - 1 - i, false) };
        let (at, down) = (x(*rank), first_row + ROW * row as f64);
        let end = if at_left { AXIS.0 - 12.0 } else { AXIS.1 + 12.0 };
        scene.line([(at, y), (at, down), (end, down)], ink(0.9));
        let number = format!("{rank:.2}");
        let beside = font::reserved_width(&number, LABEL) + 13.0;
        let name = font::truncated(name, LABEL, AXIS.0 - 22.0 - beside);
        let (anchor, away) = if at_left { (Anchor::End, -1.0) } else { (Anchor::Start, 1.0) };
        for (text, distance) in [(number, 5.0), (name, beside)] {
            scene.text(Text::new(text, (end + away * distance, down), LABEL).anchored(anchor).centered_vertically());
        }
    }
    scene.height = first_row + ROW * half as f64;
    FigureScene {
        name: "critical-differences".to_owned(),
        title: format!("Mean ranks by {} over {} datasets", input.by, input.datasets),
        caption: format!(
            "Ranks by mean {} on each dataset, 1 is best. Differences between models on one grey bar are not significant: their mean ranks differ by \
             less than Nemenyi's critical difference at 0.05.",
            input.by
        ),
        scene,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_never_overlap() {
        for models in 3..=10 {
            for spread in [0.0, 0.01, 1.0] {
                let rank = |i: usize| 1.0 + spread * i as f64;
                let name = |i: usize| format!("a model with quite a long name {i} (paper, trees=40)");
                let input = CriticalDifference {
                    by: "AUC-ROC".to_owned(),
                    ranks: (0..models).map(|i| (name(i), rank(i))).collect(),
                    difference: 1.9,
                    groups: vec![0..2, 1..models],
                    datasets: 7,
                };
                assert_eq!(critical_difference(&input).scene.layout_problems(), [""; 0]);
            }
        }
    }
}
