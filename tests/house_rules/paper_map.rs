//! Checks that each line of the paper's Algorithm 1, and each equation in use, has exactly one
//! home in the code.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The lines of Algorithm 1, including those that only close a loop or a function.
const LINES: std::ops::RangeInclusive<u32> = 1..=29;

fn sources(directory: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, all);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            all.push(entry);
        }
    }
}

/// Returns every `Paper: …` tag with its location.
fn tags() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let mut tags = Vec::new();
    for file in files {
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            if let Some((_, tag)) = line.split_once("// Paper: ") {
                let location = format!("{}:{}", file.strip_prefix(&root).unwrap().display(), number + 1);
                tags.push((tag.to_owned(), location));
            }
        }
    }
    tags
}

/// Parses the line numbers of a tag: `Alg. 1, line 4, …` or `Alg. 1, lines 7 to 9: …`.
fn lines_of(tag: &str) -> Vec<u32> {
    let Some(rest) = tag.strip_prefix("Alg. 1, line") else { return Vec::new() };
    let numbers: Vec<u32> = rest
        .trim_start_matches('s')
        .split(|c: char| !c.is_ascii_digit())
        .filter(|word| !word.is_empty())
        .take(if rest.starts_with('s') { 2 } else { 1 })
        .map(|word| word.parse().unwrap())
        .collect();
    match numbers[..] {
        [only] => vec![only],
        [first, last] => (first..=last).collect(),
        _ => panic!("tag without a line number: `{tag}`"),
    }
}

#[test]
fn each_algorithm_line_has_one_home() {
    let mut homes: BTreeMap<u32, Vec<String>> = LINES.map(|line| (line, Vec::new())).collect();
    for (tag, location) in tags() {
        for line in lines_of(&tag) {
            homes.entry(line).or_default().push(location.clone());
        }
    }
    let wrong: Vec<_> =
        homes.iter().filter(|(line, locations)| locations.len() != 1 || !LINES.contains(line)).collect();
    assert!(wrong.is_empty(), "lines without exactly one home: {wrong:?}");
}

#[test]
fn each_used_equation_has_one_home() {
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (tag, location) in tags() {
        if let Some(equation) = tag.strip_prefix("Eq. (") {
            homes.entry(equation.split(')').next().unwrap().to_owned()).or_default().push(location);
        }
    }
    // The network, its two-class form, the target probability, ψ as a difference and by its
    // weights, the loss that trees are fitted to, and ψ at a leaf.
    for equation in ["3", "4", "5", "6", "7", "8", "9"] {
        assert_eq!(homes.get(equation).map(Vec::len), Some(1), "Eq. ({equation}): {homes:?}");
    }
    assert!(homes.values().all(|locations| locations.len() == 1), "{homes:?}");
    // The published map agrees.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(root.join("docs/src/paper-map.md")).unwrap();
    let listed: BTreeMap<String, String> = list
        .lines()
        .filter_map(|line| line.strip_prefix("| Eq. ("))
        .map(|line| {
            let (equation, rest) = line.split_once(") | src/").unwrap();
            (equation.to_owned(), rest.split(' ').next().unwrap().to_owned())
        })
        .collect();
    let found: BTreeMap<String, String> = homes
        .into_iter()
        .map(|(equation, locations)| (equation, locations[0].split(':').next().unwrap().to_owned()))
        .collect();
    assert_eq!(listed, found);
}
