use super::*;
use crate::kb::sample::{self, constants};
use crate::kb::{FactChange, TimeRule, TimeSource};
use crate::rbm::network::Hidden;
use crate::rbm::network::tests::{QUERY, network};

/// The people of the tutorial: where they live and what they work on.
const STAFF: &str = "mode: town(+person, -town). mode: topic(+person, -topic). mode: collaborate(+person, +person).
    town(ann, rome). town(ben, rome). town(cid, rome). town(dee, rome). town(eve, oslo). town(fay, oslo).
    topic(ann, logic). topic(ben, logic). topic(cid, trees). topic(dee, nets). topic(ann, trees). topic(ben, nets).
    topic(cid, ethics). topic(dee, ethics). topic(eve, logic). topic(fay, trees).";

/// Rules written as clauses, the first `bodies` of which are bodies and the others things that must not be, each with what it is
/// worth for the second class.
fn by_hand(target: (&str, usize), prior: f64, clauses: &str, bodies: usize, worth: &[f64]) -> Network {
    let (database, clauses, _) = sample::build(clauses, None);
    let classes = crate::rbm::network::two_classes();
    let mut network = Network::new(target, classes, vec![0.0, prior], "by hand");
    for (k, ((_, body), &worth)) in clauses.into_iter().zip(worth).enumerate() {
        let rule = match k < bodies {
            true => Rule::new(body, Vec::new(), target.1),
            false => Rule::new(Vec::new(), vec![Condition { holds: false, at_least: 1, body }], target.1),
        };
        let rule = network.own(&rule, database.names()).unwrap();
        network.push(Hidden::indicator(rule, &[0.0, worth]));
    }
    network
}

/// Same town and topic: 5; not the same town: −1; before that, −1.5.
fn staff() -> Network {
    let clauses = "collaborate(A, B) :- town(A, C), town(B, C), topic(A, D), topic(B, D).
        collaborate(A, B) :- town(A, C), town(B, C).";
    by_hand(("collaborate", 2), -1.5, clauses, 1, &[5.0, -1.0])
}

struct Asking<'n> {
    explainer: Explainer<'n>,
}

impl<'n> Asking<'n> {
    fn new(network: &'n Network, text: &str, time: Option<&TimeRule>) -> Self {
        let (mut builder, _) = sample::read(text);
        let target = builder.predicates.intern(network.target_name(), network.target_arity());
        let (database, _) = builder.build(time).unwrap();
        Asking { explainer: Explainer::new(network, database, target).unwrap() }
    }

    fn ask<const N: usize>(&mut self, args: [&str; N]) -> Explanation {
        let args = constants(self.explainer.database(), args);
        let first = self.explainer.explain(&args, &FlipOptions::default()).unwrap();
        let again = self.explainer.explain(&args, &FlipOptions::default()).unwrap();
        assert_eq!(first, again, "asking changes nothing");
        first
    }

    fn facts(&self, facts: &[Fact]) -> Vec<String> {
        facts.iter().map(|fact| self.explainer.database().show_fact(fact).to_string()).collect()
    }

    fn grounding(&self, grounding: &Grounding) -> Vec<String> {
        let show =
            |c: &Option<Constant>| c.map_or("-".into(), |c| self.explainer.database().symbols.show(c).to_string());
        grounding.iter().map(show).collect()
    }

    fn flips(&self, flips: &Flips) -> Vec<String> {
        let show = |flip: &Flip| {
            let sign = if matches!(flip.change, FactChange::Add(_)) { '+' } else { '-' };
            let fact = self.explainer.database().show_fact(flip.change.fact());
            format!("{sign}{fact} {:.4}", flip.probabilities[1])
        };
        flips.found.iter().map(show).collect()
    }
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} {b}");
}

#[test]
fn people_who_share_town_and_topic() {
    let network = staff();
    let mut asking = Asking::new(&network, STAFF, None);
    let said = asking.ask(["ann", "ben"]);
    close(said.psi, -1.5 + 5.0);
    close(said.before, -1.5);
    close(said.probabilities[1], sigmoid(3.5));
    assert_eq!((said.decision, said.compared), (1, [1, 0]));
    let [fired] = &said.fired[..] else { panic!("{said:?}") };
    assert_eq!(fired.node, 0);
    close(fired.adds, 5.0);
    assert_eq!(asking.grounding(&fired.grounding), ["ann", "ben", "rome", "logic"]);
    let facts = ["town(ann,rome)", "town(ben,rome)", "topic(ann,logic)", "topic(ben,logic)"];
    assert_eq!(asking.facts(&fired.facts), facts);
    // Without the town they are not of the same town either, −2.5; without the topic nothing holds, −1.5.
    let expected =
        ["-town(ann,rome) 0.0759", "-town(ben,rome) 0.0759", "-topic(ann,logic) 0.1824", "-topic(ben,logic) 0.1824"];
    assert_eq!(asking.flips(&said.flips), expected);
    assert_eq!((said.flips.tried, said.flips.untried, said.flips.cut), (4, 0, false));
}

#[test]
fn what_false_branches_ruled_out_and_what_is_missing() {
    let network = staff();
    let mut asking = Asking::new(&network, STAFF, None);
    let said = asking.ask(["ann", "eve"]);
    close(said.psi, -2.5);
    let [fired] = &said.fired[..] else { panic!("{said:?}") };
    assert_eq!((fired.node, fired.facts.len()), (1, 0));
    let [checked] = &fired.conditions[..] else { panic!("{fired:?}") };
    assert_eq!((checked.holds, checked.at_least, checked.number, &checked.grounding), (false, 1, 0, &None));
    let database = asking.explainer.database();
    let body =
        crate::logic::clause::show_conjunction(&checked.body, &database.predicates, &database.symbols).to_string();
    assert_eq!(body, "town(ann, C), town(eve, C)");
    // One more town for either would do; they share logic.
    assert_eq!(asking.flips(&said.flips), ["+town(ann,oslo) 0.9707", "+town(eve,rome) 0.9707"]);
    // Same town, no common topic: one of the other's.
    let said = asking.ask(["ann", "dee"]);
    assert!(said.fired.is_empty());
    let expected = ["nets", "ethics"].map(|topic| format!("+topic(ann,{topic}) 0.9707"));
    let more = ["logic", "trees"].map(|topic| format!("+topic(dee,{topic}) 0.9707"));
    assert_eq!(asking.flips(&said.flips), [expected, more].concat());
    // Two facts are missing, so no single one turns it, but one comes closer.
    let said = asking.ask(["dee", "eve"]);
    assert!(said.flips.found.is_empty());
    let closest = said.flips.closest.unwrap();
    assert_eq!(asking.facts(&[closest.change.fact().clone()]), ["town(dee,oslo)"]);
    close(closest.probabilities[1], sigmoid(-1.5));
}

#[test]
fn negated_literals_and_facts_that_stand_in_the_way() {
    let network = by_hand(("smokes", 1), -1.0, r"smokes(X) :- friends(X, Y), \+ rich(Y).", 1, &[4.0]);
    let types = "mode: friends(+person, -person). mode: rich(+person). mode: smokes(+person).";
    // Nobody is rich, so the data do not know the word.
    let mut asking =
        Asking::new(&network, &format!("{}friends(ann, bob).", types.replace("mode: rich(+person).", "")), None);
    let said = asking.ask(["ann"]);
    assert_eq!(asking.facts(&said.fired[0].facts), ["friends(ann,bob)"]);
    assert_eq!(said.fired[0].absent.len(), 1);
    assert_eq!(asking.flips(&said.flips), ["-friends(ann,bob) 0.2689", "+rich(bob) 0.2689"]);
    let mut asking = Asking::new(&network, &format!("{types}friends(ann, bob). rich(bob)."), None);
    let said = asking.ask(["ann"]);
    assert!(said.fired.is_empty());
    // Ann could be her own friend: the search knows types, not sense.
    assert_eq!(asking.flips(&said.flips), ["-rich(bob) 0.9526", "+friends(ann,ann) 0.9526"]);
}

#[test]
fn numbers_of_groundings_are_told() {
    let (database, clauses, _) = sample::build("busy(X) :- task(X, Y).", None);
    let mut network = Network::new(("busy", 1), crate::rbm::network::two_classes(), vec![0.0, -2.0], "by hand");
    for holds in [true, false] {
        let condition = Condition { holds, at_least: 3, body: clauses[0].1.clone() };
        let rule = network.own(&Rule::new(Vec::new(), vec![condition], 1), database.names()).unwrap();
        network.push(Hidden::indicator(rule, &[0.0, if holds { 5.0 } else { -1.0 }]));
    }
    let text = "task(ann, a). task(ann, b). task(bob, a). task(bob, b). task(bob, c).";
    let mut asking = Asking::new(&network, text, None);
    let said = asking.ask(["ann"]);
    let checked = &said.fired[0].conditions[0];
    assert_eq!((said.fired.len(), checked.holds, checked.at_least, checked.number), (1, false, 3, 2));
    // Constants come from the query and from what is grounded: there is nothing else that ann could be given but herself.
    assert_eq!(asking.flips(&said.flips), ["+task(ann,ann) 0.9526"]);
    let said = asking.ask(["bob"]);
    let checked = &said.fired[0].conditions[0];
    assert_eq!((checked.holds, checked.at_least, checked.number), (true, 3, 3));
    assert_eq!(asking.facts(&checked.facts), ["task(bob,a)"]);
    assert_eq!(asking.flips(&said.flips), ["a", "b", "c"].map(|task| format!("-task(bob,{task}) 0.0474")));
    // With one more, no single one is missed.
    let mut asking = Asking::new(&network, &format!("{text} task(bob, d)."), None);
    assert!(asking.ask(["bob"]).flips.found.is_empty());
}

#[test]
fn what_lies_in_the_future_is_neither_witness_nor_proposal() {
    let network = by_hand(("good", 1), -1.0, "good(X) :- cites(Y, X), by(Y, Z).", 1, &[4.0]);
    let types = "mode: year(+paper, #year). mode: cites(+paper, -paper). mode: by(+paper, -who). mode: good(+paper).";
    let text =
        format!("{types} year(old, 1). year(mid, 2). year(new, 3). cites(new, old). by(new, ann). by(mid, bob).");
    let time = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: Vec::new() };
    let mut asking = Asking::new(&network, &text, Some(&time));
    let said = asking.ask(["old"]);
    assert!(said.fired.is_empty() && said.flips.found.is_empty(), "{said:?}");
    let mut asking = Asking::new(&network, &text, None);
    let said = asking.ask(["old"]);
    assert_eq!(asking.facts(&said.fired[0].facts), ["cites(new,old)", "by(new,ann)"]);
}

#[test]
fn many_classes_are_compared_by_the_two_most_likely() {
    let network = network();
    let facts = "actedIn(p1, m1). actedIn(p1, m2). actedIn(p2, m1). actedIn(p2, m2).";
    let mut asking = Asking::new(&network, &format!("{QUERY}{facts}"), None);
    let said = asking.ask(["p1", "p2"]);
    assert_eq!((said.decision, said.compared[0]), (3, 3));
    assert_eq!(said.fired.iter().map(|fired| fired.node).collect::<Vec<_>>(), [2]);
    let [one, other] = said.compared;
    close(said.psi, (said.probabilities[one] / said.probabilities[other]).ln());
    close(said.psi, said.before + said.fired.iter().map(|fired| fired.adds).sum::<f64>());
}

#[test]
fn a_query_has_the_arguments_of_the_target() {
    let network = staff();
    let mut asking = Asking::new(&network, STAFF, None);
    let args = constants(asking.explainer.database(), ["ann"]);
    let error = asking.explainer.explain(&args, &FlipOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "the query has 1 arguments, and collaborate has 2: give as many");
}

#[test]
fn a_small_budget_says_so() {
    let network = staff();
    let mut asking = Asking::new(&network, STAFF, None);
    let args = constants(asking.explainer.database(), ["ann", "dee"]);
    let ask = |asking: &mut Asking<'_>, budget| {
        asking.explainer.explain(&args, &FlipOptions { budget, ..FlipOptions::default() }).unwrap().flips
    };
    let whole = ask(&mut asking, 500);
    let part = ask(&mut asking, 1);
    assert_eq!((part.tried, part.tried + part.untried), (1, whole.tried));
    assert_eq!(ask(&mut asking, 0), Flips::default());
}

#[test]
fn thresholds_are_met_by_numbers_of_the_data() {
    let text = "mode: heavy(+thing). mode: mass(+thing, -kg). mode: older(+thing, -thing). mode: age(+thing, -years).
        mass(a, 3). mass(b, 9). mass(c, 5). mass(c, 2). age(a, 5). age(b, 7). older(a, b).";
    let rules =
        "-2 heavy(_). 4 heavy(A) :- mass(A, X), X > 4, X <= 8. 4 heavy(A) :- older(A, B), age(B, X), age(A, Y), Y > X.";
    let rules = crate::logic::rule::parse_rules(std::path::Path::new("rules"), rules).unwrap();
    let network = Network::from_rules(&rules, 1.0).unwrap();
    let mut asking = Asking::new(&network, text, None);
    let said = asking.ask(["c"]);
    close(said.psi, 2.0);
    assert_eq!(asking.grounding(&said.fired[0].grounding), ["c", "5"]);
    assert_eq!(asking.facts(&said.fired[0].facts), ["mass(c,5)"]);
    assert_eq!(asking.flips(&said.flips), ["-mass(c,5) 0.1192"]);
    // 3 is too light; of the masses in the data 5 is the only one in between. The second rule would need b at an age below 5, which is
    // the age of nobody; 5 itself is not below it.
    let said = asking.ask(["a"]);
    assert!(said.fired.is_empty());
    assert_eq!(asking.flips(&said.flips)[0], "+mass(a,5) 0.8808");
    assert!(asking.flips(&said.flips).iter().all(|flip| !flip.contains("age(b")), "{:?}", asking.flips(&said.flips));
    // A drawing has the comparisons as predicates of their own.
    assert!(network.to_svg().contains("&gt;/2") && network.to_dot().contains("mass(A, B), B > 4, B <= 8"));
}
