//! Verdicts on the paper's claims, their sensitivity to the rule, and the comparisons behind them.

use super::common::{notes, seeds_note};
use crate::experiment::Results;
use crate::metric::significance::decision::{Decision, DecisionRule, MARGIN, PValues};
use crate::report::claims::{ClaimEvidence, JudgedClaim};
use crate::report::compare::{interval, p_value, signed};
use crate::report::table::{Note, Table, TableCell, TableColumn, TableRow, TableStyle, format_mean, metric_title};

/// Name of the table of verdicts.
pub const VERDICTS: &str = "verdicts";

/// Columns of that table up to the verdict; reasons are too long for a terminal.
pub const VERDICT_COLUMNS: usize = 5;

/// Cell of an alternative rule with the same verdict.
const SAME: &str = "same";

/// Returns the verdicts on the claims for which the run has numbers, by the rule and by its
/// alternatives; `None` if the run has numbers for no claim.
pub fn verdict_table(results: &Results, claims: &[JudgedClaim]) -> Option<Table> {
    let shown: Vec<&JudgedClaim> = claims.iter().filter(|judged| judged.has_numbers()).collect();
    if shown.is_empty() {
        return None;
    }
    let mut columns = vec!["number", "question", "claim", "preset", "verdict", "why"];
    columns.extend(DecisionRule::ALTERNATIVES.iter().map(|(name, _)| *name));
    columns.push("published numbers alone");
    let row = |judged: &&JudgedClaim| {
        let claim = judged.claim;
        let number = judged.number.to_string();
        let mut cells = vec![
            number.as_str(),
            claim.question,
            claim.statement,
            &judged.preset,
            judged.verdict.words(),
            &judged.reason,
        ];
        let alternative =
            |(_, verdict): &(_, Decision)| if *verdict == judged.verdict { SAME } else { verdict.words() };
        cells.extend(judged.alternatives.iter().map(alternative));
        cells.push(&judged.published.words);
        TableRow { cells: cells.into_iter().map(TableCell::text).collect(), is_extra: false }
    };
    let mut notes = notes(results);
    notes.push(Note { about: None, text: changes(&shown) });
    Some(Table {
        name: VERDICTS.to_owned(),
        title: "Verdicts on the paper's claims".to_owned(),
        caption: format!(
            "Verdicts by one rule: corrected resampled t-test over the folds of {}, seeds of given folds averaged, p adjusted by Holm's method within a claim, \
             a margin of {MARGIN} for \"on a par\" and \"not worse\" (two one-sided tests). Differences, in brackets with 95% interval \
             and adjusted p; a positive one favors the model of the claim; all numbers are in the table of comparisons. The columns after the reason change one choice of the \
             rule. The last one reads the published means alone, without ours: as they are, and by Welch's test from the \
             published deviations (read as standard deviations over five folds) with the same correction, since the pairs are not published.",
            seeds_note(results)
        ),
        columns: columns.into_iter().map(TableColumn::text).collect(),
        rows: shown.iter().map(row).collect(),
        notes,
        style: TableStyle::default(),
    })
}

/// Describes how many verdicts each alternative rule changes.
fn changes(shown: &[&JudgedClaim]) -> String {
    let changed = |(index, (name, _)): (usize, &(&str, DecisionRule))| {
        let differs =
            |judged: &&&JudgedClaim| judged.alternatives.get(index).is_some_and(|(_, v)| *v != judged.verdict);
        format!("{name} {}", shown.iter().filter(differs).count())
    };
    let changed: Vec<String> = DecisionRule::ALTERNATIVES.iter().enumerate().map(changed).collect();
    format!("Of {} verdicts, another rule changes: {}.", shown.len(), changed.join(", "))
}

/// Returns the comparisons behind the verdicts; `None` if the run has numbers for no claim.
pub fn comparison_table(results: &Results, claims: &[JudgedClaim]) -> Option<Table> {
    let shown = || claims.iter().filter(|judged| judged.has_numbers());
    shown().next()?;
    let columns = [
        "number",
        "preset",
        "dataset",
        "measure",
        "against",
        "mean",
        "other",
        "splits",
        "difference",
        "interval",
        "p",
        "holm",
        "not worse",
        "equivalence",
        "beyond margin",
        "verdict",
        "published",
    ];
    let mut rows = Vec::new();
    for judged in shown() {
        let with_numbers = judged.evidence.iter().filter(|one| one.compared.is_some());
        rows.extend(with_numbers.map(|one| row(judged, one)));
    }
    Some(Table {
        name: "comparisons".to_owned(),
        title: "Comparisons behind the claims".to_owned(),
        caption: format!(
            "Number: that of the claim in the table of verdicts. Difference: the model of the claim minus the other one, with \
             a 95% interval; p: corrected t-test; the next four are adjusted within the claim: a difference, no loss above \
             {MARGIN}, equivalence within {MARGIN}, a difference beyond it. Published: difference of the published means."
        ),
        columns: columns.map(TableColumn::text).into(),
        rows,
        notes: notes(results),
        style: TableStyle::default(),
    })
}

fn row(judged: &JudgedClaim, one: &ClaimEvidence) -> TableRow {
    let dash = || "-".to_owned();
    let compared = one.compared.as_ref();
    let adjusted =
        |get: fn(&PValues) -> f64| one.decided.as_ref().map_or_else(|_| dash(), |d| p_value(get(&d.adjusted)));
    let verdict = match &one.decided {
        Ok(decided) => decided.decision.words().to_owned(),
        Err(why) => format!("{}: {why}", Decision::NotTestable.words()),
    };
    let cells = [
        judged.number.to_string(),
        judged.preset.clone(),
        one.dataset.to_owned(),
        metric_title(one.metric).to_owned(),
        one.other.to_owned(),
        compared.map_or_else(dash, |row| format_mean(&row.second)),
        compared.map_or_else(dash, |row| format_mean(&row.first)),
        compared.map_or_else(dash, |row| row.folds.to_string()),
        compared.map_or_else(dash, |row| signed(row.difference)),
        compared.and_then(|row| row.interval().ok()).map_or_else(dash, |at| interval(&at)),
        compared.and_then(|row| row.test.ok()).map_or_else(dash, |test| p_value(test.p)),
        adjusted(|p| p.difference),
        adjusted(|p| p.not_worse),
        adjusted(|p| p.equivalent),
        adjusted(|p| p.beyond),
        verdict,
        one.published.map_or_else(dash, |published| signed(published.mean)),
    ];
    TableRow { cells: cells.map(TableCell::Text).into(), is_extra: false }
}
