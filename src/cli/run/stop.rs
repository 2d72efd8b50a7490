//! Ctrl-C and SIGTERM during a local run: what is done, and how to continue.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::cli::say;
use crate::experiment::run::Event;
use crate::logic::quantity::counted;

/// Time between two checks for a signal.
const INTERVAL: Duration = Duration::from_millis(50);

/// Counts ended jobs, and prints the count when the process is stopped.
#[derive(Clone, Debug, Default)]
pub struct StopMessage {
    jobs: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
}

impl StopMessage {
    /// Installs signal handlers that end the process with the exit code of the signal, 128 and its
    /// number. Jobs need no cleanup: an unfinished one leaves nothing that counts as a result.
    pub fn listen() -> io::Result<Self> {
        let message = StopMessage::default();
        // The exit code of the signal that was received, or 0.
        let code = Arc::new(AtomicUsize::new(0));
        for (signal, code_of_signal) in [(SIGINT, 130), (SIGTERM, 143)] {
            flag::register_usize(signal, Arc::clone(&code), code_of_signal)?;
        }
        let printed = message.clone();
        thread::spawn(move || {
            while code.load(Ordering::Relaxed) == 0 {
                thread::sleep(INTERVAL);
            }
            say(printed.text());
            std::process::exit(i32::try_from(code.load(Ordering::Relaxed)).unwrap_or(1));
        });
        Ok(message)
    }

    /// Counts the jobs of an event.
    pub fn count(&self, event: &Event) {
        match event {
            Event::Begin { jobs, done, refused_before, failed_before, .. } => {
                self.jobs.store(*jobs, Ordering::Relaxed);
                self.ended.store(done + refused_before + failed_before, Ordering::Relaxed);
            }
            Event::Done { .. } | Event::Failed { .. } | Event::Adopted { .. } => {
                self.ended.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    fn text(&self) -> String {
        let (jobs, ended) = (self.jobs.load(Ordering::Relaxed), self.ended.load(Ordering::Relaxed));
        format!(
            "\nstopped: {ended} of {} ended, and their results are kept; run the same command to continue",
            counted(jobs, "job")
        )
    }
}
