//! Networks from hand-written rules.

use super::{Condition, Hidden, MAX_CONTRIBUTION, Network, Rule, is_valid_contribution, two_classes};
use crate::cover::MAX_GROUNDINGS;
use crate::determinism::{HashMap, IndexSet};
use crate::kb::Database;
use crate::logic::nearest::nearest;
use crate::logic::reader::intern_term;
use crate::logic::rule::{ParsedCondition, ParsedRule};
use crate::logic::wire;
use crate::logic::{
    Argument, BodyLiteral, Comparison, Diagnostic, Diagnostics, Literal, Number, Predicates, SymbolTableFull, Symbols,
    Term, Variable,
};

impl Network {
    /// Builds a network from rules. Each contributes its weight while it is true, `unweighted` if
    /// it has none, and nothing otherwise (see [`Hidden::indicator`]). Sentences without a body set
    /// the biases.
    ///
    /// # Errors
    /// If the rules are inconsistent or invalid; all errors are reported at once.
    pub fn from_rules(rules: &[ParsedRule], unweighted: f64) -> Result<Network, Diagnostics> {
        let mut errors = Diagnostics::default();
        let Some(first) = rules.first() else {
            let help = "write at least one, such as `advisedby(A, B) :- publication(T, A), publication(T, B).`";
            errors.push(Diagnostic::error("no-rules", "there are no rules", help));
            return Err(errors);
        };
        let classes = classes(rules, &mut errors);
        let target = (first.head.predicate.as_str(), first.head.args.len());
        let biases = vec![0.0; classes.len()];
        let mut network = Network::new(target, classes, biases, format!("{} rules written by hand", rules.len()));
        for parsed in rules {
            match network.add(parsed, target, unweighted) {
                Ok(()) => {}
                Err(diagnostic) => errors.push(diagnostic.at(parsed.location.clone())),
            }
        }
        if errors.has_errors() { Err(errors) } else { Ok(network) }
    }

    fn add(&mut self, parsed: &ParsedRule, target: (&str, usize), unweighted: f64) -> Result<(), Box<Diagnostic>> {
        let (name, arity) = target;
        if (parsed.head.predicate.as_str(), parsed.head.args.len()) != target {
            let (found, args) = (&parsed.head.predicate, parsed.head.args.len());
            let message = format!("a rule for {found}/{args} among rules for {name}/{arity}");
            let help = "give the rules of one target in one file";
            return invalid("other-target", message, help);
        }
        let class = match &parsed.class {
            None => 1,
            Some(class) => {
                let name = class_name(class);
                self.classes().iter().position(|known| *known == name).unwrap_or_default()
            }
        };
        let rule = self.rule(parsed)?;
        if let Err(error) = wire::check(arity, rule.literals()) {
            return invalid(
                "too-large",
                error.to_string(),
                "a network file cannot store such a rule: split it into smaller ones",
            );
        }
        let weight = parsed.weight.unwrap_or(unweighted);
        if !is_valid_contribution(weight) {
            let message = format!("the weight {weight} is out of range");
            let help = format!(
                "write a number from -{MAX_CONTRIBUTION} to {MAX_CONTRIBUTION}, such as 2.5; 40 is practically certain"
            );
            return invalid("weight", message, help);
        }
        if rule.is_always() {
            self.d[class] += parsed.weight.unwrap_or(0.0);
            return Ok(());
        }
        let mut contributions = vec![0.0; self.classes().len()];
        contributions[class] = weight;
        self.push(Hidden::indicator(rule, &contributions));
        Ok(())
    }

    fn rule(&mut self, parsed: &ParsedRule) -> Result<Rule, Box<Diagnostic>> {
        let mut scope = Scope { head: Vec::new(), next: parsed.head.args.len() as u32 };
        for (k, term) in parsed.head.args.iter().enumerate() {
            let Term::Variable(variable) = term else {
                let message = format!("`{term}` in the head of a rule, where only variables are allowed");
                let help = "write a variable, and constrain it by a literal in the body";
                return invalid("head-argument", message, help);
            };
            let is_named = variable != "_";
            if is_named && parsed.head.args[..k].contains(term) {
                let message = format!("the variable `{variable}` occurs twice in the head");
                let help = "write two variables, and a literal in the body that makes them equal";
                return invalid("head-argument", message, help);
            }
            scope.head.push(variable);
        }
        let groups = || {
            let conditions = parsed.conditions.iter().map(|condition| condition.body.as_slice());
            std::iter::once(parsed.body.as_slice()).chain(conditions)
        };
        let has_literals = groups().any(|group| !group.is_empty());
        let is_mentioned = |name: &str| groups().any(|group| variables(group).any(|other| other == name));
        let unbound = |name: &&&str| !name.starts_with('_') && !is_mentioned(name);
        if let Some(variable) = scope.head.iter().find(unbound).filter(|_| has_literals) {
            let message = format!("the variable `{variable}` of the head does not occur in the body");
            let help = format!("mention {variable} in the body, or write `_` in its place if it may be anything");
            return invalid("unbound-head-variable", message, help);
        }
        for (k, group) in groups().enumerate() {
            let shared = |name: &&str| {
                let elsewhere = groups().enumerate().filter(|&(other, _)| other != k);
                *name != "_"
                    && !scope.head.contains(name)
                    && elsewhere.flat_map(|(_, group)| variables(group)).any(|other| other == *name)
            };
            if let Some(variable) = variables(group).find(shared) {
                let message = format!("the variable `{variable}` occurs both inside and outside of a condition");
                let help = format!(
                    "a condition may share only head variables: negate inside the grounding with `\\+`, or repeat the \
                     literals that bind {variable} in the condition under another name"
                );
                return invalid("shared-variable", message, help);
            }
        }
        groups().try_for_each(|group| check_comparisons(group, &scope.head))?;
        let full = |error: SymbolTableFull| Box::new(Diagnostic::error("full", error.to_string(), "use fewer names"));
        let (predicates, symbols) = (&mut self.predicates, &mut self.symbols);
        let body = scope.literals(&parsed.body, predicates, symbols).map_err(full)?;
        let mut conditions = Vec::new();
        for ParsedCondition { holds, at_least, body } in &parsed.conditions {
            let max = f64::from(MAX_GROUNDINGS);
            if at_least.fract() != 0.0 || !(1.0..=max).contains(at_least) {
                let message = format!("at_least({at_least}, …) is not a valid number of groundings");
                return invalid("at-least", message, format!("write an integer from 1 to {max}"));
            }
            let body = scope.literals(body, predicates, symbols).map_err(full)?;
            conditions.push(Condition { holds: *holds, at_least: *at_least as u32, body });
        }
        Ok(Rule::new(body, conditions, parsed.head.args.len()))
    }

    /// Checks the names in the rules against a database: an unknown predicate is an error, since it
    /// is misspelled or belongs to other data; an unknown constant is a warning.
    pub fn check_names(&self, database: &Database) -> Diagnostics {
        let mut found = Diagnostics::default();
        for id in self.visible() {
            if let Some(unknown) = unknown_predicate(self.predicates.name(id), self.predicates.arity(id), database) {
                found.push(unknown);
            }
        }
        let mut seen: IndexSet<String> = IndexSet::default();
        for arg in self.hidden.iter().flat_map(|node| node.rule.literals()).flat_map(|literal| &literal.args) {
            let Argument::Constant(constant) = *arg else { continue };
            let known = match self.symbols.number(constant) {
                Some(value) => database.symbols.find_number(value),
                None => database.symbols.find(self.symbols.name(constant).unwrap_or_default()),
            };
            if known.is_none() && seen.insert(self.symbols.show(constant).to_string()) {
                let text = self.symbols.show(constant).to_string();
                let message = format!("rules mention the constant {text}, which does not occur in the data");
                let help = "a literal with it is never true; check its spelling";
                found.push(Diagnostic::warning("unknown-constant", message, help).about(text));
            }
        }
        found
    }
}

/// Returns the diagnostic for a predicate in rules that a database does not have.
pub(crate) fn unknown_predicate(name: &str, arity: usize, database: &Database) -> Option<Diagnostic> {
    let predicates = &database.predicates;
    if predicates.find(name, arity).is_some() {
        return None;
    }
    let known = || predicates.iter().map(|id| predicates.name(id));
    let same = predicates.iter().filter(|&id| predicates.name(id) == name);
    let others: Vec<String> = same.map(|id| predicates.show(id).to_string()).collect();
    let help = match nearest(name, known()) {
        _ if !others.is_empty() => format!("the data have {}: use the same number of arguments", others.join(", ")),
        Some(near) => format!("did you mean `{near}`? names are case-sensitive"),
        None if predicates.is_empty() => "the data have no facts".to_owned(),
        None => format!("the data have {}", known().collect::<Vec<_>>().join(", ")),
    };
    let message = format!("rules mention {name}/{arity}, which does not occur in the data");
    Some(Diagnostic::error("unknown-predicate", message, help))
}

/// Returns an error about a rule.
fn invalid<T>(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Result<T, Box<Diagnostic>> {
    Err(Box::new(Diagnostic::error(code, message, help)))
}

/// Returns the variables of parsed literals.
fn variables(body: &[BodyLiteral]) -> impl Iterator<Item = &str> {
    // A variable inside a compound term is part of its name and binds nothing.
    body.iter().flat_map(|literal| &literal.atom.args).filter_map(|term| match term {
        Term::Variable(name) => Some(name.as_str()),
        _ => None,
    })
}

/// Checks that only numbers and bound variables are compared.
fn check_comparisons(body: &[BodyLiteral], head: &[&str]) -> Result<(), Box<Diagnostic>> {
    let compares = |literal: &BodyLiteral| Comparison::ALL.iter().any(|known| known.name() == literal.atom.predicate);
    let binds = |literal: &BodyLiteral, name: &str| {
        let own = |term: &Term| matches!(term, Term::Variable(other) if other == name);
        !literal.negated && !compares(literal) && literal.atom.args.iter().any(own)
    };
    for term in body.iter().filter(|literal| compares(literal)).flat_map(|literal| &literal.atom.args) {
        match term {
            Term::Number(_) => {}
            Term::Variable(name) => {
                let bound =
                    name != "_" && (head.contains(&name.as_str()) || body.iter().any(|literal| binds(literal, name)));
                if !bound {
                    let message = format!("the variable `{name}` is compared but not bound");
                    let help =
                        format!("mention {name} in another literal that is not negated, as in `p(A, X), X <= 0.5`");
                    return invalid("unbound-comparison", message, help);
                }
            }
            other => {
                let message = format!("`{other}` is compared but is not a number");
                return invalid("not-a-number", message, "compare a variable with a number or with another variable");
            }
        }
    }
    Ok(())
}

/// The names of the head variables, and the next free variable number.
pub(crate) struct Scope<'a> {
    pub head: Vec<&'a str>,
    pub next: u32,
}

impl Scope<'_> {
    /// Converts literals, numbering local variables.
    pub fn literals(
        &mut self,
        body: &[BodyLiteral],
        predicates: &mut Predicates,
        symbols: &mut Symbols,
    ) -> Result<Vec<Literal>, SymbolTableFull> {
        let mut local: HashMap<&str, Variable> = HashMap::default();
        let mut literals = Vec::with_capacity(body.len());
        for BodyLiteral { negated, atom } in body {
            let predicate = predicates.intern(&atom.predicate, atom.args.len());
            let mut args = Vec::with_capacity(atom.args.len());
            for term in &atom.args {
                args.push(match term {
                    Term::Variable(name) => {
                        let place = self.head.iter().position(|head| head == name && name != "_");
                        let next = &mut self.next;
                        let mut fresh = || {
                            *next += 1;
                            Variable(*next - 1)
                        };
                        Argument::Variable(match place {
                            Some(k) => Variable(k as u32),
                            // Each `_` is a new variable.
                            None if name == "_" => fresh(),
                            None => *local.entry(name).or_insert_with(fresh),
                        })
                    }
                    // The number in a comparison need not be a constant of the data.
                    Term::Number(value) if predicate.comparison().is_some() => Argument::Number(Number::new(*value)),
                    term => Argument::Constant(intern_term(symbols, term)?),
                });
            }
            literals.push(Literal { negated: *negated, predicate, args });
        }
        Ok(literals)
    }
}

/// Returns the name of a class, as it is given for data with the class as an argument.
fn class_name(term: &Term) -> String {
    term.to_string()
}

/// Returns the classes that rules name, in order of first occurrence; without any, those of a
/// binary target.
fn classes(rules: &[ParsedRule], errors: &mut Diagnostics) -> Vec<String> {
    let class_names: IndexSet<String> = rules.iter().filter_map(|rule| rule.class.as_ref()).map(class_name).collect();
    let two = two_classes();
    if class_names.iter().all(|name| two.contains(name)) {
        return two;
    }
    if let Some(rule) = rules.iter().find(|rule| rule.class.is_none()) {
        let message = "a rule without a class among rules with classes";
        let help = "write it after the head, as in `collab(P, Q) = 3 :- …`, for all rules or for none";
        errors.push(Diagnostic::error("rule-class", message, help).at(rule.location.clone()));
    }
    if class_names.len() < 2 {
        let message = format!("{} is the only class", class_names[0]);
        let help = "name every class; declare one without rules by a sentence such as `0 collab(_, _) = 2.`";
        errors.push(Diagnostic::error("one-class", message, help));
        return two;
    }
    class_names.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::sample;
    use crate::logic::rule::parse_rules;
    use std::path::Path;

    fn network(text: &str) -> Result<Network, String> {
        let rules = parse_rules(Path::new("r.txt"), text).map_err(|error| error.to_string())?;
        Network::from_rules(&rules, 1.0).map_err(|error| error.to_string())
    }

    #[test]
    fn rules_of_two_classes() {
        let found = network(
            "-1.5 h(_, _). 2 h(A, B) :- p(A, X), p(B, X), \\+ q(X). h(_, B) :- not (p(B, X), q(X)), at_least(2, (p(B, _))).",
        );
        let network = found.unwrap();
        assert_eq!(network.biases(), [0.0, -1.5]);
        assert_eq!(network.hidden().iter().map(Hidden::strength).collect::<Vec<_>>(), [2.0, 1.0]);
        let shown = |j: usize| {
            let node: &Hidden = &network.hidden()[j];
            node.rule.show(network.target(), network.names()).to_string()
        };
        assert_eq!(shown(0), r"h(A, B) :- p(A, C), p(B, C), \+ q(C)");
        assert_eq!(shown(1), "h(_, B) :- not (p(B, C), q(C)), at_least(2, (p(B, D)))");
    }

    #[test]
    fn the_printed_network_can_be_parsed_again() {
        let text =
            "1.5 h(_, _) = a. 0 h(_, _) = b. 2 h(A, B) = a :- p(A, X), \\+ q(X, B). -1 h(A, _) = c :- not (p(A, X)).";
        let first = network(text).unwrap();
        let second = network(&first.describe()).unwrap();
        // Rules and contributions are the same; the order of classes and rules may differ.
        let rules = |network: &Network| {
            let mut all: Vec<String> =
                network.describe().lines().filter(|line| !line.starts_with('%')).map(str::to_owned).collect();
            all.sort();
            all
        };
        assert_eq!(rules(&first), rules(&second));
    }

    #[test]
    fn comparisons_of_numbers() {
        let text = "2 h(A) :- p(A, X), X <= -0.25. -1 h(A) :- not (p(A, X), X >= 3), p(A, Y), p(A, Z), Y < Z.";
        let first = network(text).unwrap();
        let shown =
            |network: &Network, j: usize| network.hidden()[j].rule.show(network.target(), network.names()).to_string();
        assert_eq!(shown(&first, 0), "h(A) :- p(A, B), B <= -0.25");
        assert_eq!(shown(&first, 1), "h(A) :- p(A, B), p(A, C), C > B, not (p(A, D), 3 <= D)");
        // The printed form and the file give the same network.
        let again = network(&first.describe()).unwrap();
        assert_eq!((shown(&again, 0), shown(&again, 1)), (shown(&first, 0), shown(&first, 1)));
        let file = first.to_json();
        assert!(
            file.contains("\"version\": 2") && network("h(A) :- p(A).").unwrap().to_json().contains("\"version\": 1")
        );
        let read = Network::from_json(&file).unwrap();
        assert_eq!(read.hidden(), first.hidden());
        assert_eq!(read.to_json(), file);
        let (database, ..) = sample::build("p(a, 1). h(X) :- p(X, Y).", None);
        assert!(first.check_names(&database).iter().next().is_none());
    }

    #[test]
    fn rules_with_an_excessive_total_contribution_are_not_merged() {
        let merged = |weight: &str| {
            let text = format!("{weight} h(A) :- p(A). {weight} h(A) :- p(A).");
            network(&text).unwrap().merged().hidden().iter().map(Hidden::strength).collect::<Vec<_>>()
        };
        assert_eq!(merged("400000"), [800_000.0]);
        assert_eq!(merged("-600000"), [600_000.0, 600_000.0]);
    }

    #[test]
    fn invalid_rules_are_rejected() {
        for (text, code, words) in [
            ("", "no-rules", "at least one"),
            ("h(A, B) :- p(A).", "unbound-head-variable", "write `_` in its place"),
            ("h(A) :- p(A). g(A) :- p(A).", "other-target", "g/1 among rules for h/1"),
            ("h(a) :- p(a).", "head-argument", "only variables"),
            ("h(A, A) :- p(A).", "head-argument", "occurs twice"),
            ("h(A) :- p(A, X), not (q(X)).", "shared-variable", "negate inside the grounding with `\\+`"),
            ("2e6 h(A) :- p(A).", "weight", "the weight 2000000 is out of range"),
            ("-1e300 h(A) :- p(A).", "weight", "from -1000000 to 1000000"),
            ("1e17 h(_).", "weight", "from -1000000 to 1000000"),
            ("h(A) :- at_least(2.5, (p(A))).", "at-least", "from 1 to 100"),
            ("h(A) :- at_least(101, (p(A))).", "at-least", "from 1 to 100"),
            ("h(A) :- p(A), X <= 3.", "unbound-comparison", "the variable `X` is compared"),
            ("h(A) :- p(A), \\+ q(A, X), X > 3.", "unbound-comparison", "that is not negated"),
            ("h(A) :- p(A, X), X <= red.", "not-a-number", "`red` is compared"),
            ("h(A) :- p(A, X), not (q(A), X <= 3).", "shared-variable", "another name"),
            ("h(A) = x :- p(A).", "one-class", "`0 collab(_, _) = 2.`"),
            ("h(A) = x :- p(A). h(A) = y :- p(A). h(A) :- q(A).", "rule-class", "for all rules or for none"),
        ] {
            let error = network(text).unwrap_err();
            assert!(error.contains(&format!("error[{code}]")) && error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn rules_too_large_for_a_file_are_rejected() {
        let chain = |from: usize, to: usize| -> String {
            let links: Vec<String> = (from..to).map(|k| format!("q(V{k}, V{})", k + 1)).collect();
            links.join(", ")
        };
        // One head variable, then V1 to V9999.
        let largest = network(&format!("h(A) :- p(A), {}.", chain(1, 9_999))).unwrap();
        assert!(Network::from_json(&largest.to_json()).is_ok());
        let wide = format!("p(A{})", ", a".repeat(9_999));
        for (body, words) in [
            (format!("p(A), {}", chain(1, 10_000)), "at least 10001 variables, but at most 10000 are supported"),
            // Those of conditions count as well.
            (format!("p(A), {}, not ({})", chain(1, 6_000), chain(6_001, 12_000)), "at least 10001 variables"),
            (wide, "a predicate has 10000 arguments, but at most 9999 are supported"),
        ] {
            let error = network(&format!("h(A) :- {body}.")).unwrap_err();
            assert!(error.contains("error[too-large]") && error.contains(words), "{error}");
        }
        // A file may number the variables of each condition from the first on, but they count
        // together.
        let small = network("h(A) :- p(A), not (q(A, V)).").unwrap().to_json();
        let mut file: serde_json::Value = serde_json::from_str(&small).unwrap();
        let argument = |k: usize| serde_json::json!({ "variable": k });
        let literal = |k: usize| serde_json::json!({ "predicate": "q", "args": [argument(k), argument(k + 1)] });
        let body: Vec<serde_json::Value> = (1..6_000).map(literal).collect();
        let condition = &mut file["hidden"][0]["conditions"][0];
        condition["body"] = body.into();
        let condition = condition.clone();
        assert!(Network::from_json(&file.to_string()).is_ok());
        file["hidden"][0]["conditions"].as_array_mut().unwrap().push(condition);
        let error = Network::from_json(&file.to_string()).unwrap_err().to_string();
        assert!(error.contains("hidden[0]: a rule has at least 10001 variables"), "{error}");
    }

    #[test]
    fn names_missing_in_the_data_are_reported() {
        let (database, ..) = sample::build("publication(t, ann). h(X) :- publication(T, X).", None);
        let check = |text: &str| network(text).unwrap().check_names(&database);
        assert!(check("h(A) :- publication(T, A).").iter().next().is_none());
        let errors = check("h(A) :- publicaton(T, A).").to_string();
        assert!(
            errors.contains("error[unknown-predicate]") && errors.contains("did you mean `publication`?"),
            "{errors}"
        );
        let arity = check("h(A) :- publication(A).").to_string();
        assert!(arity.contains("the data have publication/2"), "{arity}");
        let constant = check("h(A) :- publication(u, A), publication(t, A).");
        assert!(!constant.has_errors() && constant.to_string().contains("the constant u"), "{constant}");
    }
}
