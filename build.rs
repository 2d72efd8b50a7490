//! Keeps what the program was built from, for the record of every result.

use std::path::Path;
use std::process::Command;

fn main() {
    for source in ["src", "build.rs", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={source}");
    }
    link_for_a_quick_start();
    // A new commit changes one of these; the index is left out, since even looking at a repository may touch it.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = output("git", &["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    // A source tree that was unpacked inside another repository has no commit of its own.
    let is_ours = output("git", &["ls-files", "Cargo.toml"]).is_some_and(|found| !found.is_empty());
    let commit = output("git", &["rev-parse", "HEAD"]).filter(|_| is_ours);
    let dirty = commit.as_ref().and_then(|_| output("git", &["status", "--porcelain", "--untracked-files=no"]));
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    tell("LRBM_GIT_COMMIT", &commit.unwrap_or_default());
    tell("LRBM_GIT_DIRTY", &dirty.map(|changes| (!changes.is_empty()).to_string()).unwrap_or_default());
    tell("LRBM_RUSTC", &output(&rustc, &["--version"]).unwrap_or_default());
    tell("LRBM_TARGET", &std::env::var("TARGET").unwrap_or_default());
}

/// Polars brings seventy thousand addresses that a program which may be loaded anywhere must mend each time it starts. That
/// is a good part of the time of a small training, so this one is always loaded at the same place.
fn link_for_a_quick_start() {
    if std::env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}

fn tell(name: &str, value: &str) {
    println!("cargo:rustc-env={name}={value}");
}

/// What a command prints, if it can be run; a source tree without git has no commit.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
