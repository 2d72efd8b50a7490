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
}

impl PlannedJob {
    /// Derives key and ids from the checksum of the data.
    pub fn new(job: Job, data_checksum: &str) -> Self {
        let key = job.key(data_checksum);
        // Which ensemble a tuned job distils follows from its trials.
        let first = job.ensemble().filter(|_| job.tuning.is_none());
        let ensemble = first.map(|first| first.key(data_checksum).id());
        PlannedJob { id: key.id(), job, key, ensemble }
    }
}
