//! With shuffled labels there is nothing to learn: a learner that beats chance has access to leaked
//! labels.

use lrbm::internal::data::benchmark::Variant;
use lrbm::internal::data::split::SplitOptions;
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::Example;
use lrbm::internal::learn::{Kind, Model, Unchecked, train};
use lrbm::internal::metric::ranking::{Ranking, auc_roc};

use super::lab::{SEED, open, real};

/// Returns the examples with shuffled labels.
fn shuffled(examples: &[Example], purpose: &[&str]) -> Vec<Example> {
    let mut labels: Vec<bool> = examples.iter().map(|example| example.positive).collect();
    Stream::new(SEED, purpose).shuffle(&mut labels);
    examples.iter().zip(labels).map(|(example, positive)| Example { positive, ..example.clone() }).collect()
}

/// Checks that the mean AUC-ROC over all folds is within four standard deviations of one half, by
/// the Mann-Whitney variance for scores independent of the labels.
fn assert_chance(id: &str) {
    let Some(store) = real() else { return };
    let dataset = open(store, id, &Variant::default());
    let split = SplitOptions::new(SEED);
    let params = Unchecked::new(Kind::LrbmBoost).set("trees=5").unwrap().check().unwrap();
    let (mut sum, mut variance, mut folds) = (0.0, 0.0, 0.0);
    for index in 0..dataset.fold_count(&split).unwrap() {
        let fold = dataset.fold(index, &split).unwrap();
        let name = index.to_string();
        let training = shuffled(&fold.train.examples, &[id, "shuffled", &name, "train"]);
        let test = shuffled(&fold.test.examples, &[id, "shuffled", &name, "test"]);
        let side = &fold.train;
        let trained =
            train(Kind::LrbmBoost, &side.database, side.target, &training, &params, SEED, &mut |_| {}).unwrap();
        let psi = trained.model.score(&fold.test.database, fold.test.target, &test).unwrap().scores;
        let labels: Vec<bool> = test.iter().map(|example| example.positive).collect();
        let positives = labels.iter().filter(|&&label| label).count() as f64;
        let negatives = labels.len() as f64 - positives;
        sum += auc_roc(&Ranking::new(&psi, &labels).unwrap()).unwrap();
        variance += (positives + negatives + 1.0) / (12.0 * positives * negatives);
        folds += 1.0;
    }
    let (mean, deviation) = (sum / folds, f64::sqrt(variance) / folds);
    println!("{id}: mean AUC-ROC {mean:.3} with shuffled labels, standard deviation {deviation:.3}");
    assert!((mean - 0.5).abs() < 4.0 * deviation, "{id}: {mean} with deviation {deviation}");
}

#[test]
fn uwcse_shuffled_is_chance() {
    assert_chance("uwcse");
}

#[test]
fn imdb_shuffled_is_chance() {
    assert_chance("imdb");
}

#[test]
fn sports_shuffled_is_chance() {
    assert_chance("sports");
}

#[test]
fn webkb_shuffled_is_chance() {
    assert_chance("webkb");
}

#[test]
fn mutagenesis_shuffled_is_chance() {
    assert_chance("mutagenesis");
}

#[test]
fn cora_shuffled_is_chance() {
    assert_chance("cora");
}
