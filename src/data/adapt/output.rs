//! The output of an adaptor.

use std::collections::BTreeMap;

/// The directory of a variant that contains all data if folds are drawn.
pub const ALL: &str = "all";

/// The output of an adaptor.
#[derive(Debug, Default)]
pub(super) struct ConvertedFiles {
    /// The files by their paths relative to the directory of the variant.
    pub(super) files: Vec<(String, String)>,
    pub(super) counts: BTreeMap<String, u64>,
}

impl ConvertedFiles {
    pub(super) fn add(&mut self, path: impl Into<String>, text: String) {
        self.files.push((path.into(), text));
    }

    pub(super) fn count(&mut self, name: impl Into<String>, n: u64) {
        *self.counts.entry(name.into()).or_default() += n;
    }

    /// Adds the files of a BoostSRL directory, whose last component is the prefix of their names.
    pub(super) fn add_directory(&mut self, directory: &str, texts: ExampleFiles, background: &str) {
        let name = directory.rsplit('/').next().unwrap_or(directory);
        let mut add = |kind: &str, text: String| self.add(format!("{directory}/{name}_{kind}.txt"), text);
        add("pos", texts.positives);
        // An empty file means that there are no negatives; a missing one, that none are listed.
        if let Some(negatives) = texts.negatives {
            add("neg", negatives);
        }
        add("facts", texts.facts);
        add("bk", background.to_owned());
    }
}

/// The texts of the files of a BoostSRL directory.
#[derive(Debug, Default)]
pub(super) struct ExampleFiles {
    pub(super) positives: String,
    pub(super) negatives: Option<String>,
    pub(super) facts: String,
}
