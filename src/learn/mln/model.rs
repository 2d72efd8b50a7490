//! Weighted clauses whose groundings are counted.

use std::fmt;

use super::tally::{Pattern, Tally};
use crate::cover::{Coverage, DEFAULT_MEMORY_BYTES};
use crate::kb::{Database, Example, Signature};
use crate::learn::error::ScoreError;
use crate::learn::header::Header;
use crate::learn::scoring::{Model, Scored};
use crate::learn::warnings;
use crate::logic::clause::{show_conjunction, variable_name};
use crate::logic::rename::{self, Names};
use crate::logic::{Literal, PredicateId, Predicates, Symbols, Variable};
use crate::math;

/// A weighted clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// The body, whose groundings are counted.
    pub pattern: Pattern,
    /// Contribution of each grounding to ψ.
    pub weight: f64,
}

/// A Markov logic network for one target: ψ = prior + Σ weight × groundings. It is over its own
/// names.
#[derive(Clone, Debug)]
pub struct MlnModel {
    /// How the model was trained.
    pub header: Header,
    /// ψ without any clause.
    pub prior: f64,
    /// Number of boosting steps in which the clauses were learned.
    pub steps: u32,
    /// Maximum number of facts visited to count the groundings of a conjunction for one example.
    pub count_budget: u32,
    pub(super) target: PredicateId,
    pub(super) formulas: Vec<Formula>,
    pub(super) predicates: Predicates,
    pub(super) symbols: Symbols,
}

/// Number of formulas that are counted in one batch.
const BATCH: usize = 16;

impl MlnModel {
    /// Creates a model of formulas over the names of a database, without any limit on counts.
    pub(super) fn new(header: Header, database: &Database, prior: f64, formulas: &[(Pattern, f64)]) -> Self {
        let (mut predicates, mut symbols) = (Predicates::default(), Symbols::new());
        let target = predicates.intern(&header.signature.target, header.signature.arity);
        let mut own = |literals: &[Literal]| -> Vec<Literal> {
            // A model mentions some of the names of one database, so its tables cannot overflow.
            let intern = |literal| rename::intern(literal, database.names(), &mut predicates, &mut symbols).ok();
            literals.iter().filter_map(intern).collect()
        };
        let formula = |(pattern, weight): &(Pattern, f64)| {
            let literals = own(&pattern.literals);
            let none_of = pattern.none_of.iter().map(|group| own(group)).collect();
            Formula { pattern: Pattern { literals, none_of }, weight: *weight }
        };
        let formulas = formulas.iter().map(formula).collect();
        MlnModel { header, prior, steps: 0, count_budget: u32::MAX, target, formulas, predicates, symbols }
    }

    /// Returns the formulas in the order in which they were learned.
    pub fn formulas(&self) -> &[Formula] {
        &self.formulas
    }

    /// Returns the predicates and constants of the formulas.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// Counts the groundings of each formula for each example: a row for each formula.
    ///
    /// A warning says whether a count was cut off at the budget.
    ///
    /// # Errors
    /// If the target has another arity than the model's.
    pub fn groundings(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Scored<Vec<Vec<f64>>>, ScoreError> {
        ScoreError::check_arity((&self.predicates, self.target), (&database.predicates, target))?;
        let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
        let tally = Tally::new(&coverage, self.count_budget.into());
        let counts = self.counts(&tally, &self.formulas);
        Ok(self.with_warnings(counts, &tally))
    }

    /// Adds a warning if a count was cut off at the budget.
    fn with_warnings<T>(&self, scores: T, tally: &Tally<'_, '_>) -> Scored<T> {
        Scored { scores, warnings: warnings::scores_cut(tally.cut(), self.count_budget).into_iter().collect() }
    }

    fn counts(&self, tally: &Tally<'_, '_>, formulas: &[Formula]) -> Vec<Vec<f64>> {
        let coverage = tally.coverage();
        let bound: Vec<Option<Pattern>> =
            formulas.iter().map(|formula| bind(&formula.pattern, self.names(), coverage.database().names())).collect();
        let patterns: Vec<Pattern> = bound.iter().flatten().cloned().collect();
        let mut counted = tally.counts_of_all(&patterns).into_iter();
        let none = || vec![0.0; coverage.examples().len()];
        bound.iter().map(|pattern| pattern.as_ref().and_then(|_| counted.next()).unwrap_or_else(none)).collect()
    }

    /// Returns a formula as a clause.
    pub fn show<'a>(&'a self, formula: &'a Formula) -> impl fmt::Display + 'a {
        let Formula { pattern: Pattern { literals, none_of }, .. } = formula;
        fmt::from_fn(move |f| {
            f.write_str(self.predicates.name(self.target))?;
            let mentioned =
                |k: u32| literals.iter().chain(none_of.iter().flatten()).any(|l| l.variables().any(|v| v.0 == k));
            for k in 0..self.target_arity() as u32 {
                f.write_str(if k == 0 { "(" } else { ", " })?;
                match mentioned(k) {
                    true => write!(f, "{}", variable_name(Variable(k)))?,
                    false => f.write_str("_")?,
                }
            }
            f.write_str(if self.target_arity() > 0 { ") :- " } else { " :- " })?;
            let conjunction = |body| show_conjunction(body, &self.predicates, &self.symbols);
            if !literals.is_empty() {
                write!(f, "{}", conjunction(literals))?;
            }
            for (k, group) in none_of.iter().enumerate() {
                f.write_str(if k > 0 || !literals.is_empty() { ", " } else { "" })?;
                write!(f, "\\+ ({})", conjunction(group))?;
            }
            f.write_str(".")
        })
    }
}

/// Returns a pattern over other names; `None` if it has a name that is missing there, so that no
/// grounding exists.
///
/// A negated conjunction with such a name is always true and is left out.
fn bind(pattern: &Pattern, from: Names<'_>, to: Names<'_>) -> Option<Pattern> {
    let translate = |body: &[Literal]| rename::conjunction(body, |literal| rename::find(literal, from, to));
    let literals = translate(&pattern.literals)?;
    let none_of = pattern.none_of.iter().filter_map(|group| translate(group)).collect();
    Some(Pattern { literals, none_of })
}

impl Model for MlnModel {
    fn signature(&self) -> &Signature {
        &self.header.signature
    }

    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Scored, ScoreError> {
        ScoreError::check_arity((&self.predicates, self.target), (&database.predicates, target))?;
        let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
        let tally = Tally::new(&coverage, self.count_budget.into());
        let mut psi = vec![self.prior; examples.len()];
        for formulas in self.formulas.chunks(BATCH) {
            for (formula, counts) in formulas.iter().zip(self.counts(&tally, formulas)) {
                psi.iter_mut().zip(counts).for_each(|(psi, count)| *psi += formula.weight * count);
            }
        }
        Ok(self.with_warnings(psi, &tally))
    }
}

impl fmt::Display for MlnModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (positives, negatives) = self.header.trained_on;
        let (name, arity) = (self.target_name(), self.target_arity());
        writeln!(f, "% mln-boost for {name}/{arity}")?;
        let steps = self.steps;
        writeln!(f, "% learned from {positives} positive and {negatives} negative examples in {steps} steps")?;
        let prior = self.prior;
        writeln!(f, "% psi = {prior} + the sum of weight * (number of groundings); P = 1 / (1 + exp(-psi))")?;
        writeln!(f, "% `\\+ (...)` holds for a grounding of the rest under which what is in brackets has none.\n")?;
        let order = math::strongest_first(self.formulas.iter().collect(), |formula: &&Formula| formula.weight);
        order.into_iter().try_for_each(|formula| writeln!(f, "{} {}", formula.weight, self.show(formula)))
    }
}
