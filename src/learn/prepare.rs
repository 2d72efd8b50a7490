//! Reading data for a saved model, under the conditions of its training.
//!
//! A model must see data as they were in training: with the class split off the target, under the
//! same time limits, with binary predicates if it was trained on such, and with facts of the target
//! as evidence if it is recursive.

use std::path::PathBuf;

use super::error::ScoreError;
use super::stored::Stored;
use crate::data::binary::RewriteError;
use crate::data::classes::ClassLabels;
use crate::data::load::{Dataset, LoadError, LoadOptions, load, load_for_prediction};
use crate::data::sources::DataOrigin;
use crate::kb::TimeRule;
use crate::logic::Diagnostic;

/// Warnings about modes, which models do not need: they look up facts by name.
const ABOUT_MODES: [&str; 5] =
    ["no-background", "fact-without-mode", "mode-without-facts", "target-without-mode", "unreachable-mode"];

/// Options of reading a directory for a saved model.
#[derive(Clone, Debug, Default)]
pub struct PrepareOptions {
    /// The background file, if it is not in the directory.
    pub background: Option<PathBuf>,
    /// Time limits; by default those of the model.
    pub time: Option<TimeRule>,
}

/// What prepared data are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Scoring examples. A recursive model sees the facts of its target, never the labels.
    Score,
    /// Explaining one query: as [`Purpose::Score`], but the directory needs no examples.
    Query,
    /// Fitting or simplifying the model. A recursive model also sees the other positives.
    Refit,
}

/// Data that cannot be prepared for a model.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The directory cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The database cannot be rewritten as the model needs it.
    #[error(transparent)]
    Rewrite(#[from] RewriteError),
    /// The model does not support the examples.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// Reads a directory, or given files and texts, for a model. The warnings of the result are those
/// that matter for the purpose.
///
/// # Errors
/// If files are missing or invalid, or the data do not fit the model.
pub fn prepare<'a>(
    model: &dyn Stored,
    origin: impl Into<DataOrigin<'a>>,
    options: &PrepareOptions,
    purpose: Purpose,
) -> Result<Dataset, PrepareError> {
    let origin = origin.into();
    let options = load_options(model, options);
    let mut data = match purpose {
        Purpose::Query => load_for_prediction(origin, &options, (model.target_name(), model.target_arity()))?,
        Purpose::Score | Purpose::Refit => load_examples(model, origin, &options)?,
    };
    adapt(model, &mut data, purpose)?;
    Ok(data)
}

/// Changes loaded data to what a model needs: binary predicates, and facts of the target as
/// evidence. Leaves the warnings that matter for the purpose.
///
/// # Errors
/// If the database cannot be rewritten.
pub fn adapt(model: &dyn Stored, data: &mut Dataset, purpose: Purpose) -> Result<(), PrepareError> {
    make_binary_for(model, data)?;
    data.warnings = data.warnings.without(&ABOUT_MODES);
    if purpose != Purpose::Refit {
        data.warnings = data.warnings.without(&["one-class"]);
    }
    if let Some(recursive) = model.signature().recursive {
        if purpose == Purpose::Refit {
            let time = data.database.time_rule().cloned();
            data.add_positives_to_evidence(recursive.symmetric, time.as_ref())?;
        } else {
            data.warnings.extend(no_target_facts(data).into_iter().collect());
            data.use_target_facts_as_evidence(recursive.symmetric);
        }
    }
    Ok(())
}

/// Makes binary predicates of longer ones if a model was trained on such.
///
/// # Errors
/// If the database cannot be rewritten.
pub fn make_binary_for(model: &dyn Stored, data: &mut Dataset) -> Result<(), RewriteError> {
    let time = data.database.time_rule().cloned();
    data.make_binary_for(model.predicates(), time.as_ref()).map(drop)
}

/// Returns the index of each example's class among the classes of a model, for multi-class data.
///
/// # Errors
/// If an example has a class that the model does not have.
pub fn class_labels(data: &Dataset, names: &[String]) -> Result<Vec<usize>, ScoreError> {
    let known = data.database.classes_of(data.target).unwrap_or_default();
    let index = |class: &String| {
        let unknown = || ScoreError::UnknownClass { model: names.join(", "), class: class.clone() };
        names.iter().position(|name| name == class).ok_or_else(unknown)
    };
    let indices = known.iter().map(index).collect::<Result<Vec<usize>, ScoreError>>()?;
    Ok(data.examples.iter().map(|example| indices[example.class as usize]).collect())
}

fn load_options(model: &dyn Stored, options: &PrepareOptions) -> LoadOptions {
    let with_class = model.classes().is_some();
    LoadOptions {
        background: options.background.clone(),
        target: Some(format!("{}/{}", model.target_name(), model.target_arity() + usize::from(with_class))),
        time: options.time.clone().or_else(|| model.signature().time.clone()),
        classes: if with_class { ClassLabels::Always } else { ClassLabels::Never },
        needs_modes: false,
        modes: Vec::new(),
    }
}

/// Reads examples. A model of two classes also accepts positive and negative examples.
fn load_examples(model: &dyn Stored, origin: DataOrigin<'_>, options: &LoadOptions) -> Result<Dataset, PrepareError> {
    let error = match load(origin, options) {
        Err(error @ LoadError::Invalid(_)) if options.classes == ClassLabels::Always => error,
        other => return Ok(other?),
    };
    let target = Some(format!("{}/{}", model.target_name(), model.target_arity()));
    let plain = LoadOptions { target, classes: ClassLabels::Never, ..options.clone() };
    let Ok(data) = load(origin, &plain) else { return Err(error.into()) };
    let names = model.classes().unwrap_or_default();
    match names.len() {
        // The second class is that of the positives.
        2 => Ok(data),
        _ => Err(ScoreError::Classes { classes: names.join(", ") }.into()),
    }
}

/// Warns if a recursive model has no facts of its target to use.
fn no_target_facts(data: &Dataset) -> Option<Diagnostic> {
    data.database.facts.relation(data.target).is_empty().then(|| {
        let target = data.database.predicates.show(data.target);
        let message = format!("the model is recursive, but there are no facts of {target}");
        let help = "add known facts of the target, such as the training positives, to the facts; labels are never used";
        Diagnostic::warning("nothing-known", message, help)
    })
}
