use super::*;
use crate::kb::sample::{self, constants};
use crate::kb::{Fact, FactChange, TimeRule, TimeSource};
use crate::logic::Constant;
use crate::math::sigmoid;
use crate::rbm::network::{Condition, Network, Rule};

use crate::rbm::network::Hidden;
use crate::rbm::network::tests::{QUERY, network};

/// The people of the tutorial, with their towns and topics.
const STAFF: &str = "mode: town(+person, -town). mode: topic(+person, -topic). mode: collaborate(+person, +person).
    town(ann, rome). town(ben, rome). town(cid, rome). town(dee, rome). town(eve, oslo). town(fay, oslo).
    topic(ann, logic). topic(ben, logic). topic(cid, trees). topic(dee, nets). topic(ann, trees). topic(ben, nets).
    topic(cid, ethics). topic(dee, ethics). topic(eve, logic). topic(fay, trees).";

/// Builds a network from clauses: the first `bodies` are rule bodies, the others negated
/// conditions, each with its contribution to the second class.
fn network_of(target: (&str, usize), prior: f64, clauses: &str, bodies: usize, contributions: &[f64]) -> Network {
    let (database, clauses, _) = sample::build(clauses, None);
    let classes = crate::rbm::network::two_classes();
    let mut network = Network::new(target, classes, vec![0.0, prior], "by hand");
    for (k, ((_, body), &contributions)) in clauses.into_iter().zip(contributions).enumerate() {
        let rule = match k < bodies {
            true => Rule::new(body, Vec::new(), target.1),
            false => Rule::new(Vec::new(), vec![Condition { holds: false, at_least: 1, body }], target.1),
        };
        let rule = network.adopt(&rule, database.names()).unwrap();
        network.push(Hidden::indicator(rule, &[0.0, contributions]));
    }
    network
}

/// Same town and topic: 5; not the same town: −1; prior −1.5.
fn staff() -> Network {
    let clauses = "collaborate(A, B) :- town(A, C), town(B, C), topic(A, D), topic(B, D).
        collaborate(A, B) :- town(A, C), town(B, C).";
    network_of(("collaborate", 2), -1.5, clauses, 1, &[5.0, -1.0])
}

struct Session<'n> {
    explainer: Explainer<'n>,
}

impl<'n> Session<'n> {
    fn new(network: &'n Network, text: &str, time: Option<&TimeRule>) -> Self {
        let (mut builder, _) = sample::read(text);
        let target = builder.predicates.intern(network.target_name(), network.target_arity());
        let (database, _) = builder.build(time).unwrap();
        Session { explainer: Explainer::new(network, database, target).unwrap() }
    }

    fn ask<const N: usize>(&mut self, args: [&str; N]) -> Explanation {
        let args = constants(self.explainer.database(), args);
        let first = self.explainer.explain(&args, &FlipOptions::default()).unwrap();
        let again = self.explainer.explain(&args, &FlipOptions::default()).unwrap();
        assert_eq!(first, again, "explaining changes nothing");
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
fn a_shared_town_and_topic_are_explained() {
    let network = staff();
    let mut session = Session::new(&network, STAFF, None);
    let explanation = session.ask(["ann", "ben"]);
    close(explanation.psi, -1.5 + 5.0);
    close(explanation.prior_log_odds, -1.5);
    close(explanation.probabilities[1], sigmoid(3.5));
    assert_eq!((explanation.decision, explanation.compared), (1, [1, 0]));
    let [fired] = &explanation.fired[..] else { panic!("{explanation:?}") };
    assert_eq!(fired.node, 0);
    close(fired.contribution, 5.0);
    assert_eq!(session.grounding(&fired.grounding), ["ann", "ben", "rome", "logic"]);
    let facts = ["town(ann,rome)", "town(ben,rome)", "topic(ann,logic)", "topic(ben,logic)"];
    assert_eq!(session.facts(&fired.facts), facts);
    // Without the town they are not of the same town either, −2.5; without the topic no rule is
    // true, −1.5.
    let expected =
        ["-town(ann,rome) 0.0759", "-town(ben,rome) 0.0759", "-topic(ann,logic) 0.1824", "-topic(ben,logic) 0.1824"];
    assert_eq!(session.flips(&explanation.flips), expected);
    assert_eq!((explanation.flips.tried, explanation.flips.untried, explanation.flips.cut), (4, 0, false));
}

#[test]
fn negated_conditions_and_missing_facts_are_explained() {
    let network = staff();
    let mut session = Session::new(&network, STAFF, None);
    let explanation = session.ask(["ann", "eve"]);
    close(explanation.psi, -2.5);
    let [fired] = &explanation.fired[..] else { panic!("{explanation:?}") };
    assert_eq!((fired.node, fired.facts.len()), (1, 0));
    let [checked] = &fired.conditions[..] else { panic!("{fired:?}") };
    assert_eq!((checked.holds, checked.at_least, checked.number, &checked.grounding), (false, 1, 0, &None));
    let database = session.explainer.database();
    let body =
        crate::logic::clause::show_conjunction(&checked.body, &database.predicates, &database.symbols).to_string();
    assert_eq!(body, "town(ann, C), town(eve, C)");
    // One more town for either would suffice; they share logic.
    assert_eq!(session.flips(&explanation.flips), ["+town(ann,oslo) 0.9707", "+town(eve,rome) 0.9707"]);
    // Same town, no common topic: a topic of the other.
    let explanation = session.ask(["ann", "dee"]);
    assert!(explanation.fired.is_empty());
    let expected = ["nets", "ethics"].map(|topic| format!("+topic(ann,{topic}) 0.9707"));
    let more = ["logic", "trees"].map(|topic| format!("+topic(dee,{topic}) 0.9707"));
    assert_eq!(session.flips(&explanation.flips), [expected, more].concat());
    // Two facts are missing, so no single one flips the decision, but one comes closer.
    let explanation = session.ask(["dee", "eve"]);
    assert!(explanation.flips.found.is_empty());
    let closest = explanation.flips.closest.unwrap();
    assert_eq!(session.facts(&[closest.change.fact().clone()]), ["town(dee,oslo)"]);
    close(closest.probabilities[1], sigmoid(-1.5));
}

#[test]
fn negated_literals_and_blocking_facts_are_explained() {
    let network = network_of(("smokes", 1), -1.0, r"smokes(X) :- friends(X, Y), \+ rich(Y).", 1, &[4.0]);
    let types = "mode: friends(+person, -person). mode: rich(+person). mode: smokes(+person).";
    // No fact of rich exists, so the data do not have the predicate.
    let mut session =
        Session::new(&network, &format!("{}friends(ann, bob).", types.replace("mode: rich(+person).", "")), None);
    let explanation = session.ask(["ann"]);
    assert_eq!(session.facts(&explanation.fired[0].facts), ["friends(ann,bob)"]);
    assert_eq!(explanation.fired[0].absent.len(), 1);
    assert_eq!(session.flips(&explanation.flips), ["-friends(ann,bob) 0.2689", "+rich(bob) 0.2689"]);
    let mut session = Session::new(&network, &format!("{types}friends(ann, bob). rich(bob)."), None);
    let explanation = session.ask(["ann"]);
    assert!(explanation.fired.is_empty());
    // Ann could be her own friend: the search respects types only.
    assert_eq!(session.flips(&explanation.flips), ["-rich(bob) 0.9526", "+friends(ann,ann) 0.9526"]);
}

#[test]
fn grounding_counts_are_reported() {
    let (database, clauses, _) = sample::build("busy(X) :- task(X, Y).", None);
    let mut network = Network::new(("busy", 1), crate::rbm::network::two_classes(), vec![0.0, -2.0], "by hand");
    for holds in [true, false] {
        let condition = Condition { holds, at_least: 3, body: clauses[0].1.clone() };
        let rule = network.adopt(&Rule::new(Vec::new(), vec![condition], 1), database.names()).unwrap();
        network.push(Hidden::indicator(rule, &[0.0, if holds { 5.0 } else { -1.0 }]));
    }
    let text = "task(ann, a). task(ann, b). task(bob, a). task(bob, b). task(bob, c).";
    let mut session = Session::new(&network, text, None);
    let explanation = session.ask(["ann"]);
    let checked = &explanation.fired[0].conditions[0];
    assert_eq!((explanation.fired.len(), checked.holds, checked.at_least, checked.number), (1, false, 3, 2));
    // Constants come from the query and the grounding: the only other constant for ann is herself.
    assert_eq!(session.flips(&explanation.flips), ["+task(ann,ann) 0.9526"]);
    let explanation = session.ask(["bob"]);
    let checked = &explanation.fired[0].conditions[0];
    assert_eq!((checked.holds, checked.at_least, checked.number), (true, 3, 3));
    assert_eq!(session.facts(&checked.facts), ["task(bob,a)"]);
    assert_eq!(session.flips(&explanation.flips), ["a", "b", "c"].map(|task| format!("-task(bob,{task}) 0.0474")));
    // With one more grounding, no single one is needed.
    let mut session = Session::new(&network, &format!("{text} task(bob, d)."), None);
    assert!(session.ask(["bob"]).flips.found.is_empty());
}

#[test]
fn facts_after_the_time_limit_are_neither_witnesses_nor_proposals() {
    let network = network_of(("good", 1), -1.0, "good(X) :- cites(Y, X), by(Y, Z).", 1, &[4.0]);
    let types = "mode: year(+paper, #year). mode: cites(+paper, -paper). mode: by(+paper, -who). mode: good(+paper).";
    let text =
        format!("{types} year(old, 1). year(mid, 2). year(new, 3). cites(new, old). by(new, ann). by(mid, bob).");
    let time = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: Vec::new() };
    let mut session = Session::new(&network, &text, Some(&time));
    let explanation = session.ask(["old"]);
    assert!(explanation.fired.is_empty() && explanation.flips.found.is_empty(), "{explanation:?}");
    let mut session = Session::new(&network, &text, None);
    let explanation = session.ask(["old"]);
    assert_eq!(session.facts(&explanation.fired[0].facts), ["cites(new,old)", "by(new,ann)"]);
}

#[test]
fn many_classes_are_compared_by_the_two_most_likely() {
    let network = network();
    let facts = "actedIn(p1, m1). actedIn(p1, m2). actedIn(p2, m1). actedIn(p2, m2).";
    let mut session = Session::new(&network, &format!("{QUERY}{facts}"), None);
    let explanation = session.ask(["p1", "p2"]);
    assert_eq!((explanation.decision, explanation.compared[0]), (3, 3));
    assert_eq!(explanation.fired.iter().map(|fired| fired.node).collect::<Vec<_>>(), [2]);
    let [one, other] = explanation.compared;
    close(explanation.psi, (explanation.probabilities[one] / explanation.probabilities[other]).ln());
    close(
        explanation.psi,
        explanation.prior_log_odds + explanation.fired.iter().map(|fired| fired.contribution).sum::<f64>(),
    );
}

#[test]
fn the_number_of_arguments_is_checked() {
    let network = staff();
    let mut session = Session::new(&network, STAFF, None);
    let args = constants(session.explainer.database(), ["ann"]);
    let error = session.explainer.explain(&args, &FlipOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "the query has 1 arguments; collaborate has 2");
}

#[test]
fn an_exhausted_budget_is_reported() {
    let network = staff();
    let mut session = Session::new(&network, STAFF, None);
    let args = constants(session.explainer.database(), ["ann", "dee"]);
    let ask = |session: &mut Session<'_>, budget| {
        session.explainer.explain(&args, &FlipOptions { budget, ..FlipOptions::default() }).unwrap().flips
    };
    let whole = ask(&mut session, 500);
    let part = ask(&mut session, 1);
    assert_eq!((part.tried, part.tried + part.untried), (1, whole.tried));
    assert_eq!(ask(&mut session, 0), Flips::default());
}

#[test]
fn thresholds_are_met_by_numbers_in_the_data() {
    let text = "mode: heavy(+thing). mode: mass(+thing, -kg). mode: older(+thing, -thing). mode: age(+thing, -years).
        mass(a, 3). mass(b, 9). mass(c, 5). mass(c, 2). age(a, 5). age(b, 7). older(a, b).";
    let rules =
        "-2 heavy(_). 4 heavy(A) :- mass(A, X), X > 4, X <= 8. 4 heavy(A) :- older(A, B), age(B, X), age(A, Y), Y > X.";
    let rules = crate::logic::rule::parse_rules(std::path::Path::new("rules"), rules).unwrap();
    let network = Network::from_rules(&rules, 1.0).unwrap();
    let mut session = Session::new(&network, text, None);
    let explanation = session.ask(["c"]);
    close(explanation.psi, 2.0);
    assert_eq!(session.grounding(&explanation.fired[0].grounding), ["c", "5"]);
    assert_eq!(session.facts(&explanation.fired[0].facts), ["mass(c,5)"]);
    assert_eq!(session.flips(&explanation.flips), ["-mass(c,5) 0.1192"]);
    // 3 is too light; of the masses in the data only 5 is in between. The second rule would need b
    // at an age below 5, which no person has; 5 itself is not below it.
    let explanation = session.ask(["a"]);
    assert!(explanation.fired.is_empty());
    assert_eq!(session.flips(&explanation.flips)[0], "+mass(a,5) 0.8808");
    assert!(
        session.flips(&explanation.flips).iter().all(|flip| !flip.contains("age(b")),
        "{:?}",
        session.flips(&explanation.flips)
    );
    // A drawing shows comparisons as predicates.
    assert!(network.to_svg().contains("&gt;/2") && network.to_dot().contains("mass(A, B), B > 4, B <= 8"));
}
