//! `lrbm run` as users run it: finished, killed, run twice at once, failing, resumed.

mod cluster;
mod determinism;
mod failures;
#[cfg(unix)]
mod fake_slurm;
mod faults;
mod kill;
mod lab;
mod read;
mod resume;
mod together;
