//! A second opinion: some of the answers of a real run, asked again of the slow evaluator.
//!
//! An answer is which examples satisfy a conjunction. Which answers are checked depends on the seed and on the
//! conjunctions alone, not on when or how often they were asked for, so any number of threads and any memory give the
//! same sample.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::bits::Bits;
use super::cache::lock;
use super::count::show_test;
use crate::kb::{Database, Example, naive};
use crate::logic::{Literal, PredicateId};
use crate::order::Stream;

/// For each conjunction in the sample so many examples that satisfy it are asked again, and so many that do not.
const EXAMPLES_OF_EACH: usize = 4;

/// A sample of the answers of a run, see [`Audit::check`].
#[derive(Debug)]
pub struct Audit {
    size: usize,
    seed: u64,
    sample: Mutex<BTreeSet<Answer>>,
}

/// What was answered for a conjunction. Answers are in a random order, by `draw`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Answer {
    draw: u64,
    conjunction: Vec<Literal>,
    /// How many groundings were asked for.
    at_least: u32,
    /// Some of the examples, by number, and whether each was said to satisfy the conjunction.
    examples: Vec<(u32, bool)>,
}

/// What an audit looked at, and found right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// How many conjunctions.
    pub conjunctions: usize,
    /// How many answers, an example and a conjunction each.
    pub answers: usize,
}

/// The fast search was wrong, or the slow evaluator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "audit: {example} {} the conjunction `{conjunction}` in the fast search and {} in the slow evaluator: this is an \
     error of the program, please report it with these data", said(*.fast), says(*.slow)
)]
pub struct AuditError {
    /// The conjunction; variables `A`, `B` and so on up to the arity of the target are the arguments of the example.
    pub conjunction: String,
    /// The example.
    pub example: String,
    /// What the fast search says.
    pub fast: bool,
    /// What the slow evaluator says.
    pub slow: bool,
}

fn said(holds: bool) -> &'static str {
    if holds { "satisfies" } else { "does not satisfy" }
}

fn says(holds: bool) -> &'static str {
    if holds { "does" } else { "does not" }
}

impl Audit {
    /// An audit of so many conjunctions, or of all if there are fewer.
    pub fn new(size: usize, seed: u64) -> Self {
        Audit { size, seed, sample: Mutex::default() }
    }

    /// Takes note of an answer, if it falls into the sample.
    ///
    /// If it is about some of the examples only, `numbers` says which.
    pub(super) fn note(&self, conjunction: &[Literal], at_least: u32, covered: &Bits, numbers: Option<&[usize]>) {
        let purpose = format!("{at_least} {conjunction:?}");
        let mut stream = Stream::new(self.seed, &["audit", &purpose]);
        let draw = stream.bits();
        let mut sample = lock(&self.sample);
        let is_full = sample.len() >= self.size;
        if is_full && sample.last().is_none_or(|last| last.draw < draw) {
            return;
        }
        let mut examples = Vec::with_capacity(2 * EXAMPLES_OF_EACH);
        let number = |i: usize| numbers.map_or(i, |numbers| numbers[i]);
        for holds in [true, false] {
            let side = if holds { covered.clone() } else { Bits::ones(covered.len()).and_not(covered) };
            let side: Vec<usize> = side.iter().collect();
            // All where there are few; else with replacement, and what comes twice is asked once.
            let few = side.len() <= EXAMPLES_OF_EACH;
            let drawn = |k: usize| if few { side[k] } else { side[stream.index(side.len())] };
            examples.extend((0..EXAMPLES_OF_EACH.min(side.len())).map(drawn).map(|i| (number(i) as u32, holds)));
        }
        examples.sort_unstable();
        examples.dedup();
        // Answers to the same conjunction for other examples, or that differ, are both kept.
        sample.insert(Answer { draw, conjunction: conjunction.to_vec(), at_least, examples });
        if sample.len() > self.size {
            sample.pop_last();
        }
    }

    /// Asks the slow evaluator about the sample; the examples are those of the run.
    ///
    /// # Errors
    /// If it disagrees: the first difference, in the order of the sample.
    pub fn check(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Audited, Box<AuditError>> {
        let sample = lock(&self.sample);
        let mut audited = Audited { conjunctions: sample.len(), answers: 0 };
        for Answer { conjunction, at_least, examples: asked, .. } in sample.iter() {
            for &(i, fast) in asked {
                let args = &examples[i as usize].args;
                let slow = match at_least {
                    1 => naive::holds(database, conjunction, target, args),
                    _ => naive::count(database, conjunction, target, args) >= *at_least as usize,
                };
                if slow != fast {
                    let args: Vec<String> = args.iter().map(|&arg| database.symbols.show(arg).to_string()).collect();
                    return Err(Box::new(AuditError {
                        conjunction: show_test(conjunction, *at_least, &database.predicates, &database.symbols),
                        example: format!("{}({})", database.predicates.name(target), args.join(", ")),
                        fast,
                        slow,
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
            order.iter().for_each(|&k| audit.note(&clauses[k].1, 1, &Bits::from_fn(9, |i| i % (k + 2) == 0), None));
            audit.sample.into_inner().unwrap()
        };
        let one = sample(1, &[0, 1, 2, 3]);
        assert_eq!(one.len(), 2);
        assert_eq!(one, sample(1, &[3, 1, 0, 2, 2, 3, 1, 0]));
        assert!((2..40).any(|seed| sample(seed, &[0, 1, 2, 3]) != one));
        assert!(one.iter().all(|answer| answer.examples.iter().any(|&(_, holds)| holds)));
    }

    #[test]
    fn every_example_is_asked_where_there_are_few() {
        let (database, clauses, _) = sample::build(TEXT, None);
        let examples = constants(&database, ["a", "b", "c"]).map(example);
        let audit = Audit::new(10, 1);
        // p(A) holds for a and b, p(A) with q(A) for a only, p(b) for all.
        for (k, covered) in [(0, [true, true, false]), (2, [true, false, false]), (3, [true; 3])] {
            audit.note(&clauses[k].1, 1, &Bits::from_fn(3, |i| covered[i]), None);
        }
        let audited = audit.check(&database, clauses[0].0, &examples).unwrap();
        assert_eq!(audited.conjunctions, 3);
        // The same answer once more is the same answer; another one is not, and wrong.
        audit.note(&clauses[0].1, 1, &Bits::from_fn(3, |i| i < 2), None);
        assert_eq!(audit.check(&database, clauses[0].0, &examples), Ok(audited));
        audit.note(&clauses[0].1, 1, &Bits::ones(3), None);
        let error = *audit.check(&database, clauses[0].0, &examples).unwrap_err();
        let expected = AuditError { conjunction: "p(A)".into(), example: "h(c)".into(), fast: true, slow: false };
        assert_eq!(error, expected);
        assert_eq!(
            error.to_string(),
            "audit: h(c) satisfies the conjunction `p(A)` in the fast search and does not in the slow evaluator: this \
             is an error of the program, please report it with these data"
        );
    }
}
