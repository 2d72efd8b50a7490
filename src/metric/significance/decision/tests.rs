//! Tests of the decision rule by hand; `tests/properties/significance.rs` compares it with SciPy.

use std::f64::consts::PI;

use super::*;

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[test]
fn p_values_and_intervals_match_hand_computed_tails() {
    // With one degree of freedom the tail of t is an angle.
    let tail = |t: f64| 0.5 - t.atan() / PI;
    let estimate = DifferenceEstimate { mean: 0.03, standard_error: 0.01, degrees_of_freedom: 1.0 };
    let p = estimate.p_values(0.02);
    near(p.difference, 2.0 * tail(3.0));
    near(p.not_worse, tail(5.0));
    near(p.worse, tail(-5.0));
    near(p.equivalent, tail(-1.0));
    near(p.beyond, 2.0 * tail(1.0));
    let interval = estimate.interval(0.5);
    near(interval.low, 0.02);
    near(interval.high, 0.04);
}

#[test]
fn without_spread_all_is_certain_except_at_the_boundary() {
    let estimate = |mean| DifferenceEstimate { mean, standard_error: 0.0, degrees_of_freedom: 4.0 };
    let p = estimate(0.03).p_values(0.02);
    assert_eq!((p.difference, p.not_worse, p.worse, p.equivalent, p.beyond), (0.0, 0.0, 1.0, 1.0, 0.0));
    let p = estimate(-0.02).p_values(0.02);
    assert_eq!((p.difference, p.not_worse, p.worse, p.equivalent, p.beyond), (0.0, 1.0, 1.0, 1.0, 1.0));
    let interval = estimate(0.03).interval(0.95);
    assert_eq!((interval.low, interval.high), (0.03, 0.03));
}

#[test]
fn findings_have_words_of_their_own() {
    let words = |sign, is_equivalent| Finding { sign, is_equivalent, is_not_worse: false, beyond: None }.words();
    let (positive, negative) = (Some(Sign::Positive), Some(Sign::Negative));
    assert_eq!([words(positive, false), words(negative, false)], ["higher", "lower"]);
    assert_eq!(
        [words(positive, true), words(negative, true)],
        ["higher, within the margin", "lower, within the margin"]
    );
    assert_eq!([words(None, true), words(None, false)], ["equivalent", "inconclusive"]);
}

fn of(values: &[f64]) -> Differences {
    Differences::new(values, &vec![0.0; values.len()]).unwrap()
}

#[test]
fn intervals_include_their_bounds() {
    let interval = Interval { low: -1.0, high: 2.0 };
    for (value, is_inside) in [(-1.5, false), (-1.0, true), (0.0, true), (2.0, true), (2.5, false)] {
        assert_eq!(interval.contains(value), is_inside, "{value}");
    }
}

#[test]
fn differences_without_spread_need_three_splits() {
    let paired = |values: &[f64], share| DifferenceEstimate::paired(&of(values), share);
    let certain = |mean| DifferenceEstimate { mean, standard_error: 0.0, degrees_of_freedom: 2.0 };
    assert_eq!(paired(&[0.25; 3], 0.5), Ok(certain(0.25)));
    assert_eq!(paired(&[0.0; 3], 0.0), Ok(certain(0.0)));
    assert_eq!(paired(&[0.25; 2], 0.5), Err(NoTest::TooFew { have: 2, min: 3 }));
    assert_eq!(paired(&[0.25], 0.5), Err(NoTest::TooFew { have: 1, min: 2 }));
    // s² = 2; the factor is 1/2 + 1.
    let found = paired(&[1.0, 3.0], 1.0).unwrap();
    assert_eq!((found.mean, found.degrees_of_freedom), (2.0, 1.0));
    near(found.standard_error, 3f64.sqrt());
}

#[test]
fn published_means_are_compared_as_in_welchs_test() {
    let average = |mean, deviation, n| Average { mean, deviation: Some(deviation), n };
    let unpaired = |a: &Average, b: &Average, share| DifferenceEstimate::unpaired(a, b, share);
    let (first, second) = (average(0.75, 6.0, 4), average(0.25, 6.0, 9));
    // Variances of the means 9 and 4; 169 / (81/3 + 16/8) degrees of freedom.
    let found = unpaired(&first, &second, 0.0).unwrap();
    near(found.mean, 0.5);
    near(found.standard_error, 13f64.sqrt());
    near(found.degrees_of_freedom, 169.0 / 29.0);
    // The correction adds the share to 1/n: (1/4 + 1/2)·36 and (1/9 + 1/2)·36.
    near(unpaired(&first, &second, 0.5).unwrap().standard_error, 49f64.sqrt());
    near(unpaired(&first, &average(0.25, 0.0, 9), 0.0).unwrap().standard_error, 3.0);
    assert!(unpaired(&first, &first, 0.0).is_ok());
    for share in [-0.5, f64::NAN, f64::INFINITY] {
        assert_eq!(unpaired(&first, &second, share), Err(NoTest::OutOfRange));
    }
    let exact = average(0.5, 0.0, 5);
    assert_eq!(unpaired(&exact, &exact, 0.0), Err(NoTest::NoSpread));
    let too_few = |n: usize| Err(NoTest::TooFew { have: n.min(1), min: 2 });
    assert_eq!(unpaired(&average(0.5, 1.0, 1), &second, 0.0), too_few(1));
    assert_eq!(unpaired(&first, &Average { mean: 0.5, deviation: None, n: 5 }, 0.0), too_few(5));
    assert!(unpaired(&average(0.5, 1.0, 2), &second, 0.0).is_ok());
}

#[test]
fn families_are_adjusted_test_by_test() {
    let values = |k: f64| PValues {
        difference: 0.01 * k,
        not_worse: 0.02 * k,
        worse: 0.03 * k,
        equivalent: 0.04 * k,
        beyond: 0.05 * k,
    };
    let family = [values(1.0), values(4.0)];
    let unadjusted = DecisionRule { is_adjusted: false, ..DecisionRule::STANDARD };
    assert_eq!(adjust(&unadjusted, &family).unwrap(), family);
    // The smaller of two is doubled.
    let adjusted = adjust(&DecisionRule::STANDARD, &family).unwrap();
    for (found, expected) in adjusted.iter().zip([values(2.0), values(4.0)]) {
        let fields: [fn(&PValues) -> f64; 5] =
            [|p| p.difference, |p| p.not_worse, |p| p.worse, |p| p.equivalent, |p| p.beyond];
        for get in fields {
            near(get(found), get(&expected));
        }
    }
    assert!(adjust(&DecisionRule::STANDARD, &[values(-1.0)]).is_err());
}

/// Estimates from clearly above the margin to clearly below it, and one that shows nothing.
const ESTIMATES: [(f64, f64); 6] =
    [(0.05, 0.001), (0.01, 0.001), (0.0, 0.001), (-0.01, 0.001), (-0.05, 0.001), (0.0, 0.05)];

fn estimates(which: &[Option<usize>]) -> Vec<Option<DifferenceEstimate>> {
    let estimate = |at: usize| {
        let (mean, standard_error) = ESTIMATES[at];
        DifferenceEstimate { mean, standard_error, degrees_of_freedom: 10.0 }
    };
    which.iter().map(|at| at.map(estimate)).collect()
}

fn decided(relation: Relation, which: &[Option<usize>]) -> char {
    let claim = decide(&DecisionRule::STANDARD, relation, &estimates(which)).unwrap();
    let missing: Vec<bool> = claim.comparisons.iter().map(Option::is_none).collect();
    assert_eq!(missing, which.iter().map(Option::is_none).collect::<Vec<_>>());
    claim.decision.words().chars().next().unwrap()
}

#[test]
fn each_relation_has_its_conditions() {
    for (relation, expected) in [
        (Relation::Higher, "ssrrri"),
        (Relation::ClearlyHigher, "srrrri"),
        (Relation::NotWorse, "ssssri"),
        (Relation::NotWorseAndSomewhereHigher, "ssrrri"),
        (Relation::OnAPar, "rsssri"),
    ] {
        let found: String = (0..ESTIMATES.len()).map(|at| decided(relation, &[Some(at)])).collect();
        assert_eq!(found, expected, "{relation:?}");
    }
}

#[test]
fn claims_need_all_comparisons() {
    use Relation::{Higher, NotWorse, NotWorseAndSomewhereHigher};
    let (above, within, level, below, unclear) = (Some(0), Some(1), Some(2), Some(4), Some(5));
    for (relation, which, expected) in [
        (Higher, &[above, within][..], 's'),
        (Higher, &[above, below], 'r'),
        (Higher, &[above, unclear], 'i'),
        (Higher, &[above, None], 'n'),
        (Higher, &[unclear, None], 'i'),
        (Higher, &[None, below], 'r'),
        (Higher, &[], 'n'),
        (NotWorse, &[level, None], 'n'),
        (NotWorseAndSomewhereHigher, &[level, above], 's'),
        (NotWorseAndSomewhereHigher, &[level, level], 'r'),
        (NotWorseAndSomewhereHigher, &[level, unclear], 'i'),
        (NotWorseAndSomewhereHigher, &[above, unclear], 'i'),
        // The comparison that cannot be tested may be higher.
        (NotWorseAndSomewhereHigher, &[level, None], 'i'),
        (NotWorseAndSomewhereHigher, &[above, None], 'n'),
        (NotWorseAndSomewhereHigher, &[None], 'n'),
    ] {
        assert_eq!(decided(relation, which), expected, "{relation:?} {which:?}");
    }
}

#[test]
fn comparisons_hold_raw_and_adjusted_p_values() {
    let claim = decide(&DecisionRule::STANDARD, Relation::Higher, &estimates(&[None, Some(5), Some(5)])).unwrap();
    let found = claim.comparisons[1].unwrap();
    assert_eq!((found.p.difference, found.adjusted.difference), (1.0, 1.0));
    near(found.adjusted.equivalent, (2.0 * found.p.equivalent).min(1.0));
    assert_eq!((found.finding.words(), found.decision), ("inconclusive", Decision::Inconclusive));
    let relations = [Relation::Higher, Relation::ClearlyHigher, Relation::NotWorse, Relation::OnAPar];
    for relation in relations {
        assert!(relation.criterion().contains("; refuted"), "{relation:?}");
    }
}

#[test]
fn scores_at_chance_have_chance_in_their_interval() {
    let is_at_chance = |scores: &[f64]| is_at_chance(&DecisionRule::STANDARD, scores, &vec![0.5; scores.len()], 0.25);
    assert_eq!(is_at_chance(&[0.45, 0.55, 0.48, 0.53]), Ok(true));
    assert_eq!(is_at_chance(&[0.70, 0.71, 0.72, 0.73]), Ok(false));
    assert_eq!(is_at_chance(&[0.30, 0.31, 0.32, 0.33]), Ok(false));
    // Each of them is the score of chance, up to rounding.
    assert_eq!(is_at_chance(&[0.5, 0.5 + 1e-10]), Ok(true));
    assert_eq!(is_at_chance(&[0.5, 0.5 - 1e-10]), Ok(true));
    assert_eq!(is_at_chance(&[0.5 + 1e-10; 2]), Ok(true));
    assert_eq!(is_at_chance(&[0.75; 2]), Err(NoTest::TooFew { have: 2, min: 3 }.into()));
    assert_eq!(is_at_chance(&[0.75]), Err(NoTest::TooFew { have: 1, min: 2 }.into()));
    assert!(matches!(is_at_chance(&[f64::NAN]), Err(ChanceError::Sample(_))));
}
