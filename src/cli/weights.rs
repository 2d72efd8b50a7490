//! Networks from rule files and the fitting of their weights, shared by commands.

use std::io::Write;
use std::path::Path;

use super::error::CommandError;
use super::output::Output;
use crate::data::load::Dataset;
use crate::files::visible::ShownPath;
use crate::learn::{LearnedWeights, LrbmWeights, Resources, Task};
use crate::logic::nearest::did_you_mean;
use crate::logic::rule::{ParsedRule, parse_rules};
use crate::logic::{Diagnostic, Diagnostics};
use crate::rbm::network::Network;

/// Name of the kind for rules with fitted weights.
pub const KIND: &str = "lrbm-weights";

/// Options of fitting weights.
pub struct FitSettings {
    learner: LrbmWeights,
    /// Whether weights restart from scratch, if set.
    fresh: Option<bool>,
    seed: u64,
}

/// Keys of `--set` with their accepted values.
const KEYS: [(&str, &str); 5] = [
    (
        "start",
        "\"anew\" (from scratch, penalty towards 0) or \"kept\" (from the current weights, penalty towards them)",
    ),
    ("l2", "a number from 0 to 1000000: L2 penalty [default: chosen by cross-validation]"),
    ("max_steps", "a whole number from 1 to 100000: maximum number of steps [default: 300]"),
    ("folds", "a whole number from 2 to 100: number of cross-validation folds [default: 5]"),
    ("seed", "a whole number from 0: seed of the cross-validation folds [default: 1]"),
];

impl FitSettings {
    /// Parses settings of the form `KEY=VALUE`.
    pub fn new(settings: &[String]) -> Result<Self, CommandError> {
        let mut found = FitSettings { learner: LrbmWeights::default(), fresh: None, seed: 1 };
        for setting in settings {
            let (key, value) = setting.split_once('=').map_or((setting.trim(), ""), |(k, v)| (k.trim(), v.trim()));
            let names = KEYS.map(|(name, _)| name);
            let Some((_, allowed)) = KEYS.iter().find(|(name, _)| *name == key) else {
                let near = did_you_mean(key, names);
                let message = format!("--set {key}: unknown setting; {near}expected one of {}", names.join(", "));
                return Err(CommandError::Input(message));
            };
            let number: Option<f64> = value.parse().ok();
            let whole = || value.parse::<u64>().ok();
            let valid = match key {
                "start" => {
                    found.fresh =
                        [("anew", true), ("kept", false)].iter().find(|(name, _)| *name == value).map(|start| start.1);
                    found.fresh.map(|_| ())
                }
                "l2" => number.filter(|l2| (0.0..=1e6).contains(l2)).map(|l2| found.learner.l2 = Some(l2)),
                "max_steps" => whole()
                    .filter(|steps| (1..=100_000).contains(steps))
                    .map(|steps| found.learner.max_steps = steps as usize),
                "folds" => {
                    whole().filter(|folds| (2..=100).contains(folds)).map(|folds| found.learner.folds = folds as usize)
                }
                _ => whole().map(|seed| found.seed = seed),
            };
            if valid.is_none() {
                return Err(CommandError::Input(format!("--set {key}={value}: {key} must be {allowed}")));
            }
        }
        Ok(found)
    }

    /// Returns the learner; `fresh` is the default of `start`.
    pub fn learner(&self, fresh: bool) -> LrbmWeights {
        LrbmWeights { fresh: self.fresh.unwrap_or(fresh), ..self.learner }
    }

    /// Returns the learning task.
    pub fn task<'a>(&self, loaded: &'a Dataset, resources: Resources<'a>) -> Task<'a> {
        let (database, target, examples) = (&loaded.database, loaded.target, loaded.examples.as_slice());
        Task { database, target, examples, seed: self.seed, resources }
    }
}

/// Initial weights of rules.
#[derive(Clone, Copy, PartialEq)]
pub enum InitialWeights {
    /// Weights of the file, 1 if absent.
    FromFile,
    /// Zero: weights are to be learned.
    Zero,
}

/// Parses the rules of a file.
pub fn read(path: &Path) -> Result<Vec<ParsedRule>, CommandError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| CommandError::Input(format!("{}: cannot be read: {error}", path.shown())))?;
    parse_rules(path, &text).map_err(CommandError::Data)
}

/// Builds the network of a rule file.
pub fn from_rules(path: &Path, weights: InitialWeights) -> Result<Network, CommandError> {
    let mut rules = read(path)?;
    if weights == InitialWeights::Zero {
        rules.iter_mut().for_each(|rule| rule.weight = Some(0.0));
    }
    let mut network = Network::from_rules(&rules, 1.0).map_err(CommandError::Data)?;
    if let Some(name) = path.file_name() {
        network.origin = format!("{}: {}", name.to_string_lossy(), network.origin);
    }
    Ok(network)
}

/// Returns an error for predicates that the data do not have, and warns about unknown constants.
pub fn check_names(network: &Network, loaded: &Dataset, output: &Output) -> Result<(), CommandError> {
    let found = network.check_names(&loaded.database);
    if found.has_errors() {
        return Err(CommandError::Data(found));
    }
    output.warn(&found);
    Ok(())
}

/// Warns that names cannot be checked without data: a misspelled literal covers nothing.
pub fn unchecked_names(network: &Network) -> Diagnostics {
    let predicates = network.names().predicates;
    let names: Vec<String> = network.visible().into_iter().map(|id| predicates.show(id).to_string()).collect();
    let mut found = Diagnostics::default();
    if !names.is_empty() {
        let message = format!("names of the rules are not checked without data: {}", names.join(", "));
        let help = "pass --data DIR to check them; a literal with a misspelled name covers nothing";
        found.push(Diagnostic::warning("names-not-checked", message, help));
    }
    found
}

/// Prints the result of fitting weights.
pub fn print_learned(output: &mut Output, learned: &LearnedWeights) -> Result<(), CommandError> {
    let LearnedWeights { fitted, l2, held_out } = learned;
    write!(output.out, "weights fitted in {} steps, l2 {l2}: mean log-likelihood", fitted.steps)?;
    write!(output.out, " {:.4}", fitted.log_likelihood)?;
    match held_out {
        Some(held_out) => writeln!(output.out, ", {held_out:.4} on held-out folds (which chose steps and l2)")?,
        None => writeln!(output.out)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_parsed_and_validated() {
        let settings = |all: &[&str]| FitSettings::new(&all.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        let found = settings(&["l2=0.5", "max_steps=7", "folds=3", "seed=9"]).unwrap();
        let learner = LrbmWeights { fresh: true, l2: Some(0.5), max_steps: 7, folds: 3 };
        assert_eq!((found.learner(true), found.seed), (learner, 9));
        assert!(!found.learner(false).fresh);
        assert!(settings(&["start=anew"]).unwrap().learner(false).fresh);
        assert!(!settings(&["start=kept"]).unwrap().learner(true).fresh);
        for bad in ["start=new", "l2=-1", "l2", "max_steps=0", "folds=1", "seed=-1", "steps=3", "l2=NaN"] {
            assert_eq!(settings(&[bad]).err().map(|error| error.exit_code()), Some(2), "{bad}");
        }
    }
}
