//! Tasks: groups of jobs that one process runs in sequence, on a cluster or wherever `lrbm run-job`
//! is called.
//!
//! Starting a process, reading data and queueing cost seconds, so a task should take minutes. The
//! time of a job is estimated to about an order of magnitude, which is enough: no result depends on
//! it.

use std::ops::Range;
use std::time::Duration;

use super::dataset_ref::DatasetRef;
use super::job::{Job, LearnerConfig, System};
use super::key::JobId;
use super::planned::PlannedJob;
use crate::determinism::HashMap;

/// Runs of at least this many seconds are split into up to [`MIN_TASKS`] tasks, whatever the task
/// time.
const SHORT_SECONDS: f64 = 10.0;
/// Minimum number of tasks of a long run.
const MIN_TASKS: usize = 16;
/// Seconds per test of a leaf and example, or ten facts; measured on the shipped experiments.
const SECONDS_EACH: f64 = 2e-5;
/// Seconds of a command, about which nothing is known.
const SECONDS_OF_COMMAND: f64 = 30.0;
/// Fixed seconds per job.
const SECONDS_ALWAYS: f64 = 0.02;

/// Groups jobs of a plan, given by their indices, into tasks of about this length. Jobs keep their
/// order, so that those with the same data stay together. A job that distills an ensemble is in the
/// task of the ensemble, which is then learned once. Ensembles that share their first rounds are in
/// one task as well.
pub fn group(plan: &[PlannedJob], jobs: &[usize], task_time: Duration) -> Vec<Vec<usize>> {
    let units = units_by(plan, jobs, |planned| planned.prefix.as_ref().map(|prefix| &prefix.group));
    let costs: Vec<f64> = units.iter().map(|unit| unit.iter().map(|&job| seconds(&plan[job].job)).sum()).collect();
    let tasks = number(costs.iter().sum(), task_time).min(units.len());
    parts(&costs, tasks).into_iter().map(|part| units[part].concat()).collect()
}

/// Groups jobs that must run in the same task.
pub fn units(plan: &[PlannedJob], jobs: &[usize]) -> Vec<Vec<usize>> {
    units_by(plan, jobs, |_| None)
}

/// Groups jobs that must run in the same task, and those with a common id.
fn units_by<'p>(
    plan: &'p [PlannedJob],
    jobs: &[usize],
    common: impl Fn(&'p PlannedJob) -> Option<&'p JobId>,
) -> Vec<Vec<usize>> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mut of_ensemble: HashMap<&JobId, usize> = HashMap::default();
    let mut of_common: HashMap<&JobId, usize> = HashMap::default();
    for &job in jobs {
        let PlannedJob { id, ensemble, .. } = &plan[job];
        let id = ensemble.as_ref().unwrap_or(id);
        let common = common(&plan[job]);
        let next = common.and_then(|common| of_common.get(common)).copied().unwrap_or(units.len());
        let unit = *of_ensemble.entry(id).or_insert(next);
        if let Some(common) = common {
            of_common.entry(common).or_insert(unit);
        }
        match units.get_mut(unit) {
            Some(unit) => unit.push(job),
            None => units.push(vec![job]),
        }
    }
    units
}

/// Returns the number of tasks for a run of this many seconds.
fn number(seconds: f64, task_time: Duration) -> usize {
    let task = task_time.as_secs_f64().max(1e-3);
    let min = ((seconds / SHORT_SECONDS.min(task)).ceil() as usize).min(MIN_TASKS);
    ((seconds / task).ceil() as usize).max(min).max(1)
}

/// Splits costs in their order into `number` nonempty parts. No part costs more than an equal share
/// plus the largest single cost.
fn parts(costs: &[f64], number: usize) -> Vec<Range<usize>> {
    let total: f64 = costs.iter().sum();
    let mut parts: Vec<Range<usize>> = Vec::with_capacity(number);
    let (mut begin, mut so_far) = (0, 0.0);
    for (i, cost) in costs.iter().enumerate() {
        so_far += cost;
        let share = total * (parts.len() + 1) as f64 / number as f64;
        // A sum of floats may fall short of the total, so the last cost always ends the last part.
        let (left, parts_left) = (costs.len() - i - 1, number - parts.len() - 1);
        if left == 0 || left == parts_left || (so_far >= share && parts_left > 0) {
            parts.push(begin..i + 1);
            begin = i + 1;
        }
    }
    parts
}

/// Estimates the seconds that a job takes.
pub fn seconds(job: &Job) -> f64 {
    let seconds = match &job.system {
        System::Learner(LearnerConfig { params, from, .. }) => {
            // An ensemble without a job of its own is learned by the job that distills it.
            let ensemble = from.as_ref().filter(|from| from.model.is_none());
            let tests = params.cost() + ensemble.map_or(0.0, |from| from.params.cost());
            SECONDS_ALWAYS + SECONDS_EACH * size(&job.dataset, job.split.negatives_per_positive) * tests
        }
        System::External(external) if external.command().is_some() => SECONDS_OF_COMMAND,
        System::External(_) => SECONDS_ALWAYS,
    };
    job.limits.time.map_or(seconds, |limit| seconds.min(limit.as_secs_f64()))
}

/// Estimates the number of examples plus a tenth of the number of facts, without reading data.
fn size(source: &DatasetRef, negatives_per_positive: f64) -> f64 {
    let (positives, facts) = match (source.manifest(), &source.generated) {
        (Some(manifest), _) => {
            let expected = &manifest.expected;
            (expected.positives as f64, expected.facts.map_or(10.0 * expected.positives as f64, |facts| facts as f64))
        }
        (None, Some(settings)) => (300.0 * f64::from(settings.scale()), 3000.0 * f64::from(settings.scale())),
        (None, None) => (1000.0, 10_000.0),
    };
    positives * (1.0 + negatives_per_positive) + facts / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use proptest::prelude::*;

    #[test]
    fn short_runs_get_few_tasks() {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        assert_eq!(number(0.5, minutes(5)), 1);
        assert_eq!(number(10.1, minutes(5)), 2);
        assert_eq!(number(300.0, minutes(5)), 16);
        assert_eq!(number(4800.0, minutes(5)), 16);
        assert_eq!(number(5100.0, minutes(5)), 17);
        assert_eq!(number(20.0, Duration::from_secs(1)), 20);
        assert_eq!(number(2.0, Duration::from_millis(100)), 20);
        assert_eq!(number(0.0, minutes(5)), 1);
    }

    #[test]
    fn parts_of_small_inputs() {
        assert_eq!(parts(&[1.0, 1.0, 1.0, 1.0], 2), [0..2, 2..4]);
        assert_eq!(parts(&[9.0, 1.0, 1.0, 1.0], 3), [0..1, 1..2, 2..4]);
        assert_eq!(parts(&[1.0, 1.0, 9.0], 3), [0..1, 1..2, 2..3]);
        assert_eq!(parts(&[0.0, 0.0], 2), [0..1, 1..2]);
        assert!(parts(&[], 0).is_empty());
    }

    /// 2 datasets, 3 folds, 2 numbers of trees and 5 models, three of them distilled: 60 jobs.
    fn plan() -> Vec<PlannedJob> {
        let text = "name = \"x\"\nfolds = 3\ndatasets = [\"movies\", \"university\"]\n\
                    [[model]]\nname = \"A\"\nkind = \"lrbm-boost\"\n\
                    [[model]]\nname = \"Copy\"\nkind = \"lrbm-explainable\"\nfrom = \"A\"\n\
                    [[model]]\nname = \"Again\"\nkind = \"lrbm-explainable\"\nfrom = \"A\"\ndistil_depth = 2\n\
                    [[model]]\nname = \"Own\"\nkind = \"lrbm-explainable\"\n\
                    [[model]]\nname = \"R\"\nkind = \"rdn-boost\"\n[sweep]\ntrees = [2, 30]\n";
        let experiment = Experiment::parse(text, "x.toml", &[]).unwrap();
        let parts = experiment.datasets.iter();
        let jobs = parts.flat_map(|part| part.jobs(&part.seeds, 3, experiment.limits));
        jobs.map(|job| PlannedJob::new(job, "checksum")).collect()
    }

    #[test]
    fn more_trees_more_data_and_deeper_trees_cost_more() {
        let plan = plan();
        let cost = |model: &str, trees: &str| {
            let is = |job: &Job| job.model == model && job.settings.get("trees").is_none_or(|n| n == trees);
            plan.iter().find(|planned| is(&planned.job)).map(|planned| seconds(&planned.job)).unwrap()
        };
        assert!(cost("A", "30") > cost("A", "2"));
        // A distilled model without `from` also learns its ensemble.
        assert!(cost("Own", "30") > cost("Own", "2") && cost("Own", "2") > cost("Copy", "2"));
        let mut large = plan[0].job.clone();
        let mut source = (*large.dataset).clone();
        source.id = "yeast2".to_owned();
        large.dataset = std::sync::Arc::new(source);
        assert!(seconds(&large) > 5.0 * seconds(&plan[0].job));
        large.limits.time = Some(Duration::from_millis(1));
        assert_eq!(seconds(&large), 0.001);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Every requested job is in exactly one task; distilled models are in the task of their
        /// ensemble.
        #[test]
        fn tasks_partition_the_jobs_and_keep_ensembles_together(requested in prop::collection::vec(any::<bool>(), 60), milliseconds in 1u64..100_000) {
            let plan = plan();
            let jobs: Vec<usize> = (0..plan.len()).filter(|&job| requested[job]).collect();
            let tasks = group(&plan, &jobs, Duration::from_millis(milliseconds));
            prop_assert!(tasks.iter().all(|task| !task.is_empty()));
            let mut all = tasks.concat();
            all.sort_unstable();
            prop_assert_eq!(&all, &jobs);
            for task in &tasks {
                for id in task.iter().filter_map(|&job| plan[job].ensemble.as_ref()) {
                    let same_ensemble = jobs.iter().filter(|&&job| plan[job].id == *id || plan[job].ensemble.as_ref() == Some(id));
                    prop_assert!(same_ensemble.into_iter().all(|job| task.contains(job)));
                }
            }
        }

        /// Every job is in exactly one part, in order; no part is empty, or costs more than its
        /// share plus the largest cost.
        #[test]
        fn parts_partition_the_costs_and_are_balanced(costs in prop::collection::vec(0.0f64..100.0, 1..200), wanted in 1usize..250) {
            let number = wanted.min(costs.len());
            let parts = parts(&costs, number);
            prop_assert_eq!(parts.len(), number);
            let all: Vec<usize> = parts.iter().cloned().flatten().collect();
            prop_assert_eq!(all, (0..costs.len()).collect::<Vec<_>>());
            let share = costs.iter().sum::<f64>() / number as f64;
            let largest = costs.iter().copied().fold(0.0, f64::max);
            for part in parts {
                prop_assert!(!part.is_empty());
                let cost: f64 = costs[part].iter().sum();
                prop_assert!(cost <= share + largest + 1e-6, "{} {} {}", cost, share, largest);
            }
        }
    }
}
