//! Keys, foreign keys and types of entities.

use std::borrow::Cow;

use super::super::apply::{key_problem, shortened};
use super::super::column::{SourceColumn, SourceTable, Values};
use super::super::names::{is_label, singular, stem, word};
use super::answers::Answers;
use super::types::{self, Declared, has_id_suffix, key_types, may_name};
use crate::determinism::{HashSet, IndexMap};

/// The keys and references of all tables.
pub(super) struct Structure {
    /// One per table, in the same order.
    pub tables: Vec<TableStructure>,
    /// What was assumed.
    pub notes: Vec<String>,
}

/// The key and the references of a table.
#[derive(Default)]
pub(super) struct TableStructure {
    /// The key column, if one column identifies the rows.
    pub key: Option<usize>,
    /// The type of the key.
    pub key_type: String,
    /// Columns that name entities, with their types.
    pub references: Vec<(usize, String)>,
}

impl Structure {
    /// Finds keys first, then types, then references to them.
    pub fn of(tables: &[SourceTable], answers: &Answers, questions: &mut Vec<String>) -> Self {
        check_answers(tables, answers, questions);
        let mut keys: Vec<Option<usize>> = tables.iter().map(|table| certain_key(table, answers, questions)).collect();
        add_first_keys(tables, answers, &mut keys);
        let shared = shared_stems(tables, &keys);
        for (i, table) in tables.iter().enumerate() {
            let is_open = keys[i].is_none() && table.primary_key.is_empty() && !answers.keys.contains_key(&table.name);
            if is_open {
                let types: HashSet<String> = key_types(tables, &keys).into_iter().flatten().collect();
                let is_taken = |column: &SourceColumn| {
                    // What is predicted identifies nothing.
                    let qualified = format!("{}.{}", table.name, column.name);
                    is_label(&column.name)
                        || answers.target.as_deref() == Some(&qualified)
                        || shared.contains(&stem(&column.name))
                        || matching_type(&column.name, &types).is_some()
                };
                keys[i] = likely_key(table, is_taken, questions);
            }
        }
        let types = key_types(tables, &keys);
        let mut notes = types::notes(tables, &keys, &types);
        let mut all: HashSet<String> = types.iter().flatten().cloned().collect();
        all.extend(shared);
        let keyed = Keyed { tables, keys: &keys, types: &types, texts: text_keys(tables, &keys) };
        let mut found = Vec::new();
        for (i, table) in tables.iter().enumerate() {
            let mut references = Vec::new();
            for (c, column) in table.columns.iter().enumerate() {
                let declared = types::declared(tables, &keys, i, c);
                if let Some(Declared::Other(to, referenced)) = declared {
                    let text = keyed.other_reference(table, column, to, referenced);
                    // An explicit key takes precedence over the declaration.
                    if answers.keys.contains_key(&tables[to].name) {
                        notes.push(format!("{text}; the two are not joined"));
                    } else {
                        let to = &tables[to].name;
                        questions.push(format!(
                            "{text}: which one is the key? pass --key {to}=COLUMN; only references to it are joined"
                        ));
                    }
                    continue;
                }
                if keys[i] == Some(c) {
                    continue;
                }
                let declared =
                    declared.and_then(|to| if let Declared::Key(to) = to { types[to].clone() } else { None });
                let named = || matching_type(&column.name, &all).filter(|name| keyed.fits(name, column));
                let contained = || keyed.contained(table, column, questions);
                if let Some(type_name) = declared.or_else(named).or_else(contained) {
                    references.push((c, type_name));
                }
            }
            found.push(TableStructure { key: keys[i], key_type: types[i].clone().unwrap_or_default(), references });
        }
        Structure { tables: found, notes }
    }

    /// Returns a note for each reference with a value that is no key of its type.
    pub fn dangling(&self, tables: &[SourceTable]) -> Vec<String> {
        let mut known: IndexMap<&str, (Vec<String>, HashSet<Cow<'_, str>>)> = IndexMap::default();
        for (table, structure) in tables.iter().zip(&self.tables) {
            if let Some(key) = structure.key {
                let SourceColumn { name, values } = &table.columns[key];
                let texts = (0..values.rows()).filter_map(|row| values.text(row));
                let (columns, keys) = known.entry(&structure.key_type).or_default();
                columns.push(format!("`{}.{name}`", table.name));
                keys.extend(texts);
            }
        }
        let mut notes = Vec::new();
        for (table, structure) in tables.iter().zip(&self.tables) {
            for (i, type_name) in &structure.references {
                let SourceColumn { name, values } = &table.columns[*i];
                let Some((columns, keys)) = known.get(type_name.as_str()) else { continue };
                let lost = |row: usize| values.text(row).filter(|text| !keys.contains(text)).map(|text| (row, text));
                if let Some((row, text)) = (0..values.rows()).find_map(lost) {
                    notes.push(format!(
                        "`{}` in row {} of `{}.{name}` is no key of the type {type_name}, which is that of {}; it is imported \
                         all the same",
                        shortened(&text),
                        row + 1,
                        table.name,
                        columns.join(", ")
                    ));
                }
            }
        }
        notes
    }

    /// Returns the types of entities.
    pub fn types(&self) -> HashSet<String> {
        let keys = self.tables.iter().filter(|table| table.key.is_some()).map(|table| table.key_type.clone());
        let references = self.tables.iter().flat_map(|table| &table.references).map(|(_, name)| name.clone());
        keys.chain(references).collect()
    }
}

fn check_answers(tables: &[SourceTable], answers: &Answers, questions: &mut Vec<String>) {
    for (name, column) in &answers.keys {
        let Some(table) = tables.iter().find(|table| table.name == *name) else {
            questions.push(format!("--key {name}=…: unknown table: which table is meant?"));
            continue;
        };
        if let Some(column) = column.as_ref().filter(|column| table.column(column).is_none()) {
            questions.push(format!("--key {name}={column}: table `{name}` has no such column: which one is its key?"));
        }
    }
}

/// Returns the key that is declared, given or named as one; asks if it has duplicates.
fn certain_key(table: &SourceTable, answers: &Answers, questions: &mut Vec<String>) -> Option<usize> {
    let position = |name: &str| table.columns.iter().position(|column| column.name == name);
    let found = match answers.keys.get(&table.name) {
        Some(answer) => answer.as_deref().and_then(position),
        None => match table.primary_key.as_slice() {
            [column] => position(column).filter(|&i| may_name(&table.columns[i])),
            [] => named_key(table),
            _ => None,
        },
    }?;
    let column = &table.columns[found];
    let Some(problem) = key_problem(&column.values) else { return Some(found) };
    questions.push(format!(
        "table `{table}`: the key `{column}` {problem}: which column identifies a row? pass --key {table}=COLUMN, \
         or --key {table}= if none does",
        table = table.name,
        column = column.name
    ));
    None
}

fn named_key(table: &SourceTable) -> Option<usize> {
    let own = singular(&word(&table.name));
    let is_own = |column: &SourceColumn| {
        let stem = stem(&column.name);
        may_name(column) && (stem.is_empty() || (has_id_suffix(column) && (stem == own || stem == word(&table.name))))
    };
    table.columns.iter().position(is_own)
}

/// Returns whether a table like `people(person_id, town_id)` may be keyed by its first column, the
/// only unique one whose name says that it identifies something.
fn may_be_keyed_by_first(table: &SourceTable) -> bool {
    let is_unique = |column: &&SourceColumn| has_id_suffix(column) && key_problem(&column.values).is_none();
    let mut unique = table.columns.iter().filter(is_unique).map(|column| &column.name);
    let first = table.columns.first().map(|column| &column.name);
    table.rows() > 1 && unique.next() == first && unique.next().is_none()
}

/// Gives keys to tables whose first column is one by its name. If several tables have such a column
/// of one name, the key is in the largest, and the others refer to it.
fn add_first_keys(tables: &[SourceTable], answers: &Answers, keys: &mut [Option<usize>]) {
    let mut best: IndexMap<String, usize> = IndexMap::default();
    let taken: HashSet<String> = key_types(tables, keys).into_iter().flatten().collect();
    for (i, table) in tables.iter().enumerate() {
        let is_open = keys[i].is_none() && table.primary_key.is_empty() && !answers.keys.contains_key(&table.name);
        if is_open && may_be_keyed_by_first(table) {
            let stem = stem(&table.columns[0].name);
            let known = best.entry(stem).or_insert(i);
            if table.rows() > tables[*known].rows() {
                *known = i;
            }
        }
    }
    // `citing_paper_id` refers to papers, even if each paper happens to cite once.
    let known: HashSet<String> = taken.iter().chain(best.keys()).cloned().collect();
    let is_reference = |stem: &str| {
        taken.contains(stem) || stem.split_once('_').is_some_and(|(_, rest)| matching_type(rest, &known).is_some())
    };
    for (_, i) in best.into_iter().filter(|(stem, _)| !is_reference(stem)) {
        keys[i] = Some(0);
    }
}

/// Returns the only column of unique texts that names nothing else; asks if there are several.
fn likely_key(
    table: &SourceTable,
    is_taken: impl Fn(&SourceColumn) -> bool,
    questions: &mut Vec<String>,
) -> Option<usize> {
    let is_unique = |column: &SourceColumn| {
        matches!(column.values, Values::Text(_)) && !is_taken(column) && key_problem(&column.values).is_none()
    };
    let unique: Vec<usize> = (0..table.columns.len()).filter(|&i| is_unique(&table.columns[i])).collect();
    match unique.as_slice() {
        _ if table.rows() < 2 => None,
        [only] => Some(*only),
        [] => None,
        several => {
            let names: Vec<String> = several.iter().take(10).map(|&i| format!("`{}`", table.columns[i].name)).collect();
            questions.push(format!(
                "table `{table}`: each of the columns {} identifies its rows: which one is the key? pass --key \
                 {table}=COLUMN, or --key {table}= if none is",
                names.join(", "),
                table = table.name
            ));
            None
        }
    }
}

/// Returns what columns of tables without keys name more than once: `person` in
/// `acted(person, movie)` and `directed(movie, person)`.
fn shared_stems(tables: &[SourceTable], keys: &[Option<usize>]) -> HashSet<String> {
    let mut counts: IndexMap<String, usize> = IndexMap::default();
    for (table, _) in tables.iter().zip(keys).filter(|(_, key)| key.is_none()) {
        for column in
            table.columns.iter().filter(|column| matches!(column.values, Values::Text(_)) || has_id_suffix(column))
        {
            *counts.entry(stem(&column.name)).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(stem, count)| *count > 1 && !stem.is_empty()).map(|(stem, _)| stem).collect()
}

/// Returns the type that the name of a column names: `person`, `person_id` or `first_person`.
fn matching_type(column: &str, types: &HashSet<String>) -> Option<String> {
    let stem = stem(column);
    let mut rest = stem.as_str();
    loop {
        if types.contains(rest) {
            return Some(rest.to_owned());
        }
        rest = rest.split_once('_')?.1;
    }
}

fn text_keys<'a>(tables: &'a [SourceTable], keys: &[Option<usize>]) -> IndexMap<usize, HashSet<&'a str>> {
    let values = |i: usize| match &tables[i].columns[keys[i]?].values {
        Values::Text(values) => Some((i, values.iter().flatten().map(String::as_str).collect())),
        _ => None,
    };
    (0..tables.len()).filter_map(values).collect()
}

/// The tables with their keys, once these are settled.
struct Keyed<'a> {
    tables: &'a [SourceTable],
    keys: &'a [Option<usize>],
    /// The types of the keys.
    types: &'a [Option<String>],
    /// The values of keys that are texts, by table.
    texts: IndexMap<usize, HashSet<&'a str>>,
}

impl Keyed<'_> {
    /// Returns whether a column has the kind of values that the key of a type has, as far as known.
    fn fits(&self, type_name: &str, column: &SourceColumn) -> bool {
        let of_type = (0..self.tables.len()).filter(|&i| self.types[i].as_deref() == Some(type_name));
        let known: Vec<&Values> = of_type
            .filter_map(|i| Some(&self.tables[i].columns[self.keys[i]?].values))
            .filter(|key| !key.is_blank())
            .collect();
        let is_same = |key: &&Values| key.kind() == column.values.kind();
        may_name(column) && (known.is_empty() || column.values.is_blank() || known.iter().any(is_same))
    }

    /// Describes a foreign key that refers to another column than the key of a table.
    fn other_reference(&self, table: &SourceTable, column: &SourceColumn, to: usize, referenced: &str) -> String {
        let key = self.keys[to].map_or("", |key| self.tables[to].columns[key].name.as_str());
        format!(
            "table `{}`: `{}` refers to `{to}.{referenced}`, but the key of `{to}` is `{key}`",
            table.name,
            column.name,
            to = self.tables[to].name
        )
    }

    /// Returns the type of the only table whose keys contain all texts of a column; asks if there
    /// are several.
    fn contained(&self, table: &SourceTable, column: &SourceColumn, questions: &mut Vec<String>) -> Option<String> {
        let Values::Text(texts) = &column.values else { return None };
        let texts: HashSet<&str> = texts.iter().flatten().map(String::as_str).collect();
        if texts.len() < 2 {
            return None;
        }
        let mut types: Vec<&String> = self
            .texts
            .iter()
            .filter(|(_, known)| texts.iter().all(|text| known.contains(text)))
            .filter_map(|(&i, _)| self.types[i].as_ref())
            .collect();
        types.sort();
        types.dedup();
        if types.len() > 1 {
            let types: Vec<&str> = types.iter().map(|name| name.as_str()).collect();
            questions.push(format!(
                "table `{}`: the values of `{}` occur among the keys of the types {}: which type has the column? write \
                 a mapping with --infer and edit it",
                table.name,
                column.name,
                types.join(", ")
            ));
        }
        types.first().map(|name| (*name).clone())
    }
}
