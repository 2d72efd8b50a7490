//! The citations domain, modeled on Yeast2 with times. A group is a field where two laboratories
//! study the same genes.
//!
//! A paper cites an earlier one if the two share a gene *and* an author. A laboratory publishes one
//! paper a year, so papers that share an author are never from the same year, and "earlier" and
//! "not later" coincide. Every example points back in time, since only such pairs can be cited: its
//! label follows from facts of the two papers, all known in the year of the first.

use super::group::{self, Labels, Members, Pairs, draw, draw_from, draw_other, members, one_in};
use super::info::DomainInfo;
use super::settings::GeneratorSettings;
use super::sink::{DomainSink, Name};
use crate::determinism::Stream;

pub(super) const INFO: DomainInfo = DomainInfo {
    id: "citations",
    title: "Citations (generated)",
    about: "Papers have authors, mention genes, and appeared in a year; the target is which earlier papers a paper \
            cites. The predicates are those of Yeast2, and years. A paper cites the earlier papers with which it \
            shares both a gene and an author. Two laboratories of a field mention the same genes, and an author's \
            papers are on many genes, so neither link determines the label alone; a third of the listed negatives share a gene \
            only, a third an author only. Related genes (`genepair`) are uninformative.",
    target: "cites",
    classes: None,
    target_mode: "mode: cites(+paper,+paper).",
    evidence_modes: &[
        "mode: author(+paper,-person).",
        "mode: author(-paper,+person).",
        "mode: gene(+paper,-gene).",
        "mode: gene(-paper,+gene).",
        "mode: genepair(+gene,-gene).",
        "mode: year(+paper,#year).",
    ],
    rules: &["cites(A, B) :- gene(A, G), gene(B, G), author(A, P), author(B, P), year(A, X), year(B, Y), Y < X."],
    time: Some("year"),
    seed: 19_502_007,
};

const FIELDS: u32 = 8;
const LABORATORIES: u32 = 2;
const PAPERS_OF_LABORATORY: u32 = 14;
const PAPERS: u32 = LABORATORIES * PAPERS_OF_LABORATORY;
const AUTHORS_OF_LABORATORY: u32 = 12;
const GENES: u32 = 24;
const GENES_OF_PAPER: u32 = 3;
const GENE_PAIRS: u32 = 12;
const NEGATIVES_PER_POSITIVE: usize = 3;
/// A laboratory starts in this year or up to `PAPERS_OF_LABORATORY - 1` years later.
const FIRST_YEAR: u32 = 1980;

/// The relations of one field that the rule refers to, recorded while its facts are generated.
struct ResearchField {
    number: u32,
    /// (A, B): B appeared before A.
    earlier: Pairs,
    share_gene: Pairs,
    share_author: Pairs,
}

impl ResearchField {
    fn paper(&self, member: u32) -> Name {
        Name::Entity("paper", self.number * PAPERS + member)
    }

    fn gene(&self, gene: u32) -> Name {
        Name::Entity("gene", self.number * GENES + gene)
    }

    /// Generates the facts of field `number`, replacing the state of the previous one.
    fn make<S: DomainSink>(&mut self, number: u32, stream: &mut Stream, sink: &mut S) -> Result<(), S::Error> {
        self.number = number;
        self.earlier.clear();
        self.share_gene.clear();
        self.share_author.clear();
        let mut years = [0; PAPERS as usize];
        let mut papers_of_gene = [0; GENES as usize];
        for laboratory in 0..LABORATORIES {
            let mut papers_of_author = [0; AUTHORS_OF_LABORATORY as usize];
            let start = FIRST_YEAR + draw(stream, PAPERS_OF_LABORATORY);
            for round in 0..PAPERS_OF_LABORATORY {
                let paper = laboratory * PAPERS_OF_LABORATORY + round;
                years[paper as usize] = start + round;
                sink.fact("year", &[self.paper(paper), Name::Number(start + round)])?;
                let authors = if one_in(stream, 2) { 2 } else { 3 };
                for author in members(group::distinct(stream, AUTHORS_OF_LABORATORY, authors)) {
                    papers_of_author[author as usize] |= 1 << paper;
                    let person = (number * LABORATORIES + laboratory) * AUTHORS_OF_LABORATORY + author;
                    sink.fact("author", &[self.paper(paper), Name::Entity("person", person)])?;
                }
                for gene in members(group::distinct(stream, GENES, GENES_OF_PAPER)) {
                    papers_of_gene[gene as usize] |= 1 << paper;
                    sink.fact("gene", &[self.paper(paper), self.gene(gene)])?;
                }
            }
            papers_of_author.iter().for_each(|&papers| self.share_author.join_all(papers));
        }
        papers_of_gene.iter().for_each(|&papers| self.share_gene.join_all(papers));
        for a in 0..PAPERS {
            for b in (0..PAPERS).filter(|&b| years[b as usize] < years[a as usize]) {
                self.earlier.insert(a, b);
            }
        }
        self.make_gene_pairs(stream, sink)
    }

    fn make_gene_pairs<S: DomainSink>(&self, stream: &mut Stream, sink: &mut S) -> Result<(), S::Error> {
        let mut paired = Pairs::new();
        for _ in 0..GENE_PAIRS {
            let pair = paired.insert_fresh(stream, |stream| {
                let g = draw(stream, GENES);
                let h = draw_other(stream, GENES, g);
                Some((g.min(h), g.max(h)))
            });
            if let Some((g, h)) = pair {
                sink.fact("genepair", &[self.gene(g), self.gene(h)])?;
                sink.fact("genepair", &[self.gene(h), self.gene(g)])?;
            }
        }
        Ok(())
    }

    /// Returns the papers that a paper cites: the planted rule.
    fn cited(&self, a: u32) -> Members {
        self.earlier.row(a) & self.share_gene.row(a) & self.share_author.row(a)
    }
}

/// Generates the domain.
pub(super) fn generate<S: DomainSink>(settings: &GeneratorSettings, sink: &mut S) -> Result<(), S::Error> {
    let mut facts = group::stream(settings, INFO.id, "facts");
    let mut pairs = group::stream(settings, INFO.id, "pairs");
    let mut labels = Labels::new(settings, INFO.id);
    let mut field =
        ResearchField { number: 0, earlier: Pairs::new(), share_gene: Pairs::new(), share_author: Pairs::new() };
    for number in 0..settings.scale() * FIELDS {
        field.make(number, &mut facts, sink)?;
        list_examples(&field, &mut labels, &mut pairs, sink)?;
    }
    Ok(())
}

fn list_examples<S: DomainSink>(
    field: &ResearchField,
    labels: &mut Labels,
    stream: &mut Stream,
    sink: &mut S,
) -> Result<(), S::Error> {
    let mut listed = Pairs::new();
    let mut positives = 0;
    for a in 0..PAPERS {
        for b in members(field.cited(a)) {
            listed.insert(a, b);
            sink.example(labels.binary(true), &[field.paper(a), field.paper(b)])?;
            positives += 1;
        }
    }
    for i in 0..positives * NEGATIVES_PER_POSITIVE {
        // In turn: a shared gene only, a shared author only, any pair that does not share both.
        let pair = listed.insert_fresh(stream, |stream| {
            let a = draw(stream, PAPERS);
            let (gene, author) = (field.share_gene.row(a), field.share_author.row(a));
            let eligible = match i % NEGATIVES_PER_POSITIVE {
                0 => gene & !author,
                1 => author & !gene,
                _ => !(gene & author),
            };
            Some((a, draw_from(stream, eligible & field.earlier.row(a))?))
        });
        if let Some((a, b)) = pair {
            sink.example(labels.binary(false), &[field.paper(a), field.paper(b)])?;
        }
    }
    Ok(())
}
