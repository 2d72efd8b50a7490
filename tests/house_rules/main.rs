//! Rules for all source files that the compiler does not check.

mod imports;
mod links;
mod paper_map;

use std::fs;
use std::path::{Path, PathBuf};

use imports::ImportGraph;

/// The layers, bottom first. A module imports only from layers before its own.
const LAYERS: [&str; 16] = [
    "math",
    "determinism",
    "cancel",
    "parallel",
    "files",
    "logic",
    "kb",
    "data",
    "cover",
    "tree",
    "rbm",
    "metric",
    "learn",
    "experiment",
    "report",
    "cli",
];

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap()
}

/// Every Rust file below a directory.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// All code below these directories, without comments.
fn code(directories: &[&str]) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    directories.iter().for_each(|directory| sources(&repository(directory), &mut paths));
    paths.sort();
    let without_comments = |text: String| -> String {
        text.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
    };
    paths.into_iter().map(|path| (path.clone(), without_comments(fs::read_to_string(path).unwrap()))).collect()
}

/// The names of the dependencies in a section of Cargo.toml.
fn dependencies(section: &str) -> Vec<String> {
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    manifest[section].as_table().unwrap().keys().cloned().collect()
}

#[test]
fn every_dependency_has_its_reason_and_no_reason_is_left_over() {
    let page = text("CONTRIBUTING.md");
    let section = page.split("## Dependencies").nth(1).unwrap();
    let rows =
        section.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| line.starts_with('|'));
    let mut named: Vec<String> = Vec::new();
    for row in rows {
        let (crates, reason) = row.trim_matches('|').split_once('|').unwrap();
        assert!(reason.trim().len() > 5, "{row}");
        let crates = crates.split('(').next().unwrap();
        named.extend(crates.split(',').map(|name| name.trim().to_owned()));
    }
    let mut wanted = dependencies("dependencies");
    wanted.extend(dependencies("dev-dependencies"));
    named.sort();
    wanted.sort();
    assert_eq!(named, wanted);
}

#[test]
fn every_dependency_is_used() {
    // Cargo.toml says why.
    const FOR_FEATURES: [&str; 2] = ["either", "regex-automata"];
    let (own, all) = (code(&["src"]), code(&["src", "tests", "benches"]));
    for (section, code) in [("dependencies", &own), ("dev-dependencies", &all)] {
        for name in dependencies(section).iter().filter(|name| !FOR_FEATURES.contains(&name.as_str())) {
            let path = format!("{}::", name.replace('-', "_"));
            assert!(code.iter().any(|(_, text)| text.contains(&path)), "{name} is not used");
        }
    }
}

#[test]
fn unsafe_code_is_forbidden() {
    assert!(text("Cargo.toml").contains("unsafe_code = \"forbid\""));
    for root in ["src/lib.rs", "src/main.rs"] {
        assert!(text(root).contains("#![forbid(unsafe_code)]"), "{root}");
    }
}

/// All disk writes go through `files`, where tests inject faults, so that no write is untested.
#[test]
fn the_disk_changes_in_one_place_only() {
    const WORDS: [&str; 14] = [
        "fs::write",
        "fs::rename",
        "fs::remove",
        "fs::create_dir",
        "fs::copy",
        "File::create",
        "OpenOptions",
        "File::options",
        "fs::hard_link",
        ".set_len(",
        "tempfile_in",
        "tempdir",
        ")?.sync_all(",
        "set_permissions",
    ];
    let mut files = 0;
    for (path, text) in code(&["src"]) {
        if path.starts_with(repository("src/files")) || path == repository("src/files.rs") || path.ends_with("tests.rs")
        {
            continue;
        }
        files += 1;
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for word in WORDS {
            // `PendingFile::create` is ours.
            let is_whole = |(at, _): (usize, &str)| !text[..at].ends_with(|c: char| c.is_alphanumeric());
            assert!(!text.match_indices(word).any(is_whole), "{}: {word}: use crate::files", path.display());
        }
    }
    assert!(files > 200);
}

/// Nothing depends on the time of day; one place records it.
#[test]
fn the_clock_is_read_in_one_place_only() {
    let reads = |(path, text): (PathBuf, String)| text.contains("SystemTime::now").then_some(path);
    let places: Vec<PathBuf> = code(&["src"]).into_iter().filter_map(reads).collect();
    assert_eq!(places, [repository("src/experiment/run/machine.rs")]);
}

#[test]
fn every_test_that_reliability_names_exists() {
    let all: String = code(&["src", "tests"]).into_iter().map(|(_, text)| text).collect();
    let page = text("docs/src/reliability.md");
    let quoted = page.split('`').skip(1).step_by(2);
    let is_name =
        |name: &&str| name.matches('_').count() >= 2 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let names: Vec<&str> = quoted.filter(is_name).collect();
    assert!(names.len() > 40, "{}", names.len());
    for name in names {
        assert!(all.contains(&format!("fn {name}()")), "no test is called {name}");
    }
}

fn import_graph() -> ImportGraph {
    let root = repository("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    let name = |path: &PathBuf| path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    let texts: Vec<_> = paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect();
    ImportGraph::read(&texts.into_iter().filter(|(name, _)| name != "main.rs").collect::<Vec<_>>())
}

/// Code, tables and citations of the paper, which stay on one line, may be longer.
#[test]
fn comments_have_at_most_100_columns() {
    let mut paths = Vec::new();
    ["src", "tests", "benches"].iter().for_each(|directory| sources(&repository(directory), &mut paths));
    let mut long = Vec::new();
    for path in paths {
        let mut in_code = false;
        for (number, line) in (1..).zip(fs::read_to_string(&path).unwrap().lines()) {
            let comment = line.trim_start();
            in_code ^= comment.starts_with("//") && comment.contains("```");
            let is_exempt = in_code || comment.contains("// Paper: ") || comment.starts_with("//! |");
            if comment.starts_with("//") && !is_exempt && line.chars().count() > 100 {
                long.push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "wrap at 100 columns:\n{}", long.join("\n"));
}

#[test]
fn source_files_have_at_most_600_lines() {
    for (path, _) in code(&["src"]) {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 600, "{}: {lines} lines: split it by subject", path.display());
    }
}

/// Prints the import matrix with `-- --nocapture`.
#[test]
fn layers_import_downwards_only() {
    let graph = import_graph();
    println!("importing files by layer (row imports column):\n{}", graph.matrix(&LAYERS));
    assert_eq!(graph.layers(), LAYERS.into_iter().collect());
    let height = |layer: &str| LAYERS.iter().position(|known| *known == layer);
    let upward: Vec<String> =
        graph.between_layers().into_iter().filter(|(a, b, _)| height(a) < height(b)).map(|(.., edge)| edge).collect();
    assert!(upward.is_empty(), "imports from a higher layer:\n{}", upward.join("\n"));
    assert_eq!(graph.imports_of_root(), [""; 0], "import from the module that defines the item, not from lib.rs");
}

#[test]
fn files_form_no_import_cycle() {
    let cycles = import_graph().cycles();
    let shown: Vec<String> = cycles.iter().map(|files| files.join(", ")).collect();
    assert!(cycles.is_empty(), "import cycles:\n{}", shown.join("\n"));
}
