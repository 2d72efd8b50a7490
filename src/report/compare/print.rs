//! Text and CSV output of comparisons.

use std::fmt::Write;

use super::comparison::{LEVEL, MetricComparison, OverDatasets, RowComparison, RunComparison, SkippedRow};
use crate::metric::Average;
use crate::metric::significance::decision::{Interval, MARGIN};
use crate::metric::significance::effect::WinTieLoss;
use crate::metric::significance::{ALPHA, Verdict};
use crate::report::csv::line;
use crate::report::table::{Grid, Layout};

/// Formats the comparison for people.
pub fn text(comparison: &RunComparison, layout: Layout) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, comparison, layout);
    layout.wrap(text)
}

fn write(out: &mut String, comparison: &RunComparison, layout: Layout) -> std::fmt::Result {
    // Two blanks break the line in Markdown.
    let end = if layout == Layout::Markdown { "  " } else { "" };
    writeln!(out, "A: {}{end}", layout.text(&comparison.first))?;
    writeln!(out, "B: {}", layout.text(&comparison.second))?;
    for metric in &comparison.metrics {
        writeln!(out, "\n{}\n", layout.heading(metric.column.name()))?;
        of_metric(out, metric, layout)?;
    }
    if comparison.is_comparable() {
        writeln!(
            out,
            "\nMeans ± standard deviations over the folds that are in both; seeds count as further folds if they draw other ones, and are \
             averaged first otherwise. B − A is the mean of the folds' differences with a {:.0}% interval; better/level/worse: the number of \
             folds in which B wins, ties and loses. p: corrected resampled t-test with the actual fold sizes; Holm: corrected for the number of \
             rows. What it shows about B: higher or lower with p < {ALPHA} after Holm's correction; equivalent if two one-sided tests \
             reject a difference above {MARGIN} in an area under a curve, that is, if a 90% interval without that correction is within the margin; \
             otherwise inconclusive. At chance: the interval of the mean includes chance.",
            100.0 * LEVEL
        )?;
    }
    for (side, rows) in [("A", &comparison.only_first), ("B", &comparison.only_second)] {
        if !rows.is_empty() {
            writeln!(out, "\n{}", layout.text(&format!("Only in {side}: {}", rows.join(", "))))?;
        }
    }
    Ok(())
}

fn of_metric(out: &mut String, metric: &MetricComparison, layout: Layout) -> std::fmt::Result {
    let headings =
        ["dataset", "model", ">folds", ">A", ">B", ">B − A", ">interval", ">better/level/worse", ">p", ">Holm", "B is"];
    let mut table = Grid::new(&headings);
    for row in &metric.rows {
        table.row([
            row.dataset.clone(),
            row.model.clone(),
            if row.unpaired > 0 {
                format!("{} of {}", row.folds, row.folds + row.unpaired)
            } else {
                row.folds.to_string()
            },
            average(&row.first),
            average(&row.second),
            signed(row.difference),
            row.interval().map_or_else(|_| "-".to_owned(), |at| interval(&at)),
            slashed(&row.win_tie_loss),
            row.test.map_or_else(|reason| reason.to_string(), |test| p_value(test.p)),
            row.decided.map_or_else(|| "-".to_owned(), |(p, _)| p_value(p.difference)),
            row.finding(),
        ]);
    }
    if !table.is_empty() {
        out.push_str(&layout.table(&table));
    }
    if !metric.over_datasets.is_empty() {
        writeln!(out)?;
    }
    for over in &metric.over_datasets {
        writeln!(out, "- {}", layout.text(&sentence(over)))?;
    }
    if !metric.skipped.is_empty() {
        writeln!(out, "\nNot compared:\n")?;
        for SkippedRow { dataset, model, reason } in &metric.skipped {
            writeln!(out, "- {}", layout.text(&format!("{dataset} {model}: {reason}")))?;
        }
    }
    Ok(())
}

/// Describes a model over all datasets in one sentence.
pub(crate) fn sentence(over: &OverDatasets) -> String {
    let WinTieLoss { wins, ties, losses } = over.win_tie_loss;
    let verdict = match &over.test {
        Err(reason) => reason.to_string(),
        Ok(test) => {
            let level = if test.zeros > 0 { format!(", {} level left out", test.zeros) } else { String::new() };
            match test.verdict {
                Verdict::P(p) => {
                    let how = if test.is_exact { "exact" } else { "normal approximation" };
                    format!("Wilcoxon's signed-rank test, {how}{level}: p {}", with_sign(p))
                }
                Verdict::CannotReach { smallest } => format!(
                    "Wilcoxon's signed-rank test cannot tell{level}: {} can reach p = {smallest:.4} at best, not {ALPHA}",
                    match test.pairs {
                        1 => "one dataset".to_owned(),
                        pairs => format!("{pairs} datasets"),
                    }
                ),
            }
        }
    };
    format!(
        "{} over {} datasets: B is better on {wins}, level on {ties}, worse on {losses}; {verdict}",
        over.model, over.datasets
    )
}

fn average(average: &Average) -> String {
    match average.deviation {
        Some(deviation) => format!("{:.4} ± {deviation:.4}", average.mean),
        None => format!("{:.4}", average.mean),
    }
}

/// Formats a difference with its sign; zero has none.
pub(crate) fn signed(value: f64) -> String {
    match format!("{value:+.4}").as_str() {
        "+0.0000" | "-0.0000" => "0.0000".to_owned(),
        text => text.replace('-', "−"),
    }
}

/// Formats an interval of differences.
pub(crate) fn interval(at: &Interval) -> String {
    format!("{} to {}", signed(at.low), signed(at.high))
}

fn slashed(counts: &WinTieLoss) -> String {
    format!("{}/{}/{}", counts.wins, counts.ties, counts.losses)
}

/// Formats a p-value with three decimals.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0005 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

/// Formats a p-value with its relation sign, to follow the letter p.
pub(crate) fn with_sign(p: f64) -> String {
    let text = p_value(p);
    if text.starts_with('<') { text.replace('<', "< ") } else { format!("= {text}") }
}

/// Formats the comparison as CSV with full precision.
pub fn csv(comparison: &RunComparison) -> String {
    let mut text = line([
        "metric",
        "dataset",
        "model",
        "folds",
        "mean_a",
        "sd_a",
        "mean_b",
        "sd_b",
        "difference",
        "low",
        "high",
        "effect",
        "t",
        "p",
        "p_holm",
        "p_equivalent_holm",
        "finding",
        "better",
        "level",
        "worse",
        "note",
    ]);
    for metric in &comparison.metrics {
        for row in &metric.rows {
            text.push_str(&csv_row(metric.column.name(), row));
        }
        for SkippedRow { dataset, model, reason } in &metric.skipped {
            let mut fields = vec![metric.column.name().to_owned(), dataset.clone(), model.clone()];
            fields.resize(20, String::new());
            fields.push(format!("not compared: {reason}"));
            text.push_str(&line(&fields));
        }
    }
    text
}

fn csv_row(metric: &str, row: &RowComparison) -> String {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let note = row.test.err().map_or_else(String::new, |reason| reason.to_string());
    line([
        metric.to_owned(),
        row.dataset.clone(),
        row.model.clone(),
        row.folds.to_string(),
        number(Some(row.first.mean)),
        number(row.first.deviation),
        number(Some(row.second.mean)),
        number(row.second.deviation),
        number(Some(row.difference)),
        number(row.interval().ok().map(|at| at.low)),
        number(row.interval().ok().map(|at| at.high)),
        number(row.effect.ok()),
        number(row.test.ok().map(|test| test.t)),
        number(row.test.ok().map(|test| test.p)),
        number(row.decided.map(|(p, _)| p.difference)),
        number(row.decided.map(|(p, _)| p.equivalent)),
        row.finding(),
        row.win_tie_loss.wins.to_string(),
        row.win_tie_loss.ties.to_string(),
        row.win_tie_loss.losses.to_string(),
        note,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted() {
        assert_eq!([0.01234, -0.5, 0.0, -0.00001].map(signed), ["+0.0123", "−0.5000", "0.0000", "0.0000"]);
        assert_eq!([0.0004, 0.0005, 0.04567].map(p_value), ["<0.001", "0.001", "0.046"]);
        assert_eq!([0.0004, 0.5].map(with_sign), ["< 0.001", "= 0.500"]);
    }
}
