//! Planned jobs: jobs with their keys and ids, given the data.

use super::job::Job;
use super::key::{JobId, JobKey};

/// A job of the plan with everything that decides whether it is done.
#[derive(Clone, Debug)]
pub struct PlannedJob {
    /// The job.
    pub job: Job,
    /// Everything that can change its result.
    pub key: JobKey,
    /// Hash of the key.
    pub id: JobId,
    /// Id of the ensemble that it distils.
    pub ensemble: Option<JobId>,
    /// The jobs that one training can serve; `None` if it always trains alone.
    pub prefix: Option<Prefix>,
}

/// An ensemble whose first rounds are also those of longer ensembles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// Hash of the key without the number of rounds: equal for ensembles that share their rounds.
    pub group: JobId,
    /// Number of boosting rounds.
    pub rounds: u32,
}

impl PlannedJob {
    /// Derives key and ids from the checksum of the data.
    pub fn new(job: Job, data_checksum: &str) -> Self {
        let key = job.key(data_checksum);
        // Which ensemble a tuned job distils, and how many trees it has, follows from its trials.
        let is_fixed = job.tuning.is_none();
        let ensemble = job.ensemble().filter(|_| is_fixed).map(|first| first.key(data_checksum).id());
        let rounds = job.system.learner().filter(|learner| is_fixed && learner.from.is_none());
        let prefix = rounds.and_then(|learner| learner.params.prefix_rounds()).map(|rounds| {
            let mut key = key.clone();
            key.learner.parameters.remove("trees");
            Prefix { group: key.id(), rounds }
        });
        PlannedJob { id: key.id(), job, key, ensemble, prefix }
    }
}
