//! The target: a table or a column.

use super::super::column::{SourceColumn, SourceTable, Values};
use super::super::mapping::{ArgumentMapping, TargetMapping};
use super::super::names::{is_label, word};
use super::keys::{Structure, TableStructure};

/// Table names that mark examples.
const EXAMPLES: [&str; 4] = ["target", "targets", "examples", "labels"];
/// Pairs of values, the positive one first.
const BINARY: [(&str, &str); 6] =
    [("yes", "no"), ("y", "n"), ("t", "f"), ("pos", "neg"), ("positive", "negative"), ("+", "-")];
/// The maximum number of classes of an inferred class column.
const MAX_CLASSES: usize = 50;

/// Proposes the target, or asks for it.
pub(super) fn propose(
    tables: &[SourceTable],
    structure: &Structure,
    wanted: Option<&str>,
    questions: &mut Vec<String>,
) -> Option<TargetMapping> {
    let (table, column) = match wanted {
        Some(wanted) => match find(tables, wanted) {
            Some(found) => found,
            None => {
                questions.push(format!("--target {wanted}: no such table or column: {}", ask(tables)));
                return None;
            }
        },
        None => match conspicuous(tables).as_slice() {
            [only] => *only,
            _ => {
                questions.push(ask(tables));
                return None;
            }
        },
    };
    of(tables, &structure.tables[table], (table, column), questions)
}

fn ask(tables: &[SourceTable]) -> String {
    let names: Vec<String> = tables.iter().take(20).map(|table| format!("`{}`", table.name)).collect();
    format!(
        "which table or column is to be predicted? pass --target TABLE or --target TABLE.COLUMN; the tables are {}",
        names.join(", ")
    )
}

/// Finds `TABLE` or `TABLE.COLUMN`; names may contain dots.
fn find(tables: &[SourceTable], wanted: &str) -> Option<(usize, Option<usize>)> {
    let table = |name: &str| tables.iter().position(|table| table.name == name);
    if let Some(found) = table(wanted) {
        return Some((found, None));
    }
    wanted.match_indices('.').find_map(|(dot, _)| {
        let found = table(&wanted[..dot])?;
        let column = tables[found].columns.iter().position(|column| column.name == wanted[dot + 1..])?;
        Some((found, Some(column)))
    })
}

/// Returns the tables and columns whose names say that they are to be predicted.
fn conspicuous(tables: &[SourceTable]) -> Vec<(usize, Option<usize>)> {
    let mut found = Vec::new();
    for (i, table) in tables.iter().enumerate() {
        match label(table) {
            Some(column) => found.push((i, Some(column))),
            None if EXAMPLES.contains(&word(&table.name).as_str()) => found.push((i, None)),
            None => {}
        }
    }
    found
}

fn label(table: &SourceTable) -> Option<usize> {
    table.columns.iter().position(|column| is_label(&column.name))
}

fn of(
    tables: &[SourceTable],
    structure: &TableStructure,
    (table, column): (usize, Option<usize>),
    questions: &mut Vec<String>,
) -> Option<TargetMapping> {
    let source = &tables[table];
    // A column of its own rows if it names entities itself: its pairs with the key.
    let references = structure.references.iter().map(|(i, name)| (*i, name.as_str()));
    let key = structure.key.map(|key| (key, structure.key_type.as_str()));
    let reference = column.and_then(|column| references.clone().find(|(i, _)| *i == column));
    let column = if reference.is_some() { column } else { column.or_else(|| label(source)) };
    let entities: Vec<(usize, &str)> = match (key, reference) {
        (Some(key), Some(reference)) => vec![key, reference],
        (Some(key), None) if column.is_some() || structure.references.is_empty() => vec![key],
        // A numbered list of pairs: the number is no part of the example.
        (Some(_) | None, _) => references.collect(),
    };
    if entities.is_empty() {
        questions.push(format!(
            "table `{}` is to be predicted, but no column identifies an entity: which one does? pass --key {}=COLUMN",
            source.name, source.name
        ));
        return None;
    }
    let args: Vec<ArgumentMapping> =
        entities.iter().map(|(i, name)| ArgumentMapping::entity(&source.columns[*i].name, name)).collect();
    let label = column.filter(|_| reference.is_none()).map(|i| &source.columns[i]);
    let predicate = match column.map(|i| &source.columns[i]) {
        Some(column) if !is_label(&column.name) => word(&column.name),
        _ => word(&source.name),
    };
    let negatives = tables.iter().map(|other| &other.name).find(|name| {
        let (name, own) = (word(name), word(&source.name));
        label.is_none()
            && [format!("{own}_neg"), format!("{own}_negatives"), format!("neg_{own}"), format!("not_{own}")]
                .contains(&name)
    });
    let mut target = TargetMapping {
        predicate,
        table: source.name.clone(),
        args,
        label: None,
        positive: None,
        class: None,
        negatives: negatives.cloned(),
    };
    if let Some(column) = label {
        mark(&mut target, source, column, questions);
    }
    Some(target)
}

/// Makes a column the label or the class of the target.
fn mark(target: &mut TargetMapping, table: &SourceTable, column: &SourceColumn, questions: &mut Vec<String>) {
    let is_binary = match &column.values {
        Values::Boolean(_) => true,
        Values::Integer(values) => values.iter().flatten().all(|value| matches!(value, 0 | 1)),
        _ => false,
    };
    if is_binary {
        target.label = Some(column.name.clone());
        return;
    }
    let is_value = |text: &str| {
        (0..column.values.rows()).find_map(|row| {
            column.values.text(row).filter(|value| value.eq_ignore_ascii_case(text)).map(|value| value.into_owned())
        })
    };
    let classes = column.values.distinct();
    let pair = BINARY.iter().find_map(|(positive, negative)| is_value(negative).and(is_value(positive)));
    if let Some(positive) = pair.filter(|_| classes == 2) {
        target.label = Some(column.name.clone());
        target.positive = Some(positive);
        return;
    }
    target.class = Some(column.name.clone());
    let is_number = matches!(column.values, Values::Real(_) | Values::Date(_) | Values::Unsupported { .. });
    if is_number || classes > MAX_CLASSES {
        questions.push(format!(
            "column `{}.{}` is to be predicted, but it has {classes} values of type {} (regression is not supported): \
             which column holds a label or a class? pass --target TABLE.COLUMN",
            table.name,
            column.name,
            column.values.kind()
        ));
    }
}
