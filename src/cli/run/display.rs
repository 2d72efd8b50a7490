//! Progress display: bars on a terminal, plain lines otherwise, or one JSON object per line.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::say;
use crate::determinism::IndexMap;
use crate::experiment::run::Event;
use crate::experiment::store::FailureKind;
use crate::files::visible::{ShownPath, visible, visible_lines};
use crate::logic::quantity::counted;

/// Display of events.
pub enum Display {
    /// Bars on a terminal.
    Bars(Bars),
    /// One line per job on stderr.
    Lines(Lines),
    /// One JSON object per line on stdout.
    Json,
    /// Failures only.
    Quiet,
}

impl Display {
    /// Selects the display of this process.
    pub fn new(quiet: bool, json: bool) -> Self {
        match (json, quiet) {
            (true, _) => Display::Json,
            (false, true) => Display::Quiet,
            _ if std::io::stderr().is_terminal() => Display::Bars(Bars::new()),
            _ => Display::Lines(Lines::default()),
        }
    }

    /// Shows an event.
    pub fn show(&mut self, event: &Event) {
        match self {
            Display::Bars(bars) => bars.show(event),
            Display::Lines(lines) => {
                if let Some(line) = lines.line(event) {
                    say(line);
                }
            }
            Display::Json => {
                let mut out = std::io::stdout().lock();
                // The run continues if the reader has closed the pipe.
                let _ = serde_json::to_writer(&mut out, event).map_err(std::io::Error::from);
                let _ = out.write_all(b"\n").and_then(|()| out.flush());
            }
            Display::Quiet => {
                if let Event::Failed { name, failure, message, .. } = event {
                    say(failed(name, *failure, message));
                }
            }
        }
    }
}

impl Display {
    /// Runs a function while the bars are hidden.
    pub fn paused<T>(&self, work: impl FnOnce() -> T) -> T {
        match self {
            Display::Bars(bars) => bars.all.suspend(work),
            Display::Lines(_) | Display::Json | Display::Quiet => work(),
        }
    }
}

/// Formats events as lines and counts jobs.
#[derive(Default)]
pub struct Lines {
    ended: usize,
    to_run: usize,
    /// Last reported reason for pending tasks.
    reason: String,
}

impl Lines {
    fn line(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::Begin { to_run, .. } => self.to_run = *to_run,
            Event::Done { .. } | Event::Failed { .. } | Event::Adopted { .. } => self.ended += 1,
            _ => {}
        }
        let count = format!("{:>width$}/{}", self.ended, self.to_run, width = self.to_run.to_string().len());
        match event {
            Event::Begin { .. } => begin(event),
            Event::Damaged { what, .. } => Some(damaged(what)),
            Event::Opened { dataset, seconds, warnings } => {
                let mut lines = vec![format!("read {dataset} in {seconds:.1} s")];
                lines.extend(warnings.iter().cloned());
                Some(lines.join("\n"))
            }
            Event::Done { name, wall_seconds, .. } => {
                Some(format!("{count} {name}: {} ({wall_seconds:.2} s)", auc_text(event)))
            }
            Event::Failed { name, failure, message, .. } => {
                Some(format!("{count} {}", failed(name, *failure, message)))
            }
            Event::Adopted { name, done, .. } => {
                let how = if *done { "done" } else { "failed" };
                Some(format!("{count} {name}: {how} by another process"))
            }
            Event::Waiting { jobs } => Some(waiting(*jobs)),
            Event::Queue { running: 0, pending, reason } if *pending > 0 && *reason != self.reason => {
                self.reason.clone_from(reason);
                Some(queue(0, *pending, reason))
            }
            Event::Queue { .. } => None,
            Event::Submitted { .. } | Event::Attached { .. } | Event::Lost { .. } | Event::Trouble { .. } => {
                cluster_event(event)
            }
            Event::Start { .. } | Event::Tree { .. } | Event::Step { .. } | Event::Elsewhere { .. } | Event::End(_) => {
                None
            }
        }
    }
}

fn begin(event: &Event) -> Option<String> {
    let Event::Begin { run, jobs, done, refused_before, failed_before, to_run, jobs_at_once, threads, .. } = event
    else {
        return None;
    };
    if *to_run == 0 {
        return None;
    }
    let mut parts = vec![format!("{to_run} of {jobs} jobs to run")];
    if *done > 0 {
        parts.push(format!("{done} done before"));
    }
    if *refused_before > 0 {
        parts.push(format!("{refused_before} refused before"));
    }
    if *failed_before > 0 {
        parts.push(format!("{failed_before} failed before (--retry-failed tries them again)"));
    }
    if let (Some(at_once), Some(threads)) = (jobs_at_once, threads) {
        parts.push(format!("{at_once} at once on {}", counted(*threads, "thread")));
    }
    Some(format!("{}: {}", run.shown(), parts.join(", ")))
}

fn damaged(what: &str) -> String {
    format!("warning: {what}: the damaged result is ignored and its job runs again")
}

fn auc_text(event: &Event) -> String {
    let Event::Done { auc_roc, auc_pr, .. } = event else { return String::new() };
    let shown = |value: &Option<f64>| value.map_or("undefined".to_owned(), |value| format!("{value:.4}"));
    format!("AUC-ROC {} AUC-PR {}", shown(auc_roc), shown(auc_pr))
}

fn failed(name: &str, failure: FailureKind, message: &str) -> String {
    let what = match failure {
        FailureKind::Error => "failed",
        FailureKind::Refused => "refused",
        FailureKind::Panic => "failed with a bug",
        FailureKind::TimeLimit | FailureKind::MemoryLimit => "stopped",
        FailureKind::Lost => "lost",
    };
    format!("{name}: {what}: {message}")
}

fn waiting(jobs: usize) -> String {
    format!("waiting for {} of another process", counted(jobs, "job"))
}

/// Formats cluster events.
fn cluster_event(event: &Event) -> Option<String> {
    match event {
        Event::Submitted { array, tasks, jobs } => {
            Some(format!("submitted {} with {} as array {array}", counted(*tasks, "task"), counted(*jobs, "job")))
        }
        Event::Attached { tasks, jobs } => {
            Some(format!("{} with {} are already on the cluster", counted(*tasks, "task"), counted(*jobs, "job")))
        }
        Event::Queue { running, pending, reason } => Some(queue(*running, *pending, reason)),
        Event::Lost { task, jobs, why, again } => {
            let then = if *again { "resubmitted" } else { "no attempts left" };
            Some(format!("task {task} ended without a result for {}: {why}: {then}", counted(*jobs, "job")))
        }
        Event::Trouble { message } => Some(format!("{message}; retrying")),
        _ => None,
    }
}

fn queue(running: usize, pending: usize, reason: &str) -> String {
    let mut text = format!("{} running", counted(running, "task"));
    if pending > 0 {
        text += &format!(", {pending} pending ({reason})");
    }
    text
}

/// One bar for the run, and a line for each running job.
pub struct Bars {
    all: MultiProgress,
    overall: ProgressBar,
    running: IndexMap<usize, ProgressBar>,
}

impl Bars {
    fn new() -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        let overall = all.add(ProgressBar::new(0));
        overall.set_style(style("[{bar:30}] {pos}/{len} jobs, {elapsed} elapsed, {eta} left  {wide_msg}"));
        Bars { all, overall, running: IndexMap::default() }
    }

    fn show(&mut self, event: &Event) {
        match event {
            Event::Begin { to_run, .. } => {
                if let Some(line) = begin(event) {
                    self.say(&line);
                    self.overall.set_length(*to_run as u64);
                    self.overall.enable_steady_tick(Duration::from_millis(200));
                }
            }
            Event::Damaged { what, .. } => self.say(&damaged(what)),
            Event::Opened { warnings, .. } => warnings.iter().for_each(|warning| self.say(warning)),
            Event::Start { job, name, .. } => {
                let bar = self.all.add(ProgressBar::new_spinner());
                bar.set_style(style("  {spinner} {wide_msg}"));
                let name = visible(name).into_owned();
                bar.set_message(name.clone());
                bar.set_prefix(name);
                bar.enable_steady_tick(Duration::from_millis(200));
                self.running.insert(*job, bar);
            }
            Event::Tree { job, trees, of, .. } => self.step(*job, "tree", (*trees, *of)),
            Event::Step { job, steps, of, .. } => self.step(*job, "step", (*steps, *of)),
            Event::Done { job, name, .. } => {
                self.end(*job);
                self.overall.set_message(format!("last: {}: {}", visible(name), auc_text(event)));
            }
            Event::Failed { job, name, failure, message, .. } => {
                self.end(*job);
                self.say(&failed(name, *failure, message));
            }
            Event::Adopted { job, .. } => self.end(*job),
            Event::Waiting { jobs } => self.overall.set_message(waiting(*jobs)),
            Event::Queue { .. } => self.overall.set_message(cluster_event(event).unwrap_or_default()),
            Event::Submitted { .. } | Event::Attached { .. } | Event::Lost { .. } | Event::Trouble { .. } => {
                cluster_event(event).iter().for_each(|line| self.say(line));
            }
            Event::Elsewhere { .. } => {}
            Event::End(_) => self.overall.finish_and_clear(),
        }
    }

    fn step(&self, job: usize, what: &str, (done, of): (usize, usize)) {
        if let Some(bar) = self.running.get(&job) {
            bar.set_message(format!("{}: {what} {done} of {of}", bar.prefix()));
        }
    }

    fn end(&mut self, job: usize) {
        if let Some(bar) = self.running.shift_remove(&job) {
            bar.finish_and_clear();
            self.all.remove(&bar);
        }
        self.overall.inc(1);
    }

    fn say(&self, line: &str) {
        // The terminal may have been closed.
        let _ = self.all.println(visible_lines(line));
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::run::{JobPlace, Tally};

    #[test]
    fn events_are_formatted_as_lines() {
        let mut lines = Lines::default();
        let begin = Event::Begin {
            run: "results/runs/x".into(),
            jobs: 14,
            done: 1,
            refused_before: 2,
            failed_before: 1,
            to_run: 10,
            executor: "local",
            jobs_at_once: Some(2),
            threads: Some(2),
        };
        assert_eq!(
            lines.line(&begin).unwrap(),
            "results/runs/x: 10 of 14 jobs to run, 1 done before, 2 refused before, 1 failed before (--retry-failed tries them again), \
             2 at once on 2 threads"
        );
        let name = "imdb LRBM-Boost fold 1 seed 1".to_owned();
        let place = JobPlace::default;
        assert_eq!(lines.line(&Event::Start { job: 3, name: name.clone(), place: place(), threads: 1 }), None);
        let (auc_roc, wall_seconds) = (Some(0.98765), 1.234);
        let done = Event::Done { job: 3, name: name.clone(), place: place(), auc_roc, auc_pr: None, wall_seconds };
        assert_eq!(
            lines.line(&done).unwrap(),
            " 1/10 imdb LRBM-Boost fold 1 seed 1: AUC-ROC 0.9877 AUC-PR undefined (1.23 s)"
        );
        let (failure, message) = (FailureKind::TimeLimit, "too long".to_owned());
        let failed = Event::Failed { job: 4, name, place: place(), failure, message };
        assert_eq!(lines.line(&failed).unwrap(), " 2/10 imdb LRBM-Boost fold 1 seed 1: stopped: too long");
        assert_eq!(lines.line(&Event::End(Tally::default())), None);
        let submitted = Event::Submitted { array: 17, tasks: 1, jobs: 10 };
        assert_eq!(lines.line(&submitted).unwrap(), "submitted 1 task with 10 jobs as array 17");
        let lost = Event::Lost { task: "17_1".into(), jobs: 2, why: "the node failed".into(), again: true };
        assert_eq!(
            lines.line(&lost).unwrap(),
            "task 17_1 ended without a result for 2 jobs: the node failed: resubmitted"
        );
        // Reported once per reason while nothing runs.
        let queue = |running, pending| Event::Queue { running, pending, reason: "Priority".into() };
        assert_eq!(lines.line(&queue(0, 3)).unwrap(), "0 tasks running, 3 pending (Priority)");
        assert_eq!((lines.line(&queue(0, 2)), lines.line(&queue(1, 1))), (None, None));
    }
}
