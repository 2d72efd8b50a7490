//! Trainings shared by jobs that differ in the number of boosting rounds only.
//!
//! The ensemble of fewer rounds is a prefix of that of more rounds, so the job with most rounds
//! trains once and leaves the models of the others for their jobs. Each job keeps its own
//! directory, record and limits. A job that finds no model, for instance because the longer
//! training failed, trains for itself and for the shorter ones. Jobs in processes of their own
//! share nothing.

use std::sync::Mutex;
use std::time::Instant;

use super::shared::lock;
use crate::determinism::HashMap;
use crate::experiment::key::JobId;
use crate::experiment::planned::{PlannedJob, Prefix};
use crate::learn::{SavedModel, Trained};

/// A model that the training of a longer ensemble left for another job.
pub struct TrainedPrefix {
    /// The model, with the warnings of its own rounds.
    pub trained: Trained<SavedModel>,
    /// Seconds from the start of the shared training to the end of the last round of this model.
    pub seconds: f64,
    /// Number of rounds of the shared training.
    pub of_rounds: u32,
}

/// The jobs of a run that share trainings, and the models left for them.
#[derive(Default)]
pub struct Prefixes {
    groups: HashMap<JobId, Vec<Member>>,
    models: Mutex<HashMap<JobId, Slot>>,
}

/// A job of a group.
struct Member {
    id: JobId,
    rounds: u32,
}

/// What is known about a job of a group.
enum Slot {
    /// Nobody trains its model yet.
    Waiting,
    /// A longer training left its model.
    Trained(Box<TrainedPrefix>),
    /// It has started, or it ended without starting.
    Taken,
}

impl Prefixes {
    /// Finds the jobs that share trainings, given by position in the plan.
    pub fn new(plan: &[PlannedJob], jobs: &[usize]) -> Self {
        let mut groups: HashMap<JobId, Vec<Member>> = HashMap::default();
        for planned in jobs.iter().map(|&job| &plan[job]) {
            if let Some(Prefix { group, rounds }) = shared(planned) {
                let member = Member { id: planned.id.clone(), rounds: *rounds };
                groups.entry(group.clone()).or_default().push(member);
            }
        }
        groups.retain(|_, members| members.len() > 1);
        let waiting = groups.values().flatten().map(|member| (member.id.clone(), Slot::Waiting));
        let models = Mutex::new(waiting.collect());
        Prefixes { groups, models }
    }

    /// Takes the model that was left for a job, which has started.
    pub fn take(&self, job: &JobId) -> Option<TrainedPrefix> {
        let mut models = lock(&self.models);
        match std::mem::replace(models.get_mut(job)?, Slot::Taken) {
            Slot::Trained(trained) => Some(*trained),
            Slot::Waiting | Slot::Taken => None,
        }
    }

    /// Returns the numbers of rounds of the shorter ensembles whose jobs have not started.
    pub fn shorter(&self, of: &Prefix) -> Vec<u32> {
        let models = lock(&self.models);
        let is_waiting = |member: &&Member| matches!(models.get(&member.id), Some(Slot::Waiting));
        let members = self.groups.get(&of.group).into_iter().flatten();
        let waiting = members.filter(|member| member.rounds < of.rounds).filter(is_waiting);
        let mut shorter: Vec<u32> = waiting.map(|member| member.rounds).collect();
        shorter.sort_unstable();
        shorter.dedup();
        shorter
    }

    /// Leaves the models of a training for the jobs of the group that have not started, except for
    /// the first, which is returned. `lengths` are the numbers of rounds of the models.
    pub fn leave_all_but_first(
        &self,
        of: &Prefix,
        lengths: &[u32],
        models: Vec<Trained<SavedModel>>,
        times: &RoundTimes,
    ) -> Trained<SavedModel> {
        let mut of_lengths = lengths.iter().zip(models);
        let (_, first) = of_lengths.next().expect("there is a model for each number of rounds");
        let mut slots = lock(&self.models);
        for (&rounds, trained) in of_lengths {
            for member in self.groups.get(&of.group).into_iter().flatten().filter(|member| member.rounds == rounds) {
                if let Some(slot @ Slot::Waiting) = slots.get_mut(&member.id) {
                    let (trained, seconds) = (trained.clone(), times.until(rounds));
                    *slot = Slot::Trained(Box::new(TrainedPrefix { trained, seconds, of_rounds: of.rounds }));
                }
            }
        }
        first
    }

    /// Drops the model of a job that ended.
    pub fn release(&self, job: &JobId) {
        if let Some(slot) = lock(&self.models).get_mut(job) {
            *slot = Slot::Taken;
        }
    }
}

/// Returns the group of a job that may share its training with others of this process.
fn shared(planned: &PlannedJob) -> Option<&Prefix> {
    planned.prefix.as_ref().filter(|_| !planned.job.is_isolated())
}

/// Returns for each of these jobs the position of the one that is to end before it starts, so that
/// it finds its model: the one with the next larger number of rounds.
pub fn next_longer(plan: &[PlannedJob], jobs: &[usize]) -> Vec<Option<usize>> {
    let mut groups: HashMap<&JobId, Vec<(u32, usize)>> = HashMap::default();
    for (position, &job) in jobs.iter().enumerate() {
        if let Some(Prefix { group, rounds }) = shared(&plan[job]) {
            groups.entry(group).or_default().push((*rounds, position));
        }
    }
    let mut after = vec![None; jobs.len()];
    for members in groups.values_mut() {
        members.sort_unstable();
        members.windows(2).for_each(|pair| after[pair[0].1] = Some(pair[1].1));
    }
    after
}

/// The time of each round of a training.
pub struct RoundTimes {
    began: Instant,
    seconds: Vec<f64>,
}

impl RoundTimes {
    /// Starts the clock.
    pub fn begin() -> Self {
        RoundTimes { began: Instant::now(), seconds: Vec::new() }
    }

    /// Notes the end of a round.
    pub fn note(&mut self) {
        self.seconds.push(self.began.elapsed().as_secs_f64());
    }

    /// Returns the seconds until the end of a round, counted from 1; of a training that stopped
    /// early, until its last one.
    pub fn until(&self, rounds: u32) -> f64 {
        let last = self.seconds.len().min(rounds as usize);
        last.checked_sub(1).map_or(0.0, |last| self.seconds[last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    /// One fold, two kinds of ensembles, four numbers of trees and a model distilled from each.
    fn plan(more: &str) -> Vec<PlannedJob> {
        let text = format!(
            "name = \"x\"\nfolds = 2\ndatasets = [\"movies\"]\n{more}\
             [[model]]\nname = \"A\"\nkind = \"lrbm-boost\"\n\
             [[model]]\nname = \"M\"\nkind = \"mln-boost\"\n\
             [[model]]\nname = \"Copy\"\nkind = \"lrbm-explainable\"\nfrom = \"A\"\n\
             [sweep]\ntrees = [1, 4, 2, 8]\n"
        );
        let experiment = Experiment::parse(&text, "x.toml", &[]).unwrap();
        let parts = experiment.datasets.iter();
        let jobs = parts.flat_map(|part| part.jobs(&part.seeds, 1, experiment.limits));
        jobs.map(|job| PlannedJob::new(job, "checksum")).collect()
    }

    #[test]
    fn shorter_ensembles_wait_for_the_next_longer_one() {
        let plan = plan("");
        let jobs: Vec<usize> = (0..plan.len()).collect();
        let trees = |position: usize| plan[position].job.settings["trees"].clone();
        let named = |job: usize, first: &Option<usize>| {
            let job = &plan[job].job;
            format!("{} {} {}", job.model, job.settings["trees"], first.map_or("-".to_owned(), trees))
        };
        let after: Vec<String> =
            next_longer(&plan, &jobs).iter().enumerate().map(|(job, first)| named(job, first)).collect();
        // A single tree of LRBM-Boost is grown in another way, and distilled trees are no prefixes.
        let expected = ["A 1 -", "A 4 8", "A 2 4", "A 8 -", "M 1 2", "M 4 8", "M 2 4", "M 8 -"];
        assert_eq!(after[..8], expected);
        assert!(after[8..].iter().all(|line| line.ends_with('-')), "{after:?}");
        // Jobs with processes of their own share nothing.
        let isolated = self::plan("isolate = true\n");
        assert!(next_longer(&isolated, &jobs).iter().all(Option::is_none));
        assert!(Prefixes::new(&isolated, &jobs).groups.is_empty());
    }

    #[test]
    fn only_jobs_that_have_not_started_get_models() {
        let plan = plan("");
        let jobs: Vec<usize> = (0..plan.len()).collect();
        let prefixes = Prefixes::new(&plan, &jobs);
        let longest = plan[7].prefix.as_ref().unwrap();
        assert_eq!(prefixes.shorter(longest), [1, 2, 4]);
        assert!(prefixes.take(&plan[6].id).is_none());
        prefixes.release(&plan[4].id);
        assert_eq!(prefixes.shorter(longest), [4]);
        // A job that is not part of the run does not get one either.
        assert!(Prefixes::new(&plan, &[7]).shorter(longest).is_empty());
    }

    #[test]
    fn times_of_rounds_end_with_the_training() {
        let mut times = RoundTimes::begin();
        assert_eq!(times.until(3), 0.0);
        times.note();
        times.note();
        assert!(times.until(1) <= times.until(2) && times.until(2) == times.until(9));
    }
}
