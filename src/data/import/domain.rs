//! Generated domains as tables, with the mapping that turns them back into their facts.

use std::convert::Infallible;

use super::column::{SourceColumn, SourceTable, Values};
use super::mapping::{ArgumentKind, ArgumentMapping, Mapping, PredicateMapping, TargetMapping, TimeMapping};
use crate::data::generate::{Domain, DomainInfo, DomainSink, GeneratorSettings, Name};
use crate::determinism::IndexMap;

/// The column of a binary target that tells positives from negatives.
const LABEL: &str = "label";

/// Generates a domain as tables, one per predicate, the target last.
pub fn tables(domain: Domain, settings: &GeneratorSettings) -> (Vec<SourceTable>, Mapping) {
    let info = domain.info();
    let mut declared: IndexMap<&'static str, Declared> = IndexMap::default();
    for mode in info.evidence_modes {
        let (name, args) = parse(mode);
        let entry = declared.entry(name).or_insert_with(|| Declared::new(&args));
        entry.modes.push(args.iter().map(|(symbol, _)| *symbol).collect());
    }
    let mut rows = Rows::default();
    let Ok(()) = domain.generate(settings, &mut rows);
    let mut tables = Vec::new();
    let mut predicates = Vec::new();
    for (name, declared) in &declared {
        let facts = rows.facts.shift_remove(name).unwrap_or_default();
        let values: Vec<Values> = (0..declared.types.len()).map(|i| column(&facts, i)).collect();
        let args = declared.types.iter().zip(&declared.columns).zip(&values).enumerate();
        let args = args.map(|(i, ((type_name, column), values))| ArgumentMapping {
            column: column.clone(),
            type_name: (*type_name).to_owned(),
            kind: match values {
                Values::Integer(_) => ArgumentKind::Number,
                _ if declared.modes.iter().any(|mode| mode[i..].starts_with('#')) => ArgumentKind::Constant,
                _ => ArgumentKind::Entity,
            },
        });
        predicates.push(PredicateMapping {
            name: (*name).to_owned(),
            table: (*name).to_owned(),
            args: args.collect(),
            when: None,
            modes: declared.modes.clone(),
        });
        tables.push(table(name, &declared.columns, values));
    }
    let (target, examples) = target(info, &rows.examples);
    tables.push(examples);
    let time = info.time.map(|name| TimeMapping { predicate: name.to_owned(), by_argument: Vec::new() });
    (tables, Mapping { target, time, keys: IndexMap::default(), predicates })
}

fn target(info: &DomainInfo, examples: &[(bool, Vec<Name>)]) -> (TargetMapping, SourceTable) {
    let (_, args) = parse(info.target_mode);
    let declared = Declared::new(&args);
    let rows: Vec<Vec<Name>> = examples.iter().map(|(_, args)| args.clone()).collect();
    let mut values: Vec<Values> = (0..args.len()).map(|i| column(&rows, i)).collect();
    let mut columns = declared.columns;
    let entities = args.len() - usize::from(info.classes.is_some());
    let class = info.classes.map(|_| columns[entities].clone());
    if class.is_none() {
        columns.push(LABEL.to_owned());
        values.push(Values::Boolean(examples.iter().map(|(positive, _)| Some(*positive)).collect()));
    }
    let argument = |i: usize| ArgumentMapping {
        column: columns[i].clone(),
        type_name: declared.types[i].to_owned(),
        kind: ArgumentKind::Entity,
    };
    let mapping = TargetMapping {
        predicate: info.target.to_owned(),
        table: info.target.to_owned(),
        args: (0..entities).map(argument).collect(),
        label: class.is_none().then(|| LABEL.to_owned()),
        positive: None,
        class,
        negatives: None,
    };
    let examples = table(info.target, &columns, values);
    (mapping, examples)
}

fn table(name: &str, columns: &[String], values: Vec<Values>) -> SourceTable {
    let column = |(name, values): (&String, Values)| SourceColumn { name: name.clone(), values };
    SourceTable::new(name, columns.iter().zip(values).map(column).collect())
}

/// The types, columns and modes of a predicate.
struct Declared {
    types: Vec<&'static str>,
    columns: Vec<String>,
    modes: Vec<String>,
}

impl Declared {
    /// Columns are called as their types, with a number from the second of a type on.
    fn new(args: &[(char, &'static str)]) -> Self {
        let types: Vec<&'static str> = args.iter().map(|(_, type_name)| *type_name).collect();
        let column = |(i, name): (usize, &&str)| match types[..i].iter().filter(|other| other == &name).count() {
            0 => (*name).to_owned(),
            before => format!("{name}{}", before + 1),
        };
        let columns = types.iter().enumerate().map(column).collect();
        Declared { types, columns, modes: Vec::new() }
    }
}

/// Splits `mode: name(+type,#type!1).` into the name and its symbols with types.
fn parse(mode: &'static str) -> (&'static str, Vec<(char, &'static str)>) {
    let atom = mode.trim_start_matches("mode:").trim().trim_end_matches('.').trim_end_matches(')');
    let (name, args) = atom.split_once('(').unwrap_or((atom, ""));
    let argument = |arg: &'static str| {
        let arg = arg.trim();
        let symbol = arg.chars().next().unwrap_or('+');
        let type_name = arg.trim_start_matches(['+', '-', '#']);
        (symbol, type_name.split('!').next().unwrap_or(type_name))
    };
    (name, args.split(',').map(argument).collect())
}

fn column(rows: &[Vec<Name>], i: usize) -> Values {
    let number = |row: &Vec<Name>| if let Name::Number(number) = row[i] { Some(Some(i64::from(number))) } else { None };
    match rows.iter().map(number).collect() {
        Some(numbers) if !rows.is_empty() => Values::Integer(numbers),
        _ => Values::Text(rows.iter().map(|row| Some(row[i].to_string())).collect()),
    }
}

/// Collects the facts by predicate.
#[derive(Default)]
struct Rows {
    facts: IndexMap<&'static str, Vec<Vec<Name>>>,
    examples: Vec<(bool, Vec<Name>)>,
}

impl DomainSink for Rows {
    type Error = Infallible;

    fn fact(&mut self, predicate: &'static str, args: &[Name]) -> Result<(), Infallible> {
        self.facts.entry(predicate).or_default().push(args.to_vec());
        Ok(())
    }

    fn example(&mut self, positive: bool, args: &[Name]) -> Result<(), Infallible> {
        self.examples.push((positive, args.to_vec()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::apply::apply;
    use super::*;
    use crate::data::generate::write_directory;

    fn sorted(text: &str) -> Vec<&str> {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn every_domain_survives_as_tables() {
        for domain in Domain::ALL {
            let home = tempfile::tempdir().unwrap();
            write_directory(domain, &domain.settings(), home.path()).unwrap();
            let read = |part: &str| std::fs::read_to_string(home.path().join(format!("train_{part}.txt"))).unwrap();
            let (tables, mapping) = tables(domain, &domain.settings());
            let imported = apply(&mapping, &tables).unwrap();
            assert_eq!(sorted(&imported.facts), sorted(&read("facts")), "{domain:?}");
            assert_eq!((&imported.positives, &imported.negatives), (&read("pos"), &read("neg")), "{domain:?}");
            assert_eq!(imported.modes, domain.info().modes().collect::<Vec<_>>(), "{domain:?}");
            assert_eq!(imported.unused, [""; 0]);
        }
    }
}
