//! Rows of tables: the jobs of a model on a dataset, grouped by fold.

use polars::prelude::{DataFrame, PolarsResult};

use super::stored::{SplitKey, StoredJob};
use crate::determinism::IndexMap;
use crate::experiment::job::{self, Job};
use crate::experiment::store::JobRow;
use crate::metric::significance::decision::{DecisionRule, is_at_chance};
use crate::metric::significance::mean_test_share;
use crate::metric::summary::mean;
use crate::metric::{Average, Column};

/// Columns that identify a row.
const KEY: [&str; 4] = ["dataset", "model", "preset", "case"];

/// Identity of a row in tables of results.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the model.
    pub model: String,
    /// The preset; empty without one.
    pub preset: String,
    /// Sweep settings as text; empty without a sweep.
    pub case: String,
}

impl RowKey {
    /// Returns the row of a record.
    fn of(row: &JobRow) -> Self {
        let [dataset, model, preset, case] = [&row.dataset, &row.model, &row.preset, &row.case].map(Clone::clone);
        RowKey { dataset, model, preset, case }
    }

    /// Returns the row of a job.
    pub fn of_job(job: &Job) -> Self {
        let (dataset, model) = (job.dataset.name.clone(), job.model.clone());
        RowKey { dataset, model, preset: job.preset_name().to_owned(), case: job.case() }
    }

    /// Returns the model with its preset and case, as [`Job::label`] prints it.
    pub fn label(&self) -> String {
        job::label(&self.model, &self.preset, &self.case)
    }
}

/// Positions in the frame of the jobs of a row.
#[derive(Clone, Debug, Default)]
pub(super) struct RowPositions {
    jobs: Vec<usize>,
    /// By fold number; once per seed if seeds draw other folds.
    folds: Vec<(usize, Vec<usize>)>,
}

impl RowPositions {
    /// Separates jobs of a fold number whose seeds drew other folds.
    pub(super) fn separate_splits(&mut self, jobs: &[StoredJob]) {
        let folds = std::mem::take(&mut self.folds);
        for (fold, positions) in folds {
            let mut splits: IndexMap<SplitKey, Vec<usize>> = IndexMap::default();
            for position in positions {
                splits.entry(jobs[position].split()).or_default().push(position);
            }
            self.folds.extend(splits.into_values().map(|positions| (fold, positions)));
        }
    }
}

/// Groups a frame by row, in the order of first appearance, and each row by fold.
pub(super) fn positions(frame: &DataFrame) -> PolarsResult<Vec<RowPositions>> {
    let group = |by: &[&str]| -> PolarsResult<Vec<Vec<usize>>> {
        let groups = frame.group_by_stable(by.iter().copied())?.into_groups().as_ref().clone().into_idx();
        // Sorted, because the order of floats in a sum is the order of the jobs.
        let sorted = |group: &[u32]| {
            let mut group: Vec<usize> = group.iter().map(|&position| position as usize).collect();
            group.sort_unstable();
            group
        };
        Ok(groups.all().iter().map(|group| sorted(group)).collect())
    };
    if frame.height() == 0 {
        return Ok(Vec::new());
    }
    let mut rows: Vec<RowPositions> =
        group(&KEY)?.into_iter().map(|jobs| RowPositions { jobs, folds: Vec::new() }).collect();
    let mut row_of = vec![0; frame.height()];
    for (row, positions) in rows.iter().enumerate() {
        positions.jobs.iter().for_each(|&job| row_of[job] = row);
    }
    let numbers = frame.column("fold")?.u64()?;
    let [dataset, model, preset, case] = KEY;
    for jobs in group(&[dataset, model, preset, case, "fold"])? {
        if let Some(fold) = numbers.get(jobs[0]) {
            rows[row_of[jobs[0]]].folds.push((fold as usize, jobs));
        }
    }
    rows.iter_mut().for_each(|row| row.folds.sort_unstable_by_key(|(fold, _)| *fold));
    Ok(rows)
}

/// The jobs of one row: all folds and seeds of a model on a dataset.
#[derive(Clone, Debug)]
pub struct Group<'r> {
    /// Identity of the row.
    pub key: RowKey,
    /// Jobs that ended, ordered by seed and fold.
    pub jobs: Vec<&'r StoredJob>,
    frame: &'r DataFrame,
    folds: &'r [(usize, Vec<usize>)],
}

impl<'r> Group<'r> {
    pub(super) fn new(jobs: &'r [StoredJob], frame: &'r DataFrame, positions: &'r RowPositions) -> Self {
        let key = RowKey::of(&jobs[positions.jobs[0]].record.row);
        let jobs = positions.jobs.iter().map(|&job| &jobs[job]).collect();
        Group { key, jobs, frame, folds: &positions.folds }
    }

    pub(super) fn empty(key: RowKey, frame: &'r DataFrame) -> Self {
        Group { key, jobs: Vec::new(), frame, folds: &[] }
    }

    /// Returns the jobs with a result.
    pub fn done(&self) -> impl Iterator<Item = &'r StoredJob> + '_ {
        self.jobs.iter().copied().filter(|stored| stored.is_done())
    }

    /// Returns the failed jobs.
    pub fn failed(&self) -> impl Iterator<Item = &'r StoredJob> + '_ {
        self.jobs.iter().copied().filter(|stored| !stored.is_done() && !stored.record.status.is_refused())
    }

    /// Returns the jobs whose kind of model does not support the dataset.
    pub fn refused(&self) -> impl Iterator<Item = &'r StoredJob> + '_ {
        self.jobs.iter().copied().filter(|stored| stored.record.status.is_refused())
    }

    /// Returns the kind of the model.
    pub fn kind(&self) -> &'r str {
        self.jobs.first().map_or("", |stored| stored.record.row.kind.as_str())
    }

    /// Returns the metric per split, with its fold number, averaged over seeds that share the
    /// split; splits without a value are omitted.
    pub fn by_split(&self, column: Column) -> Vec<(usize, f64)> {
        self.column_by_split(column.name())
    }

    /// Returns a column of numbers per split. Splits without a value are omitted; a column that the
    /// frame lacks has none.
    pub fn column_by_split(&self, name: &str) -> Vec<(usize, f64)> {
        let Some(values) = self.frame.column(name).ok().and_then(|column| column.f64().ok()) else {
            return Vec::new();
        };
        let of_fold = |(fold, positions): &(usize, Vec<usize>)| {
            let seeds: Vec<f64> = positions.iter().filter_map(|&position| values.get(position)).collect();
            (!seeds.is_empty()).then(|| (*fold, mean(&seeds)))
        };
        self.folds.iter().filter_map(of_fold).collect()
    }

    /// Returns whether the area under a curve cannot be told from chance, by the rule of all
    /// reports; `None` for another metric, or if the splits allow no test.
    pub fn is_at_chance(&self, column: Column) -> Option<bool> {
        let mut splits: IndexMap<SplitKey, (Vec<f64>, Vec<f64>)> = IndexMap::default();
        let mut sizes = Vec::new();
        for stored in self.done() {
            let (Some(score), Some(counts)) = (stored.metric(column), &stored.record.counts) else { continue };
            let values = splits.entry(stored.split()).or_default();
            values.0.push(score);
            values.1.push(column.chance(counts.test_positives, counts.test_negatives)?);
            sizes.push(counts.sizes());
        }
        let (scores, chance): (Vec<f64>, Vec<f64>) =
            splits.values().map(|(scores, chance)| (mean(scores), mean(chance))).unzip();
        is_at_chance(&DecisionRule::STANDARD, &scores, &chance, mean_test_share(&sizes).ok()?).ok()
    }

    /// Returns the mean of a metric over the splits that have it; `None` if none has.
    pub fn average(&self, column: Column) -> Option<Average> {
        self.column_average(column.name())
    }

    /// Returns the mean of a column of numbers over the splits that have it.
    pub fn column_average(&self, name: &str) -> Option<Average> {
        let values: Vec<f64> = self.column_by_split(name).into_iter().map(|(_, value)| value).collect();
        Average::of(&values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::store::column;
    use proptest::prelude::*;

    /// Positions of a row and of each of its folds.
    type Positions = (Vec<usize>, Vec<(usize, Vec<usize>)>);

    /// Groups one row after the other.
    fn slow(rows: &[([String; 4], u64)]) -> Vec<Positions> {
        let mut groups: IndexMap<&[String; 4], IndexMap<u64, Vec<usize>>> = IndexMap::default();
        for (position, (key, fold)) in rows.iter().enumerate() {
            groups.entry(key).or_default().entry(*fold).or_default().push(position);
        }
        let of_row = |mut folds: IndexMap<u64, Vec<usize>>| {
            folds.sort_unstable_keys();
            let mut jobs: Vec<usize> = folds.values().flatten().copied().collect();
            jobs.sort_unstable();
            (jobs, folds.into_iter().map(|(fold, jobs)| (fold as usize, jobs)).collect())
        };
        groups.into_values().map(of_row).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rows_and_folds_are_those_of_a_simple_loop(
            rows in prop::collection::vec((prop::array::uniform4("[ab,]{0,1}"), 1u64..4), 0..60),
        ) {
            let texts = |k: usize| column(KEY[k], rows.iter().map(|(key, _)| key[k].as_str()).collect::<Vec<_>>());
            let mut columns: Vec<_> = (0..4).map(texts).collect();
            columns.push(column("fold", rows.iter().map(|(_, fold)| *fold).collect::<Vec<_>>()));
            let frame = DataFrame::new(rows.len(), columns).unwrap();
            let found = positions(&frame).unwrap().into_iter().map(|row| (row.jobs, row.folds)).collect::<Vec<_>>();
            prop_assert_eq!(found, slow(&rows));
        }

        #[test]
        fn seeds_of_a_fold_are_averaged_first(values in prop::collection::vec(prop::option::of(0.0f64..1.0), 1..20)) {
            let folds: Vec<(usize, Vec<usize>)> =
                (0..3).map(|fold| (fold + 1, (fold..values.len()).step_by(3).collect())).collect();
            let frame = DataFrame::new(values.len(), vec![column("auc_roc", values.clone())]).unwrap();
            let key = RowKey { dataset: String::new(), model: String::new(), preset: String::new(), case: String::new() };
            let group = Group { folds: &folds, ..Group::empty(key, &frame) };
            let mut expected = Vec::new();
            for (fold, jobs) in &folds {
                let seeds: Vec<f64> = jobs.iter().filter_map(|&job| values[job]).collect();
                if !seeds.is_empty() {
                    expected.push((*fold, mean(&seeds)));
                }
            }
            prop_assert_eq!(group.by_split(Column::AucRoc), expected);
            prop_assert!(group.column_by_split("no such column").is_empty());
        }
    }
}
