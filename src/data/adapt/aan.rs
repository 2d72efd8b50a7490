//! The ACL Anthology Network: lines `citing , cited`, and records of papers with authors, venue and year.

use super::text::{each_line, name, write_pair};
use super::{ALL, AdaptError, Input, Made, Part};
use crate::determinism::IndexMap;

const NAME: &str = "aan";

/// One record of the metadata.
#[derive(Default)]
struct Paper {
    authors: Vec<String>,
    venue: String,
    year: i64,
}

pub(super) fn convert(input: &Input<'_>) -> Result<Made, AdaptError> {
    let papers = read_papers(input)?;
    let (mut made, mut part) = (Made::default(), Part::default());
    made.count("papers", papers.len() as u64);
    for (id, paper) in &papers {
        let (id, facts) = (name(id), &mut part.facts);
        paper.authors.iter().for_each(|author| write_pair(facts, "author", &id, &name(author)));
        if !paper.venue.is_empty() {
            write_pair(facts, "venue", &id, &name(&paper.venue));
        }
        write_pair(facts, "year", &id, &paper.year.to_string());
        made.count("author_facts", paper.authors.len() as u64);
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
        made.count("listed_citations", 1);
        let (Some(a), Some(b)) = (papers.get(citing), papers.get(cited)) else { return Ok(()) };
        made.count("positives", 1);
        made.count("citations_to_a_later_year", u64::from(b.year > a.year));
        made.count("citations_within_a_year", u64::from(b.year == a.year));
        made.count("self_citations", u64::from(citing == cited));
        write_pair(&mut part.positives, target, &name(citing), &name(cited));
        Ok(())
    })?;
    made.add_directory(ALL, part, &input.background());
    Ok(made)
}

/// The records, each a few lines `key = {value}` with an empty line behind them.
fn read_papers(input: &Input<'_>) -> Result<IndexMap<String, Paper>, AdaptError> {
    let path = input.file("acl-metadata.txt", NAME)?;
    let mut papers: IndexMap<String, Paper> = IndexMap::default();
    let mut current: Option<String> = None;
    each_line(&path, |number, line| {
        let wrong = |reason: &str| AdaptError::Line {
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
        let Some((key, value)) = field else { return Err(wrong("expected `key = {value}`")) };
        if key == "id" {
            current = Some(value.to_owned());
            return match papers.insert(value.to_owned(), Paper::default()) {
                None => Ok(()),
                Some(_) => Err(wrong("the paper is there already")),
            };
        }
        let paper = current.as_deref().and_then(|id| papers.get_mut(id));
        let Some(paper) = paper else { return Err(wrong("expected `id = {…}` first")) };
        match key {
            "author" => {
                let names = value.split(';').map(str::trim).filter(|name| !name.is_empty());
                paper.authors = names.map(str::to_owned).collect();
            }
            "venue" => value.trim().clone_into(&mut paper.venue),
            "year" => paper.year = value.trim().parse().map_err(|_| wrong("expected a year"))?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(papers)
}
