//! Clause learning by inverse entailment, as in Progol (Muggleton, 1995): a covering loop that
//! takes an uncovered positive example as seed, builds its *bottom clause* and searches the best
//! clause that generalizes it, until every positive example is covered or has been a seed.
//!
//! The best clause has the highest compression: newly covered positives, minus covered negatives,
//! minus literals. With many negatives and no consistent clause this finds nothing, so negatives
//! may be down-weighted until both classes have equal weight.
//!
//! Departs from Progol: a clause never splits a variable of the bottom clause in two, and the loop
//! is repeated until several clauses cover each positive, or a maximum number is reached. After
//! one pass a single clause of high compression is all on most benchmarks, whereas the paper
//! reports three to ten.

mod bottom;
mod normal;
mod options;
mod score;
mod search;
mod theory;

pub use options::ClauseOptions;
pub use theory::{Clause, Theory, learn_clauses};

#[cfg(test)]
mod tests;
