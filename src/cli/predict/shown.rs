//! What is printed about predictions.

use crate::metric::Metrics;

/// What is printed about predictions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The main metrics.
    Main,
    /// All metrics.
    All,
    /// All metrics as JSON.
    Json,
}

impl Shown {
    pub fn text(is_all: bool) -> Self {
        if is_all { Shown::All } else { Shown::Main }
    }
}

/// Returns the object of `--json`.
pub fn object(counts: &[(String, u64)], metrics: &Metrics, others: &[(&str, f64)]) -> serde_json::Value {
    let counts: serde_json::Map<_, _> = counts.iter().map(|(name, count)| (name.clone(), (*count).into())).collect();
    let values = metrics.iter().map(|(column, value)| (column.name().to_owned(), value.ok().into()));
    let others = others.iter().map(|&(name, value)| (name.to_owned(), value.into()));
    let undefined =
        metrics.iter().filter_map(|(column, value)| Some((column.name().to_owned(), value.err()?.to_string().into())));
    let values: serde_json::Map<_, _> = values.chain(others).collect();
    let undefined: serde_json::Map<_, _> = undefined.collect();
    serde_json::json!({ "examples": counts, "metrics": values, "undefined": undefined })
}
