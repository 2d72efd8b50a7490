//! The parameters that a sweep sets, with their values.

use super::rows::RunRows;
use crate::determinism::{IndexMap, IndexSet};
use crate::learn::parameter;

/// A parameter with at least two values in a run.
pub(super) struct Swept {
    /// Key in the spec.
    pub key: String,
    /// Values as text: by number if all are numbers, otherwise in the order of the spec.
    pub values: Vec<String>,
    /// Whether all values are numbers.
    pub is_numeric: bool,
}

/// Returns the parameters with at least two values.
pub(super) fn swept(rows: &RunRows<'_>) -> Vec<Swept> {
    let mut values: IndexMap<&str, IndexSet<&str>> = IndexMap::default();
    for (key, value) in rows.groups.iter().flat_map(|group| &group.jobs[0].record.row.settings) {
        values.entry(key).or_default().insert(value);
    }
    values.retain(|_, values| values.len() > 1);
    let parameter = |(key, values): (&str, IndexSet<&str>)| {
        let mut values: Vec<String> = values.into_iter().map(str::to_owned).collect();
        let number = |text: &String| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let is_numeric = values.iter().all(|text| number(text).is_some());
        if is_numeric {
            values.sort_by(|a, b| number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0)));
        }
        Swept { key: key.to_owned(), values, is_numeric }
    };
    values.into_iter().map(parameter).collect()
}

/// Returns the axis label of a parameter.
pub(super) fn key_name(key: &str) -> String {
    // What follows a semicolon are names elsewhere.
    let about = parameter(key).map(|known| known.entry.help.split(';').next().unwrap_or_default());
    match (key, about) {
        ("negatives_per_positive", _) => "negatives for each positive".to_owned(),
        ("train_fraction", _) => "fraction of the training examples".to_owned(),
        (_, Some(about)) if about.len() < 60 => format!("{key}: {about}"),
        _ => key.to_owned(),
    }
}
