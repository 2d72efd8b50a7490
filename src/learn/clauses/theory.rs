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
    /// Positive examples used as seeds, summed over the passes.
    pub seeds: u64,
    /// Clauses evaluated.
    pub examined: u64,
    /// Searches that reached `search_limit` or had a truncated bottom clause.
    pub budget_hits: u64,
    /// Whether a pass stopped at `max_seeds`.
    pub seeds_left: bool,
}

/// Learns clauses for a task; deterministic in task and options.
///
/// The first pass is Progol's covering loop. Each further pass repeats it with every positive
/// counting again that too few clauses cover.
pub fn learn_clauses(task: &Task<'_>, options: &ClauseOptions) -> Theory {
    let coverage = task.coverage();
    let mut theory = Theory::default();
    let mut scorer = ClauseScorer::new(&coverage, options);
    // How many clauses cover each example.
    let mut times = vec![0; task.examples.len()];
    for pass in 1..=options.covers {
        let before = theory.clauses.len();
        for seed in scorer.positives.iter() {
            scorer.uncovered.set(seed, times[seed] < pass);
        }
        cover(task, &mut scorer, &mut theory, (&mut times, pass));
        // A pass without a new clause leaves the next one with the same seeds and scores.
        if theory.clauses.len() == before || theory.clauses.len() >= options.max_clauses {
            break;
        }
    }
    theory.uncovered = scorer.positives.iter().filter(|&i| times[i] == 0).count();
    theory
}

/// Adds clauses until each positive is covered `pass` times, has been a seed in this pass, or a
/// limit is reached.
fn cover(task: &Task<'_>, scorer: &mut ClauseScorer<'_, '_>, theory: &mut Theory, (times, pass): (&mut [u32], u32)) {
    let options = scorer.options;
    let last_seed = theory.seeds + options.max_seeds as u64;
    for seed in scorer.positives.clone().iter() {
        if !scorer.uncovered.get(seed) {
            continue;
        }
        if theory.clauses.len() >= options.max_clauses {
            return;
        }
        if theory.seeds >= last_seed {
            theory.seeds_left = true;
            return;
        }
        theory.seeds += 1;
        let bottom = BottomClause::new(task.database, task.target, &task.examples[seed], &options);
        let found = best_clause(scorer, &bottom);
        theory.examined += found.examined;
        theory.budget_hits += u64::from(found.over_budget || bottom.cut);
        let Some((body, covered)) = found.best else { continue };
        for i in covered.iter() {
            times[i] += 1;
            if times[i] >= pass {
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
