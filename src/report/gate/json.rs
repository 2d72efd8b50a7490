//! JSON output of the gate, with full precision. Values that do not exist are `null`.

use serde_json::{Value, json};

use super::check::{CheckedRow, GateReport, PooledRow};
use super::finding::{Finding, GateVerdict};

/// Formats the gate as a JSON object; `docs/src/programs.md` describes its fields.
pub fn json(check: &GateReport) -> Value {
    let platforms = check.platforms.as_ref().map(|[before, now]| json!({ "baseline": before, "run": now }));
    json!({
        "experiment": check.experiment,
        "verdict": verdict(check.verdict()),
        "strict": check.is_strict,
        "rows": check.rows.iter().map(row).collect::<Vec<_>>(),
        "pooled": check.pooled.iter().map(pooled).collect::<Vec<_>>(),
        "expected": check.expected.iter().map(row).collect::<Vec<_>>(),
        "not_in_baseline": check.extra,
        "unsupported": check.unsupported,
        "not_repeatable": check.unrepeatable,
        "means_only": check.has_means,
        "platforms": platforms,
    })
}

fn verdict(verdict: GateVerdict) -> &'static str {
    match verdict {
        GateVerdict::Pass => "passed",
        GateVerdict::Regression => "regressed",
        GateVerdict::Unexpected => "differs-from-expected",
        GateVerdict::NotIdentical => "not-identical",
        GateVerdict::NotComparable => "not-comparable",
    }
}

fn row(row: &CheckedRow) -> Value {
    let reason = match &row.finding {
        Finding::NotComparable(reason) => Some(reason),
        _ => None,
    };
    json!({
        "dataset": row.dataset,
        "model": row.model,
        "metric": row.metric.name(),
        "was": row.reference.mean,
        "is": row.now.map(|now| now.mean),
        "change": row.change(),
        "allowed": row.reference.margin,
        "finding": finding(&row.finding),
        "reason": reason,
        "p": row.p,
        "folds": row.folds,
    })
}

/// Formats a pooled row, with names in place of one dataset, one model and folds.
fn pooled(pooled: &PooledRow) -> Value {
    let mut fields = row(&pooled.row);
    if let Some(fields) = fields.as_object_mut() {
        for key in ["dataset", "model", "reason", "folds"] {
            fields.remove(key);
        }
        fields.insert("datasets".to_owned(), json!(pooled.datasets));
        fields.insert("models".to_owned(), json!(pooled.models));
    }
    fields
}

fn finding(finding: &Finding) -> &'static str {
    match finding {
        Finding::Identical => "identical",
        Finding::Moved => "moved",
        Finding::Same => "as-before",
        Finding::Regressed => "regressed",
        Finding::Improved => "improved",
        Finding::Unexpected => "differs-from-expected",
        Finding::NotChecked => "not-checked",
        Finding::NotRepeatable => "not-repeatable",
        Finding::NotComparable(_) => "not-comparable",
    }
}
