//! Warnings about training and scoring: ineffective data, unused weights, exhausted budgets.

use super::clauses::{ClauseOptions, Theory};
use super::kind::Kind;
use crate::kb::{Database, Example};
use crate::learn::mln::tally::MAX_COUNT;
use crate::logic::{Diagnostic, PredicateId};

/// Returns warnings that explain why no tree has a test; `rules` are the parameters that may have
/// rejected tests.
pub(super) fn nothing_learned(database: &Database, target: PredicateId, rules: &[&str]) -> Vec<Diagnostic> {
    let predicates = &database.predicates;
    let mut usable = Vec::new();
    for mode in database.schema.modes() {
        let for_target = mode.target.is_none_or(|only| only == target);
        let has_facts = mode.predicate != target && mode.predicate.comparison().is_none();
        if has_facts && for_target && !usable.contains(&mode.predicate) {
            usable.push(mode.predicate);
        }
    }
    let model = "the model scores every example alike";
    if usable.is_empty() {
        let message = format!("no mode allows a literal for {}, so {model}", predicates.show(target));
        let help = "add modes for the evidence to the background file, such as `mode: movie(-movie,+person).`";
        return vec![Diagnostic::warning("no-modes", message, help)];
    }
    let empty = |id: &&PredicateId| database.facts.relation(**id).is_empty();
    let mut warnings: Vec<Diagnostic> = usable
        .iter()
        .filter(empty)
        .map(|&id| {
            let message = format!("predicate {} has no facts, so no test can use it", predicates.show(id));
            let help = "check the spelling of its name in the facts (case matters), or drop its mode";
            Diagnostic::warning("no-facts", message, help).about(predicates.show(id).to_string())
        })
        .collect();
    let message = if warnings.len() == usable.len() {
        format!("no predicate with a mode has facts, so {model}")
    } else if rules.is_empty() {
        format!("no literal that the modes allow separates the examples, so {model}")
    } else {
        let rules = rules.join(", ");
        format!(
            "no literal that the modes allow separates the examples and passes the rules of growth ({rules}), so {model}"
        )
    };
    let relax = if rules.is_empty() { "" } else { ", or relax these rules" };
    let help = format!(
        "check that the types in the modes link the target's arguments to the evidence, or allow longer tests \
         (node_size) or clauses (clause_length){relax}"
    );
    warnings.push(Diagnostic::warning("nothing-learned", message, help));
    warnings
}

/// Warns that a kind ignores the weights of the examples.
pub(super) fn weights(kind: Kind, examples: &[Example]) -> Option<Diagnostic> {
    let weighted = examples.iter().filter(|example| example.weight != 1.0).count();
    (weighted > 0).then(|| {
        let message = format!("{weighted} training examples have a weight other than 1, which {kind} ignores");
        let others: Vec<&str> =
            Kind::ALL.into_iter().filter(|&other| other != kind && other.uses_weights()).map(Kind::name).collect();
        let help = format!("all examples count the same; kinds that use weights are {}", others.join(", "));
        Diagnostic::warning("weights-not-used", message, help)
    })
}

/// Warns about an exhausted candidate budget, which changes the model.
pub(super) fn budget(hits: u64, max_candidates: u32) -> Option<Diagnostic> {
    (hits > 0).then(|| {
        let message = format!(
            "{hits} nodes had more than {max_candidates} candidate tests, or too many connected literals on their path; \
             only some candidates were tried"
        );
        Diagnostic::warning("candidate-budget", message, "raise max_candidates, lower node_size, or allow less depth")
    })
}

/// Warns about searches for clauses that ended early.
pub(super) fn clauses(theory: &Theory, options: &ClauseOptions) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    if theory.budget_hits > 0 {
        let message = format!(
            "{} of {} searches for a clause ended at {} clauses, or did not see all facts around an example",
            theory.budget_hits, theory.seeds, options.search_limit
        );
        let help = "raise search_limit, or lower clause_length, variable_depth or recall";
        warnings.push(Diagnostic::warning("search-budget", message, help));
    }
    if theory.seeds_left {
        let message = format!(
            "{} positive examples were used as seeds, and {} are covered by no clause",
            theory.seeds, theory.uncovered
        );
        warnings.push(Diagnostic::warning("seed-budget", message, "raise max_seeds"));
    }
    warnings
}

/// Warns about truncated counts of groundings in training; `cut` is the number of conjunctions and
/// of examples.
pub(super) fn counts_cut(cut: (usize, usize), budget: u32) -> Option<Diagnostic> {
    let help = "raise count_budget, lower node_size, or allow less depth";
    too_low(cut, "training examples", budget).map(|message| Diagnostic::warning("count-budget", message, help))
}

/// Warns about truncated counts of groundings in scoring; `cut` is as in [`counts_cut`].
pub(super) fn scores_cut(cut: (usize, usize), budget: u32) -> Option<Diagnostic> {
    let help = "their scores are inexact; train with a larger count_budget, with a lower node_size, or with less depth";
    too_low(cut, "examples to score", budget).map(|message| Diagnostic::warning("count-budget", message, help))
}

fn too_low((parts, examples): (usize, usize), which: &str, budget: u32) -> Option<String> {
    (parts > 0).then(|| {
        format!(
            "the groundings of {parts} conjunctions were not all counted for {examples} {which}: there were more than {budget} facts \
             to visit, or more than {MAX_COUNT} groundings; these counts are too low, never too high"
        )
    })
}

/// Warns about template rules with too many groundings.
pub(super) fn groundings_cut(hits: u64, max_groundings: u32, help: &str) -> Option<Diagnostic> {
    (hits > 0).then(|| {
        let message = format!(
            "{hits} times a rule had more than {max_groundings} groundings for one head, or the search for them exceeded its budget; \
             only some were used"
        );
        Diagnostic::warning("grounding-budget", message, help)
    })
}
