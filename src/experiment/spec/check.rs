//! Validates a raw spec: every name is known, every choice is available, every value is allowed.

use std::path::Path;
use std::sync::Arc;

use super::super::dataset_ref::DatasetRef;
use super::super::job::{Keep, Limits};
use super::arity;
use super::diagnostic::{SpecDiagnostic, SpecLocation, listed};
use super::directory;
use super::experiment::{CompareSettings, ExpectedMean, Experiment, ExperimentDataset, ModelConfig};
use super::external;
use super::format::{self, MAX_JOBS};
use super::models::{self, Axis, Model};
use super::multiverse::{self, DatasetContext, MultiverseSpec};
use super::names;
use super::raw::{Item, RawTable};
use super::shape::{self, join};
use super::slurm::SlurmSettings;
use super::tune;
use super::units;
use super::universe::Multiverse;
use crate::data::benchmark::{TimeUse, Variant};
use crate::data::generate::{Domain, GeneratorSettings};
use crate::data::manifest::{FoldScheme, Manifest};
use crate::determinism::HashSet;
use crate::learn::Preset;
use crate::learn::params::Value;
use crate::logic::nearest::did_you_mean;
use crate::metric::Column;

/// Default seed.
const SEED: u64 = 20_200_120;
/// Default number of negatives per positive, as in the paper.
const NEGATIVES_PER_POSITIVE: f64 = 2.0;

/// Whether data directories must exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataRequirement {
    /// They must exist.
    MustExist,
    /// They existed when the experiment was run.
    MayBeMissing,
}

/// Validates a raw table; returns `None` if there are diagnostics.
pub fn check(raw: &RawTable, data: DataRequirement, diagnostics: &mut Vec<SpecDiagnostic>) -> Option<Experiment> {
    let own = external::parameter_names(raw);
    let table = shape::check(raw, &format::TOP, ("", &SpecLocation::Line(1)), &own, diagnostics);
    let items = |key: &str| table.get(key).map_or(&[][..], Item::items);
    let mut models = models::read(items("model"), diagnostics);
    // Missing parameters can be reported only if all models could be read.
    let complete = models.len() == items("model").len();
    tune::attach(&table, &mut models, complete, diagnostics);
    let presets: Vec<Preset> = items("presets").iter().filter_map(|item| Preset::find(item.text()?).ok()).collect();
    report_duplicates(items("presets"), "presets", diagnostics);
    let empty = RawTable::default();
    let inner = |key: &str| table.get(key).and_then(Item::table).unwrap_or(&empty);
    let axes = models::sweep(inner("sweep"), &models, complete, diagnostics);
    let seeds = seeds(&table, diagnostics);
    // An excessive number of jobs is detected without expanding them.
    let rows = models::count(&models, &presets, &axes);
    let min_jobs = rows.saturating_mul(seeds.len().max(1)).saturating_mul(items("datasets").len().max(1));
    let place = table.get("sweep").or_else(|| table.get("tune"));
    let place = place.map_or(SpecLocation::Line(1), |item| item.place.clone());
    let axes = if check_job_count(min_jobs, &place, diagnostics) {
        models.iter_mut().for_each(|model| model.tune = None);
        Vec::new()
    } else {
        axes
    };
    tune::check_conflicts(&models, &presets, &axes, diagnostics);
    let names: Vec<&str> = items("datasets").iter().filter_map(Item::text).collect();
    for key in ["sweep", "tune"] {
        if let (Some(other), Some(_)) = (table.get(key), table.get("multiverse")) {
            let reason = format!("`[{key}]` and `[multiverse]` exclude each other: make its parameters choices");
            diagnostics.push(SpecDiagnostic::new(&other.place, key, reason));
        }
    }
    let seed = seeds.first().copied().unwrap_or(SEED);
    let context = multiverse::Context { models: &models, complete, presets: &presets, datasets: &names, seed };
    let universes = multiverse::read(table.get("multiverse"), &context, diagnostics);
    let mut multiverse = universes.as_ref().map(MultiverseSpec::multiverse);
    let universes = universes.as_ref();
    let varies_arity = axes.iter().flat_map(|axis| &axis.choices).any(|choice| choice.arity.is_some())
        || universes.is_some_and(MultiverseSpec::varies_arity);
    arity::check(items("model"), varies_arity, diagnostics);
    let rows = RowSettings { models: &models, complete, presets: &presets, axes: &axes, seed, universes };
    let datasets = datasets(&table, &seeds, data, &rows, multiverse.as_mut(), diagnostics);
    let folds = |part: &ExperimentDataset| part.folds.or_else(|| part.source.known_folds()).unwrap_or(1);
    let of_part = |part: &ExperimentDataset| {
        let folds = folds(part);
        part.rows.iter().map(|row| row.jobs(folds, part.seeds.len())).fold(0, usize::saturating_add)
    };
    let jobs = datasets.iter().map(of_part);
    let place = table.get("multiverse").map_or(place, |item| item.place.clone());
    if min_jobs <= MAX_JOBS {
        check_job_count(jobs.fold(0, usize::saturating_add), &place, diagnostics);
    }
    let experiment = Experiment {
        name: text(&table, "name"),
        about: text(&table, "about"),
        seeds,
        expected: expected(inner("expected"), &datasets, diagnostics),
        datasets,
        split_keys: models::split_keys(&axes),
        compare: CompareSettings {
            paper: inner("compare").get("paper").and_then(Item::text).map(str::to_owned),
            recorded: inner("compare").get("recorded").and_then(Item::text).map(str::to_owned),
            tests: texts(inner("compare").get("tests")),
        },
        limits: Limits {
            time: table.get("time_limit").and_then(Item::scalar).and_then(units::time),
            memory_bytes: table.get("memory_limit").and_then(Item::scalar).and_then(units::memory),
            isolate: matches!(table.get("isolate").and_then(Item::scalar), Some(Value::Bool(true))),
        },
        slurm: SlurmSettings::default().with(inner("slurm")),
        multiverse,
        frozen: String::new(),
    };
    diagnostics.is_empty().then_some(experiment)
}

fn check_job_count(jobs: usize, place: &SpecLocation, diagnostics: &mut Vec<SpecDiagnostic>) -> bool {
    if jobs > MAX_JOBS {
        let reason = format!(
            "the experiment has at least {jobs} jobs, at most {MAX_JOBS} are allowed: use fewer seeds, folds or values, or several specs"
        );
        diagnostics.push(SpecDiagnostic::new(place, "", reason));
    }
    jobs > MAX_JOBS
}

fn text(table: &RawTable, key: &str) -> String {
    table.get(key).and_then(Item::text).unwrap_or_default().to_owned()
}

fn texts(item: Option<&Item>) -> Vec<String> {
    item.map_or(&[][..], Item::items).iter().filter_map(|item| item.text().map(str::to_owned)).collect()
}

/// Reports duplicate values of a list.
fn report_duplicates(items: &[Item], path: &str, diagnostics: &mut Vec<SpecDiagnostic>) {
    let mut seen: HashSet<String> = HashSet::default();
    for (i, item) in items.iter().enumerate() {
        if !seen.insert(item.value.inline().to_lowercase()) {
            let reason = "duplicate value in the list";
            diagnostics
                .push(SpecDiagnostic::new(&item.place, format!("{path}[{i}]"), reason).with(item.value.inline()));
        }
    }
}

fn seeds(table: &RawTable, diagnostics: &mut Vec<SpecDiagnostic>) -> Vec<u64> {
    match (table.get("seed"), table.get("seeds")) {
        (Some(seed), Some(_)) => {
            diagnostics.push(SpecDiagnostic::new(
                &seed.place,
                "seed",
                "`seed` and `seeds` exclude each other: remove one of them",
            ));
            Vec::new()
        }
        (Some(seed), None) => seed.whole().into_iter().collect(),
        (None, Some(seeds)) => listed_seeds(seeds, "seeds", diagnostics),
        (None, None) => vec![SEED],
    }
}

fn listed_seeds(seeds: &Item, path: &str, diagnostics: &mut Vec<SpecDiagnostic>) -> Vec<u64> {
    report_duplicates(seeds.items(), path, diagnostics);
    seeds.items().iter().filter_map(Item::whole).collect()
}

/// What the rows of every dataset are made of.
struct RowSettings<'a> {
    models: &'a [Model],
    /// Whether all models could be read.
    complete: bool,
    presets: &'a [Preset],
    axes: &'a [Axis],
    /// Seed of drawn settings.
    seed: u64,
    universes: Option<&'a MultiverseSpec>,
}

fn datasets(
    table: &RawTable,
    default_seeds: &[u64],
    data: DataRequirement,
    &RowSettings { models, complete, presets, axes, seed, universes }: &RowSettings<'_>,
    mut multiverse: Option<&mut Multiverse>,
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Vec<ExperimentDataset> {
    let keep = keep(table, diagnostics);
    let empty = RawTable::default();
    let own = table.get("dataset").and_then(Item::table).unwrap_or(&empty);
    let listed_items = table.get("datasets").map_or(&[][..], Item::items);
    report_duplicates(listed_items, "datasets", diagnostics);
    let names: Vec<&str> = listed_items.iter().filter_map(Item::text).collect();
    for (name, item) in own.iter().filter(|(name, _)| !names.contains(&name.as_str())) {
        let hint = did_you_mean(name, names.iter().copied());
        let reason = format!("not listed in `datasets`: {hint}listed are {}", listed(names.iter().copied()));
        diagnostics.push(SpecDiagnostic::new(&item.place, join("dataset", name), reason));
    }
    let mut parts = Vec::new();
    for (i, item) in listed_items.iter().enumerate() {
        let Some(name) = item.text() else { continue };
        let of_dataset = own.get(name).and_then(Item::table).unwrap_or(&empty);
        let at = ListedDataset { name, place: &item.place, path: format!("datasets[{i}]"), own: of_dataset, data };
        let Some(source) = source(&at, table, axes, diagnostics) else { continue };
        let parameters = models::parameters(of_dataset, &at.section(), &format::DATASET);
        for parameter in &parameters {
            let swept = axes.iter().flat_map(|axis| &axis.choices).flat_map(|choice| &choice.parameters);
            let varied = swept.chain(universes.into_iter().flat_map(MultiverseSpec::parameters));
            models::check_for_dataset(parameter, models, complete, varied, diagnostics);
            if tune::is_tuned(models, parameter) {
                diagnostics.push(parameter.invalid("tuned: a dataset cannot set its own value"));
            }
        }
        let first = |key: &str| of_dataset.get(key).or_else(|| table.get(key));
        let folds = first("folds");
        check_folds(&at, &source, folds, diagnostics);
        let (source, folds_item) = (Arc::new(source), folds);
        let folds = folds_item.and_then(Item::whole).map(|n| n as usize);
        let rows = match (universes, multiverse.as_deref_mut()) {
            (Some(universes), Some(multiverse)) => {
                let part = DatasetContext { source: &source, folds, parameters: &parameters };
                universes.rows(&part, models, presets, multiverse)
            }
            _ => models::rows(models, presets, axes, &parameters, seed),
        };
        // An invalid parameter was reported at its own location.
        let rows: Vec<ModelConfig> = rows.unwrap_or_default();
        parts.push(ExperimentDataset {
            source,
            keep,
            seeds: match of_dataset.get("seeds") {
                Some(seeds) => listed_seeds(seeds, &join(&at.section(), "seeds"), diagnostics),
                None => default_seeds.to_vec(),
            },
            folds,
            negatives_per_positive: first("negatives_per_positive")
                .and_then(Item::number)
                .unwrap_or(NEGATIVES_PER_POSITIVE),
            rows,
        });
    }
    parts
}

/// Reads what is stored of a job.
fn keep(table: &RawTable, diagnostics: &mut Vec<SpecDiagnostic>) -> Keep {
    let Some(item) = table.get("keep") else { return Keep::default() };
    report_duplicates(item.items(), "keep", diagnostics);
    let has = |name: &str| item.items().iter().any(|item| item.text() == Some(name));
    if !has("metrics") {
        let reason = "metrics are always stored: add `\"metrics\"`";
        diagnostics.push(SpecDiagnostic::new(&item.place, "keep", reason).with(item.value.inline()));
    }
    Keep { models: has("models"), predictions: has("predictions"), scores: has("scores") }
}

/// A listed dataset with its own table.
struct ListedDataset<'a> {
    name: &'a str,
    place: &'a SpecLocation,
    path: String,
    own: &'a RawTable,
    data: DataRequirement,
}

impl ListedDataset<'_> {
    fn section(&self) -> String {
        join("dataset", self.name)
    }

    fn diagnostic_for(&self, key: &str, reason: impl Into<String>) -> SpecDiagnostic {
        let place = self.own.get(key).map_or(self.place, |item| &item.place);
        let value = self.own.get(key).map(|item| item.value.inline()).unwrap_or_default();
        SpecDiagnostic::new(place, join(&self.section(), key), reason).with(value)
    }
}

fn source(
    at: &ListedDataset<'_>,
    table: &RawTable,
    axes: &[Axis],
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<DatasetRef> {
    let own = |key: &str| at.own.get(key).and_then(Item::text);
    let id = own("path").or(own("id")).unwrap_or(at.name).to_owned();
    let (manifest, domain) = (Manifest::find(&id).ok(), Domain::find(&id).ok());
    check_directory(at, manifest.is_some() || domain.is_some(), diagnostics);
    let is_directory = at.data == DataRequirement::MayBeMissing || own("path").is_some() || Path::new(&id).is_dir();
    if manifest.is_none() && domain.is_none() && !is_directory {
        diagnostics.push(unknown_dataset(at, &id));
        return None;
    }
    let arity = own("arity").or_else(|| table.get("arity").and_then(Item::text));
    let variant = Variant {
        evidence: own("evidence").map(str::to_owned),
        arity: arity.and_then(names::arity).unwrap_or_default(),
        reflexive: own("reflexive").and_then(names::reflexive).unwrap_or_default(),
        drop_shared: matches!(at.own.get("drop_shared").and_then(Item::scalar), Some(Value::Bool(true))),
        negatives: own("negatives").and_then(names::negative_scheme),
        folds: own("fold_scheme").and_then(names::fold_scheme),
        time: own("time").and_then(names::time_use).unwrap_or_default(),
        classes: matches!(at.own.get("classes").and_then(Item::scalar), Some(Value::Bool(true))),
        class_size: at.own.get("class_size").and_then(Item::whole).unwrap_or(0) as u32,
        modes: own("modes").map(str::to_owned),
        mirror: own("mirror").and_then(names::mirror).unwrap_or_default(),
    };
    let has_times = manifest.is_some_and(|manifest| manifest.time.is_some())
        || domain.is_some_and(|domain| domain.info().time.is_some());
    if variant.time == TimeUse::Ignore && !has_times {
        diagnostics.push(at.diagnostic_for("time", "the dataset has no timestamps: remove this key"));
    }
    if variant.class_size > 0 && !variant.classes {
        diagnostics.push(at.diagnostic_for("class_size", "requires `classes = true`: add that, or remove this key"));
    }
    if variant.classes && domain.is_some() {
        diagnostics.push(at.diagnostic_for("classes", "not supported for generated domains: remove this key"));
    }
    let swept = |key: &str| {
        axes.iter().flat_map(|axis| &axis.choices).any(|choice| match key {
            "arity" => choice.arity.is_some(),
            _ => choice.negatives_per_positive.is_some(),
        })
    };
    for key in ["arity", "negatives_per_positive"].into_iter().filter(|key| at.own.contains_key(*key) && swept(key)) {
        diagnostics.push(at.diagnostic_for(key, "varied by the sweep: a dataset cannot set its own value"));
    }
    let generated = generated(at, domain, diagnostics);
    let variant = match manifest {
        Some(manifest) => complete_variant(at, manifest, variant, diagnostics),
        None => {
            let given = [("evidence", variant.evidence.is_some()), ("modes", variant.modes.is_some())];
            for (key, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
                let reason = "only published datasets offer several kinds: remove this key";
                diagnostics.push(at.diagnostic_for(key, reason));
            }
            variant
        }
    };
    Some(DatasetRef { name: at.name.to_owned(), id, variant, generated, directory: directory::options(at.own) })
}

/// Checks the keys that only directories have.
fn check_directory(at: &ListedDataset<'_>, is_known: bool, diagnostics: &mut Vec<SpecDiagnostic>) {
    let is_given = |key: &&str| at.own.contains_key(*key);
    if is_known {
        let reason = "only directories have this key, and this dataset has its own: remove the key";
        let keys = ["target", "background"].into_iter().filter(is_given);
        diagnostics.extend(keys.map(|key| at.diagnostic_for(key, reason)));
    }
    if is_given(&"path") && is_given(&"id") {
        diagnostics.push(at.diagnostic_for("id", "`id` and `path` exclude each other: remove one of them"));
    }
    if at.data == DataRequirement::MayBeMissing {
        return;
    }
    let path = |key: &str| at.own.get(key).and_then(Item::text).map(Path::new);
    if let Some(reason) = path("path").and_then(directory::fault_of) {
        diagnostics.push(at.diagnostic_for("path", reason));
    }
    if path("background").is_some_and(|path| !path.is_file()) {
        diagnostics.push(at.diagnostic_for("background", "no such file"));
    }
}

fn unknown_dataset(at: &ListedDataset<'_>, id: &str) -> SpecDiagnostic {
    let known: Vec<&str> = Manifest::ids().chain(Domain::ALL.map(|domain| domain.info().id)).collect();
    let hint = did_you_mean(id, known.iter().copied());
    let reason = format!(
        "unknown dataset: {hint}known are {}, and any directory with example and fact files",
        listed(known.iter().copied())
    );
    match at.own.contains_key("id") {
        true => at.diagnostic_for("id", reason),
        false => SpecDiagnostic::new(at.place, &at.path, reason).with(Value::Text(id.to_owned()).to_string()),
    }
}

/// Reads the generator settings of a generated domain.
fn generated(
    at: &ListedDataset<'_>,
    domain: Option<Domain>,
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<GeneratorSettings> {
    let keys = ["scale", "noise", "data_seed"];
    let Some(domain) = domain else {
        for key in keys.iter().filter(|key| at.own.contains_key(**key)) {
            diagnostics.push(at.diagnostic_for(key, "only generated domains have this key: remove it"));
        }
        return None;
    };
    let defaults = domain.settings();
    let whole = |key: &str| at.own.get(key).and_then(Item::whole);
    let scale = whole("scale").map_or(defaults.scale(), |scale| scale as u32);
    let noise = at.own.get("noise").and_then(Item::number).unwrap_or(defaults.noise());
    let settings = GeneratorSettings::new(scale, whole("data_seed").unwrap_or(defaults.seed()), noise);
    settings.map_err(|error| diagnostics.push(at.diagnostic_for("scale", error.to_string()))).ok()
}

/// Fills in the defaults of the manifest and checks that it offers the variant.
fn complete_variant(
    at: &ListedDataset<'_>,
    manifest: &Manifest,
    mut variant: Variant,
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Variant {
    match manifest.evidence(variant.evidence.as_deref()) {
        Ok(evidence) => variant.evidence = Some(evidence.name.clone()),
        Err(_) => {
            let known: Vec<&str> = manifest.evidence.iter().map(|evidence| evidence.name.as_str()).collect();
            let hint = did_you_mean(variant.evidence.as_deref().unwrap_or_default(), known.iter().copied());
            diagnostics
                .push(at.diagnostic_for("evidence", format!("not available: {hint}available are {}", listed(known))));
        }
    }
    let evidence = manifest.evidence(variant.evidence.as_deref()).ok();
    if let (Some(names), Some(evidence)) = (&variant.modes, evidence)
        && let Err(error) = manifest.option_modes(names, evidence)
    {
        diagnostics.push(at.diagnostic_for("modes", error.to_string()));
    }
    let schemes: Vec<FoldScheme> =
        [manifest.folds.scheme].into_iter().chain(manifest.folds.option.iter().map(|option| option.scheme)).collect();
    let scheme = *variant.folds.get_or_insert(manifest.folds.scheme);
    if !schemes.contains(&scheme) {
        let names = schemes.iter().map(name_of);
        diagnostics.push(at.diagnostic_for(
            "fold_scheme",
            format!("not available: available are {}", names.collect::<Vec<_>>().join(", ")),
        ));
    }
    let negatives: Vec<_> =
        [manifest.negatives.scheme].into_iter().chain(manifest.negatives.option.iter().copied()).collect();
    let scheme = *variant.negatives.get_or_insert(manifest.negatives.scheme);
    if !negatives.contains(&scheme) {
        let names = negatives.iter().map(name_of);
        diagnostics.push(at.diagnostic_for(
            "negatives",
            format!("not available: available are {}", names.collect::<Vec<_>>().join(", ")),
        ));
    }
    variant
}

/// Returns the serialized name of a value.
fn name_of(value: &impl serde::Serialize) -> String {
    let name = serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned));
    format!("`{}`", name.unwrap_or_default())
}

/// Checks the number of folds against predefined folds and the minimum of random ones.
fn check_folds(
    at: &ListedDataset<'_>,
    source: &DatasetRef,
    folds: Option<&Item>,
    diagnostics: &mut Vec<SpecDiagnostic>,
) {
    let (Some(item), Some(scheme)) = (folds, source.fold_scheme()) else { return };
    let Some(count) = item.whole() else { return };
    let path = if at.own.contains_key("folds") { join(&at.section(), "folds") } else { "folds".to_owned() };
    let given = source.known_folds();
    let reason = match scheme {
        FoldScheme::Given if given.is_some_and(|given| given as u64 != count) => {
            let given = given.unwrap_or_default();
            format!(
                "`{}` has {given} predefined folds: write `[dataset.{}] folds = {given}`, or remove the number",
                at.name, at.name
            )
        }
        FoldScheme::Random if count < 2 => "must be at least 2, to train on one fold and test on the other".to_owned(),
        _ => return,
    };
    diagnostics.push(SpecDiagnostic::new(&item.place, path, reason).with(item.value.inline()));
}

fn expected(table: &RawTable, parts: &[ExperimentDataset], diagnostics: &mut Vec<SpecDiagnostic>) -> Vec<ExpectedMean> {
    let common = table.get("tolerance").and_then(Item::number);
    let rows = table.get("rows").map_or(&[][..], Item::items).iter().enumerate();
    rows.filter_map(|(i, item)| expected_row(item, &format!("expected.rows[{i}]"), common, parts, diagnostics))
        .collect()
}

fn expected_row(
    item: &Item,
    path: &str,
    common: Option<f64>,
    parts: &[ExperimentDataset],
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<ExpectedMean> {
    let table = item.table()?;
    let get = |key: &str| table.get(key).and_then(Item::text);
    let (dataset, model) = (get("dataset")?, get("model")?);
    let reported: Vec<String> = diagnostics.iter().map(|diagnostic| diagnostic.path.clone()).collect();
    let mut report = |key: &str, reason: String| {
        // A value that is out of range was removed, and is not missing.
        if reported.contains(&join(path, key)) {
            return;
        }
        let place = table.get(key).map_or(&item.place, |item| &item.place);
        let diagnostic = SpecDiagnostic::new(place, join(path, key), reason);
        diagnostics.push(match table.get(key) {
            Some(item) => diagnostic.with(item.value.inline()),
            None => diagnostic,
        });
    };
    let names: Vec<&str> = parts.iter().map(|part| part.source.name.as_str()).collect();
    let Some(part) = parts.iter().find(|part| part.source.name == dataset) else {
        let hint = did_you_mean(dataset, names.iter().copied());
        report("dataset", format!("unknown dataset: {hint}the experiment has {}", listed(names)));
        return None;
    };
    // Without rows, an invalid model or parameter was reported at its own location.
    if part.rows.is_empty() {
        return None;
    }
    let rows: Vec<&ModelConfig> = part.rows.iter().filter(|row| row.model == model).collect();
    if rows.is_empty() {
        let mut names: Vec<&str> = part.rows.iter().map(|row| row.model.as_str()).collect();
        names.dedup();
        let hint = did_you_mean(model, names.iter().copied());
        report("model", format!("unknown model: {hint}the experiment has {}", listed(names)));
        return None;
    }
    let preset = get("preset").and_then(|name| Preset::find(name).ok());
    let presets: Vec<Option<Preset>> = rows.iter().map(|row| row.preset).collect();
    // Defaults to the only preset of the model.
    let preset = preset.or_else(|| presets.iter().all(|preset| *preset == presets[0]).then_some(presets[0])?);
    let rows: Vec<&ModelConfig> = rows.into_iter().filter(|row| row.preset == preset).collect();
    if rows.is_empty() {
        let own: Vec<&str> =
            Preset::ALL.iter().filter(|(_, known)| presets.contains(&Some(*known))).map(|p| p.0).collect();
        let what = if preset.is_none() { "missing: " } else { "" };
        report("preset", format!("{what}the presets of the model are {}", listed(own)));
        return None;
    }
    let case = get("case").unwrap_or_default();
    let cases: Vec<String> = rows.iter().map(|row| super::super::job::case_text(&row.settings)).collect();
    if !cases.iter().any(|known| known == case) {
        let known: Vec<&str> = cases.iter().map(String::as_str).filter(|case| !case.is_empty()).collect();
        let hint = did_you_mean(case, known.iter().copied());
        report("case", format!("unknown case: {hint}the cases are {}", listed(known)));
        return None;
    }
    let Some(tolerance) = table.get("tolerance").and_then(Item::number).or(common) else {
        report("tolerance", "missing: give one here, or one for all rows in [expected]".to_owned());
        return None;
    };
    Some(ExpectedMean {
        dataset: dataset.to_owned(),
        model: model.to_owned(),
        preset,
        case: case.to_owned(),
        metric: get("metric").and_then(Column::named)?,
        mean: table.get("mean").and_then(Item::number)?,
        tolerance,
    })
}
