//! From what was written to an experiment: every name known, every choice on offer, every value allowed.

use std::path::Path;
use std::sync::Arc;

use super::super::dataset_ref::DatasetRef;
use super::super::job::Limits;
use super::diagnostic::{Mistake, Place, did_you_mean, listed};
use super::experiment::{Compare, Expected, Experiment, Part, Row};
use super::format;
use super::models::{self, Axis, Model};
use super::raw::{Item, Table};
use super::shape::{self, join};
use super::slurm::SlurmSettings;
use super::units;
use crate::data::dataset::{TimeUse, Variant};
use crate::data::generate::{Domain, GeneratorSettings};
use crate::data::manifest::{FoldScheme, Manifest};
use crate::determinism::HashSet;
use crate::learn::Preset;
use crate::learn::params::Value;
use crate::metric::Column;

/// The seed of a spec that names none.
const SEED: u64 = 20_200_120;
/// Negatives beside each positive, as in the paper.
const NEGATIVES_PER_POSITIVE: f64 = 2.0;

/// What is asked of directories with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// They must be there.
    IsHere,
    /// They were there when the experiment was run.
    MayBeGone,
}

/// The experiment that a table describes; `None` if something was wrong.
pub fn check(written: &Table, data: Data, mistakes: &mut Vec<Mistake>) -> Option<Experiment> {
    let table = shape::check(written, &format::TOP, "", &Place::Line(1), mistakes);
    let items = |key: &str| table.get(key).map_or(&[][..], Item::items);
    let models = models::read(items("model"), mistakes);
    let presets: Vec<Preset> = items("presets").iter().filter_map(|item| Preset::find(item.text()?).ok()).collect();
    twice(items("presets"), "presets", mistakes);
    let empty = Table::default();
    let inner = |key: &str| table.get(key).and_then(Item::table).unwrap_or(&empty);
    // What a model lacks can be said only if all of them could be read.
    let complete = models.len() == items("model").len();
    let axes = models::sweep(inner("sweep"), &models, complete, mistakes);
    let seeds = seeds(&table, mistakes);
    // What is far too much is not even counted out.
    let rows = models::count(&models, &presets, &axes);
    let least = rows.saturating_mul(seeds.len().max(1)).saturating_mul(items("datasets").len().max(1));
    let place = table.get("sweep").map_or(Place::Line(1), |item| item.place.clone());
    let axes = if too_many(least, &place, mistakes) { Vec::new() } else { axes };
    let datasets = datasets(&table, data, &models, complete, &presets, &axes, mistakes);
    let folds = |part: &Part| part.folds.or_else(|| part.source.known_folds()).unwrap_or(1);
    let jobs = datasets.iter().map(|part| part.rows.len().saturating_mul(folds(part)).saturating_mul(seeds.len()));
    if least <= MOST_JOBS {
        too_many(jobs.fold(0, usize::saturating_add), &place, mistakes);
    }
    let experiment = Experiment {
        name: text(&table, "name"),
        about: text(&table, "about"),
        seeds,
        expected: expected(inner("expected"), &datasets, mistakes),
        datasets,
        compare: Compare {
            paper: inner("compare").get("paper").and_then(Item::text).map(str::to_owned),
            tests: texts(inner("compare").get("tests")),
        },
        limits: Limits {
            time: table.get("time_limit").and_then(Item::scalar).and_then(units::time),
            memory_bytes: table.get("memory_limit").and_then(Item::scalar).and_then(units::memory),
        },
        slurm: SlurmSettings::default().with(inner("slurm")),
        frozen: String::new(),
    };
    mistakes.is_empty().then_some(experiment)
}

/// The most jobs that an experiment may have.
pub const MOST_JOBS: usize = 100_000;

fn too_many(jobs: usize, place: &Place, mistakes: &mut Vec<Mistake>) -> bool {
    if jobs > MOST_JOBS {
        let reason = format!(
            "the experiment would have {jobs} jobs or more, and {MOST_JOBS} are the most: give fewer seeds, folds or values, or several specs"
        );
        mistakes.push(Mistake::new(place, "", reason));
    }
    jobs > MOST_JOBS
}

fn text(table: &Table, key: &str) -> String {
    table.get(key).and_then(Item::text).unwrap_or_default().to_owned()
}

fn texts(item: Option<&Item>) -> Vec<String> {
    item.map_or(&[][..], Item::items).iter().filter_map(|item| item.text().map(str::to_owned)).collect()
}

/// Refuses a value that stands in a list twice.
fn twice(items: &[Item], path: &str, mistakes: &mut Vec<Mistake>) {
    let mut seen: HashSet<String> = HashSet::default();
    for (i, item) in items.iter().enumerate() {
        if !seen.insert(item.value.inline().to_lowercase()) {
            let reason = "this is in the list twice";
            mistakes.push(Mistake::new(&item.place, format!("{path}[{i}]"), reason).with(item.value.inline()));
        }
    }
}

fn seeds(table: &Table, mistakes: &mut Vec<Mistake>) -> Vec<u64> {
    match (table.get("seed"), table.get("seeds")) {
        (Some(seed), Some(_)) => {
            mistakes.push(Mistake::new(&seed.place, "seed", "there are `seeds` as well: leave one of them out"));
            Vec::new()
        }
        (Some(seed), None) => seed.whole().into_iter().collect(),
        (None, Some(seeds)) => {
            twice(seeds.items(), "seeds", mistakes);
            seeds.items().iter().filter_map(Item::whole).collect()
        }
        (None, None) => vec![SEED],
    }
}

fn datasets(
    table: &Table,
    data: Data,
    models: &[Model],
    complete: bool,
    presets: &[Preset],
    axes: &[Axis],
    mistakes: &mut Vec<Mistake>,
) -> Vec<Part> {
    let empty = Table::default();
    let own = table.get("dataset").and_then(Item::table).unwrap_or(&empty);
    let listed_items = table.get("datasets").map_or(&[][..], Item::items);
    twice(listed_items, "datasets", mistakes);
    let names: Vec<&str> = listed_items.iter().filter_map(Item::text).collect();
    for (name, item) in own.iter().filter(|(name, _)| !names.contains(&name.as_str())) {
        let hint = did_you_mean(name, names.iter().copied());
        let reason = format!("`datasets` does not list it: {hint}listed are {}", listed(names.iter().copied()));
        mistakes.push(Mistake::new(&item.place, join("dataset", name), reason));
    }
    let mut parts = Vec::new();
    for (i, item) in listed_items.iter().enumerate() {
        let Some(name) = item.text() else { continue };
        let of_dataset = own.get(name).and_then(Item::table).unwrap_or(&empty);
        let at = Entry { name, place: &item.place, path: format!("datasets[{i}]"), own: of_dataset, data };
        let Some(source) = source(&at, table, axes, mistakes) else { continue };
        let parameters = models::parameters(of_dataset, &at.section());
        parameters.iter().for_each(|parameter| models::check_for_dataset(parameter, models, complete, axes, mistakes));
        let first = |key: &str| of_dataset.get(key).or_else(|| table.get(key));
        let folds = first("folds");
        check_folds(&at, &source, folds, mistakes);
        // A parameter that is not allowed was reported where it stands.
        let rows: Vec<Row> = models::rows(models, presets, axes, &parameters).unwrap_or_default();
        parts.push(Part {
            source: Arc::new(source),
            folds: folds.and_then(Item::whole).map(|n| n as usize),
            negatives_per_positive: first("negatives_per_positive")
                .and_then(Item::number)
                .unwrap_or(NEGATIVES_PER_POSITIVE),
            rows,
        });
    }
    parts
}

/// A dataset of the list, and the table about it.
struct Entry<'a> {
    name: &'a str,
    place: &'a Place,
    path: String,
    own: &'a Table,
    data: Data,
}

impl Entry<'_> {
    fn section(&self) -> String {
        join("dataset", self.name)
    }

    fn wrong(&self, key: &str, reason: impl Into<String>) -> Mistake {
        let place = self.own.get(key).map_or(self.place, |item| &item.place);
        let value = self.own.get(key).map(|item| item.value.inline()).unwrap_or_default();
        Mistake::new(place, join(&self.section(), key), reason).with(value)
    }
}

fn source(at: &Entry<'_>, table: &Table, axes: &[Axis], mistakes: &mut Vec<Mistake>) -> Option<DatasetRef> {
    let id = at.own.get("id").and_then(Item::text).unwrap_or(at.name).to_owned();
    let (manifest, domain) = (Manifest::find(&id).ok(), Domain::find(&id).ok());
    let is_directory = at.data == Data::MayBeGone || Path::new(&id).is_dir();
    if manifest.is_none() && domain.is_none() && !is_directory {
        mistakes.push(unknown_dataset(at, &id));
        return None;
    }
    let own = |key: &str| at.own.get(key).and_then(Item::text);
    let arity = own("arity").or_else(|| table.get("arity").and_then(Item::text));
    let variant = Variant {
        evidence: own("evidence").map(str::to_owned),
        arity: arity.and_then(format::arity).unwrap_or_default(),
        reflexive: own("reflexive").and_then(format::reflexive).unwrap_or_default(),
        drop_shared: matches!(at.own.get("drop_shared").and_then(Item::scalar), Some(Value::Bool(true))),
        negatives: own("negatives").and_then(format::negative_scheme),
        folds: own("fold_scheme").and_then(format::fold_scheme),
        time: own("time").and_then(format::time_use).unwrap_or_default(),
        classes: matches!(at.own.get("classes").and_then(Item::scalar), Some(Value::Bool(true))),
        class_size: at.own.get("class_size").and_then(Item::whole).unwrap_or(0) as u32,
    };
    let has_times = manifest.is_some_and(|manifest| manifest.time.is_some())
        || domain.is_some_and(|domain| domain.info().time.is_some());
    if variant.time == TimeUse::Ignore && !has_times {
        mistakes.push(at.wrong("time", "the dataset has no times: leave it out"));
    }
    if variant.class_size > 0 && !variant.classes {
        mistakes.push(at.wrong("class_size", "it goes with `classes = true`: add that, or leave it out"));
    }
    if variant.classes && domain.is_some() {
        mistakes.push(at.wrong("classes", "a generated domain has its target as it is: leave it out"));
    }
    let swept = |key: &str| {
        axes.iter().flat_map(|axis| &axis.choices).any(|choice| match key {
            "arity" => choice.arity.is_some(),
            _ => choice.negatives_per_positive.is_some(),
        })
    };
    for key in ["arity", "negatives_per_positive"].into_iter().filter(|key| at.own.contains_key(*key) && swept(key)) {
        mistakes.push(at.wrong(key, "the sweep varies this: a dataset cannot have its own value"));
    }
    let generated = generated(at, domain, mistakes);
    let variant = match manifest {
        Some(manifest) => offered(at, manifest, variant, mistakes),
        None => {
            if variant.evidence.is_some() {
                mistakes.push(at.wrong("evidence", "only published datasets have several: leave it out"));
            }
            variant
        }
    };
    Some(DatasetRef { name: at.name.to_owned(), id, variant, generated })
}

fn unknown_dataset(at: &Entry<'_>, id: &str) -> Mistake {
    let published = Manifest::built_in().iter().map(|manifest| manifest.id.as_str());
    let known: Vec<&str> = published.chain(Domain::ALL.map(|domain| domain.info().id)).collect();
    let hint = did_you_mean(id, known.iter().copied());
    let reason = format!(
        "no such dataset: {hint}known are {}, and any directory with files of examples and facts",
        listed(known.iter().copied())
    );
    match at.own.contains_key("id") {
        true => at.wrong("id", reason),
        false => Mistake::new(at.place, &at.path, reason).with(Value::Text(id.to_owned()).to_string()),
    }
}

/// How a generated domain is made.
fn generated(at: &Entry<'_>, domain: Option<Domain>, mistakes: &mut Vec<Mistake>) -> Option<GeneratorSettings> {
    let keys = ["scale", "noise", "data_seed"];
    let Some(domain) = domain else {
        for key in keys.iter().filter(|key| at.own.contains_key(**key)) {
            mistakes.push(at.wrong(key, "this is for generated domains, and the dataset is none: leave it out"));
        }
        return None;
    };
    let usual = domain.settings();
    let whole = |key: &str| at.own.get(key).and_then(Item::whole);
    let scale = whole("scale").map_or(usual.scale(), |scale| scale as u32);
    let noise = at.own.get("noise").and_then(Item::number).unwrap_or(usual.noise());
    let made = GeneratorSettings::new(scale, whole("data_seed").unwrap_or(usual.seed()), noise);
    made.map_err(|error| mistakes.push(at.wrong("scale", error.to_string()))).ok()
}

/// The variant with nothing left open, if the manifest offers it.
fn offered(at: &Entry<'_>, manifest: &Manifest, mut variant: Variant, mistakes: &mut Vec<Mistake>) -> Variant {
    match manifest.evidence(variant.evidence.as_deref()) {
        Ok(evidence) => variant.evidence = Some(evidence.name.clone()),
        Err(_) => {
            let known: Vec<&str> = manifest.evidence.iter().map(|evidence| evidence.name.as_str()).collect();
            let hint = did_you_mean(variant.evidence.as_deref().unwrap_or_default(), known.iter().copied());
            mistakes.push(at.wrong("evidence", format!("not on offer: {hint}there are {}", listed(known))));
        }
    }
    let schemes: Vec<FoldScheme> =
        [manifest.folds.scheme].into_iter().chain(manifest.folds.option.iter().map(|option| option.scheme)).collect();
    let scheme = *variant.folds.get_or_insert(manifest.folds.scheme);
    if !schemes.contains(&scheme) {
        let names = schemes.iter().map(name_of);
        mistakes
            .push(at.wrong("fold_scheme", format!("not on offer: there are {}", names.collect::<Vec<_>>().join(", "))));
    }
    let negatives: Vec<_> =
        [manifest.negatives.scheme].into_iter().chain(manifest.negatives.option.iter().copied()).collect();
    let scheme = *variant.negatives.get_or_insert(manifest.negatives.scheme);
    if !negatives.contains(&scheme) {
        let names = negatives.iter().map(name_of);
        mistakes
            .push(at.wrong("negatives", format!("not on offer: there are {}", names.collect::<Vec<_>>().join(", "))));
    }
    variant
}

/// The name that a value has in files.
fn name_of(value: &impl serde::Serialize) -> String {
    let name = serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned));
    format!("`{}`", name.unwrap_or_default())
}

/// Folds that are given cannot be other in number.
fn check_folds(at: &Entry<'_>, source: &DatasetRef, folds: Option<&Item>, mistakes: &mut Vec<Mistake>) {
    let (Some(item), Some(scheme)) = (folds, source.fold_scheme()) else { return };
    let Some(count) = item.whole() else { return };
    let path = if at.own.contains_key("folds") { join(&at.section(), "folds") } else { "folds".to_owned() };
    let given = source.known_folds();
    let reason = match scheme {
        FoldScheme::Given if given.is_some_and(|given| given as u64 != count) => {
            let given = given.unwrap_or_default();
            format!(
                "`{}` comes in {given} folds: write `[dataset.{}] folds = {given}`, or leave the number out",
                at.name, at.name
            )
        }
        FoldScheme::Random if count < 2 => "at least 2 are needed to train on one and test on the other".to_owned(),
        _ => return,
    };
    mistakes.push(Mistake::new(&item.place, path, reason).with(item.value.inline()));
}

fn expected(table: &Table, parts: &[Part], mistakes: &mut Vec<Mistake>) -> Vec<Expected> {
    let common = table.get("tolerance").and_then(Item::number);
    let rows = table.get("rows").map_or(&[][..], Item::items).iter().enumerate();
    rows.filter_map(|(i, item)| expected_row(item, &format!("expected.rows[{i}]"), common, parts, mistakes)).collect()
}

fn expected_row(
    item: &Item,
    path: &str,
    common: Option<f64>,
    parts: &[Part],
    mistakes: &mut Vec<Mistake>,
) -> Option<Expected> {
    let table = item.table()?;
    let get = |key: &str| table.get(key).and_then(Item::text);
    let (dataset, model) = (get("dataset")?, get("model")?);
    let reported: Vec<String> = mistakes.iter().map(|mistake| mistake.path.clone()).collect();
    let mut refuse = |key: &str, reason: String| {
        // What is out of range was taken out, and is not missing.
        if reported.contains(&join(path, key)) {
            return;
        }
        let place = table.get(key).map_or(&item.place, |item| &item.place);
        let mistake = Mistake::new(place, join(path, key), reason);
        mistakes.push(match table.get(key) {
            Some(item) => mistake.with(item.value.inline()),
            None => mistake,
        });
    };
    let names: Vec<&str> = parts.iter().map(|part| part.source.name.as_str()).collect();
    let Some(part) = parts.iter().find(|part| part.source.name == dataset) else {
        let hint = did_you_mean(dataset, names.iter().copied());
        refuse("dataset", format!("the experiment has no such dataset: {hint}it has {}", listed(names)));
        return None;
    };
    // Without rows, a model or a parameter was wrong, which was reported where it stands.
    if part.rows.is_empty() {
        return None;
    }
    let rows: Vec<&Row> = part.rows.iter().filter(|row| row.model == model).collect();
    if rows.is_empty() {
        let mut names: Vec<&str> = part.rows.iter().map(|row| row.model.as_str()).collect();
        names.dedup();
        let hint = did_you_mean(model, names.iter().copied());
        refuse("model", format!("the experiment has no such model: {hint}it has {}", listed(names)));
        return None;
    }
    let preset = get("preset").and_then(|name| Preset::find(name).ok());
    let presets: Vec<Option<Preset>> = rows.iter().map(|row| row.preset).collect();
    // Without one, the only preset there is.
    let preset = preset.or_else(|| presets.iter().all(|preset| *preset == presets[0]).then_some(presets[0])?);
    let rows: Vec<&Row> = rows.into_iter().filter(|row| row.preset == preset).collect();
    if rows.is_empty() {
        let own: Vec<&str> =
            Preset::ALL.iter().filter(|(_, known)| presets.contains(&Some(*known))).map(|p| p.0).collect();
        let what = if preset.is_none() { "missing: " } else { "" };
        refuse("preset", format!("{what}the presets of the model are {}", listed(own)));
        return None;
    }
    let case = get("case").unwrap_or_default();
    let cases: Vec<String> = rows.iter().map(|row| super::super::job::case_text(&row.settings)).collect();
    if !cases.iter().any(|known| known == case) {
        let known: Vec<&str> = cases.iter().map(String::as_str).filter(|case| !case.is_empty()).collect();
        let hint = did_you_mean(case, known.iter().copied());
        refuse("case", format!("no such case: {hint}there are {}", listed(known)));
        return None;
    }
    let Some(tolerance) = table.get("tolerance").and_then(Item::number).or(common) else {
        refuse("tolerance", "missing: give one here, or one for all rows in [expected]".to_owned());
        return None;
    };
    Some(Expected {
        dataset: dataset.to_owned(),
        model: model.to_owned(),
        preset,
        case: case.to_owned(),
        metric: get("metric").and_then(Column::named)?,
        mean: table.get("mean").and_then(Item::number)?,
        tolerance,
    })
}
