//! The rows of a run as figures need them: in order, with their looks.

use super::style::Look;
use super::sweep::dashes;
use crate::determinism::IndexSet;
use crate::experiment::Results;
use crate::experiment::results::{Group, RowKey};
use crate::experiment::store::Record;
use crate::metric::Column;
use crate::metric::summary::Average;
use crate::report::rows::{knows_presets, stands_in};

/// The rows of a run.
pub(super) struct Rows<'r> {
    pub results: &'r Results,
    pub groups: Vec<Group<'r>>,
    models: IndexSet<&'r str>,
    labels: IndexSet<String>,
}

impl<'r> Rows<'r> {
    /// The rows that have results.
    pub fn of(results: &'r Results) -> Self {
        let mut groups = results.groups();
        groups.retain(|group| group.done().next().is_some());
        let models = results.stored.iter().map(|stored| stored.record.row.model.as_str()).collect();
        let labels = groups.iter().map(|group| group.key.label()).collect();
        Rows { results, groups, models, labels }
    }

    /// Whether a sweep sets something.
    pub fn swept(&self) -> bool {
        self.groups.iter().any(|group| !group.key.case.is_empty())
    }

    /// The names of the datasets that have results, in the order of the spec.
    pub fn datasets(&self) -> Vec<&str> {
        let names: IndexSet<&str> = self.groups.iter().map(|group| group.key.dataset.as_str()).collect();
        names.into_iter().collect()
    }

    /// The presets; nothing but an empty one if there are none. Rows that stand in every preset make none of their own.
    pub fn presets(&self) -> IndexSet<&str> {
        let all: IndexSet<&str> = self.groups.iter().map(|group| group.key.preset.as_str()).collect();
        let own = |group: &&Group<'_>| all.len() < 2 || !group.key.preset.is_empty() || knows_presets(group.kind());
        self.groups.iter().filter(own).map(|group| group.key.preset.as_str()).collect()
    }

    /// Whether there are several presets, and rows that stand in all of them.
    pub fn has_shared(&self) -> bool {
        let shared = |group: &Group<'_>| group.key.preset.is_empty() && !knows_presets(group.kind());
        self.presets().len() > 1 && self.groups.iter().any(shared)
    }

    /// The rows of a preset, with those that stand in all.
    pub fn in_preset<'s>(&'s self, preset: &'s str) -> impl Iterator<Item = &'s Group<'r>> {
        self.groups.iter().filter(move |group| stands_in(group.kind(), &group.key.preset, preset))
    }

    /// The rows apart by preset if some stand in all of several, so that these are not held against two presets of a model at
    /// once; otherwise all together.
    pub fn apart(self) -> Vec<(Option<String>, Rows<'r>)> {
        if !self.has_shared() {
            return vec![(None, self)];
        }
        let part = |preset: &str| {
            let groups: Vec<Group<'r>> = self.in_preset(preset).cloned().collect();
            let labels = groups.iter().map(|group| group.key.label()).collect();
            let models = self.models.clone();
            (Some(preset.to_owned()), Rows { results: self.results, groups, models, labels })
        };
        self.presets().into_iter().map(part).collect()
    }

    /// Models with preset and case, in the order of the spec.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(String::as_str)
    }

    /// A label without what all rows have in common: the only preset, and before a case the only model that has cases.
    pub fn short(&self, label: &str) -> String {
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
    pub fn look(&self, key: &RowKey) -> Look {
        let model = self.models.get_index_of(key.model.as_str()).unwrap_or_default();
        Look::of(model, self.labels.get_index_of(&key.label()).unwrap_or_default())
    }

    /// How a model looks where only models are told apart.
    pub fn model_look(&self, model: &str) -> Look {
        let model = self.models.get_index_of(model).unwrap_or_default();
        Look::of(model, model)
    }
}

/// The name of a figure of a preset, or of all.
pub(super) fn named(name: &str, preset: Option<&str>) -> String {
    preset.filter(|preset| !preset.is_empty()).map_or(name.to_owned(), |preset| format!("{name}-{}", dashes(preset)))
}

/// The title of a figure of a preset, or of all.
pub(super) fn titled(title: &str, preset: Option<&str>) -> String {
    preset.filter(|preset| !preset.is_empty()).map_or(title.to_owned(), |preset| format!("{title}, preset {preset}"))
}

/// The mean over folds, seeds averaged first.
pub(super) fn average(group: &Group<'_>, column: Column) -> Option<Average> {
    let folds: Vec<f64> = group.by_fold(column).into_iter().map(|(_, value)| value).collect();
    Average::of(&folds)
}

/// The share of positives among the test examples of rows: what precision comes to without any knowledge. Of several classes each has its own
/// share, so there is none.
pub(super) fn positives<'r>(records: impl Iterator<Item = &'r Record>) -> Option<f64> {
    let (mut positives, mut all) = (0, 0);
    let classes = |record: &&Record| record.result.as_ref().is_some_and(|outcome| outcome.classes.is_some());
    for counts in records.filter(|record| !classes(record)).filter_map(|record| record.counts.as_ref()) {
        positives += counts.test_positives;
        all += counts.test_positives + counts.test_negatives;
    }
    (all > 0).then(|| positives as f64 / all as f64)
}

/// The name of a column where it is an axis.
pub(super) fn shown(column: Column) -> &'static str {
    match column {
        Column::AucRoc => "AUC-ROC",
        Column::AucPr => "AUC-PR",
        Column::AucRocJar => "AUC-ROC (auc.jar)",
        Column::AucPrJar => "AUC-PR (auc.jar)",
        Column::AveragePrecision => "average precision",
        Column::Cll => "conditional log-likelihood",
        Column::Brier => "Brier score",
        Column::Ece => "calibration error",
        Column::F1Half => "F1 at one half",
        Column::F1Train => "F1 at the training threshold",
    }
}
