//! A graph of papers, authors and genes: a file of lines `edge <kind> <from> <to>`.
//!
//! Papers are PubMed ids, written as numbers, and their order stands for time.

use super::text::{each_line, name, write_pair};
use super::{ALL, AdaptError, Input, Made, Part};
use crate::determinism::HashSet;

const NAME: &str = "yeast2";

pub(super) fn convert(input: &Input<'_>) -> Result<Made, AdaptError> {
    let path = input.file(".ghirl", NAME)?;
    let (mut made, mut part) = (Made::default(), Part::default());
    let (mut citing, mut cited) = (HashSet::<u64>::default(), HashSet::<u64>::default());
    let target = input.manifest.target.predicate.as_str();
    each_line(&path, |number, line| {
        let wrong =
            |reason: String| AdaptError::Line { id: input.id().to_owned(), path: path.clone(), line: number, reason };
        let mut words = line.split_ascii_whitespace();
        let (kind, from, to) = match (words.next(), words.next(), words.next(), words.next(), words.next()) {
            (None, ..) => return Ok(()),
            (Some(word), ..) if word.starts_with('#') => return Ok(()),
            (Some("edge"), Some(kind), Some(from), Some(to), None) => (kind, from, to),
            _ => return Err(wrong(format!("expected `edge <kind> <from> <to>`, found `{line}`"))),
        };
        let paper = |word: &str| {
            word.parse::<u64>().map_err(|_| wrong(format!("expected the number of a paper, found `{word}`")))
        };
        match kind {
            "citingPaperCitesCitedPaper" => {
                let (from, to) = (paper(from)?, paper(to)?);
                write_pair(&mut part.positives, target, &from.to_string(), &to.to_string());
                made.count("positives", 1);
                made.count("citations_to_a_smaller_id", u64::from(to < from));
                citing.insert(from);
                cited.insert(to);
            }
            "paperIsWrittenByAuthor" => {
                write_pair(&mut part.facts, "author", &paper(from)?.to_string(), &name(to));
                made.count("author_facts", 1);
            }
            "geneIsMentionedInPaper" => {
                write_pair(&mut part.facts, "gene", &paper(to)?.to_string(), &name(from));
                made.count("gene_facts", 1);
            }
            "keyGeneIsAssociatedWithAuxGene" => {
                write_pair(&mut part.facts, "genepair", &name(from), &name(to));
                made.count("genepair_facts", 1);
            }
            // What kind of thing a node is, the edges tell as well.
            "isa" => {}
            _ => return Err(wrong(format!("unknown kind of edge `{kind}`"))),
        }
        Ok(())
    })?;
    let facts = ["author_facts", "gene_facts", "genepair_facts"].map(|name| made.counts.get(name).copied());
    made.count("facts", facts.iter().flatten().sum());
    made.count("citing_papers", citing.len() as u64);
    made.count("cited_papers", cited.len() as u64);
    made.add_directory(ALL, part, &input.background());
    Ok(made)
}
