//! Change points: commits at which a series leaves the level it had.
//!
//! A commit is compared, cell by cell, with the commit at which the current level began, so that
//! slow drift adds up. Scores are judged by the rule of the gate, times by the same test on
//! logarithms with a margin; the series of a commit are one family.

use super::file::History;
use super::row::{HistoryRow, METRICS};
use crate::determinism::IndexMap;
use crate::experiment::frame::{RowKey, SplitKey};
use crate::metric::Column;
use crate::metric::significance::Differences;
use crate::metric::significance::decision::{self, DecisionRule, DifferenceEstimate};
use crate::metric::summary::mean;
use crate::report::gate::paired::{LEVEL, PairedCell, PairedRow, judge};
use crate::report::gate::{Finding, TOLERANCE};

/// Factor by which a time must differ.
const SLOWDOWN: f64 = 1.25;

/// What a series is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Series {
    /// A metric, by its position among those of a history.
    Metric(usize),
    /// Processor seconds.
    Seconds,
}

impl Series {
    /// All series of a row.
    pub const ALL: [Series; 4] = [Series::Metric(0), Series::Metric(1), Series::Metric(2), Series::Seconds];

    /// Returns the name of the column.
    pub fn name(self) -> &'static str {
        self.metric().map_or("seconds", Column::name)
    }

    /// Returns the metric.
    pub fn metric(self) -> Option<Column> {
        match self {
            Series::Metric(i) => METRICS.get(i).copied(),
            Series::Seconds => None,
        }
    }

    /// Returns the value of a row.
    pub fn value(self, row: &HistoryRow) -> Option<f64> {
        match self {
            Series::Metric(i) => row.values.get(i).copied().flatten(),
            Series::Seconds => row.seconds.filter(|seconds| *seconds > 0.0),
        }
    }
}

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The scores fell.
    Regressed,
    /// The scores rose.
    Improved,
    /// The job takes longer.
    Slower,
    /// The job takes less time.
    Faster,
    /// Other data or another preparation of them; values are not comparable.
    OtherData,
}

impl Change {
    /// Returns the change in words.
    pub fn words(self) -> &'static str {
        match self {
            Change::Regressed => "regressed",
            Change::Improved => "improved",
            Change::Slower => "slower",
            Change::Faster => "faster",
            Change::OtherData => "other data",
        }
    }
}

/// A commit at which a series changed.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangePoint {
    /// Position of the commit in the history.
    pub commit: usize,
    /// Dataset, model, preset and case.
    pub key: RowKey,
    /// The series.
    pub series: Series,
    /// Mean at the beginning of the former level.
    pub before: f64,
    /// Mean at the commit.
    pub now: f64,
    /// What changed.
    pub change: Change,
}

type Cells<'h> = IndexMap<(usize, u64), &'h HistoryRow>;

/// Finds the change points of all series, in the order of commits.
pub fn change_points(history: &History) -> Vec<ChangePoint> {
    let mut rows: IndexMap<&str, IndexMap<&RowKey, Cells<'_>>> = IndexMap::default();
    for row in &history.rows {
        rows.entry(&row.commit).or_default().entry(&row.key).or_default().insert((row.fold, row.seed), row);
    }
    let mut levels: IndexMap<(&RowKey, Series), &Cells<'_>> = IndexMap::default();
    let mut latest: IndexMap<&RowKey, &Cells<'_>> = IndexMap::default();
    let mut points = Vec::new();
    for (commit, keys) in rows.values().enumerate() {
        let (mut scores, mut times) = (Vec::new(), Vec::new());
        for (&key, cells) in keys {
            // The level may be of an earlier version, whose rows tell less about their examples.
            let is_other = latest.insert(key, cells).is_some_and(|before| has_other_data(before, cells));
            for series in Series::ALL {
                let Some(level) = levels.get(&(key, series)).copied() else {
                    levels.insert((key, series), cells);
                    continue;
                };
                let pairs = paired(level, cells, series);
                let (before, now) = means(&pairs);
                let point = ChangePoint { commit, key: key.clone(), series, before, now, change: Change::OtherData };
                if is_other || has_other_data(level, cells) {
                    levels.insert((key, series), cells);
                    // Times are compared within equal data only, and need no mark of their own.
                    points.extend(Some(point).filter(|_| !pairs.is_empty() && series != Series::Seconds));
                } else if pairs.is_empty() || series == Series::Seconds && platform(level) != platform(cells) {
                    levels.insert((key, series), cells);
                } else if series == Series::Seconds {
                    times.push((point, pairs));
                } else {
                    scores.push((point, pairs));
                }
            }
        }
        let found = judged_scores(scores).into_iter().chain(judged_times(times));
        for point in found {
            if let Some((&key, cells)) = keys.get_key_value(&point.key) {
                levels.insert((key, point.series), cells);
            }
            points.push(point);
        }
    }
    points
}

/// Pairs of values before and now, by split.
type Pairs = Vec<(SplitKey, f64, f64)>;

fn paired(level: &Cells<'_>, cells: &Cells<'_>, series: Series) -> Pairs {
    let mut splits: IndexMap<SplitKey, (Vec<f64>, Vec<f64>)> = IndexMap::default();
    for (at, now) in cells {
        let before = level.get(at).and_then(|before| series.value(before));
        if let (Some(before), Some(value)) = (before, series.value(now)) {
            let values = splits.entry(now.split()).or_default();
            values.0.push(before);
            values.1.push(value);
        }
    }
    // Seeds that share a split are averaged, as in the gate.
    splits.into_iter().map(|(split, (before, now))| (split, mean(&before), mean(&now))).collect()
}

fn has_other_data(before: &Cells<'_>, now: &Cells<'_>) -> bool {
    now.iter().any(|(at, row)| before.get(at).is_some_and(|before| !row.has_data_of(before)))
}

fn means(pairs: &Pairs) -> (f64, f64) {
    let (before, now): (Vec<f64>, Vec<f64>) = pairs.iter().map(|&(_, before, now)| (before, now)).unzip();
    (mean(&before), mean(&now))
}

fn platform<'h>(cells: &Cells<'h>) -> Option<&'h str> {
    cells.values().next().map(|row| row.platform.as_str())
}

fn judged_scores(candidates: Vec<(ChangePoint, Pairs)>) -> Vec<ChangePoint> {
    let row = |(point, pairs): &(ChangePoint, Pairs)| {
        let cell =
            |&(split, before, now): &(SplitKey, f64, f64)| PairedCell { split, before, now, same_predictions: true };
        Some(PairedRow {
            dataset: point.key.dataset.clone(),
            model: point.key.label(),
            metric: point.series.metric()?,
            cells: pairs.iter().map(cell).collect(),
            tolerance: TOLERANCE,
        })
    };
    // A change point belongs to a series, so that pooled rows are not shown.
    let judged = judge(&candidates.iter().filter_map(row).collect::<Vec<_>>()).rows;
    let found = candidates.into_iter().zip(judged).filter_map(|((point, _), judged)| match judged?.finding {
        Finding::Regressed => Some(ChangePoint { change: Change::Regressed, ..point }),
        Finding::Improved => Some(ChangePoint { change: Change::Improved, ..point }),
        _ => None,
    });
    found.collect()
}

fn judged_times(candidates: Vec<(ChangePoint, Pairs)>) -> Vec<ChangePoint> {
    let rule = DecisionRule { alpha: LEVEL, margin: SLOWDOWN.ln(), is_corrected: false, is_adjusted: true };
    let tested: Vec<(ChangePoint, DifferenceEstimate)> = candidates
        .into_iter()
        .filter_map(|(point, pairs)| {
            let (now, before): (Vec<f64>, Vec<f64>) =
                pairs.iter().map(|&(_, before, now)| (now.ln(), before.ln())).unzip();
            let estimate = DifferenceEstimate::paired(&Differences::new(&now, &before).ok()?, 0.0).ok()?;
            Some((point, estimate))
        })
        .collect();
    let raw: Vec<_> = tested.iter().map(|(_, estimate)| estimate.p_values(rule.margin)).collect();
    let adjusted = decision::adjust(&rule, &raw).unwrap_or_default();
    let found = tested.into_iter().zip(adjusted).filter(|(_, p)| p.beyond < rule.alpha);
    let named = found.map(|((point, estimate), _)| {
        let change = if estimate.mean > 0.0 { Change::Slower } else { Change::Faster };
        ChangePoint { change, ..point }
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A history of one model with five folds; each commit has a score, seconds and data.
    fn history(commits: &[(f64, f64, &str)]) -> History {
        let row = |commit: usize, fold: usize| {
            let (score, seconds, data) = commits[commit];
            let text = |text: &str| text.to_owned();
            HistoryRow {
                commit: format!("c{commit}"),
                date: text(""),
                platform: text("x release"),
                data: text(data),
                key: RowKey { dataset: text("d"), model: text("m"), preset: text(""), case: text("") },
                fold,
                seed: 1,
                values: [Some(score + 0.01 * fold as f64), None, None],
                seconds: Some(seconds * (1.0 + 0.02 * ((fold * (commit + 1)) % 3) as f64)),
            }
        };
        let rows = (0..commits.len()).flat_map(|commit| (1..=5).map(move |fold| (commit, fold)));
        History { rows: rows.map(|(commit, fold)| row(commit, fold)).collect(), ..History::default() }
    }

    fn found(commits: &[(f64, f64, &str)]) -> Vec<(usize, Series, Change)> {
        change_points(&history(commits)).iter().map(|point| (point.commit, point.series, point.change)).collect()
    }

    #[test]
    fn changes_of_level_are_found_once() {
        let score = Series::Metric(0);
        assert_eq!(found(&[(0.8, 1.0, "a"); 4]), []);
        let levels = [(0.8, 1.0, "a"), (0.8, 1.0, "a"), (0.7, 1.0, "a"), (0.7, 1.0, "a"), (0.75, 1.0, "a")];
        assert_eq!(found(&levels), [(2, score, Change::Regressed), (4, score, Change::Improved)]);
        // Drift within the tolerance adds up.
        let drift = [(0.8, 1.0, "a"), (0.8009, 1.0, "a"), (0.8030, 1.0, "a"), (0.8060, 1.0, "a")];
        assert_eq!(found(&drift), [(3, score, Change::Improved)]);
    }

    #[test]
    fn times_must_differ_by_a_factor() {
        let times = [(0.8, 1.0, "a"), (0.8, 1.2, "a"), (0.8, 2.0, "a"), (0.8, 2.1, "a"), (0.8, 1.0, "a")];
        assert_eq!(found(&times), [(2, Series::Seconds, Change::Slower), (4, Series::Seconds, Change::Faster)]);
    }

    #[test]
    fn other_data_begin_another_level() {
        let other = [(0.8, 1.0, "a"), (0.6, 5.0, "b"), (0.6, 5.0, "b")];
        assert_eq!(found(&other), [(1, Series::Metric(0), Change::OtherData)]);
        // Rows of earlier versions tell less; other negatives are recognized from the first row
        // that names them.
        let negatives = [(0.8, 1.0, "a-v2"), (0.8, 1.0, "a-v2-f5-n1-b-c"), (0.6, 1.0, "a-v2-f5-n2-b-d")];
        assert_eq!(found(&negatives), [(2, Series::Metric(0), Change::OtherData)]);
    }

    #[test]
    fn seeds_of_given_folds_are_averaged() {
        for (data, changes) in [("a-v2-f1", 0), ("a-v2", 0), ("a-v2-r1", 1)] {
            let mut seeds = history(&[(0.8, 1.0, data), (0.796, 1.0, data)]);
            for row in &mut seeds.rows {
                (row.fold, row.seed) = (1, row.fold as u64);
            }
            assert_eq!(change_points(&seeds).len(), changes, "{data}");
        }
    }
}
