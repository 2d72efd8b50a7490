//! Ctrl-C during a cluster run: detach from the tasks or cancel them.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::cli::error::JOBS_FAILED;
use crate::experiment::slurm::{ClusterStatus, InterruptAction};
use crate::logic::quantity::counted;

/// Signal handler that asks the user how to react.
pub struct Interrupt {
    received: Arc<AtomicBool>,
    /// Whether a question is open; then another Ctrl-C ends the program, and the tasks stay queued.
    asking: Arc<AtomicBool>,
    can_ask: bool,
}

impl Interrupt {
    /// Installs the signal handlers.
    pub fn listen() -> io::Result<Self> {
        let (received, asking) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        flag::register_conditional_shutdown(SIGINT, i32::from(JOBS_FAILED), Arc::clone(&asking))?;
        flag::register(SIGINT, Arc::clone(&received))?;
        flag::register(SIGTERM, Arc::clone(&received))?;
        Ok(Interrupt { received, asking, can_ask: io::stdin().is_terminal() && io::stderr().is_terminal() })
    }

    /// Returns the reaction to a Ctrl-C, if there was one. Non-interactive runs detach.
    pub fn answer(
        &self,
        status: &ClusterStatus,
        pause: impl FnOnce(&dyn Fn() -> InterruptAction) -> InterruptAction,
    ) -> Option<InterruptAction> {
        if !self.received.swap(false, Ordering::SeqCst) {
            return None;
        }
        if !self.can_ask {
            return Some(InterruptAction::Detach);
        }
        self.asking.store(true, Ordering::SeqCst);
        let answer = pause(&|| ask(status));
        self.asking.store(false, Ordering::SeqCst);
        Some(answer)
    }
}

fn ask(status: &ClusterStatus) -> InterruptAction {
    let mut err = io::stderr();
    let question = format!(
        "{} with {} are on the cluster (scancel {}).\n[l]eave them queued and stop watching, [c]ancel them, or [g]o on? [l] ",
        counted(status.tasks, "task"),
        counted(status.jobs, "job"),
        entry(&status.arrays)
    );
    let mut line = String::new();
    // Without an interactive answer, no task is cancelled.
    let asked = write!(err, "{question}").and_then(|()| err.flush()).and_then(|()| io::stdin().read_line(&mut line));
    match (asked, line.trim().to_lowercase().chars().next()) {
        (Ok(_), Some('c')) => InterruptAction::Cancel,
        (Ok(_), Some('g')) => InterruptAction::Continue,
        _ => InterruptAction::Detach,
    }
}

/// Returns the final message of a detached run.
pub fn left(status: &ClusterStatus) -> String {
    if status.tasks == 0 {
        return "no task is left on the cluster; run the same command to continue".to_owned();
    }
    format!(
        "{} left on the cluster; run the same command to watch again, or `scancel {}` to cancel",
        counted(status.tasks, "task"),
        entry(&status.arrays)
    )
}

fn entry(arrays: &[u64]) -> String {
    arrays.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_interactive_runs_leave_the_tasks_queued() {
        let interrupt = Interrupt { received: Arc::default(), asking: Arc::default(), can_ask: false };
        let status = ClusterStatus { tasks: 2, jobs: 5, arrays: vec![17, 21] };
        let never = |_: &dyn Fn() -> InterruptAction| panic!("a non-interactive run must not ask");
        assert_eq!(interrupt.answer(&status, never), None);
        interrupt.received.store(true, Ordering::SeqCst);
        assert_eq!(interrupt.answer(&status, never), Some(InterruptAction::Detach));
        assert_eq!(interrupt.answer(&status, never), None);
        assert_eq!(
            left(&status),
            "2 tasks left on the cluster; run the same command to watch again, or `scancel 17 21` to cancel"
        );
    }
}
