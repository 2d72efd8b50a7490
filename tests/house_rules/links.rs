//! Links between the Markdown files of the repository, and the table of contents of the book.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{repository, text};

/// Directories that are not searched for pages.
const LEFT_OUT: [&str; 5] = ["target", "cache", "runs", "book", "mutants.out"];

fn pages(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap()) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() {
            if !LEFT_OUT.contains(&name.as_str()) && !name.starts_with('.') {
                pages(&path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Returns the lines of a page outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// Returns the targets of the links and images of a line, outside inline code.
fn links(line: &str) -> Vec<String> {
    let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    outside.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// Returns the anchors of a page, as GitHub and mdBook derive them from headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let titles = headings.map(|line| line.trim_start_matches('#').trim());
    titles.map(anchor).collect()
}

fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Returns what is wrong with a link of a page; links to other sites are not followed.
fn problem(page: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() { page.to_owned() } else { page.parent().unwrap().join(path.replace("%20", " ")) };
    if !file.exists() {
        return Some("does not exist".to_owned());
    }
    let anchor = anchor?;
    let known = anchors(&fs::read_to_string(&file).unwrap_or_default());
    (!known.contains(anchor)).then(|| format!("has no heading `{anchor}`"))
}

#[test]
fn every_link_leads_somewhere() {
    let mut found = Vec::new();
    pages(&repository(""), &mut found);
    let (mut broken, mut links_seen) = (Vec::new(), 0);
    for page in &found {
        for target in prose(&fs::read_to_string(page).unwrap()).flat_map(links) {
            links_seen += 1;
            if let Some(problem) = problem(page, &target) {
                broken.push(format!("{}: {target} {problem}", page.display()));
            }
        }
    }
    assert!(found.len() > 40 && links_seen > 150, "{} pages, {links_seen} links", found.len());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_landing_page_is_short() {
    let lines = text("README.md").lines().count();
    assert!(lines <= 180, "{lines} lines: move details to the book, docs/src");
}

#[test]
fn broken_links_are_found() {
    let page = repository("README.md");
    assert_eq!(problem(&page, "docs/src/tutorial.md#7-import-tables"), None);
    assert!(problem(&page, "docs/src/tutorial.md#nothing").is_some() && problem(&page, "nothing.md").is_some());
    assert_eq!(links("a [b](c.md) `[d](e.md)` ![f](g.svg)"), ["c.md", "g.svg"]);
    assert_eq!(anchor("`lrbm run`: what it does, and why"), "lrbm-run-what-it-does-and-why");
}

#[test]
fn the_table_of_contents_has_every_page() {
    let listed: BTreeSet<String> = text("docs/src/SUMMARY.md").lines().flat_map(links).collect();
    let mut found = Vec::new();
    pages(&repository("docs/src"), &mut found);
    let names = found.iter().map(|page| page.file_name().unwrap().to_str().unwrap().to_owned());
    let pages: BTreeSet<String> = names.filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed, pages);
}
