//! The kinds of models and the facts about each that need no code.
//!
//! The table [`kinds!`] is the registry: one entry per kind. This file makes the enum [`Kind`] and
//! its [`KindInfo`] from it; `registry.rs` connects each entry with its parameters and its learner.

use std::fmt;

/// Calls the macro `$define` with every entry of the registry, in the order in which kinds are
/// listed.
macro_rules! kinds {
    ($define:ident) => {
        $define! {
            /// LRBM-Boost, the paper's ensemble of trees with RBM leaves.
            LrbmBoost {
                name: "lrbm-boost",
                about: "boosted trees with a restricted Boltzmann machine in each leaf",
                version: 2,
                params: lrbm_boost::LrbmBoostParams,
                grows_trees: true,
                distillation: Distillation::Source,
                uses_weights: true,
                multi_class: true,
            }
            /// LRBM-NoBoost: one large tree instead of an ensemble.
            LrbmNoBoost {
                name: "lrbm-noboost",
                about: "one large tree with a restricted Boltzmann machine in each leaf",
                version: 2,
                params: lrbm_noboost::LrbmNoBoostParams,
                grows_trees: true,
                distillation: Distillation::None,
                uses_weights: true,
                multi_class: true,
            }
            /// Explainable LRBM: one large tree distilled from an ensemble.
            LrbmExplainable {
                name: "lrbm-explainable",
                about: "one large tree distilled from an ensemble",
                version: 2,
                params: lrbm_explainable::LrbmExplainableParams,
                grows_trees: true,
                distillation: Distillation::Target,
                uses_weights: true,
                multi_class: true,
            }
            /// RDN-Boost (Natarajan et al., 2012): the same loop with the mean gradient in the
            /// leaves.
            RdnBoost {
                name: "rdn-boost",
                about: "boosted relational dependency network",
                version: 1,
                params: rdn_boost::RdnBoostParams,
                grows_trees: true,
                distillation: Distillation::Source,
                uses_weights: true,
                multi_class: true,
            }
            /// MLN-Boost (Khot et al., 2011): the same loop with weights on counts of groundings.
            MlnBoost {
                name: "mln-boost",
                about: "boosted Markov logic network",
                version: 2,
                params: mln::MlnBoostParams,
                grows_trees: false,
                distillation: Distillation::None,
                uses_weights: false,
                multi_class: false,
            }
            /// Relational probability tree: one tree with class frequencies in its leaves.
            Rpt {
                name: "rpt",
                about: "one relational probability tree",
                version: 1,
                params: rpt::RptParams,
                grows_trees: true,
                distillation: Distillation::None,
                uses_weights: false,
                multi_class: false,
            }
            /// Clauses learned as Progol does (Muggleton, 1995), with weights.
            Progol {
                name: "progol",
                about: "weighted clauses found by inverse entailment",
                version: 3,
                params: progol::ProgolParams,
                grows_trees: false,
                distillation: Distillation::None,
                uses_weights: true,
                multi_class: false,
            }
            /// RRBM-C (Kaur et al., 2017): a discriminative RBM over counts of lifted random walks.
            RrbmC {
                name: "rrbm-c",
                about: "restricted Boltzmann machine over counts of random walks",
                version: 3,
                params: rrbm::RrbmCParams,
                grows_trees: false,
                distillation: Distillation::None,
                uses_weights: true,
                multi_class: false,
            }
            /// RRBM-E: the same over the existence of such walks.
            RrbmE {
                name: "rrbm-e",
                about: "restricted Boltzmann machine over the existence of random walks",
                version: 3,
                params: rrbm::RrbmEParams,
                grows_trees: false,
                distillation: Distillation::None,
                uses_weights: true,
                multi_class: false,
            }
            /// LRNN (Šourek et al., 2015): networks unrolled from weighted rules.
            Lrnn {
                name: "lrnn",
                about: "neural networks unrolled from weighted rules",
                version: 3,
                params: lrnn::LrnnParams,
                grows_trees: false,
                distillation: Distillation::None,
                uses_weights: true,
                multi_class: false,
            }
        }
    };
}
pub(super) use kinds;

macro_rules! define_kinds {
    ($($(#[$doc:meta])* $kind:ident {
        name: $name:literal,
        about: $about:literal,
        version: $version:literal,
        params: $module:ident::$params:ident,
        $($fact:ident: $value:expr,)*
    })+) => {
        /// A kind of model that is learned from examples alone.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $kind,)+
        }

        impl Kind {
            /// All kinds, in the order in which they are listed.
            pub const ALL: [Kind; [$($name),+].len()] = [$(Kind::$kind),+];

            /// Returns the registry entry of the kind.
            pub const fn info(self) -> &'static KindInfo {
                match self {
                    $(Kind::$kind => &KindInfo {
                        name: $name,
                        about: $about,
                        version: $version,
                        $($fact: $value,)*
                    },)+
                }
            }
        }
    };
}
kinds!(define_kinds);

/// The facts about a kind that need no code.
#[derive(Debug)]
pub struct KindInfo {
    /// Name on the command line, in specs and in files.
    pub name: &'static str,
    /// What it learns, as a noun phrase for listings.
    pub about: &'static str,
    /// Version of the algorithm, a part of job ids. Raise it when a code change moves its models or
    /// scores.
    pub version: u32,
    /// Whether its models are sums of trees, which can be drawn.
    pub grows_trees: bool,
    /// Its part in distilling an ensemble into one tree.
    pub distillation: Distillation,
    /// Whether the weights of training examples influence its models; otherwise it warns about
    /// them.
    pub uses_weights: bool,
    /// Whether it supports targets with several classes; otherwise they are an error.
    pub multi_class: bool,
}

/// The part of a kind in distilling an ensemble into one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distillation {
    /// None.
    None,
    /// Its models can be distilled.
    Source,
    /// It distills models of other kinds.
    Target,
}

impl Kind {
    /// Returns the name on the command line, in specs and in files.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns whether its models are sums of trees, which can be drawn.
    pub const fn grows_trees(self) -> bool {
        self.info().grows_trees
    }

    /// Returns whether the weights of training examples influence its models.
    pub const fn uses_weights(self) -> bool {
        self.info().uses_weights
    }

    /// Returns the kind with this name.
    ///
    /// # Errors
    /// If no kind has it.
    pub fn find(name: &str) -> Result<Kind, UnknownKind> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownKind { name: name.to_owned() })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no kind has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of model `{name}`; expected one of {}", Kind::ALL.map(Kind::name).join(", "))]
pub struct UnknownKind {
    /// The name.
    pub name: String,
}
