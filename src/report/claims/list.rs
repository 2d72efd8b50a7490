//! The paper's claims about its experiments, restated, with the criterion by which each is
//! decided.

use super::claim::{Claim, ClaimedRelation};
use crate::data::benchmark::Arity;
use crate::metric::Column::{self, AucPr, AucRoc};

const BOOST: &str = "lrbm-boost";
const EXPLAINABLE: &str = "lrbm-explainable";
const NO_BOOST: &str = "lrbm-noboost";
const BOTH: [Column; 2] = [AucRoc, AucPr];

/// Datasets of the paper's two bar charts, in their order.
const ALL: &[&str] = &["cora", "imdb", "mutagenesis", "sports", "uwcse", "webkb", "yeast2"];
const TABLE1: &[&str] = &["uwcse", "imdb", "cora", "webkb"];
const TABLE2: &[&str] = &["sports", "imdb", "uwcse", "yeast2", "cora", "webkb"];

const BETTER: &str = "the mean over folds is higher";
const CLEARLY: &str = "the mean over folds is higher, and the corrected t-test gives p < 0.05";
const ALIKE: &str = "the corrected t-test gives no p < 0.05 in either direction";
const NOT_WORSE: &str = "nowhere a lower mean with p < 0.05 in the corrected t-test";

/// The paper's questions (Section 4), restated.
pub const QUESTIONS: [(&str, &str); 4] = [
    ("Q1", "How good is LRBM-Boost compared with other relational neural models?"),
    ("Q2", "How good is LRBM-Boost compared with other relational boosting methods?"),
    ("Q3", "Is boosting many small trees better than learning one large tree?"),
    ("Q4", "Can the ensemble be turned into one interpretable lifted RBM?"),
];

/// The claims, in the order of the paper.
pub const CLAIMS: &[Claim] = &[
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost beats LRNN significantly on Mutagenesis and Cora, in both AUC-ROC and AUC-PR",
        read_as: CLEARLY,
        first: BOOST,
        others: &["lrnn"],
        cells: &[(&BOTH, &["mutagenesis", "cora"])],
        relation: ClaimedRelation::ClearlyBetter,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost scores higher than LRNN on Sports and UW-CSE, in both metrics",
        read_as: BETTER,
        first: BOOST,
        others: &["lrnn"],
        cells: &[(&BOTH, &["sports", "uwcse"])],
        relation: ClaimedRelation::Better,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost scores higher than RRBM-C on Sports and WebKB, in both metrics",
        read_as: BETTER,
        first: BOOST,
        others: &["rrbm-c"],
        cells: &[(&BOTH, &["sports", "webkb"])],
        relation: ClaimedRelation::Better,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost scores higher than RRBM-C on Yeast2, in AUC-ROC",
        read_as: BETTER,
        first: BOOST,
        others: &["rrbm-c"],
        cells: &[(&[AucRoc], &["yeast2"])],
        relation: ClaimedRelation::Better,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost is nowhere worse than the relational neural networks",
        read_as: NOT_WORSE,
        first: BOOST,
        others: &["lrnn", "rrbm-c"],
        cells: &[(&BOTH, ALL)],
        relation: ClaimedRelation::NotWorse,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, bar charts",
        statement: "LRBM-Boost scores higher than MLN-Boost on Cora and WebKB, in AUC-ROC",
        read_as: BETTER,
        first: BOOST,
        others: &["mln-boost"],
        cells: &[(&[AucRoc], &["cora", "webkb"])],
        relation: ClaimedRelation::Better,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, bar charts",
        statement: "LRBM-Boost scores higher than MLN-Boost on IMDB, UW-CSE, Sports and WebKB, in AUC-PR",
        read_as: BETTER,
        first: BOOST,
        others: &["mln-boost"],
        cells: &[(&[AucPr], &["imdb", "uwcse", "sports", "webkb"])],
        relation: ClaimedRelation::Better,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, bar charts",
        statement: "LRBM-Boost and MLN-Boost are on a par everywhere else",
        read_as: ALIKE,
        first: BOOST,
        others: &["mln-boost"],
        cells: &[
            (&[AucRoc], &["imdb", "mutagenesis", "sports", "uwcse", "yeast2"]),
            (&[AucPr], &["cora", "mutagenesis", "yeast2"]),
        ],
        relation: ClaimedRelation::Alike,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, Table 1",
        statement: "LRBM-Boost scores higher than RDN-Boost in every cell",
        read_as: BETTER,
        first: BOOST,
        others: &["rdn-boost"],
        cells: &[(&BOTH, TABLE1)],
        relation: ClaimedRelation::Better,
        arity: Some(Arity::Original),
        published: Some("table1"),
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, Table 1",
        statement: "The lead over RDN-Boost is large on Cora, an example of a larger domain",
        read_as: CLEARLY,
        first: BOOST,
        others: &["rdn-boost"],
        cells: &[(&BOTH, &["cora"])],
        relation: ClaimedRelation::ClearlyBetter,
        arity: Some(Arity::Original),
        published: Some("table1"),
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, bar charts and Table 1",
        statement: "LRBM-Boost is nowhere worse than the boosted relational baselines",
        read_as: NOT_WORSE,
        first: BOOST,
        others: &["rdn-boost", "mln-boost"],
        cells: &[(&BOTH, TABLE1)],
        relation: ClaimedRelation::NotWorse,
        arity: None,
        published: Some("table1"),
    },
    Claim {
        question: "Q3",
        source: "Section 4.4, Table 2",
        statement: "The ensemble beats a single tree significantly on Sports, Yeast2 and Cora, in both metrics",
        read_as: CLEARLY,
        first: BOOST,
        others: &[NO_BOOST],
        cells: &[(&BOTH, &["sports", "yeast2", "cora"])],
        relation: ClaimedRelation::ClearlyBetter,
        arity: None,
        published: Some("table2"),
    },
    Claim {
        question: "Q3",
        source: "Section 4.4, Table 2",
        statement: "The ensemble and a single tree are on a par on the remaining datasets",
        read_as: ALIKE,
        first: BOOST,
        others: &[NO_BOOST],
        cells: &[(&BOTH, &["imdb", "uwcse", "webkb"])],
        relation: ClaimedRelation::Alike,
        arity: None,
        published: Some("table2"),
    },
    Claim {
        question: "Q3",
        source: "Section 4.4, Table 2",
        statement: "Boosting an ensemble of trees is more effective than learning one tree",
        read_as: "nowhere a lower mean with p < 0.05 in the corrected t-test, and a higher mean with p < 0.05 somewhere",
        first: BOOST,
        others: &[NO_BOOST],
        cells: &[(&BOTH, TABLE2)],
        relation: ClaimedRelation::NotWorseAndSomewhereBetter,
        arity: None,
        published: Some("table2"),
    },
    Claim {
        question: "Q4",
        source: "Section 4.5, Table 2",
        statement: "Allowing one active hidden node per example costs no significant performance",
        read_as: "the explainable model has nowhere a lower mean than its ensemble with p < 0.05 in the corrected t-test",
        first: EXPLAINABLE,
        others: &[BOOST],
        cells: &[(&BOTH, TABLE2)],
        relation: ClaimedRelation::NotWorse,
        arity: None,
        published: Some("table2"),
    },
    Claim {
        question: "Q4",
        source: "Section 4.5, Table 2",
        statement: "The explainable model loses little or no AUC",
        read_as: "the mean of the explainable model is nowhere lower than that of its ensemble by more than the standard deviation between folds, the larger of the two",
        first: EXPLAINABLE,
        others: &[BOOST],
        cells: &[(&BOTH, TABLE2)],
        relation: ClaimedRelation::LossWithinDeviation,
        arity: None,
        published: Some("table2"),
    },
];
