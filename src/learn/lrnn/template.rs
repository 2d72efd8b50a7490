//! Templates: weighted rules from which a network is unrolled for each example.
//!
//! A predicate at the head of a rule is *latent*: its atoms are neurons, and facts of it are not looked at. All others are
//! facts. The target is at the head of some rules and in no body, and no predicate depends on itself.

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

/// A rule of a template. The variables of its head are `0..arity`.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateRule {
    /// The predicate of its head.
    pub head: PredicateId,
    /// Its body; no literal is negated.
    pub body: Vec<Literal>,
    /// The weight that somebody wrote before it.
    pub weight: Option<f64>,
}

/// Rules for a target and for the latent predicates that they use.
#[derive(Clone, Debug)]
pub struct Template {
    /// The predicates of the rules.
    pub predicates: Predicates,
    /// Their constants.
    pub symbols: Symbols,
    /// The rules.
    pub rules: Vec<TemplateRule>,
    /// The predicates at the head of rules, the target first.
    heads: IndexSet<PredicateId>,
}

impl Template {
    /// No rules for a target yet.
    pub(super) fn new(name: &str, arity: usize) -> Self {
        let mut predicates = Predicates::default();
        let target = predicates.intern(name, arity);
        Template { predicates, symbols: Symbols::new(), rules: Vec::new(), heads: IndexSet::from_iter([target]) }
    }

    /// The target.
    pub fn target(&self) -> PredicateId {
        self.heads[0]
    }

    /// The predicates at the head of rules, the target first.
    pub fn heads(&self) -> impl ExactSizeIterator<Item = PredicateId> + '_ {
        self.heads.iter().copied()
    }

    /// The number of a predicate among the heads.
    pub fn head_number(&self, predicate: PredicateId) -> Option<usize> {
        self.heads.get_index_of(&predicate)
    }

    /// Adds a rule.
    pub(super) fn push(&mut self, rule: TemplateRule) {
        self.heads.insert(rule.head);
        self.rules.push(rule);
    }

    /// What the rules are written with.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// Clauses that were learned, as rules for the target. Between a literal and its facts stands a latent predicate of its
    /// own, `soft_p(A, B) :- p(A, B)`, whose weight says how much a fact of `p` counts in all rules.
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

    /// Rules that a person wrote; those whose head is not the target say what latent predicates are.
    ///
    /// # Errors
    /// If a rule cannot be part of a template; all that is wrong is told at once.
    pub fn from_rules(rules: &[ParsedRule], target: (&str, usize)) -> Result<Self, Diagnostics> {
        let mut template = Template::new(target.0, target.1);
        let mut wrong = Diagnostics::default();
        for written in rules {
            match template.read(written) {
                Ok(rule) => template.push(rule),
                Err(diagnostic) => wrong.push(diagnostic.at(written.location.clone())),
            }
        }
        if !wrong.has_errors()
            && let Err(what) = template.check()
        {
            let help = "write rules whose bodies are facts, or latent predicates of rules that do not lead back to them, few under each other";
            wrong.push(Diagnostic::error("template", what, help));
        }
        if wrong.has_errors() { Err(wrong) } else { Ok(template) }
    }

    fn read(&mut self, written: &ParsedRule) -> Result<TemplateRule, Box<Diagnostic>> {
        let refuse = |code, message: String, help: &str| Err(Box::new(Diagnostic::error(code, message, help)));
        if written.class.is_some() || !written.conditions.is_empty() || written.body.iter().any(|l| l.negated) {
            let message = format!("the rule for {} has a class, a negation or a condition", written.head.predicate);
            return refuse("not-definite", message, "a rule of a template is a head and literals that are not negated");
        }
        if written.weight.is_some_and(|weight| !(-MOST_WEIGHT..=MOST_WEIGHT).contains(&weight)) {
            let help = "write a weight from -1000 to 1000, or none";
            return refuse("weight", "the weight is too large to start from".to_owned(), help);
        }
        let mut names: Vec<&str> = Vec::new();
        for term in &written.head.args {
            match term {
                Term::Variable(name) if name == "_" || !names.contains(&name.as_str()) => names.push(name),
                term => {
                    let message = format!("`{term}` in the head, where only different variables can stand");
                    return refuse(
                        "head-argument",
                        message,
                        "write a variable, and a literal that says what it must be",
                    );
                }
            }
        }
        let mut scope = Scope { next: names.len() as u32, head: names };
        let Template { predicates, symbols, .. } = self;
        let full = |error: SymbolTableFull| Box::new(Diagnostic::error("full", error.to_string(), "use fewer names"));
        let body = scope.literals(&written.body, predicates, symbols).map_err(full)?;
        let head = predicates.intern(&written.head.predicate, written.head.args.len());
        Ok(TemplateRule { head, body, weight: written.weight })
    }

    /// Whether the rules make a template; what is wrong if they do not.
    pub(super) fn check(&self) -> Result<(), String> {
        let target = self.target();
        if !self.rules.iter().any(|rule| rule.head == target) {
            return Err(format!("no rule is for the target {}", self.predicates.show(target)));
        }
        for rule in &self.rules {
            let shown = self.predicates.show(rule.head);
            if rule.body.is_empty() {
                return Err(format!("a rule for {shown} has no body; biases are learned anyway"));
            }
            if rule.body.iter().any(|literal| literal.negated) {
                return Err(format!("a rule for {shown} has a negated literal"));
            }
            if rule.body.iter().any(|literal| literal.predicate.comparison().is_some()) {
                return Err(format!("a rule for {shown} compares numbers"));
            }
            let binds = |k: u32| rule.body.iter().flat_map(Literal::variables).any(|variable| variable.0 == k);
            // The example binds the target's.
            if rule.head != target && !(0..self.predicates.arity(rule.head) as u32).all(binds) {
                return Err(format!("a rule for {shown} does not mention all variables of its head"));
            }
        }
        let depths = self.depths();
        let open: IndexSet<PredicateId> =
            self.heads.iter().zip(&depths).filter(|(_, depth)| depth.is_none()).map(|(&head, _)| head).collect();
        if let Some(&head) = open.first() {
            return Err(self.circle(head, &open));
        }
        if self.rules.iter().flat_map(|rule| &rule.body).any(|literal| literal.predicate == target) {
            return Err(format!("the target {} stands in a body", self.predicates.show(target)));
        }
        let too_deep = |depth: Depth| depth.levels > MOST_LEVELS || depth.literals > MOST_LITERALS;
        match self.heads.iter().zip(depths).find(|(_, depth)| depth.is_some_and(too_deep)) {
            Some((&head, _)) => Err(format!(
                "the rules for {} and for the predicates that they use, one under the other, are more than {MOST_LEVELS} or have more \
                 than {MOST_LITERALS} literals",
                self.predicates.show(head)
            )),
            None => Ok(()),
        }
    }

    /// How deep each head is, over all its rules; `None` for a predicate that depends on itself, or on one that does.
    fn depths(&self) -> Vec<Option<Depth>> {
        let heads = self.heads.len();
        // For each head, the rules that use it, each once for every literal; for each rule, the literals that wait for their heads.
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

    /// Which predicate depends on itself, and through which others: each that is `open` has a rule that leads to another.
    fn circle(&self, from: PredicateId, open: &IndexSet<PredicateId>) -> String {
        let mut leads: HashMap<PredicateId, PredicateId> = HashMap::default();
        for rule in self.rules.iter().filter(|rule| open.contains(&rule.head)) {
            if let Some(literal) = rule.body.iter().find(|literal| open.contains(&literal.predicate)) {
                leads.entry(rule.head).or_insert(literal.predicate);
            }
        }
        let mut way: IndexSet<PredicateId> = IndexSet::from_iter([from]);
        let mut at = from;
        while let Some(&next) = leads.get(&at) {
            if let Some(start) = way.get_index_of(&next) {
                way = way.split_off(start);
                break;
            }
            way.insert(next);
            at = next;
        }
        let mut names = way.iter().map(|&id| self.predicates.show(id).to_string());
        let first = names.next().unwrap_or_default();
        let others: Vec<String> = names.collect();
        let through = if others.is_empty() { String::new() } else { format!(", through {}", others.join(", ")) };
        format!("{first} depends on itself{through}")
    }

    /// Warns of latent predicates that a database has facts of, which nobody will look at.
    pub fn unused_facts(&self, database: &Database) -> Diagnostics {
        let mut found = Diagnostics::default();
        for id in self.heads().filter(|&id| id != self.target()) {
            let (name, arity) = (self.predicates.name(id), self.predicates.arity(id));
            let known = database.predicates.find(name, arity);
            let facts = known.map_or(0, |known| database.facts.relation(known).len());
            if facts > 0 {
                let shown = self.predicates.show(id);
                let message =
                    format!("{shown} is at the head of a rule and so is latent: {facts} facts of it are not used");
                let help = "give the latent predicate a name of its own, and a rule whose body is the fact";
                found.push(Diagnostic::warning("facts-of-latent", message, help).about(name));
            }
        }
        found
    }

    /// What rules mention that a database does not have, which is probably misspelt.
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

    /// A rule as it is written.
    pub fn show(&self, rule: &TemplateRule) -> String {
        let head = self.predicates.name(rule.head);
        let args: Vec<String> =
            (0..self.predicates.arity(rule.head) as u32).map(|k| variable_name(Variable(k)).to_string()).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        format!("{head}{args} :- {}.", show_conjunction(&rule.body, &self.predicates, &self.symbols))
    }
}

/// How many rules may stand one under the other, and how many literals these may have: they are searched one inside the other.
const MOST_LEVELS: usize = 100;
const MOST_LITERALS: usize = 1000;

/// The most rules that stand one under the other, and the most literals of such rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Depth {
    levels: usize,
    literals: usize,
}

impl Depth {
    /// The same under one more rule.
    fn under(self, literals: usize) -> Self {
        Depth { levels: self.levels + 1, literals: self.literals + literals }
    }

    fn max(self, other: Self) -> Self {
        Depth { levels: self.levels.max(other.levels), literals: self.literals.max(other.literals) }
    }
}

/// The largest weight that rules may start from.
const MOST_WEIGHT: f64 = 1000.0;
