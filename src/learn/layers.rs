//! Parameters from several sources, and their precedence.
//!
//! The first source that sets a parameter wins: `--set`, the spec, the preset, the defaults of the
//! kind (one tree, no limit on leaves), `setParam` of the background file, the default of the
//! parameter.

use super::auto::PORTFOLIO;
use super::kind::Kind;
use super::params::{ParamError, Preset, Shape, Value};
use super::registry::{Params, parameter, parameters};
use crate::logic::Term;
use crate::logic::nearest::nearest;

/// Parameters of a kind from several sources, not checked yet.
#[derive(Clone, Debug)]
pub struct Unchecked {
    kind: Kind,
    background: Vec<(String, Value)>,
    preset: Option<Preset>,
    spec: Vec<(String, Value)>,
    set: Vec<(String, Value)>,
}

impl Unchecked {
    /// Returns the defaults of a kind.
    pub fn new(kind: Kind) -> Self {
        Unchecked { kind, background: Vec::new(), preset: None, spec: Vec::new(), set: Vec::new() }
    }

    /// Adds the parameters of a background file ([`crate::kb::Schema::parameters`]). Keys without a
    /// meaning for the learners are ignored here; the reader of the file warns about them.
    pub fn background(mut self, parameters: &[(String, Term)]) -> Self {
        self.background.extend(parameters.iter().map(|(key, value)| (key.clone(), value.into())));
        self
    }

    /// Starts from a preset.
    pub fn preset(mut self, preset: Preset) -> Self {
        self.preset = Some(preset);
        self
    }

    /// Adds a parameter of a spec.
    pub fn spec(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.spec.push((key.to_owned(), value.into()));
        self
    }

    /// Adds a parameter of the command line, `KEY=VALUE`.
    ///
    /// # Errors
    /// If it has no `=`.
    pub fn set(mut self, text: &str) -> Result<Self, ParamError> {
        let (key, value) = text.split_once('=').ok_or_else(|| ParamError::NoEquals { text: text.to_owned() })?;
        self.set.push((key.trim().to_owned(), Value::parse(value)));
        Ok(self)
    }

    /// Checks every value, also those that another source overrides.
    ///
    /// # Errors
    /// For an unknown parameter, one that the kind does not have, and a value outside its range.
    pub fn check(&self) -> Result<Params, ParamError> {
        if self.preset == Some(Preset::Auto) && self.kind.has_presets() {
            let with = |preset| Unchecked { preset: Some(preset), ..self.clone() }.check();
            let portfolio = PORTFOLIO.map(|preset| with(preset).map(|params| (preset, params)));
            return Ok(Params::auto(portfolio.into_iter().collect::<Result<_, ParamError>>()?));
        }
        let mut params = Params::of_groups(self.kind);
        for (key, value) in &self.background {
            set_from_background(&mut params, key, value)?;
        }
        params.set_own_defaults();
        if self.preset.is_some() && !self.kind.has_presets() {
            return Err(ParamError::NoPresets { kind: self.kind });
        }
        for (key, value) in self.preset.iter().flat_map(|preset| preset.settings(self.kind)) {
            let accepted = params.set(key, &value).unwrap_or(Ok(()));
            debug_assert!(accepted.is_ok(), "{key} = {value} of a preset is outside its range");
        }
        for (place, layer) in [("parameters", &self.spec), ("--set", &self.set)] {
            for (key, value) in layer {
                self.apply(&mut params, place, key, value)?;
            }
        }
        Ok(params)
    }

    fn apply(&self, params: &mut Params, place: &'static str, name: &str, value: &Value) -> Result<(), ParamError> {
        let bad = |shape| ParamError::BadValue { place, key: name.to_owned(), value: value.clone(), shape };
        if let Some(set) = params.set(name, value) {
            return set.map_err(bad);
        }
        match parameter(name) {
            Some(known) => {
                let kinds: Vec<&str> = known.kinds.iter().map(|kind| kind.name()).collect();
                Err(ParamError::NotUsed { place, kind: self.kind, key: known.entry.name, kinds: kinds.join(", ") })
            }
            None => {
                let nearest = nearest(name, parameters().iter().map(|known| known.entry.name));
                Err(ParamError::UnknownKey { place, key: name.to_owned(), nearest })
            }
        }
    }
}

/// A tree of k tests has k + 1 leaves, so its range is that of `max_leaves` less one.
const TESTS: Shape = Shape::integer(1, 999_999);

/// Translates a `setParam` key, whose case does not matter, as in BoostSRL. The value is checked
/// for every kind and set for those that have the parameter.
fn set_from_background(params: &mut Params, key: &str, value: &Value) -> Result<(), ParamError> {
    let bad = |shape: Shape| ParamError::BadValue {
        place: "setParam in the background file",
        key: key.to_owned(),
        value: value.clone(),
        shape,
    };
    let (name, value) = match key.to_ascii_lowercase().as_str() {
        "nodesize" => ("node_size", value.clone()),
        "maxtreedepth" => ("max_depth", value.clone()),
        "numofclauses" => {
            let tests = value.as_u64().filter(|_| TESTS.accepts(value)).ok_or_else(|| bad(TESTS))?;
            ("max_leaves", Value::Integer(tests as i64 + 1))
        }
        _ => return Ok(()),
    };
    let Some(known) = parameter(name) else { return Ok(()) };
    if !known.entry.shape.accepts(&value) {
        return Err(bad(known.entry.shape));
    }
    params.set(name, &value).unwrap_or(Ok(())).map_err(bad)
}

#[cfg(test)]
mod tests;
