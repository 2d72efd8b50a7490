//! What in modes and facts does not fit together, each said once.

use super::facts::Facts;
use super::schema::{Disagreement, Schema, TypeId};
use super::time::Sources;
use crate::determinism::{HashSet, IndexMap};
use crate::logic::{Constant, Diagnostic, PredicateId, Predicates};

/// Everything worth a warning; facts of `time` need no mode.
pub(crate) fn find(from: &Sources<'_>, time: Option<PredicateId>) -> Vec<Diagnostic> {
    let mut found = disagreements(from.schema, from.predicates);
    found.extend(facts_without_mode(from, time));
    found.extend(modes_without_facts(from.schema, from.predicates, from.facts));
    found.extend(constants_of_two_types(from));
    found
}

fn disagreements<'a>(schema: &'a Schema, predicates: &'a Predicates) -> Vec<Diagnostic> {
    let mut seen = HashSet::default();
    let first = |d: &&Disagreement| seen.insert((d.predicate, d.position, d.later));
    let warning = |d: &Disagreement| {
        let (name, position) = (predicates.show(d.predicate), d.position + 1);
        let [kept, later] = [d.first, d.later].map(|id| schema.type_name(id));
        Diagnostic::warning(
            "modes-disagree-on-type",
            format!("argument {position} of {name} has type {kept} in its first mode and {later} in a later one"),
            format!("{kept} is believed; give the argument the same type in every mode"),
        )
    };
    schema.disagreements().iter().filter(first).map(warning).collect()
}

fn facts_without_mode<'a>(from: &'a Sources<'_>, time: Option<PredicateId>) -> impl Iterator<Item = Diagnostic> + 'a {
    let Sources { symbols, predicates, schema, facts } = *from;
    let unknown = move |id: &PredicateId| Some(*id) != time && schema.argument_types(*id).is_none();
    predicates.iter().filter(unknown).filter_map(move |id| {
        let relation = facts.relation(id);
        let example = relation.iter().next()?;
        let args: Vec<String> = example.iter().map(|constant| symbols.show(constant).to_string()).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        let (name, shown) = (predicates.name(id), predicates.show(id));
        let other = predicates.iter().find(|&o| predicates.name(o) == name && schema.argument_types(o).is_some());
        let help = match other {
            Some(other) => format!("the modes know {}: mend the facts or the modes", predicates.show(other)),
            None => format!("add a mode for {shown} if clauses should use it"),
        };
        let are = if relation.len() == 1 { "is" } else { "are" };
        let n = count(relation.len(), "fact");
        let message = format!("no mode knows {shown}, so its {n} {are} not used: {name}{args}");
        Some(Diagnostic::warning("fact-without-mode", message, help))
    })
}

fn modes_without_facts<'a>(
    schema: &'a Schema,
    predicates: &'a Predicates,
    facts: &'a Facts,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let is_target = |name: &str| schema.targets().iter().any(|&target| predicates.name(target) == name);
    // Targets have examples instead, and `recursive_p` stands for the target p itself.
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
                format!("there is a mode for {} but no fact", predicates.show(id)),
                "check how its name is written in the facts (case matters), or drop the mode",
            )
        })
}

/// Numbers are left out: the same number is an age here and a year there, and nobody takes them for one thing.
fn constants_of_two_types(from: &Sources<'_>) -> Vec<Diagnostic> {
    const NONE: u16 = u16::MAX;
    let Sources { symbols, predicates, schema, facts } = *from;
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
        let (example, place) = (symbols.show(constant), predicates.show(predicate));
        let occur = if n == 1 { "occurs" } else { "occur" };
        Diagnostic::warning(
            "constant-of-two-types",
            format!(
                "{} {occur} both as {first} and as {second}, such as {example} in argument {} of {place}",
                count(n, "constant"),
                position + 1
            ),
            "clauses never join arguments of different types: use one type in the modes if these are the same things",
        )
    };
    clashes.iter().map(warning).collect()
}

/// Constants of one type that occur under another.
struct Clash {
    constant: Constant,
    predicate: PredicateId,
    position: usize,
    count: usize,
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::super::time::{TimeRule, TimeSource};

    fn warnings(text: &str) -> Vec<String> {
        let (_, _, warnings) = sample::build(text, None);
        warnings.iter().map(|w| format!("{}: {}", w.code, w.message)).collect()
    }

    #[test]
    fn what_fits_together_needs_no_warning() {
        let text = "mode: friends(+person, -person). mode: age(+person, #years). mode: pages(+book, #count).
            friends(ann, bob). friends(ann, bob). age(ann, 7). pages(emma, 7).";
        assert_eq!(warnings(text), [""; 0]);
    }

    #[test]
    fn facts_that_no_mode_knows_are_named_once() {
        let text = "mode: p(+a). p(x). p(x, y). p(z, y). q(x). q(y). rain.";
        assert_eq!(
            warnings(text),
            [
                "fact-without-mode: no mode knows p/2, so its 2 facts are not used: p(x, y)",
                "fact-without-mode: no mode knows q/1, so its 2 facts are not used: q(x)",
                "fact-without-mode: no mode knows rain/0, so its 1 fact is not used: rain",
            ]
        );
    }

    #[test]
    fn modes_without_facts_are_named_unless_they_are_learned() {
        let (mut builder, _) = sample::read("mode: Likes(+a, -a). mode: t(+a). mode: recursive_t(+a). likes(x, y).");
        let t = builder.predicates.find("t", 1).unwrap();
        builder.schema.add_target(t);
        let (_, warnings) = builder.build(None).unwrap();
        let found: Vec<_> = warnings.iter().map(|w| (w.code, w.message.as_str())).collect();
        assert_eq!(
            found,
            [
                ("fact-without-mode", "no mode knows likes/2, so its 1 fact is not used: likes(x, y)"),
                ("mode-without-facts", "there is a mode for Likes/2 but no fact"),
            ]
        );
    }

    #[test]
    fn constants_of_two_types_are_counted() {
        let text = "mode: actor(+person). mode: movie(+film, -person). mode: long(+film). actor(ann). actor(bob).
            actor(emma). long(emma). movie(emma, ann). movie(bob, bob). movie(emma, dan).";
        assert_eq!(
            warnings(text),
            [
                "constant-of-two-types: 2 constants occur both as person and as film, such as bob in argument 1 of movie/2"
            ]
        );
    }

    #[test]
    fn modes_that_disagree_are_named_once() {
        let text = "mode: p(+a, -b). mode: p(-a, +c). mode: p(+a, +c). p(x, y).";
        assert_eq!(
            warnings(text),
            ["modes-disagree-on-type: argument 2 of p/2 has type b in its first mode and c in a later one"]
        );
    }

    #[test]
    fn the_time_predicate_needs_no_mode() {
        let rule = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: vec![] };
        let (_, _, warnings) = sample::build("mode: p(+a). p(x). year(x, 1).", Some(&rule));
        assert_eq!(warnings, []);
    }
}
