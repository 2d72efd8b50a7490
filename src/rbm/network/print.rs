//! Networks as people read them: rules with what they are worth, the strongest first.

use std::fmt::{self, Write};

use super::{Hidden, Network, Rule};
use crate::logic::Term;

impl Network {
    /// The rules, strongest first, each behind what it is worth. Without its comments it is what `lrbm convert --rules` reads.
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
        writeln!(out, "% score(y) = d(y) + the sum over rules of log(1 + exp(c + U(y) + W if the rule holds))")?;
        writeln!(out, "% P(y) = exp(score(y)) / sum of exp(score); W is the sum over the predicates of the rule.")?;
        writeln!(
            out,
            "% The number before a rule is what it adds to the log-odds of its class when it holds; \\+ negates"
        )?;
        writeln!(out, "% inside one grounding, and `not (...)` says that no grounding exists.")?;
        writeln!(out, "\n% before any rule holds; d = {}", numbers(&self.d))?;
        let always = Rule::default();
        let head = always.show(self.target, self.names()).to_string();
        let scores = self.scores(|_| false);
        match scores[..] {
            [s0, s1] => writeln!(out, "{:.4} {head}.", s1 - s0)?,
            // Every class is named, also one that no rule speaks for.
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
            1 => writeln!(out, "; one literal dropped that no training example noticed")?,
            n => writeln!(out, "; {n} literals dropped that no training example noticed")?,
        }
        let clause = node.rule.show(self.target, self.names()).to_string();
        let (head, body) = clause
            .split_once(" :- ")
            .map_or((&clause[..], String::new()), |(head, body)| (head, format!(" :- {body}")));
        for (class, value) in self.relative(&node.worth()) {
            writeln!(out, "{value:.4} {head}{class}{body}.")?;
        }
        Ok(())
    }

    /// What to say of what a rule is worth: of two classes one number, for the second; of more, one for each class but those
    /// with the value that most have.
    fn relative(&self, worth: &[f64]) -> Vec<(String, f64)> {
        if let [w0, w1] = worth[..] {
            return vec![(String::new(), w1 - w0)];
        }
        let shared = |&&value: &&f64| worth.iter().filter(|&&other| other == value).count();
        // The last of the largest counts is the first from behind.
        let common = worth.iter().rev().max_by_key(shared).copied().unwrap_or_default();
        let all = self.classes().iter().zip(worth).map(|(class, value)| (self.of_class(class), value - common));
        let mut said: Vec<_> = all.clone().filter(|(_, value)| *value != 0.0).collect();
        if said.is_empty() {
            said.extend(all.take(1));
        }
        said
    }

    /// What stands behind the head of a rule for one class of many.
    fn of_class(&self, class: &str) -> String {
        // Names of classes are quoted already where they must be, but for those in files of networks that nobody learned from data.
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

impl fmt::Display for super::Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let super::Size { visible, hidden, classes, literals, edges } = *self;
        let many = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (predicates, rules) = (many(visible, "predicate"), many(hidden, "rule"));
        write!(f, "{predicates}, {rules} with {}, {classes} classes; ", many(literals, "literal"))?;
        let percent = 100.0 * self.density();
        write!(f, "{edges} of {} edges between predicates and rules ({percent:.0}%)", visible * hidden)
    }
}
