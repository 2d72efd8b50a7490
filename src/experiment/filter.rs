//! `--only EXPR`: a few of the jobs of an experiment.
//!
//! An expression is a list of conditions parted by commas, all of which must hold: `dataset=imdb,fold=1`. A condition is a
//! column, an operator and values parted by `|`, one of which must fit. `=` and `!=` compare the whole value, `~` and
//! `!~` look for a part of it; small and capital letters are alike. Several `--only` choose what any of them chooses.

use thiserror::Error;

use super::job::Job;
use super::spec::Experiment;
use crate::logic::nearest::nearest;

/// What `--help` says of the language.
pub const HELP: &str = "\
--only EXPR chooses jobs: conditions parted by commas, all of which must hold.
  dataset=imdb,fold=1      the first fold of imdb
  model~boost              models with `boost` in their name
  dataset=imdb|cora        one of several values
  preset!=paper            all but these
Columns are dataset, model, kind, preset, case, fold, seed, and what the sweep varies (trees=5).
Small and capital letters are alike. Several --only choose what any of them chooses.";

const COLUMNS: [&str; 7] = ["dataset", "model", "kind", "preset", "case", "fold", "seed"];

/// Why an expression is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OnlyError {
    /// No operator.
    #[error("--only {expression}: `{condition}` is no condition: write it as in `dataset=imdb` or `model~boost`")]
    NoOperator {
        /// The whole expression.
        expression: String,
        /// The part without an operator.
        condition: String,
    },
    /// No such column.
    #[error("--only {expression}: no column is called `{column}`: did you mean `{nearest}`? there are {known}")]
    UnknownColumn {
        /// The whole expression.
        expression: String,
        /// The name.
        column: String,
        /// The name that was perhaps meant.
        nearest: String,
        /// The names there are.
        known: String,
    },
    /// No value.
    #[error("--only {expression}: `{column}` is compared with nothing: write it as in `{column}=…`")]
    NoValue {
        /// The whole expression.
        expression: String,
        /// The column.
        column: String,
    },
}

/// Which jobs to take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Only {
    /// A job is taken if all conditions of one of these hold; without any, every job is.
    any: Vec<Vec<Condition>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    column: String,
    whole: bool,
    negated: bool,
    values: Vec<String>,
}

impl Only {
    /// Reads expressions; the columns are those of the experiment.
    ///
    /// # Errors
    /// If one is none, or names a column that the experiment does not have.
    pub fn parse(expressions: &[String], experiment: &Experiment) -> Result<Only, OnlyError> {
        let rows = experiment.datasets.iter().flat_map(|part| &part.rows);
        let mut known: Vec<&str> = COLUMNS.to_vec();
        for key in rows.flat_map(|row| row.settings.keys()) {
            if !known.contains(&key.as_str()) {
                known.push(key);
            }
        }
        let any = expressions.iter().map(|expression| conditions(expression, &known));
        Ok(Only { any: any.collect::<Result<_, _>>()? })
    }

    /// Whether a job is taken.
    pub fn takes(&self, job: &Job) -> bool {
        self.any.is_empty() || self.any.iter().any(|all| all.iter().all(|condition| condition.holds(job)))
    }

    /// Whether every job is taken.
    pub fn is_everything(&self) -> bool {
        self.any.is_empty()
    }

    /// For a condition that no job fits: what its column has, to put beside the message that nothing matched.
    pub fn hint<'a>(&self, jobs: impl Iterator<Item = &'a Job> + Clone) -> Option<String> {
        let mut all = self.any.iter().flatten();
        let lonely = all.find(|condition| !jobs.clone().any(|job| condition.holds(job)))?;
        let mut values: Vec<String> = Vec::new();
        for value in jobs.map(|job| value_of(job, &lonely.column)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let shown: Vec<String> = values.iter().take(12).map(|value| format!("`{value}`")).collect();
        let more = if values.len() > shown.len() { " and more" } else { "" };
        Some(format!("{} is {}{more}", lonely.column, shown.join(", ")))
    }
}

fn conditions(expression: &str, known: &[&str]) -> Result<Vec<Condition>, OnlyError> {
    expression.split(',').map(|condition| parse_condition(condition, expression, known)).collect()
}

fn parse_condition(text: &str, expression: &str, known: &[&str]) -> Result<Condition, OnlyError> {
    let expression = expression.to_owned();
    // The longer ones first: `!=` has `=` in it.
    let found = text.find(['=', '~', '!']).and_then(|at| {
        let operators = [("!=", true, true), ("!~", false, true), ("=", true, false), ("~", false, false)];
        let operator = operators.into_iter().find(|(operator, ..)| text[at..].starts_with(operator))?;
        Some((&text[..at], &text[at + operator.0.len()..], operator.1, operator.2))
    });
    let Some((column, values, whole, negated)) = found else {
        return Err(OnlyError::NoOperator { expression, condition: text.trim().to_owned() });
    };
    let column = column.trim().to_owned();
    if !known.contains(&column.as_str()) {
        let nearest = nearest(&column, known.iter().copied()).unwrap_or_default().to_owned();
        return Err(OnlyError::UnknownColumn { expression, column, nearest, known: known.join(", ") });
    }
    let values: Vec<String> = values.split('|').map(|value| value.trim().to_lowercase()).collect();
    // No case and no preset are worth asking for; nothing as a part is in everything.
    if !whole && values.iter().any(String::is_empty) {
        return Err(OnlyError::NoValue { expression, column });
    }
    Ok(Condition { column, whole, negated, values })
}

impl Condition {
    fn holds(&self, job: &Job) -> bool {
        let value = value_of(job, &self.column).to_lowercase();
        let fits = |wanted: &String| if self.whole { value == *wanted } else { value.contains(wanted.as_str()) };
        self.values.iter().any(fits) != self.negated
    }
}

fn value_of(job: &Job, column: &str) -> String {
    match column {
        "dataset" => job.dataset.name.clone(),
        "model" => job.model.clone(),
        "kind" => job.kind.name().to_owned(),
        "preset" => job.preset_name().to_owned(),
        "case" => job.case(),
        "fold" => job.fold_number().to_string(),
        "seed" => job.seed.to_string(),
        other => job.settings.get(other).cloned().unwrap_or_default(),
    }
}
