//! Binary predicates in the place of longer ones, for methods that need them, and databases made from others.
//!
//! The paper's figures compare methods that know binary predicates only; its Table 1 keeps the others. A manifest says
//! which pairs of arguments of a predicate become a predicate of their own; without a manifest, every pair does.

use std::fmt::Write;

use super::embedded::add_mode;
use super::load::Loaded;
use super::manifest::{ArityRule, Projection};
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Database, DatabaseBuilder, FactError, Schema, TimeError, TimeRule};
use crate::logic::{Constant, Diagnostics, ModeSymbol, PredicateId, Predicates, SymbolTableFull, Symbols};

/// Why a database could not be made from another.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// A fact that cannot be kept.
    #[error(transparent)]
    Fact(#[from] FactError),
    /// There are too many constants.
    #[error(transparent)]
    Symbols(#[from] SymbolTableFull),
    /// The rule for times does not fit what is left.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// A mode of a rule cannot be used.
    #[error("{0}")]
    Modes(Diagnostics),
}

/// What to change in a database.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes<'a> {
    /// Predicates whose facts and modes make room for binary ones.
    pub rules: &'a [ArityRule],
    /// A predicate whose facts are left out.
    pub without: Option<PredicateId>,
    /// Facts that are added.
    pub with: Option<Added<'a>>,
}

/// Facts of a predicate to add to a database.
#[derive(Clone, Copy, Debug)]
pub(super) struct Added<'a> {
    /// The predicate.
    pub predicate: PredicateId,
    /// The arguments of each.
    pub facts: &'a [&'a [Constant]],
    /// Whose constants these are, if not the database's own.
    pub from: Option<&'a Database>,
}

/// The database with some changes. Constants and predicates keep their ids; new predicates stand behind the old ones.
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
    if let Some(Added { predicate, facts, from }) = changes.with {
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

/// The constant of another table, new if it was not known.
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

impl Loaded {
    /// Makes binary predicates of all longer ones but the target, one for each pair of arguments, and says in words which.
    ///
    /// # Errors
    /// If the database cannot be made.
    pub fn make_binary(&mut self, time: Option<&TimeRule>) -> Result<String, RewriteError> {
        let rules = rules_for(&self.database, self.target);
        if !rules.is_empty() {
            self.database = rewrite(&self.database, &Changes { rules: &rules, ..Changes::default() }, time)?;
        }
        Ok(describe(&rules))
    }

    /// The same if a model mentions what it would make and the data do not have: it was learned from such predicates. Otherwise
    /// nothing changes.
    ///
    /// # Errors
    /// If the database cannot be made.
    pub fn make_binary_for(
        &mut self,
        model: &Predicates,
        time: Option<&TimeRule>,
    ) -> Result<Option<String>, RewriteError> {
        let rules = rules_for(&self.database, self.target);
        let mut made = rules.iter().flat_map(|rule| &rule.becomes).map(|projection| projection.predicate.as_str());
        let is_asked = |name: &str| model.find(name, 2).is_some() && self.database.predicates.find(name, 2).is_none();
        if made.any(is_asked) { self.make_binary(time).map(Some) } else { Ok(None) }
    }
}

/// Rules for every predicate of more than two arguments but the target: one predicate `p_i_j` for each pair.
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

/// The modes of a pair of arguments: what the modes of the predicate say of them, with an input wherever there was none.
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
        // A predicate that takes no input would join with nothing: enter it from either side.
        for side in (0..2).filter(|&side| symbols[side] != ModeSymbol::Constant) {
            let mut entered = symbols;
            entered[side] = ModeSymbol::Input;
            lines.insert(line(entered));
        }
    }
    lines.into_iter().collect()
}

/// The rules in words, one line for each new predicate.
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

/// From the constants of one table to those of another, by their print.
pub(super) struct Translation<'a> {
    from: &'a Database,
    to: &'a Database,
    known: HashMap<Constant, Option<Constant>>,
}

impl<'a> Translation<'a> {
    pub(super) fn new(from: &'a Database, to: &'a Database) -> Self {
        Translation { from, to, known: HashMap::default() }
    }

    fn constant(&mut self, constant: Constant) -> Option<Constant> {
        let (from, to) = (&self.from.symbols, &self.to.symbols);
        *self.known.entry(constant).or_insert_with(|| match from.number(constant) {
            Some(value) => to.find_number(value),
            None => to.find(from.name(constant)?),
        })
    }

    /// The arguments as the other table has them; `None` if it lacks one.
    pub(super) fn args(&mut self, args: &[Constant]) -> Option<Box<[Constant]>> {
        args.iter().map(|&constant| self.constant(constant)).collect()
    }
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
    fn data_become_binary_if_a_model_asks_for_it() {
        let made = |names: &[&str]| {
            let (database, target) = toy();
            let mut model = Predicates::default();
            for name in names {
                model.intern(name, 2);
            }
            let mut loaded = Loaded {
                database,
                target,
                examples: Vec::new(),
                counts: LoadCounts::default(),
                warnings: Diagnostics::default(),
            };
            let said = loaded.make_binary_for(&model, None).unwrap();
            let facts = loaded.database.predicates.find("ta_1_2", 2).map(|_| facts(&loaded.database, "ta_1_2", 2));
            (said.is_some(), facts)
        };
        assert_eq!(made(&["ta", "old"]), (false, None));
        let pairs = ["c1 ann", "c1 bob", "c2 ann"].map(str::to_owned).to_vec();
        assert_eq!(made(&["old", "ta_2_3"]), (true, Some(pairs)));
    }

    #[test]
    fn longer_predicates_become_pairs() {
        let (database, target) = toy();
        let rules = rules_for(&database, target);
        let binary = rewrite(&database, &Changes { rules: &rules, ..Changes::default() }, None).unwrap();
        assert_eq!(facts(&binary, "ta_1_2", 2), ["c1 ann", "c1 bob", "c2 ann"]);
        // c1 and fall stand together twice.
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
                "t(+person)",
                "old(+person)",
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
    fn facts_go_and_come() {
        let (database, target) = toy();
        let old = database.predicates.find("old", 1).unwrap();
        let bob = [database.symbols.find("bob").unwrap()];
        let changes = Changes {
            without: Some(old),
            with: Some(Added { predicate: target, facts: &[&bob], from: None }),
            ..Changes::default()
        };
        let changed = rewrite(&database, &changes, None).unwrap();
        assert!(facts(&changed, "old", 1).is_empty());
        assert_eq!(facts(&changed, "t", 1), ["bob"]);
        assert_eq!(facts(&changed, "ta", 3), facts(&database, "ta", 3));
    }

    #[test]
    fn names_are_found_in_another_table() {
        let (database, _) = toy();
        let (other, _) = toy();
        let args = ["ann", "c2"].map(|name| database.symbols.find(name).unwrap());
        assert_eq!(Translation::new(&database, &other).args(&args).unwrap()[..], args);
    }
}
