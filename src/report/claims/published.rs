//! What the published numbers alone say about a claim.

use super::claim::Claim;
use crate::metric::significance::decision::{self, Decision, DecisionRule, DifferenceEstimate, Relation};
use crate::metric::{Average, Column};
use crate::report::compare::signed;
use crate::report::published::{PublishedCell, PublishedTable};
use crate::report::table::metric_title;

/// Number of folds behind the published means and standard deviations.
const FOLDS: usize = 5;

/// Ratio of test to training examples with five folds.
const TEST_SHARE: f64 = 0.25;

/// Published means have two to four digits, so a difference of two may miss by rounding error.
const ROUNDING: f64 = 1e-9;

/// Difference of two published means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedDifference {
    /// The difference, in favor of the model of the claim if positive.
    pub mean: f64,
    /// The estimate by Welch's test, if standard deviations are published.
    pub estimate: Option<DifferenceEstimate>,
}

/// What the published numbers say about a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedReading {
    /// Whether the published means agree with the claim in every comparison; `None` if the paper
    /// has no numbers for it.
    pub means_agree: Option<bool>,
    /// Verdict by the same rule; `None` without standard deviations.
    pub decision: Option<Decision>,
    /// Both, in words.
    pub words: String,
}

/// Returns the difference of published means.
pub(super) fn difference(claim: &Claim, other: &str, dataset: &str, metric: Column) -> Option<PublishedDifference> {
    let table = PublishedTable::find(claim.published?)?;
    let (first, second) = (table.cell(dataset, claim.first, metric)?, table.cell(dataset, other, metric)?);
    let average = |cell: &PublishedCell| Average { mean: cell.mean, deviation: cell.deviation, n: FOLDS };
    let estimate = DifferenceEstimate::unpaired(&average(first), &average(second), TEST_SHARE).ok();
    Some(PublishedDifference { mean: first.mean - second.mean, estimate })
}

/// Reads the published numbers of a claim.
pub(super) fn reading(claim: &Claim) -> PublishedReading {
    let found: Vec<(&str, Column, PublishedDifference)> = claim
        .comparisons()
        .filter_map(|(other, dataset, metric)| Some((dataset, metric, difference(claim, other, dataset, metric)?)))
        .collect();
    if found.is_empty() {
        let words = "no numbers are published, only bar charts".to_owned();
        return PublishedReading { means_agree: None, decision: None, words };
    }
    let missed: Vec<String> = found
        .iter()
        .filter(|(_, _, published)| !agrees(claim.relation, published.mean))
        .map(|(dataset, metric, published)| format!("{dataset} {} {}", metric_title(*metric), signed(published.mean)))
        .collect();
    let is_higher_somewhere = found.iter().any(|(_, _, published)| published.mean > ROUNDING);
    let lacks_gain = claim.relation == Relation::NotWorseAndSomewhereHigher && !is_higher_somewhere;
    let means = match (missed.is_empty(), lacks_gain) {
        (true, false) => format!("the means agree in all {} comparisons", found.len()),
        (true, true) => "the means are higher nowhere".to_owned(),
        (false, _) => format!("the means contradict it in {} of {}: {}", missed.len(), found.len(), missed.join(", ")),
    };
    let estimates: Vec<Option<DifferenceEstimate>> = found.iter().map(|(_, _, published)| published.estimate).collect();
    let decided = decision::decide(&DecisionRule::STANDARD, claim.relation, &estimates).ok();
    let decision = decided.filter(|_| estimates.iter().any(Option::is_some)).map(|decided| decided.decision);
    let test = decision.map_or("no test without standard deviations".to_owned(), |decision| {
        format!("by Welch's test {}", decision.words())
    });
    let means_agree = Some(missed.is_empty() && !lacks_gain);
    PublishedReading { means_agree, decision, words: format!("{means}; {test}") }
}

/// Returns whether a difference of means is what a relation claims of each comparison.
fn agrees(relation: Relation, difference: f64) -> bool {
    let margin = DecisionRule::STANDARD.margin;
    match relation {
        Relation::Higher => difference > ROUNDING,
        Relation::ClearlyHigher => difference > margin + ROUNDING,
        Relation::NotWorse | Relation::NotWorseAndSomewhereHigher => difference >= -margin - ROUNDING,
        Relation::OnAPar => difference.abs() <= margin + ROUNDING,
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::CLAIMS;
    use super::*;

    fn of(statement: &str) -> PublishedReading {
        reading(CLAIMS.iter().find(|claim| claim.statement.contains(statement)).unwrap())
    }

    #[test]
    fn one_cell_of_table_1_contradicts_its_claim() {
        let board = of("in every cell");
        // 0.9719 and 0.9731.
        assert_eq!(
            board.words,
            "the means contradict it in 1 of 8: uwcse AUC-ROC −0.0012; no test without standard deviations"
        );
        assert_eq!((board.means_agree, board.decision), (Some(false), None));
    }

    #[test]
    fn losses_of_the_explainable_model_are_above_the_margin() {
        let losses = of("costs little or no AUC");
        assert_eq!(losses.means_agree, Some(false));
        for loss in
            ["yeast2 AUC-ROC −0.1200", "yeast2 AUC-PR −0.1100", "sports AUC-PR −0.0700", "uwcse AUC-ROC −0.0300"]
        {
            assert!(losses.words.contains(loss), "{}", losses.words);
        }
        // 0.63 and 0.61 differ by the margin, which is not above it.
        assert!(!losses.words.contains("webkb AUC-ROC"), "{}", losses.words);
        assert!(losses.decision.is_some());
    }

    #[test]
    fn bar_charts_have_no_numbers() {
        assert_eq!(of("beats LRNN significantly").means_agree, None);
    }
}
