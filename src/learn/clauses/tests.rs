use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::score::ClauseScorer;
use super::*;
use crate::cancel;
use crate::cover::Bits;
use crate::kb::sample::{self, constants};
use crate::kb::{Database, Example, naive};
use crate::learn::{Resources, Task};
use crate::logic::clause::show_conjunction;
use crate::logic::{Literal, PredicateId};

/// A family with the grandparent relation. Carl's other children are unknown, and dora is the
/// mother of finn.
const FAMILY: &str = "
    mode: grand(+person, +person). mode: parent(+person, -person). mode: parent(-person, +person). mode: sex(+person, #sex).
    parent(ann, bob). parent(bob, eve). parent(ann, dora). parent(dora, finn). parent(carl, dora). parent(bob, gus).
    sex(ann, f). sex(bob, m). sex(carl, m). sex(dora, f). sex(eve, f). sex(finn, m). sex(gus, m).
    grand(A, B) :- parent(A, B).
";

struct World {
    database: Database,
    target: PredicateId,
    examples: Vec<Example>,
}

impl World {
    fn new(text: &str, positives: &[[&str; 2]], negatives: &[[&str; 2]]) -> World {
        let (database, clauses, _) = sample::build(text, None);
        let labelled = [(true, positives), (false, negatives)];
        let example = |positive: bool, words: &[&str; 2]| Example {
            args: constants(&database, *words).into(),
            positive,
            class: 0,
            weight: 1.0,
            line: 0,
        };
        let of = |&(label, words): &(bool, &[[&str; 2]])| words.iter().map(|w| example(label, w)).collect::<Vec<_>>();
        let examples = labelled.iter().flat_map(of).collect();
        World { target: clauses[0].0, database, examples }
    }

    fn family() -> World {
        let positives = [["ann", "eve"], ["ann", "finn"], ["carl", "finn"], ["ann", "gus"]];
        let negatives = [["ann", "bob"], ["bob", "eve"], ["eve", "ann"], ["dora", "eve"], ["carl", "eve"]];
        World::new(FAMILY, &positives, &negatives)
    }

    fn task(&self) -> Task<'_> {
        let World { database, target, examples } = self;
        Task { database, target: *target, examples, seed: 1, resources: Resources::default() }
    }

    fn show(&self, body: &[Literal]) -> String {
        show_conjunction(body, &self.database.predicates, &self.database.symbols).to_string()
    }

    fn bottom(&self, example: usize, options: &ClauseOptions) -> Vec<String> {
        let bottom = bottom::BottomClause::new(&self.database, self.target, &self.examples[example], options);
        bottom.literals.iter().map(|l| self.show(std::slice::from_ref(&l.literal))).collect()
    }
}

#[test]
fn bottom_clause_contains_all_connected_facts() {
    let world = World::family();
    // Round one: the facts of ann (A) and eve (B). Bob is C and dora D; ann has no parent.
    let one = ClauseOptions { variable_depth: 1, ..ClauseOptions::default() };
    assert_eq!(world.bottom(0, &one), ["parent(A, C)", "parent(A, D)", "parent(C, B)", "sex(A, f)", "sex(B, f)"]);
    // Round two: the facts of bob and dora. Gus is E, finn F and carl G.
    let two = world.bottom(0, &ClauseOptions::default());
    let more = ["parent(C, B)", "parent(C, E)", "parent(D, F)", "parent(A, C)", "parent(A, D)", "parent(G, D)"];
    assert!(more.iter().all(|literal| two.contains(&(*literal).to_owned())), "{two:?}");
    assert!(two.contains(&"sex(C, m)".to_owned()) && two.contains(&"sex(D, f)".to_owned()));
    let narrow = ClauseOptions { variable_depth: 1, recall: 1, ..ClauseOptions::default() };
    assert_eq!(world.bottom(0, &narrow), ["parent(A, C)", "parent(C, B)", "sex(A, f)", "sex(B, f)"]);
}

#[test]
fn input_combinations_without_facts_are_not_enumerated() {
    // Fifty terms and four inputs give six million combinations, of which one is a fact.
    let knows: String = (0..50).map(|i| format!("knows(ann, p{i}). ")).collect();
    let text = format!(
        "mode: grand(+person, +person). mode: knows(+person, -person). mode: four(+person, +person, +person, +person).
        {knows} four(ann, p3, p1, p4). grand(A, B) :- knows(A, B)."
    );
    let world = World::new(&text, &[["ann", "p0"]], &[]);
    let polls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&polls);
    cancel::set(Some(Arc::new(move || {
        counter.fetch_add(1, Relaxed);
    })));
    let bottom = world.bottom(0, &ClauseOptions::default());
    cancel::set(None);
    assert_eq!(bottom.iter().filter(|literal| literal.starts_with("four")).count(), 1, "{bottom:?}");
    assert!(polls.load(Relaxed) < 1000, "{polls:?}");
}

#[test]
fn equal_head_arguments_stay_two_variables() {
    let text = "mode: h(+p, +p). mode: q(+p, #c). q(a, red). h(A, B) :- q(A, red).";
    let world = World::new(text, &[["a", "a"]], &[]);
    assert_eq!(world.bottom(0, &ClauseOptions::default()), ["q(A, red)", "q(B, red)"]);
}

#[test]
fn grandparent_clause_is_learned() {
    let world = World::family();
    let theory =
        learn_clauses(&world.task(), &ClauseOptions { min_positives: 1, covers: 1, ..ClauseOptions::default() });
    let texts: Vec<String> = theory.clauses.iter().map(|clause| world.show(&clause.body)).collect();
    assert_eq!(texts, ["parent(A, C), parent(C, B)"]);
    let Clause { positives, negatives, .. } = theory.clauses[0];
    assert_eq!((positives, negatives, theory.uncovered, theory.seeds), (4, 0, 0, 1));
}

#[test]
fn a_positive_counts_until_several_clauses_cover_it() {
    let world = World::family();
    let learn = |covers| {
        let options = ClauseOptions { min_positives: 1, covers, ..ClauseOptions::default() };
        learn_clauses(&world.task(), &options)
    };
    let (one, two) = (learn(1), learn(2));
    assert_eq!(one.clauses.len(), 1);
    assert!(two.clauses.len() > 1 && two.clauses[0] == one.clauses[0], "{:?}", two.clauses);
    // No two clauses cover the same examples.
    let covered = |clause: &Clause| {
        let holds = |i: usize| naive::covers(&world.database, &clause.body, world.target, &world.examples[i].args);
        (0..world.examples.len()).map(holds).collect::<Vec<bool>>()
    };
    let mut all: Vec<Vec<bool>> = two.clauses.iter().map(covered).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), two.clauses.len());
    assert_eq!((one.uncovered, two.uncovered), (0, 0));
}

#[test]
fn further_passes_add_clauses_up_to_the_maximum() {
    let world = World::family();
    let learn = |covers, max_clauses| {
        let options = ClauseOptions { min_positives: 1, covers, max_clauses, ..ClauseOptions::default() };
        learn_clauses(&world.task(), &options).clauses
    };
    let all = learn(4, usize::MAX);
    assert!(all.len() > 2, "{all:?}");
    // The limit takes clauses in the order of passes, the first of which is plain covering.
    assert_eq!(learn(4, 2), all[..2]);
    assert_eq!(learn(1, usize::MAX), all[..1]);
}

/// Best-first search with pruning agrees with exhaustive search over all subsets.
#[test]
fn best_first_search_matches_exhaustive_search() {
    let world = World::family();
    let task = world.task();
    let coverage = task.coverage();
    for noise in [0.0, 0.3, 0.6] {
        let options = ClauseOptions { min_positives: 1, max_length: 3, noise, ..ClauseOptions::default() };
        let scorer = ClauseScorer::new(&coverage, &options);
        for seed in 0..4 {
            let bottom = bottom::BottomClause::new(&world.database, world.target, &world.examples[seed], &options);
            let found = search::best_clause(&scorer, &bottom);
            let found = found.best.map(|(body, covered)| scorer.score(body.len(), covered).compression);
            let mut best: Option<f64> = None;
            let n = bottom.literals.len();
            let choices = (0..n).flat_map(|a| (a..n).flat_map(move |b| (b..n).map(move |c| [a, b, c])));
            for choice in choices {
                let mut members = choice.to_vec();
                members.dedup();
                let body: Vec<Literal> = members.iter().map(|&k| bottom.literals[k].literal.clone()).collect();
                // Modes: earlier literals must bind the inputs of a literal, without circular
                // dependence.
                let mut bound: Vec<_> = Vec::new();
                let mut pending = members.clone();
                while let Some(at) =
                    pending.iter().position(|&k| bottom.literals[k].inputs.iter().all(|v| bound.contains(v)))
                {
                    bound.extend(bottom.literals[pending.remove(at)].literal.variables());
                }
                if !pending.is_empty() {
                    continue;
                }
                let holds = |i: usize| naive::covers(&world.database, &body, world.target, &world.examples[i].args);
                let score = scorer.score(body.len(), Arc::new(Bits::from_fn(9, holds)));
                if score.acceptable && best.is_none_or(|best| score.compression > best) {
                    best = Some(score.compression);
                }
            }
            assert_eq!(found, best, "seed {seed}, noise {noise}");
        }
    }
}

#[test]
fn balancing_down_weights_negatives() {
    let world = World::family();
    let task = world.task();
    let coverage = task.coverage();
    let all = Arc::new(Bits::ones(9));
    // Four positives and five negatives, two literals.
    let compression = |balance| {
        let options = ClauseOptions { balance, ..ClauseOptions::default() };
        ClauseScorer::new(&coverage, &options).score(2, all.clone()).compression
    };
    assert_eq!(compression(false), 4.0 - 5.0 - 2.0);
    assert!((compression(true) - (4.0 - 4.0 - 2.0)).abs() < 1e-12);
}

#[test]
fn exhausted_budgets_are_reported() {
    let world = World::family();
    let few = ClauseOptions { min_positives: 1, search_limit: 3, ..ClauseOptions::default() };
    let theory = learn_clauses(&world.task(), &few);
    assert!(theory.budget_hits > 0 && theory.examined <= 3 * theory.seeds);
    let none = learn_clauses(&world.task(), &ClauseOptions { max_seeds: 0, ..ClauseOptions::default() });
    assert!(none.seeds_left && none.clauses.is_empty() && none.uncovered == 4);
}
