//! `[multiverse]` of a spec: named choices, each a list of alternatives, and the universes drawn
//! from their product.
//!
//! Draws are made once for the experiment, so that the same draw can be compared over datasets and
//! models. A dataset realizes a draw with the alternatives it offers, and a model with the choices
//! that affect it.

use std::sync::Arc;

use super::super::dataset_ref::DatasetRef;
use super::super::job::UNIVERSE;
use super::diagnostic::{SpecDiagnostic, SpecLocation, listed};
use super::draw::{Draw, MAX_ENUMERATED, Product, least_used};
use super::experiment::ModelConfig;
use super::format::{self, MAX_JOBS};
use super::models::{self, Choice, Model};
use super::offer::{DataSettings, apply};
use super::parameter::RawParameter;
use super::raw::{Item, RawTable};
use super::shape::join;
use super::universe::{Area, Evaluation, EvaluationChoice, LeftOut, Multiverse, Pooling, Realized, UniverseChoice};
use crate::determinism::{HashSet, IndexMap, Stream};
use crate::files::digest;
use crate::learn::Preset;
use crate::learn::params::{ParamError, Value};
use crate::logic::nearest::did_you_mean;

/// Digits of the name of a universe: 48 bits keep 10^5 universes apart.
const NAME_DIGITS: usize = 12;

/// The validated section.
pub struct MultiverseSpec {
    choices: Vec<ChoiceSpec>,
    evaluations: Vec<EvaluationChoice>,
    excluded: Vec<Vec<(usize, usize)>>,
    /// Draws of the product of all choices.
    draws: Vec<Draw>,
    /// Number of universes of each model; all of them without a number.
    samples: Vec<Option<usize>>,
    seed: u64,
    published: Option<String>,
    tables: Vec<String>,
}

/// A choice that changes jobs.
struct ChoiceSpec {
    name: String,
    stated: String,
    /// Whether it applies to each model.
    models: Vec<bool>,
    /// Datasets it applies to; `None` for all.
    datasets: Option<Vec<String>>,
    alternatives: Vec<Alternative>,
}

struct Alternative {
    /// Parameters, negatives and arity, as for a case of a sweep.
    choice: Choice,
    data: DataSettings,
    datasets: Option<Vec<String>>,
}

/// The names that the section may refer to.
pub struct Context<'a> {
    /// The models.
    pub models: &'a [Model],
    /// Whether all models could be read.
    pub complete: bool,
    /// The presets of the experiment.
    pub presets: &'a [Preset],
    /// The datasets.
    pub datasets: &'a [&'a str],
    /// Seed of the draws.
    pub seed: u64,
}

/// Reads `[multiverse]`; `None` without one, or if it is invalid.
pub fn read(
    item: Option<&Item>,
    context: &Context<'_>,
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<MultiverseSpec> {
    let item = item?;
    let table = item.table()?;
    let before = diagnostics.len();
    let (mut choices, mut evaluations) = (Vec::new(), Vec::new());
    let mut names: HashSet<String> = HashSet::default();
    for (i, choice) in table.get("choice").map_or(&[][..], Item::items).iter().enumerate() {
        let path = format!("multiverse.choice[{i}]");
        let Some(of_choice) = choice.table() else { continue };
        let Some(name) = of_choice.get("name").and_then(Item::text) else { continue };
        if !names.insert(name.to_ascii_lowercase()) || name == UNIVERSE {
            let reason = format!("another choice has this name, or it is `{UNIVERSE}`: choose another");
            diagnostics.push(SpecDiagnostic::new(&choice.place, join(&path, "name"), reason));
            continue;
        }
        match read_choice(of_choice, name, &path, &choice.place, context, diagnostics) {
            Some(ReadChoice::OfJobs(choice)) => choices.push(choice),
            Some(ReadChoice::OfScores(choice)) => evaluations.push(choice),
            None => {}
        }
    }
    if context.models.iter().any(|model| models::presets_of(context.models, model, context.presets).len() > 1) {
        let reason = "a multiverse needs one preset per model: remove `presets`, or list one";
        diagnostics.push(SpecDiagnostic::new(&item.place, "multiverse", reason));
    }
    let excluded = exclusions(table, &choices, diagnostics);
    let samples = samples(table, context, diagnostics);
    if diagnostics.len() > before {
        return None;
    }
    let draws = draws(&choices, &excluded, &samples, context.seed, &item.place, diagnostics)?;
    let text = |key: &str| table.get(key).and_then(Item::text).map(str::to_owned);
    let tables = table.get("tables").map_or(&[][..], Item::items);
    Some(MultiverseSpec {
        choices,
        evaluations,
        excluded,
        draws,
        samples,
        seed: context.seed,
        published: text("published"),
        tables: tables.iter().filter_map(|item| item.text().map(str::to_owned)).collect(),
    })
}

enum ReadChoice {
    OfJobs(ChoiceSpec),
    OfScores(EvaluationChoice),
}

fn read_choice(
    table: &RawTable,
    name: &str,
    path: &str,
    place: &SpecLocation,
    context: &Context<'_>,
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<ReadChoice> {
    let stated = table.get("stated").and_then(Item::text).unwrap_or_default().to_owned();
    let items = table.get("alternatives").map_or(&[][..], Item::items);
    let (mut alternatives, mut evaluations) = (Vec::new(), Vec::new());
    let mut names: HashSet<String> = HashSet::default();
    let mut changes_jobs = false;
    for (i, item) in items.iter().enumerate() {
        let (table, path) = (item.table()?, format!("{path}.alternatives[{i}]"));
        let own = table.get("name").and_then(Item::text)?.to_owned();
        if !names.insert(own.to_ascii_lowercase()) {
            let reason = "another alternative has the same name";
            diagnostics.push(SpecDiagnostic::new(&item.place, join(&path, "name"), reason));
        }
        let text = |key: &str| table.get(key).and_then(Item::text);
        let evaluation = Evaluation {
            area: text("area").and_then(|name| find(&Area::ALL, name)),
            pooling: text("pooling").and_then(|name| find(&Pooling::ALL, name)),
        };
        evaluations.push((own.clone(), evaluation));
        let parameters = models::parameters(table, &path, &format::ALTERNATIVE);
        for parameter in &parameters {
            models::check_for_choice(parameter, context.models, context.complete, diagnostics);
        }
        let data = DataSettings::read(table);
        let choice = Choice {
            place: item.place.clone(),
            label: (name.to_owned(), own),
            parameters,
            negatives_per_positive: data.negatives_per_positive,
            arity: None,
            train_fraction: None,
            path: path.clone(),
        };
        let of_scores = evaluation != Evaluation::default();
        let of_jobs = !choice.parameters.is_empty() || data != DataSettings::default();
        if of_scores && of_jobs {
            let reason = "`area` and `pooling` are evaluated from scores and cannot be combined with other keys: use a choice of their own";
            diagnostics.push(SpecDiagnostic::new(&item.place, path.as_str(), reason));
        }
        changes_jobs |= of_jobs;
        let datasets = names_of(table, "datasets", &path, context.datasets, diagnostics);
        alternatives.push(Alternative { choice, data, datasets });
    }
    if items.len() < 2 {
        let reason = "must list at least two alternatives";
        diagnostics.push(SpecDiagnostic::new(place, join(path, "alternatives"), reason));
        return None;
    }
    let is_evaluated = evaluations.iter().any(|(_, evaluation)| *evaluation != Evaluation::default());
    if is_evaluated && changes_jobs {
        let reason = "some alternatives change jobs and others the evaluation of scores: split the choice in two";
        diagnostics.push(SpecDiagnostic::new(place, path, reason));
        return None;
    }
    let known: Vec<&str> = context.models.iter().map(|model| model.name.as_str()).collect();
    let only = names_of(table, "models", path, &known, diagnostics);
    let datasets = names_of(table, "datasets", path, context.datasets, diagnostics);
    if is_evaluated {
        return Some(ReadChoice::OfScores(EvaluationChoice {
            name: name.to_owned(),
            stated,
            alternatives: evaluations,
        }));
    }
    let applies = |model: &Model| {
        let is_listed = |name: &str| only.as_ref().is_none_or(|only| only.iter().any(|other| other == name));
        let of_ensemble = model.from.is_some_and(|from| is_listed(&context.models[from].name));
        let has = |alternative: &Alternative| {
            alternative.data != DataSettings::default()
                || alternative.choice.parameters.iter().any(|p| models::has_parameter(context.models, model, &p.key))
        };
        (is_listed(&model.name) || of_ensemble) && alternatives.iter().any(has)
    };
    let of_models = context.models.iter().map(applies).collect();
    Some(ReadChoice::OfJobs(ChoiceSpec { name: name.to_owned(), stated, models: of_models, datasets, alternatives }))
}

fn find<T: Copy>(named: &[(&str, T)], name: &str) -> Option<T> {
    named.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// Reads a list of names that must be known; `None` without the key.
fn names_of(
    table: &RawTable,
    key: &str,
    path: &str,
    known: &[&str],
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<Vec<String>> {
    let items = table.get(key)?.items();
    let mut names = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let Some(name) = item.text() else { continue };
        if !known.contains(&name) {
            let hint = did_you_mean(name, known.iter().copied());
            let reason = format!("unknown name: {hint}the experiment has {}", listed(known.iter().copied()));
            diagnostics.push(
                SpecDiagnostic::new(&item.place, format!("{}[{i}]", join(path, key)), reason).with(item.value.inline()),
            );
        }
        names.push(name.to_owned());
    }
    Some(names)
}

/// Reads `exclude`: combinations of alternatives that do not occur.
fn exclusions(
    table: &RawTable,
    choices: &[ChoiceSpec],
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Vec<Vec<(usize, usize)>> {
    let mut excluded = Vec::new();
    for (i, item) in table.get("exclude").map_or(&[][..], Item::items).iter().enumerate() {
        let path = format!("multiverse.exclude[{i}]");
        let mut pairs = Vec::new();
        for (name, value) in item.table().into_iter().flatten() {
            let mut report = |reason: String| {
                let diagnostic = SpecDiagnostic::new(&value.place, join(&path, name), reason);
                diagnostics.push(diagnostic.with(value.value.inline()));
            };
            let Some(choice) = choices.iter().position(|choice| choice.name == *name) else {
                let known = choices.iter().map(|choice| choice.name.as_str());
                report(format!("unknown choice; expected one of {}", listed(known)));
                continue;
            };
            let wanted = match value.scalar() {
                Some(Value::Text(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            };
            let names = || choices[choice].alternatives.iter().map(|alternative| alternative.choice.label.1.as_str());
            match names().position(|name| name == wanted) {
                Some(alternative) => pairs.push((choice, alternative)),
                None => report(format!("unknown alternative; expected one of {}", listed(names()))),
            }
        }
        if pairs.len() == 1 {
            let reason = "must name alternatives of at least two choices: remove the alternative itself instead";
            diagnostics.push(SpecDiagnostic::new(&item.place, path, reason));
        }
        excluded.push(pairs);
    }
    excluded
}

/// Reads `sample` and `samples`: the number of universes of each model.
fn samples(table: &RawTable, context: &Context<'_>, diagnostics: &mut Vec<SpecDiagnostic>) -> Vec<Option<usize>> {
    let whole = |item: &Item| item.whole().filter(|n| (1..=MAX_JOBS as u64).contains(n)).map(|n| n as usize);
    let common = table.get("sample").and_then(whole);
    let empty = RawTable::default();
    let own = table.get("samples").and_then(Item::table).unwrap_or(&empty);
    for (name, item) in own {
        let path = join("multiverse.samples", name);
        if !context.models.iter().any(|model| model.name == *name) {
            let known = context.models.iter().map(|model| model.name.as_str());
            let reason = format!("unknown model; the experiment has {}", listed(known));
            diagnostics.push(SpecDiagnostic::new(&item.place, path, reason));
        } else if whole(item).is_none() {
            let reason = format!("must be a whole number from 1 to {MAX_JOBS}");
            diagnostics.push(SpecDiagnostic::new(&item.place, path, reason).with(item.value.inline()));
        }
    }
    context.models.iter().map(|model| own.get(&model.name).and_then(whole).or(common)).collect()
}

fn draws(
    choices: &[ChoiceSpec],
    excluded: &[Vec<(usize, usize)>],
    samples: &[Option<usize>],
    seed: u64,
    place: &SpecLocation,
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<Vec<Draw>> {
    let sizes: Vec<usize> = choices.iter().map(|choice| choice.alternatives.len()).collect();
    let product = Product { sizes: &sizes, excluded };
    let wanted = samples.iter().copied().collect::<Option<Vec<usize>>>();
    match wanted.and_then(|samples| samples.into_iter().max()) {
        // Draws that a dataset cannot tell apart count once, so more are made than universes.
        Some(largest) => Some(product.sample(2 * largest + 16, seed)),
        None if product.size() <= MAX_ENUMERATED.min(MAX_JOBS) => Some(product.all()),
        None => {
            let reason = format!(
                "the choices have {} combinations, at most {MAX_JOBS} are run: set `sample` to draw some of them",
                product.size()
            );
            diagnostics.push(SpecDiagnostic::new(place, "multiverse", reason));
            None
        }
    }
}

impl MultiverseSpec {
    /// Iterates over the parameters that choices set.
    pub fn parameters(&self) -> impl Iterator<Item = &RawParameter> {
        self.choices
            .iter()
            .flat_map(|choice| &choice.alternatives)
            .flat_map(|alternative| &alternative.choice.parameters)
    }

    /// Returns whether a choice sets the arity.
    pub fn varies_arity(&self) -> bool {
        let mut alternatives = self.choices.iter().flat_map(|choice| &choice.alternatives);
        alternatives.any(|alternative| alternative.data.arity.is_some())
    }

    /// Returns the description that reports need.
    pub fn multiverse(&self) -> Multiverse {
        let choice = |choice: &ChoiceSpec| UniverseChoice {
            name: choice.name.clone(),
            stated: choice.stated.clone(),
            alternatives: choice.alternatives.iter().map(|one| one.choice.label.1.clone()).collect(),
        };
        Multiverse {
            choices: self.choices.iter().map(choice).collect(),
            evaluations: self.evaluations.clone(),
            draws: self.draws.clone(),
            published: self.published.clone().map(Into::into),
            tables: self.tables.clone(),
            left_out: Vec::new(),
            realized: Vec::new(),
        }
    }

    /// Returns the rows of a dataset, and enters its universes into the description.
    ///
    /// # Errors
    /// If a parameter is invalid, which was reported at its own location.
    pub fn rows(
        &self,
        part: &DatasetContext<'_>,
        models: &[Model],
        presets: &[Preset],
        multiverse: &mut Multiverse,
    ) -> Result<Vec<ModelConfig>, ParamError> {
        let name = part.source.name.as_str();
        let offers = self.offers(part.source, &mut multiverse.left_out);
        let draws = self.realize(&offers, name);
        let mut sources = SourceCache::new(part);
        let mut rows = Vec::new();
        for (m, model) in models.iter().enumerate() {
            let preset = models::presets_of(models, model, presets).first().copied().flatten();
            let applied: Vec<usize> =
                (0..self.choices.len()).filter(|&c| self.choices[c].models[m] && !offers[c].is_empty()).collect();
            let varied: Vec<usize> = applied.iter().copied().filter(|&c| offers[c].len() > 1).collect();
            let mut seen: HashSet<String> = HashSet::default();
            let mut universes = Vec::new();
            for draw in &draws {
                if self.samples[m].is_some_and(|wanted| seen.len() >= wanted) {
                    break;
                }
                let Some(draw) = draw else {
                    universes.push(None);
                    continue;
                };
                let universe = self.universe_name(&varied, draw);
                universes.push(Some(universe.clone()));
                if !seen.insert(universe.clone()) {
                    continue;
                }
                let chosen: Vec<&Alternative> =
                    applied.iter().map(|&c| &self.choices[c].alternatives[draw[c]]).collect();
                let choices: Vec<&Choice> = chosen.iter().map(|alternative| &alternative.choice).collect();
                let mut row = models::row(models, model, preset, &choices, part.parameters, self.seed)?;
                let mut settings: IndexMap<String, String> = IndexMap::default();
                settings.insert(UNIVERSE.to_owned(), universe);
                let label = |&c: &usize| self.choices[c].alternatives[draw[c]].choice.label.clone();
                settings.extend(varied.iter().map(label));
                row.settings = settings;
                let data: Vec<&DataSettings> = chosen.iter().map(|alternative| &alternative.data).collect();
                row.seed = data.iter().rev().find_map(|data| data.seed);
                row.folds = data.iter().rev().find_map(|data| data.folds);
                let (source, folds) = sources.of(&data);
                row.folds = row.folds.or(folds);
                row.source = source;
                rows.push(row);
            }
            multiverse.realized.push(Realized {
                dataset: name.to_owned(),
                model: model.name.clone(),
                varied,
                universes,
            });
        }
        Ok(rows)
    }

    /// Returns the alternatives that a dataset offers, by choice.
    fn offers(&self, source: &DatasetRef, left_out: &mut Vec<LeftOut>) -> Vec<Vec<usize>> {
        let is_named = |names: &Option<Vec<String>>| names.as_ref().is_none_or(|names| names.contains(&source.name));
        let mut offers = Vec::new();
        for choice in &self.choices {
            let mut offered = Vec::new();
            for (k, alternative) in choice.alternatives.iter().enumerate() {
                let reason = if !is_named(&choice.datasets) {
                    Some("the choice is not made for this dataset".to_owned())
                } else if !is_named(&alternative.datasets) {
                    Some("the alternative is not run on this dataset".to_owned())
                } else {
                    apply(source, &[&alternative.data]).err()
                };
                match reason {
                    None => offered.push(k),
                    Some(reason) => left_out.push(LeftOut {
                        dataset: source.name.clone(),
                        choice: choice.name.clone(),
                        alternative: alternative.choice.label.1.clone(),
                        reason,
                    }),
                }
            }
            offers.push(offered);
        }
        offers
    }

    /// Replaces the alternatives of each draw that a dataset does not offer by its least used ones;
    /// `None` if every replacement is excluded.
    fn realize(&self, offers: &[Vec<usize>], dataset: &str) -> Vec<Option<Draw>> {
        let mut stream = Stream::new(self.seed, &["multiverse", dataset]);
        let sizes: Vec<usize> = self.choices.iter().map(|choice| choice.alternatives.len()).collect();
        let product = Product { sizes: &sizes, excluded: &self.excluded };
        let mut counts: Vec<Vec<usize>> = sizes.iter().map(|&size| vec![0; size]).collect();
        let mut realized = Vec::with_capacity(self.draws.len());
        for draw in &self.draws {
            let kept = draw.iter().enumerate().map(|(c, k)| offers[c].contains(k).then_some(*k));
            let mut partial: Vec<Option<usize>> = kept.collect();
            for c in 0..draw.len() {
                if partial[c].is_some() || offers[c].is_empty() {
                    continue;
                }
                // The reference draw takes the first alternative that is offered.
                let of_offer: Vec<usize> = offers[c].iter().map(|&k| counts[c][k]).collect();
                let fits = |position: usize| {
                    let mut draw = partial.clone();
                    draw[c] = Some(offers[c][position]);
                    !product.is_excluded(&draw)
                };
                let position = match realized.is_empty() {
                    true => (0..of_offer.len()).find(|&position| fits(position)),
                    false => least_used(&of_offer, &mut stream, fits),
                };
                partial[c] = position.map(|position| offers[c][position]);
            }
            let is_complete = (0..draw.len()).all(|c| partial[c].is_some() || offers[c].is_empty());
            let draw: Option<Draw> = is_complete.then(|| partial.into_iter().map(Option::unwrap_or_default).collect());
            if let Some(draw) = &draw {
                draw.iter().zip(&mut counts).for_each(|(&k, counts)| counts[k] += 1);
            }
            realized.push(draw);
        }
        realized
    }

    /// Returns the name of a universe: a hash of its alternatives.
    fn universe_name(&self, varied: &[usize], draw: &[usize]) -> String {
        let mut text = String::new();
        for &c in varied {
            let (choice, alternative) = &self.choices[c].alternatives[draw[c]].choice.label;
            text += &format!("{choice}={alternative}\n");
        }
        digest::sha256(text.as_bytes()).get(..NAME_DIGITS).unwrap_or_default().to_owned()
    }
}

/// A dataset of the experiment.
pub struct DatasetContext<'a> {
    /// The dataset without any choice.
    pub source: &'a Arc<DatasetRef>,
    /// Number of folds of the spec.
    pub folds: Option<usize>,
    /// Parameters that the dataset sets.
    pub parameters: &'a [RawParameter],
}

/// The variants of a dataset, each with its number of folds, shared by the rows that use them.
struct SourceCache<'a> {
    part: &'a DatasetContext<'a>,
    variants: Vec<(Arc<DatasetRef>, Option<usize>)>,
}

impl<'a> SourceCache<'a> {
    fn new(part: &'a DatasetContext<'a>) -> Self {
        SourceCache {
            part,
            variants: vec![(Arc::clone(part.source), part.folds.or_else(|| part.source.known_folds()))],
        }
    }

    /// Returns the variant with these settings, `None` for the dataset itself, and its folds.
    fn of(&mut self, data: &[&DataSettings]) -> (Option<Arc<DatasetRef>>, Option<usize>) {
        // Offers were checked one by one; settings that exclude each other fail when the data are
        // opened, which is a failed job.
        let Ok(source) = apply(self.part.source, data) else { return (None, None) };
        let place = self.variants.iter().position(|(known, _)| known.variant == source.variant);
        let place = place.unwrap_or_else(|| {
            let changed = source.fold_scheme() != self.part.source.fold_scheme();
            let own = source.known_folds();
            let folds = if changed { own.or(self.part.folds) } else { self.part.folds.or(own) };
            self.variants.push((Arc::new(source), folds));
            self.variants.len() - 1
        });
        let (source, folds) = &self.variants[place];
        ((place > 0).then(|| Arc::clone(source)), *folds)
    }
}
