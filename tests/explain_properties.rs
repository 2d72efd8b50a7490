//! Explanations against slow, obvious readings of what they promise: what is said to hold holds, what is shown is the first that
//! there is, what rules add sums to ψ, and a fact that is said to turn a decision turns it.

use std::path::Path;

use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{Database, DatabaseBuilder, Fact, FactChange, naive};
use lrbm::internal::logic::rule::parse_rules;
use lrbm::internal::logic::{Argument, Constant, Literal, PredicateId};
use lrbm::internal::rbm::Network;
use lrbm::internal::rbm::network::explain::{Explainer, Explanation, FlipOptions, Grounding, substitute};
use proptest::prelude::*;

/// A small random world: facts, and rules about them.
struct World {
    facts: Vec<Fact>,
    arities: Vec<usize>,
    network: Network,
    /// Whether no literal is negated.
    plain: bool,
}

/// Two names and two numbers.
const CONSTANTS: [&str; 4] = ["c0", "c1", "1.5", "4"];

fn constant(i: usize) -> Constant {
    // Numbers count from 2³¹.
    Constant::from_id([0, 1, 1 << 31, (1 << 31) + 1][i])
}

fn draw<T: Copy>(stream: &mut Stream, from: &[T]) -> T {
    from[stream.index(from.len())]
}

impl World {
    fn new(seed: u64) -> World {
        let stream = &mut Stream::new(seed, &["world"]);
        let plain = stream.index(2) == 0;
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
            let mut parts = vec![conjunction(stream, &arities, "x", plain)];
            for k in 0..stream.index(3) {
                let body = conjunction(stream, &arities, &format!("y{k}"), plain);
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
        World { facts, arities, network, plain }
    }

    /// A database with these facts; names have the same numbers in all of them.
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

    /// The facts with one changed.
    fn changed(&self, change: &FactChange) -> Vec<Fact> {
        let mut facts = self.facts.clone();
        match change {
            FactChange::Remove(fact) => {
                assert!(facts.contains(fact), "what is taken away is there");
                facts.retain(|other| other != fact);
            }
            FactChange::Add(fact) => {
                assert!(!facts.contains(fact), "what is added is not there");
                facts.push(fact.clone());
            }
        }
        facts
    }

    /// P(true) by the slow evaluator.
    fn slow(&self, facts: &[Fact], args: &[Constant]) -> f64 {
        self.network.infer(&self.database(facts), PredicateId(0), args).probabilities[1]
    }
}

/// Literals whose variables beside the head's end in `own`.
fn conjunction(stream: &mut Stream, arities: &[usize], own: &str, plain: bool) -> String {
    let literal = |stream: &mut Stream| {
        let p = 1 + stream.index(3);
        let arg = |stream: &mut Stream| match stream.index(8) {
            0 => draw(stream, &CONSTANTS).to_owned(),
            k if k < 4 => ["_A", "_B"][stream.index(arities[0])].to_owned(),
            _ => format!("{}{own}", draw(stream, &["U", "V"])),
        };
        let args: Vec<String> = (0..arities[p]).map(|_| arg(stream)).collect();
        let not = if !plain && stream.index(4) == 0 { "\\+ " } else { "" };
        format!("{not}p{p}({})", args.join(", "))
    };
    let mut literals: Vec<String> = (0..1 + stream.index(3)).map(|_| literal(stream)).collect();
    if stream.index(3) == 0 {
        let binds = |name: &String| literals.iter().any(|text| !text.starts_with('\\') && text.contains(name.as_str()));
        let mut known: Vec<String> = ["U", "V"].map(|name| format!("{name}{own}")).into_iter().filter(binds).collect();
        known.extend(["_A", "_B"][..arities[0]].iter().map(|&name| name.to_owned()));
        let left = known[stream.index(known.len())].clone();
        known.extend(["2", "4"].map(str::to_owned));
        let not = if !plain && stream.index(4) == 0 { "\\+ " } else { "" };
        let sign = draw(stream, &["<=", "<", ">", ">="]);
        literals.push(format!("{not}{left} {sign} {}", known[stream.index(known.len())]));
    }
    literals.join(", ")
}

/// The first grounding by trying every fact for every literal, in the order that is promised.
fn first_by_trying(database: &Database, body: &[Literal], bound: Grounding) -> Option<Grounding> {
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
                Argument::Number(_) => unreachable!("numbers stand in comparisons"),
                Argument::Variable(v) => *bound[v.0 as usize].get_or_insert(constant),
            };
            if known != constant {
                return None;
            }
        }
        first_by_trying(database, &rest, bound)
    })
}

fn check_fired(world: &World, explainer: &Explainer<'_>, said: &Explanation) {
    let database = explainer.database();
    let target = PredicateId(0);
    let slow = world.network.infer(database, target, &said.args);
    let mut nodes: Vec<usize> = said.fired.iter().map(|fired| fired.node).collect();
    nodes.sort();
    let lit: Vec<usize> = (0..slow.witnesses.len()).filter(|&j| slow.witnesses[j].is_some()).collect();
    assert_eq!(nodes, lit);
    for fired in &said.fired {
        let rule = &explainer.rules()[fired.node];
        let mut head: Grounding = said.args.iter().copied().map(Some).collect();
        head.resize(fired.grounding.len(), None);
        assert_eq!(first_by_trying(database, rule.body(), head).as_ref(), Some(&fired.grounding));
        assert!(fired.facts.iter().all(|fact| world.facts.contains(fact)));
        let ground = substitute(rule.body(), &fired.grounding);
        assert!(naive::covers(database, &ground, target, &said.args));
        for literal in ground.iter().filter(|literal| !literal.is_check()) {
            let states = |fact: &Fact| {
                let same = |(arg, constant): (&Argument, &Constant)| *arg == Argument::Constant(*constant);
                fact.predicate == literal.predicate && literal.args.iter().zip(&fact.args).all(same)
            };
            assert_eq!(
                fired.facts.iter().filter(|fact| states(fact)).count(),
                1,
                "each fact that is used is told once"
            );
        }
        let absent = |literal: &&Literal| literal.negated && literal.comparison().is_none();
        assert_eq!(fired.absent.len(), rule.body().iter().filter(absent).count());
        for (checked, condition) in fired.conditions.iter().zip(rule.conditions()) {
            let number = naive::count(database, &condition.body, target, &said.args);
            assert_eq!(checked.number as usize, number.min(condition.at_least as usize));
            assert_eq!(checked.grounding.is_some(), number > 0);
            assert_eq!(checked.holds, number >= condition.at_least as usize, "the rule holds");
            assert!(checked.facts.iter().all(|fact| world.facts.contains(fact)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_said_is_so(seed: u64, threshold in 0.2..0.8f64) {
        let world = World::new(seed);
        let stream = &mut Stream::new(seed, &["queries"]);
        let mut explainer = Explainer::new(&world.network, world.database(&world.facts), PredicateId(0)).unwrap();
        for _ in 0..3 {
            let args: Vec<Constant> = (0..world.arities[0]).map(|_| constant(stream.index(4))).collect();
            let options = FlipOptions { threshold, budget: 300 };
            let said = explainer.explain(&args, &options).unwrap();
            check_fired(&world, &explainer, &said);
            // What rules add sums to ψ, largest first.
            let slow = world.slow(&world.facts, &args);
            prop_assert!((said.probabilities[1] - slow).abs() < 1e-12, "{} {slow}", said.probabilities[1]);
            let sum = said.fired.iter().fold(said.prior_log_odds, |sum, fired| sum + fired.contribution);
            prop_assert!((sum - said.psi).abs() < 1e-12);
            prop_assert!(((slow / (1.0 - slow)).ln() - said.psi).abs() < 1e-9);
            prop_assert!(said.fired.windows(2).all(|pair| pair[0].contribution.abs() >= pair[1].contribution.abs()));
            prop_assert_eq!(said.decision, usize::from(slow > threshold));
            // Every change that is said to turn the decision does, on facts read anew and with the slow evaluator.
            let flips = &said.flips;
            for flip in flips.found.iter().chain(&flips.closest) {
                let with = world.slow(&world.changed(&flip.change), &args);
                prop_assert!((flip.probabilities[1] - with).abs() < 1e-12);
                prop_assert_eq!(flip.decision, usize::from(with > threshold));
            }
            prop_assert!(flips.found.iter().all(|flip| flip.decision != said.decision));
            prop_assert!(flips.closest.iter().all(|flip| flip.decision == said.decision));
            // A fact whose loss changes a rule without negation is in one of the first k groundings of a part of it that asks for k,
            // so that no such fact is missed.
            if world.plain && flips.untried == 0 {
                for fact in &world.facts {
                    let removal = FactChange::Remove(fact.clone());
                    let turns = (world.slow(&world.changed(&removal), &args) > threshold) != (said.decision == 1);
                    prop_assert_eq!(flips.found.iter().any(|flip| flip.change == removal), turns, "{:?}", fact);
                }
            }
            // Asking leaves no trace.
            prop_assert_eq!(explainer.explain(&args, &options).unwrap(), said);
        }
    }
}

#[test]
fn the_worlds_are_worth_looking_at() {
    // Counts over many worlds, so that the property above is not about nothing.
    let (mut fired, mut found, mut removals, mut additions, mut conditions) = (0, 0, 0, 0, 0);
    for seed in 0..300 {
        let world = World::new(seed);
        let mut explainer = Explainer::new(&world.network, world.database(&world.facts), PredicateId(0)).unwrap();
        let args = vec![constant(0); world.arities[0]];
        let said = explainer.explain(&args, &FlipOptions::default()).unwrap();
        fired += said.fired.len();
        conditions += said.fired.iter().map(|fired| fired.conditions.len()).sum::<usize>();
        found += usize::from(!said.flips.found.is_empty());
        removals += said.flips.found.iter().filter(|flip| matches!(flip.change, FactChange::Remove(_))).count();
        additions += said.flips.found.iter().filter(|flip| matches!(flip.change, FactChange::Add(_))).count();
    }
    assert!(
        fired > 100 && conditions > 50 && found > 50 && removals > 20 && additions > 50,
        "{fired} {conditions} {found} {removals} {additions}"
    );
}
