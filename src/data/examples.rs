//! Examples as they are read: of any predicate, repeated, perhaps contradictory; and what is left when that is sorted out.

use crate::determinism::{HashMap, IndexMap};
use crate::kb::{DatabaseBuilder, Example};
use crate::logic::nearest::nearest;
use crate::logic::{Constant, PredicateId, Predicates};

/// Every example of the files, in their order.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    all: Vec<(PredicateId, Example)>,
}

/// The examples of the target, sorted out.
#[derive(Clone, Debug, Default)]
pub struct Labelled {
    /// Each example once: positives in order, then negatives.
    pub examples: Vec<Example>,
    /// How many stood again with the same label.
    pub duplicates: u64,
    /// Examples with both labels.
    pub contradictions: Vec<Contradiction>,
    /// Examples of other predicates, by `name/arity`: positives and negatives.
    pub others: IndexMap<String, (u64, u64)>,
}

/// An example that is both positive and negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    args: Box<[Constant]>,
    /// Its line in the file of positives.
    pub positive_line: u64,
    /// Its line in the file of negatives.
    pub negative_line: u64,
}

impl Contradiction {
    /// The example as it is written.
    pub fn show(&self, builder: &DatabaseBuilder, target: PredicateId) -> String {
        let args: Vec<String> = self.args.iter().map(|&c| builder.symbols.show(c).to_string()).collect();
        format!("{}({})", builder.predicates.name(target), args.join(", "))
    }
}

/// There is no example of the target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// There is no example of anything.
    #[error("there are no examples")]
    Empty,
    /// There are examples, of other predicates.
    #[error("no example of the target `{target}`; the examples are of {found}")]
    NotTarget {
        /// The target asked for.
        target: String,
        /// The predicates there are.
        found: String,
        /// The one most like the target.
        nearest: String,
    },
}

impl PoolError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            PoolError::Empty => "write at least one, such as `advisedby(ann, bob).`".into(),
            PoolError::NotTarget { nearest, .. } => format!("did you mean `{nearest}`? names are case-sensitive"),
        }
    }
}

impl Pool {
    /// Adds an example.
    pub fn push(&mut self, predicate: PredicateId, args: &[Constant], positive: bool, weight: f64, line: u64) {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.all.push((predicate, Example { args: args.into(), positive, class: 0, weight, line }));
    }

    /// The target: the predicate of that name, written `name` or `name/arity`, or without a name the one with the most
    /// positives, the first of equals.
    pub fn choose(&self, predicates: &Predicates, name: Option<&str>) -> Result<PredicateId, PoolError> {
        let mut counts: IndexMap<PredicateId, (u64, u64)> = IndexMap::default();
        for (predicate, example) in &self.all {
            let count = counts.entry(*predicate).or_default();
            count.0 += u64::from(example.positive);
            count.1 += 1;
        }
        let mut best: Option<(PredicateId, (u64, u64))> = None;
        for (&predicate, &count) in &counts {
            let is = |name: &str| predicates.name(predicate) == name || predicates.show(predicate).to_string() == name;
            let wanted = name.is_none_or(is);
            if wanted && best.is_none_or(|(_, known)| count > known) {
                best = Some((predicate, count));
            }
        }
        if let Some((target, _)) = best {
            return Ok(target);
        }
        let Some(name) = name.filter(|_| !counts.is_empty()) else { return Err(PoolError::Empty) };
        let names = || counts.keys().map(|&id| predicates.name(id));
        let found: Vec<&str> = names().collect();
        Err(PoolError::NotTarget {
            target: name.to_owned(),
            found: found.join(", "),
            nearest: nearest(name, names()).unwrap_or_default().to_owned(),
        })
    }

    /// The examples of the target, each once.
    pub fn take(self, builder: &DatabaseBuilder, target: PredicateId) -> Labelled {
        let mut result = Labelled::default();
        let mut seen: HashMap<Box<[Constant]>, (bool, u32)> = HashMap::default();
        let mut negatives = Vec::new();
        // Positives come first in the pool only if their file was read first: do not rely on it.
        let (positive, negative): (Vec<_>, Vec<_>) = self.all.into_iter().partition(|(_, example)| example.positive);
        for (predicate, example) in positive.into_iter().chain(negative) {
            if predicate != target {
                let count = result.others.entry(builder.predicates.show(predicate).to_string()).or_default();
                *(if example.positive { &mut count.0 } else { &mut count.1 }) += 1;
                continue;
            }
            match seen.get(&example.args) {
                Some((label, _)) if *label == example.positive => result.duplicates += 1,
                Some((_, line)) => result.contradictions.push(Contradiction {
                    args: example.args,
                    positive_line: u64::from(*line),
                    negative_line: u64::from(example.line),
                }),
                None => {
                    seen.insert(example.args.clone(), (example.positive, example.line));
                    if example.positive { &mut result.examples } else { &mut negatives }.push(example);
                }
            }
        }
        result.examples.append(&mut negatives);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_may_name_its_arity() {
        let mut predicates = Predicates::default();
        let (one, two) = (predicates.intern("smokes", 1), predicates.intern("smokes", 2));
        let a = Constant::from_id(0);
        let mut pool = Pool::default();
        pool.push(one, &[a], true, 1.0, 1);
        pool.push(two, &[a, a], true, 1.0, 2);
        pool.push(two, &[a, a], true, 1.0, 3);
        assert_eq!(pool.choose(&predicates, None), Ok(two));
        assert_eq!(pool.choose(&predicates, Some("smokes")), Ok(two));
        assert_eq!(pool.choose(&predicates, Some("smokes/1")), Ok(one));
        assert!(pool.choose(&predicates, Some("smokes/3")).is_err());
    }
}
