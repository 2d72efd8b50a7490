//! Human-readable networks: rules with their contributions, the strongest first.

use std::fmt::{self, Write};

use super::{Hidden, Network, Rule, Size};
use crate::logic::Term;
use crate::logic::quantity::counted;

impl Network {
    /// Formats the rules, strongest first, each after its contribution. Apart from the comments,
    /// this is the notation that `lrbm convert --rules` reads.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let size = self.size();
        let classes = self.classes().join(", ");
        writeln!(out, "% lifted RBM for {}/{}, classes {classes}", self.target_name(), self.target_arity())?;
        writeln!(out, "% {}", self.origin)?;
        writeln!(out, "% {size}")?;
        writeln!(out, "% score(y) = d(y) + the sum over rules of log(1 + exp(c + U(y) + W if the rule is true))")?;
        writeln!(out, "% P(y) = exp(score(y)) / sum of exp(score); W is the sum over the predicates of the rule.")?;
        writeln!(
            out,
            "% The number before a rule is its contribution to the log-odds of its class when it is true; \\+ negates"
        )?;
        writeln!(out, "% within one grounding, and `not (...)` states that no grounding exists.")?;
        writeln!(out, "\n% prior log-odds; d = {}", numbers(&self.d))?;
        let always = Rule::default();
        let head = always.show(self.target, self.names()).to_string();
        let scores = self.scores(|_| false);
        match scores[..] {
            [s0, s1] => writeln!(out, "{:.4} {head}.", s1 - s0)?,
            // Every class is listed, even one that no rule supports.
            _ => {
                for (class, score) in self.classes().iter().zip(&scores) {
                    writeln!(out, "{:.4} {head}{}.", score - scores[0], self.of_class(class))?;
                }
            }
        }
        for (number, j) in self.strongest_first().into_iter().enumerate() {
            writeln!(out)?;
            self.write_rule(out, number + 1, &self.hidden[j])?;
        }
        Ok(())
    }

    fn write_rule(&self, out: &mut String, number: usize, node: &Hidden) -> fmt::Result {
        let input: f64 = node.w.iter().sum();
        write!(out, "% {number}: c={:.4} W={input:.4} U={}", node.c, numbers(&node.u))?;
        match node.dropped {
            0 => writeln!(out)?,
            1 => writeln!(out, "; 1 literal removed without changing the training coverage")?,
            n => writeln!(out, "; {n} literals removed without changing the training coverage")?,
        }
        let clause = node.rule.show(self.target, self.names()).to_string();
        let (head, body) = clause
            .split_once(" :- ")
            .map_or((&clause[..], String::new()), |(head, body)| (head, format!(" :- {body}")));
        for (class, value) in self.relative(&node.contributions()) {
            writeln!(out, "{value:.4} {head}{class}{body}.")?;
        }
        Ok(())
    }

    /// Returns the contributions to print: of two classes one number, for the second; of more, one
    /// for each class except those with the most common value.
    fn relative(&self, contributions: &[f64]) -> Vec<(String, f64)> {
        if let [w0, w1] = contributions[..] {
            return vec![(String::new(), w1 - w0)];
        }
        let shared = |&&value: &&f64| contributions.iter().filter(|&&other| other == value).count();
        // Reversed, as `max_by_key` returns the last maximum.
        let common = contributions.iter().rev().max_by_key(shared).copied().unwrap_or_default();
        let all = self.classes().iter().zip(contributions).map(|(class, value)| (self.of_class(class), value - common));
        let mut printed: Vec<_> = all.clone().filter(|(_, value)| *value != 0.0).collect();
        if printed.is_empty() {
            printed.extend(all.take(1));
        }
        printed
    }

    /// Formats the class after the head of a rule, for more than two classes.
    fn of_class(&self, class: &str) -> String {
        // Class names from data are already quoted where necessary; those of hand-made network
        // files may not be.
        match class.parse::<f64>().is_ok() || class.starts_with('"') {
            true => format!(" = {class}"),
            false => format!(" = {}", Term::Name(class.to_owned())),
        }
    }
}

fn numbers(numbers: &[f64]) -> String {
    let all: Vec<String> = numbers.iter().map(|number| format!("{number:.4}")).collect();
    format!("({})", all.join(", "))
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size { visible, hidden, classes, literals, edges } = *self;
        let (predicates, rules) = (counted(visible, "predicate"), counted(hidden, "rule"));
        write!(f, "{predicates}, {rules} with {}, {classes} classes; ", counted(literals, "literal"))?;
        let percent = 100.0 * self.density();
        write!(f, "{edges} of {} edges between predicates and rules ({percent:.0}%)", visible * hidden)
    }
}
