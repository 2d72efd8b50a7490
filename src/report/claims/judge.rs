//! Evaluation of the claims on the rows of a run.

use super::claim::{Claim, ClaimedRelation};
use super::list::CLAIMS;
use crate::data::benchmark::{Arity, TimeUse};
use crate::determinism::IndexSet;
use crate::metric::Column;
use crate::report::compare::{RowComparison, RowPair, compare_rows};
use crate::report::published::{PublishedCell, PublishedTable};
use crate::report::rows::{self, ReportRow};
use crate::report::table::metric_title;

/// Outcome of a claim on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimStatus {
    /// The claim holds.
    Held,
    /// The claim fails.
    DidNotHold,
    /// The run lacks the numbers to decide.
    CannotBeSaid,
}

impl ClaimStatus {
    /// Returns the words shown to readers.
    pub fn words(self) -> &'static str {
        match self {
            ClaimStatus::Held => "held",
            ClaimStatus::DidNotHold => "did not hold",
            ClaimStatus::CannotBeSaid => "cannot be said here",
        }
    }
}

/// A claim evaluated on a run, in one preset.
#[derive(Clone, Debug)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: &'static Claim,
    /// Preset; empty without one.
    pub preset: String,
    /// Outcome.
    pub verdict: ClaimStatus,
    /// Reason.
    pub reason: String,
    /// Comparisons behind it.
    pub evidence: Vec<ClaimEvidence>,
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
    /// The comparison, or what is missing for it.
    pub found: Result<ClaimComparison, String>,
    /// Whether one of the models does not support the dataset, so that no result is expected.
    pub is_unsupported: bool,
    /// Difference of the published means, if both are published.
    pub published: Option<f64>,
}

/// Two rows and their comparison.
#[derive(Clone, Debug)]
pub struct ClaimComparison {
    /// Indices among all rows.
    pub rows: (usize, usize),
    /// Comparison with the other model first: a positive difference favors the model of the
    /// claim.
    pub compared: RowComparison,
    /// Whether the claimed relation holds.
    pub holds: bool,
}

/// Evaluates every claim in every preset of a run. Returns none for a sweep, which varies what
/// the claims assume.
pub fn judge(rows: &[ReportRow<'_>]) -> Vec<JudgedClaim> {
    if rows.iter().any(|row| !row.settings.is_empty()) {
        return Vec::new();
    }
    let presets: IndexSet<&str> = rows::settings(rows).into_iter().map(|(preset, _)| preset).collect();
    let of_claim = |claim| presets.iter().map(move |preset| judge_claim(claim, rows, preset));
    CLAIMS.iter().flat_map(of_claim).collect()
}

fn judge_claim(claim: &'static Claim, rows: &[ReportRow<'_>], preset: &str) -> JudgedClaim {
    let fits = |row: &&ReportRow<'_>| rows::applies_to_preset(row.kind, &row.key().preset, preset);
    let rows: Vec<&ReportRow<'_>> = rows.iter().filter(fits).collect();
    let mut evidence = Vec::new();
    for &other in claim.others {
        for &(metrics, datasets) in claim.cells {
            for &metric in metrics {
                for &dataset in datasets {
                    let found = compare(claim, &rows, other, dataset, metric);
                    let lacks_support = |kind| find(&rows, kind, dataset).is_some_and(ReportRow::is_unsupported);
                    let is_unsupported = lacks_support(claim.first) || lacks_support(other);
                    let published = published_difference(claim, other, dataset, metric);
                    evidence.push(ClaimEvidence { dataset, metric, other, found, is_unsupported, published });
                }
            }
        }
    }
    let (verdict, reason) = conclude(claim, &evidence);
    JudgedClaim { claim, preset: preset.to_owned(), verdict, reason, evidence }
}

fn compare(
    claim: &Claim,
    rows: &[&ReportRow<'_>],
    other: &str,
    dataset: &str,
    metric: Column,
) -> Result<ClaimComparison, String> {
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
    let holds = holds(claim.relation, &compared)?;
    Ok(ClaimComparison { rows: (first.index, second.index), compared, holds })
}

/// Looks up the row of a kind of model on a dataset, by name or else by id.
fn find<'a, 'r>(rows: &[&'a ReportRow<'r>], kind: &str, dataset: &str) -> Option<&'a ReportRow<'r>> {
    let named = || rows.iter().find(|row| row.kind == kind && row.key().dataset == dataset);
    let of_id = || rows.iter().find(|row| row.kind == kind && row.dataset_id == dataset);
    named().or_else(of_id).copied()
}

/// Like [`find`], but returns an error if the row cannot be compared.
fn row<'a, 'r>(
    claim: &Claim,
    rows: &[&'a ReportRow<'r>],
    kind: &str,
    dataset: &str,
) -> Result<&'a ReportRow<'r>, String> {
    let row = find(rows, kind, dataset).ok_or_else(|| format!("{dataset} is not in this run"))?;
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

/// Returns whether a relation holds, or why that is undecided.
fn holds(relation: ClaimedRelation, compared: &RowComparison) -> Result<bool, String> {
    let difference = compared.difference;
    let is_significant = || {
        let cannot = |why| format!("no test is possible on {}: {why}", compared.dataset);
        compared.is_significant().map_err(cannot)
    };
    Ok(match relation {
        ClaimedRelation::Better => difference > 0.0,
        ClaimedRelation::ClearlyBetter => is_significant()? && difference > 0.0,
        ClaimedRelation::NotWorse | ClaimedRelation::NotWorseAndSomewhereBetter => {
            !is_significant()? || difference >= 0.0
        }
        ClaimedRelation::Alike => !is_significant()?,
        ClaimedRelation::LossWithinDeviation => match (compared.first.deviation, compared.second.deviation) {
            (Some(first), Some(second)) => -difference <= first.max(second),
            _ => return Err(format!("a single fold on {} has no standard deviation", compared.dataset)),
        },
    })
}

fn published_difference(claim: &Claim, other: &str, dataset: &str, metric: Column) -> Option<f64> {
    let table = PublishedTable::find(claim.published?)?;
    let mean = |kind| table.cell(dataset, kind, metric).map(|cell: &PublishedCell| cell.mean);
    Some(mean(claim.first)? - mean(other)?)
}

fn conclude(claim: &Claim, evidence: &[ClaimEvidence]) -> (ClaimStatus, String) {
    let found: Vec<(&ClaimEvidence, &ClaimComparison)> =
        evidence.iter().filter_map(|one| one.found.as_ref().ok().map(|found| (one, found))).collect();
    let failing: Vec<String> = found
        .iter()
        .filter(|(_, found)| !found.holds)
        .map(|(one, _)| {
            let other = if claim.others.len() > 1 { format!(" against {}", one.other) } else { String::new() };
            format!("{} ({}{other})", one.dataset, metric_title(one.metric))
        })
        .collect();
    let absent = |refused: bool| {
        let absent = evidence.iter().filter(move |one| one.is_unsupported == refused);
        absent.filter_map(|one| one.found.as_ref().err().map(String::as_str))
    };
    let listed = |refused| absent(refused).collect::<IndexSet<&str>>().into_iter().collect::<Vec<_>>().join("; ");
    // Unsupported datasets are not missing, but without any other comparison the claim is
    // undecided.
    let (lacking, refused) = (absent(false).count(), listed(true));
    let aside = if refused.is_empty() { String::new() } else { format!(" ({refused})") };
    let held = found.len() - failing.len();
    if !failing.is_empty() {
        let rest = if lacking > 0 { format!("; {lacking} more cannot be compared") } else { String::new() };
        let rest = format!("{rest}{aside}");
        let reason = match held {
            0 => format!("it holds in none of {} comparisons{rest}", found.len()),
            _ => format!("it holds in {held} of {} comparisons, not on {}{rest}", found.len(), failing.join(", ")),
        };
        return (ClaimStatus::DidNotHold, reason);
    }
    if found.is_empty() && lacking == 0 {
        return (ClaimStatus::CannotBeSaid, refused);
    }
    if lacking > 0 {
        let rest = if held > 0 { format!("; it holds in the {held} comparisons that are here") } else { String::new() };
        return (ClaimStatus::CannotBeSaid, format!("{}{rest}{aside}", listed(false)));
    }
    let is_better =
        |found: &ClaimComparison| found.compared.difference > 0.0 && found.compared.is_significant() == Ok(true);
    if claim.relation == ClaimedRelation::NotWorseAndSomewhereBetter && !found.iter().any(|(_, found)| is_better(found))
    {
        let reason = format!("it is nowhere worse by more than chance, but nowhere better either{aside}");
        return (ClaimStatus::DidNotHold, reason);
    }
    (ClaimStatus::Held, format!("it holds in all {held} comparisons{aside}"))
}

#[cfg(test)]
mod tests {
    use super::super::list::QUESTIONS;
    use super::*;
    use crate::metric::Average;
    use crate::metric::significance::effect::WinTieLoss;
    use crate::metric::significance::{CorrectedT, NoTest};

    fn compared(difference: f64, p: Result<f64, NoTest>) -> RowComparison {
        let average = |mean| Average { mean, deviation: Some(0.05), n: 5 };
        RowComparison {
            dataset: "cora".into(),
            model: "LRBM-Boost".into(),
            folds: 5,
            unpaired: 0,
            first: average(0.8),
            second: average(0.8 + difference),
            difference,
            interval: Err(NoTest::OutOfRange),
            test: p.map(|p| CorrectedT { mean: difference, standard_error: 1.0, t: 1.0, degrees_of_freedom: 4, p }),
            holm: None,
            effect: Err(NoTest::OutOfRange),
            win_tie_loss: WinTieLoss { wins: 0, ties: 0, losses: 0 },
        }
    }

    #[test]
    fn relations_match_hand_computed_outcomes() {
        use ClaimedRelation::*;
        let all = [Better, ClearlyBetter, NotWorse, Alike, LossWithinDeviation];
        let held = |difference, p| all.map(|relation| holds(relation, &compared(difference, p)).unwrap());
        assert_eq!(held(0.1, Ok(0.01)), [true, true, true, false, true]);
        assert_eq!(held(0.1, Ok(0.2)), [true, false, true, true, true]);
        assert_eq!(held(-0.1, Ok(0.01)), [false, false, false, false, false]);
        assert_eq!(held(-0.1, Ok(0.2)), [false, false, true, true, false]);
        assert_eq!(held(-0.04, Ok(0.01)), [false, false, false, false, true]);
        assert_eq!(held(0.0, Err(NoTest::AllEqual)), [false, false, true, true, true]);
        // The same gain in every fold.
        assert_eq!(held(0.1, Err(NoTest::NoSpread)), [true, true, true, false, true]);
    }

    #[test]
    fn significance_is_undecided_without_a_test() {
        use ClaimedRelation::*;
        let one_fold = RowComparison { folds: 1, ..compared(0.1, Err(NoTest::TooFew { have: 1, min: 2 })) };
        let two_folds = RowComparison { folds: 2, ..compared(0.1, Err(NoTest::NoSpread)) };
        for compared in [one_fold, two_folds] {
            for relation in [ClearlyBetter, NotWorse, NotWorseAndSomewhereBetter, Alike] {
                let reason = holds(relation, &compared).unwrap_err();
                assert!(reason.starts_with("no test is possible on cora: "), "{reason}");
            }
            // Means can be compared without a test.
            assert_eq!(holds(Better, &compared), Ok(true));
        }
        let mut single = compared(-0.1, Ok(0.2));
        single.first.deviation = None;
        assert!(holds(LossWithinDeviation, &single).is_err());
    }

    fn evidence(holds: &[Option<(bool, f64)>]) -> Vec<ClaimEvidence> {
        let one = |held: &Option<(bool, f64)>| ClaimEvidence {
            dataset: "cora",
            metric: Column::AucRoc,
            other: "lrnn",
            found: held.ok_or("no lrnn here".to_owned()).map(|(holds, p)| ClaimComparison {
                rows: (0, 1),
                compared: compared(0.1, Ok(p)),
                holds,
            }),
            is_unsupported: false,
            published: None,
        };
        holds.iter().map(one).collect()
    }

    #[test]
    fn one_failure_refutes_and_one_missing_row_leaves_it_undecided() {
        let verdict = |holds: &[Option<(bool, f64)>]| conclude(&CLAIMS[0], &evidence(holds));
        let (yes, no) = (Some((true, 0.01)), Some((false, 0.2)));
        assert_eq!(verdict(&[yes, yes]), (ClaimStatus::Held, "it holds in all 2 comparisons".into()));
        let (verdict_of_one, reason) = verdict(&[yes, no, None]);
        assert_eq!(verdict_of_one, ClaimStatus::DidNotHold);
        assert_eq!(reason, "it holds in 1 of 2 comparisons, not on cora (AUC-ROC); 1 more cannot be compared");
        let (open, reason) = verdict(&[yes, None]);
        assert_eq!(open, ClaimStatus::CannotBeSaid);
        assert_eq!(reason, "no lrnn here; it holds in the 1 comparisons that are here");
        assert_eq!(verdict(&[None, None]), (ClaimStatus::CannotBeSaid, "no lrnn here".into()));
    }

    #[test]
    fn unsupported_datasets_are_not_missing() {
        let refused = |holds: &[Option<(bool, f64)>]| {
            let mut evidence = evidence(holds);
            let last = evidence.last_mut().unwrap();
            (last.is_unsupported, last.found) = (true, Err("lrnn refuses yeast2".to_owned()));
            conclude(&CLAIMS[0], &evidence)
        };
        let (yes, no) = (Some((true, 0.01)), Some((false, 0.2)));
        let aside = "it holds in all 2 comparisons (lrnn refuses yeast2)";
        assert_eq!(refused(&[yes, yes, None]), (ClaimStatus::Held, aside.to_owned()));
        let aside = "it holds in none of 1 comparisons (lrnn refuses yeast2)";
        assert_eq!(refused(&[no, None]), (ClaimStatus::DidNotHold, aside.to_owned()));
        let open = "no lrnn here; it holds in the 1 comparisons that are here (lrnn refuses yeast2)";
        assert_eq!(refused(&[yes, None, None]), (ClaimStatus::CannotBeSaid, open.to_owned()));
        assert_eq!(refused(&[None]), (ClaimStatus::CannotBeSaid, "lrnn refuses yeast2".to_owned()));
    }

    #[test]
    fn ensembles_must_be_significantly_better_somewhere() {
        let claim = CLAIMS.iter().find(|claim| claim.relation == ClaimedRelation::NotWorseAndSomewhereBetter).unwrap();
        assert_eq!(conclude(claim, &evidence(&[Some((true, 0.2)), Some((true, 0.3))])).0, ClaimStatus::DidNotHold);
        assert_eq!(conclude(claim, &evidence(&[Some((true, 0.2)), Some((true, 0.01))])).0, ClaimStatus::Held);
    }

    #[test]
    fn one_cell_of_table_1_contradicts_its_claim() {
        let board = CLAIMS.iter().find(|claim| claim.statement.contains("in every cell")).unwrap();
        let difference = |dataset, metric| published_difference(board, "rdn-boost", dataset, metric).unwrap();
        // 0.9719 and 0.9731.
        assert!(difference("uwcse", Column::AucRoc) < 0.0);
        assert!(difference("uwcse", Column::AucPr) > 0.0);
    }

    #[test]
    fn claims_refer_to_known_questions_and_tables() {
        for claim in CLAIMS {
            assert!(QUESTIONS.iter().any(|(name, _)| *name == claim.question));
            assert!(claim.published.is_none_or(|name| PublishedTable::find(name).is_some()));
        }
    }
}
