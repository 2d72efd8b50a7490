//! Proposes a mapping from names, values and declared keys of tables.

mod answers;
mod keys;
mod target;
mod types;

use super::column::{SourceColumn, SourceTable, Values};
use super::mapping::{
    ArgumentKind, ArgumentMapping, Mapping, PredicateMapping, TargetMapping, TimeMapping, default_modes,
};
use super::names::{singular, word};
use crate::determinism::HashSet;
pub use answers::Answers;
use keys::{Structure, TableStructure};

/// An integer column with more distinct values, or in more than half of its rows, is a number.
const MAX_INTEGER_CATEGORIES: usize = 10;
/// A text column with more distinct values, in more than half of its rows, is free text.
const MAX_TEXT_CATEGORIES: usize = 50;
/// Column names that give a row its time.
const TIMES: [&str; 7] = ["year", "date", "time", "timestamp", "created", "created_at", "published"];

/// A proposed mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The mapping; complete if there are no questions.
    pub mapping: Mapping,
    /// What only the user can decide.
    pub questions: Vec<String>,
    /// What was left out or assumed.
    pub notes: Vec<String>,
}

/// Proposes a mapping.
pub fn infer(tables: &[SourceTable], answers: &Answers) -> Proposal {
    let (mut questions, mut notes) = (Vec::new(), Vec::new());
    let structure = Structure::of(tables, answers, &mut questions);
    notes.extend(structure.notes.iter().cloned());
    notes.extend(structure.dangling(tables));
    let target = target::propose(tables, &structure, answers.target.as_deref(), &mut questions);
    let mut builder = Builder {
        names: HashSet::default(),
        predicates: Vec::new(),
        notes: &mut notes,
        times: Vec::new(),
        entity_types: structure.types(),
    };
    let labels = target.as_ref().and_then(|target| target.label.as_ref().or(target.class.as_ref()));
    builder.names.extend(target.as_ref().map(|target| target.predicate.clone()));
    for (table, structure) in tables.iter().zip(&structure.tables) {
        let (mut is_target, mut skipped) = (false, None);
        if let Some(target) = &target {
            let is_unlabeled = target.table == table.name && labels.is_none();
            if is_unlabeled || target.negatives.as_ref() == Some(&table.name) {
                continue;
            }
            is_target = target.table == table.name;
            skipped = labels.filter(|_| is_target);
        }
        builder.table(table, structure, is_target, skipped.map(String::as_str));
    }
    let Builder { predicates, times, .. } = builder;
    let time = target.as_ref().and_then(|target| propose_time(target, &predicates, &times));
    if let Some(time) = &time {
        notes.push(format!(
            "`{}` gives times: each example sees only facts up to its time; remove [time] if that is not meant",
            time.predicate
        ));
    }
    let keys = tables
        .iter()
        .zip(&structure.tables)
        .filter_map(|(table, structure)| Some((table.name.clone(), table.columns[structure.key?].name.clone())));
    let target = target.unwrap_or_else(|| TargetMapping {
        predicate: "target".into(),
        table: "TABLE".into(),
        args: Vec::new(),
        label: None,
        positive: None,
        class: None,
        negatives: None,
    });
    Proposal { mapping: Mapping { target, time, keys: keys.collect(), predicates }, questions, notes }
}

/// Proposes the one predicate that gives times to an argument of the target.
fn propose_time(target: &TargetMapping, predicates: &[PredicateMapping], times: &[usize]) -> Option<TimeMapping> {
    let is_about_target = |predicate: &&PredicateMapping| {
        predicate.args.len() == 2 && target.args.iter().any(|arg| arg.type_name == predicate.args[0].type_name)
    };
    let mut found = times.iter().map(|&i| &predicates[i]).filter(is_about_target);
    let (first, second) = (found.next()?, found.next());
    second.is_none().then(|| TimeMapping { predicate: first.name.clone(), by_argument: Vec::new() })
}

struct Builder<'a> {
    /// Names of predicates in use.
    names: HashSet<String>,
    predicates: Vec<PredicateMapping>,
    notes: &'a mut Vec<String>,
    /// Indexes of predicates that may give times.
    times: Vec<usize>,
    entity_types: HashSet<String>,
}

impl Builder<'_> {
    /// Adds the predicates of a table.
    fn table(&mut self, table: &SourceTable, structure: &TableStructure, is_target: bool, label: Option<&str>) {
        let entity = |i: usize, type_name: &str| ArgumentMapping::entity(&table.columns[i].name, type_name);
        let references = || structure.references.iter().map(|(i, type_name)| entity(*i, type_name));
        let is_entity = |i: usize| structure.key == Some(i) || structure.references.iter().any(|(j, _)| *j == i);
        let others: Vec<&SourceColumn> = (0..table.columns.len())
            .filter(|&i| !is_entity(i))
            .map(|i| &table.columns[i])
            .filter(|column| Some(column.name.as_str()) != label)
            .collect();
        let Some(key) = structure.key else {
            let args: Vec<ArgumentMapping> = references().collect();
            if args.is_empty() {
                self.notes.push(format!("table `{}` is left out: no column identifies an entity", table.name));
                return;
            }
            let alone = args.len() == 1 && others.len() == 1 && !is_target;
            if (args.len() > 1 || others.is_empty()) && !is_target {
                self.add(table, None, args.clone(), None);
            }
            for column in others {
                self.attribute(table, &args, column, alone);
            }
            return;
        };
        let own_type = &structure.key_type;
        let key = entity(key, own_type);
        let alone = !is_target && structure.references.len() + others.len() == 1;
        let named_apart = *own_type != singular(&word(&table.name)) && *own_type != word(&table.name);
        if (table.columns.len() == 1 || (named_apart && !alone)) && !is_target {
            self.add(table, None, vec![key.clone()], None);
        }
        for reference in references() {
            let column = (!alone || !named_apart).then(|| reference.column.clone());
            self.add(table, column.as_deref(), vec![key.clone(), reference], None);
        }
        for column in others {
            self.attribute(table, std::slice::from_ref(&key), column, alone && named_apart);
        }
    }

    /// Adds the predicate of a column that names no entity; `alone` if it takes the table's name.
    fn attribute(&mut self, table: &SourceTable, entities: &[ArgumentMapping], column: &SourceColumn, alone: bool) {
        let name = (!alone).then_some(column.name.as_str());
        let is_time = TIMES.contains(&word(&column.name).as_str());
        let distinct = column.values.distinct();
        let rows = column.values.rows();
        let left_out = |why: &str| format!("column `{}.{}` is left out: {why}", table.name, column.name);
        let kind = match &column.values {
            Values::Boolean(_) => {
                self.add(table, name, entities.to_vec(), Some(column.name.clone()));
                return;
            }
            Values::Unsupported { kind, .. } => {
                self.notes.push(left_out(&format!("values of type {kind} cannot be imported")));
                return;
            }
            _ if distinct == 0 => {
                self.notes.push(left_out("it has no values"));
                return;
            }
            Values::Text(_) if distinct == rows && rows >= 5 => {
                self.notes.push(left_out("each row has another text"));
                return;
            }
            Values::Text(_) if distinct > MAX_TEXT_CATEGORIES && distinct * 2 > rows => {
                self.notes.push(left_out("nearly each row has another text"));
                return;
            }
            Values::Text(_) => ArgumentKind::Constant,
            Values::Integer(_) if distinct <= MAX_INTEGER_CATEGORIES.min(rows / 2) && !is_time => {
                ArgumentKind::Constant
            }
            Values::Integer(_) | Values::Real(_) | Values::Date(_) => ArgumentKind::Number,
        };
        let is_text = matches!(column.values, Values::Text(_));
        let mut args = entities.to_vec();
        args.push(ArgumentMapping { column: column.name.clone(), type_name: String::new(), kind });
        let index = self.add(table, name, args, None);
        let shared = word(&column.name);
        let predicate = &mut self.predicates[index];
        // Only texts of equally named columns are compared with each other.
        let type_name = if is_text && !self.entity_types.contains(&shared) { shared } else { predicate.name.clone() };
        if let Some(last) = predicate.args.last_mut() {
            last.type_name = type_name;
        }
        if is_text {
            // A variable in place of the category lets two entities share it.
            let with_variable: Vec<String> =
                predicate.modes.iter().map(|mode| format!("{}-", &mode[..mode.len() - 1])).collect();
            predicate.modes.extend(with_variable);
        }
        if is_time && kind == ArgumentKind::Number {
            self.times.push(index);
        }
    }

    /// Adds a predicate with a name that is not in use; returns its index.
    fn add(
        &mut self,
        table: &SourceTable,
        column: Option<&str>,
        args: Vec<ArgumentMapping>,
        when: Option<String>,
    ) -> usize {
        let base = match column {
            Some(column) => format!("{}_{}", word(&table.name), word(column)),
            None => word(&table.name),
        };
        let mut name = base.clone();
        let mut number = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        let modes = default_modes(&args);
        self.predicates.push(PredicateMapping { name, table: table.name.clone(), args, when, modes });
        self.predicates.len() - 1
    }
}

#[cfg(test)]
mod tests;
