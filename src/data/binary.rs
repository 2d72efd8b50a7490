//! Projects predicates with more than two arguments to binary ones, and rewrites databases.
//!
//! The paper's figures compare methods that are limited to binary predicates; its Table 1 keeps the
//! others. A manifest lists the pairs of arguments that become predicates of their own; without a
//! manifest, every pair does.

use std::fmt::Write;

use super::arity::{ArityRule, Projection};
use super::load::Dataset;
use super::modes::add_mode;
use crate::determinism::IndexSet;
use crate::kb::{Database, DatabaseBuilder, FactError, Schema, TimeError, TimeRule};
use crate::logic::{Constant, Diagnostics, ModeSymbol, PredicateId, Predicates, SymbolTableFull, Symbols};

/// The error of rewriting a database.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// A fact exceeds a limit.
    #[error(transparent)]
    Fact(#[from] FactError),
    /// There are too many constants.
    #[error(transparent)]
    Symbols(#[from] SymbolTableFull),
    /// The time rule does not apply to the rewritten data.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// A mode of a rule is invalid.
    #[error("{0}")]
    Modes(Diagnostics),
}

/// The changes to a database.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes<'a> {
    /// Predicates whose facts and modes are replaced by binary ones.
    pub rules: &'a [ArityRule],
    /// A predicate whose facts are removed.
    pub without: Option<PredicateId>,
    /// Facts to add.
    pub with: Option<AddedFacts<'a>>,
}

/// Facts of a predicate to add to a database.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddedFacts<'a> {
    /// The predicate.
    pub predicate: PredicateId,
    /// The arguments of each fact.
    pub facts: &'a [&'a [Constant]],
    /// The database of the constants, if it is another one.
    pub from: Option<&'a Database>,
}

/// Returns the database with the changes applied. Constants and predicates keep their ids; new
/// predicates follow.
pub(super) fn rewrite(
    database: &Database,
    changes: &Changes<'_>,
    time: Option<&TimeRule>,
) -> Result<Database, RewriteError> {
    let mut builder = DatabaseBuilder::new();
    builder.symbols = database.symbols.clone();
    builder.predicates = database.predicates.clone();
    let rule_of = |id: PredicateId, predicates: &Predicates| {
        let (name, arity) = (predicates.name(id), predicates.arity(id));
        changes.rules.iter().find(|rule| rule.predicate == name && rule.arguments.len() == arity)
    };
    if changes.rules.is_empty() {
        builder.schema = database.schema.clone();
    } else {
        let keep = |id| rule_of(id, &database.predicates).is_none();
        copy_schema(database, keep, changes.rules, &mut builder)?;
    }
    let mut pair = [Constant::from_id(0); 2];
    for id in database.predicates.iter().filter(|&id| changes.without != Some(id)) {
        let relation = database.facts.relation(id);
        match rule_of(id, &database.predicates) {
            None => {
                let mut args = Vec::with_capacity(relation.arity());
                for row in relation.iter() {
                    args.clear();
                    args.extend(row.iter());
                    builder.fact(id, &args)?;
                }
            }
            Some(rule) => {
                for projection in &rule.becomes {
                    let to = builder.predicates.intern(&projection.predicate, 2);
                    for row in relation.iter() {
                        for (slot, &kept) in pair.iter_mut().zip(&projection.keep) {
                            *slot = row.get(kept - 1);
                        }
                        builder.fact(to, &pair)?;
                    }
                }
            }
        }
    }
    if let Some(AddedFacts { predicate, facts, from }) = changes.with {
        for args in facts {
            match from {
                None => builder.fact(predicate, args)?,
                Some(from) => {
                    let own = args.iter().map(|&constant| intern(&mut builder.symbols, &from.symbols, constant));
                    let own: Vec<Constant> = own.collect::<Result<_, SymbolTableFull>>()?;
                    builder.fact(predicate, &own)?;
                }
            }
        }
    }
    let mut changed = builder.build(time)?.0;
    changed.classes.clone_from(&database.classes);
    Ok(changed)
}

/// Returns the database with some of its facts. Constants and predicates keep their ids.
#[cfg(feature = "benchmarks")]
pub(super) fn retain(
    database: &Database,
    mut keep: impl FnMut(PredicateId, &[Constant]) -> bool,
    time: Option<&TimeRule>,
) -> Result<Database, RewriteError> {
    let mut builder = DatabaseBuilder::new();
    builder.symbols = database.symbols.clone();
    builder.predicates = database.predicates.clone();
    builder.schema = database.schema.clone();
    let mut args = Vec::new();
    for id in database.predicates.iter() {
        for row in database.facts.relation(id).iter() {
            args.clear();
            args.extend(row.iter());
            if keep(id, &args) {
                builder.fact(id, &args)?;
            }
        }
    }
    let mut retained = builder.build(time)?.0;
    retained.classes.clone_from(&database.classes);
    Ok(retained)
}

/// Interns a constant of another symbol table.
fn intern(to: &mut Symbols, from: &Symbols, constant: Constant) -> Result<Constant, SymbolTableFull> {
    match from.number(constant) {
        Some(value) => to.intern_number(value),
        None => to.intern(from.name(constant).unwrap_or_default()),
    }
}

fn copy_schema(
    database: &Database,
    keep: impl Fn(PredicateId) -> bool,
    rules: &[ArityRule],
    builder: &mut DatabaseBuilder,
) -> Result<(), RewriteError> {
    let Database { schema, predicates, symbols, .. } = database;
    let mut diagnostics = Diagnostics::default();
    for mode in schema.modes().iter().filter(|mode| keep(mode.predicate)) {
        let mut line = format!("mode: {}", schema.show(mode, predicates, symbols));
        // Writing to a string cannot fail.
        let _ = mode.max.map(|n| write!(line, ", max={n}"));
        let _ = mode.max_per_input.map(|n| write!(line, ", maxPerInputVars={n}"));
        let _ = mode.target.map(|id| write!(line, ", target={}", predicates.show(id)));
        add_mode(builder, &format!("{line}."), &mut diagnostics);
    }
    for line in rules.iter().flat_map(|rule| &rule.becomes).flat_map(|projection| &projection.modes) {
        add_mode(builder, line, &mut diagnostics);
    }
    for (type_id, constants) in schema.ranges() {
        if let Err(diagnostic) = builder.schema.add_range(schema.type_name(*type_id), constants.clone()) {
            diagnostics.push(diagnostic);
        }
    }
    schema.targets().iter().for_each(|&target| builder.schema.add_target(target));
    schema.bridgers().iter().filter(|&&id| keep(id)).for_each(|&id| builder.schema.add_bridger(id));
    for (key, value) in schema.parameters() {
        builder.schema.add_parameter(key, value.clone());
    }
    if diagnostics.has_errors() { Err(RewriteError::Modes(diagnostics)) } else { Ok(()) }
}

impl Dataset {
    /// Projects all predicates with more than two arguments except the target to every pair of
    /// arguments. Returns a description of the projections.
    ///
    /// # Errors
    /// If the database cannot be rewritten.
    pub fn make_binary(&mut self, time: Option<&TimeRule>) -> Result<String, RewriteError> {
        let rules = rules_for(&self.database, self.target);
        if !rules.is_empty() {
            self.database = rewrite(&self.database, &Changes { rules: &rules, ..Changes::default() }, time)?;
        }
        Ok(describe(&rules))
    }

    /// Applies [`Dataset::make_binary`] if a model mentions a projected predicate that the data
    /// lack, since it was then learned from projected data. Otherwise nothing changes.
    ///
    /// # Errors
    /// If the database cannot be rewritten.
    pub fn make_binary_for(
        &mut self,
        model: &Predicates,
        time: Option<&TimeRule>,
    ) -> Result<Option<String>, RewriteError> {
        let rules = rules_for(&self.database, self.target);
        let mut projected = rules.iter().flat_map(|rule| &rule.becomes).map(|projection| projection.predicate.as_str());
        let is_needed = |name: &str| model.find(name, 2).is_some() && self.database.predicates.find(name, 2).is_none();
        if projected.any(is_needed) { self.make_binary(time).map(Some) } else { Ok(None) }
    }
}

/// Returns rules for every predicate with more than two arguments except the target: one predicate
/// `p_i_j` per pair.
pub(super) fn rules_for(database: &Database, target: PredicateId) -> Vec<ArityRule> {
    let Database { schema, predicates, .. } = database;
    let labelled = database.classes.as_ref().map(|classes| classes.labelled);
    let evidence = |id: &PredicateId| *id != target && Some(*id) != labelled;
    let longer = predicates.iter().filter(evidence).filter(|&id| predicates.arity(id) > 2);
    longer
        .map(|id| {
            let (name, arity) = (predicates.name(id), predicates.arity(id));
            let types = schema.argument_types(id).unwrap_or_default();
            let arguments = (0..arity).map(|k| types.get(k).map_or("unknown", |&t| schema.type_name(t)).to_owned());
            let pairs = (0..arity).flat_map(|i| (i + 1..arity).map(move |j| [i, j]));
            let becomes = pairs.map(|pair| Projection {
                predicate: format!("{name}_{}_{}", pair[0] + 1, pair[1] + 1),
                keep: pair.iter().map(|k| k + 1).collect(),
                modes: pair_modes(schema, id, name, pair),
            });
            ArityRule {
                predicate: name.to_owned(),
                arguments: arguments.collect(),
                evidence: None,
                becomes: becomes.collect(),
            }
        })
        .collect()
}

/// Returns the modes of a pair of arguments: those of the predicate restricted to them, with an
/// input added if needed.
fn pair_modes(schema: &Schema, id: PredicateId, name: &str, pair: [usize; 2]) -> Vec<String> {
    let mut lines: IndexSet<String> = IndexSet::default();
    for mode in schema.modes_of(id) {
        let slots = pair.map(|k| mode.args[k]);
        let head = format!("{name}_{}_{}", pair[0] + 1, pair[1] + 1);
        let line = |symbols: [ModeSymbol; 2]| {
            let args: Vec<String> = slots
                .iter()
                .zip(symbols)
                .map(|(slot, symbol)| format!("{}{}", symbol.as_char(), schema.type_name(slot.type_id)))
                .collect();
            format!("mode: {head}({}).", args.join(","))
        };
        let symbols = slots.map(|slot| match slot.symbol {
            ModeSymbol::ThisConstant => ModeSymbol::Constant,
            symbol => symbol,
        });
        if symbols.contains(&ModeSymbol::Input) {
            lines.insert(line(symbols));
            continue;
        }
        // A mode without an input would join with nothing: make either side an input.
        for side in (0..2).filter(|&side| symbols[side] != ModeSymbol::Constant) {
            let mut entered = symbols;
            entered[side] = ModeSymbol::Input;
            lines.insert(line(entered));
        }
    }
    lines.into_iter().collect()
}

/// Describes the rules, one line for each new predicate.
pub(super) fn describe(rules: &[ArityRule]) -> String {
    if rules.is_empty() {
        return "no predicate has more than two arguments, so nothing changes\n".to_owned();
    }
    let mut text = String::new();
    for rule in rules {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}({}) becomes", rule.predicate, rule.arguments.join(", "));
        for projection in &rule.becomes {
            let kept: Vec<&str> = projection.keep.iter().map(|&k| rule.arguments[k - 1].as_str()).collect();
            let numbers: Vec<String> = projection.keep.iter().map(usize::to_string).collect();
            let (name, kept, numbers) = (&projection.predicate, kept.join(", "), numbers.join(" and "));
            let _ = writeln!(text, "  {name}({kept}), of arguments {numbers}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::load::{LoadCounts, LoadOptions, load};

    fn toy() -> (Database, PredicateId) {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
        write(
            "bk.txt",
            "mode: t(+person). mode: ta(+course,+person,-quarter), max=2. mode: ta(-course,-person,#quarter).
             mode: old(+person). bridger: old/1. setParam: nodeSize = 2. range: quarter = {spring, fall}.",
        );
        write("facts.txt", "ta(c1,ann,fall). ta(c1,bob,fall). ta(c2,ann,spring). old(ann).");
        write("pos.txt", "t(ann).");
        write("neg.txt", "t(bob).");
        let loaded = load(directory.path(), &LoadOptions::default()).unwrap();
        (loaded.database, loaded.target)
    }

    fn facts(database: &Database, name: &str, arity: usize) -> Vec<String> {
        let id = database.predicates.find(name, arity).unwrap();
        let row = |args: Vec<Constant>| {
            args.iter().map(|&c| database.symbols.show(c).to_string()).collect::<Vec<_>>().join(" ")
        };
        let mut rows: Vec<String> = database.facts.relation(id).iter().map(|r| row(r.to_vec())).collect();
        rows.sort();
        rows
    }

    #[test]
    fn data_are_projected_if_a_model_needs_it() {
        let project_for = |names: &[&str]| {
            let (database, target) = toy();
            let mut model = Predicates::default();
            for name in names {
                model.intern(name, 2);
            }
            let mut loaded = Dataset {
                database,
                target,
                examples: Vec::new(),
                file_order: Vec::new(),
                counts: LoadCounts::default(),
                warnings: Diagnostics::default(),
            };
            let description = loaded.make_binary_for(&model, None).unwrap();
            let facts = loaded.database.predicates.find("ta_1_2", 2).map(|_| facts(&loaded.database, "ta_1_2", 2));
            (description.is_some(), facts)
        };
        assert_eq!(project_for(&["ta", "old"]), (false, None));
        let pairs = ["c1 ann", "c1 bob", "c2 ann"].map(str::to_owned).to_vec();
        assert_eq!(project_for(&["old", "ta_2_3"]), (true, Some(pairs)));
    }

    #[test]
    fn longer_predicates_are_projected_to_pairs() {
        let (database, target) = toy();
        let rules = rules_for(&database, target);
        let binary = rewrite(&database, &Changes { rules: &rules, ..Changes::default() }, None).unwrap();
        assert_eq!(facts(&binary, "ta_1_2", 2), ["c1 ann", "c1 bob", "c2 ann"]);
        // c1 and fall occur together twice.
        assert_eq!(facts(&binary, "ta_1_3", 2), ["c1 fall", "c2 spring"]);
        assert_eq!(facts(&binary, "ta_2_3", 2), ["ann fall", "ann spring", "bob fall"]);
        assert!(facts(&binary, "ta", 3).is_empty());
        assert_eq!(facts(&binary, "old", 1), ["ann"]);
        let modes: Vec<String> = binary
            .schema
            .modes()
            .iter()
            .map(|mode| binary.schema.show(mode, &binary.predicates, &binary.symbols).to_string())
            .collect();
        assert_eq!(
            modes,
            [
                "old(+person)",
                "t(+person)",
                "ta_1_2(+course,+person)",
                "ta_1_2(+course,-person)",
                "ta_1_2(-course,+person)",
                "ta_1_3(+course,-quarter)",
                "ta_1_3(+course,#quarter)",
                "ta_2_3(+person,-quarter)",
                "ta_2_3(+person,#quarter)",
            ]
        );
        assert_eq!((binary.schema.bridgers().len(), binary.schema.parameters().len()), (1, 1));
        assert_eq!((binary.schema.ranges().len(), binary.schema.targets()), (1, &[target][..]));
        assert_eq!(
            describe(&rules),
            "ta(course, person, quarter) becomes\n  ta_1_2(course, person), of arguments 1 and 2\n  \
             ta_1_3(course, quarter), of arguments 1 and 3\n  ta_2_3(person, quarter), of arguments 2 and 3\n"
        );
    }

    #[test]
    fn facts_are_removed_and_added() {
        let (database, target) = toy();
        let old = database.predicates.find("old", 1).unwrap();
        let bob = [database.symbols.find("bob").unwrap()];
        let changes = Changes {
            without: Some(old),
            with: Some(AddedFacts { predicate: target, facts: &[&bob], from: None }),
            ..Changes::default()
        };
        let changed = rewrite(&database, &changes, None).unwrap();
        assert!(facts(&changed, "old", 1).is_empty());
        assert_eq!(facts(&changed, "t", 1), ["bob"]);
        assert_eq!(facts(&changed, "ta", 3), facts(&database, "ta", 3));
    }
}
