//! Ctrl-C while a cluster works for us: leave it to its work, or stop it as well?

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::cli::error::JOBS_FAILED;
use crate::experiment::slurm::{ClusterStatus, InterruptAction};

/// Hears of Ctrl-C, and asks what is meant by it.
pub struct Interrupt {
    heard: Arc<AtomicBool>,
    /// Whether we are asking; then another Ctrl-C ends the program, and the cluster goes on.
    asking: Arc<AtomicBool>,
    can_ask: bool,
}

impl Interrupt {
    /// Begins to listen.
    pub fn listen() -> io::Result<Self> {
        let (heard, asking) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        flag::register_conditional_shutdown(SIGINT, i32::from(JOBS_FAILED), Arc::clone(&asking))?;
        flag::register(SIGINT, Arc::clone(&heard))?;
        flag::register(SIGTERM, Arc::clone(&heard))?;
        Ok(Interrupt { heard, asking, can_ask: io::stdin().is_terminal() && io::stderr().is_terminal() })
    }

    /// What the user wants, if there was a Ctrl-C. Who cannot be asked wants the cluster to go on.
    pub fn answer(
        &self,
        status: &ClusterStatus,
        pause: impl FnOnce(&dyn Fn() -> InterruptAction) -> InterruptAction,
    ) -> Option<InterruptAction> {
        if !self.heard.swap(false, Ordering::SeqCst) {
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
        "{} with {} are with the cluster (scancel {}).\n[l]eave them there and stop watching, [c]ancel them, or [g]o on? [l] ",
        count(status.tasks, "task"),
        count(status.jobs, "job"),
        entry(&status.arrays)
    );
    let mut line = String::new();
    // If nobody can read the question or answer it, nothing is taken from the cluster.
    let asked = write!(err, "{question}").and_then(|()| err.flush()).and_then(|()| io::stdin().read_line(&mut line));
    match (asked, line.trim().to_lowercase().chars().next()) {
        (Ok(_), Some('c')) => InterruptAction::Cancel,
        (Ok(_), Some('g')) => InterruptAction::Continue,
        _ => InterruptAction::Detach,
    }
}

/// What was left to the cluster, and what to do about it.
pub fn left(status: &ClusterStatus) -> String {
    if status.tasks == 0 {
        return "nothing is left with the cluster; the same command goes on".to_owned();
    }
    format!(
        "the cluster goes on with {}; the same command watches again, `scancel {}` cancels",
        count(status.tasks, "task"),
        entry(&status.arrays)
    )
}

fn entry(arrays: &[u64]) -> String {
    arrays.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_be_asked_leaves_the_cluster_to_its_work() {
        let interrupt = Interrupt { heard: Arc::default(), asking: Arc::default(), can_ask: false };
        let status = ClusterStatus { tasks: 2, jobs: 5, arrays: vec![17, 21] };
        let never = |_: &dyn Fn() -> InterruptAction| panic!("nobody is there to ask");
        assert_eq!(interrupt.answer(&status, never), None);
        interrupt.heard.store(true, Ordering::SeqCst);
        assert_eq!(interrupt.answer(&status, never), Some(InterruptAction::Detach));
        assert_eq!(interrupt.answer(&status, never), None);
        assert_eq!(
            left(&status),
            "the cluster goes on with 2 tasks; the same command watches again, `scancel 17 21` cancels"
        );
    }
}
