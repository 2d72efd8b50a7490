//! A second opinion: some of the answers of a real run, asked again of the slow evaluator.
//!
//! An answer is which examples satisfy a conjunction, or how many groundings of a pattern they have. Which answers are checked depends on the seed and on the
//! conjunctions alone, not on when or how often they were asked for, so any number of threads and any memory give the
//! same sample.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::bits::Bits;
use super::cache::lock;
use super::count::show_test;
use crate::determinism::Stream;
use crate::kb::{Database, Example, naive};
use crate::logic::{Literal, PredicateId};

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
    /// What must not hold under the same substitution.
    none_of: Vec<Vec<Literal>>,
    /// How many groundings were asked for; 0 for the question how many there are.
    at_least: u32,
    /// Some of the examples, by number, and whether each was said to satisfy the conjunction, 1 or 0; or how many groundings it was
    /// said to have.
    examples: Vec<(u32, u64)>,
}

/// Examples with more groundings than this are not asked about: the slow evaluator goes through them one by one.
const MOST_ASKED_AGAIN: f64 = 1000.0;

/// What an audit looked at, and found right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// How many conjunctions.
    pub conjunctions: usize,
    /// How many answers, an example and a conjunction each.
    pub answers: usize,
}

/// The fast search was wrong, or the slow evaluator.
///
/// In a conjunction the variables `A`, `B` and so on up to the arity of the target are the arguments of the example.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// About whether a conjunction holds.
    #[error(
        "audit: {example} {} the conjunction `{conjunction}` in the fast search and {} in the slow evaluator: this is an \
         error of the program, please report it with these data", said(*.fast), says(*.slow)
    )]
    Holds {
        /// The conjunction.
        conjunction: String,
        /// The example.
        example: String,
        /// What the fast search says.
        fast: bool,
        /// What the slow evaluator says.
        slow: bool,
    },
    /// About how many groundings there are.
    #[error(
        "audit: {example} has {fast} groundings of `{pattern}` in the fast search and {slow} in the slow evaluator: this is an \
         error of the program, please report it with these data"
    )]
    Count {
        /// The pattern.
        pattern: String,
        /// The example.
        example: String,
        /// What the fast search says.
        fast: u64,
        /// What the slow evaluator says.
        slow: u64,
    },
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
    pub(crate) fn note(&self, conjunction: &[Literal], at_least: u32, covered: &Bits, numbers: Option<&[usize]>) {
        let purpose = format!("{at_least} {conjunction:?}");
        let mut stream = Stream::new(self.seed, &["audit", &purpose]);
        let draw = stream.bits();
        if !self.wants(draw) {
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
            let said = u64::from(holds);
            examples.extend((0..EXAMPLES_OF_EACH.min(side.len())).map(drawn).map(|i| (number(i) as u32, said)));
        }
        self.keep(Answer { draw, conjunction: conjunction.to_vec(), none_of: Vec::new(), at_least, examples });
    }

    /// Takes note of how many groundings of a pattern each example was said to have, if that falls into the sample. `through` says
    /// how many the slow evaluator will go through; examples for which these are too many are not asked about.
    pub(crate) fn note_counts(
        &self,
        (literals, none_of): (&[Literal], &[Vec<Literal>]),
        counts: &[f64],
        through: impl FnOnce() -> Vec<f64>,
    ) {
        let purpose = format!("{literals:?} {none_of:?}");
        let mut stream = Stream::new(self.seed, &["audit", "counts", &purpose]);
        let draw = stream.bits();
        if !self.wants(draw) {
            return;
        }
        let through = through();
        let askable = |&i: &usize| through[i] <= MOST_ASKED_AGAIN;
        let mut examples = Vec::with_capacity(2 * EXAMPLES_OF_EACH);
        for some in [true, false] {
            let side: Vec<usize> = (0..counts.len()).filter(|&i| (counts[i] > 0.0) == some).filter(askable).collect();
            let few = side.len() <= EXAMPLES_OF_EACH;
            let drawn = |k: usize| if few { side[k] } else { side[stream.index(side.len())] };
            examples.extend((0..EXAMPLES_OF_EACH.min(side.len())).map(drawn).map(|i| (i as u32, counts[i] as u64)));
        }
        let (conjunction, none_of) = (literals.to_vec(), none_of.to_vec());
        self.keep(Answer { draw, conjunction, none_of, at_least: 0, examples });
    }

    /// Whether an answer falls into the sample, as far as it is known.
    fn wants(&self, draw: u64) -> bool {
        let sample = lock(&self.sample);
        sample.len() < self.size || sample.last().is_some_and(|last| draw <= last.draw)
    }

    fn keep(&self, mut answer: Answer) {
        answer.examples.sort_unstable();
        answer.examples.dedup();
        let mut sample = lock(&self.sample);
        // Answers to the same conjunction for other examples, or that differ, are both kept.
        sample.insert(answer);
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
        for Answer { conjunction, none_of, at_least, examples: asked, .. } in sample.iter() {
            for &(i, fast) in asked {
                let args = &examples[i as usize].args;
                let slow = match at_least {
                    0 => naive::count_without(database, conjunction, none_of, target, args) as u64,
                    1 => naive::holds(database, conjunction, target, args).into(),
                    _ => (naive::count(database, conjunction, target, args) >= *at_least as usize).into(),
                };
                if slow != fast {
                    let args: Vec<String> = args.iter().map(|&arg| database.symbols.show(arg).to_string()).collect();
                    let example = format!("{}({})", database.predicates.name(target), args.join(", "));
                    let show = |body, at_least| show_test(body, at_least, &database.predicates, &database.symbols);
                    return Err(Box::new(match at_least {
                        0 => {
                            let ruled_out = none_of.iter().map(|group| format!("\\+ ({})", show(group, 1)));
                            let own = (!conjunction.is_empty()).then(|| show(conjunction, 1));
                            let pattern = own.into_iter().chain(ruled_out).collect::<Vec<_>>().join(", ");
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
            order.iter().for_each(|&k| audit.note(&clauses[k].1, 1, &Bits::from_fn(9, |i| i % (k + 2) == 0), None));
            audit.sample.into_inner().unwrap()
        };
        let one = sample(1, &[0, 1, 2, 3]);
        assert_eq!(one.len(), 2);
        assert_eq!(one, sample(1, &[3, 1, 0, 2, 2, 3, 1, 0]));
        assert!((2..40).any(|seed| sample(seed, &[0, 1, 2, 3]) != one));
        assert!(one.iter().all(|answer| answer.examples.iter().any(|&(_, said)| said == 1)));
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
        let expected =
            AuditError::Holds { conjunction: "p(A)".into(), example: "h(c)".into(), fast: true, slow: false };
        assert_eq!(error, expected);
        assert_eq!(
            error.to_string(),
            "audit: h(c) satisfies the conjunction `p(A)` in the fast search and does not in the slow evaluator: this \
             is an error of the program, please report it with these data"
        );
    }
}
