//! Grouping of jobs into tasks and of tasks into arrays.

use std::time::Duration;

use super::batch::TaskJobs;
use crate::experiment::run::Workload;
use crate::experiment::spec::SlurmSettings;
use crate::experiment::tasks;

/// Returns the target duration of a task by the number of its attempt, counted from 1.
///
/// What ends a task also ends the jobs it has not run yet. So tasks get smaller with each attempt,
/// and in the last one every job that can be separated runs alone: a hopeless job takes no other
/// with it.
fn task_time(settings: &SlurmSettings, attempt: u64) -> Duration {
    if attempt > 1 && attempt >= settings.attempts {
        return Duration::ZERO;
    }
    // Cost estimates may be off by several times.
    let max_time = settings.time.map_or(settings.task_time, |time| settings.task_time.min(time / 4));
    max_time / 8u32.saturating_pow(u32::try_from(attempt - 1).unwrap_or(u32::MAX))
}

/// Groups jobs into tasks.
pub(super) fn group_jobs(work: &Workload<'_>, jobs: &[usize], settings: &SlurmSettings, attempt: u64) -> Vec<TaskJobs> {
    let groups = match task_time(settings, attempt) {
        Duration::ZERO => tasks::units(work.plan, jobs),
        time => tasks::group(work.plan, jobs, time),
    };
    groups.into_iter().map(|jobs| TaskJobs { jobs, attempt }).collect()
}

/// Splits tasks into arrays that the cluster accepts.
pub(super) fn arrays(tasks: Vec<TaskJobs>, max_tasks: usize) -> Vec<Vec<TaskJobs>> {
    tasks.chunks(max_tasks.max(1)).map(<[TaskJobs]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tasks_get_smaller_with_each_attempt() {
        let settings = SlurmSettings { attempts: 3, ..SlurmSettings::default() };
        let seconds = |settings: &SlurmSettings, attempt| task_time(settings, attempt).as_secs_f64();
        assert_eq!([1, 2, 3, 4].map(|attempt| seconds(&settings, attempt)), [300.0, 37.5, 0.0, 0.0]);
        let settings = SlurmSettings { attempts: 1, time: Some(Duration::from_secs(60)), ..settings };
        assert_eq!(seconds(&settings, 1), 15.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn arrays_partition_the_tasks_within_the_size_limit(n in 0usize..3000, max in 0usize..1200) {
            let tasks: Vec<TaskJobs> = (0..n).map(|job| TaskJobs { jobs: vec![job], attempt: 1 }).collect();
            let arrays = arrays(tasks.clone(), max);
            prop_assert!(arrays.iter().all(|array| !array.is_empty() && array.len() <= max.max(1)));
            prop_assert_eq!(arrays.concat(), tasks);
        }
    }
}
