//! Long work in a thread of its own, without the GIL: Ctrl-C cancels it, and progress reaches a
//! callback.

use std::panic;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use lrbm::{CancelToken, run_cancellable};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Time between two checks for signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// Reports the number of steps done and of all steps.
pub type Report<'a> = &'a mut (dyn FnMut(usize, usize) + Send);

/// Runs `work`, which polls for cancellation, until it ends or a signal handler raises.
pub fn cancellable<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let done = run(py, None, |token, _| run_cancellable(token, work))?;
    done.map_err(|stopped| PyRuntimeError::new_err(stopped.to_string()))
}

/// Runs `work` until it ends or an exception cancels it: a signal handler's, or the callback's.
pub fn run<R: Send>(
    py: Python<'_>,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&CancelToken, Report<'_>) -> R + Send,
) -> PyResult<R> {
    let token = CancelToken::default();
    let (sender, receiver) = mpsc::channel();
    py.detach(move || {
        thread::scope(|scope| {
            let worker_token = token.clone();
            let worker = scope.spawn(move || {
                work(&worker_token, &mut |done, of| {
                    // The receiver outlives the worker.
                    let _ = sender.send((done, of));
                })
            });
            let mut raised = None;
            loop {
                let step: Option<(usize, usize)> = match receiver.recv_timeout(INTERVAL) {
                    Ok(step) => Some(step),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if raised.is_some() {
                    continue;
                }
                let checked = Python::attach(|py| {
                    py.check_signals()?;
                    match (callback, step) {
                        (Some(callback), Some(step)) => callback.call1(py, step).map(drop),
                        _ => Ok(()),
                    }
                });
                if let Err(error) = checked {
                    token.cancel();
                    raised = Some(error);
                }
            }
            match (worker.join(), raised) {
                (Ok(_), Some(error)) => Err(error),
                (Ok(result), None) => Ok(result),
                (Err(payload), _) => panic::resume_unwind(payload),
            }
        })
    })
}
