//! What a failed submission means: whether the cluster may have taken the tasks all the same, and whether asking again can help.

use super::cluster::SlurmError;

/// What a failed submission means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not taken, and never will be: something is wrong with what was asked for.
    Lasting,
    /// Not taken, but it may be later.
    ForNow,
    /// Nobody knows: the answer was lost, and the cluster may have the tasks.
    Unclear,
}

/// What the controller says when it has refused; without it, the answer is not one of the controller.
const ANSWER: &str = "batch job submission failed";

/// Words of answers that stand for a lost one: the question may have arrived.
const LOST: [&str; 12] = [
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

/// Words of refusals that no waiting changes.
const LASTING: [&str; 11] = [
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

impl Refusal {
    /// Of what `sbatch` came to.
    pub fn of(error: &SlurmError) -> Refusal {
        match error {
            SlurmError::Refused { message, .. } => {
                let message = message.to_lowercase();
                let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
                match message.contains(ANSWER) && !has(&LOST) {
                    false => Refusal::Unclear,
                    true if has(&LASTING) => Refusal::Lasting,
                    true => Refusal::ForNow,
                }
            }
            // It was not called at all.
            SlurmError::NoSlurm { .. } => Refusal::ForNow,
            _ => Refusal::Lasting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_from_lost_answers() {
        let of = |message: &str| Refusal::of(&SlurmError::Refused { program: "sbatch", message: message.into() });
        for lost in [
            "Batch job submission failed: Socket timed out on send/recv operation",
            "Batch job submission failed: Unable to contact slurm controller (connect failure)",
            "Batch job submission failed: Zero Bytes were transmitted or received",
            "Batch job submission failed: Unexpected message received",
            "no id in `welcome`",
            "signal: 9 (SIGKILL)",
        ] {
            assert_eq!(of(lost), Refusal::Unclear, "{lost}");
        }
        let lasting = "Batch job submission failed: Invalid account or account/partition combination specified";
        assert_eq!(of(lasting), Refusal::Lasting);
        assert_eq!(
            of("invalid partition specified: x; Batch job submission failed: Invalid partition name specified"),
            Refusal::Lasting
        );
        for now in [
            "QOSMaxSubmitJobPerUserLimit; Batch job submission failed: Job violates accounting/QOS policy (job submit limit, \
             user's size and/or time limits)",
            "you have too much in the queue; Batch job submission failed: Unspecified error",
        ] {
            assert_eq!(of(now), Refusal::ForNow, "{now}");
        }
        let source = std::io::ErrorKind::NotFound.into();
        assert_eq!(Refusal::of(&SlurmError::NoSlurm { program: "sbatch", source }), Refusal::ForNow);
    }
}
