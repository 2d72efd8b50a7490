//! Provenance: programs, machines, dates and data.

use serde::Serialize;
use serde_json::Value as Json;

use crate::data::benchmark::Variant;
use crate::data::generate::Domain;
use crate::data::manifest::Manifest;
use crate::determinism::IndexMap;
use crate::experiment::Results;
use crate::experiment::store::{DatasetRecord, ExampleCounts, JobRecord, ProgramInfo};
use crate::logic::quantity::counted;

/// Programs and machines of a run.
#[derive(Serialize)]
pub struct Provenance {
    /// Each program with its number of jobs.
    programs: Vec<(String, usize)>,
    /// Each machine with its number of jobs.
    machines: Vec<(String, usize)>,
    started: String,
    ended: String,
    /// Total job time, as text.
    work: String,
    definitions: Vec<(String, String)>,
}

/// Describes a program version.
pub fn program_name(program: &ProgramInfo) -> String {
    let commit = match (&program.git_commit, program.git_dirty) {
        (Some(commit), Some(true)) => format!(" at commit {commit} with uncommitted changes"),
        (Some(commit), _) => format!(" at commit {commit}"),
        (None, _) => " of no known commit".to_owned(),
    };
    let ProgramInfo { version, rustc, target, profile, .. } = program;
    format!("lrbm {version}{commit}, {rustc}, {target}, {profile}")
}

impl Provenance {
    /// Collects the provenance of all finished jobs.
    pub fn new(results: &Results) -> Self {
        let records = || results.stored.iter().map(|stored| &stored.record);
        let machine = |record: &JobRecord| {
            let machine = &record.machine;
            let cpu = machine.cpu.as_deref().unwrap_or("an unknown processor");
            let (cores, os, threads, at_once) = (machine.cores, &machine.os, machine.threads, machine.jobs_at_once);
            format!(
                "{cpu}, {cores} cores, {os}; {} a job, {} at once",
                counted(threads, "thread"),
                counted(at_once, "job")
            )
        };
        let seconds: f64 = records().map(|record| record.machine.wall_seconds).sum();
        let work = if seconds < 120.0 { format!("{seconds:.1} s") } else { format!("{:.1} min", seconds / 60.0) };
        let definitions = records().next().map(|record| record.program.definitions.clone()).unwrap_or_default();
        Provenance {
            programs: tallied(records().map(|record| program_name(&record.program))),
            machines: tallied(records().map(machine)),
            started: records().map(|record| record.machine.started.as_str()).min().unwrap_or_default().to_owned(),
            ended: records().map(|record| record.machine.ended.as_str()).max().unwrap_or_default().to_owned(),
            work,
            definitions: definitions.into_iter().collect(),
        }
    }
}

fn tallied(names: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: IndexMap<String, usize> = IndexMap::default();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    counts.into_iter().collect()
}

/// A dataset of the run.
#[derive(Serialize)]
pub struct DatasetView {
    name: String,
    title: String,
    about: String,
    target: String,
    citation: String,
    licence: String,
    folds: String,
    footnote: String,
    caveats: Vec<String>,
    variant: Vec<(String, String)>,
    checksum: String,
    files: Vec<(String, String)>,
    /// Fold, then for training and test: positives, negatives, and drawn ones of these.
    counts: Vec<(usize, [String; 6])>,
}

impl DatasetView {
    /// Returns every dataset with a result, in the order of the spec.
    pub fn all(results: &Results) -> Vec<DatasetView> {
        let of_name = |name: &str| {
            let records =
                results.stored.iter().map(|stored| &stored.record).filter(|record| record.row.dataset == name);
            let records: Vec<&JobRecord> = records.collect();
            let data = records.iter().find_map(|record| record.data.as_ref())?;
            let mut view = DatasetView::new(name, data, &records);
            if view.target.is_empty() {
                view.target = predicted(results, name).unwrap_or_default();
            }
            Some(view)
        };
        results.datasets().into_iter().filter_map(of_name).collect()
    }

    fn new(name: &str, data: &DatasetRecord, records: &[&JobRecord]) -> Self {
        // A directory may have the name of a known dataset; only generated data have no files.
        let manifest = Manifest::find(&data.id).ok().filter(|manifest| manifest.title == data.title);
        let domain = Domain::find(&data.id).ok().map(Domain::info).filter(|_| data.files.is_empty());
        let is_known = manifest.is_some() || domain.is_some();
        let known = |get: fn(&Manifest) -> &str| manifest.map(get).unwrap_or_default().to_owned();
        let about = domain.map_or_else(|| known(|m| &m.about), |info| info.about.to_owned());
        let mut counts: IndexMap<usize, [String; 6]> = IndexMap::default();
        for record in records {
            if let Some(counted) = &record.counts {
                counts.entry(record.row.fold).or_insert_with(|| cells(counted));
            }
        }
        counts.sort_unstable_keys();
        DatasetView {
            name: name.to_owned(),
            title: data.title.clone(),
            about,
            target: crate::report::rows::target(&data.id).filter(|_| is_known).unwrap_or_default(),
            citation: known(|m| &m.citation),
            licence: known(|m| &m.licence),
            folds: known(|m| &m.folds.about),
            footnote: data.footnote.clone().unwrap_or_default(),
            caveats: manifest.map(|m| m.caveats.clone()).unwrap_or_default(),
            variant: choices(&data.variant),
            checksum: data.checksum.clone(),
            files: data.files.iter().map(|(name, sha256)| (name.clone(), sha256.clone())).collect(),
            counts: counts.into_iter().collect(),
        }
    }
}

/// Returns the predicate of the examples that the first job on a dataset scored, if they are
/// stored.
fn predicted(results: &Results, dataset: &str) -> Option<String> {
    let stored = results.stored.iter().find(|stored| stored.is_done() && stored.record.row.dataset == dataset)?;
    let example = results.predictions(stored).ok()??.into_iter().next()?.example;
    let (predicate, _) = example.split_once('(')?;
    Some(predicate.to_owned())
}

/// Returns the cells of a fold; a count that earlier versions did not record is empty.
fn cells(counts: &ExampleCounts) -> [String; 6] {
    let drawn = counts.train_negatives_drawn.map_or_else(String::new, |n| n.to_string());
    let ExampleCounts { train_positives, train_negatives, test_positives, test_negatives, .. } = counts;
    [
        train_positives.to_string(),
        train_negatives.to_string(),
        drawn,
        test_positives.to_string(),
        test_negatives.to_string(),
        counts.test_negatives_drawn.to_string(),
    ]
}

/// Returns the chosen variant, by spec keys.
fn choices(variant: &Variant) -> Vec<(String, String)> {
    let Ok(Json::Object(fields)) = serde_json::to_value(variant) else { return Vec::new() };
    let shown = |(name, value): (String, Json)| match value {
        Json::Null => None,
        Json::String(text) => Some((name, text)),
        other => Some((name, other.to_string())),
    };
    fields.into_iter().filter_map(shown).collect()
}
