//! File names, titles and axis labels of figures.

use crate::experiment::job::safe_name;
use crate::metric::Column;

/// Returns a name as part of a file name.
pub(super) fn slug(name: &str) -> String {
    if name.is_empty() { String::new() } else { safe_name(&name.replace('_', "-")) }
}

/// Returns the file stem of a figure of one preset, or of all.
pub(super) fn figure_name(name: &str, preset: Option<&str>) -> String {
    preset.filter(|preset| !preset.is_empty()).map_or(name.to_owned(), |preset| format!("{name}-{}", slug(preset)))
}

/// Returns the title of a figure of one preset, or of all.
pub(super) fn figure_title(title: &str, preset: Option<&str>) -> String {
    preset.filter(|preset| !preset.is_empty()).map_or(title.to_owned(), |preset| format!("{title}, preset {preset}"))
}

/// Returns the axis label of a metric.
pub(super) fn axis_label(column: Column) -> &'static str {
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
