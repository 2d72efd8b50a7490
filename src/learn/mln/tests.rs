mod counting;

use super::*;
use crate::cover::Audit;
use crate::kb::{Database, Example, sample};
use crate::learn::mln::tally::MAX_PRODUCT;
use crate::learn::{Model, Resources, SavedModel, Scored, Stored};
use crate::logic::{Argument, Literal, PredicateId, Variable};

/// Complete bipartite graph from every `v` to every `w`.
fn dense(size: usize) -> (Database, PredicateId, Vec<Example>) {
    let mut text = String::from("mode: h(+x). mode: e(+x, -y). h(A) :- e(A, B).");
    for i in 0..size {
        (0..size).for_each(|j| text.push_str(&format!("e(v{i}, w{j}).")));
    }
    let (database, clauses, _) = sample::build(&text, None);
    let examples = (0..4).map(|i| {
        let [arg] = sample::constants(&database, [["v0", "v1", "v2", "v3"][i]]);
        Example { args: Box::new([arg]), positive: i < 2, class: 0, weight: 1.0, line: 0 }
    });
    let examples = examples.collect();
    (database, clauses[0].0, examples)
}

fn header(task: &Task<'_>) -> Header {
    Header::new(Kind::MlnBoost, task, Default::default(), (2, 2))
}

fn task<'a>(database: &'a Database, target: PredicateId, examples: &'a [Example]) -> Task<'a> {
    Task { database, target, examples, seed: 1, resources: Resources::default() }
}

/// e(A, B1), …, e(A, Bn).
fn star(database: &Database, literals: u32) -> Pattern {
    let edge = database.predicates.find("e", 2).unwrap();
    let to = |k| Literal::new(edge, vec![Argument::Variable(Variable(0)), Argument::Variable(Variable(k))]);
    Pattern { literals: (1..=literals).map(to).collect(), none_of: Vec::new() }
}

#[test]
fn scores_of_extreme_models_are_finite() {
    let (database, target, examples) = dense(5);
    let task = task(&database, target, &examples);
    let model = |literals, weight| {
        let mut model = MlnModel::new(
            header(&task),
            &database,
            0.0,
            &[(star(&database, literals), weight), (star(&database, 2), -1e100)],
        );
        model.count_budget = 100;
        SavedModel::from_json(&model.to_json())
    };
    // 5^500 exceeds the range of doubles.
    let psi = model(500, 1e100).unwrap().score(&database, target, &examples).unwrap().scores;
    assert_eq!(psi, [1e100 * MAX_PRODUCT - 25.0 * 1e100; 4]);
    let error = model(1001, 1.0).unwrap_err().to_string();
    assert!(error.contains("formula 0: it has 1001 literals, and 1000 are the most"), "{error}");
    assert!(model(1000, 1.0).is_ok());
}

#[test]
fn stored_budgets_are_validated_like_parameters() {
    let (database, target, examples) = dense(4);
    let mut model = MlnModel::new(header(&task(&database, target, &examples)), &database, 0.0, &[]);
    for (budget, allowed) in [(0, false), (1, true), (1_000_000, true), (1_000_001, false)] {
        model.count_budget = budget;
        let read = SavedModel::from_json(&model.to_json());
        assert_eq!(read.is_ok(), allowed, "{budget}");
        if let Err(error) = read {
            let expected = format!("count_budget must be a whole number from 1 to 1000000, got {budget}");
            assert!(error.to_string().contains(&expected), "{error}");
        }
    }
}

#[test]
fn incomplete_counts_are_reported_when_scoring() {
    let (database, target, examples) = dense(5);
    let mut model =
        MlnModel::new(header(&task(&database, target, &examples)), &database, 0.0, &[(path(&database), 1.0)]);
    model.count_budget = 1000;
    let Scored { scores: psi, warnings } = model.score(&database, target, &examples).unwrap();
    assert_eq!((psi, warnings.iter().count()), (vec![25.0; 4], 0));
    model.count_budget = 3;
    let Scored { scores: psi, warnings } = model.score(&database, target, &examples).unwrap();
    assert!(psi[0] < 25.0 && psi.iter().all(|&other| other == psi[0]), "{psi:?}");
    let message = warnings.iter().next().unwrap().to_string();
    assert!(message.contains("of 1 conjunctions were not all counted for 4 examples to score"), "{message}");
    assert_eq!(model.groundings(&database, target, &examples).unwrap().warnings.iter().count(), 1);
}

/// e(A, B), e(C, B).
fn path(database: &Database) -> Pattern {
    let mut pattern = star(database, 2);
    pattern.literals[1].args = [2, 1].map(|k| Argument::Variable(Variable(k))).to_vec();
    pattern
}

#[test]
fn audit_recounts_groundings() {
    let (database, target, examples) = dense(4);
    let audit = Audit::new(100, 1);
    let resources = Resources { audit: Some(&audit), ..Resources::default() };
    let params = MlnBoost::params().trees(2).build().unwrap();
    let task = Task { resources, ..task(&database, target, &examples) };
    MlnBoost { params }.fit(&task, &mut |_| {}).unwrap();
    let audited = audit.check(&database, target, &examples).unwrap();
    assert!(audited.conjunctions > 0 && audited.answers >= 4, "{audited:?}");
    // A database with other facts: every count is wrong.
    let (other, other_target, other_examples) = dense(5);
    let error = audit.check(&other, other_target, &other_examples).unwrap_err().to_string();
    assert!(error.contains(" groundings of `") && error.contains("in the naive evaluator"), "{error}");
}
