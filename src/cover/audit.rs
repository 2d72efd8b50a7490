//! Audit: a sample of the answers of a run, checked with the naive evaluator.
//!
//! An answer is the set of examples that a conjunction covers, or their grounding counts of a
//! pattern. The sample depends on the seed and on the conjunctions alone, not on when or how often
//! they are evaluated, so it is the same for any number of threads and any memory budget.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::bits::Bits;
use super::cache::lock;
use super::count::show_test;
use crate::determinism::Stream;
use crate::kb::{Database, Example, naive};
use crate::logic::{Literal, PredicateId};

/// The number of covered examples checked per conjunction, and that of uncovered ones.
const EXAMPLES_PER_SIDE: usize = 4;

/// A sample of the answers of a run, see [`Audit::check`].
#[derive(Debug)]
pub struct Audit {
    size: usize,
    seed: u64,
    sample: Mutex<BTreeSet<Answer>>,
}

/// The answer for a conjunction. Answers are ordered randomly, by `draw`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Answer {
    draw: u64,
    conjunction: Vec<Literal>,
    /// Conjunctions that must not hold under the same substitution.
    none_of: Vec<Vec<Literal>>,
    /// The threshold of an at-least-k test; 0 if the answer is a count.
    at_least: u32,
    /// Sampled examples by index, each with the answer: 1 or 0 for covered or not, or the count.
    examples: Vec<(u32, u64)>,
}

/// The maximum number of groundings of a checked example: the naive evaluator enumerates them all.
const MAX_ENUMERATED: f64 = 1000.0;

/// The extent of an audit that found no difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// The number of conjunctions.
    pub conjunctions: usize,
    /// The number of answers, one per pair of example and conjunction.
    pub answers: usize,
}

/// A difference between the join search and the naive evaluator.
///
/// In a conjunction the variables `A`, `B` and so on up to the arity are the arguments of the
/// example.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// They differ in whether a conjunction covers an example.
    #[error(
        "audit: {example} {} the conjunction `{conjunction}` in the join search and {} in the naive evaluator: this is a \
         bug, please report it with the data", satisfies(*.fast), does(*.slow)
    )]
    Holds {
        /// The conjunction.
        conjunction: String,
        /// The example.
        example: String,
        /// The answer of the join search.
        fast: bool,
        /// The answer of the naive evaluator.
        slow: bool,
    },
    /// They differ in the number of groundings of a pattern.
    #[error(
        "audit: {example} has {fast} groundings of `{pattern}` in the join search and {slow} in the naive evaluator: this \
         is a bug, please report it with the data"
    )]
    Count {
        /// The pattern.
        pattern: String,
        /// The example.
        example: String,
        /// The count of the join search.
        fast: u64,
        /// The count of the naive evaluator.
        slow: u64,
    },
}

fn satisfies(holds: bool) -> &'static str {
    if holds { "satisfies" } else { "does not satisfy" }
}

fn does(holds: bool) -> &'static str {
    if holds { "does" } else { "does not" }
}

impl Audit {
    /// Creates an audit of at most `size` conjunctions.
    pub fn new(size: usize, seed: u64) -> Self {
        Audit { size, seed, sample: Mutex::default() }
    }

    /// Records the coverage of a conjunction, if it falls into the sample.
    ///
    /// If the coverage is about a subset of the examples, `indices` holds their indices.
    pub(super) fn record(&self, conjunction: &[Literal], at_least: u32, covered: &Bits, indices: Option<&[usize]>) {
        let purpose = format!("{at_least} {conjunction:?}");
        let mut stream = Stream::new(self.seed, &["audit", &purpose]);
        let draw = stream.bits();
        if !self.wants(draw) {
            return;
        }
        let mut examples = Vec::with_capacity(2 * EXAMPLES_PER_SIDE);
        let number = |i: usize| indices.map_or(i, |indices| indices[i]);
        for holds in [true, false] {
            let side = if holds { covered.clone() } else { Bits::ones(covered.len()).and_not(covered) };
            let side: Vec<usize> = side.iter().collect();
            // All examples if there are few; otherwise drawn with replacement and deduplicated.
            let few = side.len() <= EXAMPLES_PER_SIDE;
            let drawn = |k: usize| if few { side[k] } else { side[stream.index(side.len())] };
            let answer = u64::from(holds);
            examples.extend((0..EXAMPLES_PER_SIDE.min(side.len())).map(drawn).map(|i| (number(i) as u32, answer)));
        }
        self.keep(Answer { draw, conjunction: conjunction.to_vec(), none_of: Vec::new(), at_least, examples });
    }

    /// Records the grounding counts of a pattern, if they fall into the sample. `enumerated`
    /// returns how many groundings the naive evaluator would enumerate; examples with too many are
    /// skipped.
    pub(crate) fn record_counts(
        &self,
        (literals, none_of): (&[Literal], &[Vec<Literal>]),
        counts: &[f64],
        enumerated: impl FnOnce() -> Vec<f64>,
    ) {
        let purpose = format!("{literals:?} {none_of:?}");
        let mut stream = Stream::new(self.seed, &["audit", "counts", &purpose]);
        let draw = stream.bits();
        if !self.wants(draw) {
            return;
        }
        let enumerated = enumerated();
        let is_feasible = |&i: &usize| enumerated[i] <= MAX_ENUMERATED;
        let mut examples = Vec::with_capacity(2 * EXAMPLES_PER_SIDE);
        for has_grounding in [true, false] {
            let side: Vec<usize> =
                (0..counts.len()).filter(|&i| (counts[i] > 0.0) == has_grounding).filter(is_feasible).collect();
            let few = side.len() <= EXAMPLES_PER_SIDE;
            let drawn = |k: usize| if few { side[k] } else { side[stream.index(side.len())] };
            examples.extend((0..EXAMPLES_PER_SIDE.min(side.len())).map(drawn).map(|i| (i as u32, counts[i] as u64)));
        }
        let (conjunction, none_of) = (literals.to_vec(), none_of.to_vec());
        self.keep(Answer { draw, conjunction, none_of, at_least: 0, examples });
    }

    /// Returns whether an answer falls into the sample so far.
    fn wants(&self, draw: u64) -> bool {
        let sample = lock(&self.sample);
        sample.len() < self.size || sample.last().is_some_and(|last| draw <= last.draw)
    }

    fn keep(&self, mut answer: Answer) {
        answer.examples.sort_unstable();
        answer.examples.dedup();
        let mut sample = lock(&self.sample);
        // Answers for the same conjunction with other examples or other results are kept besides.
        sample.insert(answer);
        if sample.len() > self.size {
            sample.pop_last();
        }
    }

    /// Checks the sample with the naive evaluator; the examples must be those of the run.
    ///
    /// # Errors
    /// The first difference, in the order of the sample.
    pub fn check(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Audited, Box<AuditError>> {
        let sample = lock(&self.sample);
        let mut audited = Audited { conjunctions: sample.len(), answers: 0 };
        for Answer { conjunction, none_of, at_least, examples: checked, .. } in sample.iter() {
            for &(i, fast) in checked {
                let args = &examples[i as usize].args;
                let slow = match at_least {
                    0 => naive::count_without(database, conjunction, none_of, target, args) as u64,
                    1 => naive::covers(database, conjunction, target, args).into(),
                    _ => (naive::count(database, conjunction, target, args) >= *at_least as usize).into(),
                };
                if slow != fast {
                    let args: Vec<String> = args.iter().map(|&arg| database.symbols.show(arg).to_string()).collect();
                    let example = format!("{}({})", database.predicates.name(target), args.join(", "));
                    let show = |body, at_least| show_test(body, at_least, &database.predicates, &database.symbols);
                    return Err(Box::new(match at_least {
                        0 => {
                            let excluded = none_of.iter().map(|group| format!("\\+ ({})", show(group, 1)));
                            let own = (!conjunction.is_empty()).then(|| show(conjunction, 1));
                            let pattern = own.into_iter().chain(excluded).collect::<Vec<_>>().join(", ");
                            AuditError::Count { pattern, example, fast, slow }
                        }
                        _ => AuditError::Holds {
                            conjunction: show(conjunction, *at_least),
                            example,
                            fast: fast == 1,
                            slow: slow == 1,
                        },
                    }));
                }
                audited.answers += 1;
            }
        }
        Ok(audited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::sample::{self, constants};

    const TEXT: &str = "p(a). p(b). q(a). q(c). h(X) :- p(X). h(X) :- q(X). h(X) :- p(X), q(X). h(X) :- p(b).";

    fn example(arg: crate::logic::Constant) -> Example {
        Example { args: Box::new([arg]), positive: true, class: 0, weight: 1.0, line: 0 }
    }

    #[test]
    fn the_sample_depends_on_the_seed_and_not_on_the_order() {
        let (_, clauses, _) = sample::build(TEXT, None);
        let sample = |seed: u64, order: &[usize]| {
            let audit = Audit::new(2, seed);
            order.iter().for_each(|&k| audit.record(&clauses[k].1, 1, &Bits::from_fn(9, |i| i % (k + 2) == 0), None));
            audit.sample.into_inner().unwrap()
        };
        let one = sample(1, &[0, 1, 2, 3]);
        assert_eq!(one.len(), 2);
        assert_eq!(one, sample(1, &[3, 1, 0, 2, 2, 3, 1, 0]));
        assert!((2..40).any(|seed| sample(seed, &[0, 1, 2, 3]) != one));
        assert!(one.iter().all(|answer| answer.examples.iter().any(|&(_, said)| said == 1)));
    }

    #[test]
    fn checks_every_example_if_there_are_few() {
        let (database, clauses, _) = sample::build(TEXT, None);
        let examples = constants(&database, ["a", "b", "c"]).map(example);
        let audit = Audit::new(10, 1);
        // p(A) covers a and b; p(A), q(A) covers a; p(b) covers all.
        for (k, covered) in [(0, [true, true, false]), (2, [true, false, false]), (3, [true; 3])] {
            audit.record(&clauses[k].1, 1, &Bits::from_fn(3, |i| covered[i]), None);
        }
        let audited = audit.check(&database, clauses[0].0, &examples).unwrap();
        assert_eq!(audited.conjunctions, 3);
        // Recording an answer again changes nothing; a different one is kept, and is wrong.
        audit.record(&clauses[0].1, 1, &Bits::from_fn(3, |i| i < 2), None);
        assert_eq!(audit.check(&database, clauses[0].0, &examples), Ok(audited));
        audit.record(&clauses[0].1, 1, &Bits::ones(3), None);
        let error = *audit.check(&database, clauses[0].0, &examples).unwrap_err();
        let expected =
            AuditError::Holds { conjunction: "p(A)".into(), example: "h(c)".into(), fast: true, slow: false };
        assert_eq!(error, expected);
        assert_eq!(
            error.to_string(),
            "audit: h(c) satisfies the conjunction `p(A)` in the join search and does not in the naive evaluator: this \
             is a bug, please report it with the data"
        );
    }
}
