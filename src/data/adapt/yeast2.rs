//! Adaptor for a graph of papers, authors and genes: a file of lines `edge <kind> <from> <to>`.
//!
//! Papers are PubMed ids, written as numbers, whose order approximates time.

use super::error::AdaptError;
use super::input::AdaptorInput;
use super::output::{ALL, ConvertedFiles, ExampleFiles};
use super::text::{each_line, name, write_pair};
use crate::determinism::HashSet;

const NAME: &str = "yeast2";

pub(super) fn convert(input: &AdaptorInput<'_>) -> Result<ConvertedFiles, AdaptError> {
    let path = input.file(".ghirl", NAME)?;
    let (mut converted, mut texts) = (ConvertedFiles::default(), ExampleFiles::default());
    let (mut citing, mut cited) = (HashSet::<u64>::default(), HashSet::<u64>::default());
    let target = input.manifest.target.predicate.as_str();
    each_line(&path, |number, line| {
        let invalid_line =
            |reason: String| AdaptError::Line { id: input.id().to_owned(), path: path.clone(), line: number, reason };
        let mut words = line.split_ascii_whitespace();
        let (kind, from, to) = match (words.next(), words.next(), words.next(), words.next(), words.next()) {
            (None, ..) => return Ok(()),
            (Some(word), ..) if word.starts_with('#') => return Ok(()),
            (Some("edge"), Some(kind), Some(from), Some(to), None) => (kind, from, to),
            _ => return Err(invalid_line(format!("expected `edge <kind> <from> <to>`, found `{line}`"))),
        };
        let paper = |word: &str| {
            word.parse::<u64>().map_err(|_| invalid_line(format!("expected the number of a paper, found `{word}`")))
        };
        match kind {
            "citingPaperCitesCitedPaper" => {
                let (from, to) = (paper(from)?, paper(to)?);
                write_pair(&mut texts.positives, target, &from.to_string(), &to.to_string());
                converted.count("positives", 1);
                converted.count("citations_to_a_smaller_id", u64::from(to < from));
                citing.insert(from);
                cited.insert(to);
            }
            "paperIsWrittenByAuthor" => {
                write_pair(&mut texts.facts, "author", &paper(from)?.to_string(), &name(to));
                converted.count("author_facts", 1);
            }
            "geneIsMentionedInPaper" => {
                write_pair(&mut texts.facts, "gene", &paper(to)?.to_string(), &name(from));
                converted.count("gene_facts", 1);
            }
            "keyGeneIsAssociatedWithAuxGene" => {
                write_pair(&mut texts.facts, "genepair", &name(from), &name(to));
                converted.count("genepair_facts", 1);
            }
            // The kind of a node also follows from its edges.
            "isa" => {}
            _ => return Err(invalid_line(format!("unknown edge kind `{kind}`"))),
        }
        Ok(())
    })?;
    let facts = ["author_facts", "gene_facts", "genepair_facts"].map(|name| converted.counts.get(name).copied());
    converted.count("facts", facts.iter().flatten().sum());
    converted.count("citing_papers", citing.len() as u64);
    converted.count("cited_papers", cited.len() as u64);
    converted.add_directory(ALL, texts, &input.background());
    Ok(converted)
}
