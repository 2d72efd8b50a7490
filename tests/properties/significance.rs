//! Property tests of the significance tests: each fast implementation agrees with a slow one
//! written from the definition, and with recorded results of SciPy.

use lrbm::internal::metric::Average;
use lrbm::internal::metric::significance::decision::{
    Decision, DecisionRule, DifferenceEstimate, Relation, decide, is_at_chance,
};
use lrbm::internal::metric::significance::{
    ALPHA, CriticalLevel, Differences, NoTest, Ranks, SampleError, Verdict, Zeros, corrected_t, effect, holm,
    mean_test_share, smallest_reachable_p, wilcoxon,
};
use proptest::prelude::*;
use serde::Deserialize;

fn of(values: &[f64]) -> Differences {
    Differences::new(values, &vec![0.0; values.len()]).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * a.abs().max(b.abs()).max(1.0)
}

/// Differences with many ties and zeros.
fn differences(max: usize) -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![
        prop::collection::vec((-3i8..=4).prop_map(f64::from), 0..=max),
        prop::collection::vec(-1.0..1.0, 0..=max),
    ]
}

/// Ranks by definition: the number of smaller values plus the mean position among ties.
fn slow_ranks(sizes: &[f64]) -> Vec<f64> {
    let rank = |size: &f64| {
        let below = sizes.iter().filter(|other| *other < size).count() as f64;
        let level = sizes.iter().filter(|other| *other == size).count() as f64;
        below + (level + 1.0) / 2.0
    };
    sizes.iter().map(rank).collect()
}

/// Returns the positive rank sum and the p-value by enumerating all sign vectors.
fn slow_wilcoxon(values: &[f64], zeros: Zeros) -> Option<(f64, f64)> {
    let kept: Vec<f64> = values.iter().copied().filter(|&value| zeros == Zeros::Pratt || value != 0.0).collect();
    let ranks = slow_ranks(&kept.iter().map(|value| value.abs()).collect::<Vec<_>>());
    let ranked: Vec<(f64, f64)> = kept.into_iter().zip(ranks).filter(|&(value, _)| value != 0.0).collect();
    if ranked.is_empty() {
        return None;
    }
    let total: f64 = ranked.iter().map(|&(_, rank)| rank).sum();
    let plus: f64 = ranked.iter().filter(|&&(value, _)| value > 0.0).map(|&(_, rank)| rank).sum();
    let seen = (plus - total / 2.0).abs();
    let mut extreme = 0u32;
    for signs in 0u32..1 << ranked.len() {
        let sum: f64 = (0..ranked.len()).filter(|bit| signs >> bit & 1 == 1).map(|bit| ranked[bit].1).sum();
        extreme += u32::from((sum - total / 2.0).abs() >= seen);
    }
    Some((plus, f64::from(extreme) / f64::from(1u32 << ranked.len())))
}

/// Runs Holm's procedure step by step and returns the rejected hypotheses.
fn holm_rejects(p_values: &[f64], alpha: f64) -> Vec<bool> {
    let mut rejected = vec![false; p_values.len()];
    loop {
        let left: Vec<usize> = (0..p_values.len()).filter(|&at| !rejected[at]).collect();
        let Some(&smallest) = left.iter().min_by(|&&a, &&b| p_values[a].total_cmp(&p_values[b])) else { break };
        if p_values[smallest] * left.len() as f64 > alpha {
            break;
        }
        rejected[smallest] = true;
    }
    rejected
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn wilcoxon_matches_enumeration_of_all_sign_vectors(values in differences(12), pratt: bool) {
        let zeros = if pratt { Zeros::Pratt } else { Zeros::Drop };
        let found = wilcoxon(&of(&values), zeros, 1.0);
        match slow_wilcoxon(&values, zeros) {
            None if values.is_empty() => prop_assert_eq!(found, Err(NoTest::TooFew { have: 0, min: 1 })),
            None => prop_assert_eq!(found, Err(NoTest::AllEqual)),
            Some((plus, p)) => {
                let found = found.unwrap();
                prop_assert_eq!(found.plus, plus);
                prop_assert!(found.is_exact);
                prop_assert_eq!(found.verdict, Verdict::P(p));
                prop_assert!(p >= smallest_reachable_p(found.pairs));
                let effect = found.rank_biserial();
                prop_assert!((-1.0..=1.0).contains(&effect));
                // Swapping the samples reverses only the direction.
                let back = wilcoxon(&of(&values).reversed(), zeros, 1.0).unwrap();
                prop_assert_eq!((back.plus, back.minus, back.verdict), (found.minus, found.plus, found.verdict));
                prop_assert_eq!(back.rank_biserial(), -effect);
                // An unreachable level never comes with a p-value.
                let strict = wilcoxon(&of(&values), zeros, ALPHA).unwrap().verdict;
                prop_assert_eq!(strict.p().is_none(), found.pairs < 6);
            }
        }
    }

    #[test]
    fn normal_approximation_is_close_to_the_exact_p(values in prop::collection::vec(prop_oneof![-1.0..-0.01, 0.01..1.5], 26..=30)) {
        let found = wilcoxon(&of(&values), Zeros::Drop, ALPHA).unwrap();
        prop_assert!(!found.is_exact);
        let total = values.len() * (values.len() + 1) / 2;
        // Probability of each sum of a random subset of the ranks 1 to n.
        let mut shares = vec![0.0; total + 1];
        shares[0] = 1.0;
        for rank in 1..=values.len() {
            for sum in (0..=total).rev() {
                shares[sum] = (shares[sum] + if sum < rank { 0.0 } else { shares[sum - rank] }) / 2.0;
            }
        }
        let smaller = found.plus.min(found.minus) as usize;
        let exact = (2.0 * shares[..=smaller].iter().sum::<f64>()).min(1.0);
        prop_assert!((found.verdict.p().unwrap() - exact).abs() < 0.02, "{:?} and {}", found, exact);
    }

    #[test]
    fn holm_adjusts_to_the_smallest_rejecting_level(p in prop::collection::vec(prop_oneof![0.0..=1.0, 0.0..0.05], 0..10)) {
        let adjusted = holm(&p).unwrap();
        for (at, &level) in adjusted.iter().enumerate() {
            prop_assert!(level >= p[at] && level <= 1.0);
            prop_assert!(level == 1.0 || holm_rejects(&p, level * (1.0 + 1e-12))[at]);
            prop_assert!(!holm_rejects(&p, level * (1.0 - 1e-9))[at] || level == 0.0);
        }
    }

    #[test]
    fn friedman_without_ties_matches_the_textbook_formula(
        rows in prop::collection::vec(Just(vec![1.0, 2.0, 3.0, 4.0, 5.0]).prop_shuffle(), 2..12),
        models in 2usize..=5,
    ) {
        let rows: Vec<Vec<f64>> = rows.into_iter().map(|row| row[..models].to_vec()).collect();
        let ranks = Ranks::new(&rows, false).unwrap();
        let (k, n) = (models as f64, rows.len() as f64);
        let mut squares = 0.0;
        for model in 0..models {
            let sum: f64 = rows.iter().map(|row| slow_ranks(row)[model]).sum();
            prop_assert!(near(ranks.means()[model], sum / n));
            squares += sum * sum;
        }
        // Friedman (1937) as in textbooks: 12 / (N k (k + 1)) · Σ R² − 3 N (k + 1).
        let expected = 12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0);
        let found = ranks.friedman(1.0).unwrap();
        prop_assert!(near(found.chi_square, expected), "{} and {}", found.chi_square, expected);
        let p = found.verdict.p().unwrap();
        prop_assert!((0.0..=1.0).contains(&p) && (0.0..=1.0).contains(&found.chi_square_p));
        // The other direction reverses the ranks and gives the same statistic.
        let down = Ranks::new(&rows, true).unwrap();
        for (up, down) in ranks.means().iter().zip(down.means()) {
            prop_assert!(near(up + down, k + 1.0));
        }
        prop_assert!(near(down.friedman(1.0).unwrap().chi_square, expected));
    }

    #[test]
    fn groups_are_maximal(
        rows in prop::collection::vec(prop::collection::vec((0u8..6).prop_map(f64::from), 6), 1..6),
        difference in 0.0..4.0,
    ) {
        let ranks = Ranks::new(&rows, true).unwrap();
        let order = ranks.order();
        let together = |start: usize, end: usize| ranks.means()[order[end]] - ranks.means()[order[start]] < difference;
        let groups = ranks.groups(difference);
        for start in 0..order.len() {
            for end in start + 1..order.len() {
                let is_longest = together(start, end)
                    && (start == 0 || !together(start - 1, end))
                    && (end + 1 == order.len() || !together(start, end + 1));
                prop_assert_eq!(groups.contains(&(start..end + 1)), is_longest, "{} to {}", start, end);
            }
        }
    }

    #[test]
    fn t_is_invariant_to_scale_and_order(values in prop::collection::vec(-1.0..1.0, 2..8), share in 0.0..1.0) {
        let Ok(found) = corrected_t(&of(&values), share) else { return Ok(()) };
        let scaled: Vec<f64> = values.iter().rev().map(|value| value * 1024.0).collect();
        let same = corrected_t(&of(&scaled), share).unwrap();
        prop_assert!(near(found.t, same.t) && near(found.p, same.p));
        let back = corrected_t(&of(&values).reversed(), share).unwrap();
        prop_assert!(near(found.t, -back.t) && near(found.p, back.p));
        prop_assert!((0.0..=1.0).contains(&found.p));
        // A larger correction gives a larger p.
        prop_assert!(corrected_t(&of(&values), share + 0.5).unwrap().p >= found.p - 1e-15);
        let counts = effect::win_tie_loss(&of(&values));
        prop_assert_eq!(counts.wins + counts.ties + counts.losses, values.len());
        prop_assert!(near(effect::standardized_mean(&of(&values)).unwrap() / (1.0 / values.len() as f64 + share).sqrt(), found.t));
    }

    #[test]
    fn nan_is_an_error(mut values in differences(6), at in 0usize..7) {
        let index = at % (values.len() + 1);
        values.insert(index, f64::NAN);
        let zeros = vec![0.0; values.len()];
        for error in [Differences::new(&values, &zeros).unwrap_err(), Differences::new(&zeros, &values).unwrap_err()] {
            let named = matches!(error, SampleError::NotFinite { index: at, .. } if at == index);
            prop_assert!(named, "{:?}", error);
        }
        prop_assert!(Ranks::new(&[values.clone()], true).is_err());
    }
}

/// Results recorded by `scripts/check_metrics`.
#[derive(Deserialize)]
struct Recorded {
    decisions: Vec<RecordedDecision>,
    published: Vec<RecordedWelch>,
    signed_ranks: Vec<SignedRanks>,
    paired: Vec<Paired>,
    friedman: Vec<RecordedFriedman>,
    critical_values: Vec<CriticalValue>,
}

#[derive(Deserialize)]
struct RecordedDecision {
    share: f64,
    comparisons: Vec<Vec<f64>>,
    missing: bool,
    /// By relation, the verdicts by the standard rule and its alternatives.
    verdicts: std::collections::BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct RecordedWelch {
    n: usize,
    first: (f64, f64),
    second: (f64, f64),
    share: f64,
    t: f64,
    p: f64,
}

#[derive(Deserialize)]
struct SignedRanks {
    zeros: String,
    differences: Vec<f64>,
    statistic: f64,
    p: f64,
}

#[derive(Deserialize)]
struct Paired {
    first: Vec<f64>,
    second: Vec<f64>,
    sizes: Vec<(usize, usize)>,
    plain_t: f64,
    plain_p: f64,
    corrected_t: f64,
    corrected_p: f64,
}

#[derive(Deserialize)]
struct RecordedFriedman {
    rows: Vec<Vec<f64>>,
    chi_square: f64,
    chi_square_p: f64,
    f: f64,
    f_p: f64,
}

#[derive(Deserialize)]
struct CriticalValue {
    alpha: f64,
    models: usize,
    q: f64,
}

fn recorded() -> Recorded {
    serde_json::from_str(include_str!("../fixtures/metrics/significance.json")).expect("the file was written as JSON")
}

#[test]
fn wilcoxon_matches_scipy() {
    let cases = recorded().signed_ranks;
    assert!(cases.len() > 30, "only {} cases", cases.len());
    for case in cases {
        let zeros = if case.zeros == "pratt" { Zeros::Pratt } else { Zeros::Drop };
        let found = wilcoxon(&of(&case.differences), zeros, 1.0).unwrap();
        assert_eq!(found.plus.min(found.minus), case.statistic, "{:?}", case.differences);
        assert!(near(found.verdict.p().unwrap(), case.p), "{found:?} is not {}: {:?}", case.p, case.differences);
    }
}

#[test]
fn t_tests_match_scipy() {
    let cases = recorded().paired;
    assert_eq!(cases.len(), 12);
    for case in cases {
        let pairs = Differences::new(&case.first, &case.second).unwrap();
        let plain = corrected_t(&pairs, 0.0).unwrap();
        assert!(near(plain.t, case.plain_t) && near(plain.p, case.plain_p), "{plain:?}");
        let found = corrected_t(&pairs, mean_test_share(&case.sizes).unwrap()).unwrap();
        assert!(near(found.t, case.corrected_t) && near(found.p, case.corrected_p), "{found:?}");
    }
}

#[test]
fn friedman_matches_scipy() {
    let cases = recorded().friedman;
    assert_eq!(cases.len(), 18);
    for case in cases {
        let found = Ranks::new(&case.rows, true).unwrap().friedman(1.0).unwrap();
        assert!(near(found.chi_square, case.chi_square) && near(found.f, case.f), "{found:?}");
        assert!(near(found.chi_square_p, case.chi_square_p), "{found:?} is not {}", case.chi_square_p);
        assert!(near(found.verdict.p().unwrap(), case.f_p), "{found:?} is not {}", case.f_p);
    }
}

#[test]
fn critical_values_match_the_studentized_range() {
    let cases = recorded().critical_values;
    assert_eq!(cases.len(), 18);
    for case in cases {
        let level = if case.alpha == 0.05 { CriticalLevel::Five } else { CriticalLevel::Ten };
        let row: Vec<f64> = (0..case.models).map(|model| model as f64).collect();
        let difference = Ranks::new(&[row], true).unwrap().critical_difference(level).unwrap();
        let k = case.models as f64;
        let q = difference / (k * (k + 1.0) / 6.0).sqrt();
        // The printed table has three decimals, some off by one in the last.
        assert!((q - case.q).abs() < 0.00105, "{q} is not {} for {} models", case.q, case.models);
    }
}

fn relation(name: &str) -> Relation {
    match name {
        "higher" => Relation::Higher,
        "clearly higher" => Relation::ClearlyHigher,
        "not worse" => Relation::NotWorse,
        "somewhere" => Relation::NotWorseAndSomewhereHigher,
        "on a par" => Relation::OnAPar,
        other => panic!("unknown relation {other}"),
    }
}

/// The other implementation works with confidence intervals and Holm's steps instead of p-values.
#[test]
fn decisions_match_scipy() {
    let cases = recorded().decisions;
    assert_eq!(cases.len(), 72);
    let mut seen = std::collections::BTreeMap::new();
    for case in cases {
        let standard = ("standard", DecisionRule::STANDARD);
        let rules: Vec<_> = std::iter::once(standard).chain(DecisionRule::ALTERNATIVES).collect();
        for (name, verdicts) in &case.verdicts {
            assert_eq!(verdicts.len(), rules.len());
            for ((changed, rule), expected) in rules.iter().zip(verdicts) {
                let share = if rule.is_corrected { case.share } else { 0.0 };
                let estimate = |values: &Vec<f64>| Some(DifferenceEstimate::paired(&of(values), share).unwrap());
                let mut estimates: Vec<Option<DifferenceEstimate>> = case.comparisons.iter().map(estimate).collect();
                estimates.extend(case.missing.then_some(None));
                let found = decide(rule, relation(name), &estimates).unwrap();
                assert_eq!(found.decision.words(), expected, "{name}, {changed}: {found:?}");
                *seen.entry((name.clone(), expected.clone())).or_insert(0) += 1;
            }
        }
    }
    // Every relation meets every verdict, but equivalence everywhere leaves nothing untestable.
    assert!(seen.len() >= 19, "{seen:?}");
}

#[test]
fn differences_of_published_means_match_scipy() {
    let cases = recorded().published;
    assert_eq!(cases.len(), 9);
    for case in cases {
        let average = |(mean, deviation): (f64, f64)| Average { mean, deviation: Some(deviation), n: case.n };
        let found = DifferenceEstimate::unpaired(&average(case.first), &average(case.second), case.share).unwrap();
        assert!(near(found.mean / found.standard_error, case.t), "{found:?}");
        assert!(near(found.p_values(0.02).difference, case.p), "{found:?} is not {}", case.p);
    }
}

/// Planted data: scores of two models over 30 splits, or three of them.
#[test]
fn planted_data_get_the_verdict_they_should() {
    let noise = |i: usize| ((i * 7919 % 101) as f64 / 101.0 - 0.5) * 0.02;
    let verdict = |gap: f64, splits: usize, relation| {
        let differences: Vec<f64> = (0..splits).map(|i| gap + noise(i)).collect();
        let estimate = DifferenceEstimate::paired(&of(&differences), 0.25).unwrap();
        decide(&DecisionRule::STANDARD, relation, &[Some(estimate)]).unwrap().decision
    };
    use Decision::*;
    let all = [Relation::Higher, Relation::ClearlyHigher, Relation::NotWorse, Relation::OnAPar];
    // A true difference, in both directions; none; too little data.
    assert_eq!(all.map(|relation| verdict(0.1, 30, relation)), [Supported, Supported, Supported, Refuted]);
    assert_eq!(all.map(|relation| verdict(-0.1, 30, relation)), [Refuted, Refuted, Refuted, Refuted]);
    assert_eq!(all.map(|relation| verdict(0.0, 30, relation)), [Refuted, Refuted, Supported, Supported]);
    assert_eq!(all.map(|relation| verdict(0.01, 2, relation)), [Inconclusive; 4]);
    // A difference that is real and negligible is a gain, but no clear one.
    assert_eq!(all.map(|relation| verdict(0.012, 30, relation)), [Supported, Refuted, Supported, Supported]);
    // A method at chance is recognized, whatever its spread, and nothing is decided without it.
    let chance = vec![0.5; 30];
    let scores = |mean: f64, scale: f64| (0..30).map(|i| mean + scale * noise(i)).collect::<Vec<_>>();
    let at_chance = |scores: &[f64]| is_at_chance(&DecisionRule::STANDARD, scores, &chance, 0.25).unwrap();
    assert!(at_chance(&chance) && at_chance(&scores(0.501, 1.0)) && at_chance(&scores(0.6, 20.0)));
    assert!(!at_chance(&scores(0.6, 1.0)) && !at_chance(&scores(0.4, 1.0)));
    let none = decide(&DecisionRule::STANDARD, Relation::Higher, &[None]).unwrap();
    assert_eq!(none.decision, NotTestable);
}

#[test]
fn differences_without_spread_are_certain() {
    let decided = |values: &[f64], relation| {
        let estimate = DifferenceEstimate::paired(&of(values), 0.25)?;
        Ok(decide(&DecisionRule::STANDARD, relation, &[Some(estimate)]).unwrap().decision)
    };
    assert_eq!(decided(&[0.0; 3], Relation::OnAPar), Ok(Decision::Supported));
    assert_eq!(decided(&[0.0; 3], Relation::Higher), Ok(Decision::Refuted));
    assert_eq!(decided(&[0.1; 3], Relation::ClearlyHigher), Ok(Decision::Supported));
    assert_eq!(decided(&[0.1; 3], Relation::OnAPar), Ok(Decision::Refuted));
    assert_eq!(decided(&[0.1; 2], Relation::Higher), Err(NoTest::TooFew { have: 2, min: 3 }));
    assert_eq!(decided(&[0.1], Relation::Higher), Err(NoTest::TooFew { have: 1, min: 2 }));
}
