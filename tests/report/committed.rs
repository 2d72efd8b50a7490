//! Committed results are those of the code as it is.

use std::fs;
use std::path::Path;

use lrbm::internal::experiment::Experiment;
use lrbm::internal::report::splice::{SpliceError, splice};
use lrbm::internal::report::versions::{VERSIONS, versions_csv};

/// Specs without committed tables: a demonstration, and one with a baseline instead.
const WITHOUT_TABLES: [&str; 2] = ["quick", "regression"];

/// Specs whose results may be unfinished: programs of others, and universes of the large datasets,
/// take hours. Their tables say how many jobs have not been run.
const MAY_BE_UNFINISHED: [&str; 2] = ["multiverse", "peers"];

#[test]
fn results_are_as_recent_as_their_algorithms_and_specs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut outdated = Vec::new();
    let mut compared = 0;
    for entry in fs::read_dir(root.join("experiments")).unwrap().map(Result::unwrap) {
        let spec = entry.path();
        let name = spec.file_stem().unwrap().to_str().unwrap().to_owned();
        if spec.extension().is_none_or(|extension| extension != "toml") || WITHOUT_TABLES.contains(&name.as_str()) {
            continue;
        }
        let expected = versions_csv(&Experiment::read(&spec, &[]).unwrap());
        let mut recorded = fs::read_to_string(root.join("results").join(&name).join(VERSIONS)).unwrap_or_default();
        if MAY_BE_UNFINISHED.contains(&name.as_str()) {
            recorded = recorded.split_inclusive('\n').filter(|line| !line.starts_with("missing jobs,")).collect();
        }
        if recorded != expected {
            let is_new = |line: &&str| !recorded.lines().any(|recorded| recorded == *line);
            let missing: Vec<&str> = expected.lines().filter(is_new).collect();
            outdated.push(format!("results/{name} is incomplete or older than {}", missing.join("; ")));
        }
        compared += 1;
    }
    assert!(compared > 10, "only {compared} specs");
    assert!(outdated.is_empty(), "run scripts/regenerate:\n{}", outdated.join("\n"));
}

/// Tests run in the directory of the package, below which spliced files are.
#[test]
fn pages_have_the_tables_and_figures_of_the_committed_results() {
    let mut pages = vec![Path::new("README.md").to_owned()];
    pages.extend(fs::read_dir("docs/src").unwrap().map(|entry| entry.unwrap().path()));
    let (mut regions, mut outdated) = (0, Vec::new());
    for page in pages.iter().filter(|page| page.extension().is_some_and(|extension| extension == "md")) {
        match splice(page) {
            Ok(spliced) => {
                regions += spliced.regions;
                if !spliced.changed.is_empty() {
                    outdated.push(format!("lrbm report --splice {}", page.display()));
                }
            }
            Err(SpliceError::NoMarker(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(regions > 5, "only {regions} regions");
    assert!(outdated.is_empty(), "run\n{}", outdated.join("\n"));
}
