//! The decision rule: when a claim about two models is supported, refuted or left open.
//!
//! A claim is about one or several comparisons; each is an estimate of the mean difference
//! between its model and another one, with a positive sign in favor of the model.
//!
//! 1. The standard error is that of the corrected resampled t-test, over all splits of repeated
//!    cross-validation ([`DifferenceEstimate::paired`]).
//! 2. Each p-value is adjusted by Holm's method for the number of comparisons of the claim.
//! 3. A difference up to the margin is negligible: equivalence is shown by two one-sided tests,
//!    no loss by one of them, and a difference beyond the margin by a test against the margin.
//!
//! | relation | a comparison supports it | a comparison refutes it |
//! |---|---|---|
//! | higher | significantly positive | significantly negative, or else equivalent |
//! | clearly higher | significantly positive, not equivalent | significantly negative, or equivalent |
//! | not worse | a loss above the margin is rejected | a loss, significantly above the margin |
//! | on a par | equivalent | significantly beyond the margin |
//!
//! Every relation is claimed of all comparisons, so one refuted comparison refutes the claim and
//! only all of them support it. "Not worse, and somewhere better" also needs one significantly
//! positive comparison; it is refuted if none can be: each is equivalent or significantly
//! negative. A comparison that cannot be tested neither supports nor refutes: a claim that is
//! neither refuted nor inconclusive by its other comparisons is not testable.
//!
//! Holm's correction is not needed to support a claim about all comparisons (an
//! intersection-union test), but it is to refute one. It is applied to both, which is stricter.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::error::{NoTest, SampleError};
use super::holm::holm;
use super::sample::Differences;
use super::student::corrected_error;
use super::verdict::ALPHA;
use crate::metric::Average;
use crate::metric::summary::mean;

/// Largest difference in AUC that counts as none.
pub const MARGIN: f64 = 0.02;

/// Smallest number of splits in which differences without any spread count as certain.
const MIN_SPLITS_WITHOUT_SPREAD: usize = 3;

/// Rounding error of an area under a curve.
const ROUNDING: f64 = 1e-9;

/// Parameters of the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecisionRule {
    /// Significance level.
    pub alpha: f64,
    /// Largest negligible difference.
    pub margin: f64,
    /// Whether the standard error is corrected for training examples that splits share.
    pub is_corrected: bool,
    /// Whether p-values are adjusted for the number of comparisons.
    pub is_adjusted: bool,
}

impl DecisionRule {
    /// The rule of all reports.
    pub const STANDARD: DecisionRule =
        DecisionRule { alpha: ALPHA, margin: MARGIN, is_corrected: true, is_adjusted: true };

    /// Rules that differ from the standard one in a single choice, with what is different.
    pub const ALTERNATIVES: [(&'static str, DecisionRule); 4] = [
        ("ordinary t", DecisionRule { is_corrected: false, ..Self::STANDARD }),
        ("without Holm", DecisionRule { is_adjusted: false, ..Self::STANDARD }),
        ("margin 0.01", DecisionRule { margin: 0.01, ..Self::STANDARD }),
        ("margin 0.05", DecisionRule { margin: 0.05, ..Self::STANDARD }),
    ];
}

/// Estimate of a mean difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DifferenceEstimate {
    /// Mean difference.
    pub mean: f64,
    /// Its standard error; 0 if all differences are equal.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub degrees_of_freedom: f64,
}

/// Confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Interval {
    /// Returns whether a value lies in the interval.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl DifferenceEstimate {
    /// Estimates the mean of paired differences, one per split; see
    /// [`super::corrected_t`] for `test_share`, which is 0 for an ordinary paired test.
    ///
    /// # Errors
    /// If there are fewer than two differences, fewer than three without spread, the share is
    /// negative or not finite, or mean and variance are not finite.
    pub fn paired(differences: &Differences, test_share: f64) -> Result<Self, NoTest> {
        let values = differences.values();
        let degrees_of_freedom = values.len().saturating_sub(1) as f64;
        let standard_error = match corrected_error(differences, test_share) {
            Err(NoTest::AllEqual | NoTest::NoSpread) if values.len() >= MIN_SPLITS_WITHOUT_SPREAD => 0.0,
            Err(NoTest::AllEqual | NoTest::NoSpread) => {
                return Err(NoTest::TooFew { have: values.len(), min: MIN_SPLITS_WITHOUT_SPREAD });
            }
            other => other?,
        };
        Ok(DifferenceEstimate { mean: mean(values), standard_error, degrees_of_freedom })
    }

    /// Estimates the difference of two published means, `first` minus `second`, from their
    /// standard deviations as in Welch's test. The pairs are unknown, so a correlation between
    /// the models over folds is not used; the correction for shared training examples is the same
    /// as for pairs.
    ///
    /// # Errors
    /// If a deviation is missing, both are zero, or the share is negative or not finite.
    pub fn unpaired(first: &Average, second: &Average, test_share: f64) -> Result<Self, NoTest> {
        if !(test_share >= 0.0 && test_share.is_finite()) {
            return Err(NoTest::OutOfRange);
        }
        let variance = |of: &Average| {
            let deviation = of.deviation.filter(|_| of.n > 1).ok_or(NoTest::TooFew { have: of.n.min(1), min: 2 })?;
            Ok((1.0 / of.n as f64 + test_share) * deviation * deviation)
        };
        let (a, b): (f64, f64) = (variance(first)?, variance(second)?);
        if a + b == 0.0 {
            return Err(NoTest::NoSpread);
        }
        // Welch-Satterthwaite.
        let degrees_of_freedom = (a + b).powi(2) / (a * a / (first.n - 1) as f64 + b * b / (second.n - 1) as f64);
        let standard_error = (a + b).sqrt();
        Ok(DifferenceEstimate { mean: first.mean - second.mean, standard_error, degrees_of_freedom })
    }

    /// Returns the central confidence interval of the mean difference.
    pub fn interval(&self, level: f64) -> Interval {
        let half = match self.distribution() {
            Some(distribution) => distribution.inverse_cdf((1.0 + level) / 2.0) * self.standard_error,
            None => 0.0,
        };
        Interval { low: self.mean - half, high: self.mean + half }
    }

    /// Returns the p-values of the tests of the rule, not adjusted.
    pub fn p_values(&self, margin: f64) -> PValues {
        let not_worse = self.upper_tail(self.mean + margin);
        let not_better = self.upper_tail(margin - self.mean);
        let beyond = self.upper_tail(self.mean - margin).min(self.upper_tail(-margin - self.mean));
        PValues {
            difference: (2.0 * self.upper_tail(self.mean.abs())).min(1.0),
            not_worse,
            worse: self.upper_tail(-margin - self.mean),
            equivalent: not_worse.max(not_better),
            beyond: (2.0 * beyond).min(1.0),
        }
    }

    fn distribution(&self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, self.degrees_of_freedom).ok().filter(|_| self.standard_error > 0.0)
    }

    /// Returns the probability that t exceeds a distance in standard errors.
    fn upper_tail(&self, distance: f64) -> f64 {
        match self.distribution() {
            Some(distribution) => distribution.sf(distance / self.standard_error).clamp(0.0, 1.0),
            // No spread: certain, except exactly at the boundary.
            None => f64::from(distance <= 0.0),
        }
    }
}

/// p-values of a comparison. A small one speaks for what its field names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PValues {
    /// Two-sided: the difference is not zero.
    pub difference: f64,
    /// One-sided: the loss is below the margin.
    pub not_worse: f64,
    /// One-sided: the loss is above the margin.
    pub worse: f64,
    /// Two one-sided tests: the difference is within the margin on both sides.
    pub equivalent: f64,
    /// Two-sided: the difference is beyond the margin.
    pub beyond: f64,
}

/// Adjusts the p-values of a family of comparisons, each test on its own, unless the rule leaves
/// them.
///
/// # Errors
/// If a p-value is not a probability.
pub fn adjust(rule: &DecisionRule, family: &[PValues]) -> Result<Vec<PValues>, SampleError> {
    if !rule.is_adjusted {
        return Ok(family.to_vec());
    }
    let of = |get: fn(&PValues) -> f64| holm(&family.iter().map(get).collect::<Vec<_>>());
    let (difference, not_worse) = (of(|p| p.difference)?, of(|p| p.not_worse)?);
    let (worse, equivalent, beyond) = (of(|p| p.worse)?, of(|p| p.equivalent)?, of(|p| p.beyond)?);
    let adjusted = |i: usize| PValues {
        difference: difference[i],
        not_worse: not_worse[i],
        worse: worse[i],
        equivalent: equivalent[i],
        beyond: beyond[i],
    };
    Ok((0..family.len()).map(adjusted).collect())
}

/// What a comparison shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Sign of a significant difference.
    pub sign: Option<Sign>,
    /// Whether the difference is within the margin.
    pub is_equivalent: bool,
    /// Whether a loss above the margin is rejected.
    pub is_not_worse: bool,
    /// Sign of a difference that is significantly beyond the margin.
    pub beyond: Option<Sign>,
}

/// Sign of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Above zero.
    Positive,
    /// Below zero.
    Negative,
}

impl Finding {
    /// Reads adjusted p-values of an estimate.
    pub fn new(rule: &DecisionRule, estimate: &DifferenceEstimate, p: &PValues) -> Self {
        let sign = if estimate.mean > 0.0 { Sign::Positive } else { Sign::Negative };
        Finding {
            sign: (p.difference < rule.alpha).then_some(sign),
            is_equivalent: p.equivalent < rule.alpha,
            is_not_worse: p.not_worse < rule.alpha,
            beyond: (p.beyond < rule.alpha).then_some(sign),
        }
    }

    /// Returns the finding in words, about the second of two models.
    pub fn words(self) -> &'static str {
        match (self.sign, self.is_equivalent) {
            (Some(Sign::Positive), false) => "higher",
            (Some(Sign::Positive), true) => "higher, within the margin",
            (Some(Sign::Negative), false) => "lower",
            (Some(Sign::Negative), true) => "lower, within the margin",
            (None, true) => "equivalent",
            (None, false) => "inconclusive",
        }
    }
}

/// Returns whether scores cannot be told from chance: the interval of their mean includes it, or
/// each of them is the score of chance. `scores` and `chance` have one entry per split.
///
/// # Errors
/// If there are fewer than two scores, or fewer than three without spread.
pub fn is_at_chance(rule: &DecisionRule, scores: &[f64], chance: &[f64], share: f64) -> Result<bool, ChanceError> {
    let above = Differences::new(scores, chance)?;
    if above.values().iter().all(|value| value.abs() < ROUNDING) {
        return Ok(true);
    }
    let estimate = DifferenceEstimate::paired(&above, share)?;
    Ok(estimate.interval(1.0 - rule.alpha).contains(0.0))
}

/// Why scores cannot be compared with chance.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ChanceError {
    /// Invalid scores.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// No test is possible.
    #[error(transparent)]
    NoTest(#[from] NoTest),
}

/// Relation that a claim states between its model and another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Higher.
    Higher,
    /// Significantly higher, and not equivalent.
    ClearlyHigher,
    /// No loss above the margin.
    NotWorse,
    /// No loss above the margin, and higher somewhere.
    NotWorseAndSomewhereHigher,
    /// No difference above the margin.
    OnAPar,
}

impl Relation {
    /// Returns the criterion in words.
    pub fn criterion(self) -> &'static str {
        match self {
            Relation::Higher => "significantly higher; refuted if significantly lower or equivalent",
            Relation::ClearlyHigher => {
                "significantly higher and not equivalent; refuted if equivalent or significantly lower"
            }
            Relation::NotWorse => "a loss above the margin is rejected; refuted by a loss significantly above it",
            Relation::NotWorseAndSomewhereHigher => {
                "a loss above the margin is rejected, and significantly higher somewhere; refuted by a loss \
                 significantly above the margin, or if it is equivalent or lower everywhere"
            }
            Relation::OnAPar => {
                "equivalent by two one-sided tests; refuted by a difference significantly above the margin"
            }
        }
    }

    /// Decides a single comparison.
    fn decide(self, finding: Finding) -> Decision {
        let Finding { sign, is_equivalent, is_not_worse, beyond } = finding;
        let (supports, refutes) = match self {
            Relation::Higher => (sign == Some(Sign::Positive), sign == Some(Sign::Negative) || is_equivalent),
            Relation::ClearlyHigher => {
                (sign == Some(Sign::Positive) && !is_equivalent, sign == Some(Sign::Negative) || is_equivalent)
            }
            Relation::NotWorse | Relation::NotWorseAndSomewhereHigher => (is_not_worse, beyond == Some(Sign::Negative)),
            Relation::OnAPar => (is_equivalent, beyond.is_some()),
        };
        match (supports, refutes) {
            (true, _) => Decision::Supported,
            (false, true) => Decision::Refuted,
            (false, false) => Decision::Inconclusive,
        }
    }
}

/// Verdict on a claim or a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The data show it.
    Supported,
    /// The data show the contrary.
    Refuted,
    /// The data show neither.
    Inconclusive,
    /// The data cannot show either.
    NotTestable,
}

impl Decision {
    /// All of them.
    pub const ALL: [Decision; 4] =
        [Decision::Supported, Decision::Refuted, Decision::Inconclusive, Decision::NotTestable];

    /// Returns the words shown to readers.
    pub fn words(self) -> &'static str {
        match self {
            Decision::Supported => "supported",
            Decision::Refuted => "refuted",
            Decision::Inconclusive => "inconclusive",
            Decision::NotTestable => "not testable",
        }
    }
}

/// A claim as decided.
#[derive(Clone, Debug, PartialEq)]
pub struct DecidedClaim {
    /// The verdict.
    pub decision: Decision,
    /// The comparisons, in the order given; `None` if not testable.
    pub comparisons: Vec<Option<DecidedComparison>>,
}

/// A comparison as decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecidedComparison {
    /// p-values, not adjusted.
    pub p: PValues,
    /// p-values, adjusted within the claim.
    pub adjusted: PValues,
    /// What it shows.
    pub finding: Finding,
    /// Verdict on the relation in this comparison.
    pub decision: Decision,
}

/// Decides a claim from its comparisons; `None` is a comparison that cannot be tested.
///
/// # Errors
/// If an estimate is not finite.
pub fn decide(
    rule: &DecisionRule,
    relation: Relation,
    estimates: &[Option<DifferenceEstimate>],
) -> Result<DecidedClaim, SampleError> {
    let raw: Vec<PValues> = estimates.iter().flatten().map(|estimate| estimate.p_values(rule.margin)).collect();
    let adjusted = adjust(rule, &raw)?;
    let mut tested = raw.into_iter().zip(adjusted);
    let comparisons: Vec<Option<DecidedComparison>> = estimates
        .iter()
        .map(|estimate| {
            let estimate = (*estimate)?;
            let (p, adjusted) = tested.next()?;
            let finding = Finding::new(rule, &estimate, &adjusted);
            Some(DecidedComparison { p, adjusted, finding, decision: relation.decide(finding) })
        })
        .collect();
    Ok(DecidedClaim { decision: conclude(relation, &comparisons), comparisons })
}

fn conclude(relation: Relation, comparisons: &[Option<DecidedComparison>]) -> Decision {
    let tested = || comparisons.iter().flatten();
    let any = |decision| tested().any(|one| one.decision == decision);
    let is_complete = comparisons.iter().all(Option::is_some) && !comparisons.is_empty();
    if any(Decision::Refuted) {
        return Decision::Refuted;
    }
    if relation == Relation::NotWorseAndSomewhereHigher {
        let never_higher = |one: &DecidedComparison| {
            one.finding.sign == Some(Sign::Negative) || one.finding.sign.is_none() && one.finding.is_equivalent
        };
        if is_complete && tested().all(never_higher) {
            return Decision::Refuted;
        }
        if tested().next().is_some() && !tested().any(|one| one.finding.sign == Some(Sign::Positive)) {
            return Decision::Inconclusive;
        }
    }
    if any(Decision::Inconclusive) {
        return Decision::Inconclusive;
    }
    if is_complete { Decision::Supported } else { Decision::NotTestable }
}

#[cfg(test)]
mod tests;
