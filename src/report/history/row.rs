//! Rows of a history.

use crate::experiment::Results;
use crate::experiment::frame::{RowKey, SplitKey, StoredJob};
use crate::metric::Column;
use crate::report::csv;
use crate::report::gate::Origin;

/// Metrics that a history has.
pub const METRICS: [Column; 3] = [Column::AucRoc, Column::AucPr, Column::Cll];

/// Columns of a history.
pub const COLUMNS: [&str; 14] = [
    "commit", "date", "platform", "data", "dataset", "model", "preset", "case", "fold", "seed", "auc_roc", "auc_pr",
    "cll", "seconds",
];

/// Scores and processor time of one fold and seed at a commit.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryRow {
    /// Commit of the program, followed by `-dirty` if files differed from it, or the name given.
    pub commit: String,
    /// Time at which the run ended.
    pub date: String,
    /// Target triple and build profile.
    pub platform: String,
    /// Identity of the examples, in parts of which rows of earlier versions have the first two:
    /// checksum of the data, version of their preparation, number of given (`f`) or random (`r`)
    /// folds, negatives per positive, and checksums of the variant and of the test examples.
    pub data: String,
    /// Dataset, model, preset and case.
    pub key: RowKey,
    /// Fold from 1.
    pub fold: usize,
    /// The seed.
    pub seed: u64,
    /// Values of [`METRICS`]; `None` where undefined.
    pub values: [Option<f64>; 3],
    /// Processor seconds of the job, which depend less on the load of the machine than wall time;
    /// `None` if unknown.
    pub seconds: Option<f64>,
}

/// Returns the rows of a run. Their commit is that of the program unless another one was tested.
pub fn rows_of(results: &Results, commit: Option<&str>) -> Vec<HistoryRow> {
    let done = || results.stored.iter().filter(|stored| stored.is_done());
    let date = done().map(|stored| stored.record.machine.ended.as_str()).max().unwrap_or_default();
    let origin = Origin::of(results);
    let named = |row: HistoryRow| match commit {
        Some(commit) => HistoryRow { commit: commit.to_owned(), ..row },
        None => row,
    };
    done().map(|stored| named(row(stored, &origin, date))).collect()
}

fn data(stored: &StoredJob, origin: &Origin) -> String {
    let (row, key) = (&stored.record.row, &stored.record.key);
    let checksum = key.data_checksum.get(..12).unwrap_or(&key.data_checksum);
    let version = key.algorithm.get("data").copied().unwrap_or_default();
    let scheme = if stored.split().seed.is_some() { 'r' } else { 'f' };
    let mut text = format!("{checksum}-v{version}-{scheme}{}-n{}", key.folds, key.negatives_per_positive);
    if let Some(split) = origin.split(&row.dataset, row.seed).filter(|split| split.examples != "-") {
        text += &format!("-{}-{}", split.data, split.examples);
    }
    text
}

fn row(stored: &StoredJob, origin: &Origin, date: &str) -> HistoryRow {
    let record = &stored.record;
    let program = &record.program;
    let commit = program.git_commit.as_deref().filter(|commit| !commit.is_empty()).unwrap_or("unknown");
    let dirty = if program.git_dirty == Some(true) { "-dirty" } else { "" };
    let [dataset, model, preset, case] =
        [&record.row.dataset, &record.row.model, &record.row.preset, &record.row.case].map(|text| one_line(text));
    HistoryRow {
        commit: format!("{}{dirty}", commit.get(..12).unwrap_or(commit)),
        date: date.to_owned(),
        platform: format!("{} {}", program.target, program.profile),
        data: data(stored, origin),
        key: RowKey { dataset, model, preset, case },
        fold: record.row.fold,
        seed: record.row.seed,
        values: METRICS.map(|metric| stored.metric(metric)),
        seconds: record.machine.cpu_seconds,
    }
}

/// Replaces line ends, so that a row is one line and an incomplete one is recognized.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

impl HistoryRow {
    /// Returns whether another row has the same examples, as far as both tell.
    pub(super) fn has_data_of(&self, other: &HistoryRow) -> bool {
        self.data.split('-').zip(other.data.split('-')).all(|(here, there)| here == there)
    }

    /// Returns the split. Seeds share it unless the row says that they drew the folds.
    pub(super) fn split(&self) -> SplitKey {
        let is_random = self.data.split('-').nth(2).is_some_and(|folds| folds.starts_with('r'));
        SplitKey { fold: self.fold, seed: is_random.then_some(self.seed) }
    }

    /// Returns the fields in the order of [`COLUMNS`].
    pub(super) fn fields(&self) -> Vec<String> {
        let number = |value: &Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let RowKey { dataset, model, preset, case } = &self.key;
        let mut fields: Vec<String> =
            [&self.commit, &self.date, &self.platform, &self.data, dataset, model, preset, case]
                .map(Clone::clone)
                .to_vec();
        fields.extend([self.fold.to_string(), self.seed.to_string()]);
        fields.extend(self.values.iter().chain([&self.seconds]).map(number));
        fields
    }

    /// Parses the fields of a line; the error names the column.
    pub(super) fn parse(fields: &[String]) -> Result<Self, String> {
        let [commit, date, platform, data, dataset, model, preset, case, fold, seed, values @ .., seconds] = fields
        else {
            return Err(wrong_length(fields.len()));
        };
        let [roc, pr, cll] = values else { return Err(wrong_length(fields.len())) };
        for (column, text) in [("commit", commit), ("dataset", dataset), ("model", model)] {
            if text.is_empty() {
                return Err(format!("column `{column}`: empty; expected a name"));
            }
        }
        let integer = |column: &str, text: &str| {
            text.trim().parse::<u64>().map_err(|_| format!("column `{column}`: must be an integer, got `{text}`"))
        };
        let seconds = number("seconds", seconds)?;
        if seconds.is_some_and(|seconds| seconds < 0.0) {
            return Err("column `seconds`: must be at least 0".to_owned());
        }
        Ok(HistoryRow {
            commit: commit.clone(),
            date: date.clone(),
            platform: platform.clone(),
            data: data.clone(),
            key: RowKey { dataset: dataset.clone(), model: model.clone(), preset: preset.clone(), case: case.clone() },
            fold: integer("fold", fold)? as usize,
            seed: integer("seed", seed)?,
            values: [number("auc_roc", roc)?, number("auc_pr", pr)?, number("cll", cll)?],
            seconds,
        })
    }
}

fn wrong_length(have: usize) -> String {
    format!("expected {} fields, got {have}; quote fields that contain a comma", COLUMNS.len())
}

fn number(column: &str, text: &str) -> Result<Option<f64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let value = csv::number(text).map(Some);
    value.ok_or_else(|| format!("column `{column}`: must be a number from -1e9 to 1e9 or empty, got `{text}`"))
}
