//! Features that the harness computes from the training data and writes for a command.

use std::io::{self, Write};
use std::path::Path;

use super::config::Features;
use super::contract;
use crate::data::split::{Fold, FoldSide};
use crate::files;
use crate::learn::progol::ProgolParams;
use crate::learn::rrbm::count::SparseRow;
use crate::learn::rrbm::{RrbmC, RrbmCParams, RrbmModel};
use crate::learn::{LearnError, Learner, Progol, Task};
use crate::rbm::Network;

/// Features computed on the training part of a fold.
pub enum Learned {
    /// Walks to count.
    Walks(Box<RrbmModel>),
    /// Clauses.
    Clauses(Box<Network>),
}

/// Computes features from a training task.
///
/// # Errors
/// If the kind of model that they come from does not support the dataset.
pub fn learn(features: Features, task: &Task<'_>) -> Result<Learned, LearnError> {
    match features {
        Features::RandomWalks => Ok(Learned::Walks(Box::new(RrbmC { params: RrbmCParams::default() }.walks(task)?))),
        Features::Clauses => {
            let trained = Progol { params: ProgolParams::default() }.fit(task, &mut |_| {})?;
            Ok(Learned::Clauses(Box::new(trained.model)))
        }
    }
}

/// Writes features into `features/` of the directory of a command.
///
/// # Errors
/// If a file cannot be written.
pub fn write(directory: &Path, fold: &Fold, learned: &Learned) -> io::Result<()> {
    let directory = directory.join("features");
    files::create_dir_all(&directory)?;
    match learned {
        Learned::Walks(model) => {
            let labels = fold.train.examples.iter().map(|example| if example.positive { "1" } else { "0" });
            write_counts(&directory.join("train.csv"), model, &fold.train, Some(labels.collect()))?;
            write_counts(&directory.join("test.csv"), model, &fold.test, None)
        }
        Learned::Clauses(network) => {
            let mut out = contract::writer(&directory.join("clauses.txt"))?;
            for clause in network.hidden() {
                writeln!(out, "{}.", clause.rule.show(network.target(), network.names()))?;
            }
            out.flush()
        }
    }
}

/// Writes a table with a row per example: those of the test sorted, without labels.
fn write_counts(path: &Path, model: &RrbmModel, side: &FoldSide, labels: Option<Vec<&str>>) -> io::Result<()> {
    let counts = model.counts(&side.database, side.target, &side.examples);
    let mut rows: Vec<(String, Option<&str>, &SparseRow)> = contract::atoms(side)
        .zip(&counts)
        .enumerate()
        .map(|(i, (atom, row))| (atom, labels.as_ref().and_then(|labels| labels.get(i).copied()), row))
        .collect();
    if labels.is_none() {
        rows.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    }
    let walks = model.walks().len();
    let mut out = csv::Writer::from_writer(contract::writer(path)?);
    let names = (0..walks).map(|walk| model.show_walk(walk));
    let head = std::iter::once("example".to_owned()).chain(labels.is_some().then(|| "label".to_owned()));
    out.write_record(head.chain(names))?;
    for (example, label, row) in rows {
        let mut values = vec!["0".to_owned(); walks];
        for &(walk, count) in row {
            if let Some(value) = values.get_mut(walk as usize) {
                *value = count.to_string();
            }
        }
        let head = std::iter::once(example).chain(label.map(str::to_owned));
        out.write_record(head.chain(values))?;
    }
    out.flush()
}
