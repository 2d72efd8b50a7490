//! Rows of a run with their order and styles, as figures need them.

use super::axis::Axis;
use super::style::SeriesStyle;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::frame::{Group, RowKey};
use crate::experiment::store::JobRecord;
use crate::metric::summary::Average;
use crate::report::rows::{applies_to_preset, supports_presets};

/// The rows of a run that have results.
pub(super) struct RunRows<'r> {
    pub results: &'r Results,
    pub groups: Vec<Group<'r>>,
    models: IndexSet<&'r str>,
    /// Labels in the order of the spec, each with its rows by dataset.
    labels: IndexMap<String, IndexMap<String, usize>>,
}

impl<'r> RunRows<'r> {
    /// Collects the rows that have results.
    pub fn of(results: &'r Results) -> Self {
        let mut groups = results.groups();
        groups.retain(|group| group.done().next().is_some());
        let models = results.stored.iter().map(|stored| stored.record.row.model.as_str()).collect();
        RunRows::new(results, groups, models)
    }

    fn new(results: &'r Results, groups: Vec<Group<'r>>, models: IndexSet<&'r str>) -> Self {
        let mut labels: IndexMap<String, IndexMap<String, usize>> = IndexMap::default();
        for (row, key) in groups.iter().map(|group| &group.key).enumerate() {
            labels.entry(key.label()).or_default().entry(key.dataset.clone()).or_insert(row);
        }
        RunRows { results, groups, models, labels }
    }

    /// Returns whether the run has a sweep.
    pub fn has_sweep(&self) -> bool {
        self.groups.iter().any(|group| !group.key.case.is_empty())
    }

    /// Returns the names of the datasets with results, in the order of the spec.
    pub fn datasets(&self) -> Vec<&str> {
        let names: IndexSet<&str> = self.groups.iter().map(|group| group.key.dataset.as_str()).collect();
        names.into_iter().collect()
    }

    /// Returns the presets; only an empty one if there are none. Rows that apply to every preset
    /// add none.
    pub fn presets(&self) -> IndexSet<&str> {
        let all: IndexSet<&str> = self.groups.iter().map(|group| group.key.preset.as_str()).collect();
        let own = |group: &&Group<'_>| all.len() < 2 || !group.key.preset.is_empty() || supports_presets(group.kind());
        self.groups.iter().filter(own).map(|group| group.key.preset.as_str()).collect()
    }

    /// Returns whether there are several presets, and rows that apply to all of them.
    pub fn has_shared(&self) -> bool {
        let shared = |group: &Group<'_>| group.key.preset.is_empty() && !supports_presets(group.kind());
        self.presets().len() > 1 && self.groups.iter().any(shared)
    }

    /// Iterates over the rows of a preset, including those that apply to all.
    pub fn in_preset<'s>(&'s self, preset: &'s str) -> impl Iterator<Item = &'s Group<'r>> {
        self.groups.iter().filter(move |group| applies_to_preset(group.kind(), &group.key.preset, preset))
    }

    /// Splits the rows by preset if some rows apply to several, so that these are not compared
    /// with two presets of a model at once; otherwise returns all rows together.
    pub fn by_preset(self) -> Vec<(Option<String>, RunRows<'r>)> {
        if !self.has_shared() {
            return vec![(None, self)];
        }
        let part = |preset: &str| {
            let groups = self.in_preset(preset).cloned().collect();
            (Some(preset.to_owned()), RunRows::new(self.results, groups, self.models.clone()))
        };
        self.presets().into_iter().map(part).collect()
    }

    /// Iterates over the labels (model, preset and case), in the order of the spec.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.keys().map(String::as_str)
    }

    /// Returns a label without what all rows share: the only preset, and the only model with
    /// cases.
    pub fn short_label(&self, label: &str) -> String {
        let Some(&row) = self.labels.get(label).and_then(|rows| rows.values().next()) else { return label.to_owned() };
        let only = |all: IndexSet<&str>| all.len() < 2;
        let mut key = self.groups[row].key.clone();
        if only(self.presets()) {
            key.preset.clear();
        }
        let with_cases = self.groups.iter().filter(|group| !group.key.case.is_empty());
        if !key.case.is_empty() && only(with_cases.map(|group| group.key.model.as_str()).collect()) {
            let parts = [key.case, key.preset];
            return parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        }
        key.label()
    }

    /// Looks up a row by dataset and label.
    pub fn find(&self, dataset: &str, label: &str) -> Option<&Group<'r>> {
        Some(&self.groups[*self.labels.get(label)?.get(dataset)?])
    }

    /// Returns the style of a row.
    pub fn style(&self, key: &RowKey) -> SeriesStyle {
        let model = self.models.get_index_of(key.model.as_str()).unwrap_or_default();
        SeriesStyle::of(model, self.labels.get_index_of(&key.label()).unwrap_or_default())
    }

    /// Returns the style of a model where rows differ only in the model.
    pub fn model_style(&self, model: &str) -> SeriesStyle {
        let model = self.models.get_index_of(model).unwrap_or_default();
        SeriesStyle::of(model, model)
    }
}

/// Returns the label of a row without its case.
pub(super) fn series_label(key: &RowKey) -> String {
    RowKey { case: String::new(), ..key.clone() }.label()
}

/// Returns the share of positives among the test examples, which is the precision of a random
/// ranking. `None` with several classes, since each has its own share.
pub(super) fn positive_share<'r>(records: impl Iterator<Item = &'r JobRecord>) -> Option<f64> {
    let (mut positives, mut all) = (0, 0);
    let classes = |record: &&JobRecord| record.result.as_ref().is_some_and(|outcome| outcome.classes.is_some());
    for counts in records.filter(|record| !classes(record)).filter_map(|record| record.counts.as_ref()) {
        positives += counts.test_positives;
        all += counts.test_positives + counts.test_negatives;
    }
    (all > 0).then(|| positives as f64 / all as f64)
}

pub(super) fn low_end(average: &Average) -> f64 {
    average.mean - average.deviation.unwrap_or(0.0)
}

pub(super) fn high_end(average: &Average) -> f64 {
    average.mean + average.deviation.unwrap_or(0.0)
}

/// Returns an axis that covers means between 0 and 1 with their standard deviations.
pub(super) fn unit_axis(averages: impl Iterator<Item = Average>) -> Axis {
    let ends = averages.map(|average| (low_end(&average), high_end(&average)));
    let (low, high) = ends.fold((1.0, 0.0), |(low, high): (f64, f64), (a, b)| (low.min(a), high.max(b)));
    Axis::share(low.min(high), high)
}
