//! Types of keys: by declared foreign keys first, then by names of columns and tables.

use super::super::column::{SourceColumn, SourceTable, Values};
use super::super::names::{singular, stem, word};
use crate::determinism::{HashSet, IndexMap};

/// What a declared foreign key refers to.
pub(super) enum Declared<'a> {
    /// The key of the table with this index.
    Key(usize),
    /// Another column than the key of the table with this index.
    Other(usize, &'a str),
}

/// Returns whether a column can name entities.
pub(super) fn may_name(column: &SourceColumn) -> bool {
    matches!(column.values, Values::Integer(_) | Values::Text(_))
}

/// Returns whether the name of a column says that it identifies something.
pub(super) fn has_id_suffix(column: &SourceColumn) -> bool {
    may_name(column) && stem(&column.name) != word(&column.name) && !column.name.ends_with(|c: char| c.is_ascii_digit())
}

/// Returns what the declared foreign keys of a column refer to: a key if one of them does. Tables
/// without a key are ignored, and so is a key that refers to itself.
pub(super) fn declared<'a>(
    tables: &'a [SourceTable],
    keys: &[Option<usize>],
    table: usize,
    column: usize,
) -> Option<Declared<'a>> {
    let name = &tables[table].columns[column].name;
    let mut other = None;
    // SQLite ignores the case of ASCII letters in names.
    for foreign in tables[table].foreign_keys.iter().filter(|key| key.column.eq_ignore_ascii_case(name)) {
        let Some(to) = tables.iter().position(|other| other.name.eq_ignore_ascii_case(&foreign.table)) else {
            continue;
        };
        let Some(key) = keys[to].map(|key| &tables[to].columns[key].name) else { continue };
        let column = match (&foreign.references, tables[to].primary_key.as_slice()) {
            (Some(column), _) | (None, [column]) => column,
            (None, _) => key,
        };
        let is_itself = to == table && column.eq_ignore_ascii_case(name);
        if column.eq_ignore_ascii_case(key) && !is_itself {
            return Some(Declared::Key(to));
        }
        if !is_itself {
            other = other.or(Some(Declared::Other(to, column)));
        }
    }
    other
}

/// Returns the type of the key of each table.
pub(super) fn key_types(tables: &[SourceTable], keys: &[Option<usize>]) -> Vec<Option<String>> {
    let roots: Vec<Option<usize>> = (0..tables.len()).map(|i| keys[i].map(|_| root(tables, keys, i))).collect();
    let mut types: Vec<Option<String>> = vec![None; tables.len()];
    let mut by_table: IndexMap<String, Vec<usize>> = IndexMap::default();
    for i in (0..tables.len()).filter(|&i| roots[i] == Some(i)) {
        match keys[i].and_then(|key| type_by_column(&tables[i], key)) {
            Some(name) => types[i] = Some(name),
            None => by_table.entry(singular(&word(&tables[i].name))).or_default().push(i),
        }
    }
    let mut used: HashSet<String> =
        by_table.iter().filter(|(_, group)| group.len() == 1).map(|(name, _)| name.clone()).collect();
    for (name, mut group) in by_table {
        if let [only] = group.as_slice() {
            types[*only] = Some(name);
            continue;
        }
        // Equal numbers in `order(id)` and `orders(id)` are not the same entity. A table whose name
        // is a word as it is keeps it before one whose name only becomes that word.
        group.sort_by_key(|&i| word(&tables[i].name) != tables[i].name);
        for i in group {
            let base = word(&tables[i].name);
            let mut name = base.clone();
            let mut number = 2;
            while !used.insert(name.clone()) {
                name = format!("{base}_{number}");
                number += 1;
            }
            types[i] = Some(name);
        }
    }
    roots.into_iter().map(|root| types[root?].clone()).collect()
}

/// Returns a note for each table whose type is not called as usual, because another table's is.
pub(super) fn notes(tables: &[SourceTable], keys: &[Option<usize>], types: &[Option<String>]) -> Vec<String> {
    let mut groups: IndexMap<String, Vec<usize>> = IndexMap::default();
    for (i, key) in keys.iter().enumerate() {
        if key.is_some_and(|key| root(tables, keys, i) == i && type_by_column(&tables[i], key).is_none()) {
            groups.entry(singular(&word(&tables[i].name))).or_default().push(i);
        }
    }
    let note = |group: &Vec<usize>| {
        let each: Vec<String> = group
            .iter()
            .map(|&i| format!("`{}` (type {})", tables[i].name, types[i].as_deref().unwrap_or_default()))
            .collect();
        format!("the tables {} are taken to have different entities; if not, give them one type", each.join(" and "))
    };
    groups.values().filter(|group| group.len() > 1).map(note).collect()
}

/// Follows the foreign keys of keys to the table whose entities a table has. Tables that refer to
/// each other in a circle have those of the first.
fn root(tables: &[SourceTable], keys: &[Option<usize>], table: usize) -> usize {
    let mut path = vec![table];
    let mut last = table;
    while let Some(key) = keys[last] {
        let Some(Declared::Key(next)) = declared(tables, keys, last, key) else { break };
        if let Some(start) = path.iter().position(|&other| other == next) {
            return path[start..].iter().copied().min().unwrap_or(next);
        }
        path.push(next);
        last = next;
    }
    last
}

/// Returns the type that the name of the key names; `None` if only that of the table does.
fn type_by_column(table: &SourceTable, key: usize) -> Option<String> {
    let column = &table.columns[key];
    let stem = stem(&column.name);
    // `person(name)` is keyed by name, but its entities are persons; `student(person)` has persons.
    let is_generic = matches!(stem.as_str(), "" | "name" | "title" | "code" | "label" | "number");
    let is_telling = matches!(column.values, Values::Text(_)) && table.primary_key.is_empty() && !is_generic;
    let names_type = !stem.is_empty() && (has_id_suffix(column) || is_telling);
    names_type.then_some(stem)
}
