//! Templates: weighted rules from which a network is unrolled for each example.
//!
//! A predicate at the head of a rule is *latent*: its atoms are neurons, and its facts are ignored.
//! All other predicates are facts. The target heads some rules and occurs in no body, and the
//! dependency graph of predicates is acyclic.

use crate::determinism::{HashMap, IndexSet};
use crate::kb::Database;
use crate::learn::clauses::Clause;
use crate::logic::clause::{show_conjunction, variable_name};
use crate::logic::rename::{self, Names};
use crate::logic::rule::ParsedRule;
use crate::logic::{
    Argument, Diagnostic, Diagnostics, Literal, PredicateId, Predicates, SymbolTableFull, Symbols, Term, Variable,
};
use crate::rbm::network::{Scope, unknown_predicate};

/// A rule of a template. Its head variables are `0..arity`.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateRule {
    /// Predicate of the head.
    pub head: PredicateId,
    /// Body of positive literals.
    pub body: Vec<Literal>,
    /// Initial weight given in the file.
    pub weight: Option<f64>,
}

/// Rules for a target and for the latent predicates they use.
#[derive(Clone, Debug)]
pub struct Template {
    /// Predicates of the rules.
    pub predicates: Predicates,
    /// Constants of the rules.
    pub symbols: Symbols,
    /// The rules.
    pub rules: Vec<TemplateRule>,
    /// The predicates at the head of rules, the target first.
    heads: IndexSet<PredicateId>,
}

impl Template {
    /// Creates a template without rules.
    pub(super) fn new(name: &str, arity: usize) -> Self {
        let mut predicates = Predicates::default();
        let target = predicates.intern(name, arity);
        Template { predicates, symbols: Symbols::new(), rules: Vec::new(), heads: IndexSet::from_iter([target]) }
    }

    /// Returns the target.
    pub fn target(&self) -> PredicateId {
        self.heads[0]
    }

    /// Returns the predicates at the head of rules, the target first.
    pub fn heads(&self) -> impl ExactSizeIterator<Item = PredicateId> + '_ {
        self.heads.iter().copied()
    }

    /// Returns the index of a predicate among the heads.
    pub fn head_number(&self, predicate: PredicateId) -> Option<usize> {
        self.heads.get_index_of(&predicate)
    }

    /// Adds a rule.
    pub(super) fn push(&mut self, rule: TemplateRule) {
        self.heads.insert(rule.head);
        self.rules.push(rule);
    }

    /// Returns the name tables of the rules.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// Converts learned clauses to rules for the target. Each evidence predicate `p` gets a latent
    /// predicate, `soft_p(A, B) :- p(A, B)`, whose weight says how much a fact of `p` counts in all
    /// rules.
    ///
    /// # Errors
    /// If the table of constants is full.
    pub fn from_clauses(clauses: &[Clause], database: &Database, target: PredicateId) -> Result<Self, SymbolTableFull> {
        let mut template = Template::new(database.predicates.name(target), database.predicates.arity(target));
        let mut softened: Vec<(PredicateId, PredicateId)> = Vec::new();
        for clause in clauses {
            let mut body = Vec::with_capacity(clause.body.len());
            for literal in &clause.body {
                let Template { predicates, symbols, .. } = &mut template;
                let mut own = rename::intern(literal, database.names(), predicates, symbols)?;
                let known = softened.iter().find(|(hard, _)| *hard == own.predicate).map(|&(_, soft)| soft);
                let soft = known.unwrap_or_else(|| {
                    let mut name = format!("soft_{}", predicates.name(own.predicate));
                    while database.predicates.find(&name, own.args.len()).is_some() {
                        name.push('_');
                    }
                    let soft = predicates.intern(&name, own.args.len());
                    softened.push((own.predicate, soft));
                    soft
                });
                own.predicate = soft;
                body.push(own);
            }
            let head = template.target();
            template.push(TemplateRule { head, body, weight: None });
        }
        for (hard, soft) in softened {
            let args = (0..template.predicates.arity(hard) as u32).map(|k| Argument::Variable(Variable(k))).collect();
            template.push(TemplateRule { head: soft, body: vec![Literal::new(hard, args)], weight: None });
        }
        Ok(template)
    }

    /// Converts rules from a file; rules whose head is not the target define latent predicates.
    ///
    /// # Errors
    /// If a rule cannot be part of a template; all problems are reported together.
    pub fn from_rules(rules: &[ParsedRule], target: (&str, usize)) -> Result<Self, Diagnostics> {
        let mut template = Template::new(target.0, target.1);
        let mut diagnostics = Diagnostics::default();
        for written in rules {
            match template.read(written) {
                Ok(rule) => template.push(rule),
                Err(diagnostic) => diagnostics.push(diagnostic.at(written.location.clone())),
            }
        }
        if !diagnostics.has_errors()
            && let Err(what) = template.check()
        {
            let help =
                "use facts and latent predicates in bodies, without cycles and with few levels of latent predicates";
            diagnostics.push(Diagnostic::error("template", what, help));
        }
        if diagnostics.has_errors() { Err(diagnostics) } else { Ok(template) }
    }

    fn read(&mut self, written: &ParsedRule) -> Result<TemplateRule, Box<Diagnostic>> {
        let reject = |code, message: String, help: &str| Err(Box::new(Diagnostic::error(code, message, help)));
        if written.class.is_some() || !written.conditions.is_empty() || written.body.iter().any(|l| l.negated) {
            let message = format!("the rule for {} has a class, a negation or a condition", written.head.predicate);
            return reject("not-definite", message, "write a head and positive literals only");
        }
        if written.weight.is_some_and(|weight| !(-MAX_INITIAL_WEIGHT..=MAX_INITIAL_WEIGHT).contains(&weight)) {
            let help = "write a weight from -1000 to 1000, or omit it";
            return reject("weight", "the initial weight is too large".to_owned(), help);
        }
        let mut names: Vec<&str> = Vec::new();
        for term in &written.head.args {
            match term {
                Term::Variable(name) if name == "_" || !names.contains(&name.as_str()) => names.push(name),
                term => {
                    let message = format!("`{term}` in the head; the arguments of a head must be distinct variables");
                    return reject(
                        "head-argument",
                        message,
                        "write a variable, and restrict it by a literal of the body",
                    );
                }
            }
        }
        let mut scope = Scope { next: names.len() as u32, head: names };
        let Template { predicates, symbols, .. } = self;
        let full =
            |error: SymbolTableFull| Box::new(Diagnostic::error("full", error.to_string(), "use fewer constants"));
        let body = scope.literals(&written.body, predicates, symbols).map_err(full)?;
        let head = predicates.intern(&written.head.predicate, written.head.args.len());
        Ok(TemplateRule { head, body, weight: written.weight })
    }

    /// Checks that the rules form a template; the error describes the first problem.
    pub(super) fn check(&self) -> Result<(), String> {
        let target = self.target();
        if !self.rules.iter().any(|rule| rule.head == target) {
            return Err(format!("no rule has the target {} as its head", self.predicates.show(target)));
        }
        for rule in &self.rules {
            let shown = self.predicates.show(rule.head);
            if rule.body.is_empty() {
                return Err(format!("a rule for {shown} has no body; remove it, since biases are always learned"));
            }
            if rule.body.iter().any(|literal| literal.negated) {
                return Err(format!("a rule for {shown} has a negated literal"));
            }
            if rule.body.iter().any(|literal| literal.predicate.comparison().is_some()) {
                return Err(format!("a rule for {shown} has a comparison, which templates do not support"));
            }
            let binds = |k: u32| rule.body.iter().flat_map(Literal::variables).any(|variable| variable.0 == k);
            // The example binds the target's variables.
            if rule.head != target && !(0..self.predicates.arity(rule.head) as u32).all(binds) {
                return Err(format!("a rule for {shown} does not bind all variables of its head"));
            }
        }
        let depths = self.depths();
        let open: IndexSet<PredicateId> =
            self.heads.iter().zip(&depths).filter(|(_, depth)| depth.is_none()).map(|(&head, _)| head).collect();
        if let Some(&head) = open.first() {
            return Err(self.describe_cycle(head, &open));
        }
        if self.rules.iter().flat_map(|rule| &rule.body).any(|literal| literal.predicate == target) {
            return Err(format!("the target {} occurs in a body", self.predicates.show(target)));
        }
        let too_deep = |depth: Depth| depth.levels > MAX_LEVELS || depth.literals > MAX_LITERALS;
        match self.heads.iter().zip(depths).find(|(_, depth)| depth.is_some_and(too_deep)) {
            Some((&head, _)) => Err(format!(
                "the rules for {} are nested too deeply: more than {MAX_LEVELS} levels, or more than {MAX_LITERALS} literals \
                 on a path",
                self.predicates.show(head)
            )),
            None => Ok(()),
        }
    }

    /// Returns the depth of each head over all its rules; `None` for a predicate on or above a
    /// cycle.
    fn depths(&self) -> Vec<Option<Depth>> {
        let heads = self.heads.len();
        // `users`: for each head, the rules that use it, once per literal; `waits`: for each rule,
        // its literals with unsettled heads.
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); heads];
        let mut waits = vec![0usize; self.rules.len()];
        let mut open = vec![0usize; heads];
        let of: Vec<usize> = self.rules.iter().map(|rule| self.head_number(rule.head).unwrap_or_default()).collect();
        for (number, rule) in self.rules.iter().enumerate() {
            open[of[number]] += 1;
            for latent in rule.body.iter().filter_map(|literal| self.head_number(literal.predicate)) {
                users[latent].push(number);
                waits[number] += 1;
            }
        }
        let mut depths = vec![Depth::default(); heads];
        let mut below = vec![Depth::default(); self.rules.len()];
        let mut ready: Vec<usize> = (0..self.rules.len()).filter(|&rule| waits[rule] == 0).collect();
        let mut settled = vec![false; heads];
        while let Some(rule) = ready.pop() {
            let head = of[rule];
            depths[head] = depths[head].max(below[rule].under(self.rules[rule].body.len()));
            open[head] -= 1;
            if open[head] > 0 {
                continue;
            }
            settled[head] = true;
            for &user in &users[head] {
                below[user] = below[user].max(depths[head]);
                waits[user] -= 1;
                if waits[user] == 0 {
                    ready.push(user);
                }
            }
        }
        settled.into_iter().zip(depths).map(|(settled, depth)| settled.then_some(depth)).collect()
    }

    /// Describes a dependency cycle; each `open` predicate has a rule with another open one in its
    /// body.
    fn describe_cycle(&self, from: PredicateId, open: &IndexSet<PredicateId>) -> String {
        let mut successor: HashMap<PredicateId, PredicateId> = HashMap::default();
        for rule in self.rules.iter().filter(|rule| open.contains(&rule.head)) {
            if let Some(literal) = rule.body.iter().find(|literal| open.contains(&literal.predicate)) {
                successor.entry(rule.head).or_insert(literal.predicate);
            }
        }
        let mut path: IndexSet<PredicateId> = IndexSet::from_iter([from]);
        let mut at = from;
        while let Some(&next) = successor.get(&at) {
            if let Some(start) = path.get_index_of(&next) {
                path = path.split_off(start);
                break;
            }
            path.insert(next);
            at = next;
        }
        let mut names = path.iter().map(|&id| self.predicates.show(id).to_string());
        let first = names.next().unwrap_or_default();
        let others: Vec<String> = names.collect();
        let through = if others.is_empty() { String::new() } else { format!(", through {}", others.join(", ")) };
        format!("{first} depends on itself{through}")
    }

    /// Warns about latent predicates whose facts in the database are ignored.
    pub fn unused_facts(&self, database: &Database) -> Diagnostics {
        let mut found = Diagnostics::default();
        for id in self.heads().filter(|&id| id != self.target()) {
            let (name, arity) = (self.predicates.name(id), self.predicates.arity(id));
            let known = database.predicates.find(name, arity);
            let facts = known.map_or(0, |known| database.facts.relation(known).len());
            if facts > 0 {
                let shown = self.predicates.show(id);
                let message = format!("{shown} heads a rule, so it is latent: its {facts} facts are ignored");
                let help = "rename the latent predicate, and add a rule that derives it from the facts";
                found.push(Diagnostic::warning("facts-of-latent", message, help).about(name));
            }
        }
        found
    }

    /// Warns about predicates of the rules that the database does not have, which are probably
    /// misspelled.
    pub fn check_names(&self, database: &Database) -> Diagnostics {
        let mut found = Diagnostics::default();
        let mut seen: IndexSet<PredicateId> = IndexSet::default();
        for literal in self.rules.iter().flat_map(|rule| &rule.body) {
            let id = literal.predicate;
            if !self.heads.contains(&id) && seen.insert(id) {
                let unknown = unknown_predicate(self.predicates.name(id), self.predicates.arity(id), database);
                unknown.into_iter().for_each(|unknown| found.push(unknown));
            }
        }
        found
    }

    /// Formats a rule.
    pub fn show(&self, rule: &TemplateRule) -> String {
        let head = self.predicates.name(rule.head);
        let args: Vec<String> =
            (0..self.predicates.arity(rule.head) as u32).map(|k| variable_name(Variable(k)).to_string()).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        format!("{head}{args} :- {}.", show_conjunction(&rule.body, &self.predicates, &self.symbols))
    }
}

/// Maximum number of nested rules and of their literals: nested rules are searched recursively.
const MAX_LEVELS: usize = 100;
const MAX_LITERALS: usize = 1000;

/// Maximum number of nested rules, and of their literals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Depth {
    levels: usize,
    literals: usize,
}

impl Depth {
    /// Returns the depth under one more rule.
    fn under(self, literals: usize) -> Self {
        Depth { levels: self.levels + 1, literals: self.literals + literals }
    }

    fn max(self, other: Self) -> Self {
        Depth { levels: self.levels.max(other.levels), literals: self.literals.max(other.literals) }
    }
}

/// Maximum absolute initial weight.
const MAX_INITIAL_WEIGHT: f64 = 1000.0;
