//! Explanations compared with reference implementations: active rules and first groundings with an
//! exhaustive search, contributions with ψ, and decision flips with scores on the changed facts.

use std::path::Path;

use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{Database, DatabaseBuilder, Fact, FactChange, naive};
use lrbm::internal::logic::rule::parse_rules;
use lrbm::internal::logic::{Argument, Constant, Literal, PredicateId};
use lrbm::internal::rbm::Network;
use lrbm::internal::rbm::network::explain::{Explainer, Explanation, FlipOptions, Grounding, substitute};
use proptest::prelude::*;

/// Random facts and rules.
struct World {
    facts: Vec<Fact>,
    arities: Vec<usize>,
    network: Network,
    /// Whether no literal is negated.
    positive: bool,
}

/// Two names and two numbers.
const CONSTANTS: [&str; 4] = ["c0", "c1", "1.5", "4"];

fn constant(i: usize) -> Constant {
    // Ids of numbers start at 2³¹.
    Constant::from_id([0, 1, 1 << 31, (1 << 31) + 1][i])
}

fn draw<T: Copy>(stream: &mut Stream, from: &[T]) -> T {
    from[stream.index(from.len())]
}

impl World {
    fn new(seed: u64) -> World {
        let stream = &mut Stream::new(seed, &["world"]);
        let positive = stream.index(2) == 0;
        // The target comes first.
        let arities: Vec<usize> = (0..4).map(|_| 1 + stream.index(2)).collect();
        let mut facts = Vec::new();
        for (p, &arity) in arities.iter().enumerate().skip(1) {
            for _ in 0..stream.index(8) {
                let args = (0..arity).map(|_| constant(stream.index(4))).collect();
                facts.push(Fact { predicate: PredicateId(p as u32), args });
            }
        }
        facts.sort();
        facts.dedup();
        let head = ["_A", "_B"][..arities[0]].join(", ");
        let mut text = format!("{:.3} p0({head}).\n", 4.0 * stream.unit() - 2.0);
        for _ in 0..1 + stream.index(5) {
            let mut parts = vec![conjunction(stream, &arities, "x", positive)];
            for k in 0..stream.index(3) {
                let body = conjunction(stream, &arities, &format!("y{k}"), positive);
                let at_least = draw(stream, &[1, 1, 2, 3]);
                let not = draw(stream, &["", "not "]);
                parts.push(match at_least {
                    1 if not.is_empty() => format!("exists ({body})"),
                    1 => format!("not ({body})"),
                    k => format!("{not}at_least({k}, ({body}))"),
                });
            }
            text += &format!("{:.3} p0({head}) :- {}.\n", 6.0 * stream.unit() - 3.0, parts.join(", "));
        }
        let rules = parse_rules(Path::new("rules"), &text).unwrap_or_else(|error| panic!("{text}{error}"));
        let network = Network::from_rules(&rules, 1.0).unwrap_or_else(|error| panic!("{text}{error}"));
        World { facts, arities, network, positive }
    }

    /// Builds a database of these facts; names have the same ids in all databases.
    fn database(&self, facts: &[Fact]) -> Database {
        let mut builder = DatabaseBuilder::new();
        for (i, name) in CONSTANTS.into_iter().enumerate() {
            let known = match name.parse() {
                Ok(number) => builder.symbols.intern_number(number),
                Err(_) => builder.symbols.intern(name),
            };
            assert_eq!(known.unwrap(), constant(i));
        }
        for (p, &arity) in self.arities.iter().enumerate() {
            builder.predicates.intern(&format!("p{p}"), arity);
        }
        facts.iter().for_each(|fact| builder.fact(fact.predicate, &fact.args).unwrap());
        builder.build(None).unwrap().0
    }

    /// Returns the facts after a change.
    fn changed(&self, change: &FactChange) -> Vec<Fact> {
        let mut facts = self.facts.clone();
        match change {
            FactChange::Remove(fact) => {
                assert!(facts.contains(fact), "a removed fact exists");
                facts.retain(|other| other != fact);
            }
            FactChange::Add(fact) => {
                assert!(!facts.contains(fact), "an added fact is new");
                facts.push(fact.clone());
            }
        }
        facts
    }

    /// Returns P(true) by the naive evaluator.
    fn naive_probability(&self, facts: &[Fact], args: &[Constant]) -> f64 {
        self.network.infer(&self.database(facts), PredicateId(0), args).probabilities[1]
    }
}

/// Returns random literals; names of variables beyond the head's end in `own`.
fn conjunction(stream: &mut Stream, arities: &[usize], own: &str, positive: bool) -> String {
    let literal = |stream: &mut Stream| {
        let p = 1 + stream.index(3);
        let arg = |stream: &mut Stream| match stream.index(8) {
            0 => draw(stream, &CONSTANTS).to_owned(),
            k if k < 4 => ["_A", "_B"][stream.index(arities[0])].to_owned(),
            _ => format!("{}{own}", draw(stream, &["U", "V"])),
        };
        let args: Vec<String> = (0..arities[p]).map(|_| arg(stream)).collect();
        let not = if !positive && stream.index(4) == 0 { "\\+ " } else { "" };
        format!("{not}p{p}({})", args.join(", "))
    };
    let mut literals: Vec<String> = (0..1 + stream.index(3)).map(|_| literal(stream)).collect();
    if stream.index(3) == 0 {
        let binds = |name: &String| literals.iter().any(|text| !text.starts_with('\\') && text.contains(name.as_str()));
        let mut known: Vec<String> = ["U", "V"].map(|name| format!("{name}{own}")).into_iter().filter(binds).collect();
        known.extend(["_A", "_B"][..arities[0]].iter().map(|&name| name.to_owned()));
        let left = known[stream.index(known.len())].clone();
        known.extend(["2", "4"].map(str::to_owned));
        let not = if !positive && stream.index(4) == 0 { "\\+ " } else { "" };
        let sign = draw(stream, &["<=", "<", ">", ">="]);
        literals.push(format!("{not}{left} {sign} {}", known[stream.index(known.len())]));
    }
    literals.join(", ")
}

/// Returns the first grounding in the documented order, by trying every fact for every literal.
fn first_grounding(database: &Database, body: &[Literal], bound: Grounding) -> Option<Grounding> {
    let Some(next) = body.iter().position(|literal| !literal.is_check()) else {
        let target = PredicateId(0);
        let arity = database.predicates.arity(target);
        let head: Vec<Constant> = bound[..arity].iter().map(|c| c.unwrap()).collect();
        return naive::covers(database, &substitute(body, &bound), target, &head).then_some(bound);
    };
    let mut facts: Vec<Vec<Constant>> =
        database.facts.relation(body[next].predicate).iter().map(|row| row.to_vec()).collect();
    facts.sort();
    let rest = [&body[..next], &body[next + 1..]].concat();
    facts.iter().find_map(|fact| {
        let mut bound = bound.clone();
        for (arg, &constant) in body[next].args.iter().zip(fact) {
            let known = match arg {
                Argument::Constant(own) => *own,
                Argument::Number(_) => unreachable!("numbers occur in comparisons only"),
                Argument::Variable(v) => *bound[v.0 as usize].get_or_insert(constant),
            };
            if known != constant {
                return None;
            }
        }
        first_grounding(database, &rest, bound)
    })
}

/// Checks the active rules of an explanation: groundings, facts and conditions.
fn check_fired(world: &World, explainer: &Explainer<'_>, explanation: &Explanation) {
    let database = explainer.database();
    let target = PredicateId(0);
    let expected = world.network.infer(database, target, &explanation.args);
    let mut nodes: Vec<usize> = explanation.fired.iter().map(|fired| fired.node).collect();
    nodes.sort();
    let active: Vec<usize> = (0..expected.witnesses.len()).filter(|&j| expected.witnesses[j].is_some()).collect();
    assert_eq!(nodes, active);
    for fired in &explanation.fired {
        let rule = &explainer.rules()[fired.node];
        let mut head: Grounding = explanation.args.iter().copied().map(Some).collect();
        head.resize(fired.grounding.len(), None);
        assert_eq!(first_grounding(database, rule.body(), head).as_ref(), Some(&fired.grounding));
        assert!(fired.facts.iter().all(|fact| world.facts.contains(fact)));
        let ground = substitute(rule.body(), &fired.grounding);
        assert!(naive::covers(database, &ground, target, &explanation.args));
        for literal in ground.iter().filter(|literal| !literal.is_check()) {
            let states = |fact: &Fact| {
                let same = |(arg, constant): (&Argument, &Constant)| *arg == Argument::Constant(*constant);
                fact.predicate == literal.predicate && literal.args.iter().zip(&fact.args).all(same)
            };
            assert_eq!(fired.facts.iter().filter(|fact| states(fact)).count(), 1, "each used fact is listed once");
        }
        let absent = |literal: &&Literal| literal.negated && literal.comparison().is_none();
        assert_eq!(fired.absent.len(), rule.body().iter().filter(absent).count());
        for (checked, condition) in fired.conditions.iter().zip(rule.conditions()) {
            let number = naive::count(database, &condition.body, target, &explanation.args);
            assert_eq!(checked.number as usize, number.min(condition.at_least as usize));
            assert_eq!(checked.grounding.is_some(), number > 0);
            assert_eq!(checked.holds, number >= condition.at_least as usize, "state of a condition");
            assert!(checked.facts.iter().all(|fact| world.facts.contains(fact)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn explanations_agree_with_the_naive_evaluator(seed: u64, threshold in 0.2..0.8f64) {
        let world = World::new(seed);
        let stream = &mut Stream::new(seed, &["queries"]);
        let mut explainer = Explainer::new(&world.network, world.database(&world.facts), PredicateId(0)).unwrap();
        for _ in 0..3 {
            let args: Vec<Constant> = (0..world.arities[0]).map(|_| constant(stream.index(4))).collect();
            let options = FlipOptions { threshold, budget: 300 };
            let explanation = explainer.explain(&args, &options).unwrap();
            check_fired(&world, &explainer, &explanation);
            // Contributions sum to ψ and are sorted by magnitude.
            let expected = world.naive_probability(&world.facts, &args);
            let found = explanation.probabilities[1];
            prop_assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            let sum = explanation.fired.iter().fold(explanation.prior_log_odds, |sum, fired| sum + fired.contribution);
            prop_assert!((sum - explanation.psi).abs() < 1e-12);
            prop_assert!(((expected / (1.0 - expected)).ln() - explanation.psi).abs() < 1e-9);
            prop_assert!(explanation.fired.windows(2).all(|pair| pair[0].contribution.abs() >= pair[1].contribution.abs()));
            prop_assert_eq!(explanation.decision, usize::from(expected > threshold));
            // Every reported flip is confirmed by the naive evaluator on a new database.
            let flips = &explanation.flips;
            for flip in flips.found.iter().chain(&flips.closest) {
                let with = world.naive_probability(&world.changed(&flip.change), &args);
                prop_assert!((flip.probabilities[1] - with).abs() < 1e-12);
                prop_assert_eq!(flip.decision, usize::from(with > threshold));
            }
            prop_assert!(flips.found.iter().all(|flip| flip.decision != explanation.decision));
            prop_assert!(flips.closest.iter().all(|flip| flip.decision == explanation.decision));
            // Without negation, removing a fact changes a rule only if the fact is in one of the
            // first k groundings of an at-least-k condition; so no such fact is missed.
            if world.positive && flips.untried == 0 {
                for fact in &world.facts {
                    let removal = FactChange::Remove(fact.clone());
                    let without = world.naive_probability(&world.changed(&removal), &args);
                    let flips_decision = (without > threshold) != (explanation.decision == 1);
                    prop_assert_eq!(flips.found.iter().any(|flip| flip.change == removal), flips_decision, "{:?}", fact);
                }
            }
            // Explaining does not change the state of the explainer.
            prop_assert_eq!(explainer.explain(&args, &options).unwrap(), explanation);
        }
    }
}

#[test]
fn random_worlds_have_active_rules_and_flips() {
    // Guards against a vacuous property above.
    let (mut fired, mut found, mut removals, mut additions, mut conditions) = (0, 0, 0, 0, 0);
    for seed in 0..300 {
        let world = World::new(seed);
        let mut explainer = Explainer::new(&world.network, world.database(&world.facts), PredicateId(0)).unwrap();
        let args = vec![constant(0); world.arities[0]];
        let explanation = explainer.explain(&args, &FlipOptions::default()).unwrap();
        fired += explanation.fired.len();
        conditions += explanation.fired.iter().map(|fired| fired.conditions.len()).sum::<usize>();
        found += usize::from(!explanation.flips.found.is_empty());
        removals += explanation.flips.found.iter().filter(|flip| matches!(flip.change, FactChange::Remove(_))).count();
        additions += explanation.flips.found.iter().filter(|flip| matches!(flip.change, FactChange::Add(_))).count();
    }
    assert!(
        fired > 100 && conditions > 50 && found > 50 && removals > 20 && additions > 50,
        "{fired} {conditions} {found} {removals} {additions}"
    );
}
