//! Progress bars on stderr, hidden without a terminal or with `--quiet`.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Creates a bar that counts bytes.
pub fn bytes_bar(quiet: bool, total: u64) -> ProgressBar {
    let bar = bar(quiet, total);
    let template = "{prefix:12} [{bar:30}] {bytes:>10}/{total_bytes} {wide_msg}";
    bar.set_style(
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "),
    );
    bar
}

/// Creates a bar that counts steps.
pub fn steps_bar(quiet: bool, total: u64) -> ProgressBar {
    let bar = bar(quiet, total);
    let template = "[{bar:30}] {pos}/{len} {wide_msg} {elapsed}";
    bar.set_style(
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "),
    );
    bar
}

fn bar(quiet: bool, total: u64) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
