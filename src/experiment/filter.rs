//! `--only EXPR`: a filter over the jobs of an experiment.
//!
//! An expression is a comma-separated conjunction of conditions: `dataset=imdb,fold=1`. A condition
//! is a column, an operator and `|`-separated values, one of which must match. `=` and `!=` compare
//! the entire value, `~` and `!~` search for a substring; case is ignored. Several `--only` options
//! form a disjunction.

use thiserror::Error;

use super::job::Job;
use super::spec::Experiment;
use crate::logic::nearest::did_you_mean;

/// Help text of the filter language.
pub const HELP: &str = "\
--only EXPR selects jobs by comma-separated conditions, all of which must hold.
  dataset=imdb,fold=1      the first fold of imdb
  model~boost              models with `boost` in their name
  dataset=imdb|cora        one of several values
  preset!=paper            all other values
Columns are dataset, model, kind, preset, case, fold, seed, and the swept parameters (trees=5); of a \
tuned experiment also trial and inner_fold, which are empty for other jobs. The trials of a selected \
job run with it. Case is ignored. Several --only options select the union of their jobs.";

const TRIAL_COLUMNS: [&str; 2] = ["trial", "inner_fold"];
const COLUMNS: [&str; 7] = ["dataset", "model", "kind", "preset", "case", "fold", "seed"];

/// Reason why a filter expression is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FilterError {
    /// A condition has no operator.
    #[error(
        "--only {expression}: `{condition}` has no operator; write a condition such as `dataset=imdb` or `model~boost`"
    )]
    NoOperator {
        /// The entire expression.
        expression: String,
        /// The condition without an operator.
        condition: String,
    },
    /// A condition names an unknown column.
    #[error("--only {expression}: unknown column `{column}`: {hint}expected one of {known}")]
    UnknownColumn {
        /// The entire expression.
        expression: String,
        /// The unknown name.
        column: String,
        /// The most similar column as a question, or nothing.
        hint: String,
        /// All known names.
        known: String,
    },
    /// A substring condition has no value.
    #[error("--only {expression}: `{column}` has no value; write a condition such as `{column}=…`")]
    NoValue {
        /// The entire expression.
        expression: String,
        /// The column.
        column: String,
    },
}

/// A predicate over jobs in disjunctive normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFilter {
    /// Disjunction of conjunctions; empty means that every job matches.
    any: Vec<Vec<Condition>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    column: String,
    exact: bool,
    negated: bool,
    values: Vec<String>,
}

impl JobFilter {
    /// Parses expressions; the columns are those of the experiment.
    ///
    /// # Errors
    /// If an expression is invalid or names a column that the experiment does not have.
    pub fn parse(expressions: &[String], experiment: &Experiment) -> Result<JobFilter, FilterError> {
        let rows = experiment.datasets.iter().flat_map(|part| &part.rows);
        let mut known: Vec<&str> = COLUMNS.to_vec();
        for key in rows.flat_map(|row| row.settings.keys()) {
            if !known.contains(&key.as_str()) {
                known.push(key);
            }
        }
        if experiment.datasets.iter().flat_map(|part| &part.rows).any(|row| row.tuning.is_some()) {
            known.extend(TRIAL_COLUMNS);
        }
        let any = expressions.iter().map(|expression| conditions(expression, &known));
        Ok(JobFilter { any: any.collect::<Result<_, _>>()? })
    }

    /// Returns whether a job matches.
    pub fn matches(&self, job: &Job) -> bool {
        self.any.is_empty() || self.any.iter().any(|all| all.iter().all(|condition| condition.holds(job)))
    }

    /// Returns whether every job matches.
    pub fn matches_all(&self) -> bool {
        self.any.is_empty()
    }

    /// Returns the values of the column of a condition that no job matches, for the "no match"
    /// message.
    pub fn hint<'a>(&self, jobs: impl Iterator<Item = &'a Job> + Clone) -> Option<String> {
        let mut all = self.any.iter().flatten();
        let unmatched = all.find(|condition| !jobs.clone().any(|job| condition.holds(job)))?;
        let mut values: Vec<String> = Vec::new();
        for value in jobs.map(|job| value_of(job, &unmatched.column)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let shown: Vec<String> = values.iter().take(12).map(|value| format!("`{value}`")).collect();
        let more = if values.len() > shown.len() { " and more" } else { "" };
        Some(format!("{} is {}{more}", unmatched.column, shown.join(", ")))
    }
}

fn conditions(expression: &str, known: &[&str]) -> Result<Vec<Condition>, FilterError> {
    expression.split(',').map(|condition| parse_condition(condition, expression, known)).collect()
}

fn parse_condition(text: &str, expression: &str, known: &[&str]) -> Result<Condition, FilterError> {
    let expression = expression.to_owned();
    // Longer operators first: `!=` contains `=`.
    let found = text.find(['=', '~', '!']).and_then(|at| {
        let operators = [("!=", true, true), ("!~", false, true), ("=", true, false), ("~", false, false)];
        let operator = operators.into_iter().find(|(operator, ..)| text[at..].starts_with(operator))?;
        Some((&text[..at], &text[at + operator.0.len()..], operator.1, operator.2))
    });
    let Some((column, values, exact, negated)) = found else {
        return Err(FilterError::NoOperator { expression, condition: text.trim().to_owned() });
    };
    let column = column.trim().to_owned();
    if !known.contains(&column.as_str()) {
        let hint = did_you_mean(&column, known.iter().copied());
        return Err(FilterError::UnknownColumn { expression, column, hint, known: known.join(", ") });
    }
    let values: Vec<String> = values.split('|').map(|value| value.trim().to_lowercase()).collect();
    // An empty value selects jobs without a case or preset; as a substring it would match
    // everything.
    if !exact && values.iter().any(String::is_empty) {
        return Err(FilterError::NoValue { expression, column });
    }
    Ok(Condition { column, exact, negated, values })
}

impl Condition {
    fn holds(&self, job: &Job) -> bool {
        let value = value_of(job, &self.column).to_lowercase();
        let fits = |wanted: &String| if self.exact { value == *wanted } else { value.contains(wanted.as_str()) };
        self.values.iter().any(fits) != self.negated
    }
}

fn value_of(job: &Job, column: &str) -> String {
    match column {
        "dataset" => job.dataset.name.clone(),
        "model" => job.model.clone(),
        "kind" => job.system.kind_name().to_owned(),
        "preset" => job.preset_name().to_owned(),
        "case" => job.case(),
        "fold" => job.fold_number().to_string(),
        "seed" => job.seed.to_string(),
        "trial" => job.trial.as_ref().map_or_else(String::new, |trial| trial.id.trial.to_string()),
        "inner_fold" => job.trial.as_ref().map_or_else(String::new, |trial| trial.id.inner_fold.to_string()),
        other => job.settings.get(other).cloned().unwrap_or_default(),
    }
}
