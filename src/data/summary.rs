//! Counts of a loaded dataset, for files and for generated data alike.

use super::load::Dataset;
use crate::kb::{Database, Example};
use crate::logic::PredicateId;

/// The counts of a predicate of the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateRow {
    /// Its name and arity, as `name/arity`.
    pub predicate: String,
    /// The types of its arguments; empty without a mode.
    pub types: Vec<String>,
    /// Distinct facts.
    pub facts: usize,
    /// Dropped duplicates.
    pub duplicates: u64,
    /// Distinct constants in each argument.
    pub constants: Vec<usize>,
    /// The number of its modes.
    pub modes: usize,
}

/// The counts of one dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetSummary {
    /// The target with its types, such as `advisedby(person, person)`.
    pub target: String,
    /// Positive examples.
    pub positives: usize,
    /// Negative examples.
    pub negatives: usize,
    /// Dropped duplicate examples with the same label.
    pub duplicate_examples: u64,
    /// Ignored examples of other predicates: name, positives, negatives.
    pub other_examples: Vec<(String, u64, u64)>,
    /// The predicates of the evidence that have facts or modes, in order of first appearance.
    pub predicates: Vec<PredicateRow>,
    /// Distinct constants: names and numbers.
    pub constants: (usize, usize),
    /// Distinct facts.
    pub facts: usize,
    /// Dropped duplicate facts.
    pub duplicate_facts: u64,
    /// The earliest and latest time of an example, if there are time limits.
    pub times: Option<(f64, f64)>,
    /// The memory use of the database in bytes.
    pub bytes: usize,
}

impl DatasetSummary {
    /// Counts loaded data.
    pub fn of(loaded: &Dataset) -> DatasetSummary {
        let db = &loaded.database;
        let count = |positive| loaded.examples.iter().filter(|e| e.positive == positive).count();
        let limits = |e: &Example| db.limit(loaded.target, &e.args);
        let times = loaded.examples.iter().filter_map(limits).fold(None, |range: Option<(f64, f64)>, time| {
            Some(range.map_or((time, time), |(low, high)| (low.min(time), high.max(time))))
        });
        let others = &loaded.counts.other_examples;
        DatasetSummary {
            target: match type_names(db, loaded.target).as_slice() {
                [] => db.predicates.show(loaded.target).to_string(),
                types => format!("{}({})", db.predicates.name(loaded.target), types.join(", ")),
            },
            positives: count(true),
            negatives: count(false),
            duplicate_examples: loaded.counts.duplicate_examples,
            other_examples: others.iter().map(|(name, &(p, n))| (name.clone(), p, n)).collect(),
            predicates: predicate_rows(db, loaded.target),
            constants: (db.symbols.names(), db.symbols.numbers()),
            facts: db.facts.len(),
            duplicate_facts: db.facts.duplicates(),
            times,
            bytes: db.bytes(),
        }
    }
}

/// Returns the types of the arguments of a predicate; empty without a mode.
fn type_names(db: &Database, id: PredicateId) -> Vec<String> {
    let types = db.schema.argument_types(id).unwrap_or_default();
    types.iter().map(|&t| db.schema.type_name(t).to_owned()).collect()
}

/// Returns the predicates of the evidence that have facts or modes, in order of first appearance.
pub fn predicate_rows(db: &Database, target: PredicateId) -> Vec<PredicateRow> {
    let row = |id| {
        let relation = db.facts.relation(id);
        PredicateRow {
            predicate: db.predicates.show(id).to_string(),
            types: type_names(db, id),
            facts: relation.len(),
            duplicates: relation.duplicates(),
            constants: (0..relation.arity()).map(|position| relation.values(position).len()).collect(),
            modes: db.schema.modes_of(id).count(),
        }
    };
    let in_evidence = |row: &PredicateRow| row.facts > 0 || row.modes > 0;
    let evidence = db.predicates.iter().filter(|&id| id != target || !db.facts.relation(id).is_empty());
    evidence.map(row).filter(in_evidence).collect()
}

/// Returns the numbers of positives and negatives in each fold, from the fold of each example.
pub fn fold_sizes(examples: &[Example], folds: &[u32]) -> Vec<(usize, usize)> {
    let k = folds.iter().max().map_or(0, |&last| last as usize + 1);
    let mut sizes = vec![(0, 0); k];
    for (example, &fold) in examples.iter().zip(folds) {
        let size = &mut sizes[fold as usize];
        *(if example.positive { &mut size.0 } else { &mut size.1 }) += 1;
    }
    sizes
}
