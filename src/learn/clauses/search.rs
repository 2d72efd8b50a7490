//! Best-first search for the clause of highest compression below a bottom clause.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;

use super::bottom::{BottomClause, BottomLiteral};
use super::normal::{normal_form, number_variables};
use super::score::{ClauseScore, ClauseScorer};
use crate::cover::Bits;
use crate::determinism::{HashMap, HashSet};
use crate::logic::{Argument, Literal, Variable};

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

/// Embeddings of a clause: for each, the bottom-clause variable of each body variable of the
/// clause.
#[derive(Default)]
struct Embeddings {
    variables: Vec<Variable>,
    /// The number of body variables.
    width: usize,
    number: usize,
}

impl Embeddings {
    fn get(&self, at: usize) -> &[Variable] {
        &self.variables[at * self.width..(at + 1) * self.width]
    }
}

/// How the embeddings of a clause extend those of the clause it was refined from. Most clauses are
/// never refined, and their embeddings never written out.
#[derive(Clone)]
struct Extensions {
    from: Rc<Embeddings>,
    /// The embedding extended, and the literal of the bottom clause.
    by: Vec<(u32, u32)>,
}

/// A clause not yet evaluated, see [`OpenClause`].
struct Refinement {
    body: Vec<Literal>,
    embeddings: Extensions,
}

/// A clause of the open list, with all its embeddings in the bottom clause.
///
/// Ten facts of one predicate about a head argument are ten literals of the bottom clause but one
/// clause. A clause is evaluated once and refined from all its embeddings.
struct OpenClause {
    /// Variables of the head first, then numbered by occurrence.
    body: Vec<Literal>,
    /// `None` for the clause without a body, which has one embedding.
    embeddings: Option<Extensions>,
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
    open.push(OpenClause { body: Vec::new(), embeddings: None, score: all, age: 0 });
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
                open.push(OpenClause { body, embeddings: Some(embeddings), score, age });
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
    /// The body variables among the arguments of each literal, in order.
    arguments: Vec<Vec<Variable>>,
    shape_of: Vec<Shape>,
    shapes: Vec<Shape>,
    /// The number of variables, those of the head included.
    variables: usize,
}

/// Literals whose arguments differ in body variables only, at the same positions.
#[derive(Clone, Copy)]
struct Shape {
    number: usize,
    /// The number of arguments that are body variables.
    arguments: usize,
}

/// The entry of a literal that the clause has.
const IN_CLAUSE: u32 = u32::MAX;

/// The most entries of a table of the numberings of a shape; beyond it, they are hashed.
const MAX_TABLE: usize = 1 << 12;

/// Numbers the body variables of literals, and keeps what belongs to each numbering.
struct Numberings<'i> {
    index: &'i BottomIndex<'i>,
    /// For each variable of the bottom clause, one more than its number in the clause, or 0.
    numbers: Vec<u32>,
    /// The number of variables with a number.
    bound: u32,
    /// Entries by shape and numbering: one more than the value, or 0.
    tables: Vec<u32>,
    /// The first entry of each shape, if its numberings are few.
    start: Vec<Option<usize>>,
    hashed: HashMap<(usize, Vec<u32>), u32>,
    fresh: Vec<Variable>,
}

impl<'i> Numberings<'i> {
    fn new(index: &'i BottomIndex<'i>, bound: u32) -> Self {
        let mut size = 0;
        let mut start = Vec::with_capacity(index.shapes.len());
        for shape in &index.shapes {
            let radix = bound as usize + shape.arguments;
            let entries = radix.checked_pow(shape.arguments as u32).filter(|&entries| entries <= MAX_TABLE);
            start.push(entries.map(|_| size));
            size += entries.unwrap_or(0);
        }
        Numberings {
            index,
            numbers: vec![0; index.variables],
            bound,
            tables: vec![0; size],
            start,
            hashed: HashMap::default(),
            fresh: Vec::new(),
        }
    }

    /// Gives the variables of an embedding their numbers; the first of equal variables counts.
    fn bind(&mut self, embedding: &[Variable]) {
        for (number, variable) in (1..).zip(embedding) {
            let first = &mut self.numbers[variable.0 as usize];
            if *first == 0 {
                *first = number;
            }
        }
    }

    fn unbind(&mut self, embedding: &[Variable]) {
        embedding.iter().for_each(|variable| self.numbers[variable.0 as usize] = 0);
    }

    fn is_bound(&self, variable: Variable) -> bool {
        self.numbers[variable.0 as usize] > 0
    }

    /// Returns the entry of a literal under the bound variables, 0 at first.
    fn entry(&mut self, k: usize) -> &mut u32 {
        let Numberings { index, numbers, bound, tables, start, hashed, fresh } = self;
        let shape = index.shape_of[k];
        fresh.clear();
        let mut number = |variable: &Variable| match numbers[variable.0 as usize] {
            0 => {
                let known = fresh.iter().position(|other| other == variable);
                let at = known.unwrap_or_else(|| {
                    fresh.push(*variable);
                    fresh.len() - 1
                });
                *bound + at as u32
            }
            known => known - 1,
        };
        let arguments = index.arguments[k].iter();
        match start[shape.number] {
            Some(start) => {
                let radix = *bound as usize + shape.arguments;
                &mut tables[start + arguments.fold(0, |entry, variable| entry * radix + number(variable) as usize)]
            }
            None => hashed.entry((shape.number, arguments.map(number).collect())).or_default(),
        }
    }
}

impl<'b> BottomIndex<'b> {
    fn new(bottom: &'b BottomClause) -> Self {
        let mut alike: HashMap<&Literal, Vec<u32>> = HashMap::default();
        for (k, next) in bottom.literals.iter().enumerate() {
            alike.entry(&next.literal).or_default().push(k as u32);
        }
        let twin = |next: &BottomLiteral| alike.get(&next.literal).filter(|all| all.len() > 1).map(|all| all[0]);
        let twin = bottom.literals.iter().map(twin).collect();
        let is_body = |variable: &Variable| variable.0 >= bottom.arity;
        let mut shapes: HashMap<Literal, usize> = HashMap::default();
        let mut index = BottomIndex {
            bottom,
            free: Vec::new(),
            by_input: HashMap::default(),
            twin,
            arguments: Vec::new(),
            shape_of: Vec::new(),
            shapes: Vec::new(),
            variables: 0,
        };
        for (k, BottomLiteral { literal, inputs, .. }) in bottom.literals.iter().enumerate() {
            match inputs.first() {
                None => index.free.push(k as u32),
                Some(&input) => index.by_input.entry(input).or_default().push(k as u32),
            }
            let arguments: Vec<Variable> = literal.variables().filter(is_body).collect();
            // All body variables alike.
            let mut shape = literal.clone();
            for argument in &mut shape.args {
                if matches!(argument, Argument::Variable(variable) if is_body(variable)) {
                    *argument = Argument::Variable(Variable(bottom.arity));
                }
            }
            let number = *shapes.entry(shape).or_insert(index.shapes.len());
            let shape = Shape { number, arguments: arguments.len() };
            if number == index.shapes.len() {
                index.shapes.push(shape);
            }
            index.shape_of.push(shape);
            let last = literal.variables().chain(inputs.iter().copied()).map(|variable| variable.0 as usize + 1).max();
            index.variables = index.variables.max(last.unwrap_or(0));
            index.arguments.push(arguments);
        }
        index
    }

    /// Writes the embeddings of a clause out.
    fn embeddings(&self, clause: &OpenClause) -> Embeddings {
        let Some(Extensions { from, by }) = &clause.embeddings else {
            return Embeddings { number: 1, ..Embeddings::default() };
        };
        let mut all = Embeddings { number: by.len(), ..Embeddings::default() };
        let (mut literal, mut fresh) = (Literal::new(self.bottom.target, Vec::new()), Vec::new());
        for &(embedding, k) in by {
            let embedding = from.get(embedding as usize);
            fresh.clear();
            let next = &self.bottom.literals[k as usize].literal;
            number_variables(next, (embedding, &mut fresh), self.bottom.arity, &mut literal);
            all.variables.extend(embedding.iter().chain(&fresh));
            all.width = embedding.len() + fresh.len();
        }
        all
    }

    /// Returns the refinements by one literal not seen before, and whether embeddings were dropped.
    fn refinements(&self, clause: &OpenClause, seen: &mut HashSet<Vec<Literal>>) -> (Vec<Refinement>, bool) {
        let embeddings = Rc::new(self.embeddings(clause));
        let mut extensions: Vec<(Literal, Vec<(u32, u32)>)> = Vec::new();
        let mut numberings = Numberings::new(self, embeddings.width as u32);
        // The last embedding that used the twin of a literal.
        let mut used_twins: Vec<Option<usize>> = vec![None; self.twin.len()];
        let mut cut = false;
        for at in 0..embeddings.number {
            let embedding = embeddings.get(at);
            numberings.bind(embedding);
            let inputs = embedding.iter().filter_map(|variable| self.by_input.get(variable)).flatten();
            for &k in self.free.iter().chain(inputs) {
                let next = &self.bottom.literals[k as usize];
                let same = || clause.body.iter().filter(|other| other.predicate == next.literal.predicate).count();
                let twin = self.twin[k as usize];
                if !next.inputs.iter().all(|&input| numberings.is_bound(input))
                    || next.max.is_some_and(|max| same() >= max as usize)
                    || twin.is_some_and(|twin| used_twins[twin as usize] == Some(at))
                {
                    continue;
                }
                if let Some(twin) = twin {
                    used_twins[twin as usize] = Some(at);
                }
                let entry = numberings.entry(k as usize);
                if *entry == 0 {
                    let mut literal = Literal::new(self.bottom.target, Vec::new());
                    number_variables(&next.literal, (embedding, &mut Vec::new()), self.bottom.arity, &mut literal);
                    *entry = IN_CLAUSE;
                    if !clause.body.contains(&literal) {
                        extensions.push((literal, Vec::new()));
                        *entry = extensions.len() as u32;
                    }
                }
                if *entry != IN_CLAUSE {
                    let by = &mut extensions[*entry as usize - 1].1;
                    if by.len() < MAX_EMBEDDINGS {
                        by.push((at as u32, k));
                    } else {
                        cut = true;
                    }
                }
            }
            numberings.unbind(embedding);
        }
        let mut refinements = Vec::new();
        for (literal, by) in extensions {
            let body: Vec<Literal> = clause.body.iter().cloned().chain([literal]).collect();
            if seen.insert(normal_form(&body, self.bottom.arity)) {
                refinements.push(Refinement { body, embeddings: Extensions { from: embeddings.clone(), by } });
            }
        }
        (refinements, cut)
    }
}
