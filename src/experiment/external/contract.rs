//! The directory of a command: the fold of its job, without the labels of the test examples.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;

use super::config::{CONTRACT, Features};
use crate::data::split::{Fold, FoldSide};
use crate::files::{self, DiskWriter};
use crate::kb::{Database, Example};
use crate::learn::params::Value;
use crate::logic::PredicateId;

/// File name of the description of a job.
pub const JOB_FILE: &str = "job.json";

/// The content of `job.json`.
#[derive(Clone, Debug, Serialize)]
pub struct JobFile {
    contract: u32,
    dataset: String,
    model: Option<String>,
    target: String,
    fold: usize,
    seed: u64,
    params: BTreeMap<String, Value>,
    limits: JobLimits,
    threads: usize,
    features: Option<&'static str>,
}

/// Limits of a job as `job.json` states them.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct JobLimits {
    /// Maximum wall time.
    pub seconds: Option<f64>,
    /// Maximum memory of all processes of the command together.
    pub memory_bytes: Option<u64>,
}

/// The split of a job.
#[derive(Clone, Debug)]
pub struct SplitName {
    /// Name of the dataset in the experiment.
    pub dataset: String,
    /// Fold number from 1.
    pub fold: usize,
    /// The seed.
    pub seed: u64,
}

impl JobFile {
    /// Describes a split, for no model in particular.
    pub fn of_split(split: SplitName, fold: &Fold) -> JobFile {
        JobFile {
            contract: CONTRACT,
            dataset: split.dataset,
            model: None,
            target: fold.test.database.predicates.name(fold.test.target).to_owned(),
            fold: split.fold,
            seed: split.seed,
            params: BTreeMap::new(),
            limits: JobLimits::default(),
            threads: 1,
            features: None,
        }
    }

    /// Adds the model.
    pub fn for_model(
        self,
        model: &str,
        params: BTreeMap<String, Value>,
        features: Option<Features>,
        (limits, threads): (JobLimits, usize),
    ) -> JobFile {
        let features = features.map(Features::name);
        JobFile { model: Some(model.to_owned()), params, limits, threads, features, ..self }
    }
}

/// Writes `train/`, `test/` and `job.json` into an existing directory.
///
/// # Errors
/// If a file cannot be written.
pub fn write(directory: &Path, fold: &Fold, job: &JobFile) -> io::Result<()> {
    let (train, test) = (directory.join("train"), directory.join("test"));
    for part in [&train, &test] {
        files::create_dir_all(part)?;
    }
    let of_label = |label: bool| fold.train.examples.iter().filter(move |example| example.positive == label);
    write_examples(&train.join("train_pos.txt"), &fold.train, of_label(true))?;
    write_examples(&train.join("train_neg.txt"), &fold.train, of_label(false))?;
    write_evidence(&train, "train", &fold.train)?;
    write_evidence(&test, "test", &fold.test)?;
    let mut queries = writer(&test.join("queries.txt"))?;
    for query in queries_of(&fold.test) {
        writeln!(queries, "{query}.")?;
    }
    queries.flush()?;
    let text = serde_json::to_string_pretty(job)? + "\n";
    files::write_in_place(&directory.join(JOB_FILE), text.as_bytes())
}

/// Opens a new file for buffered writing.
///
/// # Errors
/// If it cannot be created.
pub fn writer(path: &Path) -> io::Result<BufWriter<DiskWriter<File>>> {
    DiskWriter::create(path).map(BufWriter::new)
}

/// Returns the test examples as atoms, sorted, so that their order says nothing about labels.
pub fn queries_of(test: &FoldSide) -> Vec<String> {
    let mut queries: Vec<String> = atoms(test).collect();
    queries.sort_unstable();
    queries
}

/// Returns the examples of a side as atoms, in their order.
pub fn atoms(side: &FoldSide) -> impl Iterator<Item = String> + '_ {
    side.examples.iter().map(|example| side.database.show_atom(side.target, &example.args))
}

/// Writes the labels of the test examples: `example,label` with 1 or 0, sorted by example.
///
/// # Errors
/// If the file cannot be written.
pub fn write_labels(path: &Path, test: &FoldSide) -> io::Result<()> {
    let labels = test.examples.iter().map(|example| if example.positive { "1" } else { "0" });
    let mut rows: Vec<(String, &str)> = atoms(test).zip(labels).collect();
    rows.sort_unstable();
    let mut out = csv::Writer::from_writer(writer(path)?);
    out.write_record(["example", "label"])?;
    for (example, label) in &rows {
        out.write_record([example.as_str(), label])?;
    }
    out.flush()
}

fn write_examples<'a>(path: &Path, side: &FoldSide, examples: impl Iterator<Item = &'a Example>) -> io::Result<()> {
    let mut out = writer(path)?;
    for example in examples {
        writeln!(out, "{}.", side.database.show_atom(side.target, &example.args))?;
    }
    out.flush()
}

fn write_evidence(directory: &Path, name: &str, side: &FoldSide) -> io::Result<()> {
    let mut facts = writer(&directory.join(format!("{name}_facts.txt")))?;
    let database = &side.database;
    let mut args = Vec::new();
    for predicate in database.predicates.iter().filter(|&predicate| is_evidence(database, side.target, predicate)) {
        for row in database.facts.relation(predicate).iter() {
            args.clear();
            args.extend(row.iter());
            writeln!(facts, "{}.", database.show_atom(predicate, &args))?;
        }
    }
    facts.flush()?;
    let mut background = writer(&directory.join(format!("{name}_bk.txt")))?;
    write_background(&mut background, database, side.target)?;
    background.flush()
}

/// Facts of the target are labels; they are evidence only where our learners may use them.
fn is_evidence(database: &Database, target: PredicateId, predicate: PredicateId) -> bool {
    predicate != target || database.recursion.is_some_and(|recursion| recursion.target == target)
}

fn write_background(out: &mut impl Write, database: &Database, target: PredicateId) -> io::Result<()> {
    let Database { schema, predicates, symbols, .. } = database;
    for mode in schema.modes().iter().filter(|mode| mode.target.is_none_or(|only| only == target)) {
        writeln!(out, "mode: {}.", schema.show(mode, predicates, symbols))?;
    }
    for (type_id, constants) in schema.ranges() {
        let constants: Vec<String> = constants.iter().map(|&constant| symbols.show(constant).to_string()).collect();
        writeln!(out, "range: {} = {{{}}}.", schema.type_name(*type_id), constants.join(", "))?;
    }
    for &bridger in schema.bridgers() {
        writeln!(out, "bridger: {}/{}.", predicates.name(bridger), predicates.arity(bridger))?;
    }
    Ok(())
}
