//! JUnit XML output of the gate, which most CI services display.

use super::check::{CheckedRow, GateReport};
use super::finding::Finding;
use super::print::finding;
use crate::files::xml::escape;
use crate::report::compare::signed;

/// Formats one test case per baseline row, pooled row and `[expected]` row.
pub fn junit(check: &GateReport) -> String {
    let all: Vec<(&str, &CheckedRow, bool)> = check
        .rows
        .iter()
        .map(|row| ("baseline", row, row.finding == Finding::Regressed || check.is_strict && is_changed(row)))
        .chain(check.pooled.iter().map(|pooled| ("pooled", &pooled.row, pooled.row.finding == Finding::Regressed)))
        .chain(check.expected.iter().map(|row| ("spec", row, row.finding == Finding::Unexpected)))
        .collect();
    let failures = all.iter().filter(|(_, _, failed)| *failed).count();
    let count = |is: fn(&Finding) -> bool| all.iter().filter(|(_, row, _)| is(&row.finding)).count();
    let errors = count(|finding| matches!(finding, Finding::NotComparable(_)));
    let skipped = count(|finding| matches!(finding, Finding::NotChecked | Finding::NotRepeatable));
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">\n",
        escape(&check.experiment),
        all.len()
    );
    for (against, row, failed) in all {
        let name = format!("{} {} ({against})", row.model, row.metric.name());
        text.push_str(&format!("  <testcase classname=\"{}\" name=\"{}\"", escape(&row.dataset), escape(&name)));
        match &row.finding {
            Finding::NotChecked => text.push_str("><skipped message=\"its data are unavailable\"/></testcase>\n"),
            Finding::NotRepeatable => text.push_str("><skipped message=\"not repeatable\"/></testcase>\n"),
            Finding::NotComparable(reason) => {
                text.push_str(&format!("><error message=\"{}\"/></testcase>\n", escape(reason)));
            }
            _ if failed => {
                let (was, details) = match row.finding {
                    Finding::Unexpected => (row.finding.words(), String::new()),
                    _ => ("was", format!("; {}", finding(row))),
                };
                let now = row.now.map_or(f64::NAN, |now| now.mean);
                let message = format!("{now:.4} {was} {:.4}", row.reference.mean);
                let change = row.change().map_or_else(String::new, signed);
                let message = format!("{message}: {change}, allowed ±{:.4}{details}", row.reference.margin);
                text.push_str(&format!("><failure message=\"{}\"/></testcase>\n", escape(&message)));
            }
            _ => text.push_str("/>\n"),
        }
    }
    text.push_str("</testsuite>\n");
    text
}

/// Returns whether a row was compared and is not identical.
fn is_changed(row: &CheckedRow) -> bool {
    row.finding.is_compared() && row.finding != Finding::Identical
}

#[cfg(test)]
mod tests {
    use super::super::check::{PooledRow, Reference};
    use super::*;
    use crate::metric::{Average, Column};

    #[test]
    fn findings_map_to_elements() {
        let row = |dataset: &str, mean, finding| CheckedRow {
            dataset: dataset.into(),
            model: "A & B".into(),
            metric: Column::AucRoc,
            reference: Reference { mean: 0.5, margin: 0.01 },
            now: Some(Average { mean, deviation: None, n: 5 }),
            finding,
            p: None,
            folds: if dataset == "b" { vec![2, 4] } else { Vec::new() },
        };
        let check = GateReport {
            experiment: "tiny".into(),
            rows: vec![
                row("a", 0.5, Finding::Same),
                row("b", 0.25, Finding::Regressed),
                row("c", 0.75, Finding::Improved),
                row("d", 0.5, Finding::NotComparable("\"4\" folds".into())),
                row("e", 0.5, Finding::NotChecked),
            ],
            pooled: vec![PooledRow {
                datasets: vec!["a".into(), "b".into()],
                models: vec!["A & B".into()],
                row: row("2 datasets", 0.25, Finding::Regressed),
            }],
            expected: vec![row("f", 0.75, Finding::Unexpected)],
            extra: Vec::new(),
            unsupported: Vec::new(),
            unrepeatable: Vec::new(),
            has_means: false,
            is_strict: false,
            platforms: None,
        };
        let text = junit(&check);
        assert!(
            text.contains("<testsuite name=\"tiny\" tests=\"7\" failures=\"3\" errors=\"1\" skipped=\"1\">"),
            "{text}"
        );
        for line in [
            "  <testcase classname=\"a\" name=\"A &amp; B auc_roc (baseline)\"/>",
            "><failure message=\"0.2500 was 0.5000: −0.2500, allowed ±0.0100; regressed: folds 2, 4\"/></testcase>",
            "  <testcase classname=\"c\" name=\"A &amp; B auc_roc (baseline)\"/>",
            "  <testcase classname=\"2 datasets\" name=\"A &amp; B auc_roc (pooled)\"><failure message=\"0.2500 was 0.5000",
            "><error message=\"&quot;4&quot; folds\"/></testcase>",
            "><skipped message=\"its data are unavailable\"/></testcase>",
            "  <testcase classname=\"f\" name=\"A &amp; B auc_roc (spec)\"><failure message=\"0.7500 differs from [expected] 0.5000: +0.2500",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
