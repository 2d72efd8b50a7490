//! Access to every kind by its name: parameters with values by name, cost estimates, and training.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use super::any::SavedModel;
use super::error::LearnError;
use super::kind::{Kind, kinds};
use super::kind_params::KindParams;
use super::learner::{Learner, Trained};
use super::params::{Entry, ParamError, ParamSet, Shape, Value};
use super::progress::Progress;
use super::task::{Resources, Task};
use crate::kb::{Database, Example};
use crate::logic::PredicateId;

/// A learner that reports its progress.
type Fit = fn(&dyn ParamSet, &Task<'_>, &mut dyn FnMut(Progress)) -> Result<Trained<SavedModel>, LearnError>;

/// The code of a kind.
struct Code {
    defaults: fn() -> Box<dyn ParamSet>,
    cost: fn(&dyn ParamSet) -> f64,
    fit: Fit,
}

/// Connects a kind with its typed parameters.
const fn code<P: KindParams>() -> Code
where
    SavedModel: From<<P::Learner as Learner>::Model>,
{
    Code {
        defaults: || Box::new(P::default()),
        cost: |params| params.as_any().downcast_ref::<P>().map_or(0.0, P::cost),
        fit: |params, task, progress| {
            // `Params` holds the parameters of its kind, so the default never takes their place.
            let params = params.as_any().downcast_ref::<P>().cloned().unwrap_or_default();
            params.learner().fit(task, progress).map(Trained::saved)
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
}

impl Params {
    /// Returns the defaults of a kind.
    pub fn new(kind: Kind) -> Self {
        Params { kind, values: (code_of(kind).defaults)() }
    }

    /// Returns the defaults of the groups of a kind, without those of the kind.
    pub(super) fn of_groups(kind: Kind) -> Self {
        Params { kind, values: (code_of(kind).defaults)().group_defaults() }
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
        self.values.set("seed", &Value::Integer(seed as i64));
    }

    /// Returns whether positives of the target are evidence for other examples.
    pub fn recursive(&self) -> bool {
        self.get("recursive") == Some(Value::Bool(true))
    }

    /// Returns the values by name as records keep them: without parameters added later that have
    /// their default.
    pub fn to_values(&self) -> BTreeMap<String, Value> {
        self.values.to_values()
    }

    /// Returns the estimated cost of training per example, in splits of a first tree.
    pub fn cost(&self) -> f64 {
        (code_of(self.kind).cost)(self.values.as_ref())
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
        Params { kind: self.kind, values: self.values.boxed() }
    }
}

impl PartialEq for Params {
    fn eq(&self, other: &Self) -> bool {
        let names = || self.entries().into_iter().map(|entry| entry.name);
        self.kind == other.kind && names().all(|name| self.get(name) == other.get(name))
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
    (code_of(kind).fit)(params.values.as_ref(), task, progress)
}
