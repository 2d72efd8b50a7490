//! Property tests of the metrics: each fast implementation agrees with a slow one written from
//! the definition, and with recorded results of other programs.

use lrbm::internal::metric::calibration::{MIN_PROBABILITY, brier, cll, ece};
use lrbm::internal::metric::ranking::{
    auc_pr, auc_pr_jar, auc_roc, auc_roc_jar, average_precision, pr_curve, roc_curve,
};
use lrbm::internal::metric::threshold::{best, f1_at, f1_half};
use lrbm::internal::metric::{Column, MetricError, Metrics, Output, Probabilities, Ranking, Threshold, Undefined};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Scores with many ties, and some extreme ones.
fn score() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![
        6 => (-3i8..4).prop_map(f64::from),
        2 => -1.0..1.0,
        1 => prop::sample::select(vec![f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MAX, 5e-324]),
    ]
}

/// Probabilities with many ties, bin bounds, and neighbors of bounds.
fn probability() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![
        3 => (0u8..=10).prop_map(|tenth| f64::from(tenth) / 10.0),
        1 => (0u8..10).prop_map(|tenth| (f64::from(tenth) / 10.0).next_up()),
        2 => 0.0..=1.0,
    ]
}

/// Examples, often of a single class or with a single score.
fn examples(score: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = (Vec<f64>, Vec<bool>)> {
    let share = prop_oneof![4 => 0.1..0.9, 1 => Just(0.0), 1 => Just(1.0)];
    let constant = (score.clone(), 0usize..20).prop_map(|(score, count)| vec![score; count]);
    let scores = prop_oneof![6 => prop::collection::vec(score, 0..60), 1 => constant];
    (scores, share).prop_flat_map(|(scores, share)| {
        let labels = prop::collection::vec(prop::bool::weighted(share), scores.len());
        (Just(scores), labels)
    })
}

fn count(labels: &[bool], label: bool) -> usize {
    labels.iter().filter(|&&here| here == label).count()
}

fn missing_class(labels: &[bool]) -> Option<Undefined> {
    match (count(labels, true), count(labels, false)) {
        (0, 0) => Some(Undefined::NoExamples),
        (0, _) => Some(Undefined::NoPositives),
        (_, 0) => Some(Undefined::NoNegatives),
        _ => None,
    }
}

/// Returns true and false positives when all scores of at least `threshold` are predicted
/// positive.
fn confusion(scores: &[f64], labels: &[bool], threshold: f64) -> (usize, usize) {
    let chosen = |wanted| scores.iter().zip(labels).filter(|&(&s, &l)| s >= threshold && l == wanted).count();
    (chosen(true), chosen(false))
}

/// Returns the distinct (TP, FP) pairs over all thresholds, sorted, each by a pass over all
/// examples.
fn slow_curve(scores: &[f64], labels: &[bool]) -> Vec<(usize, usize)> {
    let mut curve: Vec<_> = scores.iter().map(|&threshold| confusion(scores, labels, threshold)).collect();
    curve.sort();
    curve.dedup();
    curve
}

fn slow_auc_roc(scores: &[f64], labels: &[bool]) -> f64 {
    let of = |wanted| scores.iter().zip(labels).filter(move |&(_, &label)| label == wanted).map(|(&score, _)| score);
    let mut wins = 0.0;
    for positive in of(true) {
        for negative in of(false) {
            wins += f64::from(positive > negative) + 0.5 * f64::from(positive == negative);
        }
    }
    wins / (count(labels, true) * count(labels, false)) as f64
}

/// Returns the area under straight lines from the origin through the points.
fn trapezoids(points: &[(f64, f64)]) -> f64 {
    let from_origin: Vec<_> = std::iter::once((0.0, 0.0)).chain(points.iter().copied()).collect();
    from_origin.windows(2).map(|ends| (ends[1].0 - ends[0].0) * (ends[0].1 + ends[1].1) / 2.0).sum()
}

fn slow_auc_roc_jar(scores: &[f64], labels: &[bool]) -> f64 {
    let (positives, negatives) = (count(labels, true) as f64, count(labels, false) as f64);
    let with_positive = slow_curve(scores, labels).into_iter().filter(|&(tp, _)| tp > 0);
    let points: Vec<_> = with_positive.map(|(tp, fp)| (fp as f64 / negatives, tp as f64 / positives)).collect();
    trapezoids(&points)
}

/// Area under the interpolated curve, with each step of one true positive written out.
fn slow_auc_pr(scores: &[f64], labels: &[bool], jar: bool) -> f64 {
    let mut curve = slow_curve(scores, labels);
    if jar {
        curve.retain(|&(tp, _)| tp > 0);
    }
    curve.insert(0, (0, 0));
    let mut filled: Vec<(f64, f64)> = Vec::new();
    for ends in curve.windows(2) {
        let ((tp_a, fp_a), (tp_b, fp_b)) = (ends[0], ends[1]);
        if tp_a == tp_b {
            filled.push((tp_b as f64, fp_b as f64));
        }
        let slope = (fp_b - fp_a) as f64 / (tp_b - tp_a) as f64;
        for x in 1..=(tp_b - tp_a) {
            filled.push(((tp_a + x) as f64, fp_a as f64 + slope * x as f64));
        }
    }
    filled.retain(|&(tp, _)| tp > 0.0);
    let total = count(labels, true) as f64;
    let curve: Vec<(f64, f64)> = filled.iter().map(|&(tp, fp)| (tp / total, tp / (tp + fp))).collect();
    let strips = curve.windows(2).map(|ends| (ends[1].0 - ends[0].0) * (ends[0].1 + ends[1].1) / 2.0);
    curve[0].0 * curve[0].1 + strips.sum::<f64>()
}

/// Mean over the positives of the precision at their score.
fn slow_average_precision(scores: &[f64], labels: &[bool]) -> f64 {
    let mut sum = 0.0;
    for (&score, _) in scores.iter().zip(labels).filter(|&(_, &label)| label) {
        let (tp, fp) = confusion(scores, labels, score);
        sum += tp as f64 / (tp + fp) as f64;
    }
    sum / count(labels, true) as f64
}

/// F1 as the harmonic mean of precision and recall.
fn slow_f1(scores: &[f64], labels: &[bool], threshold: f64) -> f64 {
    let (tp, fp) = confusion(scores, labels, threshold);
    if tp == 0 {
        return 0.0;
    }
    let (precision, recall) = (tp as f64 / (tp + fp) as f64, tp as f64 / count(labels, true) as f64);
    2.0 / (1.0 / precision + 1.0 / recall)
}

fn slow_ece(values: &[f64], labels: &[bool]) -> f64 {
    let mut error = 0.0;
    for bin in 0..10 {
        let (low, high) = (f64::from(bin) / 10.0, f64::from(bin + 1) / 10.0);
        let inside = |value: f64| (value > low || bin == 0) && value <= high;
        let members: Vec<(f64, bool)> =
            values.iter().copied().zip(labels.iter().copied()).filter(|&(value, _)| inside(value)).collect();
        if members.is_empty() {
            continue;
        }
        let size = members.len() as f64;
        let confidence = members.iter().map(|&(value, _)| value).sum::<f64>() / size;
        let accuracy = members.iter().filter(|&&(_, label)| label).count() as f64 / size;
        error += size / values.len() as f64 * (accuracy - confidence).abs();
    }
    error
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn areas_match_their_definitions((scores, labels) in examples(score())) {
        let ranking = Ranking::new(&scores, &labels).unwrap();
        if let Some(reason) = missing_class(&labels) {
            for area in [auc_roc, auc_pr, average_precision] {
                prop_assert_eq!(area(&ranking), Err(reason));
            }
            let jar = if count(&labels, true) == 0 { (0.5, 0.0) } else { (1.0, 1.0) };
            prop_assert_eq!((auc_roc_jar(&ranking), auc_pr_jar(&ranking)), jar);
            return Ok(());
        }
        for (name, fast, slow) in [
            ("roc", auc_roc(&ranking).unwrap(), slow_auc_roc(&scores, &labels)),
            ("roc jar", auc_roc_jar(&ranking), slow_auc_roc_jar(&scores, &labels)),
            ("pr", auc_pr(&ranking).unwrap(), slow_auc_pr(&scores, &labels, false)),
            ("pr jar", auc_pr_jar(&ranking), slow_auc_pr(&scores, &labels, true)),
            ("average precision", average_precision(&ranking).unwrap(), slow_average_precision(&scores, &labels)),
        ] {
            prop_assert!(near(fast, slow), "{}: {} is not {}", name, fast, slow);
            prop_assert!((0.0..=1.0 + 1e-12).contains(&fast), "{}: {}", name, fast);
        }
        // Trapezoids below each curve give its area; the PR curve is constant before its first
        // vertex.
        let under = |curve: Vec<(f64, f64)>| -> f64 {
            curve.windows(2).map(|pair| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0).sum()
        };
        let (roc, pr) = (roc_curve(&ranking).unwrap(), pr_curve(&ranking).unwrap());
        prop_assert!(near(under(roc), auc_roc(&ranking).unwrap()));
        prop_assert!(near(pr[0].0 * pr[0].1 + under(pr), auc_pr(&ranking).unwrap()));
        prop_assert!(auc_roc_jar(&ranking) >= auc_roc(&ranking).unwrap());
        prop_assert!(auc_pr_jar(&ranking) >= auc_pr(&ranking).unwrap());
    }

    #[test]
    fn areas_depend_only_on_the_order_of_scores((scores, labels) in examples(score()), turn in 0usize..60) {
        // Ranks instead of scores, with the examples permuted, give the same bits.
        let rank = |score: &f64| scores.iter().filter(|other| *other < score).count() as f64;
        let mut moved: Vec<(f64, bool)> = scores.iter().map(rank).zip(labels.iter().copied()).collect();
        moved.rotate_left(turn % scores.len().max(1));
        moved.reverse();
        let (ranks, turned): (Vec<f64>, Vec<bool>) = moved.into_iter().unzip();
        let (a, b) = (Ranking::new(&scores, &labels).unwrap(), Ranking::new(&ranks, &turned).unwrap());
        for area in [auc_roc, auc_pr, average_precision] {
            prop_assert_eq!(area(&a), area(&b));
        }
        prop_assert_eq!(auc_roc_jar(&a), auc_roc_jar(&b));
        prop_assert_eq!(auc_pr_jar(&a), auc_pr_jar(&b));
        // Negated scores reverse every pair.
        let down: Vec<f64> = scores.iter().map(|score| -score).collect();
        if let Ok(up) = auc_roc(&a) {
            let down = auc_roc(&Ranking::new(&down, &labels).unwrap()).unwrap();
            prop_assert!(near(up + down, 1.0), "{} and {}", up, down);
        }
    }

    #[test]
    fn calibration_metrics_match_their_definitions((values, labels) in examples(probability())) {
        let predicted = Probabilities::new(&values, &labels).unwrap();
        if values.is_empty() {
            prop_assert_eq!(ece(&predicted), Err(Undefined::NoExamples));
            return Ok(());
        }
        let of_truth = |(&value, &label): (&f64, &bool)| if label { value } else { 1.0 - value };
        let truth: Vec<f64> = values.iter().zip(&labels).map(of_truth).collect();
        let size = values.len() as f64;
        let likelihood = truth.iter().map(|value| value.max(MIN_PROBABILITY).log2()).sum::<f64>() * 2f64.ln() / size;
        let squares = truth.iter().map(|value| (1.0 - value) * (1.0 - value)).sum::<f64>() / size;
        prop_assert!(near(cll(&predicted).unwrap(), likelihood));
        prop_assert!(near(brier(&predicted).unwrap(), squares));
        prop_assert!(near(ece(&predicted).unwrap(), slow_ece(&values, &labels)));
        match f1_half(&predicted) {
            Ok(value) => prop_assert!(near(value, slow_f1(&values, &labels, 0.5))),
            Err(reason) => prop_assert_eq!((reason, count(&labels, true)), (Undefined::NoPositives, 0)),
        }
    }

    #[test]
    fn best_threshold_has_the_highest_f1((scores, labels) in examples(score()), other in score()) {
        let ranking = Ranking::new(&scores, &labels).unwrap();
        let at_other = f1_at(&ranking, Threshold::new(other).unwrap());
        if count(&labels, true) == 0 {
            prop_assert_eq!(best(&ranking), Err(Undefined::NoTrainingPositives));
            prop_assert_eq!(at_other, Err(Undefined::NoPositives));
            return Ok(());
        }
        prop_assert!(near(at_other.unwrap(), slow_f1(&scores, &labels, other)));
        let threshold = best(&ranking).unwrap();
        let value = f1_at(&ranking, threshold).unwrap();
        for &score in &scores {
            let slow = slow_f1(&scores, &labels, score);
            prop_assert!(slow <= value + 1e-12, "{} at {} is better than {}", slow, score, value);
            prop_assert!(score <= threshold.score() || slow < value - 1e-12, "{} is as good and higher", score);
        }
    }

    #[test]
    fn nan_is_an_error((mut scores, mut labels) in examples(probability()), at in 0usize..60) {
        let index = at % (scores.len() + 1);
        scores.insert(index, f64::NAN);
        labels.insert(index, true);
        let none = Err(Undefined::NoTrainingScores);
        let error = Metrics::new(Output::Scores(&scores), &labels, none).unwrap_err();
        prop_assert_eq!(error, MetricError::NotANumber { index });
        let error = Metrics::new(Output::Probabilities(&scores), &labels, none).unwrap_err();
        // NaN differs from itself, so the error cannot be compared with `==`.
        let named = matches!(error, MetricError::NotAProbability { index: at, value } if at == index && value.is_nan());
        prop_assert!(named);
    }
}

/// Results recorded by `scripts/check_metrics`.
#[derive(Deserialize)]
struct Recorded {
    cases: Vec<Case>,
    several_classes: Vec<SeveralClasses>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    probabilities: bool,
    scores: Vec<f64>,
    labels: Vec<u8>,
    training_scores: Vec<f64>,
    training_labels: Vec<u8>,
    /// Value of each column; `None` if undefined.
    expected: BTreeMap<String, Option<f64>>,
}

#[derive(Deserialize)]
struct SeveralClasses {
    classes: Vec<usize>,
    probabilities: Vec<Vec<f64>>,
    expected: BTreeMap<String, f64>,
}

fn recorded() -> Recorded {
    serde_json::from_str(include_str!("../fixtures/metrics/reference.json")).expect("the file was written as JSON")
}

fn booleans(labels: &[u8]) -> Vec<bool> {
    labels.iter().map(|&label| label == 1).collect()
}

#[test]
fn metrics_match_other_programs() {
    let recorded = recorded();
    assert!(recorded.cases.len() > 80, "only {} cases", recorded.cases.len());
    for case in &recorded.cases {
        let training = Ranking::new(&case.training_scores, &booleans(&case.training_labels)).unwrap();
        let output =
            if case.probabilities { Output::Probabilities(&case.scores) } else { Output::Scores(&case.scores) };
        let metrics = Metrics::new(output, &booleans(&case.labels), best(&training)).unwrap();
        for (column, value) in metrics.iter() {
            let expected = case.expected[column.name()];
            let same = match (value, expected) {
                (Ok(value), Some(expected)) => near(value, expected),
                (value, expected) => value.is_err() && expected.is_none(),
            };
            assert!(same, "{}: {} is {value:?}, not {expected:?}", case.name, column.name());
        }
    }
    // The cases distinguish the definitions.
    for (a, b) in [("auc_roc", "auc_roc_jar"), ("auc_pr", "auc_pr_jar"), ("auc_pr", "average_precision")] {
        let apart = |case: &&Case| {
            let both = case.expected[a].zip(case.expected[b]);
            both.is_some_and(|(a, b)| !near(a, b))
        };
        assert!(recorded.cases.iter().filter(apart).count() >= 5, "{a} and {b}");
    }
}

#[test]
fn macro_averages_match_scikit_learn() {
    let recorded = recorded();
    assert_eq!(recorded.several_classes.len(), 2);
    for case in &recorded.several_classes {
        let outputs: Vec<Output> = case.probabilities.iter().map(|column| Output::Probabilities(column)).collect();
        let none = vec![Err(Undefined::NoTrainingScores); outputs.len()];
        let metrics = Metrics::macro_average(&outputs, &case.classes, &none).unwrap();
        for (name, &expected) in &case.expected {
            let value = metrics.get(Column::named(name).unwrap()).unwrap();
            assert!(near(value, expected), "{name} is {value}, not {expected}");
        }
    }
}
