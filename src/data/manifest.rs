//! Manifests: what `datasets/<id>.toml` says of a dataset, before a single byte of it is here.
//!
//! A manifest names the published files with their checksums, the target, the modes, and everything one must know to
//! turn the files into folds. The eight built-in ones are part of the program, so that the program alone
//! can fetch and check its data; [`Manifest::read`] takes one of your own.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use thiserror::Error;

use crate::kb::{TimeRule, TimeSource};
use crate::logic::nearest::nearest;

mod check;
mod fields;

pub use fields::{
    Adaptor, ArityRule, Evidence, Expected, FoldOption, FoldScheme, Folds, Manifest, NegativeScheme, Negatives,
    Projection, Source, SourceFile, Target, TimeFrom, TimeLimit, Unpack,
};

/// Where raw files of a public repository are published.
const PUBLISHED: &str = "https://raw.githubusercontent.com";

/// The manifests that are part of the program, in the order in which they are listed.
const BUILT_IN: [(&str, &str); 8] = [
    ("datasets/uwcse.toml", include_str!("../../datasets/uwcse.toml")),
    ("datasets/imdb.toml", include_str!("../../datasets/imdb.toml")),
    ("datasets/cora.toml", include_str!("../../datasets/cora.toml")),
    ("datasets/sports.toml", include_str!("../../datasets/sports.toml")),
    ("datasets/mutagenesis.toml", include_str!("../../datasets/mutagenesis.toml")),
    ("datasets/yeast2.toml", include_str!("../../datasets/yeast2.toml")),
    ("datasets/webkb.toml", include_str!("../../datasets/webkb.toml")),
    ("datasets/aan.toml", include_str!("../../datasets/aan.toml")),
];

/// What is wrong with a manifest.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not a manifest.
    #[error("{origin}:{line}: {key}{}{reason}", if key.is_empty() { "" } else { ": " })]
    Syntax {
        /// The file the text is from.
        origin: String,
        /// Line, from 1.
        line: usize,
        /// The key path, such as `source[0].files[2].sha256`; empty if the text is not TOML.
        key: String,
        /// What is wrong.
        reason: String,
    },
    /// The text is a manifest, but a value cannot be right.
    #[error("{origin}: {key}: {reason}")]
    Value {
        /// The file the text is from.
        origin: String,
        /// The key path.
        key: String,
        /// What is wrong and what is allowed.
        reason: String,
    },
    /// No manifest has this name.
    #[error("unknown dataset `{id}`; {}known are {known}", suggestion(hint))]
    UnknownDataset {
        /// The name asked for.
        id: String,
        /// The names there are.
        known: String,
        /// The name that was perhaps meant.
        hint: Option<String>,
    },
    /// The dataset has no evidence variant of this name.
    #[error("dataset `{id}` has no evidence variant `{name}`; it has {known}")]
    UnknownEvidence {
        /// The dataset.
        id: String,
        /// The variant asked for.
        name: String,
        /// The variants there are.
        known: String,
    },
}

impl Manifest {
    /// The built-in manifests.
    pub fn built_in() -> &'static [Manifest] {
        static PARSED: OnceLock<Vec<Manifest>> = OnceLock::new();
        PARSED.get_or_init(|| {
            let parse = |&(origin, text)| Manifest::parse(text, origin).expect("a test reads every built-in manifest");
            BUILT_IN.iter().map(parse).collect()
        })
    }

    /// The built-in manifest of a name.
    pub fn find(id: &str) -> Result<&'static Manifest, ManifestError> {
        let all = Self::built_in();
        all.iter().find(|m| m.id == id).ok_or_else(|| ManifestError::UnknownDataset {
            id: id.to_owned(),
            known: listed(all.iter().map(|m| m.id.as_str())),
            hint: nearest(id, all.iter().map(|m| m.id.as_str())).map(str::to_owned),
        })
    }

    /// Reads and checks a manifest file.
    pub fn read(path: &Path) -> Result<Manifest, ManifestError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ManifestError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Reads and checks the text of a manifest; `origin` names it in errors.
    pub fn parse(text: &str, origin: &str) -> Result<Manifest, ManifestError> {
        let syntax = |key: String, error: &toml::de::Error| ManifestError::Syntax {
            origin: origin.to_owned(),
            line: error.span().map_or(1, |span| 1 + text.bytes().take(span.start).filter(|&b| b == b'\n').count()),
            key,
            reason: error.message().to_owned(),
        };
        let document = toml::Deserializer::parse(text).map_err(|error| syntax(String::new(), &error))?;
        let manifest: Manifest = serde_path_to_error::deserialize(document).map_err(|error| {
            let key = error.path().to_string();
            syntax(if key == "." { String::new() } else { key }, error.inner())
        })?;
        match manifest.check() {
            Ok(()) => Ok(manifest),
            Err((key, reason)) => Err(ManifestError::Value { origin: origin.to_owned(), key, reason }),
        }
    }

    /// Every published file with the source it belongs to, in the order of the manifest.
    pub fn files(&self) -> impl Iterator<Item = (&Source, &SourceFile)> {
        self.source.iter().flat_map(|source| source.files.iter().map(move |file| (source, file)))
    }

    /// The evidence variant of a name, or the default one.
    pub fn evidence(&self, name: Option<&str>) -> Result<&Evidence, ManifestError> {
        let fits = |e: &&Evidence| name.map_or(e.default, |name| e.name == name);
        self.evidence.iter().find(fits).ok_or_else(|| ManifestError::UnknownEvidence {
            id: self.id.clone(),
            name: name.unwrap_or("default").to_owned(),
            known: listed(self.evidence.iter().map(|e| e.name.as_str())),
        })
    }

    /// The modes to use with an evidence variant: the common ones, then those it adds.
    pub fn modes_with<'a>(&'a self, evidence: &'a Evidence) -> impl Iterator<Item = &'a str> {
        self.modes.iter().chain(&evidence.modes).map(String::as_str)
    }
}

impl Source {
    /// Where the repository and the commit are, below the root of a mirror.
    ///
    /// A mirror has the layout `<owner>/<repository>/<commit>/<path>`, and so has the published address.
    pub fn mirror_path(&self, file: &SourceFile) -> String {
        let Source { owner, repository, commit, directory, .. } = self;
        match directory.as_str() {
            "" => format!("{owner}/{repository}/{commit}/{}", file.path),
            _ => format!("{owner}/{repository}/{commit}/{directory}/{}", file.path),
        }
    }

    /// The address at which the file is published.
    pub fn address(&self, file: &SourceFile) -> String {
        format!("{PUBLISHED}/{}", self.mirror_path(file))
    }
}

impl SourceFile {
    /// Where an archive is unpacked to, below `unpacked/` in the cache: its name without the ending.
    pub fn unpacked_path(&self) -> Option<&str> {
        let ending = match self.unpack? {
            Unpack::Zip => ".zip",
            Unpack::Gzip => ".gz",
        };
        self.path.strip_suffix(ending)
    }
}

impl TimeLimit {
    /// The rule as the database takes it.
    pub fn rule(&self) -> TimeRule {
        let source = match &self.predicate {
            Some(predicate) => TimeSource::Predicate(predicate.clone()),
            None => TimeSource::Ids { type_name: self.type_name.clone() },
        };
        TimeRule { source, by_argument: self.by_argument.clone() }
    }
}

/// Names for a message: `a, b and c`.
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
