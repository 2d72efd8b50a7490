//! The lifted restricted Boltzmann machine as one network: predicates below, rules in the middle, classes on top.
//!
//! The visible nodes are the predicates that rules mention, the hidden nodes are the rules, and the output nodes are the
//! classes of the target. A rule is connected to the predicates that occur in it and to every class:
//!
//! ```text
//! score(y) = d_y + Σⱼ ζ(cⱼ + Uⱼy + fⱼ Σₖ Wⱼₖ)      p(y | x) = exp(score(y)) / Σ exp(score(y*))
//! ```
//!
//! where ζ is the softplus and fⱼ is 1 if rule j holds for the example. The inputs of a rule are lit together, when the rule
//! itself has a grounding: a predicate that is lit by another rule adds nothing.

mod convert;
pub mod draw;
mod equal;
pub mod explain;
mod fit;
mod infer;
mod print;
mod rule;
mod simplify;
mod wire;
mod written;

pub use convert::{ConvertError, Ensemble, Summands, exact, paper};
pub use fit::{FitOptions, Fitted, Hold, Patterns, Watch};
pub use infer::{Inference, against_others};
pub use rule::{Condition, Rule};
pub use wire::FORMAT;
pub(crate) use written::{Scope, unknown_predicate};

use std::sync::LazyLock;

use crate::determinism::IndexSet;
use crate::kb::{Database, Signature};
use crate::logic::rename::Names;
use crate::logic::{PredicateId, Predicates, Symbols};
use crate::math::softplus;

/// A hidden node: a rule and the weights of its edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Hidden {
    /// When it is lit.
    pub rule: Rule,
    /// Its bias.
    pub c: f64,
    /// One weight for each predicate of the rule, in the order of [`Rule::predicates`].
    pub w: Vec<f64>,
    /// One weight for each class.
    pub u: Vec<f64>,
    /// How many literals the rule has lost because no training example noticed.
    pub dropped: u32,
}

/// How far apart the two states of a hidden node are that is to say nothing while its rule does not hold: e⁻⁶⁰ is less than a
/// double can add to 1.
const APART: f64 = 60.0;

/// The most that one rule can be worth, either way: sums of many such values still have all the digits that keep nodes apart.
pub const MOST_WORTH: f64 = 1e6;

/// Whether a rule can be worth so much.
pub(crate) fn is_worth(value: f64) -> bool {
    (-MOST_WORTH..=MOST_WORTH).contains(&value)
}

impl Hidden {
    /// A node that adds `worth` to the scores of the classes if its rule holds, up to a number that is the same for all, and
    /// nothing if it does not.
    ///
    /// With K = 60 + v, c = −K and W = K, and a class that is worth v more than all others, its U is v and theirs −v: a lit node
    /// adds ζ(v) − ζ(−v) = v, and one that is not adds less than e⁻⁶⁰. A rule that asks nothing has no edge to carry W, so it is
    /// always lit, and its bias is 0. No worth is beyond [`MOST_WORTH`] by much, or 60 is lost beside v.
    pub fn indicator(rule: Rule, worth: &[f64]) -> Self {
        let (least, most) = worth.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), &v| (l.min(v), m.max(v)));
        // ζ(r) − ζ(−r) = r: the weights reach from −r to r, and ζ of each lies as far above ζ(−r) as its class is worth more.
        let range = most - least;
        let bottom = softplus(-range);
        let weight = |&v: &f64| match v - least {
            above if above <= 0.0 => -range,
            above if above >= range => range,
            above => inverse_softplus(bottom + above),
        };
        let u = worth.iter().map(weight).collect();
        let edges = rule.predicates().len();
        let apart = (APART + range).ceil();
        let c = if edges == 0 { 0.0 } else { -apart };
        Hidden { rule, c, w: shares(apart, edges), u, dropped: 0 }
    }

    /// What it adds to the score of each class, lit or not.
    // Paper: section 3, E(x | c, W, d, U): the term of one hidden node, ζ(cⱼ + Uⱼℓ + Σₖ Wⱼₖ fₖ(x)).
    pub fn adds(&self, lit: bool) -> Vec<f64> {
        let input = if lit { self.w.iter().sum() } else { 0.0 };
        self.u.iter().map(|u| softplus(self.c + u + input)).collect()
    }

    /// What it adds to the log-odds of one class against another, lit or not.
    pub fn log_odds(&self, [one, other]: [usize; 2], lit: bool) -> f64 {
        let input = if lit { self.w.iter().sum() } else { 0.0 };
        let [one, other] = [one, other].map(|y| softplus(self.c + self.u[y] + input));
        one - other
    }

    /// What a lit node is worth more than one that is not, for each class, counted from the class it is worth least for.
    pub fn worth(&self) -> Vec<f64> {
        let (on, off) = (self.adds(true), self.adds(false));
        let gains: Vec<f64> = on.iter().zip(off).map(|(on, off)| on - off).collect();
        let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
        gains.into_iter().map(|gain| gain - least).collect()
    }

    /// How much the rule can move the log-odds of any two classes.
    pub fn strength(&self) -> f64 {
        self.worth().into_iter().fold(0.0, f64::max)
    }
}

/// The number whose softplus is `z`, for positive `z`.
fn inverse_softplus(z: f64) -> f64 {
    // log(e^z − 1) = z + log(1 − e^−z), of which the one form loses where z is small and the other overflows where it is large.
    if z < 1.0 { z.exp_m1().ln() } else { z + (-(-z).exp()).ln_1p() }
}

/// A number in equal parts whose sum is that number exactly, if it is whole: all parts but the first are multiples of 2⁻²⁰.
fn shares(total: f64, parts: usize) -> Vec<f64> {
    let Some(others) = parts.checked_sub(1) else { return Vec::new() };
    let grid = f64::from(1 << 20);
    let part = (total / parts as f64 * grid).floor() / grid;
    let mut shares = vec![part; parts];
    shares[0] = total - part * others as f64;
    shares
}

/// A lifted RBM that stands by itself: it knows its predicates and constants by name.
#[derive(Clone, Debug)]
pub struct Network {
    /// How it came to be, for the record.
    pub origin: String,
    signature: Signature,
    target: PredicateId,
    d: Vec<f64>,
    hidden: Vec<Hidden>,
    predicates: Predicates,
    symbols: Symbols,
}

/// How large a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Predicates.
    pub visible: usize,
    /// Rules.
    pub hidden: usize,
    /// Classes.
    pub classes: usize,
    /// Literals of all rules.
    pub literals: usize,
    /// Edges between predicates and rules.
    pub edges: usize,
}

impl Size {
    /// The part of the edges between predicates and rules that a network without structure would have.
    pub fn density(&self) -> f64 {
        self.edges as f64 / (self.visible * self.hidden).max(1) as f64
    }
}

/// Class names of a boolean target.
static TWO_CLASSES: LazyLock<Vec<String>> = LazyLock::new(|| vec!["false".to_owned(), "true".to_owned()]);

/// Returns the class names of a boolean target.
pub fn two_classes() -> Vec<String> {
    TWO_CLASSES.clone()
}

impl Network {
    /// Creates a network without hidden nodes, time limits and recursion: the biases decide.
    ///
    /// # Panics
    /// If there are fewer than two classes, or not one bias for each.
    pub fn new(target: (&str, usize), classes: Vec<String>, d: Vec<f64>, origin: impl Into<String>) -> Self {
        let signature = Signature { classes: Some(classes), ..Signature::new(target.0, target.1) };
        Network::with_signature(signature, d, origin)
    }

    /// Creates a network without hidden nodes for a task: the biases decide.
    ///
    /// # Panics
    /// If there are fewer than two classes, or not one bias for each.
    pub fn with_signature(mut signature: Signature, d: Vec<f64>, origin: impl Into<String>) -> Self {
        signature.classes = signature.classes.filter(|classes| *classes != *TWO_CLASSES);
        let classes = signature.classes.as_ref().map_or(2, Vec::len);
        assert!(classes == d.len() && d.len() > 1, "one bias for each of two classes or more");
        let mut predicates = Predicates::default();
        let target = predicates.intern(&signature.target, signature.arity);
        Network { origin: origin.into(), signature, target, d, hidden: Vec::new(), predicates, symbols: Symbols::new() }
    }

    /// Returns the task that the network is for.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Records the time limits of the data that the weights are fitted to.
    pub fn use_time_of(&mut self, database: &Database) {
        self.signature.time = database.time_rule().cloned();
    }

    /// The predicate it predicts.
    pub fn target(&self) -> PredicateId {
        self.target
    }

    /// The name of the predicate it predicts.
    pub fn target_name(&self) -> &str {
        self.predicates.name(self.target)
    }

    /// The number of its arguments.
    pub fn target_arity(&self) -> usize {
        self.predicates.arity(self.target)
    }

    /// The names of the classes; of two, the second is the one that examples are positive for.
    pub fn classes(&self) -> &[String] {
        self.signature.classes.as_deref().unwrap_or(&TWO_CLASSES)
    }

    /// The bias of each class.
    pub fn biases(&self) -> &[f64] {
        &self.d
    }

    /// The hidden nodes.
    pub fn hidden(&self) -> &[Hidden] {
        &self.hidden
    }

    /// The names that rules are written with.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// The predicates that rules mention, in order of first appearance.
    pub fn visible(&self) -> Vec<PredicateId> {
        let mut all: IndexSet<PredicateId> = IndexSet::default();
        all.extend(self.hidden.iter().flat_map(|node| node.rule.predicates()));
        all.into_iter().collect()
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        Size {
            visible: self.visible().len(),
            hidden: self.hidden.len(),
            classes: self.classes().len(),
            literals: self.hidden.iter().map(|node| node.rule.literals().count()).sum(),
            edges: self.hidden.iter().map(|node| node.w.len()).sum(),
        }
    }

    /// The hidden nodes by strength, the strongest first; equals in their order.
    pub fn strongest_first(&self) -> Vec<usize> {
        let strengths: Vec<f64> = self.hidden.iter().map(Hidden::strength).collect();
        let mut order: Vec<usize> = (0..strengths.len()).collect();
        order.sort_by(|&a, &b| strengths[b].total_cmp(&strengths[a]));
        order
    }

    /// The network with its strongest rules only, so many at most and strongest first. What the others would say is not made up
    /// for: it is a part to look at, not another network to ask.
    pub fn strongest(&self, most: usize) -> Self {
        let hidden = self.strongest_first().into_iter().take(most).map(|j| self.hidden[j].clone()).collect();
        Network { hidden, ..self.clone() }
    }

    /// Adds a hidden node; its names are those of the network.
    ///
    /// # Panics
    /// If it has not one weight for each predicate of its rule and for each class.
    fn push(&mut self, node: Hidden) {
        assert_eq!(node.w.len(), node.rule.predicates().len(), "one weight for each predicate of the rule");
        assert_eq!(node.u.len(), self.classes().len(), "one weight for each class");
        self.hidden.push(node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::sample;

    /// h₁, h₂ and h₃ of the paper's running example.
    pub(super) const CLAUSES: &str = r"
        collab(P1, P2) :- directedBy(M1, P1), inGenre(M1, G1), actedIn(P2, M2), inGenre(M2, G2), \+ sameGenre(G1, G2).
        collab(P1, P2) :- directedBy(M1, P1), actedIn(P3, M1), samePerson(P3, P2).
        collab(P1, P2) :- actedIn(P1, M), actedIn(P2, M).
    ";

    /// What makes the target known to a database.
    pub(super) const QUERY: &str = "collab(P1, P2) :- actedIn(P1, M).";

    /// The network of the running example: four classes, of which h₁ speaks for the first, h₂ for the second and h₃ for the
    /// last. No weight is 0, so each counts.
    pub(super) fn network() -> Network {
        let (database, clauses, _) = sample::build(CLAUSES, None);
        let classes = ["0", "1", "2", "3"].map(str::to_owned).to_vec();
        let mut network = Network::new(("collab", 2), classes, vec![0.1, -0.2, -0.1, 0.05], "by hand");
        for (j, (class, (_, body))) in [0, 1, 3].into_iter().zip(clauses).enumerate() {
            let rule = network.own(&Rule::new(body, Vec::new(), 2), database.names()).unwrap();
            let w = rule.predicates().iter().enumerate().map(|(k, _)| 3.4 + 0.1 * k as f64).collect();
            let u = (0..4).map(|y| if y == class { 2.0 } else { -0.5 - 0.1 * f64::from(y) }).collect();
            network.push(Hidden { rule, c: -3.0 - 0.1 * j as f64, w, u, dropped: 0 });
        }
        network
    }

    #[test]
    fn the_strongest_part_is_in_order() {
        let network = network();
        let order = network.strongest_first();
        let part = network.strongest(2);
        assert_eq!(part.hidden(), [network.hidden()[order[0]].clone(), network.hidden()[order[1]].clone()]);
        assert!(part.hidden()[0].strength() >= part.hidden()[1].strength());
        assert_eq!(network.strongest(9).hidden().len(), 3);
    }

    #[test]
    fn the_running_example_is_as_sparse_as_the_paper_draws_it() {
        let network = network();
        assert_eq!(network.size(), Size { visible: 5, hidden: 3, classes: 4, literals: 10, edges: 8 });
        assert!((network.size().density() - 8.0 / 15.0).abs() < 1e-15);
        let of = |j: usize| -> Vec<&str> {
            let node: &Hidden = &network.hidden()[j];
            node.rule.predicates().iter().map(|&id| network.names().predicates.name(id)).collect()
        };
        // "h₁ is connected to f₁, f₂, f₃ and f₅, while h₃ is connected to only f₂"
        assert_eq!(of(0), ["directedBy", "inGenre", "actedIn", "sameGenre"]);
        assert_eq!(of(1), ["directedBy", "actedIn", "samePerson"]);
        assert_eq!(of(2), ["actedIn"]);
        assert!(network.hidden().iter().all(|node| node.u.len() == 4), "classes are connected to every rule");
    }

    #[test]
    fn shares_add_up_exactly() {
        for parts in 1..12 {
            let shares = shares(61.0, parts);
            assert_eq!(shares.len(), parts);
            assert_eq!(shares.iter().sum::<f64>(), 61.0);
            assert!(shares.iter().all(|&share| (share - 61.0 / parts as f64).abs() < 1e-4));
        }
        assert!(shares(61.0, 0).is_empty());
    }

    #[test]
    fn an_indicator_is_worth_what_it_says() {
        for worth in [vec![0.0, 2.5], vec![3.0, 0.5], vec![0.0, 0.0], vec![1.0, -2.0, 0.25, 1.0], vec![-80.0, 80.0]] {
            let node = Hidden::indicator(Rule::default(), &worth);
            let on = node.adds(true);
            for (a, b) in worth.iter().zip(&on) {
                assert!(((a - worth[0]) - (b - on[0])).abs() < 1e-12 * (1.0 + a.abs()), "{worth:?}: {on:?}");
            }
        }
        // The form of one value for one class: U = v for it, −v for the others.
        assert_eq!(Hidden::indicator(Rule::default(), &[0.0, 0.0, 1.5]).u, [-1.5, -1.5, 1.5]);
        assert_eq!(Hidden::indicator(Rule::default(), &[0.0, -1.5]).u, [1.5, -1.5]);
    }

    #[test]
    fn softplus_is_inverted() {
        for a in [-30.0, -2.0, 0.0, 1.0, 50.0] {
            assert!((inverse_softplus(softplus(a)) - a).abs() < 1e-9 * (1.0 + a.abs()), "{a}");
        }
    }
}
