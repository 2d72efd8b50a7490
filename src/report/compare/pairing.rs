//! Pairing of rows, and whether they are comparable.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::frame::{Group, RowKey, StoredJob};
use crate::experiment::store::JobRecord;
use crate::logic::nearest::nearest;
use crate::metric::Column;
use crate::report::rows::applies_to_preset;

/// Why models cannot be paired.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelsError {
    /// The run has no such model.
    #[error("{run}: no model `{model}` with a result; available: {known}{hint}")]
    Unknown {
        /// The run directory.
        run: String,
        /// The requested model.
        model: String,
        /// The available models.
        known: String,
        /// The most similar one.
        hint: String,
    },
    /// The model is ambiguous.
    #[error("`{model}` has several rows in {run}; choose one of {known}")]
    Ambiguous {
        /// The run directory.
        run: String,
        /// The requested model.
        model: String,
        /// The matching rows.
        known: String,
    },
}

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'r> {
    /// The run.
    pub results: &'r Results,
    /// Restriction to a model: its name, or its label with preset and case.
    pub model: Option<&'r str>,
}

/// A row of both sides.
#[derive(Clone, Debug)]
pub struct RowPair<'r> {
    /// Label of the model.
    pub model: String,
    /// Row of the first side.
    pub first: Group<'r>,
    /// Row of the second side.
    pub second: Group<'r>,
}

/// Paired rows of two sides.
#[derive(Clone, Debug)]
pub struct Pairing<'r> {
    /// Name of the first side.
    pub first: String,
    /// Name of the second side.
    pub second: String,
    /// Rows of both sides.
    pub pairs: Vec<RowPair<'r>>,
    /// Rows of the first side only.
    pub only_first: Vec<String>,
    /// Rows of the second side only.
    pub only_second: Vec<String>,
}

impl<'r> RowPair<'r> {
    /// Returns the dataset.
    pub fn dataset(&self) -> &str {
        &self.first.key.dataset
    }

    /// Returns the jobs of the same fold and seed that have a result on both sides.
    pub fn jobs(&self) -> Vec<(&'r StoredJob, &'r StoredJob)> {
        let fold_and_seed = |stored: &StoredJob| (stored.record.row.fold, stored.record.row.seed);
        let second: BTreeMap<(usize, u64), &StoredJob> =
            self.second.done().map(|job| (fold_and_seed(job), job)).collect();
        self.first.done().filter_map(|job| Some((job, *second.get(&fold_and_seed(job))?))).collect()
    }

    /// Returns the number of splits of either side, with or without a result.
    pub fn splits(&self) -> usize {
        let both = self.first.jobs.iter().chain(&self.second.jobs);
        both.map(|stored| stored.split()).collect::<IndexSet<_>>().len()
    }
}

/// Key by which rows are matched.
#[derive(Clone, Copy)]
enum By {
    /// Dataset, model, preset and case.
    Row,
    /// All but the model.
    Case,
    /// The dataset alone.
    Dataset,
}

impl By {
    fn key(self, key: &RowKey) -> RowKey {
        let mut key = key.clone();
        if !matches!(self, By::Row) {
            key.model.clear();
        }
        if matches!(self, By::Dataset) {
            key.preset.clear();
            key.case.clear();
        }
        key
    }
}

/// Pairs the rows of two sides. Without models, rows are matched by dataset, model, preset and
/// case; with model names, by dataset, preset and case; with single rows, by dataset. A model
/// whose kind has no presets is matched with every preset of the other.
///
/// # Errors
/// If a model is unknown or ambiguous.
pub fn pair<'r>(first: Side<'r>, second: Side<'r>) -> Result<Pairing<'r>, ModelsError> {
    let (of_first, single_first) = selected_rows(first)?;
    let (of_second, single_second) = selected_rows(second)?;
    let by = match (first.model, second.model) {
        (None, None) => By::Row,
        _ if single_first && single_second => By::Dataset,
        _ if single_first && !fits_all(&of_first, &of_second) => return Err(ambiguous(second, &of_second)),
        _ if single_second && !fits_all(&of_second, &of_first) => return Err(ambiguous(first, &of_first)),
        _ => By::Case,
    };
    let rows: IndexMap<RowKey, Group<'r>> = of_second.into_iter().map(|group| (by.key(&group.key), group)).collect();
    let mut pairing = Pairing {
        first: title(first),
        second: title(second),
        pairs: Vec::new(),
        only_first: Vec::new(),
        only_second: Vec::new(),
    };
    let mut paired: IndexSet<usize> = IndexSet::default();
    for group in of_first {
        let mut others: Vec<usize> = rows.get_index_of(&by.key(&group.key)).into_iter().collect();
        if others.is_empty() && matches!(by, By::Case) {
            others = (0..rows.len()).filter(|&i| is_counterpart(&group, &rows[i])).collect();
        }
        if others.is_empty() {
            pairing.only_first.push(name(&group.key));
        }
        for &other in &others {
            let other = &rows[other];
            let model = match by {
                By::Row => group.key.label(),
                _ => format!("{} → {}", group.key.label(), other.key.label()),
            };
            pairing.pairs.push(RowPair { model, first: group.clone(), second: other.clone() });
        }
        paired.extend(others);
    }
    let unpaired = rows.values().enumerate().filter(|(i, _)| !paired.contains(i));
    pairing.only_second = unpaired.map(|(_, group)| name(&group.key)).collect();
    Ok(pairing)
}

/// Returns whether two rows share dataset and case, and one applies to the preset of the other.
fn is_counterpart(a: &Group<'_>, b: &Group<'_>) -> bool {
    let applies = |a: &Group<'_>, b: &Group<'_>| applies_to_preset(a.kind(), &a.key.preset, &b.key.preset);
    a.key.dataset == b.key.dataset && a.key.case == b.key.case && (applies(a, b) || applies(b, a))
}

/// Returns whether every row has a single counterpart.
fn fits_all(single: &[Group<'_>], others: &[Group<'_>]) -> bool {
    let same_dataset = |other: &Group<'_>| single.iter().find(|group| group.key.dataset == other.key.dataset);
    others.iter().all(|other| same_dataset(other).is_none_or(|group| is_counterpart(group, other)))
}

fn name(key: &RowKey) -> String {
    format!("{} {}", key.dataset, key.label())
}

fn title(side: Side<'_>) -> String {
    let run = side.results.root.display();
    side.model.map_or_else(|| run.to_string(), |model| format!("{model} of {run}"))
}

/// Returns the rows of a side, and whether they have one label.
fn selected_rows<'r>(side: Side<'r>) -> Result<(Vec<Group<'r>>, bool), ModelsError> {
    let groups = side.results.groups();
    let Some(model) = side.model else { return Ok((groups, false)) };
    let mut rows: Vec<Group<'r>> = groups.iter().filter(|group| group.key.label() == model).cloned().collect();
    if rows.is_empty() {
        rows = groups.iter().filter(|group| group.key.model == model).cloned().collect();
    }
    if rows.is_empty() {
        let known: IndexSet<String> = groups.iter().map(|group| group.key.label()).collect();
        let hint = nearest(model, known.iter().map(String::as_str));
        return Err(ModelsError::Unknown {
            run: side.results.root.display().to_string(),
            model: model.to_owned(),
            known: if known.is_empty() { "none".to_owned() } else { list(&known) },
            hint: hint.map_or_else(String::new, |hint| format!("; did you mean `{hint}`?")),
        });
    }
    let labels: IndexSet<String> = rows.iter().map(|group| group.key.label()).collect();
    Ok((rows, labels.len() == 1))
}

fn list(names: &IndexSet<String>) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn ambiguous(side: Side<'_>, rows: &[Group<'_>]) -> ModelsError {
    ModelsError::Ambiguous {
        run: side.results.root.display().to_string(),
        model: side.model.unwrap_or_default().to_owned(),
        known: list(&rows.iter().map(|group| group.key.label()).collect()),
    }
}

/// Returns why a pair of rows is not comparable; `None` if it is.
pub(super) fn mismatch(pair: &RowPair<'_>, column: Column) -> Option<String> {
    let jobs = pair.jobs();
    let Some(first) = pair.first.done().next() else { return Some("the first has no result".to_owned()) };
    let Some(second) = pair.second.done().next() else { return Some("the second has no result".to_owned()) };
    // Without common folds and seeds, a different split is the more informative reason.
    let other = jobs.iter().copied().chain([(first, second)]);
    let reason = other.into_iter().find_map(|(first, second)| difference(&first.record, &second.record, column));
    reason.or_else(|| {
        let seeds = |group: &Group<'_>| {
            let seeds: IndexSet<u64> = group.done().map(|stored| stored.record.row.seed).collect();
            seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
        };
        jobs.is_empty().then(|| {
            let (first, second) = (seeds(&pair.first), seeds(&pair.second));
            format!("no fold and seed in common: seeds {first} and {second}")
        })
    })
}

/// Returns a difference between two jobs that prevents a comparison.
fn difference(first: &JobRecord, second: &JobRecord, column: Column) -> Option<String> {
    let (a, b) = (&first.key, &second.key);
    let short = |checksum: &str| checksum.get(..12).unwrap_or(checksum).to_owned();
    if a.dataset.id != b.dataset.id {
        return Some(format!("different datasets: {} and {}", a.dataset.id, b.dataset.id));
    }
    if a.dataset.variant != b.dataset.variant {
        return Some("different variants of the dataset".to_owned());
    }
    if a.data_checksum != b.data_checksum {
        let (a, b) = (short(&a.data_checksum), short(&b.data_checksum));
        return Some(format!("different data: checksums {a} and {b}"));
    }
    if a.folds != b.folds {
        return Some(format!("different numbers of folds: {} and {}", a.folds, b.folds));
    }
    if a.negatives_per_positive != b.negatives_per_positive {
        let (a, b) = (a.negatives_per_positive, b.negatives_per_positive);
        return Some(format!("different negatives per positive: {a} and {b}"));
    }
    let version = |record: &JobRecord| record.key.algorithm.get("data").copied().unwrap_or_default();
    if version(first) != version(second) {
        let (a, b) = (version(first), version(second));
        return Some(format!("different data preparation: versions {a} and {b}"));
    }
    let definition = |record: &JobRecord| record.program.definitions.get(column.name()).cloned();
    let same_job = first.row.fold == second.row.fold && first.row.seed == second.row.seed;
    if definition(first) != definition(second) {
        let text = |record| definition(record).unwrap_or_else(|| "the default".to_owned());
        return Some(format!("different definitions of {}: {} and {}", column.name(), text(first), text(second)));
    }
    (same_job && first.counts != second.counts).then(|| format!("different examples in fold {}", first.row.fold))
}
