//! The composite action: its steps, run as the script that they are.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::lab::{BASELINE, Lab, SPEC};
use crate::common::program::Said;

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/actions/lrbm-gate/gate.sh")
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_lrbm")
}

fn gate(lab: &Lab, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("bash");
    command.arg(script()).current_dir(lab.path("")).env("LRBM_DATA", lab.path("no-data"));
    for unset in ["LRBM", "LRBM_VERSION", "SPEC", "BASELINE", "STRICT", "DATASETS", "RECORD", "OUT", "SUMMARY"] {
        command.env_remove(unset);
    }
    command.env_remove("GITHUB_SHA").env_remove("CI_COMMIT_SHA");
    command.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn the_steps_of_the_action_run_locally() {
    let lab = Lab::new();
    lab.write("tiny.toml", SPEC);
    let base = [("LRBM", program()), ("SPEC", "tiny.toml"), ("SUMMARY", "summary.md"), ("OUT", "run")];
    // No baseline yet.
    Said::of(gate(&lab, &base)).expect(6, &["tiny: not comparable; no baseline: `lrbm check RUN --bless` writes it"]);
    assert!(lab.read("summary.md").contains("no baseline"));
    lab.lrbm(&["check", "run", "--bless"]).expect(0, &[]);
    let commit = ("CI_COMMIT_SHA", "0123456789abcdef0123456789abcdef01234567");
    let strict = [&base[..], &[("STRICT", "true"), ("RECORD", "history.csv"), commit]].concat();
    Said::of(gate(&lab, &strict)).expect(0, &["tiny: passed; 6 rows of the baseline: 6 identical"]);
    let summary = lab.read("summary.md");
    assert_eq!(summary.matches("## Gate: tiny").count(), 2, "{summary}");
    assert!(lab.read("run/gate.xml").contains("failures=\"0\""));
    let history = lab.read("history.csv");
    assert_eq!(history.lines().count(), 7);
    assert!(history.lines().skip(1).all(|line| line.starts_with("0123456789ab,")), "{history}");

    // Fewer trees.
    lab.write("tiny.toml", &SPEC.replace("trees = 3", "trees = 1"));
    Said::of(gate(&lab, &strict)).expect(5, &["failed"]);
    assert!(lab.read("summary.md").contains("tiny: failed"));
    lab.write("own.csv", &lab.read(BASELINE));
    lab.write("tiny.toml", SPEC);
    let other = [&base[..], &[("BASELINE", "own.csv")]].concat();
    Said::of(gate(&lab, &other)).expect(0, &["6 identical"]);
    Said::of(gate(&lab, &[("LRBM", program())])).expect(2, &["SPEC is empty"]);
}

#[test]
fn the_digest_names_the_source_of_the_build() {
    let digest = |script: &Path| {
        let output = Command::new("bash").arg(script).arg("--digest").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let lab = Lab::new();
    let copy = lab.path("clone/.github/actions/lrbm-gate/gate.sh");
    lab.write("clone/.github/actions/lrbm-gate/gate.sh", &std::fs::read_to_string(script()).unwrap());
    for name in ["Cargo.toml", "Cargo.lock", "build.rs", "src/lib.rs", "datasets/one.toml"] {
        lab.write(&format!("clone/{name}"), name);
    }
    let first = digest(&copy);
    assert!(first.len() == 17 && first.trim_end().chars().all(|c| c.is_ascii_hexdigit()), "{first}");
    lab.write("clone/target/other", "no source");
    assert_eq!(digest(&copy), first);
    lab.write("clone/src/lib.rs", "changed");
    assert_ne!(digest(&copy), first);
    assert_eq!(digest(&script()).len(), 17);
}

#[test]
fn results_are_checked_although_jobs_failed() {
    let lab = Lab::new();
    lab.write("tiny.toml", SPEC);
    // A stand-in for a program some of whose jobs fail.
    let text = format!("#!/bin/sh\n{} \"$@\" || exit $?\nif [ \"$1\" = run ]; then exit $FAILED; fi\n", program());
    lab.write("lrbm", &text);
    assert!(Command::new("chmod").args(["+x", "lrbm"]).current_dir(lab.path("")).status().unwrap().success());
    let run = |failed| gate(&lab, &[("LRBM", "./lrbm"), ("SPEC", "tiny.toml"), ("OUT", "run"), ("FAILED", failed)]);
    Said::of(run("3")).expect(6, &["no baseline found"]);
    lab.lrbm(&["check", "run", "--bless"]).expect(0, &[]);
    Said::of(run("3")).expect(3, &["6 identical"]);
    let stopped = Said::of(run("2"));
    assert!(stopped.code == 2 && !stopped.stdout.contains("identical"), "{}", stopped.stdout);
}

#[test]
fn releases_are_unpacked_only_if_their_checksum_fits() {
    let is_installed = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if !["curl", "sha256sum", "tar"].into_iter().all(is_installed) {
        eprintln!("curl, sha256sum or tar is missing: the download of a release is not tested");
        return;
    }
    let lab = Lab::new();
    lab.write("tiny.toml", SPEC);
    let name = "lrbm-v9-x86_64-unknown-linux-gnu";
    // A stand-in for the program that calls the real one.
    lab.write(&format!("pack/{name}/lrbm"), &format!("#!/bin/sh\nexec {} \"$@\"\n", program()));
    let shell = format!(
        "chmod +x pack/{name}/lrbm && mkdir -p releases/v9 && tar -czf releases/v9/{name}.tar.gz -C pack {name} && \
         cd releases/v9 && sha256sum {name}.tar.gz > {name}.tar.gz.sha256"
    );
    assert!(Command::new("sh").args(["-c", &shell]).current_dir(lab.path("")).status().unwrap().success());
    let (releases, cache) = (format!("file://{}", lab.path("releases").display()), lab.path("cache"));
    let variables = [
        ("LRBM_VERSION", "v9"),
        ("LRBM_RELEASES", releases.as_str()),
        ("XDG_CACHE_HOME", cache.to_str().unwrap()),
        ("SPEC", "tiny.toml"),
        ("OUT", "run"),
    ];
    Said::of(gate(&lab, &variables)).expect(6, &["no baseline found"]);
    let path = format!("releases/v9/{name}.tar.gz.sha256");
    lab.write(&path, &format!("{}  {name}.tar.gz\n", "0".repeat(64)));
    std::fs::remove_dir_all(lab.path("run")).unwrap();
    let output = Said::of(gate(&lab, &variables));
    assert!(output.code != 0 && !lab.path("run").exists(), "{}", output.stderr);
}
