//! Which jobs of a plan are the trials of which outer jobs.

use std::path::PathBuf;

use crate::determinism::HashMap;
use crate::experiment::planned::PlannedJob;

/// The trials of the outer jobs of a plan, by position.
#[derive(Clone, Debug, Default)]
pub struct TrialGraph {
    trials: HashMap<usize, Vec<usize>>,
    outer: HashMap<usize, usize>,
}

impl TrialGraph {
    /// Finds the trials of every tuned job of a plan.
    pub fn of(plan: &[PlannedJob]) -> TrialGraph {
        let mut tuned: HashMap<PathBuf, usize> = HashMap::default();
        for (position, planned) in plan.iter().enumerate().filter(|(_, planned)| planned.job.tuning.is_some()) {
            tuned.insert(planned.job.directory(), position);
        }
        let mut graph = TrialGraph::default();
        for (position, planned) in plan.iter().enumerate() {
            if planned.job.trial.is_some()
                && let Some(&outer) = tuned.get(&planned.job.outer_directory())
            {
                graph.trials.entry(outer).or_default().push(position);
                graph.outer.insert(position, outer);
            }
        }
        graph
    }

    /// Returns the positions of the trials of an outer job, in order.
    pub fn trials(&self, outer: usize) -> &[usize] {
        self.trials.get(&outer).map_or(&[], Vec::as_slice)
    }

    /// Returns the position of the outer job of a trial.
    pub fn outer(&self, trial: usize) -> Option<usize> {
        self.outer.get(&trial).copied()
    }

    /// Returns jobs with the trials of those among them that are tuned, in the order of the plan.
    pub fn with_trials(&self, jobs: &[usize]) -> Vec<usize> {
        if self.trials.is_empty() {
            return jobs.to_vec();
        }
        let mut all: Vec<usize> = jobs.iter().flat_map(|&job| self.trials(job)).chain(jobs).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
