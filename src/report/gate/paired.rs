//! The rule of the gate: paired differences of cells.
//!
//! Data, folds and negatives are those of the baseline, so that a difference has two causes only:
//! the change under test, and the random choices of the learner. A row regressed if its mean
//! paired loss exceeds the tolerance, or if a one-sided paired t-test rejects a loss of at most
//! [`NEGLIGIBLE`]. Identical rows are not tested: they cannot be rejected.
//!
//! A loss that every dataset shares may be too small for each row. Rows of a metric that moved are
//! therefore pooled: those of one model over datasets, and those of all models. A pooled row has
//! one difference per dataset and split, the mean over models, since models share folds and
//! negatives; splits of different datasets are independent. It is judged like a row. Its
//! tolerance is that of its rows divided by the root of the number of datasets, as the standard
//! deviation of a mean is; it is not divided for models, which may move together.
//!
//! Rows that moved and pooled rows are one family of Holm's correction, which keeps the
//! family-wise level under any dependence between models, metrics, rows and pooled rows. The test
//! is the ordinary one of [`crate::metric::significance::decision`]: the correction for shared
//! training examples concerns conclusions about other examples, which the gate does not draw.

use super::finding::Finding;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::frame::SplitKey;
use crate::metric::significance::Differences;
use crate::metric::significance::decision::{self, DecisionRule, DifferenceEstimate};
use crate::metric::summary::mean;
use crate::metric::{Average, Column};

/// Family-wise level of the test.
pub const LEVEL: f64 = 0.01;

/// Mean loss that the test never reports: consistent changes in the last digits, as another
/// mathematical library causes them, would be significant otherwise.
pub const NEGLIGIBLE: f64 = 0.001;

const RULE: DecisionRule = DecisionRule { alpha: LEVEL, margin: NEGLIGIBLE, is_corrected: false, is_adjusted: true };

/// One fold and seed of a row, before and now.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedCell {
    /// The split; seeds that share it are averaged.
    pub split: SplitKey,
    /// Value of the baseline.
    pub before: f64,
    /// Value of the run.
    pub now: f64,
    /// Whether the predictions have equal checksums.
    pub same_predictions: bool,
}

impl PairedCell {
    /// Returns whether value or predictions changed.
    fn has_moved(&self) -> bool {
        self.before != self.now || !self.same_predictions
    }
}

/// The cells of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedRow {
    /// The dataset.
    pub dataset: String,
    /// Label of the model with preset and case.
    pub model: String,
    /// The metric.
    pub metric: Column,
    /// Cells in the order of the baseline; at least one.
    pub cells: Vec<PairedCell>,
    /// Largest accepted mean loss.
    pub tolerance: f64,
}

/// A row as judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Mean of the baseline.
    pub before: Average,
    /// Mean of the run over the same cells.
    pub now: Average,
    /// The finding.
    pub finding: Finding,
    /// Adjusted p-value of the test of a loss; `None` if no test is possible or needed.
    pub p: Option<f64>,
    /// Folds in which a cell changed.
    pub folds: Vec<usize>,
}

/// Values by split, before and now.
#[derive(Clone, Debug, Default, PartialEq)]
struct PairedValues {
    before: Vec<f64>,
    now: Vec<f64>,
}

impl PairedValues {
    fn push(&mut self, before: f64, now: f64) {
        self.before.push(before);
        self.now.push(now);
    }

    fn means(&self) -> (f64, f64) {
        (mean(&self.before), mean(&self.now))
    }

    /// Returns the estimated mean gain, if a test is possible.
    fn estimate(&self, metric: Column) -> Option<DifferenceEstimate> {
        let gains = Differences::new(&self.now, &self.before).ok()?;
        let gains = if metric.higher_is_better() { gains } else { gains.reversed() };
        DifferenceEstimate::paired(&gains, 0.0).ok()
    }

    /// Judges values that moved, if there are any; `p` is that of a loss, adjusted.
    fn judge(&self, metric: Column, tolerance: f64, p: Option<f64>) -> Option<(Average, Average, Finding)> {
        let (before, now) = (Average::of(&self.before)?, Average::of(&self.now)?);
        let change = now.mean - before.mean;
        let gain = if metric.higher_is_better() { change } else { -change };
        let finding = if gain < -tolerance || p.is_some_and(|p| p < RULE.alpha) {
            Finding::Regressed
        } else if gain > tolerance {
            Finding::Improved
        } else {
            Finding::Moved
        };
        Some((before, now, finding))
    }
}

impl PairedRow {
    /// Returns the values by split, with seeds of a split averaged.
    fn by_split(&self) -> IndexMap<SplitKey, (f64, f64)> {
        let mut splits: IndexMap<SplitKey, PairedValues> = IndexMap::default();
        for cell in &self.cells {
            splits.entry(cell.split).or_default().push(cell.before, cell.now);
        }
        splits.into_iter().map(|(split, values)| (split, values.means())).collect()
    }

    /// Returns the folds in which a cell changed.
    fn moved_folds(&self) -> Vec<usize> {
        let mut folds: Vec<usize> =
            self.cells.iter().filter(|cell| cell.has_moved()).map(|cell| cell.split.fold).collect();
        folds.sort_unstable();
        folds.dedup();
        folds
    }

    fn values(&self) -> PairedValues {
        let mut values = PairedValues::default();
        self.by_split().into_values().for_each(|(before, now)| values.push(before, now));
        values
    }
}

/// Rows of a metric that are judged together.
struct Pool<'r> {
    rows: Vec<&'r PairedRow>,
    metric: Column,
}

impl<'r> Pool<'r> {
    /// Returns the pools of rows that moved: of each model with several datasets, and of each
    /// metric with several models.
    fn all(moved: &[&'r PairedRow]) -> Vec<Pool<'r>> {
        let mut by_model: IndexMap<(Column, Option<&str>), Vec<&PairedRow>> = IndexMap::default();
        for row in moved {
            by_model.entry((row.metric, Some(&row.model))).or_default().push(row);
        }
        for row in moved {
            by_model.entry((row.metric, None)).or_default().push(row);
        }
        let pools = by_model.into_iter().map(|((metric, model), rows)| (model, Pool { rows, metric }));
        let is_joint = |(model, pool): &(Option<&str>, Pool<'_>)| match model {
            Some(_) => pool.datasets().len() > 1,
            None => pool.models().len() > 1,
        };
        pools.filter(is_joint).map(|(_, pool)| pool).collect()
    }

    fn datasets(&self) -> IndexSet<&'r str> {
        self.rows.iter().map(|row| row.dataset.as_str()).collect()
    }

    fn models(&self) -> IndexSet<&'r str> {
        self.rows.iter().map(|row| row.model.as_str()).collect()
    }

    /// Returns one pair of values per dataset and split, the mean over models, and the tolerance.
    fn values(&self) -> (PairedValues, f64) {
        let mut splits: IndexMap<(&str, SplitKey), PairedValues> = IndexMap::default();
        for row in &self.rows {
            for (split, (before, now)) in row.by_split() {
                splits.entry((&row.dataset, split)).or_default().push(before, now);
            }
        }
        let mut values = PairedValues::default();
        splits.values().map(PairedValues::means).for_each(|(before, now)| values.push(before, now));
        // The standard deviation of a mean over datasets, each with the share of its splits.
        let part = |dataset: &&str| {
            let of: Vec<f64> =
                self.rows.iter().filter(|row| row.dataset == *dataset).map(|row| row.tolerance).collect();
            let share = splits.keys().filter(|(name, _)| name == dataset).count() as f64 / splits.len() as f64;
            (share * mean(&of)).powi(2)
        };
        (values, self.datasets().iter().map(part).sum::<f64>().sqrt())
    }
}

/// A pooled row as judged.
#[derive(Clone, Debug, PartialEq)]
pub struct PooledJudgement {
    /// Datasets whose rows are pooled.
    pub datasets: Vec<String>,
    /// Models whose rows are pooled.
    pub models: Vec<String>,
    /// The metric.
    pub metric: Column,
    /// Largest accepted mean loss.
    pub tolerance: f64,
    /// Mean of the baseline over datasets, splits and models.
    pub before: Average,
    /// Mean of the run.
    pub now: Average,
    /// The finding: moved, regressed or improved.
    pub finding: Finding,
    /// Adjusted p-value of the test of a loss; `None` if no test is possible.
    pub p: Option<f64>,
}

/// Rows and pooled rows as judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgements {
    /// Rows in the order given; `None` for a row without cells.
    pub rows: Vec<Option<Judgement>>,
    /// Pooled rows.
    pub pooled: Vec<PooledJudgement>,
}

/// Judges the rows of a run and their pools as one family of tests.
pub fn judge(rows: &[PairedRow]) -> Judgements {
    let moved: Vec<&PairedRow> = rows.iter().filter(|row| !row.moved_folds().is_empty()).collect();
    let pools: Vec<(Pool<'_>, PairedValues, f64)> = Pool::all(&moved)
        .into_iter()
        .map(|pool| {
            let (values, tolerance) = pool.values();
            (pool, values, tolerance)
        })
        .collect();
    let of_rows = moved.iter().map(|row| row.values().estimate(row.metric));
    let of_pools = pools.iter().map(|(pool, values, _)| values.estimate(pool.metric));
    let mut adjusted = adjusted(of_rows.chain(of_pools).collect()).into_iter();
    let judged_row = |row: &PairedRow| {
        let folds = row.moved_folds();
        // Rows that moved come first, in their order.
        let p = if folds.is_empty() { None } else { adjusted.next().flatten() };
        let (before, now, finding) = row.values().judge(row.metric, row.tolerance, p)?;
        let finding = if folds.is_empty() { Finding::Identical } else { finding };
        Some(Judgement { before, now, finding, p, folds })
    };
    let rows = rows.iter().map(judged_row).collect();
    let judged_pool = |(pool, values, tolerance): (Pool<'_>, PairedValues, f64)| {
        let p = adjusted.next().flatten();
        let (before, now, finding) = values.judge(pool.metric, tolerance, p)?;
        let [datasets, models] =
            [pool.datasets(), pool.models()].map(|names| names.into_iter().map(str::to_owned).collect());
        Some(PooledJudgement { datasets, models, metric: pool.metric, tolerance, before, now, finding, p })
    };
    Judgements { rows, pooled: pools.into_iter().filter_map(judged_pool).collect() }
}

/// Returns the p-values of losses, adjusted; those of missing estimates are missing.
fn adjusted(estimates: Vec<Option<DifferenceEstimate>>) -> Vec<Option<f64>> {
    let raw: Vec<_> = estimates.iter().flatten().map(|estimate| estimate.p_values(RULE.margin)).collect();
    // Values are finite, so that p-values are probabilities.
    let mut adjusted = decision::adjust(&RULE, &raw).unwrap_or_default().into_iter();
    estimates.into_iter().map(|estimate| estimate.and_then(|_| adjusted.next()).map(|p| p.worse)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(gains: &[f64], tolerance: f64) -> PairedRow {
        let cell = |(i, gain): (usize, &f64)| PairedCell {
            split: SplitKey { fold: i + 1, seed: None },
            before: 0.5,
            now: 0.5 + gain,
            same_predictions: *gain == 0.0,
        };
        let cells = gains.iter().enumerate().map(cell).collect();
        PairedRow { dataset: "d".into(), model: "m".into(), metric: Column::AucRoc, cells, tolerance }
    }

    fn finding(row: &PairedRow) -> Finding {
        judge(std::slice::from_ref(row)).rows.remove(0).unwrap().finding
    }

    #[test]
    fn each_finding_has_its_condition() {
        assert_eq!(finding(&row(&[0.0; 5], 0.0)), Finding::Identical);
        assert_eq!(finding(&row(&[0.01, 0.0, -0.02, 0.0, 0.0], 0.005)), Finding::Moved);
        assert_eq!(finding(&row(&[-0.03, 0.0, 0.0, 0.0, 0.0], 0.005)), Finding::Regressed);
        assert_eq!(finding(&row(&[0.03, 0.0, 0.0, 0.0, 0.0], 0.005)), Finding::Improved);
        // Equal values of other predictions.
        let mut same = row(&[0.0; 5], 0.0);
        same.cells[2].same_predictions = false;
        assert_eq!(finding(&same), Finding::Moved);
        assert_eq!(judge(&[same]).rows[0].as_ref().unwrap().folds, [3]);
        let loss = PairedRow { metric: Column::Brier, ..row(&[0.03, 0.0, 0.0, 0.0, 0.0], 0.005) };
        assert_eq!(finding(&loss), Finding::Regressed);
    }

    #[test]
    fn the_test_finds_consistent_losses_within_the_tolerance() {
        let consistent = row(&[-0.0040, -0.0041, -0.0039, -0.0042, -0.0038], 0.005);
        assert_eq!(finding(&consistent), Finding::Regressed);
        let p = judge(std::slice::from_ref(&consistent)).rows[0].as_ref().unwrap().p.unwrap();
        // Holm's correction counts rows that moved, and no identical ones.
        let with_identical = judge(&[consistent.clone(), row(&[0.0; 5], 0.005)]);
        assert_eq!(with_identical.rows[0].as_ref().unwrap().p, Some(p));
        let with_moved =
            judge(&[consistent, PairedRow { metric: Column::Cll, ..row(&[0.001, -0.001, 0.0, 0.0, 0.0], 0.005) }]);
        assert_eq!(with_moved.rows[0].as_ref().unwrap().p, Some(2.0 * p));
        // Consistent, but negligible.
        assert_eq!(finding(&row(&[-1.0e-9, -1.1e-9, -0.9e-9, -1.0e-9, -1.0e-9], 0.005)), Finding::Moved);
        assert_eq!(finding(&row(&[-0.0009; 5], 0.005)), Finding::Moved);
        // A single fold allows no test.
        assert_eq!(judge(&[row(&[-0.004], 0.005)]).rows[0].as_ref().unwrap().p, None);
    }

    #[test]
    fn seeds_of_a_split_are_averaged() {
        let mut seeds = row(&[-0.02, 0.02], 0.005);
        seeds.cells[1].split.fold = 1;
        let judged = judge(&[seeds]).rows.remove(0).unwrap();
        assert_eq!((judged.now.n, judged.finding), (1, Finding::Moved));
        assert_eq!(judge(&[row(&[], 0.1)]).rows, [None]);
    }
    fn named(dataset: &str, model: &str, gains: &[f64]) -> PairedRow {
        PairedRow { dataset: dataset.into(), model: model.into(), ..row(gains, 0.005) }
    }

    /// Losses of 0.0035 ± 0.004, which no row shows; a third dataset did not move.
    #[test]
    fn a_loss_that_datasets_share_is_found_by_pooling() {
        let (first, second) = ([-0.009, 0.0005, -0.004, -0.001, -0.004], [-0.002, -0.0085, -0.0045, 0.0, -0.0025]);
        let rows = [named("a", "m", &first), named("b", "m", &second), named("c", "m", &[0.0; 5])];
        let judged = judge(&rows);
        let findings: Vec<&Finding> = judged.rows.iter().map(|row| &row.as_ref().unwrap().finding).collect();
        assert_eq!(findings, [&Finding::Moved, &Finding::Moved, &Finding::Identical]);
        let [pooled] = judged.pooled.as_slice() else { panic!("{:?}", judged.pooled) };
        assert_eq!(
            (&pooled.datasets[..], &pooled.models[..]),
            (&["a".to_owned(), "b".into()][..], &["m".to_owned()][..])
        );
        // 0.005 / √2.
        assert!((pooled.tolerance - 0.003_535_533_905_932_738).abs() < 1e-12, "{}", pooled.tolerance);
        assert!((pooled.now.mean - pooled.before.mean + 0.0035).abs() < 1e-12 && pooled.now.n == 10);
        // SciPy: ttest_1samp(differences, -0.001, alternative="less"); the smallest of three.
        let p = pooled.p.unwrap();
        assert!((p - 3.0 * SCIPY_POOLED).abs() < 1e-12, "{p}");
        assert_eq!(pooled.finding, Finding::Moved);
        // A little more exceeds the pooled tolerance, and no row's.
        let more =
            [named("a", "m", &first.map(|gain| gain - 0.0005)), named("b", "m", &second.map(|gain| gain - 0.0005))];
        let judged = judge(&more);
        assert!(judged.rows.iter().all(|row| row.as_ref().unwrap().finding == Finding::Moved));
        assert_eq!(judged.pooled[0].finding, Finding::Regressed);
        let gains =
            [named("a", "m", &first.map(|gain| 0.001 - gain)), named("b", "m", &second.map(|gain| 0.001 - gain))];
        assert_eq!(judge(&gains).pooled[0].finding, Finding::Improved);
    }

    /// p-value of ten differences of two datasets.
    const SCIPY_POOLED: f64 = 0.018_689_975_302_892;

    #[test]
    fn the_pooled_test_finds_consistent_losses_below_every_tolerance() {
        let near = |middle: f64| [0.0012, -0.0012, 0.0004, -0.0004, 0.0].map(|gain| gain - middle);
        let rows = ["a", "b", "c", "d"].map(|name| named(name, "m", &near(0.0022)));
        let judged = judge(&rows);
        assert!(judged.rows.iter().all(|row| row.as_ref().unwrap().finding == Finding::Moved));
        let pooled = &judged.pooled[0];
        assert!(pooled.tolerance > 0.0022 && pooled.p.unwrap() < LEVEL, "{pooled:?}");
        assert_eq!(pooled.finding, Finding::Regressed);
    }

    #[test]
    fn models_share_folds_and_are_averaged() {
        let (first, second) = ([-0.002, -0.001, 0.0, -0.001, 0.001], [0.001, -0.004, 0.002, 0.0, -0.001]);
        let judged = judge(&[named("a", "m", &first), named("a", "n", &second)]);
        let [pooled] = judged.pooled.as_slice() else { panic!("{:?}", judged.pooled) };
        assert_eq!((pooled.now.n, pooled.tolerance, pooled.models.len()), (5, 0.005, 2));
        // Several models over several datasets: one pool of each model, and one of all.
        let rows = ["a", "b"].map(|dataset| ["m", "n"].map(|model| named(dataset, model, &first))).concat();
        let sizes: Vec<(usize, usize)> =
            judge(&rows).pooled.iter().map(|pool| (pool.datasets.len(), pool.models.len())).collect();
        assert_eq!(sizes, [(2, 1), (2, 1), (2, 2)]);
        // Other metrics are not pooled, nor is a single row.
        let other = PairedRow { metric: Column::Cll, ..named("b", "m", &first) };
        assert_eq!(judge(&[named("a", "m", &first), other]).pooled, []);
        assert_eq!(judge(&[named("a", "m", &first), named("b", "m", &[0.0; 5])]).pooled, []);
    }

    #[test]
    fn losses_of_metrics_that_fall_are_pooled_with_their_sign() {
        let rows = ["a", "b", "c"]
            .map(|name| PairedRow { metric: Column::Brier, ..named(name, "m", &[0.0045, 0.0, 0.009, 0.0, 0.0045]) });
        assert_eq!(judge(&rows).pooled[0].finding, Finding::Regressed);
    }

    /// Rows at the boundary of the null hypothesis, with models and metrics that move together:
    /// the family-wise rate of rejections is at most the level.
    #[test]
    fn the_family_wise_level_holds() {
        let mut stream = crate::determinism::Stream::new(29, &["gate"]);
        let mut normal = || (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0;
        let (mut rejected, trials) = (0, 2_000);
        for _ in 0..trials {
            let mut rows = Vec::new();
            for dataset in ["a", "b", "c", "d"] {
                let shared: Vec<f64> = (0..5).map(|_| normal()).collect();
                for model in ["m", "n", "o"] {
                    let own: Vec<f64> = (0..5).map(|_| normal()).collect();
                    for metric in [Column::AucRoc, Column::AucPr] {
                        let gain = |fold: usize| 0.001 * (shared[fold] + own[fold] + 0.2 * normal()) - NEGLIGIBLE;
                        let gains: Vec<f64> = (0..5).map(gain).collect();
                        rows.push(PairedRow { metric, tolerance: 1.0, ..named(dataset, model, &gains) });
                    }
                }
            }
            let judged = judge(&rows);
            assert_eq!(judged.pooled.len(), 2 * 4);
            let is_row = judged.rows.iter().flatten().any(|row| row.finding == Finding::Regressed);
            rejected += usize::from(is_row || judged.pooled.iter().any(|pool| pool.finding == Finding::Regressed));
        }
        // The expected number is at most 20, with a standard deviation below 4.5.
        assert!(rejected <= 34, "{rejected} of {trials}");
        assert!(rejected >= 1, "the boundary is not tested");
    }
}
