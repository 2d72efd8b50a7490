//! The fields of a manifest as written in TOML.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::arity::ArityRule;

/// A published dataset.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The short name, such as `uwcse`; also the name of its directory in the data directory.
    pub id: String,
    /// The full name.
    pub title: String,
    /// A description in one or two sentences.
    pub about: String,
    /// The citation, as text.
    pub citation: String,
    /// The licence of the published files.
    pub licence: String,
    /// The adaptor that converts the published files.
    pub adaptor: Adaptor,
    /// A footnote that every table must show if the files differ from those of the paper.
    #[serde(default)]
    pub substitute: Option<String>,
    /// The modes common to every evidence variant, one BoostSRL line each.
    pub modes: Vec<String>,
    /// Named sets of further modes, for other languages of tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mode_option: Vec<ModeOption>,
    /// Known problems of the data.
    #[serde(default)]
    pub caveats: Vec<String>,
    /// The target predicate.
    pub target: Target,
    /// The evidence variants, exactly one of them the default.
    pub evidence: Vec<EvidenceVariant>,
    /// The projections of predicates with more than two arguments to binary ones, for methods that
    /// need them.
    #[serde(default)]
    pub arity: Vec<ArityRule>,
    /// The folds.
    pub folds: FoldDefaults,
    /// The negatives.
    pub negatives: Negatives,
    /// The time limit on the evidence, if examples have times.
    #[serde(default)]
    pub time: Option<TimeLimit>,
    /// The counts an adaptor must obtain.
    pub expected: ExpectedCounts,
    /// The published files.
    pub source: Vec<SourceRepository>,
}

/// The adaptor that converts the published files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adaptor {
    /// BoostSRL files with one directory per fold.
    BoostsrlFolds,
    /// One list each of positives, negatives and facts.
    BoostsrlSingle,
    /// BoostSRL folds that predict `faculty`; the target is taken from the facts.
    Webkb,
    /// Prolog files of atoms, bonds and rings.
    Mutagenesis,
    /// A graph of papers, authors and genes with one edge per line.
    Yeast2,
    /// Citations and metadata of the ACL Anthology Network.
    Aan,
}

/// The target predicate.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The name of the predicate in the converted files.
    pub predicate: String,
    /// The name in the published files, if it differs.
    #[serde(default)]
    pub published: Option<String>,
    /// The type of each argument.
    pub arguments: Vec<String>,
    /// Whether p(a,b) and p(b,a) are equivalent.
    #[serde(default)]
    pub symmetric: bool,
    /// Whether a pair (a,a) may be drawn as a negative.
    #[serde(default)]
    pub reflexive_negatives: bool,
}

/// A variant of the evidence.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceVariant {
    /// The name of the variant.
    pub name: String,
    /// A description of its facts.
    pub about: String,
    /// The predicates specific to this variant.
    #[serde(default)]
    pub adds: Vec<String>,
    /// The modes in addition to the common ones.
    #[serde(default)]
    pub modes: Vec<String>,
    /// Whether this is the default variant.
    #[serde(default)]
    pub default: bool,
}

/// A named set of modes that a variant adds to those of its evidence.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ModeOption {
    /// The name of the option.
    pub name: String,
    /// What the modes allow.
    pub about: String,
    /// The modes. Those of a predicate that the chosen evidence lacks have no effect.
    pub adds: Vec<String>,
}

/// The default folds and the alternatives.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FoldDefaults {
    /// The fold scheme.
    pub scheme: FoldScheme,
    /// The number of folds.
    pub count: usize,
    /// What a fold represents.
    pub about: String,
    /// Alternative folds.
    #[serde(default)]
    pub option: Vec<FoldOption>,
}

/// An alternative fold scheme.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FoldOption {
    /// The fold scheme.
    pub scheme: FoldScheme,
    /// The number of folds.
    pub count: usize,
    /// What a fold represents.
    pub about: String,
}

/// A way to split the examples into folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoldScheme {
    /// The published folds.
    Given,
    /// Random folds drawn from the seed.
    Random,
    /// Folds ordered by time, oldest first.
    ByTime,
}

/// The default source of negatives and the alternatives.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Negatives {
    /// The scheme.
    pub scheme: NegativeScheme,
    /// Alternative schemes.
    #[serde(default)]
    pub option: Vec<NegativeScheme>,
    /// The restrictions on pairs that may be drawn, in words.
    #[serde(default)]
    pub restrictions: Vec<String>,
}

/// A source of negatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NegativeScheme {
    /// The listed negatives first; if there are too few, pairs not known to be positive.
    ListedThenClosedWorld,
    /// Pairs of the right types that are not known to be positive.
    ClosedWorld,
    /// The listed negatives only; none is drawn.
    Listed,
}

/// The facts visible to an example, by time; [`TimeLimit::rule`] converts it for the database.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TimeLimit {
    /// The type whose constants have a time; the first argument of this type gives an example its
    /// time.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The source of the time.
    pub from: TimeFrom,
    /// The predicate that gives the time, with [`TimeFrom::Predicate`].
    #[serde(default)]
    pub predicate: Option<String>,
    /// Predicates whose facts have the time of their first argument and are visible only to later
    /// examples.
    #[serde(default)]
    pub by_argument: Vec<String>,
    /// The rule in words.
    pub about: String,
}

/// The source of the time of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeFrom {
    /// The constant itself is its time.
    Id,
    /// A fact of [`TimeLimit::predicate`] gives it.
    Predicate,
}

/// The counts an adaptor must obtain.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCounts {
    /// Positive examples.
    pub positives: u64,
    /// Evidence facts, if their number does not depend on a random choice.
    #[serde(default)]
    pub facts: Option<u64>,
    /// What the two numbers count.
    pub about: String,
    /// Other counts, by name.
    #[serde(default)]
    pub others: BTreeMap<String, u64>,
}

/// Files in one directory of a public repository at one commit.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRepository {
    /// The owner of the repository.
    pub owner: String,
    /// The name of the repository.
    pub repository: String,
    /// The commit as 40 hexadecimal digits, since a branch can move.
    pub commit: String,
    /// The directory to which file paths are relative; empty for the root of the repository.
    #[serde(default)]
    pub directory: String,
    /// The files.
    pub files: Vec<SourceFile>,
}

/// A published file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// The path below [`SourceRepository::directory`], and below `raw/` in the data directory.
    pub path: String,
    /// The size in bytes; required unless the user supplies the file.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// SHA-256 of the content, 64 hexadecimal digits.
    #[serde(default)]
    pub sha256: Option<String>,
    /// The git blob id of the content, 40 hexadecimal digits; an alternative if the SHA-256 is
    /// unknown.
    #[serde(default)]
    pub git_blob: Option<String>,
    /// The archive format, if it is an archive.
    #[serde(default)]
    pub unpack: Option<Unpack>,
    /// Why only the user can supply this file, and how; such a file may be absent.
    #[serde(default)]
    pub supplied_by_user: Option<String>,
}

/// An archive format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unpack {
    /// A zip archive.
    Zip,
    /// A single file compressed with gzip.
    Gzip,
}
