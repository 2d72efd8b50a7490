//! Every class of error with its recorded message; `SNAPSHOTS=overwrite cargo test --test spec`
//! records them again.

use std::fs;
use std::path::PathBuf;

use crate::common::snapshot::compare;
use crate::lab::{refusal, repository};

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(repository("tests/spec/wrong")).unwrap();
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    cases.sort();
    cases
}

#[test]
fn diagnostics_name_location_value_and_remedy() {
    let cases = cases();
    assert!(cases.len() >= 30, "{}", cases.len());
    let mut different = Vec::new();
    for case in &cases {
        let text = fs::read_to_string(case).unwrap();
        let message = refusal(&text, &[]);
        let recorded = case.with_extension("message");
        different.extend(compare(&recorded, &(message.clone() + "\n")).err());
        let (last, lines) = message.lines().collect::<Vec<_>>().split_last().map(|(l, r)| (*l, r.to_vec())).unwrap();
        assert!(last.ends_with("found: nothing was done"), "{message}");
        for line in lines {
            assert!(line.starts_with("spec.toml:"), "{}: {line}", case.display());
        }
        // Each file marks the lines of its errors.
        let marked = text.lines().enumerate().filter(|(_, line)| line.contains("# here"));
        for (number, _) in marked {
            let place = format!("spec.toml:{}: ", number + 1);
            if !message.contains(&place) {
                different.push(format!("{}: nothing at line {}:\n{message}", case.display(), number + 1));
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn a_missing_spec_is_named() {
    let error = lrbm::internal::experiment::Experiment::read(std::path::Path::new("no/such.toml"), &[])
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("no/such.toml: cannot read the spec: "), "{error}");
    assert!(error.ends_with("experiments/ holds the specs that come with the program"), "{error}");
}
