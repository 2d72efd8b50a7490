//! Significance tests requested by the spec.

use super::common::{MAIN, notes};
use crate::determinism::IndexSet;
use crate::experiment::Results;
use crate::experiment::frame::Group;
use crate::experiment::spec::{CORRECTED_T, FRIEDMAN_NEMENYI, WILCOXON};
use crate::metric::Column;
use crate::metric::significance::decision::{MARGIN, PValues};
use crate::metric::significance::{ALPHA, CriticalLevel};
use crate::report::compare::{
    MetricComparison, OverDatasets, RunComparison, Side, interval, p_value, pair, sentence, signed,
};
use crate::report::figure::{RankedRows, friedman_words, ranked};
use crate::report::table::{Table, TableCell, TableColumn, TableRow, TableStyle};

const COLUMNS: [&str; 10] =
    ["test", "metric", "dataset", "models", "difference", "interval", "p", "holm", "equivalence", "finding"];

/// Returns the table of the tests in `[compare] tests`: the first model of the spec with each
/// other model, and all together. `None` if no test is requested.
pub fn significance_table(results: &Results) -> Option<Table> {
    let tests = &results.experiment.compare.tests;
    if tests.is_empty() {
        return None;
    }
    let selected = |name: &str| tests.iter().any(|test| test == name);
    let (t, wilcoxon) = (selected(CORRECTED_T), selected(WILCOXON));
    let mut lines = Vec::new();
    if t || wilcoxon {
        for comparison in comparisons(results) {
            match comparison {
                Ok(comparison) => {
                    for metric in &comparison.metrics {
                        lines.extend(t.then(|| corrected_t(metric)).into_iter().flatten());
                        lines.extend(wilcoxon.then(|| over(metric)).into_iter().flatten());
                    }
                }
                Err((models, reason)) => {
                    lines.push(line(["", "", "", &models, "", "", "", "", "", &format!("not compared: {reason}")]));
                }
            }
        }
    }
    if selected(FRIEDMAN_NEMENYI) {
        lines.extend(MAIN.into_iter().flat_map(|column| friedman(results, column)));
    }
    // Rows are grouped by test, in the order requested.
    let test_order = |row: &TableRow| match row.cells.first() {
        Some(TableCell::Text(test)) => tests.iter().position(|name| name == test).unwrap_or(tests.len()),
        _ => tests.len(),
    };
    lines.sort_by_key(test_order);
    Some(Table {
        name: "tests".to_owned(),
        title: "Tests of significance".to_owned(),
        caption: format!(
            "Differences are the second model minus the first, over the folds that both have, with a 95% interval. corrected-t: \
             corrected resampled t-test on the folds of a dataset; holm and equivalence: p of the difference and of two \
             one-sided tests with a margin of {MARGIN}, adjusted for the number of rows; the finding is about the second model. \
             wilcoxon-over-datasets: signed-rank test on the means of datasets; A is the first model, B the second. \
             friedman-nemenyi: ranks of all rows over the datasets that have all of them."
        ),
        columns: COLUMNS.map(TableColumn::text).into(),
        rows: lines,
        notes: notes(results),
        style: TableStyle::default(),
    })
}

/// Compares the first model with each other one; the error names the models and the reason.
fn comparisons(results: &Results) -> Vec<Result<RunComparison, (String, String)>> {
    let groups = results.groups();
    let has_result = |group: &&Group<'_>| group.done().next().is_some();
    let models: IndexSet<&str> = groups.iter().filter(has_result).map(|group| group.key.model.as_str()).collect();
    let mut models = models.into_iter();
    let Some(first) = models.next() else { return Vec::new() };
    let compare_with = |other: &str| {
        let side = |model| Side { results, model: Some(model) };
        let pairing = pair(side(first), side(other)).map_err(|error| error.to_string())?;
        RunComparison::new(&pairing, &MAIN).map_err(|error| error.to_string())
    };
    models.map(|other| compare_with(other).map_err(|reason| (format!("{first} → {other}"), reason))).collect()
}

fn line(cells: [&str; 10]) -> TableRow {
    TableRow { cells: cells.map(TableCell::text).into(), is_extra: false }
}

fn corrected_t(metric: &MetricComparison) -> Vec<TableRow> {
    let name = metric.column.name();
    let tested = metric.rows.iter().map(|row| {
        let missing = match row.unpaired {
            0 => String::new(),
            n => format!(" on {} of {} folds", row.folds, row.folds + n),
        };
        let p = row.test.map_or_else(|_| "-".to_owned(), |test| p_value(test.p));
        let adjusted = |get: fn(&PValues) -> f64| row.decided.map_or("-".to_owned(), |(p, _)| p_value(get(&p)));
        let (holm, equivalent) = (adjusted(|p| p.difference), adjusted(|p| p.equivalent));
        let interval = row.interval().map_or_else(|_| "-".to_owned(), |at| interval(&at));
        let finding = row.finding();
        let finding = format!("{finding}{missing}");
        let difference = signed(row.difference);
        line([CORRECTED_T, name, &row.dataset, &row.model, &difference, &interval, &p, &holm, &equivalent, &finding])
    });
    let skipped = metric.skipped.iter().map(|row| {
        let finding = format!("not compared: {}", row.reason);
        line([CORRECTED_T, name, &row.dataset, &row.model, "-", "-", "-", "-", "-", &finding])
    });
    tested.chain(skipped).collect()
}

fn over(metric: &MetricComparison) -> Vec<TableRow> {
    let row = |over: &OverDatasets| {
        let p = over.test.ok().and_then(|test| test.verdict.p());
        let p = p.map_or_else(|| "-".to_owned(), p_value);
        line([WILCOXON, metric.column.name(), "all", &over.model, "-", "-", &p, "-", "-", &sentence(over)])
    };
    if metric.over_datasets.is_empty() {
        let model = metric.rows.first().map_or("", |row| row.model.as_str());
        let finding = "no test: fewer than two datasets";
        return vec![line([WILCOXON, metric.column.name(), "all", model, "-", "-", "-", "-", "-", finding])];
    }
    metric.over_datasets.iter().map(row).collect()
}

fn friedman(results: &Results, column: Column) -> Vec<TableRow> {
    let row = |preset: Option<&str>, p: &str, finding: &str| {
        let models = preset.map_or_else(|| "all".to_owned(), |preset| format!("all ({preset})"));
        line([FRIEDMAN_NEMENYI, column.name(), "all", &models, "-", "-", p, "-", "-", finding])
    };
    let of = |RankedRows { preset, ranks }: &RankedRows| {
        let Some((names, ranks)) = ranks else {
            return row(preset.as_deref(), "-", "no test: it takes three rows and two datasets that have all of them");
        };
        let p = ranks.friedman(ALPHA).ok().and_then(|test| test.verdict.p()).map_or("-".to_owned(), p_value);
        let means: Vec<String> =
            ranks.order().into_iter().map(|i| format!("{} {:.2}", names[i], ranks.means()[i])).collect();
        let difference = ranks
            .critical_difference(CriticalLevel::Five)
            .map_or_else(|why| why.to_string(), |difference| format!("critical difference {difference:.2}"));
        let finding = format!("{} Mean ranks: {}; {difference}.", friedman_words(ranks), means.join(", "));
        row(preset.as_deref(), &p, &finding)
    };
    match ranked(results, column) {
        Ok(ranked) => ranked.iter().map(of).collect(),
        Err(error) => vec![row(None, "-", &format!("no test: {error}"))],
    }
}
