//! Manifests: the description of a published dataset in `datasets/<id>.toml`.
//!
//! A manifest lists the published files with their checksums, the target, the modes, and everything
//! needed to turn the files into folds. The built-in ones are compiled into the program, so
//! that it can fetch and verify its data without further files; [`Manifest::read`] reads a user's
//! own.

use std::path::Path;
use std::sync::OnceLock;

use thiserror::Error;

use super::toml_file::{self, TomlFileError};
use crate::kb::{TimeRule, TimeSource};
use crate::logic::nearest::nearest;

mod check;
mod fields;

pub use fields::{
    Adaptor, EvidenceVariant, ExpectedCounts, FoldDefaults, FoldOption, FoldScheme, Manifest, ModeOption,
    NegativeScheme, Negatives, SourceFile, SourceRepository, Target, TimeFrom, TimeLimit, Unpack,
};

/// The host of raw files of public repositories.
const PUBLISHED: &str = "https://raw.githubusercontent.com";

/// The built-in manifests by id, in the order in which they are listed.
const BUILT_IN: [(&str, &str); 10] = [
    ("uwcse", include_str!("../../datasets/uwcse.toml")),
    ("imdb", include_str!("../../datasets/imdb.toml")),
    ("cora", include_str!("../../datasets/cora.toml")),
    ("sports", include_str!("../../datasets/sports.toml")),
    ("mutagenesis", include_str!("../../datasets/mutagenesis.toml")),
    ("yeast2", include_str!("../../datasets/yeast2.toml")),
    ("webkb", include_str!("../../datasets/webkb.toml")),
    ("aan", include_str!("../../datasets/aan.toml")),
    ("icml", include_str!("../../datasets/icml.toml")),
    ("roofworld20", include_str!("../../datasets/roofworld20.toml")),
];

/// The error of reading a manifest.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// The file cannot be read, or is not a manifest.
    #[error(transparent)]
    File(#[from] TomlFileError),
    /// No built-in manifest has this id.
    #[error("unknown dataset `{id}`; {}expected one of {known}", suggestion(hint))]
    UnknownDataset {
        /// The unknown id.
        id: String,
        /// The known ids.
        known: String,
        /// The most similar known id.
        hint: Option<String>,
    },
    /// The dataset has no mode option of this name.
    #[error("dataset `{id}` has no mode option `{name}`; expected {known}")]
    UnknownModes {
        /// The dataset.
        id: String,
        /// The unknown option.
        name: String,
        /// The known options.
        known: String,
    },
    /// The dataset has no evidence variant of this name.
    #[error("dataset `{id}` has no evidence variant `{name}`; expected one of {known}")]
    UnknownEvidence {
        /// The dataset.
        id: String,
        /// The unknown variant.
        name: String,
        /// The known variants.
        known: String,
    },
}

impl Manifest {
    /// Returns the ids of the built-in manifests.
    pub fn ids() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|&(id, _)| id)
    }

    /// Returns the built-in manifests.
    pub fn built_in() -> impl Iterator<Item = &'static Manifest> {
        (0..BUILT_IN.len()).map(Self::parsed)
    }

    /// Returns the built-in manifest with this id.
    pub fn find(id: &str) -> Result<&'static Manifest, ManifestError> {
        let index = Self::ids().position(|known| known == id);
        index.map(Self::parsed).ok_or_else(|| ManifestError::UnknownDataset {
            id: id.to_owned(),
            known: listed(Self::ids()),
            hint: nearest(id, Self::ids()).map(str::to_owned),
        })
    }

    /// Returns a built-in manifest, parsed at its first use: commands on a user's directory need
    /// none.
    fn parsed(index: usize) -> &'static Manifest {
        static PARSED: [OnceLock<Manifest>; BUILT_IN.len()] = [const { OnceLock::new() }; BUILT_IN.len()];
        PARSED[index].get_or_init(|| {
            let (id, text) = BUILT_IN[index];
            Manifest::parse(text, &format!("datasets/{id}.toml")).expect("a test reads every built-in manifest")
        })
    }

    /// Reads and validates a manifest file.
    pub fn read(path: &Path) -> Result<Manifest, ManifestError> {
        Ok(toml_file::read(path)?)
    }

    /// Parses and validates the text of a manifest; `origin` names it in errors.
    pub fn parse(text: &str, origin: &str) -> Result<Manifest, ManifestError> {
        Ok(toml_file::parse(text, origin)?)
    }

    /// Iterates over the published files with their sources, in the order of the manifest.
    pub fn files(&self) -> impl Iterator<Item = (&SourceRepository, &SourceFile)> {
        self.source.iter().flat_map(|source| source.files.iter().map(move |file| (source, file)))
    }

    /// Returns the evidence variant with this name, or the default one.
    pub fn evidence(&self, name: Option<&str>) -> Result<&EvidenceVariant, ManifestError> {
        let matches = |e: &&EvidenceVariant| name.map_or(e.default, |name| e.name == name);
        self.evidence.iter().find(matches).ok_or_else(|| ManifestError::UnknownEvidence {
            id: self.id.clone(),
            name: name.unwrap_or("default").to_owned(),
            known: listed(self.evidence.iter().map(|e| e.name.as_str())),
        })
    }

    /// Returns the modes of options, separated by `+`, for the predicates of an evidence variant.
    pub fn option_modes(&self, names: &str, evidence: &EvidenceVariant) -> Result<Vec<String>, ManifestError> {
        let each = names.split('+').map(|name| self.modes_of_option(name.trim(), evidence));
        Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn modes_of_option(&self, name: &str, evidence: &EvidenceVariant) -> Result<Vec<String>, ManifestError> {
        let found = self.mode_option.iter().find(|option| option.name == name);
        let option = found.ok_or_else(|| ManifestError::UnknownModes {
            id: self.id.clone(),
            name: name.to_owned(),
            known: match self.mode_option.is_empty() {
                true => "none: omit the key".to_owned(),
                false => format!("one of {}", listed(self.mode_option.iter().map(|option| option.name.as_str()))),
            },
        })?;
        let is_absent = |mode: &&String| {
            let added = self.evidence.iter().flat_map(|other| &other.adds);
            let mut of_mode = added.filter(|predicate| mode.contains(&format!(" {predicate}("))).peekable();
            of_mode.peek().is_some() && !of_mode.any(|predicate| evidence.adds.contains(predicate))
        };
        Ok(option.adds.iter().filter(|mode| !is_absent(mode)).cloned().collect())
    }

    /// Iterates over the modes of an evidence variant: the common ones, then those it adds.
    pub fn modes_with<'a>(&'a self, evidence: &'a EvidenceVariant) -> impl Iterator<Item = &'a str> {
        self.modes.iter().chain(&evidence.modes).map(String::as_str)
    }
}

impl SourceRepository {
    /// Returns the path of a file below the root of a mirror.
    ///
    /// A mirror has the layout `<owner>/<repository>/<commit>/<path>`, the same as the published
    /// address.
    pub fn mirror_path(&self, file: &SourceFile) -> String {
        let SourceRepository { owner, repository, commit, directory, .. } = self;
        match directory.as_str() {
            "" => format!("{owner}/{repository}/{commit}/{}", file.path),
            _ => format!("{owner}/{repository}/{commit}/{directory}/{}", file.path),
        }
    }

    /// Returns the address at which the file is published.
    pub fn address(&self, file: &SourceFile) -> String {
        format!("{PUBLISHED}/{}", self.mirror_path(file))
    }
}

impl SourceFile {
    /// Returns the path below `unpacked/` where an archive is unpacked: its name without the
    /// extension.
    pub fn unpacked_path(&self) -> Option<&str> {
        let extension = match self.unpack? {
            Unpack::Zip => ".zip",
            Unpack::Gzip => ".gz",
        };
        self.path.strip_suffix(extension)
    }
}

impl TimeLimit {
    /// Returns the rule in the form used by the database.
    pub fn rule(&self) -> TimeRule {
        let source = match &self.predicate {
            Some(predicate) => TimeSource::Predicate(predicate.clone()),
            None => TimeSource::Ids { type_name: self.type_name.clone() },
        };
        TimeRule { source, by_argument: self.by_argument.clone() }
    }
}

/// Joins names for a message: `a, b and c`.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => (*last).to_owned(),
        None => "none".to_owned(),
    }
}

fn suggestion(hint: &Option<String>) -> String {
    hint.as_ref().map_or_else(String::new, |hint| format!("did you mean `{hint}`? "))
}

#[cfg(test)]
mod tests;
