//! The columns of the frame.

use polars::prelude::{Column, DataFrame, PolarsResult};

use crate::determinism::{HashMap, IndexMap};
use crate::experiment::job::{Job, case_text};
use crate::experiment::store::{ExampleCounts, JobRecord, JobRow, MachineInfo, Outcome, TrialRow, column};
use crate::experiment::tune::choice::TrialChoice;
use crate::metric::{self, ClassMetrics};

/// The columns of an experiment's frame: the fixed ones, and one for each swept parameter.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    settings: Vec<Setting>,
    /// Whether some jobs are trials, whose columns other experiments lack.
    has_trials: bool,
}

#[derive(Clone, Debug)]
struct Setting {
    name: String,
    as_number: bool,
}

/// Columns that always exist, so that a sweep over them adds none.
const FIXED: [&str; 15] = [
    "job",
    "dataset",
    "model",
    "kind",
    "preset",
    "case",
    "fold",
    "seed",
    "folds",
    "negatives_per_positive",
    "status",
    "trial",
    "inner_fold",
    "tuned",
    "chosen",
];

impl Schema {
    /// Returns the columns for these jobs, whether they ended or not.
    pub fn of<'a>(jobs: impl Iterator<Item = &'a Job>) -> Self {
        let jobs: Vec<&Job> = jobs.collect();
        let has_trials = jobs.iter().any(|job| job.trial.is_some());
        let is_fixed = |name: &str| FIXED.contains(&name) || metric::Column::named(name).is_some();
        let mut settings: IndexMap<&str, bool> = IndexMap::default();
        for (name, value) in jobs.iter().flat_map(|job| &job.settings).filter(|(name, _)| !is_fixed(name)) {
            // Over all jobs, so that the column type does not depend on which of them ended.
            *settings.entry(name).or_insert(true) &= value.parse::<f64>().is_ok();
        }
        let setting = |(name, as_number): (&str, bool)| Setting { name: name.to_owned(), as_number };
        Schema { settings: settings.into_iter().map(setting).collect(), has_trials }
    }

    /// Converts records to a frame, one row each.
    ///
    /// # Errors
    /// If two columns have the same name, which would be a bug.
    pub fn frame<'r>(&self, records: impl IntoIterator<Item = &'r JobRecord>) -> PolarsResult<DataFrame> {
        let records = Records(records.into_iter().collect());
        let mut columns = records.identity();
        columns.extend(self.settings.iter().map(|setting| records.setting(setting)));
        if self.has_trials {
            columns.extend(records.trials());
        }
        columns.extend(records.outcome());
        columns.extend(records.machine());
        DataFrame::new(records.0.len(), columns)
    }
}

/// The rows of a frame.
struct Records<'r>(Vec<&'r JobRecord>);

impl Records<'_> {
    fn records(&self) -> impl Iterator<Item = &JobRecord> {
        self.0.iter().copied()
    }

    fn strings<'a>(&'a self, name: &str, get: impl Fn(&'a JobRecord) -> &'a str) -> Column {
        column(name, self.records().map(get).collect::<Vec<_>>())
    }

    fn integers(&self, name: &str, get: impl Fn(&JobRecord) -> u64) -> Column {
        column(name, self.records().map(get).collect::<Vec<_>>())
    }

    fn identity(&self) -> Vec<Column> {
        vec![
            self.strings("job", |r| r.id.as_str()),
            self.strings("dataset", |r| &r.row.dataset),
            self.strings("model", |r| &r.row.model),
            self.strings("kind", |r| &r.row.kind),
            self.strings("preset", |r| &r.row.preset),
            self.strings("case", |r| &r.row.case),
            self.integers("fold", |r| r.row.fold as u64),
            self.integers("seed", |r| r.row.seed),
            self.integers("folds", |r| r.key.folds as u64),
            column("negatives_per_positive", self.records().map(|r| r.key.negatives_per_positive).collect::<Vec<_>>()),
        ]
    }

    fn setting(&self, setting: &Setting) -> Column {
        let values = self.records().map(|r| r.row.settings.get(&setting.name).map(String::as_str));
        if setting.as_number {
            let numbers: Vec<Option<f64>> = values.map(|value| value?.parse().ok()).collect();
            return column(&setting.name, numbers);
        }
        column(&setting.name, values.collect::<Vec<_>>())
    }

    /// The number and inner fold of trials, the tuned values of trials and outer jobs, and whether
    /// the outer job chose the trial; unknown until it has ended.
    fn trials(&self) -> Vec<Column> {
        let outer = |row: &JobRow| {
            let JobRow { dataset, model, preset, case, fold, seed, .. } = row.clone();
            (dataset, model, preset, case, fold, seed)
        };
        let tuned = self.records().filter_map(|r| Some((outer(&r.row), r.tuning.as_ref()?)));
        let choices: HashMap<_, &TrialChoice> = tuned.collect();
        let number = |get: fn(&TrialRow) -> usize| -> Vec<Option<u64>> {
            self.records().map(|r| r.row.trial.as_ref().map(|trial| get(trial) as u64)).collect()
        };
        let chosen = self.records().map(|r| {
            let (trial, choice) = (r.row.trial.as_ref()?, choices.get(&outer(&r.row))?);
            Some(trial.number == choice.trial)
        });
        let settings = self.records().map(|r| match (&r.row.trial, &r.tuning) {
            (Some(trial), _) => Some(case_text(&trial.settings)),
            (None, Some(choice)) => Some(case_text(&choice.settings)),
            (None, None) => None,
        });
        vec![
            column("trial", number(|trial| trial.number)),
            column("inner_fold", number(|trial| trial.inner_fold)),
            column("tuned", settings.collect::<Vec<_>>()),
            column("chosen", chosen.collect::<Vec<_>>()),
        ]
    }

    fn outcome(&self) -> Vec<Column> {
        let mut columns = vec![
            self.strings("status", |r| r.status.name()),
            column("message", self.records().map(|r| r.status.message()).collect::<Vec<_>>()),
        ];
        type Count = (&'static str, fn(&ExampleCounts) -> Option<usize>);
        let counts: [Count; 6] = [
            ("train_positives", |c| Some(c.train_positives)),
            ("train_negatives", |c| Some(c.train_negatives)),
            ("train_negatives_drawn", |c| c.train_negatives_drawn),
            ("test_positives", |c| Some(c.test_positives)),
            ("test_negatives", |c| Some(c.test_negatives)),
            ("test_negatives_drawn", |c| Some(c.test_negatives_drawn)),
        ];
        for (name, get) in counts {
            let values = self.records().map(|r| r.counts.as_ref().and_then(get).map(|n| n as u64));
            columns.push(column(name, values.collect::<Vec<_>>()));
        }
        let result = |get: &dyn Fn(&Outcome) -> Option<f64>| -> Vec<Option<f64>> {
            self.records().map(|r| r.result.as_ref().and_then(get)).collect()
        };
        for metric in metric::Column::ALL {
            columns.push(column(metric.name(), result(&|outcome| outcome.metric(metric))));
        }
        // Only for multi-class data, so that other tables keep their columns.
        if self.records().any(|r| r.result.as_ref().is_some_and(|outcome| outcome.classes.is_some())) {
            for (k, name) in ClassMetrics::NAMES.into_iter().enumerate() {
                columns.push(column(name, result(&|outcome| Some(outcome.classes?.named()[k].1))));
            }
        }
        let size = |get: fn(&Outcome) -> usize| -> Vec<Option<u64>> {
            self.records().map(|r| r.result.as_ref().map(|outcome| get(outcome) as u64)).collect()
        };
        columns.push(column("model_trees", size(|outcome| outcome.trees)));
        columns.push(column("model_leaves", size(|outcome| outcome.leaves)));
        columns.push(column("fidelity_r_squared", result(&|outcome| Some(outcome.fidelity?.r_squared))));
        columns
    }

    fn machine(&self) -> Vec<Column> {
        type Seconds = (&'static str, fn(&MachineInfo) -> Option<f64>);
        let seconds: [Seconds; 4] = [
            ("wall_seconds", |m| Some(m.wall_seconds)),
            ("train_seconds", |m| Some(m.train_seconds)),
            ("score_seconds", |m| Some(m.score_seconds)),
            ("cpu_seconds", |m| m.cpu_seconds),
        ];
        let mut columns: Vec<Column> = seconds
            .into_iter()
            .map(|(name, get)| column(name, self.records().map(|r| get(&r.machine)).collect::<Vec<_>>()))
            .collect();
        let peaks: Vec<Option<u64>> = self.records().map(|r| r.machine.peak_memory_bytes).collect();
        columns.push(column("peak_memory_bytes", peaks));
        columns
    }
}
