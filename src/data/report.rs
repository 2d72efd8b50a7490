//! The report on a dataset before use: its origin, content and folds.

use std::fmt::Write;

use serde::Serialize;

use super::adapt::notes;
use super::benchmark::{Benchmark, BenchmarkError, Pools, Variant};
use super::manifest::{FoldScheme, Manifest, NegativeScheme, SourceRepository};
use super::split::{FoldCounts, SplitOptions};
use super::store::path::RAW;
use super::store::{Store, StoreError};
use super::summary::predicate_rows;
use crate::determinism::IndexMap;

/// The content of `lrbm datasets info`; the tables of `docs/src/datasets.md` are generated from it.
#[derive(Clone, Debug, Serialize)]
pub struct DatasetReport {
    /// The short name.
    pub id: String,
    /// The full name.
    pub title: String,
    /// The target with the types of its arguments, and its classes if it has several.
    pub target: String,
    /// The description from the manifest, for a published dataset.
    pub published: Option<PublishedReport>,
    /// The variant of the dataset.
    pub variant: Variant,
    /// The fold scheme.
    pub fold_scheme: FoldScheme,
    /// The source of negatives.
    pub negative_scheme: NegativeScheme,
    /// The requested negatives per positive.
    pub negatives_per_positive: f64,
    /// The seed of random choices.
    pub seed: u64,
    /// Distinct positives over all folds.
    pub positives: usize,
    /// Distinct listed negatives over all folds.
    pub listed_negatives: usize,
    /// Dropped duplicate examples.
    pub duplicate_examples: u64,
    /// Examples (a,a) dropped by the variant.
    pub reflexive_dropped: usize,
    /// The evidence by predicate; with given folds, of all test files together.
    pub predicates: Vec<PredicateCount>,
    /// Distinct facts; with given folds, of all test files together.
    pub facts: usize,
    /// The folds, one row each.
    pub folds: Vec<FoldRow>,
    /// The projection of predicates with more than two arguments.
    pub binary: String,
    /// A checksum of the files read.
    pub checksum: String,
}

/// The description of a published dataset from its manifest and the record of its files.
#[derive(Clone, Debug, Serialize)]
pub struct PublishedReport {
    /// A description of the data.
    pub about: String,
    /// The citation.
    pub citation: String,
    /// The licence of the files.
    pub licence: String,
    /// The footnote that every table must show.
    pub footnote: Option<String>,
    /// The evidence variants: name, description, whether it is the default.
    pub evidence: Vec<(String, String, bool)>,
    /// What a fold represents.
    pub folds_about: String,
    /// The restrictions on drawn negatives.
    pub restrictions: Vec<String>,
    /// The time rule in words.
    pub time: Option<String>,
    /// Known problems of the data.
    pub caveats: Vec<String>,
    /// Notices about the present files.
    pub notes: Vec<String>,
    /// The expected counts beside those found.
    pub expected: Vec<ExpectedCount>,
    /// The sources of the published files: repository, commit and directory, with the number of
    /// files.
    pub origins: Vec<String>,
    /// The published files.
    pub files: Vec<PublishedFile>,
    /// A checksum of all published files as recorded.
    pub raw_checksum: String,
}

/// An expected count and the one found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExpectedCount {
    /// The name of the count.
    pub name: String,
    /// The number in the manifest.
    pub expected: u64,
    /// The number found in the published files.
    pub found: Option<u64>,
}

/// A published file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedFile {
    /// The address at which it is published.
    pub address: String,
    /// Its size in bytes, if the manifest gives it.
    pub bytes: Option<u64>,
    /// The checksum in the manifest: SHA-256 or git blob id.
    pub checksum: String,
    /// Whether it is present in the data directory.
    pub present: bool,
}

/// The counts of a predicate in the evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PredicateCount {
    /// Name and arity.
    pub predicate: String,
    /// The types of its arguments.
    pub types: Vec<String>,
    /// Distinct facts.
    pub facts: usize,
    /// Dropped duplicates.
    pub duplicates: u64,
}

/// The counts of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FoldRow {
    /// The number of the fold, from 1.
    pub fold: usize,
    /// Distinct training facts, without citations that only the time rule makes visible.
    pub train_facts: usize,
    /// Distinct test facts, likewise.
    pub test_facts: usize,
    /// The counts of its examples.
    pub counts: FoldCounts,
}

impl DatasetReport {
    /// Describes a dataset and all folds of a split.
    ///
    /// # Errors
    /// If the split cannot be made, or the record of a published dataset cannot be read.
    pub fn new(dataset: &Benchmark, store: &Store, split: &SplitOptions) -> Result<DatasetReport, BenchmarkError> {
        let published =
            dataset.manifest.as_ref().map(|manifest| PublishedReport::new(dataset, manifest, store)).transpose()?;
        let counts = dataset.counts(split)?;
        let row = |(i, &counts): (usize, &FoldCounts)| {
            let [train_facts, test_facts] = match &dataset.pools {
                Pools::Pooled(pool) => [pool.database.facts.len(); 2],
                Pools::Given(folds) => [0, 1].map(|side| folds[i][side].database.facts.len()),
            };
            FoldRow { fold: i + 1, train_facts, test_facts, counts }
        };
        // The test files of given folds together are the complete data; the training files repeat
        // them.
        let pools: Vec<_> = match &dataset.pools {
            Pools::Pooled(pool) => vec![pool],
            Pools::Given(folds) => folds.iter().map(|[_, test]| test).collect(),
        };
        let mut predicates: IndexMap<String, PredicateCount> = IndexMap::default();
        for found in pools.iter().flat_map(|pool| predicate_rows(&pool.database, pool.target)) {
            let known = predicates.entry(found.predicate.clone()).or_insert_with(|| PredicateCount {
                predicate: found.predicate.clone(),
                types: found.types.clone(),
                facts: 0,
                duplicates: 0,
            });
            known.facts += found.facts;
            known.duplicates += found.duplicates;
        }
        let target = pools.first().map(|pool| {
            let db = &pool.database;
            let types = db.schema.argument_types(pool.target).unwrap_or_default();
            let types: Vec<&str> = types.iter().map(|&t| db.schema.type_name(t)).collect();
            let classes = db.classes_of(pool.target).map(|names| format!(", classes {}", names.join(", ")));
            format!("{}({}){}", db.predicates.name(pool.target), types.join(", "), classes.unwrap_or_default())
        });
        Ok(DatasetReport {
            id: dataset.id.clone(),
            title: dataset.title.clone(),
            target: target.unwrap_or_default(),
            published,
            variant: dataset.variant.clone(),
            fold_scheme: dataset.folds,
            negative_scheme: dataset.negative_scheme(split),
            negatives_per_positive: split.negatives_per_positive,
            seed: split.seed,
            positives: pools.iter().map(|pool| pool.positives.len()).sum(),
            listed_negatives: pools.iter().map(|pool| pool.listed.len()).sum(),
            duplicate_examples: pools.iter().map(|pool| pool.counts.duplicate_examples).sum(),
            reflexive_dropped: pools.iter().map(|pool| pool.reflexive_dropped).sum(),
            facts: predicates.values().map(|count| count.facts).sum(),
            predicates: predicates.into_values().collect(),
            folds: counts.iter().enumerate().map(row).collect(),
            binary: dataset.describe_binary(),
            checksum: dataset.checksum().to_owned(),
        })
    }

    /// Returns whether every expected count was found.
    pub fn is_as_expected(&self) -> bool {
        let expected = self.published.iter().flat_map(|published| &published.expected);
        expected.into_iter().all(|count| count.found == Some(count.expected))
    }

    /// Returns the report as a section of a Markdown page.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_markdown(&mut out);
        out
    }

    fn write_markdown(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "## {} (`{}`)\n", self.title, self.id)?;
        if let Some(published) = &self.published {
            published.write_markdown(out)?;
        }
        writeln!(
            out,
            "Target `{}`: {} positives, {} listed negatives.\n",
            self.target, self.positives, self.listed_negatives
        )?;
        writeln!(out, "| predicate | arguments | facts | duplicates |\n|---|---|---:|---:|")?;
        for row in &self.predicates {
            writeln!(out, "| `{}` | {} | {} | {} |", row.predicate, row.types.join(", "), row.facts, row.duplicates)?;
        }
        writeln!(
            out,
            "\n| fold | train + | train − | test + | test − | drawn in test | shared + | test (a,a) |\n|---:|---:|---:|---:|---:|---:|---:|---:|"
        )?;
        for FoldRow { fold, counts, .. } in &self.folds {
            let FoldCounts { train, test, .. } = counts;
            let drawn = 100.0 * test.drawn_share();
            writeln!(
                out,
                "| {fold} | {} | {} | {} | {} | {drawn:.0}% | {} | {} |",
                train.positives,
                train.negatives(),
                test.positives,
                test.negatives(),
                counts.shared_positives,
                test.reflexive_positives
            )?;
        }
        writeln!(out, "\nWith `arity = \"binary\"`:\n\n```text\n{}```\n", self.binary)
    }
}

fn origin(source: &SourceRepository) -> String {
    let files = match source.files.as_slice() {
        [file] => format!("`{}`", file.path),
        files if source.directory.is_empty() => format!("{} files", files.len()),
        files => format!("{} files below `{}`", files.len(), source.directory),
    };
    format!("{files} of {}/{}, commit {}", source.owner, source.repository, source.commit)
}

impl PublishedReport {
    fn new(dataset: &Benchmark, manifest: &Manifest, store: &Store) -> Result<PublishedReport, StoreError> {
        let record = store.record(&manifest.id)?;
        let count = |name: &str, expected| ExpectedCount {
            name: name.to_owned(),
            expected,
            found: dataset.conversion.counts.get(name).copied(),
        };
        let mut expected = vec![count("positives", manifest.expected.positives)];
        expected.extend(manifest.expected.facts.map(|facts| count("facts", facts)));
        expected.extend(manifest.expected.others.iter().map(|(name, &n)| count(name, n)));
        let option = manifest.folds.option.iter().find(|option| option.scheme == dataset.folds);
        let is_default = manifest.folds.scheme == dataset.folds;
        let about = option.filter(|_| !is_default).map_or(&manifest.folds.about, |option| &option.about);
        let files = manifest.files().map(|(source, file)| PublishedFile {
            address: source.address(file),
            bytes: file.bytes,
            checksum: file.sha256.clone().or(file.git_blob.clone()).unwrap_or_default(),
            present: record.get(&format!("{RAW}/{}", file.path)).is_some(),
        });
        Ok(PublishedReport {
            about: manifest.about.clone(),
            citation: manifest.citation.clone(),
            licence: manifest.licence.clone(),
            footnote: manifest.substitute.clone(),
            evidence: manifest.evidence.iter().map(|e| (e.name.clone(), e.about.clone(), e.default)).collect(),
            folds_about: about.clone(),
            restrictions: manifest.negatives.restrictions.clone(),
            time: manifest.time.as_ref().map(|time| time.about.clone()),
            caveats: manifest.caveats.clone(),
            notes: notes(manifest, &record),
            expected,
            origins: manifest.source.iter().map(origin).collect(),
            files: files.collect(),
            raw_checksum: record.checksum(RAW),
        })
    }

    fn write_markdown(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "{}\n", self.about)?;
        if let Some(footnote) = &self.footnote {
            writeln!(out, "**Substitute:** {footnote}.\n")?;
        }
        writeln!(out, "- Cite: {}\n- Licence: {}", self.citation, self.licence)?;
        for origin in &self.origins {
            writeln!(out, "- From: {origin}")?;
        }
        writeln!(out, "- Folds: {}", self.folds_about)?;
        for (name, about, default) in &self.evidence {
            writeln!(out, "- Evidence `{name}`{}: {about}", if *default { " (default)" } else { "" })?;
        }
        self.restrictions.iter().try_for_each(|text| writeln!(out, "- Negatives: {text}"))?;
        self.time.iter().try_for_each(|text| writeln!(out, "- Time: {text}"))?;
        self.caveats.iter().chain(&self.notes).try_for_each(|text| writeln!(out, "- Note: {text}"))?;
        writeln!(out, "\n| counted | manifest | found |\n|---|---:|---:|")?;
        for ExpectedCount { name, expected, found } in &self.expected {
            let found = found.map_or("none".to_owned(), |n| n.to_string());
            writeln!(out, "| {} | {expected} | {found} |", name.replace('_', " "))?;
        }
        writeln!(out)
    }
}
