//! Examples as read from files (any predicate, duplicates, contradictions), and the cleaned
//! examples of the target.

use crate::determinism::{HashMap, IndexMap};
use crate::kb::{DatabaseBuilder, Example};
use crate::logic::natural;
use crate::logic::nearest::nearest;
use crate::logic::{Constant, PredicateId, Predicates};

/// All examples of the files, in their order.
#[derive(Clone, Debug, Default)]
pub struct RawExamples {
    all: Vec<(PredicateId, Example)>,
}

/// The cleaned examples of the target.
#[derive(Clone, Debug, Default)]
pub struct TargetExamples {
    /// The distinct examples: positives in order, then negatives.
    pub examples: Vec<Example>,
    /// The number of duplicates with the same label; the largest weight is kept.
    pub duplicates: u64,
    /// Examples with both labels.
    pub contradictions: Vec<Contradiction>,
    /// The numbers of positive and negative examples of other predicates, by `name/arity`.
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
    /// Returns the example as text.
    pub fn show(&self, builder: &DatabaseBuilder, target: PredicateId) -> String {
        let args: Vec<String> = self.args.iter().map(|&c| builder.symbols.show(c).to_string()).collect();
        format!("{}({})", builder.predicates.name(target), args.join(", "))
    }
}

/// The error for a target without examples.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoExamples {
    /// There are no examples at all.
    #[error("no examples")]
    Empty,
    /// All examples are of other predicates.
    #[error("no example of the target `{target}`; found examples of {found}")]
    NotTarget {
        /// The requested target.
        target: String,
        /// The predicates of the examples.
        found: String,
        /// The predicate most similar to the target.
        nearest: String,
    },
}

impl NoExamples {
    /// Returns advice for the user.
    pub fn help(&self) -> String {
        match self {
            NoExamples::Empty => "write at least one, such as `advisedby(ann, bob).`".into(),
            NoExamples::NotTarget { nearest, .. } => format!("did you mean `{nearest}`? names are case-sensitive"),
        }
    }
}

impl RawExamples {
    /// Adds an example.
    pub fn push(&mut self, predicate: PredicateId, args: &[Constant], positive: bool, weight: f64, line: u64) {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.all.push((predicate, Example { args: args.into(), positive, class: 0, weight, line }));
    }

    /// Returns the target: the predicate with this name, written `name` or `name/arity`. Without a
    /// name it is the predicate with the most positives, then with the most examples, then the
    /// first in canonical order.
    pub fn choose_target(&self, predicates: &Predicates, name: Option<&str>) -> Result<PredicateId, NoExamples> {
        let mut counts: IndexMap<PredicateId, (u64, u64)> = IndexMap::default();
        for (predicate, example) in &self.all {
            let count = counts.entry(*predicate).or_default();
            count.0 += u64::from(example.positive);
            count.1 += 1;
        }
        let mut best: Option<(PredicateId, (u64, u64))> = None;
        for (&predicate, &count) in &counts {
            let is = |name: &str| predicates.name(predicate) == name || predicates.show(predicate).to_string() == name;
            let is_requested = name.is_none_or(is);
            let is_better = |(other, known): (PredicateId, (u64, u64))| {
                let names = [predicate, other].map(|id| predicates.name(id).as_bytes());
                let by_name = || natural::compare(names[0], names[1]);
                let by_arity = || predicates.arity(predicate).cmp(&predicates.arity(other));
                known.cmp(&count).then_with(by_name).then_with(by_arity).is_lt()
            };
            if is_requested && best.is_none_or(is_better) {
                best = Some((predicate, count));
            }
        }
        if let Some((target, _)) = best {
            return Ok(target);
        }
        let Some(name) = name.filter(|_| !counts.is_empty()) else { return Err(NoExamples::Empty) };
        let names = || counts.keys().map(|&id| predicates.name(id));
        let found: Vec<&str> = names().collect();
        Err(NoExamples::NotTarget {
            target: name.to_owned(),
            found: found.join(", "),
            nearest: nearest(name, names()).unwrap_or_default().to_owned(),
        })
    }

    /// Returns the distinct examples of the target.
    pub fn into_target_examples(self, builder: &DatabaseBuilder, target: PredicateId) -> TargetExamples {
        let mut result = TargetExamples::default();
        let mut seen: HashMap<Box<[Constant]>, (bool, u32, usize)> = HashMap::default();
        let mut negatives = Vec::new();
        // Positives need not come first: their file may have been read second.
        let (positive, negative): (Vec<_>, Vec<_>) = self.all.into_iter().partition(|(_, example)| example.positive);
        for (predicate, example) in positive.into_iter().chain(negative) {
            if predicate != target {
                let count = result.others.entry(builder.predicates.show(predicate).to_string()).or_default();
                *(if example.positive { &mut count.0 } else { &mut count.1 }) += 1;
                continue;
            }
            match seen.get(&example.args) {
                Some((label, _, index)) if *label == example.positive => {
                    result.duplicates += 1;
                    // The largest weight does not depend on the order of the file.
                    let kept = &mut (if example.positive { &mut result.examples } else { &mut negatives })[*index];
                    kept.weight = kept.weight.max(example.weight);
                }
                Some((_, line, _)) => result.contradictions.push(Contradiction {
                    args: example.args,
                    positive_line: u64::from(*line),
                    negative_line: u64::from(example.line),
                }),
                None => {
                    let kept = if example.positive { &mut result.examples } else { &mut negatives };
                    seen.insert(example.args.clone(), (example.positive, example.line, kept.len()));
                    kept.push(example);
                }
            }
        }
        result.examples.append(&mut negatives);
        result.others.sort_by(|a, _, b, _| natural::compare(a.as_bytes(), b.as_bytes()));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_name_may_include_its_arity() {
        let mut predicates = Predicates::default();
        let (one, two) = (predicates.intern("smokes", 1), predicates.intern("smokes", 2));
        let a = Constant::from_id(0);
        let mut raw = RawExamples::default();
        raw.push(one, &[a], true, 1.0, 1);
        raw.push(two, &[a, a], true, 1.0, 2);
        raw.push(two, &[a, a], true, 1.0, 3);
        assert_eq!(raw.choose_target(&predicates, None), Ok(two));
        assert_eq!(raw.choose_target(&predicates, Some("smokes")), Ok(two));
        assert_eq!(raw.choose_target(&predicates, Some("smokes/1")), Ok(one));
        assert!(raw.choose_target(&predicates, Some("smokes/3")).is_err());
    }
}
