use super::*;
use crate::cover::Audit;
use crate::kb::{Database, Example, sample};
use crate::learn::{Model, Resources, SavedModel, Stored};

/// Ten people who all know each other.
fn dense() -> (Database, PredicateId, Vec<Example>) {
    let mut text = String::from("mode: t(+p, +p). mode: knows(+p, -p). t(A, B) :- knows(A, B).");
    for i in 0..10 {
        (0..10).filter(|j| i != *j).for_each(|j| text.push_str(&format!("knows(p{i}, p{j}).")));
    }
    let (database, clauses, _) = sample::build(&text, None);
    let [a, b] = sample::constants(&database, ["p0", "p1"]);
    let example = |args: [_; 2], positive| Example { args: args.into(), positive, class: 0, weight: 1.0, line: 0 };
    (database, clauses[0].0, vec![example([a, b], true), example([a, a], false), example([b, b], false)])
}

fn task<'a>((database, target, examples): &'a (Database, PredicateId, Vec<Example>)) -> Task<'a> {
    Task { database, target: *target, examples, seed: 1, resources: Resources::default() }
}

fn rrbm() -> RrbmC {
    RrbmC { params: RrbmC::params().epochs(2).hidden_units(2).build().unwrap() }
}

#[test]
fn stored_walk_lengths_are_validated_like_parameters() {
    let data = dense();
    let mut model = rrbm().fit(&task(&data), &mut |_| {}).unwrap().model;
    let step = model.walks[0].steps[0];
    for (length, allowed) in [(8, true), (9, false), (500, false)] {
        model.walks[0].steps = vec![step; length];
        match SavedModel::from_json(&model.to_json()) {
            Ok(read) => {
                let psi = read.score(&data.0, data.1, &data.2).unwrap().scores;
                assert!(allowed && psi.iter().all(|psi| psi.is_finite()), "{length}: {psi:?}");
            }
            Err(error) => {
                let expected = format!("walks[0]: walk_length must be a whole number from 1 to 8, got {length}");
                assert!(!allowed && error.to_string().contains(&expected), "{error}");
            }
        }
    }
}

#[test]
fn audits_are_unsupported_and_memory_does_not_change_the_model() {
    let data = dense();
    let model = |memory_bytes| {
        let resources = Resources { memory_bytes, ..Resources::default() };
        rrbm().fit(&Task { resources, ..task(&data) }, &mut |_| {}).unwrap().model.to_json()
    };
    assert_eq!(model(0), model(1 << 30));
    let audit = Audit::new(10, 1);
    let resources = Resources { audit: Some(&audit), ..Resources::default() };
    let error = rrbm().fit(&Task { resources, ..task(&data) }, &mut |_| {}).unwrap_err();
    assert_eq!(
        error.to_string(),
        "rrbm-c does not support audits, because it counts walks instead of conjunctions: omit --audit"
    );
}
