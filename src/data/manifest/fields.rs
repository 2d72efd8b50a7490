//! The fields of a manifest, as they are written in TOML.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One dataset.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The short name, such as `uwcse`; also the name of its directory in the cache.
    pub id: String,
    /// The name in full.
    pub title: String,
    /// What the data are about, in a sentence or two.
    pub about: String,
    /// What to cite, as text.
    pub citation: String,
    /// Under which licence the files are published.
    pub licence: String,
    /// Which adaptor turns the published files into folds.
    pub adaptor: Adaptor,
    /// A footnote that every table must show, if the files are not those the paper used.
    #[serde(default)]
    pub substitute: Option<String>,
    /// The modes common to every evidence variant, one BoostSRL line each.
    pub modes: Vec<String>,
    /// What a user of the data should know.
    #[serde(default)]
    pub caveats: Vec<String>,
    /// What is to be predicted.
    pub target: Target,
    /// Which facts may be used; exactly one variant is the default.
    pub evidence: Vec<Evidence>,
    /// How predicates of more than two arguments become binary ones, for methods that need it.
    #[serde(default)]
    pub arity: Vec<ArityRule>,
    /// How the examples are split.
    pub folds: Folds,
    /// Where negatives come from.
    pub negatives: Negatives,
    /// What of the past may be seen, if time matters.
    #[serde(default)]
    pub time: Option<TimeLimit>,
    /// Counts an adaptor must arrive at.
    pub expected: Expected,
    /// The published files.
    pub source: Vec<Source>,
}

/// Which adaptor turns the published files into folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adaptor {
    /// BoostSRL files, one directory for each fold.
    BoostsrlFolds,
    /// One list of positives, one of negatives and one of facts.
    BoostsrlSingle,
    /// BoostSRL folds that predict `faculty`; the target is taken out of the facts.
    Webkb,
    /// Prolog files of atoms, bonds and rings.
    Mutagenesis,
    /// A graph of papers, authors and genes, one edge a line.
    Yeast2,
    /// Citations and metadata of the ACL Anthology Network.
    Aan,
}

/// What is to be predicted.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The predicate, as it is written once converted.
    pub predicate: String,
    /// The predicate as the published files write it, where that differs.
    #[serde(default)]
    pub published: Option<String>,
    /// The type of each argument.
    pub arguments: Vec<String>,
    /// Whether p(a,b) and p(b,a) say the same.
    #[serde(default)]
    pub symmetric: bool,
    /// Whether a pair (a,a) may be drawn as a negative.
    #[serde(default)]
    pub reflexive_negatives: bool,
}

/// One choice of the facts that may be used.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The name of the variant.
    pub name: String,
    /// What it holds.
    pub about: String,
    /// The predicates it has and other variants need not have.
    #[serde(default)]
    pub adds: Vec<String>,
    /// The modes it adds to the common ones.
    #[serde(default)]
    pub modes: Vec<String>,
    /// Whether this is the variant to take when none is named.
    #[serde(default)]
    pub default: bool,
}

/// How one predicate becomes binary.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArityRule {
    /// The predicate of more than two arguments.
    pub predicate: String,
    /// The type of each of its arguments.
    pub arguments: Vec<String>,
    /// The evidence variant the rule is for, if it is not for all.
    #[serde(default)]
    pub evidence: Option<String>,
    /// The binary predicates that take its place.
    pub becomes: Vec<Projection>,
}

/// A predicate that keeps two arguments of another.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Projection {
    /// The new predicate.
    pub predicate: String,
    /// Which arguments it keeps, counted from 1.
    pub keep: Vec<usize>,
    /// Its modes, one BoostSRL line each.
    pub modes: Vec<String>,
}

/// How the examples are split, with the other ways on offer.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Folds {
    /// How.
    pub scheme: FoldScheme,
    /// Into how many parts.
    pub count: usize,
    /// What a fold stands for.
    pub about: String,
    /// Other splits that may be asked for.
    #[serde(default)]
    pub option: Vec<FoldOption>,
}

/// Another way to split.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FoldOption {
    /// How.
    pub scheme: FoldScheme,
    /// Into how many parts.
    pub count: usize,
    /// What a fold stands for.
    pub about: String,
}

/// How examples are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoldScheme {
    /// As published.
    Given,
    /// At random, by the seed.
    Random,
    /// From the oldest to the newest.
    ByTime,
}

/// Where negatives come from.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Negatives {
    /// How.
    pub scheme: NegativeScheme,
    /// The other schemes that may be asked for.
    #[serde(default)]
    pub option: Vec<NegativeScheme>,
    /// What restricts the pairs that may be drawn, in words.
    #[serde(default)]
    pub restrictions: Vec<String>,
}

/// How negatives are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NegativeScheme {
    /// The listed ones first; if there are too few, pairs that are not known to be positive.
    ListedThenClosedWorld,
    /// Pairs of the right types that are not known to be positive.
    ClosedWorld,
}

/// What of the past may be seen when an example is judged; [`TimeLimit::rule`] gives it to the database.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TimeLimit {
    /// The type whose constants have a time; the first such argument of an example sets its time.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Where the time is found.
    pub from: TimeFrom,
    /// The predicate that gives the time, if it is not the constant itself.
    #[serde(default)]
    pub predicate: Option<String>,
    /// Predicates whose facts have the time of their first argument, and are seen only later than that.
    #[serde(default)]
    pub by_argument: Vec<String>,
    /// The rule in words.
    pub about: String,
}

/// Where the time of a constant is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeFrom {
    /// The constant is named by its time.
    Id,
    /// A fact of [`TimeLimit::predicate`] gives it.
    Predicate,
}

/// Counts an adaptor must arrive at.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Positive examples.
    pub positives: u64,
    /// Evidence facts, where they do not depend on a draw.
    #[serde(default)]
    pub facts: Option<u64>,
    /// What the two counts are counts of.
    pub about: String,
    /// Other counts, by name.
    #[serde(default)]
    pub others: BTreeMap<String, u64>,
}

/// Files of one directory of one public repository, at one commit.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Who owns the repository.
    pub owner: String,
    /// The repository.
    pub repository: String,
    /// The commit, 40 hexadecimal digits: a branch could change under us.
    pub commit: String,
    /// The directory in the repository that file paths start from; empty for its root.
    #[serde(default)]
    pub directory: String,
    /// The files.
    pub files: Vec<SourceFile>,
}

/// One published file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// The path below [`Source::directory`], and below `raw/` in the cache.
    pub path: String,
    /// The length; needed unless the user supplies the file.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// SHA-256 of the content, 64 hexadecimal digits.
    #[serde(default)]
    pub sha256: Option<String>,
    /// The name git gives to the content, 40 hexadecimal digits; enough if the SHA-256 is not known.
    #[serde(default)]
    pub git_blob: Option<String>,
    /// How to unpack it, if it is an archive.
    #[serde(default)]
    pub unpack: Option<Unpack>,
    /// Says why only the user can supply this file, and how; such a file may be absent.
    #[serde(default)]
    pub supplied_by_user: Option<String>,
}

/// How to unpack an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unpack {
    /// A zip archive of many files.
    Zip,
    /// One file, compressed with gzip.
    Gzip,
}
