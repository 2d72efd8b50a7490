//! The area under the ROC curve, slow and obvious.

use lrbm::internal::kb::Example;

/// The chance that a positive stands above a negative, ties one half: by counting pairs.
pub fn auc_roc(psi: &[f64], examples: &[Example]) -> f64 {
    let of = |label| psi.iter().zip(examples).filter(move |(_, e)| e.positive == label).map(|(&psi, _)| psi);
    let negatives: Vec<f64> = of(false).collect();
    let mut won = 0.0;
    for positive in of(true) {
        let better = negatives.iter().filter(|&&negative| positive > negative).count();
        let same = negatives.iter().filter(|&&negative| positive == negative).count();
        won += better as f64 + 0.5 * same as f64;
    }
    won / (of(true).count() * negatives.len()) as f64
}
