//! Text output of the gate.

use std::fmt::{self, Write};

use super::baseline::BaselineRow;
use super::bless::Blessed;
use super::check::{CheckedRow, GateReport, PooledRow};
use super::finding::{Finding, GateVerdict};
use super::paired::LEVEL;
use crate::determinism::IndexMap;
use crate::logic::quantity::counted;
use crate::report::compare::signed;
use crate::report::markdown::escape;
use crate::report::table::{Grid, Layout};

/// Summarizes the gate: changed rows, if any, and rows that were not compared.
pub fn summary(check: &GateReport, layout: Layout) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_summary(&mut text, check, layout);
    layout.wrap(text)
}

/// Formats the summary followed by every row, for a job summary page.
pub fn markdown(check: &GateReport) -> String {
    let mut text = format!("## Gate: {}\n\n", escape(&check.experiment));
    let _ = write_summary(&mut text, check, Layout::Markdown);
    let mut table = table();
    for row in &check.rows {
        table.row(cells(row, "baseline"));
    }
    for pooled in &check.pooled {
        table.row(cells(&pooled.row, "baseline"));
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
        finding(row),
    ]
}

/// Describes the finding of a row, with the folds that changed and the p-value of a loss.
pub(super) fn finding(row: &CheckedRow) -> String {
    let words = row.finding.words();
    match &row.finding {
        Finding::NotChecked => format!("{words}: no data"),
        Finding::NotComparable(reason) => format!("{words}: {reason}"),
        Finding::Regressed | Finding::Improved | Finding::Moved => {
            let folds: Vec<String> = row.folds.iter().map(usize::to_string).collect();
            let folds = Some(format!("folds {}", folds.join(", "))).filter(|_| !row.folds.is_empty());
            let p = row.p.filter(|p| *p < LEVEL).map(p_text);
            let details: Vec<String> = folds.into_iter().chain(p).collect();
            if details.is_empty() { words.to_owned() } else { format!("{words}: {}", details.join(", ")) }
        }
        _ => words.to_owned(),
    }
}

fn p_text(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") }
}

fn write_summary(out: &mut String, check: &GateReport, layout: Layout) -> fmt::Result {
    let mut moved = table();
    let is_moved = |row: &&CheckedRow| {
        use Finding::{Improved, Moved, NotComparable, Regressed, Unexpected};
        matches!(row.finding, Regressed | Improved | Moved | Unexpected | NotComparable(_))
    };
    for row in check.rows.iter().filter(is_moved) {
        moved.row(cells(row, "baseline"));
    }
    // That pooled rows moved follows from their rows.
    let is_news = |row: &&CheckedRow| matches!(row.finding, Finding::Regressed | Finding::Improved);
    for row in check.pooled.iter().map(|pooled| &pooled.row).filter(is_news) {
        moved.row(cells(row, "baseline"));
    }
    for row in check.expected.iter().filter(is_moved) {
        moved.row(cells(row, "spec"));
    }
    if !moved.is_empty() {
        writeln!(out, "{}", layout.table(&moved))?;
    }
    let verdict = match check.verdict() {
        GateVerdict::Pass => "passed",
        GateVerdict::Regression => "failed",
        GateVerdict::Unexpected => "failed (differs from [expected])",
        GateVerdict::NotIdentical => "failed (strict)",
        GateVerdict::NotComparable => "not comparable",
    };
    use Finding::{Identical, Improved, Moved, NotChecked, NotComparable, NotRepeatable, Regressed, Same};
    let order = [Identical, Moved, Same, Regressed, Improved, NotComparable(String::new()), NotChecked, NotRepeatable];
    let counts = order.map(|finding| (check.count(|found| found.words() == finding.words()), finding.words()));
    let counts: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    let rows = match check.rows.len() {
        // The summary of a job in continuous integration has no other message.
        0 => "no baseline: `lrbm check RUN --bless` writes it".to_owned(),
        rows => format!("{} of the baseline{counts}", counted(rows, "row")),
    };
    writeln!(out, "{}: {verdict}; {rows}", layout.text(&check.experiment))?;
    let joint = check.pooled.iter().filter(|pooled| pooled.row.finding == Finding::Regressed).count();
    if joint > 0 {
        writeln!(out, "{joint} of {} rows pooled over datasets or models regressed", check.pooled.len())?;
    }
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
        writeln!(out, "not checked, since their data are unavailable: {}", layout.text(&datasets.join(", ")))?;
    }
    // Without a baseline this would list everything.
    if !check.extra.is_empty() && !check.rows.is_empty() {
        writeln!(out, "not in the baseline (`--bless` adds it): {}", layout.text(&check.extra.join(", ")))?;
    }
    if !check.unrepeatable.is_empty() {
        writeln!(out, "not repeatable, so not compared: {}", layout.text(&check.unrepeatable.join(", ")))?;
    }
    if !check.unsupported.is_empty() {
        writeln!(
            out,
            "unsupported for the dataset, so not in the baseline: {}",
            layout.text(&check.unsupported.join(", "))
        )?;
    }
    if let (Some([before, now]), true) = (&check.platforms, check.count(|found| *found == Finding::Moved) > 0) {
        writeln!(
            out,
            "the baseline is of {}, this run of {}: mathematical functions differ in their last bits",
            layout.text(before),
            layout.text(now)
        )?;
    }
    if check.has_means {
        writeln!(
            out,
            "the baseline has means only; `--bless` records folds and predictions, which finds smaller losses"
        )?;
    }
    Ok(())
}

/// Formats the changes of a new baseline as Markdown, by dataset, for the message of its commit.
/// `before` compares the run with the old baseline.
pub fn changes(blessed: &Blessed, before: &GateReport) -> String {
    let Blessed { baseline, added, changed, removed, kept } = blessed;
    let kept = if *kept > 0 { format!(", {kept} kept, since their data are unavailable") } else { String::new() };
    let mut text = format!(
        "{} rows: {} new, {} changed, {} removed{kept}\n",
        baseline.rows().count(),
        added.len(),
        changed.len(),
        removed.len()
    );
    let mut tables: IndexMap<String, Grid> = IndexMap::default();
    let mut add = |row: &BaselineRow, cells: [String; 4]| {
        let table = tables
            .entry(row.key.dataset.clone())
            .or_insert_with(|| Grid::new(&["model", "metric", ">was", ">is", ">change", "finding"]));
        let [was, is, change, finding] = cells;
        table.row([row.label(), row.metric.name().to_owned(), was, is, change, finding]);
    };
    let number = |row: &BaselineRow| format!("{:.4}", row.average().mean);
    for (old, now) in changed {
        let is_this =
            |row: &&CheckedRow| row.dataset == now.key.dataset && row.metric == now.metric && row.model == now.label();
        let found = before.rows.iter().find(is_this).map_or_else(String::new, finding);
        let change = signed(now.average().mean - old.average().mean);
        add(now, [number(old), number(now), change, found]);
    }
    for row in added {
        add(row, ["-".to_owned(), number(row), "new".to_owned(), String::new()]);
    }
    for row in removed {
        add(row, [number(row), "-".to_owned(), "removed".to_owned(), String::new()]);
    }
    let mut joint = Grid::new(&["datasets", "model", "metric", ">was", ">is", ">change", "finding"]);
    for PooledRow { row, .. } in &before.pooled {
        if row.finding != Finding::Moved {
            let [dataset, model, metric, _, was, is, change, _, finding] = cells(row, "baseline");
            joint.row([dataset, model, metric, was, is, change, finding]);
        }
    }
    for (dataset, table) in tables {
        let _ = write!(text, "\n### {}\n\n{}", escape(&dataset), table.markdown());
    }
    if !joint.is_empty() {
        let _ = write!(text, "\n### Pooled\n\n{}", joint.markdown());
    }
    text
}
