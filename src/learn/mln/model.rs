//! Weighted clauses whose groundings are counted.

use std::collections::BTreeMap;
use std::fmt;

use super::tally::{Pattern, Tally};
use super::wire;
use crate::cover::{Coverage, DEFAULT_MEMORY_BYTES};
use crate::files::json::FileError;
use crate::kb::{Database, Example, TimeRule};
use crate::learn::any::{ModelSize, SizeOf, Stored};
use crate::learn::params::Value;
use crate::learn::{Model, ScoreError, Task, warnings};
use crate::logic::clause::{show_conjunction, variable_name};
use crate::logic::rename::{self, Names};
use crate::logic::{Diagnostics, Literal, PredicateId, Predicates, Symbols, Variable};

/// A clause and what each of its groundings is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// What is counted.
    pub pattern: Pattern,
    /// What a grounding adds to ψ.
    pub weight: f64,
}

/// A Markov logic network for one target: ψ = prior + Σ weight × groundings. It knows its predicates and constants by name.
#[derive(Clone, Debug)]
pub struct MlnModel {
    /// Parameters it was learned with.
    pub parameters: BTreeMap<String, Value>,
    /// Where the random draws started.
    pub seed: u64,
    /// Positive and negative examples it was learned from.
    pub trained_on: (u64, u64),
    /// The time limits that it was learned under.
    pub time: Option<TimeRule>,
    /// ψ without any clause.
    pub prior: f64,
    /// The steps of boosting in which it was learned.
    pub steps: u32,
    /// The most facts looked at to count the groundings of a conjunction for one example.
    pub count_budget: u32,
    pub(super) target: PredicateId,
    pub(super) formulas: Vec<Formula>,
    pub(super) predicates: Predicates,
    pub(super) symbols: Symbols,
}

/// Formulas that are counted at the same time.
const AT_ONCE: usize = 16;

impl MlnModel {
    /// A model of these formulas, which are over the names of a task's database.
    pub(super) fn new(task: &Task<'_>, prior: f64, formulas: &[(Pattern, f64)]) -> Self {
        let Task { database, target, seed, .. } = *task;
        let (mut predicates, mut symbols) = (Predicates::default(), Symbols::new());
        let target = predicates.intern(database.predicates.name(target), database.predicates.arity(target));
        let mut own = |literals: &[Literal]| -> Vec<Literal> {
            // A model mentions some of the names of one database, so its tables cannot be full.
            let intern = |literal| rename::intern(literal, database.names(), &mut predicates, &mut symbols).ok();
            literals.iter().filter_map(intern).collect()
        };
        let formula = |(pattern, weight): &(Pattern, f64)| {
            let literals = own(&pattern.literals);
            let none_of = pattern.none_of.iter().map(|group| own(group)).collect();
            Formula { pattern: Pattern { literals, none_of }, weight: *weight }
        };
        let formulas = formulas.iter().map(formula).collect();
        MlnModel {
            parameters: BTreeMap::new(),
            seed,
            trained_on: (0, 0),
            time: None,
            prior,
            steps: 0,
            count_budget: u32::MAX,
            target,
            formulas,
            predicates,
            symbols,
        }
    }

    /// The formulas, in the order in which they were learned.
    pub fn formulas(&self) -> &[Formula] {
        &self.formulas
    }

    /// The names that formulas are written with.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// A model from JSON, of this or an earlier version.
    ///
    /// # Errors
    /// If it is not such a model, or one of a later version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        wire::read(text)
    }

    /// The number of groundings of each formula for each example, and whether some were not counted to the end.
    ///
    /// # Errors
    /// If the examples are not of the arity that the model predicts.
    pub fn groundings(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<(Vec<Vec<f64>>, Diagnostics), ScoreError> {
        ScoreError::check_arity((&self.predicates, self.target), (&database.predicates, target))?;
        let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
        let tally = Tally::new(&coverage, self.count_budget.into());
        let counts = self.counts(&tally, &self.formulas);
        Ok((counts, warnings::scores_cut(tally.cut(), self.count_budget).into_iter().collect()))
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

    /// A formula as people write it.
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

/// A pattern over other names; `None` if it has no grounding there. What is ruled out and cannot be there needs no asking.
fn bind(pattern: &Pattern, from: Names<'_>, to: Names<'_>) -> Option<Pattern> {
    let translate = |body: &[Literal]| rename::conjunction(body, |literal| rename::find(literal, from, to));
    let literals = translate(&pattern.literals)?;
    let none_of = pattern.none_of.iter().filter_map(|group| translate(group)).collect();
    Some(Pattern { literals, none_of })
}

impl Model for MlnModel {
    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Vec<f64>, ScoreError> {
        Ok(self.score_with_remarks(database, target, examples)?.0)
    }

    fn score_with_remarks(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<(Vec<f64>, Diagnostics), ScoreError> {
        ScoreError::check_arity((&self.predicates, self.target), (&database.predicates, target))?;
        let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
        let tally = Tally::new(&coverage, self.count_budget.into());
        let mut psi = vec![self.prior; examples.len()];
        for formulas in self.formulas.chunks(AT_ONCE) {
            for (formula, counts) in formulas.iter().zip(self.counts(&tally, formulas)) {
                psi.iter_mut().zip(counts).for_each(|(psi, count)| *psi += formula.weight * count);
            }
        }
        Ok((psi, warnings::scores_cut(tally.cut(), self.count_budget).into_iter().collect()))
    }

    fn describe(&self) -> String {
        let (positives, negatives) = self.trained_on;
        let mut text = format!(
            "% mln-boost for {}/{}\n% learned from {positives} positive and {negatives} negative examples in {} steps\n\
             % psi = {} + the sum of weight * (number of groundings); P = 1 / (1 + exp(-psi))\n\
             % `\\+ (...)` holds for a grounding of the rest under which what is in brackets has none.\n\n",
            self.predicates.name(self.target),
            self.target_arity(),
            self.steps,
            self.prior
        );
        let mut order: Vec<&Formula> = self.formulas.iter().collect();
        order.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        for formula in order {
            text.push_str(&format!("{} {}\n", formula.weight, self.show(formula)));
        }
        text
    }
}

impl Stored for MlnModel {
    fn target_name(&self) -> &str {
        self.predicates.name(self.target)
    }

    fn target_arity(&self) -> usize {
        self.predicates.arity(self.target)
    }

    fn time(&self) -> Option<&TimeRule> {
        self.time.as_ref()
    }

    fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    fn set_time(&mut self, time: Option<TimeRule>) {
        self.time = time;
    }

    fn to_json(&self) -> String {
        wire::write(self)
    }

    fn size(&self) -> ModelSize {
        ModelSize { trees: self.steps as usize, leaves: self.formulas.len(), parts: SizeOf::Clauses }
    }
}
