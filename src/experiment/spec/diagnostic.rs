//! What is wrong with a spec: every mistake with its place, its value, and what would be right.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::logic::nearest::nearest;

/// Where something was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the file, at this line, from 1.
    Line(usize),
    /// On the command line, as this `--set`.
    Set(String),
    /// On the command line, as this `--slurm-option`.
    SlurmOption(String),
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where it is.
    pub place: Place,
    /// The path of the key, such as `model[0].trees`; empty if the text is not TOML.
    pub path: String,
    /// The value, as TOML.
    pub value: Option<String>,
    /// What is wrong, what is allowed, and what was perhaps meant.
    pub reason: String,
}

impl Mistake {
    /// A mistake about a key.
    pub fn new(place: &Place, path: impl Into<String>, reason: impl Into<String>) -> Self {
        Mistake { place: place.clone(), path: path.into(), value: None, reason: reason.into() }
    }

    /// With the value that was written.
    pub fn with(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            f.write_str(&self.path)?;
            if let Some(value) = &self.value {
                write!(f, " = {}", shortened(value))?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.reason)
    }
}

/// A long value is cut: the line says where to find the rest. A mistake is one line, whatever its value is.
fn shortened(value: &str) -> String {
    const LONGEST: usize = 60;
    let value = value.replace('\n', "\\n");
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value,
    }
}

/// Why there is no experiment.
#[derive(Debug, Error)]
pub enum SpecError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}{}", path.display(), shipped_hint(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not an experiment.
    #[error("{}", all(origin, mistakes))]
    Wrong {
        /// The file the text is from.
        origin: String,
        /// Everything that was found, in the order of the file.
        mistakes: Vec<Mistake>,
    },
}

fn shipped_hint(path: &std::path::Path) -> &'static str {
    if path.exists() { "" } else { "; specs that come with the program are in experiments/" }
}

/// More than this many mistakes are not mistakes any more, but another file.
const MOST_SHOWN: usize = 50;

fn all(origin: &str, mistakes: &[Mistake]) -> String {
    let mut text = String::new();
    for mistake in mistakes.iter().take(MOST_SHOWN) {
        match &mistake.place {
            Place::Line(line) => text += &format!("{origin}:{line}: {mistake}\n"),
            Place::Set(setting) => text += &format!("--set {setting}: {mistake}\n"),
            Place::SlurmOption(option) => text += &format!("--slurm-option {option}: {mistake}\n"),
        }
    }
    let n = mistakes.len();
    if n > MOST_SHOWN {
        text += &format!("… and {} more\n", n - MOST_SHOWN);
    }
    text + &format!("{n} {} found: nothing was done", if n == 1 { "mistake" } else { "mistakes" })
}

/// Names for a message: `a`, `b` and `c`.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "none".to_owned(),
    }
}

/// The part of a message that says what was perhaps meant, if any name is near.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    const NEAR: f64 = 0.75;
    let near = nearest(word, known);
    let near = near.filter(|near| strsim::jaro_winkler(&near.to_lowercase(), &word.to_lowercase()) >= NEAR);
    near.map_or_else(String::new, |near| format!("did you mean `{near}`? "))
}
