//! Choice among parameter settings by inner cross-validation on the training examples alone.
//!
//! The settings of a portfolio are compared on held-out training examples, and the winner is
//! trained on all of them. The rule is fixed in advance, so that a test set never decides:
//!
//! - Three folds of the examples, stratified by label; all share the facts. Fewer than nine
//!   examples of one of the two most frequent labels are too few: the first setting is used.
//! - The score on a fold is the mean of AUC-ROC and AUC-PR of its held-out examples, over all
//!   classes against the others if there are several.
//! - After the first fold, settings whose score is more than a margin below the best are discarded:
//!   0.02, or 0.5/√n with n held-out examples of the rarest label, if that is more. The others are
//!   compared on two folds by their mean score, then by the mean log-likelihood, then by their
//!   order in the portfolio. With a third fold, the choice would often cost more than three
//!   trainings of the dearest setting.
//! - Inner trainings have half of the boosting rounds, rounded up, and no early stopping.
//!
//! Examples are ordered by name when they are read, so the choice does not depend on the order of
//! files. With recursion, held-out positives remain evidence for other examples.

use super::error::LearnError;
use super::gradient::{class_log_likelihood, log_likelihood};
use super::params::Preset;
use super::task::Task;
use crate::data::example_folds::{ExampleFold, example_folds};
use crate::kb::Example;
use crate::logic::Diagnostic;
use crate::metric::ranking::{Ranking, auc_pr, auc_roc};
use crate::rbm::network::one_vs_rest;

/// Version of the portfolio and of the rule, a part of job ids.
pub const VERSION: u32 = 2;
/// The settings that are compared; the first is used if there are too few examples.
pub const PORTFOLIO: [Preset; 3] = [Preset::Lookahead, Preset::Extended, Preset::Paper];
/// Number of inner folds, which sets the share of the examples that is held out.
const FOLDS: usize = 3;
/// Number of inner folds on which settings are compared.
const COMPARED: usize = 2;
/// Minimum number of examples of each of the two most frequent labels.
const MIN_EXAMPLES: usize = 9;
/// Largest distance to the best score on the first fold with which a setting stays: this, or half
/// of the inverse square root of the number of held-out examples of the rarest label, about twice
/// the standard error of an area, if that is more.
const MIN_MARGIN: f64 = 0.02;

/// The outcome of comparing settings, by their order in the portfolio.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The chosen setting.
    pub chosen: usize,
    /// The scores on the folds that each setting was trained on; empty if there were too few
    /// examples.
    pub scores: Vec<Vec<f64>>,
}

/// The choice of a preset.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The chosen preset.
    pub preset: Preset,
    /// Each preset of the portfolio with its scores on the inner folds it was trained on; no
    /// scores if there were too few examples.
    pub compared: Vec<(Preset, Vec<f64>)>,
}

impl Choice {
    /// Returns the choice among presets.
    pub(super) fn new(selection: Selection, presets: &[Preset]) -> Self {
        let preset = presets[selection.chosen];
        Choice { preset, compared: presets.iter().copied().zip(selection.scores).collect() }
    }

    /// Returns whether there were enough examples to compare the presets.
    pub fn was_compared(&self) -> bool {
        self.compared.iter().any(|(_, scores)| !scores.is_empty())
    }

    /// Describes the choice in one line.
    pub fn describe(&self) -> String {
        if !self.was_compared() {
            return format!(
                "preset auto uses {}: there are too few examples to compare presets, at least {MIN_EXAMPLES} of each \
                 label are needed",
                self.preset.name()
            );
        }
        let shown = |(preset, scores): &(Preset, Vec<f64>)| {
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            let folds = if scores.len() == 1 { "fold" } else { "folds" };
            format!("{} {mean:.4} ({} {folds})", preset.name(), scores.len())
        };
        let compared: Vec<String> = self.compared.iter().map(shown).collect();
        format!("preset auto chose {}; inner scores: {}", self.preset.name(), compared.join(", "))
    }

    /// Returns a warning if there were too few examples to compare the presets.
    pub(super) fn warning(&self) -> Option<Diagnostic> {
        (!self.was_compared()).then(|| {
            let help = "give more examples, or name the preset";
            Diagnostic::warning("presets-not-compared", self.describe(), help)
        })
    }
}

/// Returns the number of rounds of inner trainings.
pub(super) fn inner_rounds(rounds: u32) -> u32 {
    rounds.div_ceil(2)
}

/// Compares settings of a task. `evaluate` trains a setting on the training examples of a fold and
/// returns the scores of its test examples: one column of ψ, or a column of each class.
pub(super) fn select(
    task: &Task<'_>,
    settings: usize,
    mut evaluate: impl FnMut(usize, &ExampleFold) -> Result<Vec<Vec<f64>>, LearnError>,
) -> Result<Selection, LearnError> {
    let Some(folds) = folds(task) else {
        return Ok(Selection { chosen: 0, scores: vec![Vec::new(); settings] });
    };
    let margin = folds.first().map_or(MIN_MARGIN, |first| margin(task, first));
    let mut results: Vec<Vec<Quality>> = vec![Vec::new(); settings];
    for fold in folds.iter().take(COMPARED) {
        let best = results.iter().filter_map(|of| of.first()).map(|first| first.area).fold(f64::MIN, f64::max);
        let stays = |of: &Vec<Quality>| of.first().is_none_or(|first| first.area >= best - margin);
        let left: Vec<usize> = (0..settings).filter(|&setting| stays(&results[setting])).collect();
        // Once a single setting is left, its score on other folds decides nothing.
        if left.len() == 1 {
            break;
        }
        for setting in left {
            let scores = evaluate(setting, fold)?;
            results[setting].push(Quality::new(task, fold, &scores));
        }
    }
    let compared = results.iter().map(Vec::len).max().unwrap_or(0);
    let mean = |of: &[Quality], value: fn(&Quality) -> f64| of.iter().map(value).sum::<f64>() / of.len() as f64;
    let mut chosen = 0;
    let mut best = (f64::MIN, f64::MIN);
    for (setting, of) in results.iter().enumerate().filter(|(_, of)| of.len() == compared) {
        let found = (mean(of, |of| of.area), mean(of, |of| of.log_likelihood));
        if found.0.total_cmp(&best.0).then(found.1.total_cmp(&best.1)).is_gt() {
            (chosen, best) = (setting, found);
        }
    }
    let scores = results.iter().map(|of| of.iter().map(|of| of.area).collect()).collect();
    Ok(Selection { chosen, scores })
}

/// Returns the margin for the scores of a fold.
fn margin(task: &Task<'_>, fold: &ExampleFold) -> f64 {
    let counts = count_labels(task, fold.test.iter().map(|&i| &task.examples[i as usize]));
    let rarest = counts.into_iter().filter(|&count| count > 0).min().unwrap_or(1);
    (0.5 / (rarest as f64).sqrt()).max(MIN_MARGIN)
}

/// Counts examples by label: negatives and positives, or those of each class.
fn count_labels<'e>(task: &Task<'_>, examples: impl Iterator<Item = &'e Example>) -> Vec<usize> {
    let mut counts = vec![0, 0];
    for example in examples {
        let label = if task.classes().is_some() { example.class as usize } else { usize::from(example.positive) };
        counts.resize(counts.len().max(label + 1), 0);
        counts[label] += 1;
    }
    counts
}

/// Returns the inner folds; `None` if there are too few examples.
fn folds(task: &Task<'_>) -> Option<Vec<ExampleFold>> {
    let Task { examples, seed, .. } = *task;
    let mut counts = count_labels(task, examples.iter());
    counts.sort_unstable();
    if counts[counts.len() - 2] < MIN_EXAMPLES {
        return None;
    }
    example_folds(examples, FOLDS, seed, "auto").ok()
}

/// How well held-out examples are ranked and predicted.
#[derive(Clone, Copy, Debug)]
struct Quality {
    /// The mean of AUC-ROC and AUC-PR.
    area: f64,
    log_likelihood: f64,
}

impl Quality {
    /// Evaluates the scores of the test examples of a fold.
    fn new(task: &Task<'_>, fold: &ExampleFold, columns: &[Vec<f64>]) -> Self {
        let tested: Vec<&Example> = fold.test.iter().map(|&i| &task.examples[i as usize]).collect();
        let area = |scores: &[f64], labels: &[bool]| {
            // A class without examples in the fold says nothing.
            let ranking = Ranking::new(scores, labels).ok()?;
            Some((auc_roc(&ranking).ok()? + auc_pr(&ranking).ok()?) / 2.0)
        };
        let (areas, likelihoods): (Vec<Option<f64>>, Vec<f64>) = match columns {
            [psi] => {
                let labels: Vec<bool> = tested.iter().map(|example| example.positive).collect();
                let likelihoods = labels.iter().zip(psi).map(|(&label, &psi)| log_likelihood(label, psi));
                (vec![area(psi, &labels)], likelihoods.collect())
            }
            _ => {
                let of_class = |(class, odds): (usize, &Vec<f64>)| {
                    let labels: Vec<bool> = tested.iter().map(|example| example.class as usize == class).collect();
                    area(odds, &labels)
                };
                let row = |i: usize| columns.iter().map(|column| column[i]).collect::<Vec<f64>>();
                let likelihood =
                    |(i, example): (usize, &&Example)| class_log_likelihood(example.class as usize, &row(i));
                let areas = one_vs_rest(columns).iter().enumerate().map(of_class).collect();
                (areas, tested.iter().enumerate().map(likelihood).collect())
            }
        };
        let areas: Vec<f64> = areas.into_iter().flatten().collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        Quality { area: mean(&areas), log_likelihood: mean(&likelihoods) }
    }
}
