//! Classifies failed submissions: the cluster may have accepted the tasks nevertheless, and a retry
//! may help.

use crate::experiment::error::SlurmError;

/// Classification of a failed submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitFailure {
    /// Rejected because of an invalid request; a retry does not help.
    Permanent,
    /// Rejected for now; a retry may succeed.
    Temporary,
    /// The response was lost, and the cluster may have accepted the tasks.
    Unknown,
}

/// Prefix of every rejection by the controller; other messages do not come from it.
const REJECTED: &str = "batch job submission failed";

/// Phrases of messages that indicate a lost response: the request may have arrived.
const LOST_RESPONSE: [&str; 12] = [
    "timed out",
    "timeout",
    "zero bytes",
    "contact",
    "connect",
    "communication",
    "message",
    "protocol",
    "receive",
    "pipe",
    "interrupted",
    "input/output error",
];

/// Phrases of rejections that are permanent.
const PERMANENT: [&str; 11] = [
    "invalid account",
    "invalid qos",
    "invalid partition",
    "invalid feature",
    "invalid generic resource",
    "invalid job array",
    "invalid wckey",
    "requested time limit is invalid",
    "memory specification can not be satisfied",
    "access/permission denied",
    "group not permitted to use this partition",
];

impl SubmitFailure {
    /// Classifies an error of `sbatch`.
    pub fn of(error: &SlurmError) -> SubmitFailure {
        match error {
            SlurmError::CommandFailed { message, .. } => {
                let message = message.to_lowercase();
                let has = |description: &[&str]| description.iter().any(|word| message.contains(word));
                match message.contains(REJECTED) && !has(&LOST_RESPONSE) {
                    false => SubmitFailure::Unknown,
                    true if has(&PERMANENT) => SubmitFailure::Permanent,
                    true => SubmitFailure::Temporary,
                }
            }
            // `sbatch` was not executed.
            SlurmError::CommandMissing { .. } => SubmitFailure::Temporary,
            _ => SubmitFailure::Permanent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejections_are_distinguished_from_lost_responses() {
        let of = |message: &str| {
            SubmitFailure::of(&SlurmError::CommandFailed { program: "sbatch", message: message.into() })
        };
        for lost in [
            "Batch job submission failed: Socket timed out on send/recv operation",
            "Batch job submission failed: Unable to contact slurm controller (connect failure)",
            "Batch job submission failed: Zero Bytes were transmitted or received",
            "Batch job submission failed: Unexpected message received",
            "no id in `welcome`",
            "signal: 9 (SIGKILL)",
        ] {
            assert_eq!(of(lost), SubmitFailure::Unknown, "{lost}");
        }
        let lasting = "Batch job submission failed: Invalid account or account/partition combination specified";
        assert_eq!(of(lasting), SubmitFailure::Permanent);
        assert_eq!(
            of("invalid partition specified: x; Batch job submission failed: Invalid partition name specified"),
            SubmitFailure::Permanent
        );
        for now in [
            "QOSMaxSubmitJobPerUserLimit; Batch job submission failed: Job violates accounting/QOS policy (job submit limit, \
             user's size and/or time limits)",
            "you have too much in the queue; Batch job submission failed: Unspecified error",
        ] {
            assert_eq!(of(now), SubmitFailure::Temporary, "{now}");
        }
        let source = std::io::ErrorKind::NotFound.into();
        assert_eq!(
            SubmitFailure::of(&SlurmError::CommandMissing { program: "sbatch", source }),
            SubmitFailure::Temporary
        );
    }
}
