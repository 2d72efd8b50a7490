//! JSON output of comparisons, with full precision. Values that do not exist are `null`.

use serde_json::{Value, json};

use super::comparison::{MetricComparison, OverDatasets, RowComparison, RunComparison, SkippedRow};
use crate::metric::Average;
use crate::metric::significance::effect::WinTieLoss;

/// Formats the comparison as a JSON object; the help of `lrbm compare` describes its fields.
pub fn json(comparison: &RunComparison) -> Value {
    json!({
        "first": comparison.first,
        "second": comparison.second,
        "metrics": comparison.metrics.iter().map(of_metric).collect::<Vec<_>>(),
        "only_first": comparison.only_first,
        "only_second": comparison.only_second,
    })
}

fn of_metric(metric: &MetricComparison) -> Value {
    let skipped = |SkippedRow { dataset, model, reason }: &SkippedRow| json!({ "dataset": dataset, "model": model, "reason": reason });
    json!({
        "metric": metric.column.name(),
        "rows": metric.rows.iter().map(of_row).collect::<Vec<_>>(),
        "skipped": metric.skipped.iter().map(skipped).collect::<Vec<_>>(),
        "over_datasets": metric.over_datasets.iter().map(over_datasets).collect::<Vec<_>>(),
    })
}

fn of_row(row: &RowComparison) -> Value {
    let decided = row.decided.map(|(p, _)| p);
    json!({
        "dataset": row.dataset,
        "model": row.model,
        "folds": row.folds,
        "unpaired": row.unpaired,
        "first": average(&row.first),
        "second": average(&row.second),
        "difference": row.difference,
        "interval": row.interval().ok().map(|interval| [interval.low, interval.high]),
        "p": row.test.ok().map(|test| test.p),
        "p_holm": decided.map(|p| p.difference),
        "p_equivalent_holm": decided.map(|p| p.equivalent),
        "better_level_worse": counts(&row.win_tie_loss),
        "finding": row.finding(),
    })
}

fn over_datasets(over: &OverDatasets) -> Value {
    json!({
        "model": over.model,
        "datasets": over.datasets,
        "better_level_worse": counts(&over.win_tie_loss),
        "p": over.test.ok().and_then(|test| test.verdict.p()),
    })
}

fn average(average: &Average) -> Value {
    json!({ "mean": average.mean, "sd": average.deviation, "n": average.n })
}

fn counts(counts: &WinTieLoss) -> [usize; 3] {
    [counts.wins, counts.ties, counts.losses]
}
