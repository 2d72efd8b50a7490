//! Comparison of a run with a baseline and with the `[expected]` values of its spec.

use super::baseline::{Baseline, BaselineRow};
use super::defaults::was_skipped;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::frame::RowKey;
use crate::experiment::spec::ExpectedMean;
use crate::learn::Preset;
use crate::metric::{Average, Column};
use crate::report::rows::{ReportRow, rows};

/// Result of the gate.
#[derive(Clone, Debug)]
pub struct GateReport {
    /// Name of the experiment.
    pub experiment: String,
    /// All baseline rows.
    pub rows: Vec<CheckedRow>,
    /// All rows of the spec's `[expected]`.
    pub expected: Vec<CheckedRow>,
    /// Rows of the run that the baseline lacks, as dataset and model.
    pub extra: Vec<String>,
    /// Such rows whose kind of model does not support the dataset.
    pub unsupported: Vec<String>,
    /// Rows of models that are not repeatable, which are not compared.
    pub unrepeatable: Vec<String>,
}

/// A checked mean.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedRow {
    /// The dataset.
    pub dataset: String,
    /// Label of the model with preset and case.
    pub model: String,
    /// The metric.
    pub metric: Column,
    /// Reference value.
    pub reference: Reference,
    /// Average of the run, if any.
    pub now: Option<Average>,
    /// Finding.
    pub finding: Finding,
}

/// Reference value of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// The mean.
    pub mean: f64,
    /// Accepted difference.
    pub margin: f64,
}

/// Finding about a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Unchanged within the margin.
    Same,
    /// Worse.
    Worse,
    /// Better.
    Better,
    /// Not checked, since its data are unavailable.
    NotChecked,
    /// Not compared, since the same job may give other scores.
    NotRepeatable,
    /// Not comparable, with the reason.
    NotComparable(String),
}

/// Verdict of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    /// Nothing is worse.
    Pass,
    /// Something is worse, or differs from what the spec expects.
    Regression,
    /// Nothing is worse, but not everything could be compared.
    NotComparable,
}

impl CheckedRow {
    /// Returns the change of the mean, if there is one.
    pub fn change(&self) -> Option<f64> {
        Some(self.now?.mean - self.reference.mean)
    }

    /// Sets the finding to `missing`, or judges the mean without one.
    fn judged_unless(self, missing: Option<Finding>) -> Self {
        match missing {
            Some(finding) => CheckedRow { finding, ..self },
            None => self.judged(),
        }
    }

    /// Returns whether it was compared.
    fn is_compared(&self) -> bool {
        !matches!(self.finding, Finding::NotChecked | Finding::NotRepeatable | Finding::NotComparable(_))
    }

    /// Sets the finding by the distance from the reference.
    fn judged(mut self) -> Self {
        if let Some(change) = self.change() {
            let gain = if self.metric.higher_is_better() { change } else { -change };
            self.finding = if gain < -self.reference.margin {
                Finding::Worse
            } else if gain > self.reference.margin {
                Finding::Better
            } else {
                Finding::Same
            };
        }
        self
    }
}

impl GateReport {
    /// Returns the verdict. A gain over the baseline passes; a gain over the `[expected]` value
    /// does not, since its tolerance applies in both directions.
    pub fn verdict(&self) -> GateVerdict {
        let all = || self.rows.iter().chain(&self.expected);
        let is_worse = |row: &CheckedRow| row.finding == Finding::Worse;
        if all().any(is_worse) || self.expected.iter().any(|row| row.finding == Finding::Better) {
            return GateVerdict::Regression;
        }
        let is_unclear = |row: &CheckedRow| matches!(row.finding, Finding::NotComparable(_));
        let was_compared =
            self.rows.iter().any(|row| row.now.is_some() && !is_unclear(row) && row.finding != Finding::NotRepeatable);
        if all().any(is_unclear) || !was_compared { GateVerdict::NotComparable } else { GateVerdict::Pass }
    }

    /// Counts the baseline rows with a finding.
    pub fn count(&self, is: impl Fn(&Finding) -> bool) -> usize {
        self.rows.iter().filter(|row| is(&row.finding)).count()
    }
}

/// Compares a run with a baseline, where a mean may differ by `k` standard errors.
pub fn check(results: &Results, baseline: &Baseline, k: f64) -> GateReport {
    let all = rows(results);
    let by_label: RowsByLabel<'_> =
        all.iter().rev().map(|row| ((row.key().dataset.clone(), row.key().label()), row)).collect();
    let rows = baseline.rows().map(|row| checked(results, &by_label, row, k)).collect();
    let expected = results.experiment.expected.iter().map(|row| expected(results, &by_label, row)).collect();
    let known: IndexSet<(&str, &str)> = baseline.rows().map(|row| (&*row.dataset, &*row.model)).collect();
    let not_repeatable = results.experiment.unrepeatable();
    let is_unrepeatable = |row: &&ReportRow<'_>| not_repeatable.contains(row.key().model.as_str());
    let is_extra = |row: &&ReportRow<'_>| {
        !row.group.jobs.is_empty()
            && !is_unrepeatable(row)
            && !known.contains(&(row.key().dataset.as_str(), row.key().label().as_str()))
    };
    let named = |row: &ReportRow<'_>| format!("{} {}", row.key().dataset, row.key().label());
    let (unsupported, extra): (Vec<_>, Vec<_>) = all.iter().filter(is_extra).partition(|row| row.is_unsupported());
    let [unsupported, extra] = [unsupported, extra].map(|rows| rows.into_iter().map(named).collect());
    let unrepeatable = all.iter().filter(is_unrepeatable).map(named).collect();
    GateReport { experiment: results.experiment.name.clone(), rows, expected, extra, unsupported, unrepeatable }
}

/// Rows of a run by dataset and label of the model; the first of equal ones.
type RowsByLabel<'a> = IndexMap<(String, String), &'a ReportRow<'a>>;

fn checked(results: &Results, all: &RowsByLabel<'_>, row: &BaselineRow, k: f64) -> CheckedRow {
    let margin = row.tolerance.max(row.average.standard_error().map_or(0.0, |error| k * error));
    let here = all.get(&(row.dataset.clone(), row.model.clone())).copied();
    let found = CheckedRow {
        dataset: row.dataset.clone(),
        model: row.model.clone(),
        metric: row.metric,
        reference: Reference { mean: row.average.mean, margin },
        now: here.and_then(|here| here.average(row.metric)),
        finding: Finding::NotChecked,
    };
    let found = found.judged_unless(missing(results, here, &row.dataset, row.metric));
    match found.now {
        Some(now) if found.is_compared() && now.n != row.average.n => {
            let reason = format!("{} folds where the baseline has {}", now.n, row.average.n);
            CheckedRow { finding: Finding::NotComparable(reason), ..found }
        }
        _ => found,
    }
}

fn expected(results: &Results, all: &RowsByLabel<'_>, row: &ExpectedMean) -> CheckedRow {
    let key = RowKey {
        dataset: row.dataset.clone(),
        model: row.model.clone(),
        preset: preset_name(row.preset),
        case: row.case.clone(),
    };
    let here = all.get(&(key.dataset.clone(), key.label())).copied().filter(|here| *here.key() == key);
    let found = CheckedRow {
        dataset: row.dataset.clone(),
        model: key.label(),
        metric: row.metric,
        reference: Reference { mean: row.mean, margin: row.tolerance },
        now: here.and_then(|here| here.average(row.metric)),
        finding: Finding::NotChecked,
    };
    found.judged_unless(missing(results, here, &row.dataset, row.metric))
}

fn preset_name(preset: Option<Preset>) -> String {
    let named = |preset| Preset::ALL.iter().find(|(_, known)| *known == preset).map(|(name, _)| *name);
    preset.and_then(named).unwrap_or_default().to_owned()
}

/// Returns the finding if the run lacks results for a row.
fn missing(results: &Results, row: Option<&ReportRow<'_>>, dataset: &str, metric: Column) -> Option<Finding> {
    if was_skipped(results, dataset) {
        return Some(Finding::NotChecked);
    }
    if row.is_some_and(|row| results.experiment.unrepeatable().contains(row.key().model.as_str())) {
        return Some(Finding::NotRepeatable);
    }
    let reason = match row {
        None => "not in the run".to_owned(),
        Some(row) if row.is_unsupported() => "refused".to_owned(),
        Some(row) if !row.progress().is_finished() => row.progress().to_string(),
        Some(row) if row.average(metric).is_none() => format!("{} is undefined in every fold", metric.name()),
        Some(_) => return None,
    };
    Some(Finding::NotComparable(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(metric: Column, now: f64) -> CheckedRow {
        CheckedRow {
            dataset: "d".into(),
            model: "m".into(),
            metric,
            reference: Reference { mean: 0.5, margin: 0.125 },
            now: Some(Average { mean: now, deviation: None, n: 5 }),
            finding: Finding::NotChecked,
        }
        .judged()
    }

    fn gate(rows: Vec<CheckedRow>, expected: Vec<CheckedRow>) -> GateVerdict {
        let (extra, unsupported, unrepeatable) = Default::default();
        GateReport { experiment: String::new(), rows, expected, extra, unsupported, unrepeatable }.verdict()
    }

    #[test]
    fn direction_depends_on_the_metric() {
        for (metric, now, finding) in [
            (Column::AucRoc, 0.375, Finding::Same),
            (Column::AucRoc, 0.374, Finding::Worse),
            (Column::AucRoc, 0.625, Finding::Same),
            (Column::AucRoc, 0.626, Finding::Better),
            (Column::Brier, 0.626, Finding::Worse),
            (Column::Brier, 0.374, Finding::Better),
        ] {
            assert_eq!(checked(metric, now).finding, finding, "{} {now}", metric.name());
        }
    }

    #[test]
    fn verdict_is_the_worst_finding() {
        let same = checked(Column::AucRoc, 0.5);
        let (worse, better) = (checked(Column::AucRoc, 0.0), checked(Column::AucRoc, 1.0));
        let absent = CheckedRow { now: None, finding: Finding::NotChecked, ..same.clone() };
        let unclear = CheckedRow { finding: Finding::NotComparable("no".into()), ..same.clone() };
        assert_eq!(gate(vec![same.clone(), absent.clone(), better.clone()], vec![]), GateVerdict::Pass);
        assert_eq!(gate(vec![same.clone(), unclear.clone()], vec![]), GateVerdict::NotComparable);
        assert_eq!(gate(vec![worse.clone(), unclear.clone()], vec![]), GateVerdict::Regression);
        assert_eq!(gate(vec![same.clone()], vec![better]), GateVerdict::Regression);
        assert_eq!(gate(vec![same.clone()], vec![unclear]), GateVerdict::NotComparable);
        assert_eq!(gate(vec![same], vec![absent.clone()]), GateVerdict::Pass);
        // Nothing was compared.
        assert_eq!(gate(vec![absent], vec![]), GateVerdict::NotComparable);
        assert_eq!(gate(vec![], vec![]), GateVerdict::NotComparable);
    }
}
