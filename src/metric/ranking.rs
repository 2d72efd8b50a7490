//! Ranking metrics: areas under the ROC and precision-recall curves.
//!
//! They depend only on the order of the scores and their ties. A [`Ranking`] sorts once in O(n
//! log n) and keeps one point of the ROC curve for each distinct score; each area then takes
//! O(n).

use super::error::{MetricError, Undefined};

/// Confusion counts when every example with at least this score is predicted positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The lowest score that is predicted positive.
    pub threshold: f64,
    /// Positives with this score or a higher one.
    pub true_positives: u64,
    /// Negatives with this score or a higher one.
    pub false_positives: u64,
}

/// The examples of a test set sorted by score, best first, with ties grouped.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// One point per distinct score, in descending order.
    points: Vec<Point>,
    positives: u64,
    negatives: u64,
}

impl Ranking {
    /// Ranks examples by `scores`; `labels` marks the positives. Infinite scores are allowed.
    ///
    /// # Errors
    /// If the lengths differ, or a score is NaN.
    pub fn new(scores: &[f64], labels: &[bool]) -> Result<Self, MetricError> {
        same_length(scores, labels)?;
        if let Some(index) = scores.iter().position(|score| score.is_nan()) {
            return Err(MetricError::NotANumber { index });
        }
        let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(labels.iter().copied()).collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut points: Vec<Point> = Vec::new();
        let (mut positives, mut negatives) = (0, 0);
        // `total_cmp` sorts 0.0 right before -0.0, and `==` groups them into one score.
        for ties in order.chunk_by(|a, b| a.0 == b.0) {
            let positive = ties.iter().filter(|(_, label)| *label).count();
            positives += positive as u64;
            negatives += (ties.len() - positive) as u64;
            points.push(Point { threshold: ties[0].0, true_positives: positives, false_positives: negatives });
        }
        Ok(Ranking { points, positives, negatives })
    }

    /// Returns the points of the ROC curve without its origin, in descending order of score.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the number of positives.
    pub fn positives(&self) -> u64 {
        self.positives
    }

    /// Returns the number of negatives.
    pub fn negatives(&self) -> u64 {
        self.negatives
    }

    /// Returns the counts of positives and negatives if neither is zero.
    fn both_classes(&self) -> Result<(u64, u64), Undefined> {
        match (self.positives, self.negatives) {
            (0, 0) => Err(Undefined::NoExamples),
            (0, _) => Err(Undefined::NoPositives),
            (_, 0) => Err(Undefined::NoNegatives),
            both => Ok(both),
        }
    }

    /// Returns twice the number of (positive, negative) pairs in the right order, with ties
    /// counted as one half. Doubling keeps the count an integer.
    fn doubled_wins(&self) -> u128 {
        let (mut doubled, mut before) = (0, ORIGIN);
        for &point in &self.points {
            let positives = point.true_positives - before.true_positives;
            let below = (self.negatives - before.false_positives) + (self.negatives - point.false_positives);
            doubled += u128::from(positives) * u128::from(below);
            before = point;
        }
        doubled
    }

    /// Returns what auc.jar adds to [`Ranking::doubled_wins`]: its ROC curve starts with a
    /// straight line from the origin to the first point with a true positive, skipping the points
    /// before it.
    fn doubled_shortcut(&self) -> u128 {
        let first = self.points.partition_point(|point| point.true_positives == 0);
        let skipped = if first == 0 { 0 } else { self.points[first - 1].false_positives };
        let positives = self.points.get(first).map_or(0, |point| point.true_positives);
        u128::from(positives) * u128::from(skipped)
    }
}

/// The origin of every ROC curve: nothing is predicted positive.
const ORIGIN: Point = Point { threshold: f64::INFINITY, true_positives: 0, false_positives: 0 };

/// Checks that scores and labels have the same length.
pub(super) fn same_length(scores: &[f64], labels: &[bool]) -> Result<(), MetricError> {
    if scores.len() == labels.len() {
        return Ok(());
    }
    Err(MetricError::LengthMismatch { scores: scores.len(), labels: labels.len() })
}

/// Area under the ROC curve with linear interpolation: the probability that a positive scores
/// higher than a negative, with ties counted as one half (the Mann-Whitney statistic; Fawcett
/// 2006, *An introduction to ROC analysis*).
///
/// ```
/// use lrbm::internal::metric::ranking::{Ranking, auc_roc};
///
/// let ranking = Ranking::new(&[0.9, 0.5, 0.5, 0.1], &[true, true, false, false])?;
/// assert_eq!(auc_roc(&ranking), Ok(0.875)); // 3 of 4 pairs are in order, and one is tied
/// # Ok::<(), lrbm::internal::metric::MetricError>(())
/// ```
///
/// # Errors
/// If a class is absent.
pub fn auc_roc(ranking: &Ranking) -> Result<f64, Undefined> {
    let (positives, negatives) = ranking.both_classes()?;
    Ok(share_of_pairs(ranking.doubled_wins(), positives, negatives))
}

/// Area under the ROC curve as auc.jar (Davis and Goadrich) computes it, for comparison with the
/// figures published for BoostSRL and related systems.
///
/// auc.jar skips the points without a true positive and draws a straight line from the origin
/// instead. If `f` negatives precede the first score of a positive, and `t` positives have that
/// score, the result is too large by ½·(t/P)·(f/N). BoostSRL does not call auc.jar for a single
/// class: it prints 0.5 without positives and 1 without negatives.
pub fn auc_roc_jar(ranking: &Ranking) -> f64 {
    match (ranking.positives, ranking.negatives) {
        (0, _) => 0.5,
        (_, 0) => 1.0,
        (positives, negatives) => {
            share_of_pairs(ranking.doubled_wins() + ranking.doubled_shortcut(), positives, negatives)
        }
    }
}

fn share_of_pairs(doubled: u128, positives: u64, negatives: u64) -> f64 {
    doubled as f64 / (2 * u128::from(positives) * u128::from(negatives)) as f64
}

/// Area under the precision-recall curve with the interpolation of Davis and Goadrich (2006, *The
/// relationship between precision-recall and ROC curves*).
///
/// Between two neighboring points of the ROC curve the true positives grow by one, and the false
/// positives grow in proportion. Precision is linear between these points, and constant up to the
/// first true positive. Points without a true positive count: the first step starts from the
/// false positives before it. This is the only difference from [`auc_pr_jar`]. It shows only if
/// several positives share the highest score of any positive, and negatives score higher still.
///
/// The area depends on the class balance, so it cannot be compared between test sets of different
/// skew.
///
/// # Errors
/// If a class is absent.
pub fn auc_pr(ranking: &Ranking) -> Result<f64, Undefined> {
    let (positives, _) = ranking.both_classes()?;
    Ok(davis_goadrich(&ranking.points, positives))
}

/// Area under the precision-recall curve as auc.jar (Davis and Goadrich) computes it, for
/// comparison with the figures published for BoostSRL and related systems.
///
/// Like [`auc_pr`], but points without a true positive are skipped, so that the first step starts
/// from zero false positives. BoostSRL prints 0 without positives and 1 without negatives.
pub fn auc_pr_jar(ranking: &Ranking) -> f64 {
    match (ranking.positives, ranking.negatives) {
        (0, _) => 0.0,
        (_, 0) => 1.0,
        (positives, _) => {
            let first = ranking.points.partition_point(|point| point.true_positives == 0);
            davis_goadrich(&ranking.points[first..], positives)
        }
    }
}

/// Integrates the interpolated curve from the origin of the ROC curve through `points`.
fn davis_goadrich(points: &[Point], positives: u64) -> f64 {
    let (mut area, mut before) = (0.0, None);
    for (true_positives, precision) in interpolated(points) {
        let (last_true_positives, last_precision) = before.unwrap_or((0, precision));
        // A vertical drop adds no area, but the next step starts lower.
        if true_positives > last_true_positives {
            area += (last_precision + precision) / 2.0;
        }
        before = Some((true_positives, precision));
    }
    area / positives as f64
}

/// Iterates over the vertices of the interpolated curve: each number of true positives from 1 up
/// with its precision, and the lower end of each vertical drop.
fn interpolated(points: &[Point]) -> impl Iterator<Item = (u64, f64)> + '_ {
    let before = std::iter::once(&ORIGIN).chain(points);
    before.zip(points).flat_map(|(before, point)| {
        let steps = point.true_positives - before.true_positives;
        let added = (point.false_positives - before.false_positives) as f64;
        let step = move |step: u64| {
            let true_positives = before.true_positives + step;
            // Multiply before dividing, so that the last step lands on the point exactly.
            let false_positives = before.false_positives as f64 + added * step as f64 / steps as f64;
            (true_positives, true_positives as f64 / (true_positives as f64 + false_positives))
        };
        let fall = (steps == 0 && point.true_positives > 0).then(|| (point.true_positives, precision(*point)));
        (1..=steps).map(step).chain(fall)
    })
}

/// Returns the ROC curve as (false positive rate, true positive rate) pairs from (0, 0) to (1,
/// 1), to be joined by straight lines.
///
/// # Errors
/// If a class is absent.
pub fn roc_curve(ranking: &Ranking) -> Result<Vec<(f64, f64)>, Undefined> {
    let (positives, negatives) = ranking.both_classes()?;
    let share = |point: &Point| {
        (point.false_positives as f64 / negatives as f64, point.true_positives as f64 / positives as f64)
    };
    Ok(std::iter::once(&ORIGIN).chain(&ranking.points).map(share).collect())
}

/// Returns the curve below which [`auc_pr`] is the area: (recall, precision) pairs joined by
/// straight lines, from the first true positive on. Before it, precision is constant.
///
/// # Errors
/// If a class is absent.
pub fn pr_curve(ranking: &Ranking) -> Result<Vec<(f64, f64)>, Undefined> {
    let (positives, _) = ranking.both_classes()?;
    Ok(interpolated(&ranking.points)
        .map(|(true_positives, precision)| (true_positives as f64 / positives as f64, precision))
        .collect())
}

fn precision(point: Point) -> f64 {
    point.true_positives as f64 / (point.true_positives + point.false_positives) as f64
}

/// Average precision: Σ (Rₙ − Rₙ₋₁)·Pₙ over the distinct scores in descending order, with recall
/// R and precision P, without interpolation (scikit-learn's `average_precision_score`).
///
/// # Errors
/// If a class is absent.
pub fn average_precision(ranking: &Ranking) -> Result<f64, Undefined> {
    let (positives, _) = ranking.both_classes()?;
    let (mut area, mut before) = (0.0, ORIGIN);
    for &point in &ranking.points {
        area += (point.true_positives - before.true_positives) as f64 * precision(point);
        before = point;
    }
    Ok(area / positives as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks examples given by the scores of the positives and of the negatives.
    fn ranking(positives: &[f64], negatives: &[f64]) -> Ranking {
        let labels: Vec<bool> = positives.iter().map(|_| true).chain(negatives.iter().map(|_| false)).collect();
        Ranking::new(&[positives, negatives].concat(), &labels).unwrap()
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-15, "{value} is not {expected}");
    }

    #[test]
    fn equal_scores_share_one_point() {
        let ranking = ranking(&[0.0, 2.0], &[-0.0, f64::NEG_INFINITY]);
        let point = |threshold, true_positives, false_positives| Point { threshold, true_positives, false_positives };
        assert_eq!(ranking.points(), [point(2.0, 1, 0), point(0.0, 2, 1), point(f64::NEG_INFINITY, 2, 2)]);
        assert_eq!((ranking.positives(), ranking.negatives()), (2, 2));
    }

    #[test]
    fn negative_ranked_first() {
        // ROC points (0,1), (1,1), (1,2): one of two pairs is in order; auc.jar cuts the corner,
        // ½·(1/1)·(1/2) more.
        let ranking = ranking(&[0.5], &[0.9, 0.1]);
        assert_eq!(auc_roc(&ranking), Ok(0.5));
        assert_eq!(auc_roc_jar(&ranking), 0.75);
        // The only positive is found at precision 1/2.
        assert_eq!(auc_pr(&ranking), Ok(0.5));
        assert_eq!(auc_pr_jar(&ranking), 0.5);
        assert_eq!(average_precision(&ranking), Ok(0.5));
    }

    #[test]
    fn negative_ranked_before_two_tied_positives() {
        // (tp, fp): (0,1), (2,2), (2,3). Pairs in order: 2·1, tied: 2·1, of 6.
        let ranking = ranking(&[0.5, 0.5], &[0.9, 0.5, 0.1]);
        near(auc_roc(&ranking).unwrap(), 3.0 / 6.0);
        near(auc_roc_jar(&ranking), 3.0 / 6.0 + 0.5 * (2.0 / 2.0) * (1.0 / 3.0));
        // With the first point: precisions 1/(1+1.5) = 0.4 and 2/4; area ½·0.4 + ½·(0.4+0.5)/2.
        near(auc_pr(&ranking).unwrap(), 0.425);
        // Without it: 1/(1+1) and 2/4.
        near(auc_pr_jar(&ranking), 0.5);
        near(average_precision(&ranking).unwrap(), 0.5);
    }

    #[test]
    fn ties_and_a_vertical_drop() {
        // (tp, fp): (1,0), (1,1), (3,2), (4,2), (4,4); P = 4, N = 4.
        let ranking = ranking(&[9.0, 7.0, 7.0, 6.0], &[8.0, 7.0, 5.0, 5.0]);
        // In order: 4 + 2·2 + 2 = 10; tied: 2; of 16.
        near(auc_roc(&ranking).unwrap(), 11.0 / 16.0);
        near(auc_roc_jar(&ranking), 11.0 / 16.0);
        // Precisions: 1 | falls to 1/2 | 2/3.5, 3/5 | 4/6.
        let strips =
            1.0 + (1.0 / 2.0 + 4.0 / 7.0) / 2.0 + (4.0 / 7.0 + 3.0 / 5.0) / 2.0 + (3.0 / 5.0 + 2.0 / 3.0) / 2.0;
        near(auc_pr(&ranking).unwrap(), strips / 4.0);
        near(auc_pr_jar(&ranking), strips / 4.0);
        near(average_precision(&ranking).unwrap(), (1.0 + 2.0 * 3.0 / 5.0 + 4.0 / 6.0) / 4.0);
    }

    #[test]
    fn interpolation_example_of_davis_and_goadrich() {
        // The example of Davis and Goadrich: between (5, 5) and (10, 30) of 20 positives each
        // true positive costs five false positives, with precisions .375, .318, .286, .265, .25
        // after .5. The curve before is constant at .5, and all other examples share the last
        // score: (20, 2000).
        let scores = |counts: [usize; 3]| [vec![3.0; counts[0]], vec![2.0; counts[1]], vec![1.0; counts[2]]].concat();
        let ranking = ranking(&scores([5, 5, 10]), &scores([5, 25, 1970]));
        let precisions = [0.5, 6.0 / 16.0, 7.0 / 22.0, 8.0 / 28.0, 9.0 / 34.0, 10.0 / 40.0];
        let middle: f64 = precisions.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).sum();
        let tail: Vec<f64> = (0..=10).map(|i| f64::from(10 + i) / f64::from(10 + i + 30 + 197 * i)).collect();
        let last: f64 = tail.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).sum();
        near(auc_pr(&ranking).unwrap(), (5.0 * 0.5 + middle + last) / 20.0);
    }

    #[test]
    fn curves_match_hand_computed_points() {
        // (tp, fp): (1,0), (1,1), (3,2), (4,2), (4,4), as above.
        let ranking = ranking(&[9.0, 7.0, 7.0, 6.0], &[8.0, 7.0, 5.0, 5.0]);
        let roc = [(0.0, 0.0), (0.0, 0.25), (0.25, 0.25), (0.5, 0.75), (0.5, 1.0), (1.0, 1.0)];
        assert_eq!(roc_curve(&ranking).unwrap(), roc);
        let (a, b, c) = (2.0 / 3.5, 3.0 / 5.0, 4.0 / 6.0);
        let pr = [(0.25, 1.0), (0.25, 0.5), (0.5, a), (0.75, b), (1.0, c), (1.0, 0.5)];
        assert_eq!(pr_curve(&ranking).unwrap(), pr);
        assert_eq!(pr_curve(&Ranking::new(&[0.1], &[true]).unwrap()), Err(Undefined::NoNegatives));
    }

    #[test]
    fn constant_scores_give_chance_level() {
        let ranking = ranking(&[0.3; 2], &[0.3; 6]);
        assert_eq!(auc_roc(&ranking), Ok(0.5));
        assert_eq!(auc_roc_jar(&ranking), 0.5);
        for area in [auc_pr(&ranking).unwrap(), auc_pr_jar(&ranking), average_precision(&ranking).unwrap()] {
            near(area, 0.25);
        }
    }

    #[test]
    fn single_class_is_undefined_except_for_the_jar_columns() {
        for (ranking, reason, jar) in [
            (ranking(&[], &[]), Undefined::NoExamples, (0.5, 0.0)),
            (ranking(&[], &[0.2, 0.1]), Undefined::NoPositives, (0.5, 0.0)),
            (ranking(&[0.2, 0.1], &[]), Undefined::NoNegatives, (1.0, 1.0)),
        ] {
            for area in [auc_roc, auc_pr, average_precision] {
                assert_eq!(area(&ranking), Err(reason));
            }
            assert_eq!((auc_roc_jar(&ranking), auc_pr_jar(&ranking)), jar);
        }
    }

    #[test]
    fn nan_scores_and_length_mismatches_are_errors() {
        let nan = Ranking::new(&[1.0, f64::NAN], &[true, false]);
        assert_eq!(nan, Err(MetricError::NotANumber { index: 1 }));
        let short = Ranking::new(&[1.0], &[true, false]);
        assert_eq!(short, Err(MetricError::LengthMismatch { scores: 1, labels: 2 }));
    }
}
