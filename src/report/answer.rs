//! The answer of a run in one or two sentences: the best row, the next best, and whether their
//! difference is beyond chance.
//!
//! The two rows are chosen by their means, so the test between them is a description of this run,
//! not a test planned in advance; claims and `[compare] tests` have those.

use super::compare::{Pairing, RowComparison, RowPair, RunComparison, p_value};
use super::rows::ReportRow;
use super::table::{format_mean, metric_title};
use crate::determinism::{IndexMap, IndexSet};
use crate::logic::quantity::{counted, listed};
use crate::metric::Column;
use crate::metric::significance::decision::Sign;
use crate::metric::summary::mean;

/// The metric that decides what is best.
const METRIC: Column = Column::AucRoc;

/// Smallest difference of means that three digits show.
const LEVEL: f64 = 0.0005;

/// Largest number of level candidates that are named.
const MAX_NAMES: usize = 3;

/// A model with its preset and sweep settings, on all datasets.
struct Candidate<'a, 'r> {
    label: String,
    rows: Vec<&'a ReportRow<'r>>,
    /// Mean over datasets.
    mean: f64,
}

/// Returns the answer as sentences; none if no row has a value.
pub fn answer(rows: &[ReportRow<'_>]) -> Vec<String> {
    let datasets: IndexSet<&str> = valued(rows).map(|(row, _)| row.key().dataset.as_str()).collect();
    let candidates = candidates(rows, datasets.len());
    let Some(best) = candidates.first() else { return Vec::new() };
    let is_at_chance = |row: &&ReportRow<'_>| row.group.is_at_chance(METRIC) == Some(true);
    let mut sentences = if candidates.iter().flat_map(|candidate| &candidate.rows).all(is_at_chance) {
        vec![format!("No result is better than chance in {}.", metric_title(METRIC))]
    } else {
        match candidates.get(1) {
            None => vec![alone(best)],
            Some(next) => {
                let level = candidates.iter().take_while(|other| best.mean - other.mean < LEVEL).count();
                let lower = candidates.get(level);
                let mut sentences = vec![lead(&candidates[..level], lower), tested(best, lower.unwrap_or(next))];
                let is_sweep = rows.iter().any(|row| !row.settings.is_empty());
                sentences.extend(
                    candidates
                        .last()
                        .filter(|_| is_sweep && candidates.len() > 2)
                        .map(|lowest| format!("Lowest: {} with {:.3}.", lowest.label, lowest.mean)),
                );
                sentences
            }
        }
    };
    let compared: IndexSet<&str> = candidates.iter().map(|candidate| candidate.label.as_str()).collect();
    let left_out: IndexSet<String> =
        valued(rows).map(|(row, _)| row.key().label()).filter(|label| !compared.contains(label.as_str())).collect();
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.into_iter().collect();
        sentences.push(format!("Not compared, since it lacks datasets: {}.", names.join(", ")));
    }
    sentences
}

fn valued<'a, 'r>(rows: &'a [ReportRow<'r>]) -> impl Iterator<Item = (&'a ReportRow<'r>, f64)> {
    rows.iter().filter_map(|row| Some((row, row.average(METRIC)?.mean)))
}

/// Returns the candidates with a value on every dataset, the best first; equal ones in the order of
/// the spec.
fn candidates<'a, 'r>(rows: &'a [ReportRow<'r>], datasets: usize) -> Vec<Candidate<'a, 'r>> {
    let mut by_label: IndexMap<String, (Vec<&ReportRow<'r>>, Vec<f64>)> = IndexMap::default();
    for (row, value) in valued(rows) {
        let entry = by_label.entry(row.key().label()).or_default();
        entry.0.push(row);
        entry.1.push(value);
    }
    let complete = by_label.into_iter().filter(|(_, (rows, _))| rows.len() == datasets);
    let mut candidates: Vec<Candidate<'_, '_>> =
        complete.map(|(label, (rows, means))| Candidate { label, rows, mean: mean(&means) }).collect();
    candidates.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    candidates
}

/// Describes the only candidate.
fn alone(only: &Candidate<'_, '_>) -> String {
    let title = metric_title(METRIC);
    let values: Vec<String> = only
        .rows
        .iter()
        .filter_map(|row| Some(format!("{} on {}", format_mean(&row.average(METRIC)?), row.key().dataset)))
        .collect();
    match values.as_slice() {
        [value] => format!("{}: {title} {value}.", only.label),
        _ if values.len() <= 4 => format!("{}: {title} {}; mean {:.3}.", only.label, values.join(", "), only.mean),
        _ => format!("{}: {title} {:.3} on average over {} datasets.", only.label, only.mean, values.len()),
    }
}

/// Names the best candidate, those level with it, and the next one.
fn lead(level: &[Candidate<'_, '_>], next: Option<&Candidate<'_, '_>>) -> String {
    let title = metric_title(METRIC);
    let Some((best, level)) = level.split_first() else { return String::new() };
    let place = match best.rows.as_slice() {
        [row] => format!("on {}", row.key().dataset),
        rows => format!("on average over {} datasets", rows.len()),
    };
    let mut names: Vec<String> = level.iter().take(MAX_NAMES).map(|other| other.label.clone()).collect();
    if level.len() > MAX_NAMES {
        names.push(format!("{} more", level.len() - MAX_NAMES));
    }
    let level = Some(format!("level with {}", listed(&names))).filter(|_| !names.is_empty());
    let above = next.map(|next| format!("{:.3} above {}, the next", best.mean - next.mean, next.label));
    let relations: Vec<String> = level.into_iter().chain(above).collect();
    format!("{} has the highest {title} {place}: {:.3}, {}.", best.label, best.mean, relations.join(" and "))
}

/// States whether the difference between the two best is beyond chance, with the datasets as one
/// family of tests.
fn tested<'r>(best: &Candidate<'_, 'r>, next: &Candidate<'_, 'r>) -> String {
    let pair = |row: &&ReportRow<'r>| {
        let other = next.rows.iter().find(|other| other.key().dataset == row.key().dataset)?;
        Some(RowPair { model: best.label.clone(), first: other.group.clone(), second: row.group.clone() })
    };
    let pairing = Pairing {
        first: next.label.clone(),
        second: best.label.clone(),
        pairs: best.rows.iter().filter_map(pair).collect(),
        only_first: Vec::new(),
        only_second: Vec::new(),
    };
    let compared = RunComparison::new(&pairing, &[METRIC]).ok();
    let rows: Vec<&RowComparison> = compared.iter().flat_map(|compared| &compared.metrics[0].rows).collect();
    let decided: Vec<_> = rows.iter().filter_map(|row| Some((*row, row.decided?))).collect();
    let signed = |sign: Sign| -> Vec<&str> {
        decided
            .iter()
            .filter(|(_, (_, finding))| finding.sign == Some(sign))
            .map(|(row, _)| row.dataset.as_str())
            .collect()
    };
    match decided.as_slice() {
        [] => {
            let skipped = compared.iter().flat_map(|compared| &compared.metrics[0].skipped).next();
            let untested = || rows.iter().find_map(|row| row.interval().err()).map(|why| why.to_string());
            let why = skipped.map(|row| row.reason.clone()).or_else(untested);
            format!(
                "Whether that is beyond chance cannot be tested: {}.",
                why.as_deref().unwrap_or("no fold is in both")
            )
        }
        [(row, (p, finding))] if best.rows.len() == 1 => {
            let beyond = if finding.sign == Some(Sign::Positive) { "beyond" } else { "not beyond" };
            format!("This is {beyond} chance (p {}, {}).", p_value(p.difference), counted(row.folds, "fold"))
        }
        _ if decided.len() < best.rows.len() => {
            let tested: Vec<&str> = decided.iter().map(|(row, _)| row.dataset.as_str()).collect();
            let higher = signed(Sign::Positive).len();
            format!(
                "Only {} of {} datasets can be tested ({}): the difference is beyond chance on {higher} of them.",
                tested.len(),
                best.rows.len(),
                tested.join(", ")
            )
        }
        _ => {
            let (higher, lower) = (signed(Sign::Positive), signed(Sign::Negative));
            let mut text = match higher.as_slice() {
                [] => format!("The difference is beyond chance on none of the {} datasets", decided.len()),
                some if some.len() == decided.len() => format!("It is beyond chance on all {} datasets", some.len()),
                some => {
                    format!("It is beyond chance on {} of {} datasets ({})", some.len(), decided.len(), some.join(", "))
                }
            };
            if !lower.is_empty() {
                text += &format!(", and the other way round on {}", lower.join(", "));
            }
            text + "."
        }
    }
}
