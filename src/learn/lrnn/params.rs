//! Parameters of LRNN.

use super::net::Family;
use crate::learn::params::shared::{ClauseLength, ClauseSearch, LearningRate, Seed, Sgd};
use crate::learn::params::{Choice, Shape, choice, group, kind_params};

choice!(Family { "max" => Max, "avg" => Avg });

group! {
    /// Networks from templates.
    pub struct Unrolling {
        family: Family = Family::Max, Shape::Choice(Family::WORDS),
            "Aggregation of the groundings of a rule: their maximum or their average";
        max_groundings: u32 = 1000, Shape::count(1), "Maximum number of groundings of a rule for one head";
    }
}

group! {
    /// Latent groups of constants.
    pub struct Grouping {
        groups: u32 = 2, Shape::integer(0, 20), "Number of latent groups of constants for each type; 0 for none", added later;
    }
}

kind_params! {
    /// Parameters of LRNN.
    pub struct LrnnParams {
        length: ClauseLength,
        search: ClauseSearch,
        unrolling: Unrolling,
        grouping: Grouping,
        rate: LearningRate,
        sgd: Sgd,
        seed: Seed,
    }
    own defaults: |params| {
        params.rate.learning_rate = 0.01;
    }
}
