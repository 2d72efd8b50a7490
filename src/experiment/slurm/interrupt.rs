//! Interrupts of a cluster run by the user.

/// How a cluster run reacts to an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptAction {
    /// Stop watching; the tasks stay on the cluster.
    Detach,
    /// Cancel the tasks and stop.
    Cancel,
    /// Ignore the interrupt.
    Continue,
}

/// The tasks of a run on the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterStatus {
    /// Pending and running tasks.
    pub tasks: usize,
    /// Jobs without a result.
    pub jobs: usize,
    /// Ids of their arrays.
    pub arrays: Vec<u64>,
}
