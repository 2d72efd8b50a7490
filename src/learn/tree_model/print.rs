//! Trees in readable notation: as clauses, and as Graphviz graphs.

use std::fmt::{self, Write};

use super::model::{LeafWeights, TreeModel};
use crate::cover::show_test;
use crate::logic::clause::variable_name;
use crate::logic::{Literal, Variable};
use crate::rbm::network::draw::escape_dot;
use crate::tree::{Leaf, Node, Path, Tree};

/// Writes one clause for each path, in the order in which they are tried: the first that covers an
/// example gives the value.
impl fmt::Display for TreeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_model(f, self)
    }
}

fn write_model(out: &mut fmt::Formatter<'_>, model: &TreeModel) -> fmt::Result {
    let names = model.class_names().unwrap_or_default();
    let (positives, negatives) = model.header.trained_on;
    writeln!(out, "% {} for {}/{}", model.header.kind, model.target_name(), model.target_arity())?;
    match &model.classes {
        None => writeln!(out, "% learned from {positives} positive and {negatives} negative examples")?,
        Some(classes) => {
            let each = names.iter().zip(&classes.trained_on).map(|(name, count)| format!("{count} of class {name}"));
            writeln!(out, "% learned from {positives} examples: {}", each.collect::<Vec<_>>().join(", "))?;
        }
    }
    if let Some(fidelity) = model.fidelity {
        let (r_squared, gap) = (fidelity.r_squared, fidelity.mean_probability_gap);
        writeln!(out, "% fidelity: R² {r_squared:.4} of the ensemble's psi, mean gap of P {gap:.4}")?;
    }
    match &model.classes {
        None => {
            writeln!(
                out,
                "% psi = {} + {} * (the value of each tree); P = 1 / (1 + exp(-psi))",
                model.prior, model.step
            )?;
        }
        Some(classes) => {
            let priors: Vec<String> = classes.priors.iter().map(f64::to_string).collect();
            writeln!(
                out,
                "% score of a class = {} + {} * (the value of each of its trees); P = exp(score) / sum of exp(score)",
                priors.join(" or "),
                model.step
            )?;
        }
    }
    writeln!(out, "% The value of a tree is that of its first clause whose body holds; `!` ends the search.")?;
    for (number, tree) in model.printed_trees().enumerate() {
        writeln!(out, "\n% {}", title(model, number))?;
        for path in tree.paths() {
            write_clause(out, model, &path)?;
        }
    }
    Ok(())
}

/// Returns the title of a tree: its number, and its class if there are several.
pub(crate) fn title(model: &TreeModel, number: usize) -> String {
    match model.class_names() {
        None => format!("tree {}", number + 1),
        Some(names) => {
            let of_each = (model.trees.len() / names.len()).max(1);
            format!("tree {} of class {}", number % of_each + 1, names[number / of_each])
        }
    }
}

fn write_clause(out: &mut fmt::Formatter<'_>, model: &TreeModel, path: &Path<'_, LeafWeights>) -> fmt::Result {
    write!(out, "{}(", model.target_name())?;
    for k in 0..model.target_arity() {
        write!(out, "{}, ", variable_name(Variable(k as u32)))?;
    }
    write!(out, "{})", path.leaf.value)?;
    let show = |test: &[Literal], at_least| show_test(test, at_least, &model.predicates, &model.symbols);
    let mut body = Vec::new();
    if !path.literals.is_empty() {
        let literals: Vec<Literal> = path.literals.iter().map(|&literal| literal.clone()).collect();
        body.push(show(&literals, 1));
    }
    body.extend(path.counts.iter().map(|count| show(count.test, count.at_least)));
    if !body.is_empty() {
        write!(out, " :- {}, !", body.join(", "))?;
    }
    writeln!(out, ". % {}", weights(path.leaf, " "))
}

/// Returns the counts and the RBM parameters of a leaf.
pub(crate) fn weights(leaf: &Leaf<LeafWeights>, separator: &str) -> String {
    let mut text = format!("{} positive, {} negative", leaf.positives, leaf.negatives);
    if let Some(theta) = leaf.leaf {
        let _ = write!(
            text,
            ";{separator}d={:.4} c={:.4} W={:.4} U0={:.4} U1={:.4}",
            theta.d, theta.c, theta.w, theta.u0, theta.u1
        );
    }
    text
}

impl TreeModel {
    /// Iterates over the trees as they are printed, with the variables of each test renamed apart.
    pub(crate) fn printed_trees(&self) -> impl Iterator<Item = Tree<LeafWeights>> {
        self.trees.iter().map(|tree| tree.clone().renamed_apart(self.target_arity()))
    }

    /// Returns the trees as a Graphviz graph.
    pub fn to_dot(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write_dot(&mut text, self);
        text
    }
}

fn write_dot(out: &mut String, model: &TreeModel) -> fmt::Result {
    writeln!(out, "digraph model {{")?;
    writeln!(out, "  node [fontname=\"Helvetica\"];")?;
    for (t, tree) in model.printed_trees().enumerate() {
        writeln!(out, "  subgraph cluster_{t} {{")?;
        writeln!(out, "    label=\"{}\";", escape_dot(&title(model, t)))?;
        for (i, node) in tree.nodes().iter().enumerate() {
            match node {
                Node::Split(split) => {
                    let test = show_test(&split.test, split.at_least, &model.predicates, &model.symbols);
                    writeln!(out, "    t{t}n{i} [shape=box, label=\"{}\"];", escape_dot(&test))?;
                    writeln!(out, "    t{t}n{i} -> t{t}n{} [label=\"yes\"];", split.yes.0)?;
                    writeln!(out, "    t{t}n{i} -> t{t}n{} [label=\"no\", style=dashed];", split.no.0)?;
                }
                Node::Leaf(leaf) => {
                    let text = format!("{:.4}\n{}", leaf.value, weights(leaf, "\n"));
                    writeln!(out, "    t{t}n{i} [shape=ellipse, label=\"{}\"];", escape_dot(&text))?;
                }
            }
        }
        writeln!(out, "  }}")?;
    }
    writeln!(out, "}}")
}
