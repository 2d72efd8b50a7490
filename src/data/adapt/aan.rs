//! Adaptor for the ACL Anthology Network: lines `citing , cited`, and records of papers with
//! authors, venue and year.

use super::error::AdaptError;
use super::input::AdaptorInput;
use super::output::{ALL, ConvertedFiles, ExampleFiles};
use super::text::{each_line, name, write_pair};
use crate::determinism::IndexMap;

const NAME: &str = "aan";

/// A record of the metadata.
#[derive(Default)]
struct PaperMetadata {
    authors: Vec<String>,
    venue: String,
    year: i64,
}

pub(super) fn convert(input: &AdaptorInput<'_>) -> Result<ConvertedFiles, AdaptError> {
    let papers = read_papers(input)?;
    let (mut converted, mut texts) = (ConvertedFiles::default(), ExampleFiles::default());
    converted.count("papers", papers.len() as u64);
    for (id, paper) in &papers {
        let (id, facts) = (name(id), &mut texts.facts);
        paper.authors.iter().for_each(|author| write_pair(facts, "author", &id, &name(author)));
        if !paper.venue.is_empty() {
            write_pair(facts, "venue", &id, &name(&paper.venue));
        }
        write_pair(facts, "year", &id, &paper.year.to_string());
        converted.count("author_facts", paper.authors.len() as u64);
    }
    let path = input.file("acl.txt", NAME)?;
    let target = input.manifest.target.predicate.as_str();
    each_line(&path, |number, line| {
        if line.trim().is_empty() {
            return Ok(());
        }
        let Some((citing, cited)) = line.split_once(',').map(|(a, b)| (a.trim(), b.trim())) else {
            let reason = format!("expected `citing , cited`, found `{line}`");
            return Err(AdaptError::Line { id: input.id().to_owned(), path: path.clone(), line: number, reason });
        };
        converted.count("listed_citations", 1);
        let (Some(a), Some(b)) = (papers.get(citing), papers.get(cited)) else { return Ok(()) };
        converted.count("positives", 1);
        converted.count("citations_to_a_later_year", u64::from(b.year > a.year));
        converted.count("citations_within_a_year", u64::from(b.year == a.year));
        converted.count("self_citations", u64::from(citing == cited));
        write_pair(&mut texts.positives, target, &name(citing), &name(cited));
        Ok(())
    })?;
    converted.add_directory(ALL, texts, &input.background());
    Ok(converted)
}

/// Reads the records, each a few lines `key = {value}` followed by an empty line.
fn read_papers(input: &AdaptorInput<'_>) -> Result<IndexMap<String, PaperMetadata>, AdaptError> {
    let path = input.file("acl-metadata.txt", NAME)?;
    let mut papers: IndexMap<String, PaperMetadata> = IndexMap::default();
    let mut current: Option<String> = None;
    each_line(&path, |number, line| {
        let invalid_line = |reason: &str| AdaptError::Line {
            id: input.id().to_owned(),
            path: path.clone(),
            line: number,
            reason: format!("{reason}, found `{line}`"),
        };
        if line.is_empty() {
            current = None;
            return Ok(());
        }
        let field = line.split_once(" = {").and_then(|(key, value)| Some((key, value.strip_suffix('}')?)));
        let Some((key, value)) = field else { return Err(invalid_line("expected `key = {value}`")) };
        if key == "id" {
            current = Some(value.to_owned());
            return match papers.insert(value.to_owned(), PaperMetadata::default()) {
                None => Ok(()),
                Some(_) => Err(invalid_line("duplicate paper")),
            };
        }
        let paper = current.as_deref().and_then(|id| papers.get_mut(id));
        let Some(paper) = paper else { return Err(invalid_line("expected `id = {…}` first")) };
        match key {
            "author" => {
                let names = value.split(';').map(str::trim).filter(|name| !name.is_empty());
                paper.authors = names.map(str::to_owned).collect();
            }
            "venue" => value.trim().clone_into(&mut paper.venue),
            "year" => paper.year = value.trim().parse().map_err(|_| invalid_line("expected a year"))?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(papers)
}
