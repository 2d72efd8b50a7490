//! `[tune]`: the search space of a model, and the settings that are tried.

use super::diagnostic::{SpecDiagnostic, SpecLocation};
use super::format;
use super::parameter::RawParameter;
use super::raw::{Item, RawTable, RawValue};
use super::shape::join;
use crate::determinism::{HashSet, Stream};
use crate::learn::Preset;
use crate::learn::params::Value;
use crate::metric::Column;

/// Default number of inner folds.
const FOLDS: u64 = 3;

/// A `[tune]` table of the raw spec.
#[derive(Clone, Debug)]
pub struct RawTune {
    pub path: String,
    pub place: SpecLocation,
    pub is_random: bool,
    /// Number of settings to draw.
    pub trials: Option<usize>,
    pub folds: usize,
    pub metric: Column,
    /// Presets to choose from; empty if the preset is not tuned.
    pub presets: Vec<Preset>,
    /// Tuned parameters in the order of the file.
    pub axes: Vec<TuneAxis>,
}

/// A tuned parameter.
#[derive(Clone, Debug)]
pub struct TuneAxis {
    pub key: String,
    pub values: TuneValues,
}

/// The values of a tuned parameter.
#[derive(Clone, Debug)]
pub enum TuneValues {
    /// Listed values.
    List(Vec<RawParameter>),
    /// An interval of numbers.
    Range(TuneRange),
}

/// An interval of numbers, ends included.
#[derive(Clone, Debug)]
pub struct TuneRange {
    path: String,
    place: SpecLocation,
    key: String,
    min: f64,
    max: f64,
    is_whole: bool,
    is_log: bool,
    steps: Option<usize>,
}

/// A setting to try.
#[derive(Clone, Debug)]
pub struct Setting {
    pub preset: Option<Preset>,
    pub parameters: Vec<RawParameter>,
}

/// Reads a `[tune]` table that fits its format; `None` if it is invalid.
pub fn read(item: &Item, path: &str, diagnostics: &mut Vec<SpecDiagnostic>) -> Option<RawTune> {
    let table = item.table()?;
    let before = diagnostics.len();
    let is_random = table.get("method").and_then(Item::text) == Some("random");
    let names = table.get("presets").map_or(&[][..], Item::items);
    let axes = table.iter().filter(|(key, _)| format::TUNE.field(key).is_none());
    let axes: Vec<TuneAxis> = axes.filter_map(|(key, item)| axis(key, item, path, is_random, diagnostics)).collect();
    let metric = table.get("metric").and_then(Item::text).and_then(Column::named);
    let tune = RawTune {
        path: path.to_owned(),
        place: item.place.clone(),
        is_random,
        trials: table.get("trials").and_then(Item::whole).map(|n| n as usize),
        folds: table.get("folds").and_then(Item::whole).unwrap_or(FOLDS) as usize,
        metric: metric.unwrap_or(Column::AucRoc),
        presets: names.iter().filter_map(|item| Preset::find(item.text()?).ok()).collect(),
        axes,
    };
    tune.check(table, diagnostics);
    (diagnostics.len() == before).then_some(tune)
}

fn axis(
    key: &str,
    item: &Item,
    path: &str,
    is_random: bool,
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<TuneAxis> {
    let path = join(path, key);
    let key = key.to_owned();
    let RawValue::Table(table) = &item.value else {
        let mut seen: HashSet<String> = HashSet::default();
        let mut values = Vec::new();
        for (i, item) in item.items().iter().enumerate() {
            let (path, place) = (format!("{path}[{i}]"), item.place.clone());
            let Some(value) = item.scalar().cloned() else { continue };
            if !seen.insert(value.to_string()) {
                diagnostics
                    .push(SpecDiagnostic::new(&place, &path, "duplicate value in the list").with(value.to_string()));
            }
            values.push(RawParameter { path, place, key: key.clone(), value });
        }
        return Some(TuneAxis { key, values: TuneValues::List(values) });
    };
    let mut report = |inner: &str, reason: &str| {
        let found = table.get(inner);
        let place = found.map_or(&item.place, |item| &item.place);
        let value = found.map_or_else(|| item.value.inline(), |item| item.value.inline());
        diagnostics.push(SpecDiagnostic::new(place, join(&path, inner), reason).with(value));
    };
    let (min, max) = (table.get("min")?.number()?, table.get("max")?.number()?);
    let is_whole = |key: &str| matches!(table.get(key).and_then(Item::scalar), Some(Value::Integer(_)));
    let is_log = matches!(table.get("log").and_then(Item::scalar), Some(Value::Bool(true)));
    let steps = table.get("steps").and_then(Item::whole).map(|n| n as usize);
    match (min < max, is_log && min <= 0.0, is_random, steps) {
        (false, ..) => report("max", "must be larger than `min`"),
        (_, true, ..) => report("min", "must be larger than 0 for a logarithmic range"),
        (_, _, true, Some(_)) => report("steps", "only a grid has steps: remove this key, or use `method = \"grid\"`"),
        (_, _, false, None) => report("steps", "missing: a grid needs the number of values of a range, at least 2"),
        _ => {
            let is_whole = is_whole("min") && is_whole("max");
            let place = item.place.clone();
            let range = TuneRange { path, place, key: key.clone(), min, max, is_whole, is_log, steps };
            return Some(TuneAxis { key, values: TuneValues::Range(range) });
        }
    }
    None
}

impl RawTune {
    fn check(&self, table: &RawTable, diagnostics: &mut Vec<SpecDiagnostic>) {
        let mut report = |key: &str, reason: &str| {
            let found = table.get(key);
            let place = found.map_or(&self.place, |item| &item.place);
            let mut diagnostic = SpecDiagnostic::new(place, join(&self.path, key), reason);
            if let Some(item) = found {
                diagnostic = diagnostic.with(item.value.inline());
            }
            diagnostics.push(diagnostic);
        };
        match (self.is_random, self.trials) {
            (true, None) => report("trials", "missing: the number of settings to draw"),
            (false, Some(_)) => {
                report("trials", "a grid tries every combination: remove this key, or use `method = \"random\"`");
            }
            _ => {}
        }
        let mut seen: Vec<Preset> = Vec::new();
        for &preset in &self.presets {
            if seen.contains(&preset) {
                report("presets", "duplicate value in the list");
            }
            seen.push(preset);
        }
        let is_empty = !table.contains_key("presets") && !table.keys().any(|key| format::TUNE.field(key).is_none());
        if is_empty {
            let reason = "no search space: add a list of values or a range for a parameter, or `presets`";
            diagnostics.push(SpecDiagnostic::new(&self.place, &self.path, reason));
        }
    }

    /// Returns the parameters at the ends of ranges and all listed values, to be checked.
    pub fn bounds(&self) -> Vec<RawParameter> {
        let of_axis = |axis: &TuneAxis| match &axis.values {
            TuneValues::List(values) => values.clone(),
            TuneValues::Range(range) => [range.min, range.max].map(|value| range.parameter(value)).to_vec(),
        };
        self.axes.iter().flat_map(of_axis).collect()
    }

    /// Returns the number of settings of a model with these parameters.
    pub fn count(&self, has: impl Fn(&str) -> bool, has_presets: bool) -> usize {
        let sizes = self.axes.iter().filter(|axis| has(&axis.key)).map(|axis| axis.size(self.is_random));
        let presets = if has_presets { self.presets.len().max(1) } else { 1 };
        let size = sizes.fold(presets, usize::saturating_mul);
        size.min(self.trials.filter(|_| self.is_random).unwrap_or(usize::MAX))
    }

    /// Returns whether a model with these parameters is tuned.
    pub fn applies(&self, has: impl Fn(&str) -> bool, has_presets: bool) -> bool {
        self.axes.iter().any(|axis| has(&axis.key)) || (has_presets && !self.presets.is_empty())
    }

    /// Returns the settings of a model with these parameters, in order: the first key of the file
    /// changes slowest, or they are drawn from the stream of the seed and the model. Drawn settings
    /// are distinct; a space with no more settings than trials is tried entirely.
    pub fn settings(&self, has: impl Fn(&str) -> bool, has_presets: bool, seed: u64, model: &str) -> Vec<Setting> {
        let axes: Vec<&TuneAxis> = self.axes.iter().filter(|axis| has(&axis.key)).collect();
        let mut presets: Vec<Option<Preset>> = self.presets.iter().copied().map(Some).collect();
        if presets.is_empty() || !has_presets {
            presets = vec![None];
        }
        let size = axes.iter().map(|axis| axis.size(self.is_random)).fold(presets.len(), usize::saturating_mul);
        let trials = self.trials.unwrap_or(usize::MAX);
        if !self.is_random || size <= trials {
            let mut all: Vec<Setting> =
                presets.into_iter().map(|preset| Setting { preset, parameters: Vec::new() }).collect();
            for axis in axes {
                let values = axis.all();
                let extended = |setting: &Setting| {
                    let with = |value: &RawParameter| {
                        let parameters = setting.parameters.iter().chain([value]).cloned().collect();
                        Setting { preset: setting.preset, parameters }
                    };
                    values.iter().map(with).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(extended).collect();
            }
            return all;
        }
        let mut stream = Stream::new(seed, &["tune", model]);
        let (mut settings, mut seen): (Vec<Setting>, HashSet<String>) = Default::default();
        // A narrow range may have fewer values of six digits than there are trials.
        let mut draws = trials.saturating_mul(1000);
        while settings.len() < trials && draws > 0 {
            draws -= 1;
            let preset = presets[stream.index(presets.len())];
            let parameters: Vec<RawParameter> = axes.iter().map(|axis| axis.draw(&mut stream)).collect();
            let values: Vec<String> = parameters.iter().map(|parameter| parameter.value.to_string()).collect();
            if seen.insert(format!("{preset:?} {}", values.join(" "))) {
                settings.push(Setting { preset, parameters });
            }
        }
        settings
    }
}

impl TuneAxis {
    /// Returns the number of values.
    fn size(&self, is_random: bool) -> usize {
        match &self.values {
            TuneValues::List(values) => values.len(),
            TuneValues::Range(range) if range.is_whole && is_random => {
                let numbers = (range.max - range.min).min(1e15) as usize;
                numbers.saturating_add(1)
            }
            TuneValues::Range(_) if is_random => usize::MAX,
            TuneValues::Range(range) => range.values().len(),
        }
    }

    fn all(&self) -> Vec<RawParameter> {
        match &self.values {
            TuneValues::List(values) => values.clone(),
            TuneValues::Range(range) => range.values(),
        }
    }

    fn draw(&self, stream: &mut Stream) -> RawParameter {
        match &self.values {
            TuneValues::List(values) => values[stream.index(values.len())].clone(),
            TuneValues::Range(range) => range.parameter(range.at(stream.unit(), 0.5)),
        }
    }
}

impl TuneRange {
    fn parameter(&self, value: f64) -> RawParameter {
        let value = match self.is_whole {
            true => Value::Integer(value as i64),
            false => Value::Number(value),
        };
        RawParameter { path: self.path.clone(), place: self.place.clone(), key: self.key.clone(), value }
    }

    /// Returns the value at a share of the range, linear or logarithmic. Whole numbers are rounded
    /// after the range is widened by `margin` at both ends, so that each is equally likely.
    fn at(&self, share: f64, margin: f64) -> f64 {
        let margin = if self.is_whole { margin } else { 0.0 };
        let (low, high) = (self.min - margin, self.max + margin);
        let value = match self.is_log {
            true => low.max(f64::MIN_POSITIVE) * (high / low.max(f64::MIN_POSITIVE)).powf(share),
            false => low + (high - low) * share,
        };
        // Six digits: readable, and the same on every machine.
        let rounded = if self.is_whole { value.round() } else { format!("{value:.5e}").parse().unwrap_or(value) };
        rounded.clamp(self.min, self.max)
    }

    /// Returns the distinct values of a grid, or all whole numbers of a small range.
    fn values(&self) -> Vec<RawParameter> {
        if let (true, None) = (self.is_whole, self.steps) {
            return (self.min as i64..=self.max as i64).map(|value| self.parameter(value as f64)).collect();
        }
        let steps = self.steps.unwrap_or(2).max(2);
        let mut values: Vec<f64> = (0..steps).map(|step| self.at(step as f64 / (steps - 1) as f64, 0.0)).collect();
        values.dedup();
        values.into_iter().map(|value| self.parameter(value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::spec::raw;

    fn tune(text: &str) -> RawTune {
        let table = raw::read(text).unwrap();
        read(&table["tune"], "tune", &mut Vec::new()).unwrap()
    }

    fn shown(settings: &[Setting]) -> Vec<String> {
        let values = |setting: &Setting| {
            let parameters = setting.parameters.iter().map(|p| format!("{}={}", p.key, p.value)).collect::<Vec<_>>();
            parameters.join(" ")
        };
        settings.iter().map(values).collect()
    }

    #[test]
    fn a_grid_has_every_combination_in_the_order_of_the_file() {
        let tune = tune(
            "[tune]\ntrees = [5, 10]\nlearning_rate = { min = 0.01, max = 1.0, steps = 3, log = true }\nother = [1]\n",
        );
        let settings = tune.settings(|key| key != "other", true, 1, "A");
        let expected = ["0.01", "0.1", "1"].map(|rate| format!("trees=5 learning_rate={rate}"));
        assert_eq!(shown(&settings)[..3], expected);
        assert_eq!((settings.len(), tune.count(|key| key != "other", true)), (6, 6));
        assert!(tune.applies(|key| key == "trees", false) && !tune.applies(|_| false, true));
    }

    #[test]
    fn drawn_settings_are_distinct_seeded_and_inside_their_ranges() {
        let tune = tune(
            "[tune]\nmethod = \"random\"\ntrials = 40\ntrees = { min = 1, max = 30 }\n\
             learning_rate = { min = 0.001, max = 1.0, log = true }\npresets = [\"paper\", \"lookahead\"]\n",
        );
        let settings = tune.settings(|_| true, true, 1, "A");
        assert_eq!(shown(&settings), shown(&tune.settings(|_| true, true, 1, "A")));
        assert_ne!(shown(&settings), shown(&tune.settings(|_| true, true, 2, "A")));
        assert_ne!(shown(&settings), shown(&tune.settings(|_| true, true, 1, "B")));
        let distinct: HashSet<String> = shown(&settings).into_iter().collect();
        assert_eq!((settings.len(), distinct.len()), (40, 40));
        let small = settings.iter().filter(|s| matches!(s.parameters[1].value, Value::Number(x) if x < 0.0316)).count();
        // Half of a logarithmic range lies below its geometric mean.
        assert!((10..30).contains(&small), "{small}");
        for setting in &settings {
            assert!(matches!(setting.parameters[0].value, Value::Integer(1..=30)));
            assert!(matches!(setting.parameters[1].value, Value::Number(0.001..=1.0)));
            assert!(setting.preset.is_some());
        }
    }

    #[test]
    fn a_small_space_is_tried_entirely() {
        let tune =
            tune("[tune]\nmethod = \"random\"\ntrials = 40\ntrees = { min = 1, max = 4 }\nmax_leaves = [2, 4]\n");
        let settings = tune.settings(|_| true, true, 1, "A");
        assert_eq!(settings.len(), 8);
        assert_eq!(shown(&settings)[7], "trees=4 max_leaves=4");
        assert_eq!(tune.count(|_| true, true), 8);
    }
}
