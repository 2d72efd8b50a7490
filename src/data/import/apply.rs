//! Evaluates a mapping over tables: facts, examples and modes in BoostSRL's notation.

use std::fmt::Write;

use super::column::{SourceColumn, SourceTable, Values};
use super::mapping::{ArgumentKind, ArgumentMapping, Mapping, PredicateMapping};
use super::names::word;
use crate::cancel;
use crate::determinism::{HashMap, HashSet, IndexMap};
use crate::logic::nearest::nearest;
use crate::logic::quantity::thousands;
use crate::logic::term::{write_name, write_number};

/// The result of a mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The facts, one per line.
    pub facts: String,
    /// The positive examples, one per line.
    pub positives: String,
    /// The negative examples, one per line.
    pub negatives: String,
    /// The modes, that of the target first.
    pub modes: Vec<String>,
    /// Facts by entry of the mapping.
    pub predicates: Vec<PredicateCounts>,
    /// Positive and negative examples.
    pub examples: (usize, usize),
    /// Rows of the target without an example because a value is NULL.
    pub skipped_examples: usize,
    /// Tables and columns that the mapping does not use, as `table` and `table.column`.
    pub unused: Vec<String>,
    /// Whether some argument is a number.
    pub has_numbers: bool,
}

/// The facts of one entry of a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateCounts {
    /// The predicate.
    pub name: String,
    /// Its number of arguments.
    pub arity: usize,
    /// The table.
    pub table: String,
    /// Facts.
    pub facts: usize,
    /// Rows without a fact because a value is NULL, or `when` is not true.
    pub skipped: usize,
}

/// A mapping that does not fit the tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// No table has this name.
    #[error("unknown table `{name}`{}; expected one of {known}", did_you_mean(hint))]
    UnknownTable {
        /// The name.
        name: String,
        /// The most similar name.
        hint: Option<String>,
        /// The names of tables.
        known: String,
    },
    /// No column has this name.
    #[error("table `{table}` has no column `{name}`{}; expected one of {known}", did_you_mean(hint))]
    UnknownColumn {
        /// The table.
        table: String,
        /// The name.
        name: String,
        /// The most similar name.
        hint: Option<String>,
        /// The names of columns.
        known: String,
    },
    /// A key has duplicates or NULLs.
    #[error(
        "table `{table}`: the key `{column}` {problem}: which column identifies a row? correct the table, \
         name another column under [keys], or remove that line"
    )]
    Key {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// Duplicate or NULL, with rows.
        problem: String,
    },
    /// A column has values of the wrong type.
    #[error("table `{table}`, column `{column}`: {problem}")]
    Type {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// An example has two labels.
    #[error(
        "table `{table}`: {example} has different labels in rows {} and {}: keep one of the rows, \
         or add the column that tells them apart to the arguments of the target", rows.0, rows.1
    )]
    Contradiction {
        /// The table.
        table: String,
        /// The example.
        example: String,
        /// The rows, from 1.
        rows: (usize, usize),
    },
    /// A predicate would reveal the labels.
    #[error(
        "predicate `{predicate}` reads {source_of_labels}, which would reveal the labels: remove it from the mapping"
    )]
    Leak {
        /// The predicate.
        predicate: String,
        /// The column or table.
        source_of_labels: String,
    },
}

fn did_you_mean(hint: &Option<String>) -> String {
    hint.as_ref().map_or_else(String::new, |hint| format!("; did you mean `{hint}`?"))
}

/// Shows at most twenty names.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.take(21).map(|name| format!("`{name}`")).collect();
    if names.len() > 20 {
        names[20] = "…".into();
    }
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// Evaluates a mapping over tables.
pub fn apply(mapping: &Mapping, tables: &[SourceTable]) -> Result<Imported, ApplyError> {
    check_leaks(mapping)?;
    let source = Source { tables, integer_types: integer_types(mapping, tables)? };
    for (table, column) in &mapping.keys {
        check_key(source.table(table)?, column)?;
    }
    let mut imported = Imported::default();
    source.examples(mapping, &mut imported)?;
    for predicate in &mapping.predicates {
        source.facts(predicate, &mut imported)?;
        for symbols in predicate.mode_symbols() {
            let mode = mode(&predicate.name, &predicate.args, &symbols, "");
            if !imported.modes.contains(&mode) {
                imported.modes.push(mode);
            }
        }
    }
    let args = mapping.predicates.iter().flat_map(|predicate| &predicate.args);
    imported.has_numbers = args.into_iter().any(|arg| arg.kind == ArgumentKind::Number);
    imported.unused = unused(mapping, tables);
    Ok(imported)
}

/// Writes a mode; `class` is its last argument if the target has classes.
fn mode(name: &str, args: &[ArgumentMapping], symbols: &str, class: &str) -> String {
    let args: Vec<String> = args.iter().zip(symbols.chars()).map(|(arg, c)| format!("{c}{}", arg.type_name)).collect();
    format!("mode: {name}({}{class}).", args.join(","))
}

/// Rejects predicates that read the label, or rows that exist only for positives.
fn check_leaks(mapping: &Mapping) -> Result<(), ApplyError> {
    let target = &mapping.target;
    let labels = [&target.label, &target.class].into_iter().flatten().next();
    for predicate in &mapping.predicates {
        let mut columns = predicate.args.iter().map(|arg| &arg.column).chain(&predicate.when);
        let source_of_labels = match labels {
            Some(label) if predicate.table == target.table && columns.any(|column| column == label) => {
                format!("the column `{label}` of the target")
            }
            None if predicate.table == target.table || Some(&predicate.table) == target.negatives.as_ref() => {
                format!("the table `{}` of the target", predicate.table)
            }
            _ => continue,
        };
        return Err(ApplyError::Leak { predicate: predicate.name.clone(), source_of_labels });
    }
    Ok(())
}

fn find_table<'a>(tables: &'a [SourceTable], name: &str) -> Result<&'a SourceTable, ApplyError> {
    let names = || tables.iter().map(|table| table.name.as_str());
    tables.iter().find(|table| table.name == name).ok_or_else(|| ApplyError::UnknownTable {
        name: name.to_owned(),
        hint: nearest(name, names()).map(str::to_owned),
        known: list(names()),
    })
}

fn find_column<'a>(table: &'a SourceTable, name: &str) -> Result<&'a SourceColumn, ApplyError> {
    let names = || table.columns.iter().map(|column| column.name.as_str());
    table.column(name).ok_or_else(|| ApplyError::UnknownColumn {
        table: table.name.clone(),
        name: name.to_owned(),
        hint: nearest(name, names()).map(str::to_owned),
        known: list(names()),
    })
}

fn type_error(table: &SourceTable, column: &SourceColumn, problem: impl Into<String>) -> ApplyError {
    ApplyError::Type { table: table.name.clone(), column: column.name.clone(), problem: problem.into() }
}

fn check_key(table: &SourceTable, name: &str) -> Result<(), ApplyError> {
    let column = find_column(table, name)?;
    match key_problem(&column.values) {
        None => Ok(()),
        Some(problem) => Err(ApplyError::Key { table: table.name.clone(), column: name.to_owned(), problem }),
    }
}

/// Returns why a column does not identify rows: NULLs or duplicates, with the first rows.
pub(super) fn key_problem(values: &Values) -> Option<String> {
    if let Values::Unsupported { kind, .. } = values {
        return Some(format!("has values of type {kind}"));
    }
    let mut seen: HashMap<_, usize> = HashMap::default();
    for row in 0..values.rows() {
        let Some(text) = values.text(row) else { return Some(format!("is NULL in row {}", row + 1)) };
        if let Some(first) = seen.insert(text.clone(), row) {
            return Some(format!("has the value `{}` in rows {} and {}", shortened(&text), first + 1, row + 1));
        }
    }
    None
}

/// Shortens a value for a message.
pub(super) fn shortened(text: &str) -> String {
    let start: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() { format!("{start}…") } else { start }
}

/// Returns the types of entities all of whose columns hold integers.
fn integer_types<'a>(mapping: &'a Mapping, tables: &[SourceTable]) -> Result<HashSet<&'a str>, ApplyError> {
    let mut all: IndexMap<&str, bool> = IndexMap::default();
    let target = &mapping.target;
    let of_target = [Some(&target.table), target.negatives.as_ref()].into_iter().flatten();
    let entries = of_target.map(|table| (table, &target.args));
    for (table, args) in entries.chain(mapping.predicates.iter().map(|entry| (&entry.table, &entry.args))) {
        let table = find_table(tables, table)?;
        for arg in args.iter().filter(|arg| arg.kind == ArgumentKind::Entity) {
            let values = &find_column(table, &arg.column)?.values;
            *all.entry(&arg.type_name).or_insert(true) &= matches!(values, Values::Integer(_)) || values.is_blank();
        }
    }
    Ok(all.into_iter().filter_map(|(name, is_integer)| is_integer.then_some(name)).collect())
}

struct Source<'a> {
    tables: &'a [SourceTable],
    integer_types: HashSet<&'a str>,
}

/// A column as an argument.
struct Slot<'a> {
    column: &'a SourceColumn,
    kind: ArgumentKind,
    /// The start of names of entities that are integers.
    prefix: Option<&'a str>,
}

impl<'a> Source<'a> {
    fn table(&self, name: &str) -> Result<&'a SourceTable, ApplyError> {
        find_table(self.tables, name)
    }

    fn slots(&self, table: &'a SourceTable, args: &'a [ArgumentMapping]) -> Result<Vec<Slot<'a>>, ApplyError> {
        let slot = |arg: &'a ArgumentMapping| {
            let column = find_column(table, &arg.column)?;
            let kind = column.values.kind();
            let problem = match (arg.kind, &column.values) {
                (_, Values::Unsupported { .. }) => {
                    format!("values of type {kind} cannot be imported: remove the column from the mapping")
                }
                (ArgumentKind::Entity, Values::Real(_) | Values::Date(_)) => {
                    format!("a {kind} cannot name an entity: use kind = \"number\" or \"constant\"")
                }
                (ArgumentKind::Number, Values::Text(values)) => match values.iter().position(Option::is_some) {
                    Some(row) => format!(
                        "kind = \"number\" requires numbers or dates, but row {} is the text `{}`: use kind = \
                         \"constant\", or correct the values",
                        row + 1,
                        shortened(values[row].as_deref().unwrap_or_default())
                    ),
                    None => String::new(),
                },
                (ArgumentKind::Number, Values::Boolean(_)) => {
                    "kind = \"number\" requires numbers or dates, but the column is boolean: use `when`".to_owned()
                }
                _ => String::new(),
            };
            if !problem.is_empty() {
                return Err(type_error(table, column, problem));
            }
            let prefix = self.integer_types.contains(arg.type_name.as_str()).then_some(arg.type_name.as_str());
            Ok(Slot { column, kind: arg.kind, prefix })
        };
        args.iter().map(slot).collect()
    }

    fn facts(&self, predicate: &'a PredicateMapping, imported: &mut Imported) -> Result<(), ApplyError> {
        let table = self.table(&predicate.table)?;
        let slots = self.slots(table, &predicate.args)?;
        let when = predicate.when.as_ref().map(|name| boolean(table, name)).transpose()?;
        let (mut facts, mut line) = (0, String::new());
        for row in 0..table.rows() {
            cancel::poll_at(row);
            let is_wanted = when.is_none_or(|when| when[row] == Some(true));
            if is_wanted && atom(&mut line, &predicate.name, &slots, row) {
                imported.facts.push_str(&line);
                imported.facts.push_str(").\n");
                facts += 1;
            }
        }
        let (name, arity) = (predicate.name.clone(), slots.len());
        let counts = PredicateCounts { name, arity, table: table.name.clone(), facts, skipped: table.rows() - facts };
        imported.predicates.push(counts);
        Ok(())
    }

    fn examples(&self, mapping: &'a Mapping, imported: &mut Imported) -> Result<(), ApplyError> {
        let target = &mapping.target;
        let table = self.table(&target.table)?;
        let symbols = "+".repeat(target.args.len());
        let class = target.class.as_ref().map(|name| find_column(table, name)).transpose()?;
        let class_type = class.map_or_else(String::new, |column| format!(",#{}!1", word(&column.name)));
        imported.modes.push(mode(&target.predicate, &target.args, &symbols, &class_type));
        let label = target.label.as_ref().map(|name| labels(table, name, target.positive.as_deref())).transpose()?;
        let class = match class {
            Some(column) if matches!(column.values, Values::Real(_) | Values::Date(_) | Values::Unsupported { .. }) => {
                let problem =
                    format!("a {} cannot be a class: use a column of texts or integers", column.values.kind());
                return Err(type_error(table, column, problem));
            }
            column => column.map(|column| Slot { column, kind: ArgumentKind::Constant, prefix: None }),
        };
        let mut seen: HashMap<String, (usize, String)> = HashMap::default();
        let negatives = target.negatives.as_ref().map(|name| self.table(name)).transpose()?;
        for (table, positive) in [(Some(table), true), (negatives, false)] {
            let Some(table) = table else { continue };
            let slots = self.slots(table, &target.args)?;
            let mut line = String::new();
            for row in 0..table.rows() {
                cancel::poll_at(row);
                let positive = match &label {
                    Some(labels) => labels[row],
                    None => Some(positive),
                };
                let mut value = String::new();
                let has_class = class.as_ref().is_none_or(|class| class.write(&mut value, row));
                let (Some(positive), true, true) =
                    (positive, has_class, atom(&mut line, &target.predicate, &slots, row))
                else {
                    imported.skipped_examples += 1;
                    continue;
                };
                let key = if class.is_some() { value.clone() } else { positive.to_string() };
                if let Some((first, _)) = seen.get(&line).filter(|(_, known)| *known != key) {
                    return Err(ApplyError::Contradiction {
                        table: table.name.clone(),
                        example: format!("{line})"),
                        rows: (first + 1, row + 1),
                    });
                }
                seen.entry(line.clone()).or_insert((row, key));
                if class.is_some() {
                    let _ = write!(line, ",{value}");
                }
                line.push_str(").\n");
                let (text, count) = match positive {
                    true => (&mut imported.positives, &mut imported.examples.0),
                    false => (&mut imported.negatives, &mut imported.examples.1),
                };
                text.push_str(&line);
                *count += 1;
            }
        }
        Ok(())
    }
}

impl Slot<'_> {
    /// Writes the constant of a row; returns `false` for NULL.
    fn write(&self, out: &mut String, row: usize) -> bool {
        let values = &self.column.values;
        let number = match (self.kind, values) {
            (ArgumentKind::Number, Values::Integer(values)) => values[row].map(|value| value as f64),
            (ArgumentKind::Number | ArgumentKind::Constant, values) => values.number(row),
            (ArgumentKind::Entity, _) => None,
        };
        // Writing to a string cannot fail.
        let _ = match (number, values.text(row)) {
            (_, None) => return false,
            (Some(number), _) => write_number(out, number),
            (None, Some(text)) => match self.prefix.filter(|_| self.kind == ArgumentKind::Entity) {
                // Without `_`, 2 of the type `q3` would be 32 of the type `q`.
                Some(prefix) if prefix.ends_with(|c: char| c.is_ascii_digit() || c == '_') => {
                    write_name(out, &format!("{prefix}_{text}"))
                }
                Some(prefix) => write_name(out, &format!("{prefix}{text}")),
                None => write_name(out, &text),
            },
        };
        true
    }
}

/// Writes an atom without its end; returns `false` if an argument is NULL.
fn atom(line: &mut String, name: &str, slots: &[Slot], row: usize) -> bool {
    line.clear();
    line.push_str(name);
    for (i, slot) in slots.iter().enumerate() {
        line.push(if i == 0 { '(' } else { ',' });
        if !slot.write(line, row) {
            return false;
        }
    }
    true
}

fn boolean<'a>(table: &'a SourceTable, name: &str) -> Result<&'a [Option<bool>], ApplyError> {
    let column = find_column(table, name)?;
    match &column.values {
        Values::Boolean(values) => Ok(values),
        other => Err(type_error(
            table,
            column,
            format!("`when` requires a boolean column, but this is one of {}", other.kind()),
        )),
    }
}

/// Returns the label of each row.
fn labels(table: &SourceTable, name: &str, positive: Option<&str>) -> Result<Vec<Option<bool>>, ApplyError> {
    let column = find_column(table, name)?;
    let rows = 0..column.values.rows();
    match (&column.values, positive) {
        (Values::Unsupported { kind, .. }, _) => Err(type_error(table, column, format!("a {kind} cannot be a label"))),
        (values, Some(positive)) => {
            let labels: Vec<_> = rows.map(|row| values.text(row).map(|text| text == positive)).collect();
            if !labels.is_empty() && !labels.contains(&Some(true)) {
                let problem = format!("no row has the value `{positive}` of `positive`");
                return Err(type_error(table, column, problem));
            }
            Ok(labels)
        }
        (Values::Boolean(values), None) => Ok(values.clone()),
        (Values::Integer(values), None) if values.iter().flatten().all(|value| matches!(value, 0 | 1)) => {
            Ok(values.iter().map(|value| value.map(|value| value == 1)).collect())
        }
        (values, None) => {
            let found: IndexMap<String, ()> =
                rows.filter_map(|row| Some((values.text(row)?.into_owned(), ()))).collect();
            if found.is_empty() {
                return Ok(vec![None; values.rows()]);
            }
            let problem = format!(
                "a label must be true or false, or 1 or 0, got {} distinct values such as `{}`: set `positive` to the \
                 value of positive examples, or use `class` instead of `label`",
                thousands(found.len()),
                found.get_index(0).map_or_else(String::new, |(text, ())| shortened(text))
            );
            Err(type_error(table, column, problem))
        }
    }
}

/// Returns the tables and columns that a mapping does not use.
fn unused(mapping: &Mapping, tables: &[SourceTable]) -> Vec<String> {
    let target = &mapping.target;
    let mut used: HashSet<(&str, &str)> = HashSet::default();
    for table in [Some(&target.table), target.negatives.as_ref()].into_iter().flatten() {
        let columns = target.args.iter().map(|arg| &arg.column).chain(&target.label).chain(&target.class);
        used.extend(columns.map(|column| (table.as_str(), column.as_str())));
    }
    for predicate in &mapping.predicates {
        let columns = predicate.args.iter().map(|arg| &arg.column).chain(&predicate.when);
        used.extend(columns.map(|column| (predicate.table.as_str(), column.as_str())));
    }
    let mut unused = Vec::new();
    for table in tables {
        let is_used = |column: &&SourceColumn| used.contains(&(table.name.as_str(), column.name.as_str()));
        if !table.columns.iter().any(|column| is_used(&column)) {
            unused.push(table.name.clone());
            continue;
        }
        let columns = table.columns.iter().filter(|column| !is_used(column));
        unused.extend(columns.map(|column| format!("{}.{}", table.name, column.name)));
    }
    unused
}
