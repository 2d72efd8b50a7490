//! The groups of parameters that several kinds have.

use super::declare::group;
use super::shape::Shape;
use super::typed::{Argument, Choice, ParamType, choice};
use super::value::Value;
use crate::rbm::{Descent, Schedule, Visit};
use crate::tree::{Expand, GrowOptions, LanguageOptions, LookAhead, StoppingRules};

/// ψ before the first tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prior {
    /// This value.
    Value(f64),
    /// log(positives / negatives) of the training examples.
    LogOdds,
}

impl ParamType for Prior {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(_) => Some(Prior::LogOdds),
            _ => value.as_f64().map(Prior::Value),
        }
    }

    fn to_value(self, _: &Shape) -> Value {
        match self {
            Prior::Value(x) => Value::Number(x),
            Prior::LogOdds => "log-odds".into(),
        }
    }
}

impl Argument<Prior> for f64 {
    fn argument(self) -> Prior {
        Prior::Value(self)
    }
}

/// What a single tree is fitted to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RegressionTarget {
    /// The functional gradient at the prior.
    Gradient,
    /// This value for positive examples, its negative for the others.
    Value(f64),
}

impl ParamType for RegressionTarget {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(_) => Some(RegressionTarget::Gradient),
            _ => value.as_f64().map(RegressionTarget::Value),
        }
    }

    fn to_value(self, _: &Shape) -> Value {
        match self {
            RegressionTarget::Value(x) => Value::Number(x),
            RegressionTarget::Gradient => "gradient".into(),
        }
    }
}

impl Argument<RegressionTarget> for f64 {
    fn argument(self) -> RegressionTarget {
        RegressionTarget::Value(self)
    }
}

/// The maximum share of the examples of a node that a test covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaxShare {
    /// This share.
    Value(f64),
    /// 1 − max(0.005, 0.05 / negatives per positive), as in the authors' program.
    Authors,
}

impl MaxShare {
    /// Returns the share, given the number of negative training examples per positive one.
    pub(crate) fn of(self, negatives_per_positive: f64) -> f64 {
        match self {
            MaxShare::Value(share) => share,
            // Without negatives the quotient is infinite, and so would be the smallest share left.
            MaxShare::Authors => 1.0 - (0.05 / negatives_per_positive).clamp(0.005, 0.5),
        }
    }
}

impl ParamType for MaxShare {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(_) => Some(MaxShare::Authors),
            _ => value.as_f64().map(MaxShare::Value),
        }
    }

    fn to_value(self, _: &Shape) -> Value {
        match self {
            MaxShare::Value(share) => Value::Number(share),
            MaxShare::Authors => "authors".into(),
        }
    }
}

impl Argument<MaxShare> for f64 {
    fn argument(self) -> MaxShare {
        MaxShare::Value(self)
    }
}

/// How the five numbers of a leaf are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafFit {
    /// By coordinate descent from zeros, as in the paper.
    CoordinateDescent,
    /// By the limit of that descent in closed form: ψ is the mean gradient.
    ClosedForm,
}

choice!(LeafFit { "coordinate-descent" => CoordinateDescent, "closed-form" => ClosedForm });
choice!(Schedule { "authors" => Authors, "sqrt" => Sqrt });
choice!(Visit { "online" => Online, "batch" => Batch });
choice!(Expand { "mean" => Mean, "total" => Total });
choice!(LookAhead { "anywhere" => Anywhere, "head" => Head });

group! {
    /// Limits on the growth of one tree.
    pub struct Growth {
        max_leaves: Option<u32> = Some(4), Shape::count_or(2, "none"), "Maximum number of leaves of a tree; BoostSRL's numOfClauses and 1";
        max_depth: Option<u32> = None, Shape::count_or(1, "none"), "Maximum number of tests on a path to a leaf; BoostSRL's maxTreeDepth";
        min_leaf: u32 = 1, Shape::count(1), "Minimum number of examples in a leaf, and their minimum weight if above 1";
        expand: Expand = Expand::Mean, Shape::Choice(Expand::WORDS),
            "Leaf to split next: the one with the largest mean or total squared error";
    }
}

group! {
    /// Rules of growth that the paper does not state, as the authors' program has them.
    pub struct Stopping {
        min_split: u32 = 1, Shape::count(1), "Minimum number of examples in a node that is split, by weight", added later;
        require_gain: bool = true, Shape::Bool, "Split a node only if that lowers the squared error", added later;
        min_variance: f64 = 0.0, Shape::real(0.0, 1e6),
            "Half the mean squared error of a node, or a quarter of the root's if smaller, up to which it is not split",
            added later;
        max_share: MaxShare = MaxShare::Value(1.0), Shape::RealOrWord { min: 0.0, max: 1.0, word: "authors" },
            "Maximum share of the examples of a node that a test covers; \"authors\" for \
             1 - max(0.005, 0.05 / negatives per positive)", added later;
        test_seeds: f64 = 0.0, Shape::real(0.0, 1e6),
            "Number of random examples of a node per negative per positive, of which a test must cover one; 0 for none",
            added later;
        max_path_literals: Option<u32> = None, Shape::count_or(1, "none"),
            "Maximum number of true literals on a path", added later;
        max_searches: Option<u32> = None, Shape::count_or(1, "none"),
            "Maximum number of nodes of a tree for which a test is searched; BoostSRL's numOfCycles", added later;
    }
}

impl Stopping {
    /// Returns the names of the rules that may reject a test that separates examples.
    pub(crate) fn rejecting(&self) -> Vec<&'static str> {
        let rules = [
            ("min_split", self.min_split > 1),
            ("min_variance", self.min_variance > 0.0),
            ("max_share", self.max_share != MaxShare::Value(1.0)),
            ("test_seeds", self.test_seeds > 0.0),
        ];
        rules.into_iter().filter(|(_, is_active)| *is_active).map(|(name, _)| name).collect()
    }

    /// Returns the rules for training examples with this many negatives per positive.
    fn rules(&self, negatives_per_positive: f64) -> StoppingRules {
        StoppingRules {
            min_split: self.min_split as usize,
            require_gain: self.require_gain,
            min_variance: self.min_variance,
            max_share: self.max_share.of(negatives_per_positive),
            seeds: (self.test_seeds * negatives_per_positive).ceil() as usize,
            max_path_literals: self.max_path_literals.map(|n| n as usize),
            max_searches: self.max_searches.map(|n| n as usize),
        }
    }
}

group! {
    /// Language bias: the candidate tests of a node.
    pub struct Tests {
        node_size: u32 = 2, Shape::integer(1, 4), "Maximum number of literals in a test; BoostSRL's nodeSize";
        path_length: u32 = 3, Shape::integer(0, 6),
            "Maximum length of chains tried as one test, between arguments of the target or from its only one to a \
             constant; 0 for none";
        max_candidates: u32 = 50_000, Shape::count(1), "Maximum number of candidate tests per node";
    }
}

impl Tests {
    /// Returns the relative cost of searching these tests, for estimates of run time.
    pub(crate) fn cost(&self) -> f64 {
        if self.node_size > 1 || self.path_length > 1 { 1.0 } else { 0.2 }
    }
}

group! {
    /// Further candidate tests of trees that test for existence.
    pub struct TestExtensions {
        look_ahead: LookAhead = LookAhead::Anywhere, Shape::Choice(LookAhead::WORDS),
            "Variables of a test with several literals: any, or only arguments of the target and new ones that connect \
             its literals", added later;
        look_ahead_margin: f64 = 0.0, Shape::real(0.0, 1.0),
            "Margin in squared error by which a test must win, per literal beyond the first; not for tests that connect \
             arguments of the target, or if it has only one", added later;
        counts: bool = false, Shape::Bool, "Also try at-least-k tests, with k from the training examples";
        count_margin: f64 = 0.05, Shape::real(0.0, 1.0),
            "Margin in squared error by which an at-least-k test must win, as a share of the error";
        cuts: u32 = 0, Shape::integer(0, 100),
            "Number of thresholds (`C <= 0.5`) for a numeric argument where a mode has `#`; 0 tests for equal numbers",
            added later;
    }
}

group! {
    /// Treatment of the training examples by boosting.
    pub struct Training {
        recursive: bool = false, Shape::Bool,
            "Use training positives as evidence for other examples, by the modes of the target; BoostSRL's recursion",
            added later;
        positive_weight: f64 = 1.0, Shape::positive(1000.0),
            "Weight of a positive example relative to a negative one, times the weights of examples", added later;
        train_negatives: Option<u32> = None, Shape::count_or(1, "all"),
            "Maximum number of negatives per positive that trees are grown on, drawn at random; BoostSRL's -negPosRatio",
            added later;
        redraw_negatives: bool = false, Shape::Bool,
            "Draw the negatives of train_negatives again for each tree, instead of once per model", added later;
    }
}

group! {
    /// The sum that boosting adds to.
    pub struct Additive {
        step: f64 = 2.0, Shape::positive(10.0), "Shrinkage, the factor on the values of each tree; BoostSRL's -step";
        prior: Prior = Prior::Value(-1.8), Shape::RealOrWord { min: -100.0, max: 100.0, word: "log-odds" },
            "ψ before the first tree";
        subsample: f64 = 1.0, Shape::positive(1.0), "Share of the positives and of the negatives that each tree sees";
    }
}

group! {
    /// Boosting rounds.
    pub struct Rounds {
        trees: u32 = 20, Shape::count(1), "Number of boosting rounds; BoostSRL's -trees";
        early_stopping: u32 = 0, Shape::count(0),
            "Stop after this many rounds without a better likelihood of held-out training examples; 0 for never";
        held_out: f64 = 0.2, Shape::positive(0.5), "Share of the training examples held out for early_stopping";
    }
}

impl Rounds {
    /// One round, for kinds that grow a single tree.
    pub(crate) fn one() -> Self {
        Rounds { trees: 1, ..Rounds::default() }
    }

    /// Returns the rounds of the longest of ensembles with these numbers of rounds.
    pub(crate) fn longest(&self, lengths: &[u32]) -> Self {
        Rounds { trees: lengths.iter().copied().max().unwrap_or(self.trees), ..*self }
    }

    /// Returns the number of rounds, if the ensemble is a prefix of every longer one. One tree
    /// alone is not: the search for its tests sees the examples of a node only.
    pub(crate) fn prefix(&self, more: &TestExtensions) -> Option<u32> {
        (self.trees > 1 || more.counts).then_some(self.trees)
    }
}

group! {
    /// The step size of descent.
    pub struct LearningRate {
        learning_rate: f64 = 0.02, Shape::positive(1.0),
            "First step of coordinate descent in a leaf, not the shrinkage (step); for kinds without trees, step size of \
             gradient descent";
    }
}

group! {
    /// The fit of leaves that are restricted Boltzmann machines.
    pub struct LeafFitting {
        leaf_fit: LeafFit = LeafFit::CoordinateDescent, Shape::Choice(LeafFit::WORDS), "Fit of the numbers of a leaf";
        schedule: Schedule = Schedule::Authors, Shape::Choice(Schedule::WORDS), "Decay of the step of coordinate descent";
        order: Visit = Visit::Batch, Shape::Choice(Visit::WORDS),
            "Examples per step of coordinate descent: one, or all";
        rescore: Option<u32> = Some(1), Shape::count_or(1, "all"),
            "Maximum number of candidates refitted exactly before one is chosen";
    }
}

group! {
    /// The length of clauses.
    pub struct ClauseLength {
        clause_length: u32 = 4, Shape::integer(1, 20), "Maximum number of literals in a clause";
    }
}

// `covers` and `min_share` were chosen so that the number of clauses on the first training fold of
// each benchmark is in the range that the paper reports for Progol, three to ten, where the data
// have that many clauses of positive compression.
// `search_limit` was chosen by cross-validation inside training folds of all benchmarks: with 300,
// SPORTS loses 0.015 of AUC-ROC; with 3000 or more, only MUTAGENESIS gains anything, 0.0003.
group! {
    /// Search for clauses from seed examples.
    pub struct ClauseSearch {
        variable_depth: u32 = 2, Shape::integer(1, 10),
            "Maximum number of literals that connect a variable of a clause with the target";
        recall: u32 = 10, Shape::count(1), "Maximum number of facts per mode and binding of its inputs in a bottom clause";
        clause_noise: f64 = 0.5, Shape::real(0.0, 1.0), "Maximum share of negatives among the examples a clause covers, by weight";
        balance: bool = true, Shape::Bool, "Give the negatives the total weight of the positives, if they have more";
        covers: u32 = 4, Shape::integer(1, 100),
            "Number of clauses that cover a positive example before it no longer counts", added later;
        max_clauses: u32 = 1000, Shape::count(1), "Maximum number of clauses", added later;
        min_positives: u32 = 2, Shape::count(1), "Minimum number of positives that a clause covers and that still count";
        min_share: f64 = 0.1, Shape::real(0.0, 1.0), "The same as a share of all positives, if that is more", added later;
        search_limit: u32 = 1000, Shape::count(1), "Maximum number of different clauses searched per seed example";
        max_seeds: u32 = 100, Shape::count(1), "Maximum number of seed examples, for each of the clauses that cover a positive";
    }
}

group! {
    /// Stochastic gradient descent.
    pub struct Sgd {
        epochs: u32 = 100, Shape::count(0), "Number of passes of gradient descent over the examples";
        batch: u32 = 32, Shape::count(1), "Number of examples per step of gradient descent";
        l2: f64 = 1e-4, Shape::real(0.0, 1000.0), "L2 penalty on the weights, l2/2 · ‖w‖² added to the mean loss";
    }
}

group! {
    /// The seed.
    pub struct Seed {
        seed: u64 = 1, Shape::integer(0, u64::MAX), "Seed of the random streams";
    }
}

/// Options of coordinate descent in a leaf.
pub(crate) fn descent(leaf: &LeafFitting, rate: &LearningRate) -> Descent {
    Descent::new(leaf.schedule, leaf.order, rate.learning_rate)
}

/// Options of the growth of a tree; `single` if nothing depends on which leaf is split first.
pub(crate) fn grow_options(growth: &Growth, more: &TestExtensions, rescore: Option<u32>, single: bool) -> GrowOptions {
    GrowOptions {
        max_leaves: growth.max_leaves.map(|n| n as usize),
        max_depth: growth.max_depth.map(|n| n as usize),
        min_leaf: growth.min_leaf as usize,
        rescore: rescore.map(|n| n as usize),
        expand: growth.expand,
        // Counts are chosen by the examples of a path, and a leaf alone has only some of them.
        single: single && !more.counts,
        count_margin: more.count_margin,
        look_ahead_margin: more.look_ahead_margin,
        stopping: StoppingRules::default(),
    }
}

/// Options of the growth of a tree by further rules.
pub(crate) fn with_stopping(options: GrowOptions, stopping: &Stopping, negatives_per_positive: f64) -> GrowOptions {
    GrowOptions { stopping: stopping.rules(negatives_per_positive), ..options }
}

/// Options of the candidate tests of a node.
pub(crate) fn language_options(tests: &Tests, more: &TestExtensions) -> LanguageOptions {
    LanguageOptions {
        node_size: tests.node_size as usize,
        look_ahead: more.look_ahead,
        max_candidates: tests.max_candidates as usize,
        counts: more.counts,
        cuts: more.cuts as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_the_authors_program_depend_on_the_negatives() {
        let stopping = Stopping { max_share: MaxShare::Authors, test_seeds: 5.0, ..Stopping::default() };
        let rules = |negatives| stopping.rules(negatives);
        // 1 − max(0.005, 0.05 / 2), and ceil(5 · 2) seeds.
        assert_eq!((rules(2.0).max_share, rules(2.0).seeds), (0.975, 10));
        assert_eq!((rules(1.5).seeds, rules(20.0).max_share), (8, 0.995));
        // Without negatives, half of the examples may be covered.
        assert_eq!((rules(0.0).max_share, rules(0.0).seeds), (0.5, 0));
        assert_eq!(Stopping::default().rules(2.0), StoppingRules::default());
    }
}
