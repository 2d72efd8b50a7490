//! Best-first search for the clause of highest compression below a bottom clause.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::bottom::{BottomClause, BottomLiteral};
use super::normal::{normal_form, number_variables};
use super::score::{ClauseScore, ClauseScorer};
use crate::cover::Bits;
use crate::determinism::{HashMap, HashSet, IndexMap};
use crate::logic::{Literal, Variable};

/// Maximum number of embeddings of a clause in the bottom clause; refinements reachable only from
/// others are missed. Ten times as many gave the same scores inside training folds of CORA, SPORTS
/// and MUTAGENESIS.
const MAX_EMBEDDINGS: usize = 100;

/// Result of a search.
pub(super) struct BestClause {
    /// The clause of highest compression with its coverage; the first of ties.
    pub best: Option<(Vec<Literal>, Arc<Bits>)>,
    pub examined: u64,
    /// Whether the limit on clauses or on embeddings was reached.
    pub over_budget: bool,
}

/// An embedding of a clause: the bottom-clause variable of each of its body variables.
type Embedding = Vec<Variable>;

/// A clause not yet evaluated, see [`OpenClause`].
struct Refinement {
    body: Vec<Literal>,
    embeddings: Vec<Embedding>,
}

/// A clause of the open list, with all its embeddings in the bottom clause.
///
/// Ten facts of one predicate about a head argument are ten literals of the bottom clause but one
/// clause. A clause is evaluated once and refined from all its embeddings.
struct OpenClause {
    /// Variables of the head first, then numbered by occurrence.
    body: Vec<Literal>,
    embeddings: Vec<Embedding>,
    score: ClauseScore,
    /// Sequence number, for ties.
    age: usize,
}

impl OpenClause {
    fn rank(&self) -> (f64, Reverse<usize>) {
        (self.score.compression, Reverse(self.age))
    }
}

impl PartialEq for OpenClause {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for OpenClause {}

impl PartialOrd for OpenClause {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OpenClause {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((value, age), (other_value, other_age)) = (self.rank(), other.rank());
        value.total_cmp(&other_value).then(age.cmp(&other_age))
    }
}

/// Refines, best-first, the open clause of highest compression by every literal that the modes
/// allow. Coverage is anti-monotone, so a clause is pruned once no refinement can exceed the best.
pub(super) fn best_clause(scorer: &ClauseScorer<'_, '_>, bottom: &BottomClause) -> BestClause {
    let options = &scorer.options;
    let index = BottomIndex::new(bottom);
    let mut found = BestClause { best: None, examined: 0, over_budget: false };
    let mut best = 0.0;
    let mut seen: HashSet<Vec<Literal>> = HashSet::default();
    let mut open = BinaryHeap::new();
    let all = scorer.score(0, Arc::new(Bits::ones(scorer.positives.len())));
    open.push(OpenClause { body: Vec::new(), embeddings: vec![Vec::new()], score: all, age: 0 });
    let mut age = 0;
    while let Some(clause) = open.pop() {
        let length = clause.body.len() + 1;
        if length > options.max_length || clause.score.gained - length as f64 <= best {
            continue;
        }
        let (mut refinements, cut) = index.refinements(&clause, &mut seen);
        found.over_budget |= cut;
        let left = options.search_limit - found.examined as usize;
        let is_last = refinements.len() > left;
        refinements.truncate(left);
        found.examined += refinements.len() as u64;
        let bodies: Vec<&[Literal]> = refinements.iter().map(|refinement| refinement.body.as_slice()).collect();
        let covered = scorer.coverage.cover_all(&bodies);
        for (Refinement { body, embeddings }, covered) in refinements.into_iter().zip(covered) {
            let score = scorer.score(length, covered);
            if score.acceptable && score.compression > best {
                best = score.compression;
                found.best = Some((body.clone(), score.covered.clone()));
            }
            let enough = score.covered.count_and(&scorer.uncovered) >= options.min_positives;
            if enough && length < options.max_length && score.gained - (length + 1) as f64 > best {
                age += 1;
                open.push(OpenClause { body, embeddings, score, age });
            }
        }
        if is_last {
            found.over_budget = true;
            break;
        }
    }
    found
}

/// The literals of a bottom clause, indexed by the variables they require.
struct BottomIndex<'b> {
    bottom: &'b BottomClause,
    /// Literals that require head variables only.
    free: Vec<u32>,
    /// The other literals, by the first variable they require.
    by_input: HashMap<Variable, Vec<u32>>,
    /// For literals that several modes produced, the first equal one.
    twin: Vec<Option<u32>>,
}

impl<'b> BottomIndex<'b> {
    fn new(bottom: &'b BottomClause) -> Self {
        let mut alike: HashMap<&Literal, Vec<u32>> = HashMap::default();
        for (k, next) in bottom.literals.iter().enumerate() {
            alike.entry(&next.literal).or_default().push(k as u32);
        }
        let twin = |next: &BottomLiteral| alike.get(&next.literal).filter(|all| all.len() > 1).map(|all| all[0]);
        let twin = bottom.literals.iter().map(twin).collect();
        let mut index = BottomIndex { bottom, free: Vec::new(), by_input: HashMap::default(), twin };
        for (k, literal) in bottom.literals.iter().enumerate() {
            match literal.inputs.first() {
                None => index.free.push(k as u32),
                Some(&input) => index.by_input.entry(input).or_default().push(k as u32),
            }
        }
        index
    }

    /// Returns the refinements by one literal not seen before, and whether embeddings were dropped.
    fn refinements(&self, clause: &OpenClause, seen: &mut HashSet<Vec<Literal>>) -> (Vec<Refinement>, bool) {
        let mut extensions: IndexMap<Literal, Vec<Embedding>> = IndexMap::default();
        let (mut literal, mut fresh) = (Literal::new(self.bottom.target, Vec::new()), Vec::new());
        let mut cut = false;
        for embedding in &clause.embeddings {
            let bound = embedding.iter().filter_map(|variable| self.by_input.get(variable)).flatten();
            let mut used_twins: Vec<u32> = Vec::new();
            for &k in self.free.iter().chain(bound) {
                let next = &self.bottom.literals[k as usize];
                let same = || clause.body.iter().filter(|other| other.predicate == next.literal.predicate).count();
                if !next.inputs.iter().all(|input| embedding.contains(input))
                    || next.max.is_some_and(|max| same() >= max as usize)
                    || self.twin[k as usize].is_some_and(|twin| used_twins.contains(&twin))
                {
                    continue;
                }
                used_twins.extend(self.twin[k as usize]);
                fresh.clear();
                number_variables(&next.literal, (embedding, &mut fresh), self.bottom.arity, &mut literal);
                if clause.body.contains(&literal) {
                    continue;
                }
                let embeddings = match extensions.get_mut(&literal) {
                    Some(embeddings) => embeddings,
                    None => extensions.entry(literal.clone()).or_default(),
                };
                if embeddings.len() < MAX_EMBEDDINGS {
                    embeddings.push(embedding.iter().chain(&fresh).copied().collect());
                } else {
                    cut = true;
                }
            }
        }
        let mut refinements = Vec::new();
        for (literal, embeddings) in extensions {
            let body: Vec<Literal> = clause.body.iter().cloned().chain([literal]).collect();
            if seen.insert(normal_form(&body, self.bottom.arity)) {
                refinements.push(Refinement { body, embeddings });
            }
        }
        (refinements, cut)
    }
}
