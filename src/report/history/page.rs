//! The report of a history: a page, figures as SVG, and a Markdown file.

use std::path::{Path, PathBuf};

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::Serialize;

use super::change::{Change, ChangePoint, change_points};
use super::error::HistoryError;
use super::figure::figures;
use super::file::History;
use crate::determinism::{IndexMap, IndexSet};
use crate::files;
use crate::logic::quantity::counted;
use crate::report::compare::signed;
use crate::report::figure::Figure;
use crate::report::html::format_visible;
use crate::report::markdown::escape;
use crate::report::table::Grid;

const TEMPLATE: &str = include_str!("page.html");

/// A history with its change points and painted figures.
#[derive(Clone, Debug)]
pub struct HistoryReport {
    commits: Vec<CommitView>,
    changes: Vec<ChangeView>,
    figures: Vec<Figure>,
}

/// Files written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenHistory {
    /// The page.
    pub page: PathBuf,
    /// Number of figures.
    pub figures: usize,
    /// Number of commits.
    pub commits: usize,
    /// Number of change points.
    pub changes: usize,
}

#[derive(Clone, Debug, Serialize)]
struct CommitView {
    commit: String,
    date: String,
    platform: String,
    rows: usize,
    changes: usize,
}

#[derive(Clone, Debug, Serialize)]
struct ChangeView {
    commit: String,
    dataset: String,
    model: String,
    series: &'static str,
    before: String,
    now: String,
    change: String,
    words: &'static str,
}

impl HistoryReport {
    /// Finds change points and paints the figures.
    ///
    /// # Errors
    /// If the history is empty, or a figure cannot be painted.
    pub fn new(history: &History, path: &Path) -> Result<Self, HistoryError> {
        if history.rows.is_empty() {
            return Err(HistoryError::Empty(path.to_owned()));
        }
        let points = change_points(history);
        let names: Vec<&str> = history.commits().into_iter().collect();
        let mut commits: IndexMap<&str, CommitView> = IndexMap::default();
        for row in &history.rows {
            let view = commits.entry(&row.commit).or_insert_with(|| CommitView {
                commit: row.commit.clone(),
                date: row.date.clone(),
                platform: row.platform.clone(),
                rows: 0,
                changes: 0,
            });
            view.rows += 1;
        }
        let changes = views(&points, &names);
        for change in &changes {
            if let Some(view) = commits.get_mut(change.commit.as_str()) {
                view.changes += 1;
            }
        }
        let figures: Result<Vec<Figure>, _> =
            figures(history, &points).into_iter().map(|figure| figure.paint()).collect();
        Ok(HistoryReport { commits: commits.into_values().collect(), changes, figures: figures? })
    }

    /// Writes `history.html`, `history.md` and the figures as SVG.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<WrittenHistory, HistoryError> {
        let put = |name: &str, text: &str| {
            let path = directory.join(name);
            files::write(&path, |out| out.write_all(text.as_bytes()))
                .map_err(|source| HistoryError::Unwritable { path: path.clone(), source })?;
            Ok::<PathBuf, HistoryError>(path)
        };
        let page = put("history.html", &self.html()?)?;
        put("history.md", &self.markdown())?;
        for figure in &self.figures {
            put(&format!("{}.svg", figure.name), &figure.svg)?;
        }
        let (commits, changes) = (self.commits.len(), self.changes.len());
        Ok(WrittenHistory { page, figures: self.figures.len(), commits, changes })
    }

    /// Renders the page. Our own drawings are inserted unescaped; their texts are escaped already.
    fn html(&self) -> Result<String, minijinja::Error> {
        let mut environment = Environment::new();
        environment.set_formatter(format_visible);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.add_template("page.html", TEMPLATE)?;
        let figures: Vec<Value> = self
            .figures
            .iter()
            .map(|figure| {
                let svg = Value::from_safe_string(figure.svg.clone());
                context! { title => &figure.title, caption => &figure.caption, svg => svg }
            })
            .collect();
        let page = environment.get_template("page.html")?;
        page.render(context! {
            summary => self.summary(),
            commits => Serde(&self.commits),
            changes => Serde(&self.changes),
            figures => figures,
        })
    }

    /// Describes how many commits there are, and how many change points.
    fn summary(&self) -> String {
        let commits = match self.commits.as_slice() {
            [first, .., last] => format!("{} commits, {} to {}", self.commits.len(), first.commit, last.commit),
            [only] => format!("1 commit, {}", only.commit),
            [] => "no commits".to_owned(),
        };
        format!("{commits}; {}.", counted(self.changes.len(), "change point"))
    }

    fn markdown(&self) -> String {
        let summary = escape(&self.summary());
        let mut text = format!("# History\n\n{summary} `lrbm report --history FILE` writes this page.\n");
        for figure in &self.figures {
            let (title, caption) = (escape(&figure.title), escape(&figure.caption));
            text += &format!("\n![{title}]({}.svg)\n\n{title}. {caption}\n", figure.name);
        }
        let mut table = Grid::new(&["commit", "dataset", "model", "series", ">before", ">now", ">change", "finding"]);
        for change in &self.changes {
            let ChangeView { commit, dataset, model, series, before, now, change, words } = change.clone();
            table.row([commit, dataset, model, series.to_owned(), before, now, change, words.to_owned()]);
        }
        if !table.is_empty() {
            text += &format!("\n## Change points\n\n{}", table.markdown());
        }
        let mut table = Grid::new(&["commit", "date", "platform", ">rows", ">change points"]);
        for view in &self.commits {
            let CommitView { commit, date, platform, rows, changes } = view.clone();
            table.row([commit, date, platform, rows.to_string(), changes.to_string()]);
        }
        text + &format!("\n## Commits\n\n{}", table.markdown())
    }
}

/// Returns the change points as shown: other data once per commit and dataset, since they concern
/// all models and metrics.
fn views(points: &[ChangePoint], commits: &[&str]) -> Vec<ChangeView> {
    let mut datasets: IndexSet<(usize, &str)> = IndexSet::default();
    let mut views = Vec::new();
    for point in points {
        if point.change != Change::OtherData {
            views.push(view(point, commits));
        } else if datasets.insert((point.commit, point.key.dataset.as_str())) {
            let none = || "-".to_owned();
            let (model, series) = ("all".to_owned(), "all");
            views.push(ChangeView {
                model,
                series,
                before: none(),
                now: none(),
                change: none(),
                ..view(point, commits)
            });
        }
    }
    views
}

fn view(point: &ChangePoint, commits: &[&str]) -> ChangeView {
    let change = match point.series.metric() {
        Some(_) => signed(point.now - point.before),
        None => format!("× {:.2}", point.now / point.before),
    };
    ChangeView {
        commit: commits.get(point.commit).copied().unwrap_or_default().to_owned(),
        dataset: point.key.dataset.clone(),
        model: point.key.label(),
        series: point.series.name(),
        before: format!("{:.4}", point.before),
        now: format!("{:.4}", point.now),
        change,
        words: point.change.words(),
    }
}
