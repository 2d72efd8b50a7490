//! Clauses by inverse entailment, as Progol learns them (Muggleton, 1995): a positive example that no clause covers is
//! explained in full by its *bottom clause*, the best clause that generalises it is searched for, and so on until
//! every positive example is covered or was tried.
//!
//! The best clause is the one that compresses most: the positives it covers without those that are covered already, less the
//! negatives it covers, less its literals. Where negatives are many and no clause is clean, this finds nothing, so they may be
//! weighed down until both classes weigh the same. A clause never splits a variable of the bottom clause in two, as Progol may: what
//! is the same thing around the seed is the same variable.

mod bottom;
mod normal;
mod search;

use std::sync::Arc;

use super::Task;
use crate::cover::{Bits, Coverage};
use crate::kb::Example;
use crate::logic::Literal;

/// What limits clauses and the search for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClauseOptions {
    /// The most literals in a body.
    pub max_length: usize,
    /// How many literals may stand between a variable and the head's: the rounds in which a bottom clause is made.
    pub variable_depth: usize,
    /// The most facts that one mode takes into a bottom clause for each binding of its inputs.
    pub recall: usize,
    /// The largest part of what a clause covers which may be negative, by weight.
    pub noise: f64,
    /// Whether the negatives together weigh as much as the positives, if they are more.
    pub balance: bool,
    /// The fewest positives that a clause covers and no clause before it did.
    pub min_positives: usize,
    /// The most clauses looked at for one seed, counting once those that differ in names of variables and order of literals only.
    pub search_limit: usize,
    /// The most positive examples whose bottom clauses are searched.
    pub max_seeds: usize,
}

/// `search_limit` was settled by cross-validation inside training folds of all benchmarks: with 300, SPORTS loses 0.015 of AUC-ROC; with
/// 3000 or more, only MUTAGENESIS gains anything, 0.0003.
impl Default for ClauseOptions {
    fn default() -> Self {
        ClauseOptions {
            max_length: 4,
            variable_depth: 2,
            recall: 10,
            noise: 0.5,
            balance: true,
            min_positives: 2,
            search_limit: 1000,
            max_seeds: 100,
        }
    }
}

/// A clause for the target, whose variables are `0..arity`.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The literals of which one grounding must exist, all together.
    pub body: Vec<Literal>,
    /// How many positive training examples it covers, whether others do or not.
    pub positives: u32,
    /// How many negative ones.
    pub negatives: u32,
}

/// The clauses that were learned, in the order in which they were found, and what it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Theory {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// Positive examples that no clause covers.
    pub uncovered: usize,
    /// Positive examples that were searched from.
    pub seeds: u64,
    /// Clauses that were looked at.
    pub examined: u64,
    /// How often a search ended because it had looked at as many clauses as it may, or a bottom clause was cut.
    pub budget_hits: u64,
    /// Whether there were more seeds than allowed.
    pub seeds_left: bool,
}

/// Learns clauses for a task. The same task and options give the same clauses.
pub fn learn_clauses(task: &Task<'_>, options: &ClauseOptions) -> Theory {
    let coverage = task.coverage();
    let mut theory = Theory::default();
    let examples = task.examples;
    let mut space = Space::new(&coverage, options);
    for seed in space.positives.clone().iter() {
        if !space.uncovered.get(seed) {
            continue;
        }
        if theory.seeds as usize >= options.max_seeds {
            theory.seeds_left = true;
            break;
        }
        theory.seeds += 1;
        let bottom = bottom::Bottom::new(task.database, task.target, &examples[seed], options);
        let found = search::best_clause(&space, &bottom);
        theory.examined += found.examined;
        theory.budget_hits += u64::from(found.over_budget || bottom.cut);
        if let Some((body, covered)) = found.best {
            space.uncovered = space.uncovered.and_not(&covered);
            theory.clauses.push(Clause {
                body,
                positives: covered.count_and(&space.positives) as u32,
                negatives: covered.count_and(&space.negatives) as u32,
            });
        }
    }
    theory.uncovered = space.uncovered.count();
    theory
}

/// What clauses are judged by.
struct Space<'s, 'a> {
    coverage: &'s Coverage<'a>,
    positives: Bits,
    negatives: Bits,
    /// The positives that no clause covers yet.
    uncovered: Bits,
    /// What the weight of a negative is multiplied by.
    of_negative: f64,
    options: ClauseOptions,
}

/// How a clause stands to the examples.
#[derive(Clone, Debug)]
struct Judged {
    covered: Arc<Bits>,
    /// The weight of the positives that are new.
    gained: f64,
    /// Positives that are new less negatives less literals.
    compression: f64,
    /// Whether it may become part of the theory.
    acceptable: bool,
}

impl<'s, 'a> Space<'s, 'a> {
    fn new(coverage: &'s Coverage<'a>, options: &ClauseOptions) -> Self {
        let examples = coverage.examples();
        let of_class = |label: bool| Bits::from_fn(examples.len(), |i| examples[i].positive == label);
        let weight = |label: bool| -> f64 { examples.iter().filter(|e| e.positive == label).map(|e| e.weight).sum() };
        let of_negative = match options.balance {
            true if weight(false) > 0.0 => (weight(true) / weight(false)).min(1.0),
            _ => 1.0,
        };
        let (positives, negatives) = (of_class(true), of_class(false));
        Space { coverage, uncovered: positives.clone(), positives, negatives, of_negative, options: *options }
    }

    fn judge(&self, length: usize, covered: Arc<Bits>) -> Judged {
        let examples: &[Example] = self.coverage.examples();
        let weight = |of: &Bits| -> f64 { covered.and(of).iter().map(|i| examples[i].weight).sum() };
        let (all, negatives) = (weight(&self.positives), self.of_negative * weight(&self.negatives));
        let gained = weight(&self.uncovered);
        let compression = gained - negatives - length as f64;
        let enough = covered.count_and(&self.uncovered) >= self.options.min_positives;
        let acceptable = enough && compression > 0.0 && negatives <= self.options.noise * (all + negatives);
        Judged { covered, gained, compression, acceptable }
    }
}

#[cfg(test)]
mod tests;
