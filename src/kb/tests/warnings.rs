//! Tests of the warnings about modes and facts.

use super::super::sample;
use super::super::time::{TimeRule, TimeSource};

fn warnings(text: &str) -> Vec<String> {
    let (_, _, warnings) = sample::build(text, None);
    warnings.iter().map(|w| format!("{}: {}", w.code, w.message)).collect()
}

#[test]
fn consistent_modes_and_facts_cause_no_warning() {
    let text = "mode: friends(+person, -person). mode: age(+person, #years). mode: pages(+book, #count).
        friends(ann, bob). friends(ann, bob). age(ann, 7). pages(emma, 7).";
    assert_eq!(warnings(text), [""; 0]);
}

#[test]
fn facts_without_mode_are_reported_once() {
    let text = "mode: p(+a). p(x). p(x, y). p(z, y). q(x). q(y). rain.";
    assert_eq!(
        warnings(text),
        [
            "fact-without-mode: no mode for p/2, so its 2 facts are ignored: p(x, y)",
            "fact-without-mode: no mode for q/1, so its 2 facts are ignored: q(x)",
            "fact-without-mode: no mode for rain/0, so its 1 fact is ignored: rain",
        ]
    );
}

#[test]
fn modes_without_facts_are_reported_except_for_targets() {
    let (mut builder, _) = sample::read("mode: Likes(+a, -a). mode: t(+a). mode: recursive_t(+a). likes(x, y).");
    let t = builder.predicates.find("t", 1).unwrap();
    builder.schema.add_target(t);
    let (_, warnings) = builder.build(None).unwrap();
    let found: Vec<_> = warnings.iter().map(|w| (w.code, w.message.as_str())).collect();
    assert_eq!(
        found,
        [
            ("fact-without-mode", "no mode for likes/2, so its 1 fact is ignored: likes(x, y)"),
            ("mode-without-facts", "Likes/2 has a mode but no facts"),
        ]
    );
}

#[test]
fn modes_that_require_a_type_nobody_introduces_are_reported() {
    let of_target = |text: &str| {
        let (mut builder, _) = sample::read(text);
        let target = builder.predicates.find("t", 1).unwrap();
        builder.schema.add_target(target);
        let (_, warnings) = builder.build(None).unwrap();
        let unreachable = warnings.into_iter().filter(|warning| warning.code == "unreachable-mode");
        unreachable.map(|warning| format!("{}; {}", warning.message, warning.help)).collect::<Vec<_>>()
    };
    // Types are introduced in any order, also by `-` of a mode that others make reachable.
    let reachable = "mode: t(+a). mode: r(+c, #n). mode: q(+b, ^c). mode: p(+a, -b).";
    assert_eq!(of_target(&format!("{reachable} p(x, y). q(y, z). r(z, one).")), [""; 0]);
    let misspelt = "mode: t(+person). mode: works(+persom, -firm). mode: big(+firm). mode: big(+person).";
    assert_eq!(
        of_target(&format!("{misspelt} works(x, y). big(y).")),
        [
            "no test uses works/2: its mode requires a bound variable of type persom, which neither the target nor another mode \
             introduces; did you mean `person`? add a mode with `-persom`, or use one of the types person"
        ]
    );
    // Without a mode of the target its types are unknown; modes of another target are no matter.
    assert_eq!(of_target("mode: p(+a). t(x). p(x)."), [""; 0]);
}

#[test]
fn constants_of_two_types_are_counted() {
    let text = "mode: actor(+person). mode: movie(+film, -person). mode: long(+film). actor(ann). actor(bob).
        actor(emma). long(emma). movie(emma, ann). movie(bob, bob). movie(emma, dan).";
    assert_eq!(
        warnings(text),
        ["constant-of-two-types: 2 constants occur both as person and as film, such as bob in argument 1 of movie/2"]
    );
}

#[test]
fn type_conflicts_between_modes_are_reported_once() {
    let text = "mode: p(+a, -b). mode: p(-a, +c). mode: p(+a, +c). p(x, y).";
    assert_eq!(warnings(text), ["modes-disagree-on-type: argument 2 of p/2 has type b in one mode and c in another"]);
}

#[test]
fn the_time_predicate_needs_no_mode() {
    let rule = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: vec![] };
    let (_, _, warnings) = sample::build("mode: p(+a). p(x). year(x, 1).", Some(&rule));
    assert_eq!(warnings, []);
}
