//! Tuned models: what was chosen, how stable the choice is, how optimistic the inner score, and
//! what the trials cost.

use super::common::notes;
use crate::determinism::IndexMap;
use crate::experiment::Results;
use crate::experiment::frame::StoredJob;
use crate::experiment::job::case_text;
use crate::experiment::tune::TrialChoice;
use crate::metric::Column;
use crate::metric::summary::mean;
use crate::report::rows::ReportRow;
use crate::report::table::{Table, TableCell, TableColumn, TableRow, TableStyle};

/// A tuned job with its choice.
struct Tuned<'r> {
    stored: &'r StoredJob,
    choice: &'r TrialChoice,
}

impl Tuned<'_> {
    fn settings(&self) -> String {
        case_text(&self.choice.settings)
    }

    /// Returns the metric of the choice on the outer test examples.
    fn outer(&self) -> Option<f64> {
        self.stored.metric(Column::named(&self.choice.metric)?)
    }
}

fn tuned<'r>(row: &ReportRow<'r>) -> Vec<Tuned<'r>> {
    let jobs = row.group.jobs.iter().copied();
    jobs.filter_map(|stored| Some(Tuned { stored, choice: stored.record.tuning.as_ref()? })).collect()
}

/// Returns the summary of all tuned rows; `None` if nothing is tuned.
pub fn tuning_table(results: &Results, rows: &[ReportRow<'_>]) -> Option<Table> {
    let shown: Vec<(&ReportRow<'_>, Vec<Tuned<'_>>)> = rows.iter().map(|row| (row, tuned(row))).collect();
    let shown: Vec<_> = shown.into_iter().filter(|(_, jobs)| !jobs.is_empty()).collect();
    let (_, first) = shown.first()?;
    let metric = first[0].choice.metric.clone();
    let line = |(row, jobs): &(&ReportRow<'_>, Vec<Tuned<'_>>)| {
        let mut choices: IndexMap<String, usize> = IndexMap::default();
        jobs.iter().for_each(|job| *choices.entry(job.settings()).or_default() += 1);
        let (frequent, times) = choices.iter().rev().max_by_key(|(_, times)| **times).map_or(("", 0), |(s, n)| (s, *n));
        let pairs: Vec<(f64, f64)> = jobs.iter().filter_map(|job| Some((job.choice.score, job.outer()?))).collect();
        let (inner, outer): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let score = |values: &[f64]| if values.is_empty() { "-".to_owned() } else { format!("{:.3}", mean(values)) };
        let gap = if inner.is_empty() { "-".to_owned() } else { format!("{:+.3}", mean(&inner) - mean(&outer)) };
        let trials = || jobs.iter().flat_map(|job| &job.choice.trials);
        let failed = trials().filter(|trial| trial.score.is_none()).count();
        let trial_seconds: f64 = jobs.iter().map(|job| job.choice.trial_seconds).sum();
        let machine = jobs.iter().map(|job| &job.stored.record.machine);
        let outer_seconds: f64 = machine.map(|machine| machine.train_seconds + machine.ensemble_seconds).sum();
        let cells = [
            row.key().dataset.clone(),
            row.key().label(),
            jobs[0].choice.trials.len().to_string(),
            failed.to_string(),
            format!("{} in {}", choices.len(), jobs.len()),
            format!("{frequent} ({times} of {})", jobs.len()),
            score(&inner),
            score(&outer),
            gap,
            format!("{trial_seconds:.2}"),
            format!("{outer_seconds:.2}"),
        ];
        TableRow { cells: cells.map(TableCell::Text).to_vec(), is_extra: false }
    };
    let columns = [
        "dataset",
        "model",
        "trials",
        "failed",
        "choices",
        "most frequent",
        "inner",
        "outer",
        "optimism",
        "trial_seconds",
        "outer_seconds",
    ];
    Some(Table {
        name: "tuning".to_owned(),
        title: "Tuning".to_owned(),
        caption: format!(
            "Settings were chosen by {metric} on inner folds of each training part; no test example was seen. \
             Choices: number of different settings that were chosen in the jobs of the row. Inner: mean of the chosen \
             trials on their inner folds; outer: the same metric on the test examples; optimism: inner minus outer. \
             Seconds of learning, of all trials and of the outer jobs, summed over the row."
        ),
        columns: columns.into_iter().map(TableColumn::text).collect(),
        rows: shown.iter().map(line).collect(),
        notes: notes(results),
        style: TableStyle::default(),
    })
}

/// Returns the choice of every tuned job; `None` if nothing is tuned.
pub fn choice_table(results: &Results, rows: &[ReportRow<'_>]) -> Option<Table> {
    let lines: Vec<TableRow> = rows
        .iter()
        .flat_map(|row| tuned(row).into_iter().map(move |job| (row, job)))
        .map(|(row, job)| {
            let at = &job.stored.record.row;
            let cells = [
                row.key().dataset.clone(),
                row.key().label(),
                at.fold.to_string(),
                at.seed.to_string(),
                job.choice.trial.to_string(),
                job.settings(),
                format!("{:.3}", job.choice.score),
                job.outer().map_or_else(|| "-".to_owned(), |score| format!("{score:.3}")),
            ];
            TableRow { cells: cells.map(TableCell::Text).to_vec(), is_extra: false }
        })
        .collect();
    if lines.is_empty() {
        return None;
    }
    let columns = ["dataset", "model", "fold", "seed", "trial", "chosen", "inner", "outer"];
    Some(Table {
        name: "tuning-choices".to_owned(),
        title: "Chosen settings by outer fold".to_owned(),
        caption: "Of trials with equal means over the inner folds, the earliest is chosen.".to_owned(),
        columns: columns.into_iter().map(TableColumn::text).collect(),
        rows: lines,
        notes: notes(results),
        style: TableStyle::default(),
    })
}
