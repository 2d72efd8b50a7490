//! Origin of a baseline: the experiment, the platform, and the examples of its rows.
//!
//! It is stored as `# key: value` lines above the CSV. Rows are comparable if data, folds and
//! negatives are the same; parameters and versions of algorithms may differ, since their effect is
//! what the gate measures.

use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::frame::StoredJob;
use crate::files::digest;

/// First line of a baseline with cells.
pub const MARK: &str = "# lrbm baseline 2";

/// Digits of a checksum that are stored.
const DIGITS: usize = 16;

/// Where the values of a baseline come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// Name of the experiment; empty if unknown.
    pub experiment: String,
    /// Target triple of the program; mathematical functions differ in their last bits between
    /// platforms.
    pub platform: String,
    /// Examples by dataset and seed.
    pub splits: Vec<SplitFingerprint>,
}

/// Identity of the examples that a dataset has with a seed, over all folds.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitFingerprint {
    /// Name of the dataset in the experiment.
    pub dataset: String,
    /// The seed.
    pub seed: u64,
    /// Number of folds.
    pub folds: usize,
    /// Negatives per positive.
    pub negatives: f64,
    /// Checksum of the data and their variant.
    pub data: String,
    /// Version of data preparation.
    pub version: u32,
    /// Checksum of the test examples and their labels, by fold; `-` if they cannot be read.
    pub examples: String,
}

impl Origin {
    /// Describes a run.
    pub fn of(results: &Results) -> Origin {
        let mut jobs: IndexMap<(&str, u64), Vec<&StoredJob>> = IndexMap::default();
        for stored in results.stored.iter().filter(|stored| stored.is_done()) {
            jobs.entry((stored.record.row.dataset.as_str(), stored.record.row.seed)).or_default().push(stored);
        }
        let splits = jobs.values().filter_map(|jobs| SplitFingerprint::of(results, jobs)).collect();
        Origin { experiment: one_line(&results.experiment.name), platform: platform(results), splits }
    }

    /// Returns the fingerprint of a dataset with a seed.
    pub fn split(&self, dataset: &str, seed: u64) -> Option<&SplitFingerprint> {
        self.splits.iter().find(|split| split.seed == seed && split.dataset == one_line(dataset))
    }

    /// Reads one header line without its `#`; lines of other keys are comments.
    pub(super) fn read_line(&mut self, line: &str) -> Result<(), String> {
        match line.trim().split_once(": ") {
            Some(("experiment", name)) => self.experiment = name.to_owned(),
            Some(("platform", name)) => self.platform = name.to_owned(),
            Some(("split", text)) => self.splits.push(SplitFingerprint::parse(text)?),
            _ => {}
        }
        Ok(())
    }

    /// Formats the header lines.
    pub(super) fn lines(&self) -> String {
        let Origin { experiment, platform, splits } = self;
        let splits: String = splits.iter().map(|split| format!("# split: {}\n", split.text())).collect();
        format!("{MARK}\n# experiment: {experiment}\n# platform: {platform}\n{splits}")
    }
}

/// Returns the platforms of the jobs of a run.
pub fn platform(results: &Results) -> String {
    let targets: IndexSet<&str> = results.stored.iter().map(|stored| stored.record.program.target.as_str()).collect();
    one_line(&targets.into_iter().collect::<Vec<_>>().join(" "))
}

impl SplitFingerprint {
    fn of(results: &Results, jobs: &[&StoredJob]) -> Option<Self> {
        let first = jobs.first()?;
        let key = &first.record.key;
        let mut folds: Vec<&StoredJob> = Vec::new();
        for stored in jobs {
            // All models of a fold have the same test examples.
            if !folds.iter().any(|known| known.record.row.fold == stored.record.row.fold) {
                folds.push(stored);
            }
        }
        folds.sort_by_key(|stored| stored.record.row.fold);
        let mut text = String::new();
        let mut is_known = true;
        for stored in folds {
            let Ok(Some(predictions)) = results.predictions(stored) else {
                is_known = false;
                break;
            };
            text += &format!("fold {}\n", stored.record.row.fold);
            predictions.iter().for_each(|row| text += &format!("{} {}\n", u8::from(row.label), row.example));
        }
        let variant = serde_json::to_string(&key.dataset.variant).unwrap_or_default();
        Some(SplitFingerprint {
            dataset: one_line(&first.record.row.dataset),
            seed: first.record.row.seed,
            folds: key.folds,
            negatives: key.negatives_per_positive,
            data: short(&format!("{}\n{variant}", key.data_checksum)),
            version: key.algorithm.get("data").copied().unwrap_or_default(),
            examples: if is_known { short(&text) } else { "-".to_owned() },
        })
    }

    /// Returns why results on these examples cannot be compared with those of a baseline.
    pub fn difference(&self, baseline: &SplitFingerprint) -> Option<String> {
        let (a, b) = (self, baseline);
        let other = |what: &str, a: &dyn ToString, b: &dyn ToString| {
            Some(format!("{what} {}, the baseline has {}", a.to_string(), b.to_string()))
        };
        if a.data != b.data {
            return other("other data: checksum", &a.data, &b.data);
        }
        if a.folds != b.folds {
            return other("other folds: number", &a.folds, &b.folds);
        }
        if a.negatives != b.negatives {
            return other("other negatives: per positive", &a.negatives, &b.negatives);
        }
        if a.version != b.version {
            return other("other data preparation: version", &a.version, &b.version);
        }
        if a.examples != b.examples && a.examples != "-" && b.examples != "-" {
            return other("other folds or negatives: checksum of test examples", &a.examples, &b.examples);
        }
        None
    }

    fn text(&self) -> String {
        let SplitFingerprint { dataset, seed, folds, negatives, data, version, examples } = self;
        format!(
            "seed={seed} folds={folds} negatives={negatives} data={data} version={version} examples={examples} \
             dataset={dataset}"
        )
    }

    fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`# split: {text}`: expected `seed=N folds=N negatives=X data=HEX version=N examples=HEX dataset=NAME`; \
                 `lrbm check RUN --bless` writes it"
            )
        };
        let (before, dataset) = text.split_once(" dataset=").ok_or_else(wrong)?;
        let fields: IndexMap<&str, &str> = before.split(' ').filter_map(|field| field.split_once('=')).collect();
        let field = |name: &str| fields.get(name).copied().ok_or_else(wrong);
        Ok(SplitFingerprint {
            dataset: dataset.to_owned(),
            seed: field("seed")?.parse().map_err(|_| wrong())?,
            folds: field("folds")?.parse().map_err(|_| wrong())?,
            negatives: field("negatives")?.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(wrong)?,
            data: field("data")?.to_owned(),
            version: field("version")?.parse().map_err(|_| wrong())?,
            examples: field("examples")?.to_owned(),
        })
    }
}

/// Returns the first digits of the checksum of a text.
fn short(text: &str) -> String {
    let mut digits = digest::sha256(text.as_bytes());
    digits.truncate(DIGITS);
    digits
}

/// Replaces control characters and spaces at the ends, which a header line cannot hold.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split() -> SplitFingerprint {
        SplitFingerprint {
            dataset: "my data, dataset=2".into(),
            seed: 7,
            folds: 5,
            negatives: 1.5,
            data: "ab".into(),
            version: 2,
            examples: "cd".into(),
        }
    }

    #[test]
    fn header_lines_survive_a_round_trip() {
        let origin = Origin { experiment: "tiny".into(), platform: "x86_64".into(), splits: vec![split()] };
        let mut read = Origin::default();
        for line in origin.lines().lines() {
            read.read_line(line.strip_prefix('#').unwrap()).unwrap();
        }
        assert_eq!(read, origin);
        assert_eq!(read.split("my data, dataset=2", 7), Some(&split()));
        assert!(read.read_line(" split: seed=x dataset=a").unwrap_err().contains("expected `seed=N"));
        read.read_line(" a remark: of the user").unwrap();
    }

    #[test]
    fn only_data_folds_and_negatives_prevent_a_comparison() {
        let base = split();
        assert_eq!(base.difference(&split()), None);
        for (other, words) in [
            (SplitFingerprint { data: "x".into(), ..split() }, "other data"),
            (SplitFingerprint { folds: 3, ..split() }, "other folds: number 3, the baseline has 5"),
            (SplitFingerprint { negatives: 1.0, ..split() }, "other negatives: per positive 1"),
            (SplitFingerprint { version: 3, ..split() }, "other data preparation"),
            (SplitFingerprint { examples: "x".into(), ..split() }, "other folds or negatives"),
        ] {
            assert!(other.difference(&base).unwrap().contains(words), "{words}");
        }
        assert_eq!(SplitFingerprint { examples: "-".into(), ..split() }.difference(&base), None);
        // The seed of the learner is not part of the examples.
        assert_eq!(SplitFingerprint { seed: 8, ..split() }.difference(&base), None);
    }
}
