//! Claims and what they are about.

use crate::data::benchmark::Arity;
use crate::metric::Column;
use crate::metric::significance::decision::Relation;

/// A claim of the paper, restated in our words.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Question it answers.
    pub question: &'static str,
    /// Place in the paper.
    pub source: &'static str,
    /// What is claimed.
    pub statement: &'static str,
    /// Kind of model it is about.
    pub first: &'static str,
    /// Kinds of models it is compared with.
    pub others: &'static [&'static str],
    /// Metrics with the datasets they are compared on.
    pub cells: &'static [(&'static [Column], &'static [&'static str])],
    /// Relation claimed of all comparisons.
    pub relation: Relation,
    /// Required arity of predicates, if the claim depends on it.
    pub arity: Option<Arity>,
    /// Table of the paper with the published numbers.
    pub published: Option<&'static str>,
}

impl Claim {
    /// Returns the comparisons: other kind, dataset and metric.
    pub fn comparisons(&self) -> impl Iterator<Item = (&'static str, &'static str, Column)> {
        let cells = self.cells;
        let of_other = move |&other: &'static &'static str| {
            let of_cell = move |&(metrics, datasets): &'static (&'static [Column], &'static [&'static str])| {
                let of_metric = move |&metric: &'static Column| datasets.iter().map(move |&data| (other, data, metric));
                metrics.iter().flat_map(of_metric)
            };
            cells.iter().flat_map(of_cell)
        };
        self.others.iter().flat_map(of_other)
    }
}
