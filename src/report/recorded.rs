//! Figures of programs that were run outside this project, from `results/recorded-peers.toml`,
//! which is compiled in.
//!
//! They are shown as recorded, apart from measured ones, and never enter a result.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

/// The compiled-in file.
const TEXT: &str = include_str!("../../results/recorded-peers.toml");

/// Recorded figures of a program.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedFigures {
    /// Name of the program.
    pub program: String,
    /// How and on which data it was run.
    pub about: String,
    /// Figures by dataset.
    pub rows: Vec<RecordedRow>,
}

/// Recorded figures on a dataset; all lists have an entry per fold.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRow {
    /// Dataset id.
    pub dataset: String,
    /// Fold numbers.
    pub folds: Vec<usize>,
    /// AUC-ROC.
    pub auc_roc: Vec<f64>,
    /// AUC-PR.
    pub auc_pr: Vec<f64>,
    /// Seconds of training.
    pub seconds: Vec<f64>,
}

impl RecordedFigures {
    /// Looks up a table of the file by name.
    pub fn find(name: &str) -> Option<&'static RecordedFigures> {
        static PARSED: OnceLock<BTreeMap<String, RecordedFigures>> = OnceLock::new();
        PARSED.get_or_init(|| read(TEXT).expect("a test parses the compiled-in file")).get(name)
    }
}

/// Parses the text of the file; the error is a message.
fn read(text: &str) -> Result<BTreeMap<String, RecordedFigures>, String> {
    let tables: BTreeMap<String, RecordedFigures> = toml::from_str(text).map_err(|error| error.to_string())?;
    for row in tables.values().flat_map(|table| &table.rows) {
        let lists = [&row.auc_roc, &row.auc_pr, &row.seconds];
        if row.folds.is_empty() || lists.iter().any(|list| list.len() != row.folds.len()) {
            return Err(format!("{}: every list must have one entry per fold", row.dataset));
        }
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::rows::target;

    #[test]
    fn compiled_in_file_is_parsed() {
        let peers = RecordedFigures::find("peers").unwrap();
        assert_eq!(peers.rows.len(), 9);
        assert!(peers.rows.iter().all(|row| target(&row.dataset).is_some()));
        let uwcse = peers.rows.iter().find(|row| row.dataset == "uwcse").unwrap();
        assert_eq!((uwcse.folds.len(), uwcse.auc_pr[1]), (5, 0.88653));
        assert!(RecordedFigures::find("table1").is_none());
    }

    #[test]
    fn lists_of_different_lengths_are_errors() {
        let text = TEXT.replace("folds = [1, 2, 3, 4, 5]", "folds = [1, 2]");
        assert!(read(&text).unwrap_err().contains("one entry per fold"));
    }
}
