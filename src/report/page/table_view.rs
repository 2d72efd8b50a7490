//! Tables as template values: each cell with its text, sort key and jobs.

use serde::Serialize;

use crate::report::table::{CellValue, ColumnKind, Table, TableCell, WITHIN, format_difference};

/// Characters of a text that is kept in one line.
const LONG: usize = 32;

/// A table as template values.
#[derive(Serialize)]
pub struct TableView {
    id: String,
    title: String,
    caption: String,
    headings: Vec<Heading>,
    /// Row groups, separated by a rule and sorted separately.
    groups: Vec<Vec<Vec<CellView>>>,
    notes: Vec<(String, String)>,
}

#[derive(Serialize)]
struct Heading {
    text: String,
    is_number: bool,
}

#[derive(Default, Serialize)]
struct CellView {
    /// Sort key; empty sorts last.
    sort: String,
    is_number: bool,
    /// Whether the text is broken into lines.
    is_long: bool,
    strong: bool,
    text: String,
    /// Additional text in small print.
    rest: String,
    missing: String,
    /// Additional lines.
    lines: Vec<String>,
    /// Index of the experiment row.
    row: Option<usize>,
}

impl TableView {
    /// Converts a table without those notes, which the page has once.
    pub fn new(table: &Table, shared: &[String]) -> Self {
        let mark = |name: &str| table.mark(name).map_or_else(String::new, |mark| format!(" [{mark}]"));
        let mut headings = Vec::new();
        let numeric: Vec<bool> = (0..table.columns.len()).map(|column| table.has_numbers(column)).collect();
        for (column, &is_number) in table.columns.iter().zip(&numeric) {
            let text = format!("{}{}", column.heading(), mark(&column.name));
            let beside = column.shape == ColumnKind::WithPaper && !table.style.stacked;
            let others = [("paper", true), ("difference", true), (WITHIN, false)];
            headings.push(Heading { text, is_number });
            let others = others.into_iter().filter(|_| beside);
            headings.extend(others.map(|(text, is_number)| Heading { text: text.to_owned(), is_number }));
        }
        let mut groups = vec![Vec::new(), Vec::new()];
        for row in &table.rows {
            let mut cells = Vec::new();
            for ((column, cell), &is_number) in table.columns.iter().zip(&row.cells).zip(&numeric) {
                match cell {
                    TableCell::Text(text) => {
                        let mark = table.mark_in(column, text).map_or_else(String::new, |mark| format!(" [{mark}]"));
                        cells.push(plain(format!("{text}{mark}"), text.clone(), is_number));
                    }
                    TableCell::Value(value) => cells.extend(value_cells(value, column.shape, table)),
                }
            }
            groups[usize::from(row.is_extra)].push(cells);
        }
        groups.retain(|group| !group.is_empty());
        let own = table.marked_notes().filter(|(mark, note)| mark.is_some() || !shared.contains(&note.text));
        let notes = own.map(|(mark, note)| {
            let about = mark.zip(note.about.as_ref()).map(|(mark, about)| format!("[{mark}] {about}: "));
            (about.unwrap_or_default(), note.text.clone())
        });
        TableView {
            id: table.name.clone(),
            title: table.title.clone(),
            caption: table.caption.clone(),
            headings,
            groups,
            notes: notes.collect(),
        }
    }
}

fn plain(text: String, sort: String, is_number: bool) -> CellView {
    let is_long = text.chars().count() > LONG;
    CellView { text, sort, is_number, is_long, ..CellView::default() }
}

fn value_cells(value: &CellValue, shape: ColumnKind, table: &Table) -> Vec<CellView> {
    let pm = |deviation: Option<f64>| deviation.map_or_else(String::new, |deviation| format!(" ± {deviation:.3}"));
    let mut ours = CellView { is_number: true, missing: value.missing.clone(), row: value.row, ..CellView::default() };
    match value.ours {
        Some(average) => {
            let count = if table.style.counts { format!(" ({})", average.n) } else { String::new() };
            ours.sort = average.mean.to_string();
            ours.strong = value.is_best;
            ours.text = format!("{:.3}", average.mean);
            ours.rest = pm(average.deviation) + &count;
        }
        None => ours.text = "–".to_owned(),
    }
    if shape != ColumnKind::WithPaper {
        return vec![ours];
    }
    let paper = value.format_published().unwrap_or_else(|| "–".to_owned());
    let difference = value.difference().map_or("–".to_owned(), format_difference);
    if table.style.stacked {
        ours.lines.push(format!("paper {paper}"));
        if value.difference().is_some() {
            ours.lines.push(format!("{difference}, {}", value.within_phrase()));
        }
        return vec![ours];
    }
    let sort = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    vec![
        ours,
        plain(paper, sort(value.paper.map(|paper| paper.mean)), true),
        plain(difference, sort(value.difference()), true),
        plain(value.within_word().to_owned(), value.within_word().to_owned(), false),
    ]
}
