//! Parameters of RRBM-C and RRBM-E.

use super::feature::Feature;
use crate::learn::params::shared::{LearningRate, Seed, Sgd};
use crate::learn::params::{Choice, Shape, choice, group, kind_params};

choice!(Feature { "log" => Log, "linear" => Linear });

group! {
    /// Walks, and the machine over them.
    pub struct Walks {
        walk_length: u32 = 4, Shape::integer(1, 8), "Maximum number of steps of a walk between the arguments of the target";
        max_walks: u32 = 200, Shape::integer(1, 100_000), "Maximum number of walks used as inputs";
        hidden_units: u32 = 20, Shape::integer(1, 10_000), "Number of hidden units";
    }
}

group! {
    /// Scale of counts.
    pub struct CountScale {
        count_scale: Feature = Feature::Log, Shape::Choice(Feature::WORDS),
            "Scale of counts of walks, before they are divided by the largest";
    }
}

kind_params! {
    /// Parameters of RRBM-C.
    pub struct RrbmCParams {
        walks: Walks,
        scale: CountScale,
        rate: LearningRate,
        sgd: Sgd,
        seed: Seed,
    }
    own defaults: |params| {
        set_descent(&mut params.rate, &mut params.sgd);
    }
}

kind_params! {
    /// Parameters of RRBM-E.
    pub struct RrbmEParams {
        walks: Walks,
        rate: LearningRate,
        sgd: Sgd,
        seed: Seed,
    }
    own defaults: |params| {
        set_descent(&mut params.rate, &mut params.sgd);
    }
}

/// The penalty was chosen by cross-validation on the generated domains with a tenth of the
/// labels wrong.
fn set_descent(rate: &mut LearningRate, sgd: &mut Sgd) {
    rate.learning_rate = 0.01;
    sgd.l2 = 0.003;
}
