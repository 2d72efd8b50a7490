//! The covering loop.

use super::bottom::BottomClause;
use super::options::ClauseOptions;
use super::score::ClauseScorer;
use super::search::best_clause;
use crate::learn::Task;
use crate::logic::Literal;

/// A clause for the target; the head variables are `0..arity`.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The conjunction that must have a grounding.
    pub body: Vec<Literal>,
    /// Covered positive training examples, including those that other clauses cover.
    pub positives: u32,
    /// Covered negative training examples.
    pub negatives: u32,
}

/// The learned clauses in the order found, with counters of the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Theory {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// Uncovered positive examples.
    pub uncovered: usize,
    /// Positive examples used as seeds.
    pub seeds: u64,
    /// Clauses evaluated.
    pub examined: u64,
    /// Searches that reached `search_limit` or had a truncated bottom clause.
    pub budget_hits: u64,
    /// Whether the loop stopped at `max_seeds`.
    pub seeds_left: bool,
}

/// Learns clauses for a task; deterministic in task and options.
pub fn learn_clauses(task: &Task<'_>, options: &ClauseOptions) -> Theory {
    let coverage = task.coverage();
    let mut theory = Theory::default();
    let examples = task.examples;
    let mut scorer = ClauseScorer::new(&coverage, options);
    // How many clauses cover each example.
    let mut times = vec![0; examples.len()];
    for seed in scorer.positives.clone().iter() {
        if !scorer.uncovered.get(seed) {
            continue;
        }
        if theory.seeds as usize >= options.max_seeds {
            theory.seeds_left = true;
            break;
        }
        theory.seeds += 1;
        let bottom = BottomClause::new(task.database, task.target, &examples[seed], options);
        // Each clause covers its seed, so this ends after `covers` clauses.
        while scorer.uncovered.get(seed) {
            let found = best_clause(&scorer, &bottom);
            theory.examined += found.examined;
            theory.budget_hits += u64::from(found.over_budget || bottom.cut);
            let Some((body, covered)) = found.best else { break };
            for i in covered.iter() {
                times[i] += 1;
                if times[i] >= options.covers {
                    scorer.uncovered.set(i, false);
                }
            }
            theory.clauses.push(Clause {
                body,
                positives: covered.count_and(&scorer.positives) as u32,
                negatives: covered.count_and(&scorer.negatives) as u32,
            });
            scorer.chosen.insert(covered);
        }
    }
    theory.uncovered = scorer.positives.iter().filter(|&i| times[i] == 0).count();
    theory
}
