//! Access to every kind by its name: parameters with values by name, cost estimates, and training.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use super::any::SavedModel;
use super::auto::{self, Choice, Selection};
use super::error::LearnError;
use super::kind::{Kind, kinds};
use super::kind_params::KindParams;
use super::learner::{Learner, Trained};
use super::params::{Entry, ParamError, ParamSet, Preset, Shape, Value};
use super::progress::Progress;
use super::scoring::Model;
use super::task::{Resources, Task};
use crate::kb::{Database, Example};
use crate::logic::PredicateId;

/// A learner that reports its progress.
type Fit = fn(&dyn ParamSet, &Task<'_>, &mut dyn FnMut(Progress)) -> Result<Trained<SavedModel>, LearnError>;

/// A learner of ensembles that share their first rounds; `None` for other kinds.
type FitPrefixes = fn(
    &dyn ParamSet,
    &Task<'_>,
    &[u32],
    &mut dyn FnMut(Progress),
) -> Option<Result<Vec<Trained<SavedModel>>, LearnError>>;

/// A comparison of parameters, and training with the best; `None` for kinds that share nothing.
type FitBest = fn(
    &[&dyn ParamSet],
    &Task<'_>,
    &mut dyn FnMut(Progress),
) -> Option<Result<(Selection, Trained<SavedModel>), LearnError>>;

/// The code of a kind.
struct Code {
    defaults: fn() -> Box<dyn ParamSet>,
    cost: fn(&dyn ParamSet) -> f64,
    prefix_rounds: fn(&dyn ParamSet) -> Option<u32>,
    fit: Fit,
    fit_prefixes: FitPrefixes,
    fit_best: FitBest,
}

/// Returns the typed parameters of a kind. `Params` holds the parameters of its kind, so the
/// default never takes their place.
fn typed<P: KindParams>(params: &dyn ParamSet) -> P {
    params.as_any().downcast_ref::<P>().cloned().unwrap_or_default()
}

/// Connects a kind with its typed parameters.
const fn code<P: KindParams>() -> Code
where
    SavedModel: From<<P::Learner as Learner>::Model>,
{
    Code {
        defaults: || Box::new(P::default()),
        cost: |params| params.as_any().downcast_ref::<P>().map_or(0.0, P::cost),
        prefix_rounds: |params| params.as_any().downcast_ref::<P>().and_then(P::prefix_rounds),
        fit: |params, task, progress| typed::<P>(params).learner().fit(task, progress).map(Trained::saved),
        fit_prefixes: |params, task, lengths, progress| {
            let trained = typed::<P>(params).learner().fit_prefixes(task, lengths, progress)?;
            Some(trained.map(|models| models.into_iter().map(Trained::saved).collect()))
        },
        fit_best: |candidates, task, progress| {
            let learners: Vec<P::Learner> = candidates.iter().map(|params| typed::<P>(*params).learner()).collect();
            let trained = P::Learner::fit_best(&learners, task, progress)?;
            Some(trained.map(|(selection, trained)| (selection, trained.saved())))
        },
    }
}

macro_rules! define_code {
    ($($(#[$doc:meta])* $kind:ident {
        name: $name:literal,
        about: $about:literal,
        version: $version:literal,
        params: $module:ident::$params:ident,
        $($fact:ident: $value:expr,)*
    })+) => {
        fn code_of(kind: Kind) -> &'static Code {
            match kind {
                $(Kind::$kind => const { &code::<super::$module::$params>() },)+
            }
        }
    };
}
kinds!(define_code);

/// The parameters of a kind, by name. Every value is accepted by the shape of its parameter.
pub struct Params {
    kind: Kind,
    values: Box<dyn ParamSet>,
    /// The presets to choose from with their parameters; empty unless the preset is
    /// [`Preset::Auto`]. `values` are those of the first.
    portfolio: Vec<(Preset, Box<dyn ParamSet>)>,
}

impl Params {
    /// Returns the defaults of a kind.
    pub fn new(kind: Kind) -> Self {
        Params::fixed(kind, (code_of(kind).defaults)())
    }

    /// Returns the defaults of the groups of a kind, without those of the kind.
    pub(super) fn of_groups(kind: Kind) -> Self {
        Params::fixed(kind, (code_of(kind).defaults)().group_defaults())
    }

    fn fixed(kind: Kind, values: Box<dyn ParamSet>) -> Self {
        Params { kind, values, portfolio: Vec::new() }
    }

    /// Returns parameters that training chooses among those of several presets.
    pub(super) fn auto(portfolio: Vec<(Preset, Params)>) -> Self {
        let (kind, values) = (portfolio[0].1.kind, portfolio[0].1.values.boxed());
        Params {
            kind,
            values,
            portfolio: portfolio.into_iter().map(|(preset, params)| (preset, params.values)).collect(),
        }
    }

    /// Returns whether training chooses among the parameters of several presets.
    pub fn is_auto(&self) -> bool {
        !self.portfolio.is_empty()
    }

    /// Returns the parameters with which a model was trained that recorded these values, if
    /// training chose them; otherwise the parameters themselves.
    pub fn resolved(&self, recorded: &BTreeMap<String, Value>) -> Params {
        let agrees = |values: &dyn ParamSet| {
            values.to_values().iter().all(|(name, value)| recorded.get(name).is_none_or(|found| found == value))
        };
        let found = self.portfolio.iter().map(|(_, values)| values).find(|values| agrees(values.as_ref()));
        Params::fixed(self.kind, found.unwrap_or(&self.values).boxed())
    }

    /// Returns the kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the descriptions of all parameters.
    pub fn entries(&self) -> Vec<&'static Entry> {
        self.values.entries()
    }

    /// Returns the value of a parameter; `None` if the kind does not have it.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.values.get(name)
    }

    /// Sets a parameter; `None` if the kind does not have it.
    ///
    /// # Errors
    /// With the shape of the parameter, if it does not accept the value.
    pub fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), Shape>> {
        for (_, values) in &mut self.portfolio {
            values.set(name, value);
        }
        self.values.set(name, value)
    }

    pub(super) fn set_own_defaults(&mut self) {
        self.values.set_own_defaults();
    }

    /// Returns the seed of the random streams.
    pub fn seed(&self) -> u64 {
        seed_of(self.values.as_ref())
    }

    /// Sets the seed of the random streams.
    #[cfg(feature = "harness")]
    pub(crate) fn set_seed(&mut self, seed: u64) {
        // Seeds of experiments have 53 bits.
        self.set("seed", &Value::Integer(seed as i64));
    }

    /// Returns whether positives of the target are evidence for other examples.
    pub fn recursive(&self) -> bool {
        self.get("recursive") == Some(Value::Bool(true))
    }

    /// Returns the values by name as records keep them: without parameters added later that have
    /// their default. Those that training chooses are `auto`.
    pub fn to_values(&self) -> BTreeMap<String, Value> {
        let mut all = self.values.to_values();
        let others: Vec<_> = self.portfolio.iter().map(|(_, values)| values.to_values()).collect();
        let names: BTreeSet<&String> = others.iter().flat_map(BTreeMap::keys).collect();
        for name in names {
            if others.iter().any(|values| values.get(name) != others[0].get(name)) {
                all.insert(name.clone(), Preset::Auto.name().into());
            }
        }
        all
    }

    /// Returns the estimated cost of training per example, in splits of a first tree.
    pub fn cost(&self) -> f64 {
        let cost = code_of(self.kind).cost;
        // A choice costs up to three times its dearest candidate.
        let dearest = self.portfolio.iter().map(|(_, values)| 3.0 * cost(values.as_ref())).fold(0.0, f64::max);
        if self.is_auto() { dearest } else { cost(self.values.as_ref()) }
    }

    /// Returns the number of boosting rounds, if the model equals the first rounds of every longer
    /// ensemble with otherwise equal parameters, so that [`fit_prefixes`] learns both at once.
    pub fn prefix_rounds(&self) -> Option<u32> {
        (code_of(self.kind).prefix_rounds)(self.values.as_ref()).filter(|_| !self.is_auto())
    }

    /// Returns the typed parameters.
    ///
    /// # Errors
    /// If they are of another kind.
    pub fn typed<P: KindParams>(&self) -> Result<P, ParamError> {
        let typed = self.values.as_any().downcast_ref::<P>();
        typed.cloned().ok_or(ParamError::OtherKind { kind: self.kind })
    }
}

impl Clone for Params {
    fn clone(&self) -> Self {
        let portfolio = self.portfolio.iter().map(|(preset, values)| (*preset, values.boxed())).collect();
        Params { kind: self.kind, values: self.values.boxed(), portfolio }
    }
}

impl PartialEq for Params {
    fn eq(&self, other: &Self) -> bool {
        let names: Vec<&str> = self.entries().into_iter().map(|entry| entry.name).collect();
        let equal = |a: &dyn ParamSet, b: &dyn ParamSet| names.iter().all(|name| a.get(name) == b.get(name));
        let portfolios = self.portfolio.iter().zip(&other.portfolio);
        self.kind == other.kind
            && equal(self.values.as_ref(), other.values.as_ref())
            && self.portfolio.len() == other.portfolio.len()
            && portfolios.into_iter().all(|(a, b)| a.0 == b.0 && equal(a.1.as_ref(), b.1.as_ref()))
    }
}

impl fmt::Debug for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

/// A parameter with the kinds that have it.
pub struct ListedParameter {
    /// The description.
    pub entry: &'static Entry,
    /// The kinds, in the order of [`Kind::ALL`].
    pub kinds: Vec<Kind>,
}

/// Returns every parameter of every kind, in the order of listings.
pub fn parameters() -> &'static [ListedParameter] {
    static LISTED: LazyLock<Vec<ListedParameter>> = LazyLock::new(|| {
        let mut listed: Vec<ListedParameter> = Vec::new();
        for kind in Kind::ALL {
            for entry in Params::new(kind).entries() {
                match listed.iter_mut().find(|known| known.entry.name == entry.name) {
                    Some(known) => known.kinds.push(kind),
                    None => listed.push(ListedParameter { entry, kinds: vec![kind] }),
                }
            }
        }
        listed
    });
    &LISTED
}

/// Returns the parameter with this name, of whatever kind.
pub fn parameter(name: &str) -> Option<&'static ListedParameter> {
    parameters().iter().find(|parameter| parameter.entry.name == name)
}

impl Kind {
    /// Returns whether the kind has a parameter.
    pub fn has_parameter(self, name: &str) -> bool {
        parameter(name).is_some_and(|parameter| parameter.kinds.contains(&self))
    }

    /// Returns whether presets apply to the kind: they set the candidate tests of trees.
    pub fn has_presets(self) -> bool {
        self.has_parameter("node_size")
    }
}

/// Returns the seed of the random streams, a parameter of every kind.
pub(super) fn seed_of(params: &dyn ParamSet) -> u64 {
    params.get("seed").and_then(|seed| seed.as_u64()).unwrap_or_default()
}

/// Learns a model of a kind with default resources; `progress` is called after every step.
///
/// # Errors
/// See [`Learner::fit`].
pub fn train(
    kind: Kind,
    database: &Database,
    target: PredicateId,
    examples: &[Example],
    params: &Params,
    seed: u64,
    progress: &mut dyn FnMut(Progress),
) -> Result<Trained<SavedModel>, LearnError> {
    let task = Task { database, target, examples, seed, resources: Resources::default() };
    fit(kind, &task, params, progress)
}

/// Learns a model of a kind; `progress` is called after every step.
///
/// # Errors
/// If the parameters are of another kind, and as [`Learner::fit`].
pub fn fit(
    kind: Kind,
    task: &Task<'_>,
    params: &Params,
    progress: &mut dyn FnMut(Progress),
) -> Result<Trained<SavedModel>, LearnError> {
    if kind != params.kind {
        return Err(ParamError::OtherKind { kind: params.kind }.into());
    }
    if params.is_auto() {
        return fit_best(params, task, progress);
    }
    (code_of(kind).fit)(params.values.as_ref(), task, progress)
}

/// Chooses among the presets of a portfolio and learns with the best.
fn fit_best(
    params: &Params,
    task: &Task<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Trained<SavedModel>, LearnError> {
    let (presets, candidates): (Vec<Preset>, Vec<&dyn ParamSet>) =
        params.portfolio.iter().map(|(preset, values)| (*preset, values.as_ref())).unzip();
    let code = code_of(params.kind);
    let (selection, mut trained) = match (code.fit_best)(&candidates, task, progress) {
        Some(trained) => trained?,
        None => {
            let selection = select_separately(params, task, progress)?;
            let trained = (code.fit)(candidates[selection.chosen], task, progress)?;
            (selection, trained)
        }
    };
    let choice = Choice::new(selection, &presets);
    trained.warnings.extend(choice.warning());
    Ok(Trained { choice: Some(choice), ..trained })
}

/// Compares the presets of a portfolio by separate trainings on the examples of each inner fold.
/// Kinds that share work give the same scores where leaves are fitted without random choices.
///
/// # Errors
/// As [`fit`].
pub fn select_separately(
    params: &Params,
    task: &Task<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Selection, LearnError> {
    let Task { database, target, examples, .. } = *task;
    let of = |side: &[u32]| side.iter().map(|&i| examples[i as usize].clone()).collect::<Vec<Example>>();
    auto::select(task, params.portfolio.len(), |candidate, fold| {
        let mut candidate = params.portfolio[candidate].1.boxed();
        if let Some(rounds) = candidate.get("trees").and_then(|rounds| rounds.as_u64()) {
            candidate.set("trees", &Value::Integer(auto::inner_rounds(rounds as u32).into()));
            candidate.set("early_stopping", &Value::Integer(0));
        }
        let (train, test) = (of(&fold.train), of(&fold.test));
        let model =
            (code_of(params.kind).fit)(candidate.as_ref(), &Task { examples: &train, ..*task }, progress)?.model;
        match (task.classes(), model.trees()) {
            (Some(_), Some(trees)) => Ok(trees.columns(database, target, &test)?),
            _ => Ok(vec![model.score(database, target, &test)?.scores]),
        }
    })
}

/// Learns the models of a kind with these numbers of boosting rounds: by one training of the
/// longest where [`Params::prefix_rounds`] allows it, and one by one otherwise. The models are
/// those of separate trainings.
///
/// # Errors
/// As [`fit`].
pub fn fit_prefixes(
    kind: Kind,
    task: &Task<'_>,
    params: &Params,
    lengths: &[u32],
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Trained<SavedModel>>, LearnError> {
    if kind != params.kind {
        return Err(ParamError::OtherKind { kind: params.kind }.into());
    }
    let with_rounds = |&length: &u32| {
        let mut params = params.clone();
        let place = "parameters";
        match params.set("trees", &Value::Integer(length.into())) {
            Some(Ok(())) => Ok(params),
            Some(Err(shape)) => {
                let (key, value) = ("trees".to_owned(), Value::Integer(length.into()));
                Err(ParamError::BadValue { place, key, value, shape })
            }
            None => Err(ParamError::UnknownKey { place, key: "trees".to_owned(), nearest: None }),
        }
    };
    let of_lengths = lengths.iter().map(with_rounds).collect::<Result<Vec<Params>, ParamError>>()?;
    if of_lengths.iter().all(|params| params.prefix_rounds().is_some())
        && let Some(trained) = (code_of(kind).fit_prefixes)(params.values.as_ref(), task, lengths, progress)
    {
        return trained;
    }
    of_lengths.iter().map(|params| fit(kind, task, params, progress)).collect()
}
