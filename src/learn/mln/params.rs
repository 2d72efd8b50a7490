//! Parameters of MLN-Boost.

use super::clauses::CountClauseOptions;
use super::grow::CountOptions;
use crate::learn::params::shared::{Additive, ClauseLength, Growth, Prior, Rounds, Seed, Tests};
use crate::learn::params::{Choice, Shape, choice, group, kind_params};

/// What each boosting round learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A tree, whose paths are clauses.
    Trees,
    /// Clauses one by one.
    Clauses,
}

choice!(Form { "trees" => Trees, "clauses" => Clauses });

// `shrinkage` and `largest_part` were chosen as the defaults of the kind below were.
group! {
    /// Clauses whose groundings are counted.
    pub struct Counting {
        form: Form = Form::Trees, Shape::Choice(Form::WORDS), "What each round learns: a tree, or clauses; BoostSRL's -mlnClause";
        clauses_per_step: u32 = 3, Shape::count(1), "Number of clauses per round, if rounds learn clauses; BoostSRL's -numMLNClause";
        beam: u32 = 5, Shape::count(1), "Beam width of the search for clauses";
        count_budget: u32 = 10_000, Shape::count(1),
            "Maximum number of facts visited to count the groundings of a conjunction for one example";
        shrinkage: f64 = 0.0, Shape::real(0.0, 1e6), "L2 penalty on the weights, as a number of examples with gradient 0";
        largest_part: u32 = 2, Shape::integer(1, 6),
            "Number of literals from which a connected component of a path is not extended";
    }
}

kind_params! {
    /// Parameters of MLN-Boost.
    pub struct MlnBoostParams {
        rounds: Rounds,
        growth: Growth,
        tests: Tests,
        additive: Additive,
        counting: Counting,
        length: ClauseLength,
        seed: Seed,
    }
    own defaults: |params| {
        // Chosen by cross-validation inside the training folds of IMDB, UW-CSE and WEBKB, with
        // inner folds by sets of facts where the outer ones are; docs/src/departures.md says which
        // data this choice had seen.
        params.additive.prior = Prior::LogOdds;
        params.additive.step = 1.0;
    }
}

impl MlnBoostParams {
    /// Options of trees whose leaves count groundings.
    pub(super) fn count_options(&self) -> CountOptions {
        let growth = &self.growth;
        CountOptions {
            max_leaves: growth.max_leaves.map(|n| n as usize),
            max_depth: growth.max_depth.map(|n| n as usize),
            min_leaf: growth.min_leaf as usize,
            expand: growth.expand,
            shrinkage: self.counting.shrinkage,
        }
    }

    /// Options of the search for clauses whose groundings are counted.
    pub(super) fn clause_options(&self) -> CountClauseOptions {
        CountClauseOptions {
            clauses: self.counting.clauses_per_step as usize,
            max_length: self.length.clause_length as usize,
            beam: self.counting.beam as usize,
            min_examples: self.growth.min_leaf as usize,
            shrinkage: self.counting.shrinkage,
        }
    }
}
