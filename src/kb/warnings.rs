//! Warnings about inconsistencies between modes and facts.

use super::facts::Facts;
use super::mode::{Mode, TypeId};
use super::schema::{Schema, TypeConflict};
use super::time::TimeInputs;
use crate::determinism::{HashSet, IndexMap};
use crate::logic::nearest::did_you_mean;
use crate::logic::quantity::counted_as;
use crate::logic::{Constant, Diagnostic, ModeSymbol, PredicateId, Predicates};

/// Returns all warnings; facts of the predicate `time` need no mode.
pub(crate) fn find(from: &TimeInputs<'_>, time: Option<PredicateId>) -> Vec<Diagnostic> {
    let mut found = type_conflicts(from.schema, from.predicates);
    found.extend(facts_without_mode(from, time));
    found.extend(modes_without_facts(from.schema, from.predicates, from.facts));
    found.extend(unreachable_modes(from.schema, from.predicates));
    found.extend(constants_of_two_types(from));
    found
}

fn type_conflicts<'a>(schema: &'a Schema, predicates: &'a Predicates) -> Vec<Diagnostic> {
    let mut seen = HashSet::default();
    let first = |d: &&TypeConflict| seen.insert((d.predicate, d.position, d.later));
    let warning = |d: &TypeConflict| {
        let (name, position) = (predicates.show(d.predicate), d.position + 1);
        let [kept, later] = [d.first, d.later].map(|id| schema.type_name(id));
        Diagnostic::warning(
            "modes-disagree-on-type",
            format!("argument {position} of {name} has type {kept} in one mode and {later} in another"),
            format!("{kept} is used; give the argument the same type in every mode"),
        )
    };
    schema.type_conflicts().iter().filter(first).map(warning).collect()
}

fn facts_without_mode<'a>(
    from: &'a TimeInputs<'_>,
    time: Option<PredicateId>,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let TimeInputs { symbols, predicates, schema, facts } = *from;
    let unknown = move |id: &PredicateId| Some(*id) != time && schema.argument_types(*id).is_none();
    predicates.iter().filter(unknown).filter_map(move |id| {
        let relation = facts.relation(id);
        let example = relation.iter().next()?;
        let args: Vec<String> = example.iter().map(|constant| symbols.show(constant).to_string()).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        let (name, shown) = (predicates.name(id), predicates.show(id));
        let other = predicates.iter().find(|&o| predicates.name(o) == name && schema.argument_types(o).is_some());
        let help = match other {
            Some(other) => format!("there are modes for {}: fix the facts or the modes", predicates.show(other)),
            None => format!("add a mode for {shown} if clauses should use it"),
        };
        let facts = counted_as(relation.len(), "fact is", "facts are");
        let message = format!("no mode for {shown}, so its {facts} ignored: {name}{args}");
        Some(Diagnostic::warning("fact-without-mode", message, help))
    })
}

fn modes_without_facts<'a>(
    schema: &'a Schema,
    predicates: &'a Predicates,
    facts: &'a Facts,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let is_target = |name: &str| schema.targets().iter().any(|&target| predicates.name(target) == name);
    // Targets have examples instead, and `recursive_p` denotes the target p itself.
    let expected = move |id: &PredicateId| {
        let name = predicates.name(*id);
        !schema.targets().contains(id) && !name.strip_prefix("recursive_").is_some_and(is_target)
    };
    predicates
        .iter()
        .filter(move |&id| schema.modes_of(id).next().is_some() && facts.relation(id).is_empty())
        .filter(expected)
        .map(move |id| {
            Diagnostic::warning(
                "mode-without-facts",
                format!("{} has a mode but no facts", predicates.show(id)),
                "check the spelling of its name in the facts (case-sensitive), or remove the mode",
            )
        })
}

/// Warns about predicates whose modes all require a bound variable of a type that nothing
/// introduces.
fn unreachable_modes(schema: &Schema, predicates: &Predicates) -> Vec<Diagnostic> {
    let Some(mut bound) = types_of_targets(schema) else { return Vec::new() };
    let for_target = |mode: &&Mode| mode.target.is_none_or(|target| schema.targets().contains(&target));
    let in_tests = |mode: &&Mode| !schema.targets().contains(&mode.predicate);
    let (mut reached, mut left) =
        (HashSet::default(), Vec::from_iter(schema.modes().iter().filter(for_target).filter(in_tests)));
    loop {
        let before = left.len();
        left.retain(|mode| {
            let is_reached = missing_type(mode, &bound).is_none();
            if is_reached {
                reached.insert(mode.predicate);
                bound.extend(mode.args.iter().filter(|slot| slot.symbol.may_be_new()).map(|slot| slot.type_id));
            }
            !is_reached
        });
        if left.len() == before {
            break;
        }
    }
    let names: Vec<&str> = schema.types().filter(|id| bound.contains(id)).map(|id| schema.type_name(id)).collect();
    let warning = |mode: &Mode| {
        let missing = schema.type_name(missing_type(mode, &bound)?);
        let message = format!(
            "no test uses {}: its mode requires a bound variable of type {missing}, which neither the target nor another mode introduces",
            predicates.show(mode.predicate)
        );
        let help = format!(
            "{}add a mode with `-{missing}`, or use one of the types {}",
            did_you_mean(missing, names.iter().copied()),
            names.join(", ")
        );
        Some(Diagnostic::warning("unreachable-mode", message, help))
    };
    left.into_iter().filter(|mode| reached.insert(mode.predicate)).filter_map(warning).collect()
}

/// Returns the types of the head variables; `None` if a mode of a target is missing.
fn types_of_targets(schema: &Schema) -> Option<HashSet<TypeId>> {
    let types: Option<Vec<_>> = schema.targets().iter().map(|&target| schema.argument_types(target)).collect();
    types.filter(|types| !types.is_empty()).map(|types| types.concat().into_iter().collect())
}

/// Returns the type of the first argument of a mode that must be a bound variable and cannot be
/// one.
fn missing_type(mode: &Mode, bound: &HashSet<TypeId>) -> Option<TypeId> {
    let must_be_bound = |symbol: ModeSymbol| !symbol.may_be_new() && !symbol.may_be_constant();
    let slot = mode.args.iter().find(|slot| must_be_bound(slot.symbol) && !bound.contains(&slot.type_id))?;
    Some(slot.type_id)
}

/// Warns about constants that occur with two types.
///
/// Numbers are exempt: the same number may be an age here and a year there.
fn constants_of_two_types(from: &TimeInputs<'_>) -> Vec<Diagnostic> {
    const NONE: u16 = u16::MAX;
    let TimeInputs { symbols, predicates, schema, facts } = *from;
    let mut first_type = vec![NONE; symbols.names()];
    let mut seen: HashSet<(Constant, TypeId)> = HashSet::default();
    let mut clashes: IndexMap<(TypeId, TypeId), Clash> = IndexMap::default();
    for id in predicates.iter() {
        for (position, &here) in schema.argument_types(id).unwrap_or_default().iter().enumerate() {
            facts.relation(id).for_each_value(position, |constant| {
                let Some(first) = constant.name_index().and_then(|i| first_type.get_mut(i)) else { return };
                if *first == NONE {
                    *first = here.0;
                } else if *first != here.0 && seen.insert((constant, here)) {
                    let clash = Clash { constant, predicate: id, position, count: 0 };
                    clashes.entry((TypeId(*first), here)).or_insert(clash).count += 1;
                }
            });
        }
    }
    let warning = |(&(first, second), clash): (&(TypeId, TypeId), &Clash)| {
        let [first, second] = [first, second].map(|id| schema.type_name(id));
        let Clash { constant, predicate, position, count: n } = *clash;
        let (example, shown) = (symbols.show(constant), predicates.show(predicate));
        Diagnostic::warning(
            "constant-of-two-types",
            format!(
                "{} both as {first} and as {second}, such as {example} in argument {} of {shown}",
                counted_as(n, "constant occurs", "constants occur"),
                position + 1
            ),
            "clauses never join arguments of different types: use one type in the modes if these constants are the same entities",
        )
    };
    clashes.iter().map(warning).collect()
}

/// Constants that occur with two types.
struct Clash {
    constant: Constant,
    predicate: PredicateId,
    position: usize,
    count: usize,
}
