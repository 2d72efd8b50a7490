//! Tests of time limits.

use super::super::sample::{self, constants};
use super::super::time::{TimeRule, TimeSource};
use crate::logic::Constant;

fn rule(source: TimeSource, by_argument: &[&str]) -> TimeRule {
    TimeRule { source, by_argument: by_argument.iter().map(|&name| name.to_owned()).collect() }
}

fn by_facts(by_argument: &[&str]) -> TimeRule {
    rule(TimeSource::Predicate("year".into()), by_argument)
}

fn by_ids(type_name: &str) -> TimeRule {
    rule(TimeSource::Ids { type_name: type_name.into() }, &["cites"])
}

fn error(text: &str, rule: &TimeRule) -> String {
    sample::read(text).0.build(Some(rule)).unwrap_err().to_string()
}

#[test]
fn facts_are_visible_up_to_the_limit_and_citations_before_it() {
    let text = "year(old, 1990). year(new, 2000). cites(new, old). similar(new, old). similar(old, old).
        author(old, ann). author(new, ann). knows(ann, bob). rain. h(X) :- cites(X, X).";
    let (database, clauses, _) = sample::build(text, Some(&by_facts(&["cites"])));
    let target = clauses[0].0;
    let [old, new, ann, bob] = constants(&database, ["old", "new", "ann", "bob"]);
    let sees = |limit: Option<f64>| {
        let fact = |name: &str, args: &[Constant]| {
            database.visible(database.predicates.find(name, args.len()).unwrap(), args, limit)
        };
        let facts = [("cites", [new, old]), ("similar", [new, old]), ("similar", [old, old])];
        let more = [("author", [old, ann]), ("author", [new, ann]), ("knows", [ann, bob])];
        let mut seen: Vec<bool> = facts.iter().chain(&more).map(|(name, args)| fact(name, args)).collect();
        seen.push(fact("rain", &[]));
        seen.into_iter().map(|yes| if yes { 'x' } else { '-' }).collect::<String>()
    };
    assert_eq!(database.limit(target, &[old]), Some(1990.0));
    assert_eq!(database.limit(target, &[ann, new, old]), Some(2000.0));
    assert_eq!(database.limit(target, &[ann, bob]), None);
    assert_eq!(sees(Some(1980.0)), "-----xx");
    assert_eq!(sees(Some(1990.0)), "--xx-xx");
    assert_eq!(sees(Some(2000.0)), "-xxxxxx");
    assert_eq!(sees(Some(2001.0)), "xxxxxxx");
    assert_eq!(sees(None), "xxxxxxx");
    // cites(old, new) has the time of old only.
    let cites = database.predicates.find("cites", 2).unwrap();
    assert!(database.visible(cites, &[old, new], Some(1991.0)));
    assert!(!database.visible(cites, &[old, new], Some(1990.0)));
}

#[test]
fn ids_are_times_only_at_positions_of_the_timed_type() {
    let text = "mode: cites(+paper, -paper). mode: pages(+paper, #count). mode: age(+paper, #count).
        mode: h(+count, +paper). cites(\"hep-th/9402\", 9301). pages(9301, 9402). pages(\"hep-th/9402\", 12).
        age(draft, 3).";
    let (database, _, warnings) = sample::build(text, Some(&by_ids("paper")));
    let [pages, cites, h] = ["pages", "cites", "h"].map(|name| database.predicates.find(name, 2).unwrap());
    let [paper, number, count] = constants(&database, ["\"hep-th/9402\"", "9301", "9402"]);
    let times = database.times.as_ref().unwrap();
    assert_eq!(times.of_fact(cites, &[paper, number]), Some(9402.0));
    assert_eq!(times.of_fact(cites, &[number, paper]), Some(9301.0));
    assert_eq!(times.of_fact(pages, &[number, count]), Some(9301.0));
    assert_eq!(times.of_example(h, &[count, number]), Some(9301.0));
    let untimed: Vec<_> = warnings.iter().filter(|w| w.code == "entity-without-time").collect();
    assert_eq!(untimed.len(), 1);
    assert_eq!(untimed[0].message, "1 of the constants of type paper have no time, such as draft");
}

#[test]
fn numbers_have_times_only_at_positions_of_the_timed_type() {
    let text = "mode: year(+paper, #year). mode: cites(+paper, -paper). mode: pages(+paper, #count).
        year(17, 1990). year(18, 2000). cites(17, 18). pages(17, 18).";
    let (database, ..) = sample::build(text, Some(&by_facts(&[])));
    let [cites, pages] = ["cites", "pages"].map(|name| database.predicates.find(name, 2).unwrap());
    let both = constants(&database, ["17", "18"]);
    let times = database.times.as_ref().unwrap();
    assert_eq!(times.of_fact(cites, &both), Some(2000.0));
    assert_eq!(times.of_fact(pages, &both), Some(1990.0));
}

#[test]
fn a_fact_is_invisible_if_a_constant_hides_it_at_its_position() {
    let text = "mode: cites(+paper, -paper). mode: pages(+paper, #count). mode: age(+paper, #count).
        year(\"a1\", 1). year(b2, 2). year(7, 3). mode: year(+paper, #count).
        cites(\"a1\", b2). cites(b2, \"a1\"). cites(7, b2). cites(b2, 7). pages(b2, 7).
        pages(7, 7). age(draft, 3). age(c5, 1).";
    let mut invisible = 0;
    for rule in [by_facts(&["cites"]), by_facts(&[]), by_ids("paper"), by_ids("count")] {
        let (database, ..) = sample::build(text, Some(&rule));
        let times = database.times.as_ref().unwrap();
        for predicate in database.predicates.iter() {
            for fact in database.facts.relation(predicate).iter() {
                let args = fact.to_vec();
                for limit in [0.0, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0] {
                    let hides = |(position, &constant): (usize, &Constant)| {
                        times.at_position(predicate, position).is_some_and(|times| times.hides(constant, limit))
                    };
                    let is_visible = database.visible(predicate, &args, Some(limit));
                    assert_eq!(is_visible, !args.iter().enumerate().any(hides), "{args:?} at {limit}");
                    invisible += usize::from(!is_visible);
                }
            }
        }
    }
    assert!(invisible > 20);
}

#[test]
fn time_rules_that_do_not_match_the_facts_are_errors() {
    let facts = by_facts(&[]);
    assert_eq!(
        error("year(a, 1, 2). p(a).", &facts),
        "time: no facts of the form year(entity, number), only facts of year/3: name a predicate that has such facts"
    );
    assert_eq!(
        error("p(a).", &facts),
        "time: no facts of the form year(entity, number): name a predicate that has such facts"
    );
    assert_eq!(
        error("year(a, soon).", &facts),
        "time: the time in year(a, soon) is not a number: use numbers, or replace the times by their ranks"
    );
    assert_eq!(error("year(a, 2). year(a, 1).", &facts), "time: a has the times 1 and 2: keep one of them");
    assert!(error("year(17, 1).", &facts).contains("indistinguishable from any other 17: add a mode for year/2"));
    assert_eq!(
        error("mode: p(+author, -book). p(a, b). cites(a, b).", &by_ids("paper")),
        "time: unknown type paper; expected one of author, book"
    );
    assert_eq!(
        error("year(a, 1). p(a).", &by_facts(&["cites"])),
        "time: unknown predicate cites in by_argument; expected some of p, year"
    );
}
