"""The classifiers, one for each kind of model.

Written by generate_estimators.py from the registry of parameters; do not edit.
"""

from __future__ import annotations

import os

from .background import Background
from .base import RelationalClassifier
from .special import Distilled, NetworkFile, SrlearnForm, Template, WalkInputs


class LRBMBoostClassifier(RelationalClassifier):
    """Boosted trees with a restricted Boltzmann machine in each leaf.

    Parameters
    ----------
    background : Background or path
        Modes and settings; by default those of the Database.
    target : str
        Predicate to learn; by default that of the examples, if they have one predicate.
    n_estimators : int
        Number of boosting rounds; BoostSRL's -trees (a whole number from 1 to 1000000) [default:
        20].
    early_stopping : int
        Stop after this many rounds without a better likelihood of held-out training examples; 0 for
        never (a whole number from 0 to 1000000) [default: 0].
    held_out : float
        Share of the training examples held out for early_stopping (a number above 0, up to 0.5)
        [default: 0.2].
    max_leaves : int | str
        Maximum number of leaves of a tree; BoostSRL's numOfClauses and 1 (a whole number from 2 to
        1000000, or "none") [default: 4].
    max_tree_depth : int | str
        Maximum number of tests on a path to a leaf; BoostSRL's maxTreeDepth (a whole number from 1
        to 1000000, or "none") [default: "none"].
    min_leaf : int
        Minimum number of examples in a leaf, and their minimum weight if above 1 (a whole number
        from 1 to 1000000) [default: 1].
    expand : str
        Leaf to split next: the one with the largest mean or total squared error ("mean" or "total")
        [default: "mean"].
    min_split : int
        Minimum number of examples in a node that is split, by weight (a whole number from 1 to
        1000000) [default: 1].
    require_gain : bool
        Split a node only if that lowers the squared error (true or false) [default: True].
    min_variance : float
        Half the mean squared error of a node, or a quarter of the root's if smaller, up to which it
        is not split (a number from 0 to 1000000) [default: 0.0].
    max_share : float | str
        Maximum share of the examples of a node that a test covers; "authors" for 1 - max(0.005,
        0.05 / negatives per positive) (a number from 0 to 1, or "authors") [default: 1.0].
    test_seeds : float
        Number of random examples of a node per negative per positive, of which a test must cover
        one; 0 for none (a number from 0 to 1000000) [default: 0.0].
    max_path_literals : int | str
        Maximum number of true literals on a path (a whole number from 1 to 1000000, or "none")
        [default: "none"].
    max_searches : int | str
        Maximum number of nodes of a tree for which a test is searched; BoostSRL's numOfCycles (a
        whole number from 1 to 1000000, or "none") [default: "none"].
    node_size : int
        Maximum number of literals in a test; BoostSRL's nodeSize (a whole number from 1 to 4)
        [default: 2].
    path_length : int
        Maximum length of chains tried as one test, between arguments of the target or from its only
        one to a constant; 0 for none (a whole number from 0 to 6) [default: 3].
    max_candidates : int
        Maximum number of candidate tests per node (a whole number from 1 to 1000000) [default:
        50000].
    look_ahead : str
        Variables of a test with several literals: any, or only arguments of the target and new ones
        that connect its literals ("anywhere" or "head") [default: "anywhere"].
    look_ahead_margin : float
        Margin in squared error by which a test must win, per literal beyond the first; not for
        tests that connect arguments of the target, or if it has only one (a number from 0 to 1)
        [default: 0.0].
    counts : bool
        Also try at-least-k tests, with k from the training examples (true or false) [default:
        False].
    count_margin : float
        Margin in squared error by which an at-least-k test must win, as a share of the error (a
        number from 0 to 1) [default: 0.05].
    cuts : int
        Number of thresholds (`C <= 0.5`) for a numeric argument where a mode has `#`; 0 tests for
        equal numbers (a whole number from 0 to 100) [default: 0].
    recursive : bool
        Use training positives as evidence for other examples, by the modes of the target;
        BoostSRL's recursion (true or false) [default: False].
    positive_weight : float
        Weight of a positive example relative to a negative one, times the weights of examples (a
        number above 0, up to 1000) [default: 1.0].
    neg_pos_ratio : int | str
        Maximum number of negatives per positive that trees are grown on, drawn at random;
        BoostSRL's -negPosRatio (a whole number from 1 to 1000000, or "all") [default: "all"].
    redraw_negatives : bool
        Draw the negatives of neg_pos_ratio again for each tree, instead of once per model (true or
        false) [default: False].
    step : float
        Shrinkage, the factor on the values of each tree; BoostSRL's -step (a number above 0, up to
        10) [default: 2.0].
    prior : float | str
        ψ before the first tree (a number from -100 to 100, or "log-odds") [default: -1.8].
    subsample : float
        Share of the positives and of the negatives that each tree sees (a number above 0, up to 1)
        [default: 1.0].
    learning_rate : float
        First step of coordinate descent in a leaf, not the shrinkage (step); for kinds without
        trees, step size of gradient descent (a number above 0, up to 1) [default: 0.02].
    leaf_fit : str
        Fit of the numbers of a leaf ("coordinate-descent" or "closed-form") [default: "coordinate-
        descent"].
    schedule : str
        Decay of the step of coordinate descent ("authors" or "sqrt") [default: "authors"].
    order : str
        Examples per step of coordinate descent: one, or all ("online" or "batch") [default:
        "batch"].
    rescore : int | str
        Maximum number of candidates refitted exactly before one is chosen (a whole number from 1 to
        1000000, or "all") [default: 1].
    seed : int
        Seed of the random streams (a whole number from 0) [default: 1].
    preset : str
        Preset of the candidate tests: "paper", "lookahead", "extended" or "auto", chosen on training examples.
    symmetric : bool
        With recursive=True: treat p(a,b) and p(b,a) as equivalent.
    """

    _kind = "lrbm-boost"
    _parameters = {
        "n_estimators": "trees",
        "early_stopping": "early_stopping",
        "held_out": "held_out",
        "max_leaves": "max_leaves",
        "max_tree_depth": "max_depth",
        "min_leaf": "min_leaf",
        "expand": "expand",
        "min_split": "min_split",
        "require_gain": "require_gain",
        "min_variance": "min_variance",
        "max_share": "max_share",
        "test_seeds": "test_seeds",
        "max_path_literals": "max_path_literals",
        "max_searches": "max_searches",
        "node_size": "node_size",
        "path_length": "path_length",
        "max_candidates": "max_candidates",
        "look_ahead": "look_ahead",
        "look_ahead_margin": "look_ahead_margin",
        "counts": "counts",
        "count_margin": "count_margin",
        "cuts": "cuts",
        "recursive": "recursive",
        "positive_weight": "positive_weight",
        "neg_pos_ratio": "train_negatives",
        "redraw_negatives": "redraw_negatives",
        "step": "step",
        "prior": "prior",
        "subsample": "subsample",
        "learning_rate": "learning_rate",
        "leaf_fit": "leaf_fit",
        "schedule": "schedule",
        "order": "order",
        "rescore": "rescore",
        "seed": "seed",
    }

    def __init__(
        self,
        background: Background | str | os.PathLike[str] | None = None,
        *,
        target: str | None = None,
        n_estimators: int | None = None,
        early_stopping: int | None = None,
        held_out: float | None = None,
        max_leaves: int | str | None = None,
        max_tree_depth: int | str | None = None,
        min_leaf: int | None = None,
        expand: str | None = None,
        min_split: int | None = None,
        require_gain: bool | None = None,
        min_variance: float | None = None,
        max_share: float | str | None = None,
        test_seeds: float | None = None,
        max_path_literals: int | str | None = None,
        max_searches: int | str | None = None,
        node_size: int | None = None,
        path_length: int | None = None,
        max_candidates: int | None = None,
        look_ahead: str | None = None,
        look_ahead_margin: float | None = None,
        counts: bool | None = None,
        count_margin: float | None = None,
        cuts: int | None = None,
        recursive: bool | None = None,
        positive_weight: float | None = None,
        neg_pos_ratio: int | str | None = None,
        redraw_negatives: bool | None = None,
        step: float | None = None,
        prior: float | str | None = None,
        subsample: float | None = None,
        learning_rate: float | None = None,
        leaf_fit: str | None = None,
        schedule: str | None = None,
        order: str | None = None,
        rescore: int | str | None = None,
        seed: int | None = None,
        preset: str | None = None,
        symmetric: bool = False,
    ) -> None:
        self.background = background
        self.target = target
        self.n_estimators = n_estimators
        self.early_stopping = early_stopping
        self.held_out = held_out
        self.max_leaves = max_leaves
        self.max_tree_depth = max_tree_depth
        self.min_leaf = min_leaf
        self.expand = expand
        self.min_split = min_split
        self.require_gain = require_gain
        self.min_variance = min_variance
        self.max_share = max_share
        self.test_seeds = test_seeds
        self.max_path_literals = max_path_literals
        self.max_searches = max_searches
        self.node_size = node_size
        self.path_length = path_length
        self.max_candidates = max_candidates
        self.look_ahead = look_ahead
        self.look_ahead_margin = look_ahead_margin
        self.counts = counts
        self.count_margin = count_margin
        self.cuts = cuts
        self.recursive = recursive
        self.positive_weight = positive_weight
        self.neg_pos_ratio = neg_pos_ratio
        self.redraw_negatives = redraw_negatives
        self.step = step
        self.prior = prior
        self.subsample = subsample
        self.learning_rate = learning_rate
        self.leaf_fit = leaf_fit
        self.schedule = schedule
        self.order = order
        self.rescore = rescore
        self.seed = seed
        self.preset = preset
        self.symmetric = symmetric


class LRBMNoBoostClassifier(RelationalClassifier):
    """One large tree with a restricted Boltzmann machine in each leaf.

    Parameters
    ----------
    background : Background or path
        Modes and settings; by default those of the Database.
    target : str
        Predicate to learn; by default that of the examples, if they have one predicate.
    max_leaves : int | str
        Maximum number of leaves of a tree; BoostSRL's numOfClauses and 1 (a whole number from 2 to
        1000000, or "none") [default: "none"].
    max_tree_depth : int | str
        Maximum number of tests on a path to a leaf; BoostSRL's maxTreeDepth (a whole number from 1
        to 1000000, or "none") [default: 10].
    min_leaf : int
        Minimum number of examples in a leaf, and their minimum weight if above 1 (a whole number
        from 1 to 1000000) [default: 1].
    expand : str
        Leaf to split next: the one with the largest mean or total squared error ("mean" or "total")
        [default: "mean"].
    min_split : int
        Minimum number of examples in a node that is split, by weight (a whole number from 1 to
        1000000) [default: 1].
    require_gain : bool
        Split a node only if that lowers the squared error (true or false) [default: True].
    min_variance : float
        Half the mean squared error of a node, or a quarter of the root's if smaller, up to which it
        is not split (a number from 0 to 1000000) [default: 0.0].
    max_share : float | str
        Maximum share of the examples of a node that a test covers; "authors" for 1 - max(0.005,
        0.05 / negatives per positive) (a number from 0 to 1, or "authors") [default: 1.0].
    test_seeds : float
        Number of random examples of a node per negative per positive, of which a test must cover
        one; 0 for none (a number from 0 to 1000000) [default: 0.0].
    max_path_literals : int | str
        Maximum number of true literals on a path (a whole number from 1 to 1000000, or "none")
        [default: "none"].
    max_searches : int | str
        Maximum number of nodes of a tree for which a test is searched; BoostSRL's numOfCycles (a
        whole number from 1 to 1000000, or "none") [default: "none"].
    node_size : int
        Maximum number of literals in a test; BoostSRL's nodeSize (a whole number from 1 to 4)
        [default: 2].
    path_length : int
        Maximum length of chains tried as one test, between arguments of the target or from its only
        one to a constant; 0 for none (a whole number from 0 to 6) [default: 3].
    max_candidates : int
        Maximum number of candidate tests per node (a whole number from 1 to 1000000) [default:
        50000].
    look_ahead : str
        Variables of a test with several literals: any, or only arguments of the target and new ones
        that connect its literals ("anywhere" or "head") [default: "anywhere"].
    look_ahead_margin : float
        Margin in squared error by which a test must win, per literal beyond the first; not for
        tests that connect arguments of the target, or if it has only one (a number from 0 to 1)
        [default: 0.0].
    counts : bool
        Also try at-least-k tests, with k from the training examples (true or false) [default:
        False].
    count_margin : float
        Margin in squared error by which an at-least-k test must win, as a share of the error (a
        number from 0 to 1) [default: 0.05].
    cuts : int
        Number of thresholds (`C <= 0.5`) for a numeric argument where a mode has `#`; 0 tests for
        equal numbers (a whole number from 0 to 100) [default: 0].
    recursive : bool
        Use training positives as evidence for other examples, by the modes of the target;
        BoostSRL's recursion (true or false) [default: False].
    positive_weight : float
        Weight of a positive example relative to a negative one, times the weights of examples (a
        number above 0, up to 1000) [default: 1.0].
    neg_pos_ratio : int | str
        Maximum number of negatives per positive that trees are grown on, drawn at random;
        BoostSRL's -negPosRatio (a whole number from 1 to 1000000, or "all") [default: "all"].
    redraw_negatives : bool
        Draw the negatives of neg_pos_ratio again for each tree, instead of once per model (true or
        false) [default: False].
    step : float
        Shrinkage, the factor on the values of each tree; BoostSRL's -step (a number above 0, up to
        10) [default: 1.0].
    prior : float | str
        ψ before the first tree (a number from -100 to 100, or "log-odds") [default: -1.8].
    subsample : float
        Share of the positives and of the negatives that each tree sees (a number above 0, up to 1)
        [default: 1.0].
    learning_rate : float
        First step of coordinate descent in a leaf, not the shrinkage (step); for kinds without
        trees, step size of gradient descent (a number above 0, up to 1) [default: 0.02].
    leaf_fit : str
        Fit of the numbers of a leaf ("coordinate-descent" or "closed-form") [default: "coordinate-
        descent"].
    schedule : str
        Decay of the step of coordinate descent ("authors" or "sqrt") [default: "authors"].
    order : str
        Examples per step of coordinate descent: one, or all ("online" or "batch") [default:
        "batch"].
    rescore : int | str
        Maximum number of candidates refitted exactly before one is chosen (a whole number from 1 to
        1000000, or "all") [default: 1].
    regression_target : float | str
        What the tree is fitted to: the gradient at the prior, or this value for positives and its
        negative for negatives (a number from 0.01 to 100, or "gradient") [default: "gradient"].
    seed : int
        Seed of the random streams (a whole number from 0) [default: 1].
    preset : str
        Preset of the candidate tests: "paper", "lookahead", "extended" or "auto", chosen on training examples.
    symmetric : bool
        With recursive=True: treat p(a,b) and p(b,a) as equivalent.
    """

    _kind = "lrbm-noboost"
    _parameters = {
        "max_leaves": "max_leaves",
        "max_tree_depth": "max_depth",
        "min_leaf": "min_leaf",
        "expand": "expand",
        "min_split": "min_split",
        "require_gain": "require_gain",
        "min_variance": "min_variance",
        "max_share": "max_share",
        "test_seeds": "test_seeds",
        "max_path_literals": "max_path_literals",
        "max_searches": "max_searches",
        "node_size": "node_size",
        "path_length": "path_length",
        "max_candidates": "max_candidates",
        "look_ahead": "look_ahead",
        "look_ahead_margin": "look_ahead_margin",
        "counts": "counts",
        "count_margin": "count_margin",
        "cuts": "cuts",
        "recursive": "recursive",
        "positive_weight": "positive_weight",
        "neg_pos_ratio": "train_negatives",
        "redraw_negatives": "redraw_negatives",
        "step": "step",
        "prior": "prior",
        "subsample": "subsample",
        "learning_rate": "learning_rate",
        "leaf_fit": "leaf_fit",
        "schedule": "schedule",
        "order": "order",
        "rescore": "rescore",
        "regression_target": "regression_target",
        "seed": "seed",
    }

    def __init__(
        self,
        background: Background | str | os.PathLike[str] | None = None,
        *,
        target: str | None = None,
        max_leaves: int | str | None = None,
        max_tree_depth: int | str | None = None,
        min_leaf: int | None = None,
        expand: str | None = None,
        min_split: int | None = None,
        require_gain: bool | None = None,
        min_variance: float | None = None,
        max_share: float | str | None = None,
        test_seeds: float | None = None,
        max_path_literals: int | str | None = None,
        max_searches: int | str | None = None,
        node_size: int | None = None,
        path_length: int | None = None,
        max_candidates: int | None = None,
        look_ahead: str | None = None,
        look_ahead_margin: float | None = None,
        counts: bool | None = None,
        count_margin: float | None = None,
        cuts: int | None = None,
        recursive: bool | None = None,
        positive_weight: float | None = None,
        neg_pos_ratio: int | str | None = None,
        redraw_negatives: bool | None = None,
        step: float | None = None,
        prior: float | str | None = None,
        subsample: float | None = None,
        learning_rate: float | None = None,
        leaf_fit: str | None = None,
        schedule: str | None = None,
        order: str | None = None,
        rescore: int | str | None = None,
        regression_target: float | str | None = None,
        seed: int | None = None,
        preset: str | None = None,
        symmetric: bool = False,
    ) -> None:
        self.background = background
        self.target = target
        self.max_leaves = max_leaves
        self.max_tree_depth = max_tree_depth
        self.min_leaf = min_leaf
        self.expand = expand
        self.min_split = min_split
        self.require_gain = require_gain
        self.min_variance = min_variance
        self.max_share = max_share
        self.test_seeds = test_seeds
        self.max_path_literals = max_path_literals
        self.max_searches = max_searches
        self.node_size = node_size
        self.path_length = path_length
        self.max_candidates = max_candidates
        self.look_ahead = look_ahead
        self.look_ahead_margin = look_ahead_margin
        self.counts = counts
        self.count_margin = count_margin
        self.cuts = cuts
        self.recursive = recursive
        self.positive_weight = positive_weight
        self.neg_pos_ratio = neg_pos_ratio
        self.redraw_negatives = redraw_negatives
        self.step = step
        self.prior = prior
        self.subsample = subsample
        self.learning_rate = learning_rate
        self.leaf_fit = leaf_fit
        self.schedule = schedule
        self.order = order
        self.rescore = rescore
        self.regression_target = regression_target
        self.seed = seed
        self.preset = preset
        self.symmetric = symmetric


class ExplainableLRBMClassifier(Distilled, RelationalClassifier):
    """One large tree distilled from an ensemble.

    ``distill`` fits the tree to a given ensemble.

    Parameters
    ----------
    background : Background or path
        Modes and settings; by default those of the Database.
    target : str
        Predicate to learn; by default that of the examples, if they have one predicate.
    n_estimators : int
        Number of boosting rounds; BoostSRL's -trees (a whole number from 1 to 1000000) [default:
        20].
    early_stopping : int
        Stop after this many rounds without a better likelihood of held-out training examples; 0 for
        never (a whole number from 0 to 1000000) [default: 0].
    held_out : float
        Share of the training examples held out for early_stopping (a number above 0, up to 0.5)
        [default: 0.2].
    max_leaves : int | str
        Maximum number of leaves of a tree; BoostSRL's numOfClauses and 1 (a whole number from 2 to
        1000000, or "none") [default: 4].
    max_tree_depth : int | str
        Maximum number of tests on a path to a leaf; BoostSRL's maxTreeDepth (a whole number from 1
        to 1000000, or "none") [default: "none"].
    min_leaf : int
        Minimum number of examples in a leaf, and their minimum weight if above 1 (a whole number
        from 1 to 1000000) [default: 1].
    expand : str
        Leaf to split next: the one with the largest mean or total squared error ("mean" or "total")
        [default: "mean"].
    min_split : int
        Minimum number of examples in a node that is split, by weight (a whole number from 1 to
        1000000) [default: 1].
    require_gain : bool
        Split a node only if that lowers the squared error (true or false) [default: True].
    min_variance : float
        Half the mean squared error of a node, or a quarter of the root's if smaller, up to which it
        is not split (a number from 0 to 1000000) [default: 0.0].
    max_share : float | str
        Maximum share of the examples of a node that a test covers; "authors" for 1 - max(0.005,
        0.05 / negatives per positive) (a number from 0 to 1, or "authors") [default: 1.0].
    test_seeds : float
        Number of random examples of a node per negative per positive, of which a test must cover
        one; 0 for none (a number from 0 to 1000000) [default: 0.0].
    max_path_literals : int | str
        Maximum number of true literals on a path (a whole number from 1 to 1000000, or "none")
        [default: "none"].
    max_searches : int | str
        Maximum number of nodes of a tree for which a test is searched; BoostSRL's numOfCycles (a
        whole number from 1 to 1000000, or "none") [default: "none"].
    node_size : int
        Maximum number of literals in a test; BoostSRL's nodeSize (a whole number from 1 to 4)
        [default: 2].
    path_length : int
        Maximum length of chains tried as one test, between arguments of the target or from its only
        one to a constant; 0 for none (a whole number from 0 to 6) [default: 3].
    max_candidates : int
        Maximum number of candidate tests per node (a whole number from 1 to 1000000) [default:
        50000].
    look_ahead : str
        Variables of a test with several literals: any, or only arguments of the target and new ones
        that connect its literals ("anywhere" or "head") [default: "anywhere"].
    look_ahead_margin : float
        Margin in squared error by which a test must win, per literal beyond the first; not for
        tests that connect arguments of the target, or if it has only one (a number from 0 to 1)
        [default: 0.0].
    counts : bool
        Also try at-least-k tests, with k from the training examples (true or false) [default:
        False].
    count_margin : float
        Margin in squared error by which an at-least-k test must win, as a share of the error (a
        number from 0 to 1) [default: 0.05].
    cuts : int
        Number of thresholds (`C <= 0.5`) for a numeric argument where a mode has `#`; 0 tests for
        equal numbers (a whole number from 0 to 100) [default: 0].
    recursive : bool
        Use training positives as evidence for other examples, by the modes of the target;
        BoostSRL's recursion (true or false) [default: False].
    positive_weight : float
        Weight of a positive example relative to a negative one, times the weights of examples (a
        number above 0, up to 1000) [default: 1.0].
    neg_pos_ratio : int | str
        Maximum number of negatives per positive that trees are grown on, drawn at random;
        BoostSRL's -negPosRatio (a whole number from 1 to 1000000, or "all") [default: "all"].
    redraw_negatives : bool
        Draw the negatives of neg_pos_ratio again for each tree, instead of once per model (true or
        false) [default: False].
    step : float
        Shrinkage, the factor on the values of each tree; BoostSRL's -step (a number above 0, up to
        10) [default: 2.0].
    prior : float | str
        ψ before the first tree (a number from -100 to 100, or "log-odds") [default: -1.8].
    subsample : float
        Share of the positives and of the negatives that each tree sees (a number above 0, up to 1)
        [default: 1.0].
    learning_rate : float
        First step of coordinate descent in a leaf, not the shrinkage (step); for kinds without
        trees, step size of gradient descent (a number above 0, up to 1) [default: 0.02].
    leaf_fit : str
        Fit of the numbers of a leaf ("coordinate-descent" or "closed-form") [default: "coordinate-
        descent"].
    schedule : str
        Decay of the step of coordinate descent ("authors" or "sqrt") [default: "authors"].
    order : str
        Examples per step of coordinate descent: one, or all ("online" or "batch") [default:
        "batch"].
    rescore : int | str
        Maximum number of candidates refitted exactly before one is chosen (a whole number from 1 to
        1000000, or "all") [default: 1].
    distil_leaves : int | str
        Maximum number of leaves of the distilled tree (a whole number from 2 to 1000000, or "none")
        [default: "none"].
    distil_depth : int | str
        Maximum number of tests on a path to a leaf of the distilled tree (a whole number from 1 to
        1000000, or "none") [default: 10].
    distil_settings : str
        Distilled tree: leaves in closed form with distil_leaves and distil_depth, or leaf fit and
        limits of the ensemble's trees ("own" or "ensemble") [default: "own"].
    seed : int
        Seed of the random streams (a whole number from 0) [default: 1].
    preset : str
        Preset of the candidate tests: "paper", "lookahead", "extended" or "auto", chosen on training examples.
    symmetric : bool
        With recursive=True: treat p(a,b) and p(b,a) as equivalent.
    """

    _kind = "lrbm-explainable"
    _parameters = {
        "n_estimators": "trees",
        "early_stopping": "early_stopping",
        "held_out": "held_out",
        "max_leaves": "max_leaves",
        "max_tree_depth": "max_depth",
        "min_leaf": "min_leaf",
        "expand": "expand",
        "min_split": "min_split",
        "require_gain": "require_gain",
        "min_variance": "min_variance",
        "max_share": "max_share",
        "test_seeds": "test_seeds",
        "max_path_literals": "max_path_literals",
        "max_searches": "max_searches",
        "node_size": "node_size",
        "path_length": "path_length",
        "max_candidates": "max_candidates",
        "look_ahead": "look_ahead",
        "look_ahead_margin": "look_ahead_margin",
        "counts": "counts",
        "count_margin": "count_margin",
        "cuts": "cuts",
        "recursive": "recursive",
        "positive_weight": "positive_weight",
        "neg_pos_ratio": "train_negatives",
        "redraw_negatives": "redraw_negatives",
        "step": "step",
        "prior": "prior",
        "subsample": "subsample",
        "learning_rate": "learning_rate",
        "leaf_fit": "leaf_fit",
        "schedule": "schedule",
        "order": "order",
        "rescore": "rescore",
        "distil_leaves": "distil_leaves",
        "distil_depth": "distil_depth",
        "distil_settings": "distil_settings",
        "seed": "seed",
    }

    def __init__(
        self,
        background: Background | str | os.PathLike[str] | None = None,
        *,
        target: str | None = None,
        n_estimators: int | None = None,
        early_stopping: int | None = None,
        held_out: float | None = None,
        max_leaves: int | str | None = None,
        max_tree_depth: int | str | None = None,
        min_leaf: int | None = None,
        expand: str | None = None,
        min_split: int | None = None,
        require_gain: bool | None = None,
        min_variance: float | None = None,
        max_share: float | str | None = None,
        test_seeds: float | None = None,
        max_path_literals: int | str | None = None,
        max_searches: int | str | None = None,
        node_size: int | None = None,
        path_length: int | None = None,
        max_candidates: int | None = None,
        look_ahead: str | None = None,
        look_ahead_margin: float | None = None,
        counts: bool | None = None,
        count_margin: float | None = None,
        cuts: int | None = None,
        recursive: bool | None = None,
        positive_weight: float | None = None,
        neg_pos_ratio: int | str | None = None,
        redraw_negatives: bool | None = None,
        step: float | None = None,
        prior: float | str | None = None,
        subsample: float | None = None,
        learning_rate: float | None = None,
        leaf_fit: str | None = None,
        schedule: str | None = None,
        order: str | None = None,
        rescore: int | str | None = None,
        distil_leaves: int | str | None = None,
        distil_depth: int | str | None = None,
        distil_settings: str | None = None,
        seed: int | None = None,
        preset: str | None = None,
        symmetric: bool = False,
    ) -> None:
        self.background = background
        self.target = target
        self.n_estimators = n_estimators
        self.early_stopping = early_stopping
        self.held_out = held_out
        self.max_leaves = max_leaves
        self.max_tree_depth = max_tree_depth
        self.min_leaf = min_leaf
        self.expand = expand
        self.min_split = min_split
        self.require_gain = require_gain
        self.min_variance = min_variance
        self.max_share = max_share
        self.test_seeds = test_seeds
        self.max_path_literals = max_path_literals
        self.max_searches = max_searches
        self.node_size = node_size
        self.path_length = path_length
        self.max_candidates = max_candidates
        self.look_ahead = look_ahead
        self.look_ahead_margin = look_ahead_margin
        self.counts = counts
        self.count_margin = count_margin
        self.cuts = cuts
        self.recursive = recursive
        self.positive_weight = positive_weight
        self.neg_pos_ratio = neg_pos_ratio
        self.redraw_negatives = redraw_negatives
        self.step = step
        self.prior = prior
        self.subsample = subsample
        self.learning_rate = learning_rate
        self.leaf_fit = leaf_fit
        self.schedule = schedule
        self.order = order
        self.rescore = rescore
        self.distil_leaves = distil_leaves
        self.distil_depth = distil_depth
        self.distil_settings = distil_settings
        self.seed = seed
        self.preset = preset
        self.symmetric = symmetric


class BoostedRDNClassifier(SrlearnForm, RelationalClassifier):
    """Boosted relational dependency network.

    The first parameters and their defaults are those of srlearn.

    Parameters
    ----------
    background : Background or path
        Modes and settings; by default those of the Database.
    target : str
        Predicate to learn; by default that of the examples, if they have one predicate.
    n_estimators : int
        Number of boosting rounds.
    node_size : int
        Maximum number of literals in a test.
    max_tree_depth : int
        Maximum number of tests on a path to a leaf.
    neg_pos_ratio : int
        Maximum number of negatives per positive that trees are grown on, drawn at random.
    solver : str
        Ignored: srlearn's choice of a Java program. There is one solver here, and it is not one of them.
    early_stopping : int
        Stop after this many rounds without a better likelihood of held-out training examples; 0 for
        never (a whole number from 0 to 1000000) [default: 0].
    held_out : float
        Share of the training examples held out for early_stopping (a number above 0, up to 0.5)
        [default: 0.2].
    max_leaves : int | str
        Maximum number of leaves of a tree; BoostSRL's numOfClauses and 1 (a whole number from 2 to
        1000000, or "none") [default: 4].
    min_leaf : int
        Minimum number of examples in a leaf, and their minimum weight if above 1 (a whole number
        from 1 to 1000000) [default: 1].
    expand : str
        Leaf to split next: the one with the largest mean or total squared error ("mean" or "total")
        [default: "mean"].
    min_split : int
        Minimum number of examples in a node that is split, by weight (a whole number from 1 to
        1000000) [default: 1].
    require_gain : bool
        Split a node only if that lowers the squared error (true or false) [default: True].
    min_variance : float
        Half the mean squared error of a node, or a quarter of the root's if smaller, up to which it
        is not split (a number from 0 to 1000000) [default: 0.0].
    max_share : float | str
        Maximum share of the examples of a node that a test covers; "authors" for 1 - max(0.005,
        0.05 / negatives per positive) (a number from 0 to 1, or "authors") [default: 1.0].
    test_seeds : float
        Number of random examples of a node per negative per positive, of which a test must cover
        one; 0 for none (a number from 0 to 1000000) [default: 0.0].
    max_path_literals : int | str
        Maximum number of true literals on a path (a whole number from 1 to 1000000, or "none")
        [default: "none"].
    max_searches : int | str
        Maximum number of nodes of a tree for which a test is searched; BoostSRL's numOfCycles (a
        whole number from 1 to 1000000, or "none") [default: "none"].
    path_length : int
        Maximum length of chains tried as one test, between arguments of the target or from its only
        one to a constant; 0 for none (a whole number from 0 to 6) [default: 3].
    max_candidates : int
        Maximum number of candidate tests per node (a whole number from 1 to 1000000) [default:
        50000].
    look_ahead : str
        Variables of a test with several literals: any, or only arguments of the target and new ones
        that connect its literals ("anywhere" or "head") [default: "anywhere"].
    look_ahead_margin : float
        Margin in squared error by which a test must win, per literal beyond the first; not for
        tests that connect arguments of the target, or if it has only one (a number from 0 to 1)
        [default: 0.0].
    counts : bool
        Also try at-least-k tests, with k from the training examples (true or false) [default:
        False].
    count_margin : float
        Margin in squared error by which an at-least-k test must win, as a share of the error (a
        number from 0 to 1) [default: 0.05].
    cuts : int
        Number of thresholds (`C <= 0.5`) for a numeric argument where a mode has `#`; 0 tests for
        equal numbers (a whole number from 0 to 100) [default: 0].
    recursive : bool
        Use training positives as evidence for other examples, by the modes of the target;
        BoostSRL's recursion (true or false) [default: False].
    positive_weight : float
        Weight of a positive example relative to a negative one, times the weights of examples (a
        number above 0, up to 1000) [default: 1.0].
    redraw_negatives : bool
        Draw the negatives of neg_pos_ratio again for each tree, instead of once per model (true or
        false) [default: True if negatives are drawn, as srlearn does].
    step : float
        Shrinkage, the factor on the values of each tree; BoostSRL's -step (a number above 0, up to
        10) [default: 1.0].
    prior : float | str
        ψ before the first tree (a number from -100 to 100, or "log-odds") [default: -1.8].
    subsample : float
        Share of the positives and of the negatives that each tree sees (a number above 0, up to 1)
        [default: 1.0].
    seed : int
        Seed of the random streams (a whole number from 0) [default: 1].
    preset : str
        Preset of the candidate tests: "paper", "lookahead", "extended" or "auto", chosen on training examples.
    symmetric : bool
        With recursive=True: treat p(a,b) and p(b,a) as equivalent.
    """

    _kind = "rdn-boost"
    _parameters = {
        "n_estimators": "trees",
        "early_stopping": "early_stopping",
        "held_out": "held_out",
        "max_leaves": "max_leaves",
        "max_tree_depth": "max_depth",
        "min_leaf": "min_leaf",
        "expand": "expand",
        "min_split": "min_split",
        "require_gain": "require_gain",
        "min_variance": "min_variance",
        "max_share": "max_share",
        "test_seeds": "test_seeds",
        "max_path_literals": "max_path_literals",
        "max_searches": "max_searches",
        "node_size": "node_size",
        "path_length": "path_length",
        "max_candidates": "max_candidates",
        "look_ahead": "look_ahead",
        "look_ahead_margin": "look_ahead_margin",
        "counts": "counts",
        "count_margin": "count_margin",
        "cuts": "cuts",
        "recursive": "recursive",
        "positive_weight": "positive_weight",
        "neg_pos_ratio": "train_negatives",
        "redraw_negatives": "redraw_negatives",
        "step": "step",
        "prior": "prior",
        "subsample": "subsample",
        "seed": "seed",
    }

    def __init__(
        self,
        background: Background | str | os.PathLike[str] | None = None,
        target: str | None = "None",
        n_estimators: int = 10,
        node_size: int = 2,
        max_tree_depth: int = 3,
        neg_pos_ratio: int | float = 2,
        solver: str | None = "BoostSRL",
        *,
        early_stopping: int | None = None,
        held_out: float | None = None,
        max_leaves: int | str | None = None,
        min_leaf: int | None = None,
        expand: str | None = None,
        min_split: int | None = None,
        require_gain: bool | None = None,
        min_variance: float | None = None,
        max_share: float | str | None = None,
        test_seeds: float | None = None,
        max_path_literals: int | str | None = None,
        max_searches: int | str | None = None,
        path_length: int | None = None,
        max_candidates: int | None = None,
        look_ahead: str | None = None,
        look_ahead_margin: float | None = None,
        counts: bool | None = None,
        count_margin: float | None = None,
        cuts: int | None = None,
        recursive: bool | None = None,
        positive_weight: float | None = None,
        redraw_negatives: bool | None = None,
        step: float | None = None,
        prior: float | str | None = None,
        subsample: float | None = None,
        seed: int | None = None,
        preset: str | None = None,
        symmetric: bool = False,
    ) -> None:
        self.background = background
        self.target = target
        self.n_estimators = n_estimators
        self.node_size = node_size
        self.max_tree_depth = max_tree_depth
        self.neg_pos_ratio = neg_pos_ratio
        self.solver = solver
        self.early_stopping = early_stopping
        self.held_out = held_out
        self.max_leaves = max_leaves
        self.min_leaf = min_leaf
        self.expand = expand
        self.min_split = min_split
        self.require_gain = require_gain
        self.min_variance = min_variance
        self.max_share = max_share
        self.test_seeds = test_seeds
        self.max_path_literals = max_path_literals
        self.max_searches = max_searches
        self.path_length = path_length
        self.max_candidates = max_candidates
        self.look_ahead = look_ahead
        self.look_ahead_margin = look_ahead_margin
        self.counts = counts
        self.count_margin = count_margin
        self.cuts = cuts
        self.recursive = recursive
        self.positive_weight = positive_weight
        self.redraw_negatives = redraw_negatives
        self.step = step
        self.prior = prior
        self.subsample = subsample
        self.seed = seed
        self.preset = preset
        self.symmetric = symmetric


class MLNBoostClassifier(RelationalClassifier):
    """Boosted Markov logic network.

    Parameters
    ----------
    background : Background or path
        Modes and settings; by default those of the Database.
    target : str
        Predicate to learn; by default that of the examples, if they have one predicate.
    n_estimators : int
        Number of boosting rounds; BoostSRL's -trees (a whole number from 1 to 1000000) [default:
        20].
    early_stopping : int
        Stop after this many rounds without a better likelihood of held-out training examples; 0 for
        never (a whole number from 0 to 1000000) [default: 0].
    held_out : float
        Share of the training examples held out for early_stopping (a number above 0, up to 0.5)
        [default: 0.2].
    max_leaves : int | str
        Maximum number of leaves of a tree; BoostSRL's numOfClauses and 1 (a whole number from 2 to
        1000000, or "none") [default: 4].
    max_tree_depth : int | str
        Maximum number of tests on a path to a leaf; BoostSRL's maxTreeDepth (a whole number from 1
        to 1000000, or "none") [default: "none"].
    min_leaf : int
        Minimum number of examples in a leaf, and their minimum weight if above 1 (a whole number
        from 1 to 1000000) [default: 1].
    expand : str
        Leaf to split next: the one with the largest mean or total squared error ("mean" or "total")
        [default: "mean"].
    node_size : int
        Maximum number of literals in a test; BoostSRL's nodeSize (a whole number from 1 to 4)
        [default: 2].
    path_length : int
        Maximum length of chains tried as one test, between arguments of the target or from its only
        one to a constant; 0 for none (a whole number from 0 to 6) [default: 3].
    max_candidates : int
        Maximum number of candidate tests per node (a whole number from 1 to 1000000) [default:
        50000].
    step : float
        Shrinkage, the factor on the values of each tree; BoostSRL's -step (a number above 0, up to
        10) [default: 1.0].
    prior : float | str
        ψ before the first tree (a number from -100 to 100, or "log-odds") [default: "log-odds"].
    subsample : float
        Share of the positives and of the negatives that each tree sees (a number above 0, up to 1)
        [default: 1.0].
    form : str
        What each round learns: a tree, or clauses; BoostSRL's -mlnClause ("trees" or "clauses")
        [default: "trees"].
    clauses_per_step : int
        Number of clauses per round, if rounds learn clauses; BoostSRL's -numMLNClause (a whole
        number from 1 to 1000000) [default: 3].
    beam : int
        Beam width of the search for clauses (a whole number from 1 to 1000000) [default: 5].
    count_budget : int
        Maximum number of facts visited to count the groundings of a conjunction for one example (a
        whole number from 1 to 1000000) [default: 10000].
    shrinkage : float
        L2 penalty on the weights, as a number of examples with gradient 0 (a number from 0 to
        1000000) [default: 0.0].
    largest_part : int
        Number of literals from which a connected component of a path is not extended (a whole
        number from 1 to 6) [default: 2].
    clause_length : int
        Maximum number of literals in a clause (a whole number from 1 to 20) [default: 4].
    seed : int
        Seed of the random streams (a whole number from 0) [default: 1].
    preset : str
        Preset of the candidate tests: "paper", "lookahead", "extended" or "auto", chosen on training examples.
    """

    _kind = "mln-boost"
    _parameters = {
        "n_estimators": "trees",
        "early_stopping": "early_stopping",
        "held_out": "held_out",
        "max_leaves": "max_leaves",
        "max_tree_depth": "max_depth",
        "min_leaf": "min_leaf",
        "expand": "expand",
        "node_size": "node_size",
        "path_length": "path_length",
        "max_candidates": "max_candidates",
        "step": "step",
        "prior": "prior",
        "subsample": "subsample",
        "form": "form",
        "clauses_per_step": "clauses_per_step",
        "beam": "beam",
        "count_budget": "count_budget",
        "shrinkage": "shrinkage",
        "largest_part": "largest_part",
        "clause_length": "clause_length",
        "seed": "seed",
    }

    def __init__(
        self,
        background: Background | str | os.PathLike[str] | None = None,
        *,
        target: str | None = None,
        n_estimators: int | None = None,
        early_stopping: int | None = None,
        held_out: float | None = None,
        max_leaves: int | str | None = None,
        max_tree_depth: int | str | None = None,
        min_leaf: int | None = None,
        expand: str | None = None,
        node_size: int | None = None,
        path_length: int | None = None,
        max_candidates: int | None = None,
        step: float | None = None,
        prior: float | str | None = None,
        subsample: float | None = None,
        form: str | None = None,
        clauses_per_step: int | None = None,
        beam: int | None = None,
        count_budget: int | None = None,
        shrinkage: float | None = None,
        largest_part: int | None = None,
        clause_length: int | None = None,
        seed: int | None = None,
        preset: str | None = None,
    ) -> None:
        self.background = background
        self.target = target
        self.n_estimators = n_estimators
        self.early_stopping = early_stopping
        self.held_out = held_out
        self.max_leaves = max_leaves
        self.max_tree_depth = max_tree_depth
        self.min_leaf = min_leaf
        self.expand = expand
        self.node_size = node_size
        self.path_length = path_length
        self.max_candidates = max_candidates
        self.step = step
        self.prior = prior
        self.subsample = subsample
        self.form = form
        self.clauses_per_step = clauses_per_step
        self.beam = beam
        self.count_budget = count_budget
        self.shrinkage = shrinkage
        self.largest_part = largest_part
        self.clause_length = clause_length
        self.seed = seed
        self.preset = preset


class RelationalProbabilityTreeClassifier(RelationalClassifier):
    """One relational probability tree.

    Parameters
    ----------
    background : Background or path
        Modes and settings; by default those of the Database.
    target : str
        Predicate to learn; by default that of the examples, if they have one predicate.
    max_leaves : int | str
        Maximum number of leaves of a tree; BoostSRL's numOfClauses and 1 (a whole number from 2 to
        1000000, or "none") [default: "none"].
    max_tree_depth : int | str
        Maximum number of tests on a path to a leaf; BoostSRL's maxTreeDepth (a whole number from 1
        to 1000000, or "none") [default: 10].
    min_leaf : int
        Minimum number of examples in a leaf, and their minimum weight if above 1 (a whole number
        from 1 to 1000000) [default: 5].
    expand : str
        Leaf to split next: the one with the largest mean or total squared error ("mean" or "total")
        [default: "mean"].
    node_size : int
        Maximum number of literals in a test; BoostSRL's nodeSize (a whole number from 1 to 4)
        [default: 2].
    path_length : int
        Maximum length of chains tried as one test, between arguments of the target or from its only
        one to a constant; 0 for none (a whole number from 0 to 6) [default: 3].
    max_candidates : int
        Maximum number of candidate tests per node (a whole number from 1 to 1000000) [default:
        50000].
    look_ahead : str
        Variables of a test with several literals: any, or only arguments of the target and new ones
        that connect its literals ("anywhere" or "head") [default: "anywhere"].
    look_ahead_margin : float
        Margin in squared error by which a test must win, per literal beyond the first; not for
        tests that connect arguments of the target, or if it has only one (a number from 0 to 1)
        [default: 0.0].
    counts : bool
        Also try at-least-k tests, with k from the training examples (true or false) [default:
        False].
    count_margin : float
        Margin in squared error by which an at-least-k test must win, as a share of the error (a
        number from 0 to 1) [default: 0.05].
    cuts : int
        Number of thresholds (`C <= 0.5`) for a numeric argument where a mode has `#`; 0 tests for
        equal numbers (a whole number from 0 to 100) [default: 0].
    laplace : float
        Number of examples of each class added to those of a leaf (a number from 0.000001 to 1000)
        [default: 1.0].
    seed : int
        Seed of the random streams (a whole number from 0) [default: 1].
    preset : str
        Preset of the candidate tests: "paper", "lookahead", "extended" or "auto", chosen on training examples.
    """

    _kind = "rpt"
    _parameters = {
        "max_leaves": "max_leaves",
        "max_tree_depth": "max_depth",
        "min_leaf": "min_leaf",
        "expand": "expand",
        "node_size": "node_size",
        "path_length": "path_length",
        "max_candidates": "max_candidates",
        "look_ahead": "look_ahead",
        "look_ahead_margin": "look_ahead_margin",
        "counts": "counts",
        "count_margin": "count_margin",
        "cuts": "cuts",
        "laplace": "laplace",
        "seed": "seed",
    }

    def __init__(
        self,
        background: Background | str | os.PathLike[str] | None = None,
        *,
        target: str | None = None,
        max_leaves: int | str | None = None,
        max_tree_depth: int | str | None = None,
        min_leaf: int | None = None,
        expand: str | None = None,
        node_size: int | None = None,
        path_length: int | None = None,
        max_candidates: int | None = None,
        look_ahead: str | None = None,
        look_ahead_margin: float | None = None,
        counts: bool | None = None,
        count_margin: float | None = None,
        cuts: int | None = None,
        laplace: float | None = None,
        seed: int | None = None,
        preset: str | None = None,
    ) -> None:
        self.background = background
        self.target = target
        self.max_leaves = max_leaves
        self.max_tree_depth = max_tree_depth
        self.min_leaf = min_leaf
        self.expand = expand
        self.node_size = node_size
        self.path_length = path_length
        self.max_candidates = max_candidates
        self.look_ahead = look_ahead
        self.look_ahead_margin = look_ahead_margin
        self.counts = counts
        self.count_margin = count_margin
        self.cuts = cuts
        self.laplace = laplace
        self.seed = seed
        self.preset = preset


class ProgolClassifier(NetworkFile, RelationalClassifier):
    """Weighted clauses found by inverse entailment.

    Parameters
    ----------
    background : Background or path
        Modes and settings; by default those of the Database.
    target : str
        Predicate to learn; by default that of the examples, if they have one predicate.
    clause_length : int
        Maximum number of literals in a clause (a whole number from 1 to 20) [default: 4].
    variable_depth : int
        Maximum number of literals that connect a variable of a clause with the target (a whole
        number from 1 to 10) [default: 2].
    recall : int
        Maximum number of facts per mode and binding of its inputs in a bottom clause (a whole
        number from 1 to 1000000) [default: 10].
    clause_noise : float
        Maximum share of negatives among the examples a clause covers, by weight (a number from 0 to
        1) [default: 0.5].
    balance : bool
        Give the negatives the total weight of the positives, if they have more (true or false)
        [default: True].
    covers : int
        Number of clauses that cover a positive example before it no longer counts (a whole number
        from 1 to 100) [default: 4].
    max_clauses : int
        Maximum number of clauses (a whole number from 1 to 1000000) [default: 1000].
    min_positives : int
        Minimum number of positives that a clause covers and that still count (a whole number from 1
        to 1000000) [default: 2].
    min_share : float
        The same as a share of all positives, if that is more (a number from 0 to 1) [default: 0.1].
    search_limit : int
        Maximum number of different clauses searched per seed example (a whole number from 1 to
        1000000) [default: 1000].
    max_seeds : int
        Maximum number of seed examples, for each of the clauses that cover a positive (a whole
        number from 1 to 1000000) [default: 100].
    clause_weights : str
        Weights of clauses: fitted one by one, or one vote each ("fitted" or "votes") [default:
        "fitted"].
    seed : int
        Seed of the random streams (a whole number from 0) [default: 1].
    """

    _kind = "progol"
    _parameters = {
        "clause_length": "clause_length",
        "variable_depth": "variable_depth",
        "recall": "recall",
        "clause_noise": "clause_noise",
        "balance": "balance",
        "covers": "covers",
        "max_clauses": "max_clauses",
        "min_positives": "min_positives",
        "min_share": "min_share",
        "search_limit": "search_limit",
        "max_seeds": "max_seeds",
        "clause_weights": "clause_weights",
        "seed": "seed",
    }

    def __init__(
        self,
        background: Background | str | os.PathLike[str] | None = None,
        *,
        target: str | None = None,
        clause_length: int | None = None,
        variable_depth: int | None = None,
        recall: int | None = None,
        clause_noise: float | None = None,
        balance: bool | None = None,
        covers: int | None = None,
        max_clauses: int | None = None,
        min_positives: int | None = None,
        min_share: float | None = None,
        search_limit: int | None = None,
        max_seeds: int | None = None,
        clause_weights: str | None = None,
        seed: int | None = None,
    ) -> None:
        self.background = background
        self.target = target
        self.clause_length = clause_length
        self.variable_depth = variable_depth
        self.recall = recall
        self.clause_noise = clause_noise
        self.balance = balance
        self.covers = covers
        self.max_clauses = max_clauses
        self.min_positives = min_positives
        self.min_share = min_share
        self.search_limit = search_limit
        self.max_seeds = max_seeds
        self.clause_weights = clause_weights
        self.seed = seed


class RRBMClassifier(WalkInputs, RelationalClassifier):
    """Restricted Boltzmann machine over random walks.

    Longer predicates are made binary (``arity``).

    Parameters
    ----------
    background : Background or path
        Modes and settings; by default those of the Database.
    target : str
        Predicate to learn; by default that of the examples, if they have one predicate.
    inputs : str
        Inputs: "counts" of walks (rrbm-c), or their "existence" (rrbm-e).
    arity : str
        Arity of predicates: "binary" or "original".
    walk_length : int
        Maximum number of steps of a walk between the arguments of the target (a whole number from 1
        to 8) [default: 4].
    max_walks : int
        Maximum number of walks used as inputs (a whole number from 1 to 100000) [default: 200].
    hidden_units : int
        Number of hidden units (a whole number from 1 to 10000) [default: 20].
    count_scale : str
        Scale of counts of walks, before they are divided by the largest ("log" or "linear")
        [default: "log"].
    learning_rate : float
        First step of coordinate descent in a leaf, not the shrinkage (step); for kinds without
        trees, step size of gradient descent (a number above 0, up to 1) [default: 0.01].
    epochs : int
        Number of passes of gradient descent over the examples (a whole number from 0 to 1000000)
        [default: 100].
    batch : int
        Number of examples per step of gradient descent (a whole number from 1 to 1000000) [default:
        32].
    l2 : float
        L2 penalty on the weights, l2/2 · ‖w‖² added to the mean loss (a number from 0 to 1000)
        [default: 0.003].
    seed : int
        Seed of the random streams (a whole number from 0) [default: 1].
    """

    _kind = "rrbm-c"
    _parameters = {
        "walk_length": "walk_length",
        "max_walks": "max_walks",
        "hidden_units": "hidden_units",
        "count_scale": "count_scale",
        "learning_rate": "learning_rate",
        "epochs": "epochs",
        "batch": "batch",
        "l2": "l2",
        "seed": "seed",
    }

    def __init__(
        self,
        background: Background | str | os.PathLike[str] | None = None,
        *,
        target: str | None = None,
        inputs: str = "counts",
        arity: str = "binary",
        walk_length: int | None = None,
        max_walks: int | None = None,
        hidden_units: int | None = None,
        count_scale: str | None = None,
        learning_rate: float | None = None,
        epochs: int | None = None,
        batch: int | None = None,
        l2: float | None = None,
        seed: int | None = None,
    ) -> None:
        self.background = background
        self.target = target
        self.inputs = inputs
        self.arity = arity
        self.walk_length = walk_length
        self.max_walks = max_walks
        self.hidden_units = hidden_units
        self.count_scale = count_scale
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch = batch
        self.l2 = l2
        self.seed = seed


class LRNNClassifier(Template, RelationalClassifier):
    """Neural networks unrolled from weighted rules.

    ``template`` replaces learned clauses.

    Parameters
    ----------
    background : Background or path
        Modes and settings; by default those of the Database.
    target : str
        Predicate to learn; by default that of the examples, if they have one predicate.
    template : str | os.PathLike[str] | None
        Rules to learn the weights of: a text, or a path.
    clause_length : int
        Maximum number of literals in a clause (a whole number from 1 to 20) [default: 4].
    variable_depth : int
        Maximum number of literals that connect a variable of a clause with the target (a whole
        number from 1 to 10) [default: 2].
    recall : int
        Maximum number of facts per mode and binding of its inputs in a bottom clause (a whole
        number from 1 to 1000000) [default: 10].
    clause_noise : float
        Maximum share of negatives among the examples a clause covers, by weight (a number from 0 to
        1) [default: 0.5].
    balance : bool
        Give the negatives the total weight of the positives, if they have more (true or false)
        [default: True].
    covers : int
        Number of clauses that cover a positive example before it no longer counts (a whole number
        from 1 to 100) [default: 4].
    max_clauses : int
        Maximum number of clauses (a whole number from 1 to 1000000) [default: 1000].
    min_positives : int
        Minimum number of positives that a clause covers and that still count (a whole number from 1
        to 1000000) [default: 2].
    min_share : float
        The same as a share of all positives, if that is more (a number from 0 to 1) [default: 0.1].
    search_limit : int
        Maximum number of different clauses searched per seed example (a whole number from 1 to
        1000000) [default: 1000].
    max_seeds : int
        Maximum number of seed examples, for each of the clauses that cover a positive (a whole
        number from 1 to 1000000) [default: 100].
    family : str
        Aggregation of the groundings of a rule: their maximum or their average ("max" or "avg")
        [default: "max"].
    max_groundings : int
        Maximum number of groundings of a rule for one head (a whole number from 1 to 1000000)
        [default: 1000].
    groups : int
        Number of latent groups of constants for each type; 0 for none (a whole number from 0 to 20)
        [default: 2].
    learning_rate : float
        First step of coordinate descent in a leaf, not the shrinkage (step); for kinds without
        trees, step size of gradient descent (a number above 0, up to 1) [default: 0.01].
    epochs : int
        Number of passes of gradient descent over the examples (a whole number from 0 to 1000000)
        [default: 100].
    batch : int
        Number of examples per step of gradient descent (a whole number from 1 to 1000000) [default:
        32].
    l2 : float
        L2 penalty on the weights, l2/2 · ‖w‖² added to the mean loss (a number from 0 to 1000)
        [default: 0.0001].
    seed : int
        Seed of the random streams (a whole number from 0) [default: 1].
    """

    _kind = "lrnn"
    _parameters = {
        "clause_length": "clause_length",
        "variable_depth": "variable_depth",
        "recall": "recall",
        "clause_noise": "clause_noise",
        "balance": "balance",
        "covers": "covers",
        "max_clauses": "max_clauses",
        "min_positives": "min_positives",
        "min_share": "min_share",
        "search_limit": "search_limit",
        "max_seeds": "max_seeds",
        "family": "family",
        "max_groundings": "max_groundings",
        "groups": "groups",
        "learning_rate": "learning_rate",
        "epochs": "epochs",
        "batch": "batch",
        "l2": "l2",
        "seed": "seed",
    }

    def __init__(
        self,
        background: Background | str | os.PathLike[str] | None = None,
        *,
        target: str | None = None,
        template: str | os.PathLike[str] | None = None,
        clause_length: int | None = None,
        variable_depth: int | None = None,
        recall: int | None = None,
        clause_noise: float | None = None,
        balance: bool | None = None,
        covers: int | None = None,
        max_clauses: int | None = None,
        min_positives: int | None = None,
        min_share: float | None = None,
        search_limit: int | None = None,
        max_seeds: int | None = None,
        family: str | None = None,
        max_groundings: int | None = None,
        groups: int | None = None,
        learning_rate: float | None = None,
        epochs: int | None = None,
        batch: int | None = None,
        l2: float | None = None,
        seed: int | None = None,
    ) -> None:
        self.background = background
        self.target = target
        self.template = template
        self.clause_length = clause_length
        self.variable_depth = variable_depth
        self.recall = recall
        self.clause_noise = clause_noise
        self.balance = balance
        self.covers = covers
        self.max_clauses = max_clauses
        self.min_positives = min_positives
        self.min_share = min_share
        self.search_limit = search_limit
        self.max_seeds = max_seeds
        self.family = family
        self.max_groundings = max_groundings
        self.groups = groups
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch = batch
        self.l2 = l2
        self.seed = seed


__all__ = [
    "LRBMBoostClassifier",
    "LRBMNoBoostClassifier",
    "ExplainableLRBMClassifier",
    "BoostedRDNClassifier",
    "MLNBoostClassifier",
    "RelationalProbabilityTreeClassifier",
    "ProgolClassifier",
    "RRBMClassifier",
    "LRNNClassifier",
]
