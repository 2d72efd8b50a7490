//! Comparison of a run with a baseline and with the `[expected]` values of its spec.

use super::baseline::{Baseline, BaselineCell, BaselineRow, BaselineValues};
use super::defaults::was_skipped;
use super::finding::{Finding, GateVerdict};
use super::origin::Origin;
use super::paired::{self, PairedCell, PairedRow, PooledJudgement};
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::frame::{RowKey, StoredJob};
use crate::experiment::spec::ExpectedMean;
use crate::experiment::store::PREDICTIONS;
use crate::learn::Preset;
use crate::metric::{Average, Column};
use crate::report::rows::{ReportRow, rows};

/// Options of the gate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateOptions {
    /// Standard errors by which a mean may differ from a baseline of means.
    pub k: f64,
    /// Whether every compared row must be identical.
    pub is_strict: bool,
}

/// Result of the gate.
#[derive(Clone, Debug)]
pub struct GateReport {
    /// Name of the experiment.
    pub experiment: String,
    /// All baseline rows.
    pub rows: Vec<CheckedRow>,
    /// Rows that moved, pooled over datasets or models.
    pub pooled: Vec<PooledRow>,
    /// All rows of the spec's `[expected]`.
    pub expected: Vec<CheckedRow>,
    /// Rows of the run that the baseline lacks, as dataset and model.
    pub extra: Vec<String>,
    /// Such rows whose kind of model does not support the dataset.
    pub unsupported: Vec<String>,
    /// Rows of models that are not repeatable, which are not compared.
    pub unrepeatable: Vec<String>,
    /// Whether the baseline has means only.
    pub has_means: bool,
    /// Whether every compared row must be identical.
    pub is_strict: bool,
    /// Platforms of the baseline and of the run, if they differ.
    pub platforms: Option<[String; 2]>,
}

/// A checked row.
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
    /// Adjusted p-value of a loss, if it was tested.
    pub p: Option<f64>,
    /// Folds in which a value or prediction changed, as far as the baseline has folds.
    pub folds: Vec<usize>,
}

/// Rows of several datasets or models that were judged together.
#[derive(Clone, Debug, PartialEq)]
pub struct PooledRow {
    /// The datasets.
    pub datasets: Vec<String>,
    /// Labels of the models.
    pub models: Vec<String>,
    /// Means over all of them; dataset and model are named if there is one, and counted otherwise.
    pub row: CheckedRow,
}

impl From<PooledJudgement> for PooledRow {
    fn from(judged: PooledJudgement) -> Self {
        let PooledJudgement { datasets, models, metric, tolerance, before, now, finding, p } = judged;
        let name = |names: &[String], noun: &str| match names {
            [one] => one.clone(),
            _ => format!("{} {noun}", names.len()),
        };
        let row = CheckedRow {
            dataset: name(&datasets, "datasets"),
            model: name(&models, "models"),
            metric,
            reference: Reference { mean: before.mean, margin: tolerance },
            now: Some(now),
            finding,
            p,
            folds: Vec::new(),
        };
        PooledRow { datasets, models, row }
    }
}

/// Reference value of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// The mean.
    pub mean: f64,
    /// Accepted difference.
    pub margin: f64,
}

impl CheckedRow {
    /// Returns the change of the mean, if there is one.
    pub fn change(&self) -> Option<f64> {
        Some(self.now?.mean - self.reference.mean)
    }

    /// Sets the finding to `missing`, or judges the mean by an `[expected]` value without one.
    fn expected_unless(self, missing: Option<Finding>) -> Self {
        let mut row = self.judged();
        if matches!(row.finding, Finding::Regressed | Finding::Improved) {
            row.finding = Finding::Unexpected;
        }
        CheckedRow { finding: missing.unwrap_or(row.finding), ..row }
    }

    /// Sets the finding by the distance from the reference.
    fn judged(mut self) -> Self {
        if let Some(change) = self.change() {
            let gain = if self.metric.higher_is_better() { change } else { -change };
            self.finding = if gain < -self.reference.margin {
                Finding::Regressed
            } else if gain > self.reference.margin {
                Finding::Improved
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
        let all = || self.rows.iter().chain(self.pooled.iter().map(|pooled| &pooled.row)).chain(&self.expected);
        if all().any(|row| row.finding == Finding::Regressed) {
            return GateVerdict::Regression;
        }
        if all().any(|row| row.finding == Finding::Unexpected) {
            return GateVerdict::Unexpected;
        }
        let is_identical = |row: &CheckedRow| row.finding == Finding::Identical || !row.finding.is_compared();
        if self.is_strict && !self.rows.iter().all(is_identical) {
            return GateVerdict::NotIdentical;
        }
        let is_unclear = |row: &CheckedRow| matches!(row.finding, Finding::NotComparable(_));
        let was_compared = self.rows.iter().any(|row| row.finding.is_compared());
        if all().any(is_unclear) || !was_compared { GateVerdict::NotComparable } else { GateVerdict::Pass }
    }

    /// Counts the baseline rows with a finding.
    pub fn count(&self, is: impl Fn(&Finding) -> bool) -> usize {
        self.rows.iter().filter(|row| is(&row.finding)).count()
    }
}

/// Compares a run with a baseline.
pub fn check(results: &Results, baseline: &Baseline, options: &GateOptions) -> GateReport {
    let all = rows(results);
    let run = Run {
        results,
        rows: all.iter().rev().map(|row| ((row.key().dataset.clone(), row.key().label()), row)).collect(),
        origin: Origin::of(results),
    };
    let known: IndexSet<(&str, String)> = baseline.rows().map(|row| (&*row.key.dataset, row.label())).collect();
    let not_repeatable = results.experiment.unrepeatable();
    let is_unrepeatable = |row: &&ReportRow<'_>| not_repeatable.contains(row.key().model.as_str());
    let is_extra = |row: &&ReportRow<'_>| {
        !row.group.jobs.is_empty()
            && !is_unrepeatable(row)
            && !known.contains(&(row.key().dataset.as_str(), row.key().label()))
    };
    let named = |row: &ReportRow<'_>| format!("{} {}", row.key().dataset, row.key().label());
    let (unsupported, extra): (Vec<_>, Vec<_>) = all.iter().filter(is_extra).partition(|row| row.is_unsupported());
    let [unsupported, extra] = [unsupported, extra].map(|rows| rows.into_iter().map(named).collect());
    let platforms = [baseline.origin.platform.clone(), run.origin.platform.clone()];
    let (rows, pooled) = run.checked(baseline, options.k);
    GateReport {
        experiment: results.experiment.name.clone(),
        rows,
        pooled,
        expected: results.experiment.expected.iter().map(|row| run.expected(row)).collect(),
        extra,
        unsupported,
        unrepeatable: all.iter().filter(is_unrepeatable).map(named).collect(),
        has_means: baseline.has_means(),
        is_strict: options.is_strict,
        platforms: Some(platforms).filter(|[before, now]| before != now && !before.is_empty()),
    }
}

/// The run as the gate reads it.
struct Run<'a> {
    results: &'a Results,
    /// Rows by dataset and label of the model; the first of equal ones.
    rows: IndexMap<(String, String), &'a ReportRow<'a>>,
    origin: Origin,
}

impl<'a> Run<'a> {
    fn row(&self, key: &RowKey) -> Option<&'a ReportRow<'a>> {
        self.rows.get(&(key.dataset.clone(), key.label())).copied()
    }

    /// Checks all rows of a baseline; those with cells, and their pools, are one family of tests.
    fn checked(&self, baseline: &Baseline, k: f64) -> (Vec<CheckedRow>, Vec<PooledRow>) {
        let mut checked = Vec::new();
        let (mut paired, mut positions) = (Vec::new(), Vec::new());
        for row in baseline.rows() {
            let found = self.unjudged(row, k);
            let missing = missing(self.results, self.row(&row.key), &row.key.dataset, row.metric);
            let found = match (&row.values, missing) {
                (_, Some(finding)) => CheckedRow { finding, ..found },
                (BaselineValues::Mean(average), None) => judged_mean(found, average.n),
                (BaselineValues::Cells(cells), None) => match self.pair(row, cells, &baseline.origin) {
                    Ok(pair) => {
                        positions.push(checked.len());
                        paired.push(pair);
                        found
                    }
                    Err(reason) => CheckedRow { finding: Finding::NotComparable(reason), ..found },
                },
            };
            checked.push(found);
        }
        let judged = paired::judge(&paired);
        for (position, judgement) in positions.into_iter().zip(judged.rows) {
            if let Some(judgement) = judgement {
                let row: &mut CheckedRow = &mut checked[position];
                row.reference.mean = judgement.before.mean;
                row.now = Some(judgement.now);
                row.finding = judgement.finding;
                row.p = judgement.p;
                row.folds = judgement.folds;
            }
        }
        (checked, judged.pooled.into_iter().map(PooledRow::from).collect())
    }

    fn unjudged(&self, row: &BaselineRow, k: f64) -> CheckedRow {
        let average = row.average();
        let margin = match row.values {
            BaselineValues::Mean(_) => row.tolerance.max(average.standard_error().map_or(0.0, |error| k * error)),
            BaselineValues::Cells(_) => row.tolerance,
        };
        CheckedRow {
            dataset: row.key.dataset.clone(),
            model: row.label(),
            metric: row.metric,
            reference: Reference { mean: average.mean, margin },
            now: self.row(&row.key).and_then(|here| here.average(row.metric)),
            finding: Finding::NotChecked,
            p: None,
            folds: Vec::new(),
        }
    }

    /// Pairs the cells of a baseline row with the jobs of the run; the error is the reason why
    /// they are not comparable.
    fn pair(&self, row: &BaselineRow, cells: &[BaselineCell], origin: &Origin) -> Result<PairedRow, String> {
        let here = self.row(&row.key).ok_or_else(|| "not in the run".to_owned())?;
        let jobs: IndexMap<(usize, u64), &StoredJob> =
            here.group.done().map(|job| ((job.record.row.fold, job.record.row.seed), job)).collect();
        let seeds = self.seeds(row, cells, jobs.values().copied(), origin)?;
        let mut paired = Vec::with_capacity(cells.len());
        for cell in cells {
            let seed = seeds.get(&cell.seed).copied().unwrap_or(cell.seed);
            let place = format!("fold {} seed {seed}", cell.fold);
            let job = jobs.get(&(cell.fold, seed)).ok_or_else(|| format!("{place} has no result"))?;
            let now = job.metric(row.metric).ok_or_else(|| format!("{} of {place} is undefined", row.metric.name()))?;
            let predictions = job.record.result.as_ref().and_then(|result| result.files.get(PREDICTIONS));
            paired.push(PairedCell {
                split: job.split(),
                before: cell.value,
                now,
                same_predictions: predictions == Some(&cell.predictions),
            });
        }
        let is_new = |job: &&&StoredJob| {
            let (fold, seed) = (job.record.row.fold, job.record.row.seed);
            let is_paired = |cell: &BaselineCell| cell.fold == fold && seeds.get(&cell.seed) == Some(&seed);
            job.metric(row.metric).is_some()
                && seeds.values().any(|known| *known == seed)
                && !cells.iter().any(is_paired)
        };
        if let Some(job) = jobs.values().find(is_new) {
            return Err(format!("the baseline lacks fold {}", job.record.row.fold));
        }
        let (dataset, model) = (row.key.dataset.clone(), row.label());
        Ok(PairedRow { dataset, model, metric: row.metric, cells: paired, tolerance: row.tolerance })
    }

    /// Returns the seed of the run for each seed of the baseline. Equal seeds are paired; others
    /// are paired, in order, if they have the same examples, so that only the learner differs.
    fn seeds<'j>(
        &self,
        row: &BaselineRow,
        cells: &[BaselineCell],
        jobs: impl Iterator<Item = &'j StoredJob>,
        origin: &Origin,
    ) -> Result<IndexMap<u64, u64>, String> {
        let before: IndexSet<u64> = cells.iter().map(|cell| cell.seed).collect();
        let now: IndexSet<u64> = jobs.map(|job| job.record.row.seed).collect();
        let is_contained = before.iter().all(|seed| now.contains(seed));
        let list = |seeds: &IndexSet<u64>| seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        if !is_contained && before.len() != now.len() {
            return Err(format!("seeds {}, the baseline has {}", list(&now), list(&before)));
        }
        let mut others = now.iter().copied().filter(|seed| !before.contains(seed));
        let pair = |&seed: &u64| Some((seed, if now.contains(&seed) { seed } else { others.next()? }));
        let pairs: IndexMap<u64, u64> = before.iter().filter_map(pair).collect();
        for (&then, &seed) in &pairs {
            let (old, new) = (origin.split(&row.key.dataset, then), self.origin.split(&row.key.dataset, seed));
            match (old, new) {
                (Some(old), Some(new)) => match new.difference(old) {
                    Some(reason) if then != seed => return Err(format!("{reason} (seeds {seed} and {then})")),
                    Some(reason) => return Err(reason),
                    None => {}
                },
                _ if then != seed => {
                    return Err(format!("seed {seed}, the baseline has {then} and does not name its examples"));
                }
                _ => {}
            }
        }
        Ok(pairs)
    }

    fn expected(&self, row: &ExpectedMean) -> CheckedRow {
        let key = RowKey {
            dataset: row.dataset.clone(),
            model: row.model.clone(),
            preset: preset_name(row.preset),
            case: row.case.clone(),
        };
        let here = self.row(&key).filter(|here| *here.key() == key);
        let found = CheckedRow {
            dataset: row.dataset.clone(),
            model: key.label(),
            metric: row.metric,
            reference: Reference { mean: row.mean, margin: row.tolerance },
            now: here.and_then(|here| here.average(row.metric)),
            finding: Finding::NotChecked,
            p: None,
            folds: Vec::new(),
        };
        found.expected_unless(missing(self.results, here, &row.dataset, row.metric))
    }
}

/// Judges a row by its mean, unless the number of folds differs.
fn judged_mean(row: CheckedRow, folds: usize) -> CheckedRow {
    match row.now {
        Some(now) if now.n != folds => {
            let reason = format!("{} folds where the baseline has {folds}", now.n);
            CheckedRow { finding: Finding::NotComparable(reason), ..row }
        }
        _ => row.judged(),
    }
}

fn preset_name(preset: Option<Preset>) -> String {
    preset.map(Preset::name).unwrap_or_default().to_owned()
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
            p: None,
            folds: Vec::new(),
        }
        .judged()
    }

    fn gate(rows: Vec<CheckedRow>, expected: Vec<CheckedRow>) -> GateVerdict {
        report(rows, expected, false).verdict()
    }

    fn report(rows: Vec<CheckedRow>, expected: Vec<CheckedRow>, is_strict: bool) -> GateReport {
        GateReport {
            experiment: String::new(),
            rows,
            pooled: Vec::new(),
            expected,
            extra: Vec::new(),
            unsupported: Vec::new(),
            unrepeatable: Vec::new(),
            has_means: false,
            is_strict,
            platforms: None,
        }
    }

    #[test]
    fn strict_gates_pass_identical_rows_only() {
        let same = checked(Column::AucRoc, 0.5);
        let identical = CheckedRow { finding: Finding::Identical, ..same.clone() };
        let absent = CheckedRow { finding: Finding::NotChecked, ..same.clone() };
        let strict = |rows: &[&CheckedRow]| report(rows.iter().copied().cloned().collect(), vec![], true).verdict();
        assert_eq!(strict(&[&identical, &absent]), GateVerdict::Pass);
        for finding in [Finding::Moved, Finding::Same, Finding::Improved] {
            let other = CheckedRow { finding, ..same.clone() };
            assert_eq!(strict(&[&identical, &other]), GateVerdict::NotIdentical);
            assert_eq!(gate(vec![identical.clone(), other], vec![]), GateVerdict::Pass);
        }
        let worse = CheckedRow { finding: Finding::Regressed, ..same.clone() };
        assert_eq!(strict(&[&identical, &worse]), GateVerdict::Regression);
        let unclear = CheckedRow { finding: Finding::NotComparable("no".into()), ..same };
        assert_eq!(strict(&[&identical, &unclear]), GateVerdict::NotComparable);
    }

    #[test]
    fn direction_depends_on_the_metric() {
        for (metric, now, finding) in [
            (Column::AucRoc, 0.375, Finding::Same),
            (Column::AucRoc, 0.374, Finding::Regressed),
            (Column::AucRoc, 0.625, Finding::Same),
            (Column::AucRoc, 0.626, Finding::Improved),
            (Column::Brier, 0.626, Finding::Regressed),
            (Column::Brier, 0.374, Finding::Improved),
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
        let [above, below] = [better, worse.clone()].map(|row| row.expected_unless(None));
        assert_eq!(gate(vec![same.clone()], vec![above.clone()]), GateVerdict::Unexpected);
        assert_eq!(gate(vec![same.clone()], vec![below]), GateVerdict::Unexpected);
        assert_eq!(gate(vec![worse.clone()], vec![above]), GateVerdict::Regression);
        assert_eq!(gate(vec![same.clone()], vec![unclear]), GateVerdict::NotComparable);
        assert_eq!(gate(vec![same.clone()], vec![absent.clone()]), GateVerdict::Pass);
        // Rows that passed on their own.
        let pooled = PooledRow { datasets: vec!["d".into(), "e".into()], models: vec!["m".into()], row: worse.clone() };
        let joint = GateReport { pooled: vec![pooled], ..report(vec![same.clone()], vec![], false) };
        assert_eq!(joint.verdict(), GateVerdict::Regression);
        // Nothing was compared.
        assert_eq!(gate(vec![absent], vec![]), GateVerdict::NotComparable);
        assert_eq!(gate(vec![], vec![]), GateVerdict::NotComparable);
    }
}
