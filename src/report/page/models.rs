//! Models of a run as rules, trees and lifted RBMs: the first fold with a result of each row.

use minijinja::Value as Safe;
use serde::Serialize;

use super::links::below;
use crate::experiment::Results;
use crate::experiment::external::config::EXTERNAL_KINDS;
use crate::experiment::store::MODEL;
use crate::learn::{Method, Model, SavedModel, Stored};
use crate::rbm::network::Network;
use crate::rbm::network::draw::DRAWN_RULES;
use crate::report::drawing::tree;
use crate::report::rows::ReportRow;

/// Size limit of all rules together, so that the page of a large sweep stays usable.
const RULES_BYTES: usize = 1_400_000;
/// Size limit of all drawings together.
const DRAWINGS_BYTES: usize = 1_600_000;
/// Smallest size limit per model.
const MIN_BYTES: usize = 3_000;

/// A model.
#[derive(Serialize)]
pub struct ModelView {
    dataset: String,
    label: String,
    fold: usize,
    seed: u64,
    /// Size, in words.
    size: String,
    fidelity: String,
    link: String,
    rules: String,
    is_cut: bool,
    /// `None` if the page would become too large.
    drawing: Option<Safe>,
    /// What is drawn; `None` without trees.
    drawn: Option<&'static str>,
    network: Option<NetworkView>,
}

/// A model as one lifted RBM.
#[derive(Serialize)]
pub struct NetworkView {
    /// Size.
    size: String,
    /// How it was derived from the model.
    about: String,
    /// What is drawn.
    drawn: String,
    /// `None` if the page would become too large.
    drawing: Option<Safe>,
}

/// Converts the model to one equivalent network, with a description of the conversion.
fn network(model: &SavedModel) -> Option<(Network, String)> {
    match model {
        SavedModel::Mln(_) | SavedModel::Walks(_) | SavedModel::Template(_) => None,
        SavedModel::Network(network) => Some((network.clone(), String::new())),
        SavedModel::Trees(trees) => {
            let exact = trees.to_network(Method::Exact).ok()?;
            let merged = exact.merged();
            let [paths, rules] = [&exact, &merged].map(|network| network.hidden().len());
            Some((merged, format!("{paths} paths of the trees, of which {} are the same as another", paths - rules)))
        }
    }
}

/// Returns the models of the rows, and an error message for each that cannot be read.
pub fn models(results: &Results, rows: &[ReportRow<'_>], base: &str) -> (Vec<ModelView>, Vec<String>) {
    // Models of external systems are files of other formats.
    let rows = rows.iter().filter(|row| !EXTERNAL_KINDS.contains(&row.kind));
    let done = rows.filter_map(|row| row.group.done().next().map(|stored| (row, stored)));
    let done: Vec<_> = done.collect();
    let share = |bytes: usize| (bytes / done.len().max(1)).max(MIN_BYTES);
    let (mut views, mut drawings, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    let mut networks = Vec::new();
    for (row, stored) in &done {
        let record = &stored.record;
        let model = match results.model(stored) {
            Ok(model) => model,
            Err(error) => {
                unread.push(error.to_string());
                continue;
            }
        };
        let (rules, is_cut) = cut(&model.describe(), share(RULES_BYTES));
        let size = model.size();
        let trees = model.trees().filter(|trees| !trees.trees().is_empty());
        drawings.push(trees.map_or_else(String::new, |trees| tree(trees, 0)));
        let fidelity = model.trees().and_then(|trees| trees.fidelity);
        let lifted = network(&model).filter(|(network, _)| !network.hidden().is_empty());
        networks
            .push(lifted.as_ref().map_or_else(String::new, |(network, _)| network.to_svg_of_strongest(DRAWN_RULES)));
        let lifted = lifted.map(|(network, about)| NetworkView {
            size: network.size().to_string(),
            about,
            drawn: match network.hidden().len() {
                all if all > DRAWN_RULES => format!("its {DRAWN_RULES} strongest rules of {all}"),
                _ => "all of it".to_owned(),
            },
            drawing: None,
        });
        views.push(ModelView {
            dataset: row.key().dataset.clone(),
            label: row.key().label(),
            fold: record.row.fold,
            seed: record.row.seed,
            size: size.to_string(),
            fidelity: fidelity.map_or_else(String::new, |fidelity| format!("{:.3}", fidelity.r_squared)),
            link: format!("{base}{}", below(&stored.directory.join(MODEL))),
            rules,
            is_cut,
            drawing: None,
            drawn: trees.map(|trees| if trees.trees().len() == 1 { "the tree" } else { "its first tree" }),
            network: lifted,
        });
    }
    for (index, svg) in admitted(drawings, DRAWINGS_BYTES) {
        // Our own drawing, which escapes names.
        views[index].drawing = Some(Safe::from_safe_string(svg));
    }
    for (index, svg) in admitted(networks, DRAWINGS_BYTES) {
        if let Some(network) = &mut views[index].network {
            network.drawing = Some(Safe::from_safe_string(svg));
        }
    }
    (views, unread)
}

/// Returns as many texts as fit, shortest first, each with its index.
fn admitted(texts: Vec<String>, max: usize) -> Vec<(usize, String)> {
    let mut texts: Vec<(usize, String)> = texts.into_iter().enumerate().filter(|(_, text)| !text.is_empty()).collect();
    texts.sort_by_key(|(index, text)| (text.len(), *index));
    let mut sum = 0;
    texts.retain(|(_, text)| {
        sum += text.len();
        sum <= max
    });
    texts
}

/// Truncates a text to whole lines within a length.
fn cut(text: &str, max: usize) -> (String, bool) {
    if text.len() <= max {
        return (text.trim_end().to_owned(), false);
    }
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if end + line.len() > max {
            break;
        }
        end += line.len();
    }
    (text[..end].trim_end().to_owned(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_truncated_between_lines() {
        assert_eq!(cut("one\ntwo\n", 8), ("one\ntwo".into(), false));
        assert_eq!(cut("one\ntwö\nthree\n", 9), ("one\ntwö".into(), true));
        assert_eq!(cut("one\ntwo\nthree\n", 3), (String::new(), true));
    }

    #[test]
    fn shortest_drawings_are_admitted_first() {
        let texts = ["four", "", "one", "three", "six"].map(str::to_owned).to_vec();
        assert_eq!(admitted(texts, 11), [(2, "one".to_owned()), (4, "six".to_owned()), (0, "four".to_owned())]);
    }
}
