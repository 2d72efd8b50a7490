//! LRNN against a naive oracle, and on planted rules.

use std::path::Path;

use crate::common::area::auc_roc;
use crate::common::params::params;
use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::folds::random_folds;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::determinism::HashMap;
use lrbm::internal::kb::{Database, DatabaseBuilder, Example, naive};
use lrbm::internal::learn::lrnn::{Family, Template};
use lrbm::internal::learn::{Kind, Learner, Lrnn, LrnnModel, Model, Resources, Task, train};
use lrbm::internal::logic::rule::parse_rules;
use lrbm::internal::logic::{Argument, Constant, Literal, PredicateId};
use lrbm::internal::math::sigmoid;
use proptest::prelude::*;

fn template(text: &str, target: (&str, usize)) -> Template {
    let rules = parse_rules(Path::new("rules.txt"), text).unwrap();
    Template::from_rules(&rules, target).unwrap()
}

fn fit(database: &Database, target: PredicateId, examples: &[Example], lrnn: &Lrnn) -> LrnnModel {
    let task = Task { database, target, examples, seed: 1, resources: Resources::default() };
    lrnn.fit(&task, &mut |_| {}).unwrap().model
}

/// Evaluates a ground atom by definition, over every substitution of every rule.
fn value(
    model: &LrnnModel,
    database: &Database,
    constants: &[Constant],
    predicate: PredicateId,
    args: &[Constant],
) -> Option<f64> {
    let template = model.template();
    let names = &template.predicates;
    let Some(head) = template.head_number(predicate) else {
        let id = database.predicates.find(names.name(predicate), args.len())?;
        return database.facts.relation(id).contains(args).then_some(1.0);
    };
    let mut sum = model.head_weight(head);
    let mut fired = head == 0;
    for (number, rule) in template.rules.iter().enumerate().filter(|(_, rule)| rule.head == predicate) {
        let variables = rule.body.iter().flat_map(Literal::variables).map(|v| v.0 as usize + 1).max().unwrap_or(0);
        let free = variables.max(args.len()) - args.len();
        let mut groundings = Vec::new();
        for mut code in 0..constants.len().pow(free as u32) {
            let mut bound = args.to_vec();
            for _ in 0..free {
                bound.push(constants[code % constants.len()]);
                code /= constants.len();
            }
            let atom = |literal: &Literal| {
                let args: Vec<Constant> = literal
                    .args
                    .iter()
                    .map(|arg| match *arg {
                        Argument::Number(_) => unreachable!("no template compares"),
                        Argument::Variable(variable) => bound[variable.0 as usize],
                        Argument::Constant(_) => unreachable!("these rules have no constants"),
                    })
                    .collect();
                value(model, database, constants, literal.predicate, &args)
            };
            if let Some(atoms) = rule.body.iter().map(atom).collect::<Option<Vec<f64>>>() {
                let (_, c) = model.rule_weights(number);
                groundings.push(sigmoid(atoms.iter().sum::<f64>() - atoms.len() as f64 + c));
            }
        }
        if groundings.is_empty() {
            continue;
        }
        fired = true;
        let joined = match model.family() {
            Family::Max => groundings.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Family::Avg => groundings.iter().sum::<f64>() / groundings.len() as f64,
        };
        sum += model.rule_weights(number).0 * joined;
    }
    fired.then(|| if head == 0 { sum } else { sigmoid(sum) })
}

const RULES: &str =
    "t(X) :- p(X, Y), h(Y). t(X) :- h(X), p(Y, X). t(X) :- k(X). h(Y) :- q(Y). h(Y) :- p(Y, Z), g(Z), p(Z, Y).
    g(Z) :- r(Z). g(Z) :- q(Z), p(Z, Z). k(X) :- p(X, Y), l(Y). l(X) :- r(X).";

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Unrolling with sharing and uniform rules gives the value of the definition.
    #[test]
    fn unrolled_networks_match_the_definition(
        facts in prop::collection::vec((0usize..3, 0usize..4, 0usize..4), 0..20),
        average: bool,
    ) {
        let mut builder = DatabaseBuilder::new();
        let constants: Vec<Constant> = (0..4).map(|k| builder.symbols.intern(&format!("c{k}")).unwrap()).collect();
        let target = builder.predicates.intern("t", 1);
        let [p, q, r] = [("p", 2), ("q", 1), ("r", 1)].map(|(name, arity)| builder.predicates.intern(name, arity));
        for (which, first, second) in facts {
            let args = [constants[first], constants[second]];
            builder.fact([p, q, r][which], if which == 0 { &args } else { &args[..1] }).unwrap();
        }
        let (database, _) = builder.build(None).unwrap();
        let examples: Vec<Example> = (0..4)
            .map(|k| Example { args: Box::new([constants[k]]), positive: k % 2 == 0, class: 0, weight: 1.0, line: 0 })
            .collect();
        let family = if average { "family=avg" } else { "family=max" };
        let template = Some(template(RULES, ("t", 1)));
        let lrnn = Lrnn { params: params(Kind::Lrnn, &[family, "epochs=5", "learning_rate=0.3"]).typed().unwrap(), template };
        let model = fit(&database, target, &examples, &lrnn);
        let psi = model.score(&database, target, &examples).unwrap().scores;
        for (example, psi) in examples.iter().zip(psi) {
            let slow = value(&model, &database, &constants, model.template().target(), &example.args).unwrap();
            prop_assert!((slow - psi).abs() < 1e-9, "{slow} and {psi}");
        }
    }
}

/// The bound ranks examples covered by the same rules together, by their true fraction of
/// positives.
#[test]
fn lrnn_reaches_the_auc_bound_of_its_rules() {
    let rules = "workedunder(A, B) :- actedin(A, M), directedby(M, B).
        workedunder(A, B) :- actedin(A, M), actedin(B, M).
        workedunder(A, B) :- actedin(A, M), ingenre(M, G), ingenre(N, G), directedby(N, B).
        workedunder(A, B) :- directedby(M, A), directedby(N, B).";
    // Without the planted rule the others are still informative.
    for (rules, noise) in [(rules, 0.0), (rules, 0.2), (rules.split_once('.').unwrap().1, 0.0)] {
        let data = load_domain(Domain::Movies, &GeneratorSettings::new(1, 7, noise).unwrap()).unwrap();
        let truth = load_domain(Domain::Movies, &GeneratorSettings::new(1, 7, 0.0).unwrap()).unwrap().examples;
        let folds = random_folds(&data.examples, 5, 1, "test");
        let part = |test: bool| -> Vec<usize> { (0..folds.len()).filter(|&i| (folds[i] == 0) == test).collect() };
        let of = |part: &[usize]| -> Vec<Example> { part.iter().map(|&i| data.examples[i].clone()).collect() };
        let (training, test) = (of(&part(false)), of(&part(true)));
        let template = template(rules, ("workedunder", 2));
        let translate = |literal: &Literal| {
            let id = data.database.predicates.find(template.predicates.name(literal.predicate), literal.args.len());
            Literal { predicate: id.unwrap(), ..literal.clone() }
        };
        let bodies: Vec<Vec<Literal>> =
            template.rules.iter().map(|rule| rule.body.iter().map(translate).collect()).collect();
        let covering_rules = |example: &Example| -> Vec<bool> {
            bodies.iter().map(|body| naive::covers(&data.database, body, data.target, &example.args)).collect()
        };
        let covered: Vec<Vec<bool>> = data.examples.iter().map(covering_rules).collect();
        let mut groups: HashMap<&Vec<bool>, (f64, f64)> = HashMap::default();
        for (rules, example) in covered.iter().zip(&truth) {
            let (positives, all) = groups.entry(rules).or_default();
            *positives += f64::from(u8::from(example.positive));
            *all += 1.0;
        }
        let best: Vec<f64> = part(true).iter().map(|&i| groups[&covered[i]].0 / groups[&covered[i]].1).collect();
        let allowed = auc_roc(&best, &test);
        let lrnn = Lrnn { params: params(Kind::Lrnn, &[]).typed().unwrap(), template: Some(template.clone()) };
        let model = fit(&data.database, data.target, &training, &lrnn);
        let reached = auc_roc(&model.score(&data.database, data.target, &test).unwrap().scores, &test);
        println!("noise {noise}, {} rules: {reached:.4} of {allowed:.4}", bodies.len());
        assert!(reached > allowed - 0.01, "noise {noise}: {reached} of {allowed}");
    }
}

#[test]
fn planted_rules_are_learned_and_weighted() {
    for domain in [Domain::Movies, Domain::University] {
        let data = load_domain(domain, &domain.settings()).unwrap();
        for family in ["family=max", "family=avg"] {
            let params = params(Kind::Lrnn, &[family]);
            let trained = train(Kind::Lrnn, &data.database, data.target, &data.examples, &params, 1, &mut |_| {});
            let model = trained.unwrap().model;
            let reached =
                auc_roc(&model.score(&data.database, data.target, &data.examples).unwrap().scores, &data.examples);
            assert!(reached > 0.99, "{} {family}: {reached}\n{}", domain.info().id, model.describe());
        }
    }
}
