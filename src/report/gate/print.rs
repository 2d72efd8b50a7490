//! Markdown output of the gate.

use std::fmt::{self, Write};

use super::baseline::BaselineRow;
use super::bless::Blessed;
use super::check::{CheckedRow, Finding, GateReport, GateVerdict};
use crate::report::compare::signed;
use crate::report::markdown::escape;
use crate::report::table::Grid;

/// Summarizes the gate in Markdown: changed rows, if any, and rows that were not compared.
pub fn summary(check: &GateReport) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_summary(&mut text, check);
    text
}

/// Formats the summary followed by every row, for a job summary page.
pub fn markdown(check: &GateReport) -> String {
    let mut text = format!("## Gate: {}\n\n", escape(&check.experiment));
    let _ = write_summary(&mut text, check);
    let mut table = table();
    for row in &check.rows {
        table.row(cells(row, "baseline"));
    }
    for row in &check.expected {
        table.row(cells(row, "spec"));
    }
    if !table.is_empty() {
        let _ = write!(text, "\n<details><summary>All rows</summary>\n\n{}\n</details>\n", table.markdown());
    }
    text
}

fn table() -> Grid {
    Grid::new(&["dataset", "model", "metric", "reference", ">was", ">is", ">change", ">allowed", "finding"])
}

fn cells(row: &CheckedRow, against: &str) -> [String; 9] {
    let number = |value: f64| format!("{value:.4}");
    [
        row.dataset.clone(),
        row.model.clone(),
        row.metric.name().to_owned(),
        against.to_owned(),
        number(row.reference.mean),
        row.now.map_or_else(|| "-".to_owned(), |now| number(now.mean)),
        row.change().map_or_else(|| "-".to_owned(), signed),
        format!("±{}", number(row.reference.margin)),
        finding(&row.finding),
    ]
}

fn finding(finding: &Finding) -> String {
    match finding {
        Finding::Same => "as before".to_owned(),
        Finding::Worse => "worse".to_owned(),
        Finding::Better => "better".to_owned(),
        Finding::NotChecked => "not checked: no data".to_owned(),
        Finding::NotRepeatable => "not repeatable".to_owned(),
        Finding::NotComparable(reason) => format!("not comparable: {reason}"),
    }
}

fn write_summary(out: &mut String, check: &GateReport) -> fmt::Result {
    let mut moved = table();
    let is_moved =
        |row: &&CheckedRow| matches!(row.finding, Finding::Worse | Finding::Better | Finding::NotComparable(_));
    for row in check.rows.iter().filter(is_moved) {
        moved.row(cells(row, "baseline"));
    }
    for row in check.expected.iter().filter(is_moved) {
        moved.row(cells(row, "spec"));
    }
    if !moved.is_empty() {
        writeln!(out, "{}", moved.markdown())?;
    }
    let verdict = match check.verdict() {
        GateVerdict::Pass => "passed",
        GateVerdict::Regression => "failed",
        GateVerdict::NotComparable => "not comparable",
    };
    let counts = [
        (check.count(|finding| *finding == Finding::Same), "as before"),
        (check.count(|finding| *finding == Finding::Worse), "worse"),
        (check.count(|finding| *finding == Finding::Better), "better"),
        (check.count(|finding| matches!(finding, Finding::NotComparable(_))), "not comparable"),
        (check.count(|finding| *finding == Finding::NotChecked), "not checked"),
        (check.count(|finding| *finding == Finding::NotRepeatable), "not repeatable"),
    ];
    let counts: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    writeln!(out, "{}: {verdict}; {} rows of the baseline{counts}", escape(&check.experiment), check.rows.len())?;
    if !check.expected.is_empty() {
        let held = check.expected.iter().filter(|row| row.finding == Finding::Same).count();
        let unseen = check.expected.iter().filter(|row| row.finding == Finding::NotChecked).count();
        let unseen = if unseen > 0 { format!(", {unseen} not checked") } else { String::new() };
        writeln!(out, "{held} of {} rows that the spec expects hold{unseen}", check.expected.len())?;
    }
    let mut datasets: Vec<&str> = Vec::new();
    for row in check.rows.iter().chain(&check.expected).filter(|row| row.finding == Finding::NotChecked) {
        if !datasets.contains(&row.dataset.as_str()) {
            datasets.push(&row.dataset);
        }
    }
    if !datasets.is_empty() {
        writeln!(out, "not checked, since their data are unavailable: {}", escape(&datasets.join(", ")))?;
    }
    // Without a baseline this would list everything.
    if !check.extra.is_empty() && !check.rows.is_empty() {
        writeln!(out, "not in the baseline (`--bless` adds it): {}", escape(&check.extra.join(", ")))?;
    }
    if !check.unrepeatable.is_empty() {
        writeln!(out, "not repeatable, so not compared: {}", escape(&check.unrepeatable.join(", ")))?;
    }
    if !check.unsupported.is_empty() {
        writeln!(
            out,
            "unsupported for the dataset, so not in the baseline: {}",
            escape(&check.unsupported.join(", "))
        )?;
    }
    Ok(())
}

/// Formats the changes of a new baseline as Markdown.
pub fn changes(blessed: &Blessed) -> String {
    let mut text = String::new();
    let mut table = Grid::new(&["dataset", "model", "metric", ">was", ">is", ">change"]);
    let number = |row: &BaselineRow| format!("{:.4}", row.average.mean);
    let mut add = |row: &BaselineRow, was: String, is: String, change: String| {
        table.row([row.dataset.clone(), row.model.clone(), row.metric.name().to_owned(), was, is, change]);
    };
    for (before, now) in &blessed.changed {
        add(now, number(before), number(now), signed(now.average.mean - before.average.mean));
    }
    for row in &blessed.added {
        add(row, "-".to_owned(), number(row), "new".to_owned());
    }
    for row in &blessed.removed {
        add(row, number(row), "-".to_owned(), "removed".to_owned());
    }
    if !table.is_empty() {
        text = table.markdown() + "\n";
    }
    let Blessed { baseline, added, changed, removed, kept } = blessed;
    let kept = if *kept > 0 { format!(", {kept} kept, since their data are unavailable") } else { String::new() };
    let _ = writeln!(
        text,
        "{} rows: {} new, {} changed, {} removed{kept}",
        baseline.rows().count(),
        added.len(),
        changed.len(),
        removed.len()
    );
    text
}
