//! Values of the page template.

use std::collections::BTreeSet;
use std::path::Path;

use minijinja::Value as Safe;
use serde::Serialize;

use super::links::{below, relative};
use super::models::{ModelView, models};
use super::provenance::{DatasetView, Provenance, program_name};
use super::table_view::TableView;
use crate::determinism::IndexSet;
use crate::experiment::frame::StoredJob;
use crate::experiment::run::provenance::program;
use crate::experiment::store::Status;
use crate::metric::Column;
use crate::metric::significance::decision::{Decision, MARGIN};
use crate::report::claims::{ClaimEvidence, JudgedClaim, QUESTIONS};
use crate::report::compare::{interval, with_sign};
use crate::report::contents::Report;
use crate::report::rows::{self, ReportRow};
use crate::report::table::{format_difference, format_mean, metric_title};
use crate::report::tables::{VERDICTS, status_notes};

/// Values of the page template.
#[derive(Serialize)]
pub struct PageContext {
    style: Safe,
    script: Safe,
    name: String,
    about: String,
    answer: String,
    /// The answer of a multiverse: one finding per line.
    findings: Vec<String>,
    counts: Vec<(String, String)>,
    state: Vec<String>,
    questions: Vec<Question>,
    /// Numbers of claims by verdict: class, words, number.
    tally: Vec<(&'static str, &'static str, usize)>,
    /// Largest difference that counts as none.
    margin: f64,
    /// Whether the page mentions the paper.
    has_paper: bool,
    /// Main tables.
    tables: Vec<TableView>,
    more_tables: Vec<TableView>,
    figures: Vec<FigureView>,
    jobs: Vec<JobsView>,
    failures: Vec<(String, String, String)>,
    models: Vec<ModelView>,
    unread: Vec<String>,
    datasets: Vec<DatasetView>,
    spec: String,
    provenance: Provenance,
    program: String,
}

#[derive(Serialize)]
struct FigureView {
    name: String,
    title: String,
    caption: String,
    svg: Safe,
}

/// A question of the paper with its claims.
#[derive(Serialize)]
struct Question {
    name: &'static str,
    text: &'static str,
    /// Those for which the run has numbers.
    claims: Vec<ClaimView>,
}

#[derive(Serialize)]
struct ClaimView {
    statement: &'static str,
    source: &'static str,
    read_as: &'static str,
    published: String,
    verdicts: Vec<VerdictView>,
}

#[derive(Serialize)]
struct VerdictView {
    presets: Vec<String>,
    words: &'static str,
    class: &'static str,
    reason: String,
    /// Verdicts by other rules that differ: name of the rule, verdict.
    changes: Vec<(&'static str, &'static str)>,
    evidence: Vec<EvidenceView>,
}

#[derive(Serialize)]
struct EvidenceView {
    dataset: &'static str,
    metric: &'static str,
    other: &'static str,
    first: String,
    second: String,
    difference: String,
    interval: String,
    p: String,
    equivalent: String,
    published: String,
    verdict: &'static str,
    rows: Option<(usize, usize)>,
}

/// The jobs of a row.
#[derive(Serialize)]
struct JobsView {
    index: usize,
    dataset: String,
    label: String,
    summary: String,
    jobs: Vec<JobView>,
}

#[derive(Serialize)]
struct JobView {
    fold: usize,
    seed: u64,
    values: [String; 2],
    seconds: String,
    link: String,
    /// Why there is no result, in one word; empty if there is one.
    lack: &'static str,
}

/// Collects the values of the page of a report in a directory.
pub fn context(report: &Report<'_>, directory: &Path) -> PageContext {
    let results = report.results;
    let is_multiverse = results.experiment.multiverse.is_some();
    let base = relative(directory, &results.root);
    let (models, unread) = models(results, &report.rows, &base);
    let figures = report.figures.iter().map(|figure| FigureView {
        name: figure.name.clone(),
        title: figure.title.clone(),
        caption: figure.caption.clone(),
        // Our own drawing, which escapes names.
        svg: Safe::from_safe_string(figure.svg.clone()),
    });
    let questions = questions(&report.claims);
    let status = status_notes(results);
    let (main_tables, more_tables) = report.tables.split_at(report.main_tables);
    // The section of claims has the verdicts.
    let (verdicts, main_tables): (Vec<_>, Vec<_>) =
        main_tables.iter().partition(|table| table.name == VERDICTS && !questions.is_empty());
    let view = |table| TableView::new(table, &status);
    let tally = Decision::ALL.map(|verdict| {
        let number = report.claims.iter().filter(|judged| judged.has_numbers() && judged.verdict == verdict).count();
        (class(verdict), verdict.words(), number)
    });
    PageContext {
        style: Safe::from_safe_string(include_str!("style.css").to_owned()),
        script: Safe::from_safe_string(include_str!("script.js").to_owned()),
        name: results.experiment.name.clone(),
        about: results.experiment.about.clone(),
        answer: if is_multiverse { String::new() } else { report.answer.join(" ") },
        findings: if is_multiverse { report.answer.clone() } else { Vec::new() },
        counts: counts(report),
        tally: tally.into(),
        margin: MARGIN,
        has_paper: results.experiment.compare.paper.is_some() || report.claims.iter().any(JudgedClaim::has_numbers),
        tables: main_tables.into_iter().map(view).collect(),
        more_tables: verdicts.into_iter().chain(more_tables).map(view).collect(),
        state: status.clone(),
        questions,
        figures: figures.collect(),
        jobs: report.rows.iter().filter(|row| !row.group.jobs.is_empty()).map(|row| jobs(row, &base)).collect(),
        failures: failures(report, &base),
        models,
        unread,
        datasets: DatasetView::all(results),
        spec: results.spec().to_owned(),
        provenance: Provenance::new(results),
        program: program_name(&program()),
    }
}

/// Returns the number of models that have a row or, in a multiverse, a job.
fn model_count(report: &Report<'_>) -> usize {
    let of_rows = report.rows.iter().map(|row| row.key().model.as_str());
    let of_jobs = report.results.stored.iter().map(|stored| stored.record.row.model.as_str());
    match report.results.experiment.multiverse {
        None => of_rows.collect::<IndexSet<_>>().len(),
        Some(_) => of_jobs.collect::<IndexSet<_>>().len(),
    }
}

/// Returns the size of the experiment as (number, noun) pairs.
fn counts(report: &Report<'_>) -> Vec<(String, String)> {
    let results = report.results;
    let distinct = |get: fn(&ReportRow<'_>) -> String| report.rows.iter().map(get).collect::<IndexSet<_>>();
    let done = results.stored.iter().filter(|stored| stored.is_done()).count();
    let folds: BTreeSet<usize> = results.stored.iter().map(|stored| stored.record.key.folds).collect();
    let folds: Vec<String> = folds.iter().map(ToString::to_string).collect();
    let mut counts = vec![
        (format!("{done} of {}", results.planned), "jobs done".to_owned()),
        (results.datasets().len().to_string(), "datasets".to_owned()),
        (model_count(report).to_string(), "models".to_owned()),
    ];
    let presets: IndexSet<&str> = rows::settings(&report.rows).into_iter().map(|(preset, _)| preset).collect();
    for (number, what) in [(presets.len(), "presets"), (distinct(|row| row.key().case.clone()).len(), "cases")] {
        if number > 1 {
            counts.push((number.to_string(), what.to_owned()));
        }
    }
    counts.push((folds.join(" or "), "folds".to_owned()));
    let seeds: IndexSet<u64> = results.experiment.datasets.iter().flat_map(|part| part.seeds.iter().copied()).collect();
    counts.push((seeds.len().to_string(), "seeds".to_owned()));
    // Singular for a count of one.
    for (number, what) in &mut counts {
        if number == "1" {
            what.pop();
        }
    }
    counts
}

fn questions(claims: &[JudgedClaim]) -> Vec<Question> {
    let of_question = |&(name, text): &(&'static str, &'static str)| {
        let mut views: Vec<ClaimView> = Vec::new();
        for judged in claims.iter().filter(|judged| judged.claim.question == name) {
            let claim = judged.claim;
            if views.last().is_none_or(|view| view.statement != claim.statement) {
                let (statement, source, read_as) = (claim.statement, claim.source, claim.relation.criterion());
                let published = judged.published.words.clone();
                views.push(ClaimView { statement, source, read_as, published, verdicts: Vec::new() });
            }
            let Some(view) = views.last_mut() else { continue };
            let new = verdict(judged);
            // Presets with the same verdict share one entry.
            match view.verdicts.iter_mut().find(|old| old.evidence.is_empty() && old.reason == new.reason) {
                Some(old) => old.presets.extend(new.presets),
                None => view.verdicts.push(new),
            }
        }
        let is_known = |view: &ClaimView| view.verdicts.iter().any(|verdict| !verdict.evidence.is_empty());
        views.retain(is_known);
        Question { name, text, claims: views }
    };
    QUESTIONS.iter().map(of_question).filter(|question| !question.claims.is_empty()).collect()
}

/// Returns the style class of a verdict.
fn class(verdict: Decision) -> &'static str {
    match verdict {
        Decision::Supported => "held",
        Decision::Refuted => "failed",
        Decision::Inconclusive => "open",
        Decision::NotTestable => "untestable",
    }
}

fn verdict(judged: &JudgedClaim) -> VerdictView {
    let known = judged.has_numbers();
    let changes = judged.alternatives.iter().filter(|(_, verdict)| *verdict != judged.verdict);
    VerdictView {
        presets: Some(judged.preset.clone()).filter(|preset| !preset.is_empty()).into_iter().collect(),
        words: judged.verdict.words(),
        class: class(judged.verdict),
        reason: judged.reason.clone(),
        changes: changes.map(|(rule, verdict)| (*rule, verdict.words())).collect(),
        evidence: judged.evidence.iter().filter(|_| known).map(evidence).collect(),
    }
}

fn evidence(one: &ClaimEvidence) -> EvidenceView {
    let published = one.published.map_or_else(String::new, |published| format_difference(published.mean));
    let dash = || "–".to_owned();
    let mut view = EvidenceView {
        dataset: one.dataset,
        metric: metric_title(one.metric),
        other: one.other,
        first: dash(),
        second: dash(),
        difference: dash(),
        interval: dash(),
        p: String::new(),
        equivalent: dash(),
        published,
        verdict: one.verdict().words(),
        rows: one.rows,
    };
    if let Some(compared) = &one.compared {
        view.first = format_mean(&compared.second);
        view.second = format_mean(&compared.first);
        view.difference = format_difference(compared.difference);
        view.interval = compared.interval().map_or_else(|_| dash(), |at| interval(&at));
    }
    match &one.decided {
        Ok(decided) => {
            view.p = format!("p {}", with_sign(decided.adjusted.difference));
            view.equivalent = format!("p {}", with_sign(decided.adjusted.equivalent));
        }
        Err(missing) => view.p.clone_from(missing),
    }
    view
}

fn jobs(row: &ReportRow<'_>, base: &str) -> JobsView {
    let lack = row.missing(Column::AucRoc);
    let count = row.group.jobs.len();
    let job = |stored: &&StoredJob| {
        let value = |metric| stored.metric(metric).map_or("–".to_owned(), |value| format!("{value:.3}"));
        JobView {
            fold: stored.record.row.fold,
            seed: stored.record.row.seed,
            values: [value(Column::AucRoc), value(Column::AucPr)],
            seconds: format!("{:.2}", stored.record.machine.wall_seconds),
            link: format!("{base}{}", below(&stored.directory)),
            lack: match &stored.record.status {
                Status::Done => "",
                status if status.is_refused() => "refused",
                Status::Failed { .. } => "failed",
            },
        }
    };
    JobsView {
        index: row.index,
        dataset: row.key().dataset.clone(),
        label: row.key().label(),
        summary: if lack.is_empty() { format!("{count} jobs") } else { format!("{count} jobs; {lack}") },
        jobs: row.group.jobs.iter().map(job).collect(),
    }
}

fn failures(report: &Report<'_>, base: &str) -> Vec<(String, String, String)> {
    let failed = report.rows.iter().flat_map(|row| row.failed().into_iter().map(move |stored| (row, stored)));
    let shown = failed.map(|(row, stored)| {
        let at = &stored.record.row;
        let job = format!("{} {} fold {} seed {}", at.dataset, row.key().label(), at.fold, at.seed);
        let message = stored.record.status.message().unwrap_or_default().to_owned();
        (job, message, format!("{base}{}", below(&stored.directory)))
    });
    shown.collect()
}
