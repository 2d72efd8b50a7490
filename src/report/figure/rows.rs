//! The rows of a run as figures need them: in order, with their looks.

use super::axis::Axis;
use super::style::SeriesStyle;
use crate::determinism::IndexSet;
use crate::experiment::Results;
use crate::experiment::results::{Group, RowKey};
use crate::experiment::store::Record;
use crate::metric::Column;
use crate::metric::summary::Average;
use crate::report::rows::{applies_to_preset, supports_presets};

/// The rows of a run.
pub(super) struct RunRows<'r> {
    pub results: &'r Results,
    pub groups: Vec<Group<'r>>,
    models: IndexSet<&'r str>,
    labels: IndexSet<String>,
}

impl<'r> RunRows<'r> {
    /// The rows that have results.
    pub fn of(results: &'r Results) -> Self {
        let mut groups = results.groups();
        groups.retain(|group| group.done().next().is_some());
        let models = results.stored.iter().map(|stored| stored.record.row.model.as_str()).collect();
        let labels = groups.iter().map(|group| group.key.label()).collect();
        RunRows { results, groups, models, labels }
    }

    /// Whether a sweep sets something.
    pub fn has_sweep(&self) -> bool {
        self.groups.iter().any(|group| !group.key.case.is_empty())
    }

    /// The names of the datasets that have results, in the order of the spec.
    pub fn datasets(&self) -> Vec<&str> {
        let names: IndexSet<&str> = self.groups.iter().map(|group| group.key.dataset.as_str()).collect();
        names.into_iter().collect()
    }

    /// The presets; nothing but an empty one if there are none. RunRows that stand in every preset make none of their own.
    pub fn presets(&self) -> IndexSet<&str> {
        let all: IndexSet<&str> = self.groups.iter().map(|group| group.key.preset.as_str()).collect();
        let own = |group: &&Group<'_>| all.len() < 2 || !group.key.preset.is_empty() || supports_presets(group.kind());
        self.groups.iter().filter(own).map(|group| group.key.preset.as_str()).collect()
    }

    /// Whether there are several presets, and rows that stand in all of them.
    pub fn has_shared(&self) -> bool {
        let shared = |group: &Group<'_>| group.key.preset.is_empty() && !supports_presets(group.kind());
        self.presets().len() > 1 && self.groups.iter().any(shared)
    }

    /// The rows of a preset, with those that stand in all.
    pub fn in_preset<'s>(&'s self, preset: &'s str) -> impl Iterator<Item = &'s Group<'r>> {
        self.groups.iter().filter(move |group| applies_to_preset(group.kind(), &group.key.preset, preset))
    }

    /// The rows apart by preset if some stand in all of several, so that these are not held against two presets of a model at
    /// once; otherwise all together.
    pub fn by_preset(self) -> Vec<(Option<String>, RunRows<'r>)> {
        if !self.has_shared() {
            return vec![(None, self)];
        }
        let part = |preset: &str| {
            let groups: Vec<Group<'r>> = self.in_preset(preset).cloned().collect();
            let labels = groups.iter().map(|group| group.key.label()).collect();
            let models = self.models.clone();
            (Some(preset.to_owned()), RunRows { results: self.results, groups, models, labels })
        };
        self.presets().into_iter().map(part).collect()
    }

    /// Models with preset and case, in the order of the spec.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(String::as_str)
    }

    /// A label without what all rows have in common: the only preset, and before a case the only model that has cases.
    pub fn short_label(&self, label: &str) -> String {
        let Some(group) = self.groups.iter().find(|group| group.key.label() == label) else { return label.to_owned() };
        let only = |all: IndexSet<&str>| all.len() < 2;
        let mut key = group.key.clone();
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

    /// The row of a dataset with a label.
    pub fn find(&self, dataset: &str, label: &str) -> Option<&Group<'r>> {
        self.groups.iter().find(|group| group.key.dataset == dataset && group.key.label() == label)
    }

    /// How a row looks among all of them.
    pub fn style(&self, key: &RowKey) -> SeriesStyle {
        let model = self.models.get_index_of(key.model.as_str()).unwrap_or_default();
        SeriesStyle::of(model, self.labels.get_index_of(&key.label()).unwrap_or_default())
    }

    /// How a model looks where only models are told apart.
    pub fn model_style(&self, model: &str) -> SeriesStyle {
        let model = self.models.get_index_of(model).unwrap_or_default();
        SeriesStyle::of(model, model)
    }
}

/// The mean over folds, seeds averaged first.
pub(super) fn average(group: &Group<'_>, column: Column) -> Option<Average> {
    let folds: Vec<f64> = group.by_fold(column).into_iter().map(|(_, value)| value).collect();
    Average::of(&folds)
}

/// The share of positives among the test examples of rows: what precision comes to without any knowledge. Of several classes each has its own
/// share, so there is none.
pub(super) fn positive_share<'r>(records: impl Iterator<Item = &'r Record>) -> Option<f64> {
    let (mut positives, mut all) = (0, 0);
    let classes = |record: &&Record| record.result.as_ref().is_some_and(|outcome| outcome.classes.is_some());
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

/// An axis that holds means between 0 and 1 with their deviations.
pub(super) fn unit_axis(averages: impl Iterator<Item = Average>) -> Axis {
    let ends = averages.map(|average| (low_end(&average), high_end(&average)));
    let (low, high) = ends.fold((1.0, 0.0), |(low, high): (f64, f64), (a, b)| (low.min(a), high.max(b)));
    Axis::share(low.min(high), high)
}
