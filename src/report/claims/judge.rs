//! Evaluation of the claims on the rows of a run.

use super::claim::Claim;
use super::list::CLAIMS;
use super::obstacle::obstacle;
use super::published::{self, PublishedDifference, PublishedReading};
use crate::data::benchmark::{Arity, TimeUse};
use crate::determinism::IndexSet;
use crate::logic::quantity::listed;
use crate::metric::Column;
use crate::metric::significance::decision::{
    self, DecidedClaim, DecidedComparison, Decision, DecisionRule, DifferenceEstimate, Finding,
};
use crate::report::compare::{RowComparison, RowPair, compare_rows, interval, p_value, signed};
use crate::report::rows::{self, ReportRow};
use crate::report::table::metric_title;

/// A claim evaluated on a run, in one preset.
#[derive(Clone, Debug)]
pub struct JudgedClaim {
    /// Number of the claim, from 1.
    pub number: usize,
    /// The claim.
    pub claim: &'static Claim,
    /// Preset; empty without one.
    pub preset: String,
    /// Verdict.
    pub verdict: Decision,
    /// Reason.
    pub reason: String,
    /// Comparisons behind it.
    pub evidence: Vec<ClaimEvidence>,
    /// Verdicts by the alternative rules, with their names.
    pub alternatives: Vec<(&'static str, Decision)>,
    /// What the published numbers alone say.
    pub published: PublishedReading,
}

impl JudgedClaim {
    /// Returns whether the run has numbers for the claim.
    pub fn has_numbers(&self) -> bool {
        self.evidence.iter().any(|one| one.compared.is_some())
    }
}

/// A comparison of two models on one dataset and metric.
#[derive(Clone, Debug)]
pub struct ClaimEvidence {
    /// The dataset.
    pub dataset: &'static str,
    /// The metric.
    pub metric: Column,
    /// Kind of the other model.
    pub other: &'static str,
    /// Indices of the rows among all rows: the model of the claim, then the other one.
    pub rows: Option<(usize, usize)>,
    /// Comparison with the other model first: a positive difference favors the model of the
    /// claim. `None` if there are no numbers.
    pub compared: Option<RowComparison>,
    /// The comparison as decided within the claim, or why it cannot be tested.
    pub decided: Result<DecidedComparison, String>,
    /// Difference of the published means, if both are published.
    pub published: Option<PublishedDifference>,
}

impl ClaimEvidence {
    /// Returns the verdict on this comparison.
    pub fn verdict(&self) -> Decision {
        self.decided.as_ref().map_or(Decision::NotTestable, |decided| decided.decision)
    }

    fn place(&self) -> String {
        format!("{} {}", self.dataset, metric_title(self.metric))
    }

    /// Names dataset and metric, with the numbers if there are any.
    fn numbers(&self) -> String {
        let place = self.place();
        let (Some(compared), Ok(decided)) = (&self.compared, &self.decided) else { return place };
        let difference = signed(compared.difference);
        let interval = compared.interval().map_or_else(|why| why.to_string(), |at| interval(&at));
        // The p-value that decides, by what it shows.
        let (shown, p) = match decided.finding {
            Finding { is_equivalent: true, .. } => ("equivalent, p", decided.adjusted.equivalent),
            Finding { beyond: Some(_), .. } => ("beyond the margin, p", decided.adjusted.beyond),
            _ => ("p", decided.adjusted.difference),
        };
        format!("{place} {difference} ({interval}, {shown} {})", p_value(p))
    }
}

/// Evaluates every claim in every preset of a run. Returns none for a sweep, which varies what
/// the claims assume.
pub fn judge(rows: &[ReportRow<'_>]) -> Vec<JudgedClaim> {
    if rows.iter().any(|row| !row.settings.is_empty()) {
        return Vec::new();
    }
    let presets: IndexSet<&str> = rows::settings(rows).into_iter().map(|(preset, _)| preset).collect();
    let of_claim = |(index, claim)| presets.iter().map(move |preset| judge_claim(index + 1, claim, rows, preset));
    CLAIMS.iter().enumerate().flat_map(of_claim).collect()
}

fn judge_claim(number: usize, claim: &'static Claim, rows: &[ReportRow<'_>], preset: &str) -> JudgedClaim {
    let fits = |row: &&ReportRow<'_>| rows::applies_to_preset(row.kind, &row.key().preset, preset);
    let rows: Vec<&ReportRow<'_>> = rows.iter().filter(fits).collect();
    let found: Vec<FoundNumbers> = claim
        .comparisons()
        .map(|(other, dataset, metric)| FoundNumbers::find(claim, &rows, other, dataset, metric))
        .collect();
    let decided = decide(claim, &found, &DecisionRule::STANDARD);
    let alternatives =
        DecisionRule::ALTERNATIVES.iter().map(|(name, rule)| (*name, decide(claim, &found, rule).decision)).collect();
    let evidence: Vec<ClaimEvidence> = claim
        .comparisons()
        .zip(found)
        .zip(decided.comparisons)
        .map(|(((other, dataset, metric), found), decided)| ClaimEvidence {
            dataset,
            metric,
            other,
            rows: found.rows,
            decided: decided.ok_or_else(|| found.reason()),
            compared: found.compared,
            published: published::difference(claim, other, dataset, metric),
        })
        .collect();
    JudgedClaim {
        number,
        claim,
        preset: preset.to_owned(),
        verdict: decided.decision,
        reason: reason(claim, &evidence),
        evidence,
        alternatives,
        published: published::reading(claim),
    }
}

/// Numbers of a comparison, as far as the run has them.
struct FoundNumbers {
    rows: Option<(usize, usize)>,
    compared: Option<RowComparison>,
    /// Why it cannot test the claim.
    obstacle: Option<String>,
}

impl FoundNumbers {
    fn find(claim: &Claim, rows: &[&ReportRow<'_>], other: &str, dataset: &str, metric: Column) -> FoundNumbers {
        match compare(claim, rows, other, dataset, metric) {
            Ok((found, compared)) => {
                let obstacle = obstacle(dataset, found, find(rows, "progol", dataset), &compared);
                let rows = found;
                FoundNumbers { rows: Some((rows[0].index, rows[1].index)), compared: Some(compared), obstacle }
            }
            Err(why) => FoundNumbers { rows: None, compared: None, obstacle: Some(why) },
        }
    }

    fn estimate(&self, rule: &DecisionRule) -> Option<DifferenceEstimate> {
        self.compared.as_ref().filter(|_| self.obstacle.is_none())?.estimate(rule).ok()
    }

    fn reason(&self) -> String {
        let no_test = |compared: &RowComparison| {
            let why = compared.estimate(&DecisionRule::STANDARD).err().map_or_else(String::new, |why| why.to_string());
            format!("{}: no test is possible: {why}", compared.dataset)
        };
        self.obstacle.clone().or_else(|| self.compared.as_ref().map(no_test)).unwrap_or_default()
    }
}

fn decide(claim: &Claim, found: &[FoundNumbers], rule: &DecisionRule) -> DecidedClaim {
    let estimates: Vec<Option<DifferenceEstimate>> = found.iter().map(|one| one.estimate(rule)).collect();
    // Estimates come from finite numbers, so their p-values are probabilities.
    decision::decide(rule, claim.relation, &estimates).unwrap_or_else(|_| DecidedClaim {
        decision: Decision::NotTestable,
        comparisons: found.iter().map(|_| None).collect(),
    })
}

fn compare<'a, 'r>(
    claim: &Claim,
    rows: &[&'a ReportRow<'r>],
    other: &str,
    dataset: &str,
    metric: Column,
) -> Result<([&'a ReportRow<'r>; 2], RowComparison), String> {
    for kind in [claim.first, other] {
        if !rows.iter().any(|row| row.kind == kind) {
            return Err(format!("this run has no model of kind {kind}"));
        }
    }
    let first = row(claim, rows, claim.first, dataset)?;
    let second = row(claim, rows, other, dataset)?;
    let pair = RowPair { model: first.key().label(), first: second.group.clone(), second: first.group.clone() };
    // Incomplete means are not compared.
    for row in [first, second] {
        if !row.progress().is_finished() {
            return Err(format!("{} on {dataset}: {}", row.key().model, row.progress()));
        }
    }
    let compared = compare_rows(&pair, metric).map_err(|error| error.to_string())??;
    Ok(([first, second], compared))
}

/// Looks up the row of a kind of model on a dataset, by name or else by id.
fn find<'a, 'r>(rows: &[&'a ReportRow<'r>], kind: &str, dataset: &str) -> Option<&'a ReportRow<'r>> {
    let named = || rows.iter().find(|row| row.kind == kind && row.key().dataset == dataset);
    let of_id = || rows.iter().find(|row| row.kind == kind && row.dataset_id == dataset);
    named().or_else(of_id).copied()
}

/// Reason of a comparison on a dataset without jobs, after its name.
const NOT_RUN: &str = " is not in this run";

/// Like [`find`], but returns an error if the row cannot be compared.
fn row<'a, 'r>(
    claim: &Claim,
    rows: &[&'a ReportRow<'r>],
    kind: &str,
    dataset: &str,
) -> Result<&'a ReportRow<'r>, String> {
    let row = find(rows, kind, dataset).ok_or_else(|| format!("{dataset}{NOT_RUN}"))?;
    if row.is_unsupported() {
        return Err(format!("{kind} refuses {dataset}"));
    }
    let Some(stored) = row.group.done().next() else {
        return Err(format!("{} has no result on {dataset}", row.key().model));
    };
    let variant = stored.record.data.as_ref().map(|data| &data.variant);
    if variant.is_some_and(|variant| variant.classes) {
        return Err(format!("{dataset} has classes here, and the claim is about a target that holds or does not"));
    }
    if variant.is_some_and(|variant| variant.time == TimeUse::Ignore) {
        return Err(format!("{dataset} is here without its times"));
    }
    let arity = variant.map(|variant| variant.arity);
    match (claim.arity, arity) {
        (Some(claimed), Some(arity)) if claimed != arity => {
            let claimed =
                if claimed == Arity::Binary { "binary predicates" } else { "predicates of their original arity" };
            Err(format!("the claim is about {claimed}, which this run does not have"))
        }
        _ => Ok(row),
    }
}

/// Describes how many comparisons support and refute a claim, with the numbers that refute it.
fn reason(claim: &Claim, evidence: &[ClaimEvidence]) -> String {
    let of = |verdict| evidence.iter().filter(move |one| one.verdict() == verdict);
    let places = |verdict| {
        let shown = |one: &ClaimEvidence| {
            let against = if claim.others.len() > 1 { format!("{}: ", one.other) } else { String::new() };
            format!("{against}{}", if verdict == Decision::Refuted { one.numbers() } else { one.place() })
        };
        of(verdict).map(shown).collect::<Vec<String>>()
    };
    let supported: Vec<f64> =
        of(Decision::Supported).filter_map(|one| one.compared.as_ref().map(|compared| compared.difference)).collect();
    let range = match (supported.iter().copied().reduce(f64::min), supported.iter().copied().reduce(f64::max)) {
        (Some(low), Some(high)) if low == high => format!(" ({})", signed(low)),
        (Some(low), Some(high)) => format!(" ({} to {})", signed(low), signed(high)),
        _ => String::new(),
    };
    let count = of(Decision::Supported).count();
    let mut parts = vec![format!("supported in {count} of {} comparisons{range}", evidence.len())];
    for verdict in [Decision::Refuted, Decision::Inconclusive] {
        let places = places(verdict);
        if !places.is_empty() {
            parts.push(format!("{} in {}: {}", verdict.words(), places.len(), places.join(", ")));
        }
    }
    // Otherwise comparisons that all agree with the claim do not explain the verdict.
    let is_higher = |one: &ClaimEvidence| {
        one.decided.as_ref().is_ok_and(|decided| decided.finding.sign == Some(decision::Sign::Positive))
    };
    let is_unexplained = parts.len() == 1 && count > 0 && !evidence.iter().any(is_higher);
    if claim.relation == decision::Relation::NotWorseAndSomewhereHigher && is_unexplained {
        parts.push("significantly higher in none".to_owned());
    }
    let missing: IndexSet<&str> =
        of(Decision::NotTestable).filter_map(|one| one.decided.as_ref().err().map(String::as_str)).collect();
    if !missing.is_empty() {
        // Datasets that were not run share one verb.
        let (not_run, others): (Vec<&str>, Vec<&str>) = missing.into_iter().partition(|why| why.ends_with(NOT_RUN));
        let not_run: Vec<String> = not_run.iter().map(|why| why.trim_end_matches(NOT_RUN).to_owned()).collect();
        let verb = if not_run.len() == 1 { NOT_RUN.to_owned() } else { NOT_RUN.replacen("is", "are", 1) };
        let not_run = Some(format!("{}{verb}", listed(&not_run))).filter(|_| !not_run.is_empty());
        let missing: Vec<String> = not_run.into_iter().chain(others.into_iter().map(str::to_owned)).collect();
        parts.push(format!("not testable in {}: {}", of(Decision::NotTestable).count(), missing.join(", ")));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::list::QUESTIONS;
    use super::*;
    use crate::metric::significance::Differences;
    use crate::report::published::PublishedTable;

    fn evidence(differences: &[Option<&[f64]>]) -> (Decision, Vec<ClaimEvidence>) {
        evidence_for(&CLAIMS[0], differences)
    }

    fn evidence_for(claim: &Claim, differences: &[Option<&[f64]>]) -> (Decision, Vec<ClaimEvidence>) {
        let estimate = |values: &&[f64]| {
            let differences = Differences::new(values, &vec![0.0; values.len()]).unwrap();
            DifferenceEstimate::paired(&differences, 0.25).unwrap()
        };
        let estimates: Vec<_> = differences.iter().map(|values| values.as_ref().map(estimate)).collect();
        let decided = decision::decide(&DecisionRule::STANDARD, claim.relation, &estimates).unwrap();
        let one = |decided: Option<DecidedComparison>| ClaimEvidence {
            dataset: "cora",
            metric: Column::AucRoc,
            other: "lrnn",
            rows: None,
            compared: None,
            decided: decided.ok_or_else(|| "cora: both at chance".to_owned()),
            published: None,
        };
        (decided.decision, decided.comparisons.into_iter().map(one).collect())
    }

    #[test]
    fn a_claim_of_a_gain_says_that_none_is_significant() {
        let (high, level): (&[f64], &[f64]) = (&[0.10, 0.11, 0.12, 0.10, 0.11], &[0.001, -0.001, 0.0, 0.001, 0.0]);
        let is_gain = |claim: &&Claim| claim.relation == decision::Relation::NotWorseAndSomewhereHigher;
        let claim = CLAIMS.iter().find(is_gain).unwrap();
        let (verdict, found) = evidence_for(claim, &[Some(level), Some(level), None]);
        assert_eq!(verdict, Decision::Inconclusive);
        let text = reason(claim, &found);
        assert!(
            text.contains("supported in 2 of 3 comparisons") && text.contains("; significantly higher in none;"),
            "{text}"
        );
        let (_, found) = evidence_for(claim, &[Some(level), Some(high)]);
        assert!(!reason(claim, &found).contains("in none"));
    }

    #[test]
    fn reasons_count_and_name_comparisons() {
        let (high, level): (&[f64], &[f64]) = (&[0.10, 0.11, 0.12, 0.10, 0.11], &[0.001, -0.001, 0.0, 0.001, 0.0]);
        let (verdict, found) = evidence(&[Some(high), Some(level), None]);
        assert_eq!(verdict, Decision::Refuted);
        assert_eq!(
            reason(&CLAIMS[0], &found),
            "supported in 1 of 3 comparisons; refuted in 1: cora AUC-ROC; not testable in 1: cora: both at chance"
        );
        let (verdict, found) = evidence(&[Some(high), None]);
        assert_eq!(verdict, Decision::NotTestable);
        assert_eq!(
            reason(&CLAIMS[0], &found),
            "supported in 1 of 2 comparisons; not testable in 1: cora: both at chance"
        );
        assert_eq!(evidence(&[Some(high), Some(high)]).0, Decision::Supported);
        let wide: &[f64] = &[0.3, -0.2, 0.1, 0.0, 0.2];
        assert_eq!(evidence(&[Some(high), Some(wide), None]).0, Decision::Inconclusive);
    }

    #[test]
    fn claims_refer_to_known_questions_and_tables() {
        for claim in CLAIMS {
            assert!(QUESTIONS.iter().any(|(name, _)| *name == claim.question));
            assert!(claim.published.is_none_or(|name| PublishedTable::find(name).is_some()));
        }
        // Two metrics on two datasets against one kind.
        assert_eq!(CLAIMS[0].comparisons().count(), 4);
    }
}
