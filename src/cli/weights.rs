//! What commands share that make networks from rules and fit their weights.

use std::io::Write;
use std::path::Path;

use super::{CommandError, Output};
use crate::data::load::Loaded;
use crate::learn::{LearnedWeights, LrbmWeights, Resources, Task};
use crate::logic::nearest::nearest;
use crate::logic::rule::{ParsedRule, parse_rules};
use crate::logic::{Diagnostic, Diagnostics};
use crate::rbm::network::Network;

/// The kind of model that is rules with weights.
pub const KIND: &str = "lrbm-weights";

/// Warnings about modes, which rules do not need.
pub const ABOUT_MODES: [&str; 4] = ["no-background", "fact-without-mode", "mode-without-facts", "target-without-mode"];

/// How weights are fitted, as the user set it.
pub struct Settings {
    learner: LrbmWeights,
    /// Whether weights begin anew, if that was said.
    fresh: Option<bool>,
    seed: u64,
}

/// Keys for `--set`, with what they may be.
const KEYS: [(&str, &str); 5] = [
    ("start", "\"anew\" or \"kept\": whether weights begin anew, or at what they were and are held back to that"),
    ("l2", "a number from 0: how much weights are held back; without it the best of a few"),
    ("max_steps", "a whole number from 1 to 100000: the most steps of a fit"),
    ("folds", "a whole number from 2 to 100: how many parts of the examples are held out in turn"),
    ("seed", "a whole number: which examples are held out together"),
];

impl Settings {
    /// The settings, of which each is `KEY=VALUE`.
    pub fn new(settings: &[String]) -> Result<Self, CommandError> {
        let mut found = Settings { learner: LrbmWeights::default(), fresh: None, seed: 1 };
        for setting in settings {
            let (key, value) = setting.split_once('=').map_or((setting.trim(), ""), |(k, v)| (k.trim(), v.trim()));
            let names = KEYS.map(|(name, _)| name);
            let Some((_, allowed)) = KEYS.iter().find(|(name, _)| *name == key) else {
                let near = nearest(key, names).unwrap_or_default();
                let message =
                    format!("--set {key}: not a setting here: did you mean {near}? allowed are {}", names.join(", "));
                return Err(CommandError::Input(message));
            };
            let number: Option<f64> = value.parse().ok();
            let whole = || value.parse::<u64>().ok();
            let good = match key {
                "start" => {
                    found.fresh =
                        [("anew", true), ("kept", false)].iter().find(|(name, _)| *name == value).map(|way| way.1);
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
            if good.is_none() {
                return Err(CommandError::Input(format!("--set {key}={value}: {key} must be {allowed}")));
            }
        }
        Ok(found)
    }

    /// What fits; if nothing was said, weights begin anew or not as `fresh` says.
    pub fn learner(&self, fresh: bool) -> LrbmWeights {
        LrbmWeights { fresh: self.fresh.unwrap_or(fresh), ..self.learner }
    }

    /// What to fit to.
    pub fn task<'a>(&self, loaded: &'a Loaded, resources: Resources<'a>) -> Task<'a> {
        let (database, target, examples) = (&loaded.database, loaded.target, loaded.examples.as_slice());
        Task { database, target, examples, seed: self.seed, resources }
    }
}

/// Which weights rules begin with.
#[derive(Clone, Copy, PartialEq)]
pub enum Weights {
    /// Those of the file, and 1 where there is none.
    Written,
    /// None: they are to be learned.
    Blank,
}

/// The rules of a file.
pub fn read(path: &Path) -> Result<Vec<ParsedRule>, CommandError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| CommandError::Input(format!("{}: cannot be read: {error}", path.display())))?;
    parse_rules(path, &text).map_err(CommandError::Data)
}

/// The network of a file of rules.
pub fn from_rules(path: &Path, weights: Weights) -> Result<Network, CommandError> {
    let mut rules = read(path)?;
    if weights == Weights::Blank {
        rules.iter_mut().for_each(|rule| rule.weight = Some(0.0));
    }
    let mut network = Network::from_rules(&rules, 1.0).map_err(CommandError::Data)?;
    if let Some(name) = path.file_name() {
        network.origin = format!("{}: {}", name.to_string_lossy(), network.origin);
    }
    Ok(network)
}

/// Refuses rules with predicates that the data do not have, and warns of constants.
pub fn check_names(network: &Network, loaded: &Loaded, output: &Output) -> Result<(), CommandError> {
    let found = network.check_names(&loaded.database);
    if found.has_errors() {
        return Err(CommandError::Data(found));
    }
    output.warn(&found);
    Ok(())
}

/// Warns that without data nobody knows whether the names of rules are right: one that is misspelt never holds.
pub fn unchecked_names(network: &Network) -> Diagnostics {
    let predicates = network.names().predicates;
    let names: Vec<String> = network.visible().into_iter().map(|id| predicates.show(id).to_string()).collect();
    let mut found = Diagnostics::default();
    if !names.is_empty() {
        let message = format!("there are no data to compare the names of the rules with: {}", names.join(", "));
        let help = "a literal with a misspelt name never holds; --data DIR finds it";
        found.push(Diagnostic::warning("names-not-checked", message, help));
    }
    found
}

/// How weights were learned.
pub fn print_learned(output: &mut Output, learned: &LearnedWeights) -> Result<(), CommandError> {
    let LearnedWeights { fitted, l2, held_out } = learned;
    write!(output.out, "weights fitted in {} steps, l2 {l2}: mean log-likelihood", fitted.steps)?;
    write!(output.out, " {:.4}", fitted.log_likelihood)?;
    match held_out {
        Some(held_out) => {
            writeln!(output.out, ", and {held_out:.4} of examples held out, by which steps and l2 were chosen")?
        }
        None => writeln!(output.out)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_checked() {
        let settings = |all: &[&str]| Settings::new(&all.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
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
