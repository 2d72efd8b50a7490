//! Explanations as terminal text.

use std::fmt::{self, Display};

use super::view::{BindingView, ChangeView, ConditionView, ExplanationView, RuleView, of_example};

/// Largest number of changes shown; JSON has all.
const SHOWN: usize = 6;

/// Indentation below a contribution.
const INDENT: &str = "            ";

impl ExplanationView {
    /// Formats the explanation with its `top` largest rules; the contributions of the others are
    /// summed.
    pub fn show(&self, top: usize) -> impl Display + '_ {
        fmt::from_fn(move |f| self.write(f, top))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, top: usize) -> fmt::Result {
        self.answer(f)?;
        writeln!(f, "\n  {:>9}  bias, without any rule", signed(self.before))?;
        for rule in self.rules.iter().take(top) {
            write_rule(f, rule)?;
        }
        let others = self.rules.get(top..).unwrap_or_default();
        if !others.is_empty() {
            let sum: f64 = others.iter().map(|rule| rule.adds).sum();
            writeln!(f, "  {:>9}  {} more rules: --top shows more", signed(sum), others.len())?;
        }
        let [one, other] = &self.compared;
        writeln!(f, "  {:>9}  = psi, the log-odds of {one} against {other}", signed(self.psi))?;
        writeln!(f, "{} of {} rules hold", self.rules.len(), self.rules_in_all)?;
        writeln!(f)?;
        self.write_changes(f)
    }

    fn answer(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of =
            |name: &str| self.classes.iter().find(|class| class.name == name).map_or(0.0, |class| class.probability);
        let shown = if self.threshold.is_some() { &self.classes[1].name } else { &self.decision };
        writeln!(f, "{}: {}, probability of {shown} {:.6}", self.query, self.decision, of(shown))?;
        if self.threshold.is_none() {
            let all: Vec<String> =
                self.classes.iter().map(|class| format!("{} {:.6}", class.name, class.probability)).collect();
            writeln!(f, "probabilities: {}", all.join(", "))?;
        }
        if let Some(threshold) = self.threshold.filter(|&threshold| threshold != 0.5) {
            writeln!(f, "{shown} is predicted above {threshold}")?;
        }
        if let Some(model) = self.model {
            write!(f, "the model predicts {:.6}, ", model.probability)?;
            match model.difference {
                0.0 => writeln!(f, "no difference")?,
                difference => writeln!(f, "a difference of {difference:.0e}")?,
            }
        }
        if let Some(label) = &self.example {
            writeln!(f, "in the data it is {}", of_example(label))?;
        }
        Ok(())
    }

    fn write_changes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes = &self.changes;
        let searched = changes.tried + changes.untried > 0 || changes.cut;
        if !searched {
            return writeln!(f, "no single-fact change was tried");
        }
        let shown = if self.threshold.is_some() { &self.classes[1].name } else { &self.decision };
        if changes.found.is_empty() {
            writeln!(f, "no single-fact change was found that flips the decision")?;
            if let Some(closest) = &changes.closest {
                writeln!(f, "  closest: {}", show_change(closest, shown))?;
            }
        } else {
            writeln!(f, "each of these changes flips the decision:")?;
            for change in changes.found.iter().take(SHOWN) {
                writeln!(f, "  {}: {}", show_change(change, shown), change.decision)?;
            }
            if changes.found.len() > SHOWN {
                writeln!(f, "  and {} more", changes.found.len() - SHOWN)?;
            }
        }
        write!(f, "{} changes tried", changes.tried)?;
        if changes.untried > 0 {
            write!(f, ", {} more not tried: raise --tries", changes.untried)?;
        }
        if changes.cut {
            write!(f, "; the search for changes was incomplete")?;
        }
        writeln!(f)
    }
}

/// Formats a number with its sign; zero is +0.
pub(crate) fn signed(value: f64) -> String {
    let text = format!("{value:+.4}");
    if text == "-0.0000" { "+0.0000".to_owned() } else { text }
}

fn show_change(change: &ChangeView, class: &str) -> String {
    let word = if change.change == "add" { "with" } else { "without" };
    format!("{word} {}, probability of {class} {:.6}", change.fact, change.probability)
}

fn bindings(substitution: &[BindingView]) -> String {
    let all: Vec<String> =
        substitution.iter().map(|binding| format!("{} = {}", binding.variable, binding.constant)).collect();
    all.join(", ")
}

fn write_rule(f: &mut fmt::Formatter<'_>, rule: &RuleView) -> fmt::Result {
    writeln!(f, "  {:>9}  rule {}: {}", signed(rule.adds), rule.number, rule.clause)?;
    if !rule.facts.is_empty() {
        writeln!(f, "{INDENT} with {}", bindings(&rule.substitution))?;
        writeln!(f, "{INDENT} since {}", rule.facts.join(", "))?;
    }
    if !rule.absent.is_empty() {
        writeln!(f, "{INDENT} not in the data: {}", rule.absent.join(", "))?;
    }
    rule.conditions.iter().try_for_each(|condition| write_condition(f, condition))
}

fn write_condition(f: &mut fmt::Formatter<'_>, condition: &ConditionView) -> fmt::Result {
    let ConditionView { holds, at_least, found, body, substitution, facts } = condition;
    match (holds, at_least) {
        (false, 1) => writeln!(f, "{INDENT} ruled out: no grounding of {body}"),
        (false, k) => writeln!(f, "{INDENT} ruled out: {k} groundings of {body}; there are {found}"),
        (true, 1) => {
            writeln!(f, "{INDENT} with {}", bindings(substitution))?;
            writeln!(f, "{INDENT} since {}", facts.join(", "))
        }
        (true, k) => {
            writeln!(f, "{INDENT} at least {k} groundings of {body}")?;
            writeln!(f, "{INDENT} the first since {}", facts.join(", "))
        }
    }
}
