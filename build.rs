//! Embeds the commit, compiler and target of the build, which every result records.

use std::path::Path;
use std::process::Command;

fn main() {
    for source in ["src", "build.rs", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={source}");
    }
    disable_pie();
    // A new commit changes one of these; the index is omitted, since even `git status` may touch
    // it.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = output("git", &["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    // A source tree unpacked inside another repository has no commit of its own.
    let is_ours = output("git", &["ls-files", "Cargo.toml"]).is_some_and(|found| !found.is_empty());
    let commit = output("git", &["rev-parse", "HEAD"]).filter(|_| is_ours);
    let dirty = commit.as_ref().and_then(|_| output("git", &["status", "--porcelain", "--untracked-files=no"]));
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    set_env("LRBM_GIT_COMMIT", &commit.unwrap_or_default());
    set_env("LRBM_GIT_DIRTY", &dirty.map(|changes| (!changes.is_empty()).to_string()).unwrap_or_default());
    set_env("LRBM_RUSTC", &output(&rustc, &["--version"]).unwrap_or_default());
    set_env("LRBM_TARGET", &std::env::var("TARGET").unwrap_or_default());
}

/// Links without PIE: polars brings seventy thousand relocations that a position-independent
/// executable processes at every start, a good part of the time of a small training.
fn disable_pie() {
    if std::env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}

fn set_env(name: &str, value: &str) {
    println!("cargo:rustc-env={name}={value}");
}

/// Returns the stdout of a command; `None` if it fails, as in a source tree without git.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
