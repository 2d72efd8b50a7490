//! Tables of a multiverse.

use super::cells::CellReport;
use super::closest::{ClosestToCells, MIN_DEVIATION};
use super::sentences::LIMITS;
use super::specifications::Specifications;
use crate::experiment::Results;
use crate::experiment::spec::universe::Multiverse;
use crate::report::table::{Note, Table, TableCell, TableColumn, TableRow, TableStyle, metric_title};
use crate::report::tables::notes;

/// Number of choices per cell in the main table of effects.
const SHOWN: usize = 3;

/// Returns all tables, main tables first, and the number of main tables.
pub fn tables(
    results: &Results,
    multiverse: &Multiverse,
    specifications: &Specifications,
    cells: &[CellReport<'_>],
    closest: &[ClosestToCells],
) -> (Vec<Table>, usize) {
    let notes = notes(results);
    let mut tables = vec![cell_table(cells, &notes)];
    let first = cells.first().map(|cell| (&cell.model.model, cell.metric));
    let of_first = |cell: &&CellReport<'_>| Some((&cell.model.model, cell.metric)) == first;
    tables.push(effect_table(specifications, cells.iter().filter(of_first), SHOWN, "influence", &notes));
    tables.push(closest_table(closest, "closest", &notes, |group| group.model.is_none()));
    // Without published values the ranges are the result.
    let ranges = range_table(cells, &notes);
    let at = if cells.iter().all(|cell| cell.published.is_empty()) { 0 } else { tables.len() };
    tables.insert(at, ranges);
    let main = if at == 0 { tables.len() } else { at };
    tables.push(effect_table(specifications, cells.iter(), usize::MAX, "effects", &notes));
    tables.push(closest_table(closest, "closest-by-model", &notes, |group| group.model.is_some()));
    tables.push(universe_table(specifications, &notes));
    tables.push(choice_table(multiverse));
    if !multiverse.left_out.is_empty() {
        tables.push(left_out_table(multiverse));
    }
    tables.retain(|table| !table.rows.is_empty());
    let main = tables.iter().take(main).filter(|table| MAIN_TABLES.contains(&table.name.as_str())).count();
    (tables, main)
}

/// Names of the main tables.
const MAIN_TABLES: [&str; 4] = ["cells", "ranges", "influence", "closest"];

fn text_table(
    name: &str,
    title: &str,
    caption: String,
    columns: &[&str],
    rows: Vec<Vec<String>>,
    notes: &[Note],
) -> Table {
    let row =
        |cells: Vec<String>| TableRow { cells: cells.into_iter().map(TableCell::Text).collect(), is_extra: false };
    Table {
        name: name.to_owned(),
        title: title.to_owned(),
        caption,
        columns: columns.iter().map(|column| TableColumn::text(column)).collect(),
        rows: rows.into_iter().map(row).collect(),
        notes: notes.to_vec(),
        style: TableStyle::default(),
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.3}"))
}

/// Returns the place of each published cell among the specifications.
fn cell_table(cells: &[CellReport<'_>], notes: &[Note]) -> Table {
    let mut rows = Vec::new();
    for cell in cells {
        for published in &cell.published {
            let deviation = published.deviation.map_or_else(String::new, |deviation| format!(" ± {deviation}"));
            let mut row = vec![published.table.clone()];
            row.extend(names(cell));
            row.extend([
                format!("{}{deviation}", published.mean),
                published.place.word().to_owned(),
                format!("{:.0}", published.percentile),
                published.within.map_or_else(String::new, |share| format!("{:.0}%", 100.0 * share)),
            ]);
            row.extend(range(cell));
            rows.push(row);
        }
    }
    let columns = [&["table"][..], &NAMES, &["published", "place", "percentile", "within sd"], &RANGE].concat();
    let caption = format!(
        "Published values among the specifications (universes times evaluations). The reference has the first alternative of every choice. \
         The percentile is the share of specifications below the published value; within sd is the share within its standard deviation. {LIMITS}"
    );
    text_table("cells", "Published cells and the multiverse", caption, &columns, rows, notes)
}

/// Returns the range of every cell, published or not.
fn range_table(cells: &[CellReport<'_>], notes: &[Note]) -> Table {
    let rows = cells.iter().map(|cell| names(cell).into_iter().chain(range(cell)).collect()).collect();
    let caption = "Values of the specifications (universes times evaluations). The reference has the first alternative of every choice.";
    text_table("ranges", "Ranges of all cells", caption.to_owned(), &[&NAMES[..], &RANGE].concat(), rows, notes)
}

const NAMES: [&str; 3] = ["dataset", "model", "measure"];
const RANGE: [&str; 5] = ["reference", "lowest", "median", "highest", "universes"];

fn names(cell: &CellReport<'_>) -> [String; 3] {
    [cell.model.dataset.clone(), cell.model.model.clone(), metric_title(cell.metric).to_owned()]
}

fn range(cell: &CellReport<'_>) -> [String; 5] {
    let [lowest, median, highest] = cell.range().map_or([None; 3], |range| range.map(Some));
    let universes = cell.model.universes.len().to_string();
    [number(cell.reference), number(lowest), number(median), number(highest), universes]
}

fn effect_table<'c>(
    specifications: &Specifications,
    cells: impl Iterator<Item = &'c CellReport<'c>>,
    shown: usize,
    name: &str,
    notes: &[Note],
) -> Table {
    let mut rows = Vec::new();
    for cell in cells {
        let Some(effects) = &cell.effects else { continue };
        let mut of_cell: Vec<_> = effects
            .choices
            .iter()
            .zip(&specifications.choices)
            .filter_map(|(effect, choice)| Some((effect.as_ref()?, choice)))
            .collect();
        of_cell.sort_by(|a, b| b.0.share.total_cmp(&a.0.share));
        for (effect, choice) in of_cell.into_iter().take(shown) {
            let (lowest, highest) = effect.extremes().unwrap_or_default();
            rows.push(vec![
                cell.model.dataset.clone(),
                cell.model.model.clone(),
                metric_title(cell.metric).to_owned(),
                choice.name.clone(),
                choice.alternatives[lowest].clone(),
                choice.alternatives[highest].clone(),
                format!("{:.3}", effect.range()),
                format!("{:.1}%", 100.0 * effect.share),
                format!("{:.0}%", 100.0 * effects.r_squared),
            ]);
        }
    }
    let columns =
        ["dataset", "model", "measure", "choice", "lowest", "highest", "effect", "share of variance", "all choices"];
    let caption = "Effect: difference of the means of the highest and the lowest alternative with the other choices balanced, by a regression \
                   on main effects. Share of variance: drop in R² when the choice is removed from it; the last column is the R² of all choices. \
                   Omitted where there are fewer than two complete universes per coefficient."
        .to_owned();
    let title = if shown == SHOWN { "Choices that move each dataset most" } else { "Effects of all choices" };
    text_table(name, title, caption, &columns, rows, notes)
}

fn closest_table(
    closest: &[ClosestToCells],
    name: &str,
    notes: &[Note],
    is_shown: impl Fn(&ClosestToCells) -> bool,
) -> Table {
    let mut rows = Vec::new();
    for group in closest.iter().filter(|group| is_shown(group)) {
        for (rank, one) in group.closest.iter().enumerate() {
            rows.push(vec![
                group.table.clone(),
                group.dataset.clone().unwrap_or_else(|| "all".to_owned()),
                group.model.clone().unwrap_or_else(|| "all".to_owned()),
                (rank + 1).to_string(),
                format!("{:.2}", one.distance),
                format!("{} of {}", one.within, group.cells),
                format!("{} of {}", group.within_all, group.compared),
                if one.differs.is_empty() { "(reference)".to_owned() } else { one.differs.clone() },
                one.universes.join(" "),
            ]);
        }
    }
    let columns =
        ["table", "dataset", "model", "rank", "distance", "cells within sd", "all within sd", "differs by", "universe"];
    let caption = format!(
        "Specifications closest to the cells of a table jointly: mean of |difference| / max(sd, {MIN_DEVIATION}). \
         All within sd: specifications within that deviation of every cell. Listed are the alternatives that differ from the reference. {LIMITS}"
    );
    let title = if name == "closest" { "Closest universes" } else { "Closest universes by model" };
    text_table(name, title, caption, &columns, rows, notes)
}

fn universe_table(specifications: &Specifications, notes: &[Note]) -> Table {
    let row = |model: &super::specifications::ModelUniverses| {
        vec![
            model.dataset.clone(),
            model.model.clone(),
            model.planned.to_string(),
            model.universes.len().to_string(),
            model.failed.to_string(),
            model.stopped.to_string(),
        ]
    };
    let rows = specifications.models.iter().map(row).collect();
    let columns = ["dataset", "model", "universes", "complete", "with a failed job", "jobs stopped at a limit"];
    let caption = "A universe is complete if all its folds have a result; others are in no other table.".to_owned();
    text_table("universes", "Universes", caption, &columns, rows, notes)
}

fn choice_table(multiverse: &Multiverse) -> Table {
    let of_jobs =
        multiverse.choices.iter().map(|choice| (&choice.name, choice.alternatives.join(", "), &choice.stated));
    let of_scores = multiverse.evaluations.iter().map(|choice| {
        let names: Vec<&str> = choice.alternatives.iter().map(|(name, _)| name.as_str()).collect();
        (&choice.name, names.join(", "), &choice.stated)
    });
    let row =
        |(name, alternatives, stated): (&String, String, &String)| vec![name.clone(), alternatives, stated.clone()];
    let rows = of_jobs.chain(of_scores).map(row).collect();
    let caption = "The first alternative of each choice is the reference.".to_owned();
    text_table("choices", "Choices", caption, &["choice", "alternatives", "what is stated"], rows, &[])
}

fn left_out_table(multiverse: &Multiverse) -> Table {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for left in &multiverse.left_out {
        let same = |row: &&mut Vec<String>| row[0] == left.dataset && row[1] == left.choice && row[3] == left.reason;
        match rows.iter_mut().find(same) {
            Some(row) => row[2] += &format!(", {}", left.alternative),
            None => rows.push(vec![
                left.dataset.clone(),
                left.choice.clone(),
                left.alternative.clone(),
                left.reason.clone(),
            ]),
        }
    }
    let caption = "Alternatives that a dataset does not offer. A draw that has one takes another alternative there; a choice with one left does not vary.";
    text_table(
        "left-out",
        "Alternatives left out",
        caption.to_owned(),
        &["dataset", "choice", "alternatives", "reason"],
        rows,
        &[],
    )
}
