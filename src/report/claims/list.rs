//! What the paper claims of its experiments, statement by statement, and how each statement is read here.

use super::claim::{Claim, ClaimedRelation};
use crate::data::dataset::Arity;
use crate::metric::Column::{self, AucPr, AucRoc};

const BOOST: &str = "lrbm-boost";
const EXPLAINABLE: &str = "lrbm-explainable";
const NO_BOOST: &str = "lrbm-noboost";
const BOTH: [Column; 2] = [AucRoc, AucPr];

/// The datasets of the paper's two bar charts, in their order.
const ALL: &[&str] = &["cora", "imdb", "mutagenesis", "sports", "uwcse", "webkb", "yeast2"];
const TABLE1: &[&str] = &["uwcse", "imdb", "cora", "webkb"];
const TABLE2: &[&str] = &["sports", "imdb", "uwcse", "yeast2", "cora", "webkb"];

const BETTER: &str = "the mean over folds is higher";
const CLEARLY: &str = "the mean over folds is higher, and the corrected t-test gives p < 0.05";
const ALIKE: &str = "the corrected t-test gives no p < 0.05 in either direction";
const NOT_WORSE: &str = "nowhere a lower mean with p < 0.05 in the corrected t-test";

/// The questions of the paper.
pub const QUESTIONS: [(&str, &str); 4] = [
    ("Q1", "How does LRBM-Boost compare to other relational neural models?"),
    ("Q2", "How does LRBM-Boost compare to other relational functional gradient boosting models?"),
    (
        "Q3",
        "Is an ensemble of weak relational regression trees more effective than a single strong relational regression tree for constructing Lifted RBMs?",
    ),
    (
        "Q4",
        "Can we generate an interpretable lifted RBM from the ensemble of weak relational regression trees learned by LRBM-Boost?",
    ),
];

/// The claims, in the order of the paper.
pub const CLAIMS: &[Claim] = &[
    Claim {
        question: "Q1",
        source: "bar charts",
        statement: "LRBM-Boost is significantly better than LRNN for Mutagenesis and Cora on both AUC-ROC and AUC-PR.",
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
        source: "bar charts",
        statement: "Further, it also achieves better AUC-ROC and AUC-PR than LRNN on Sports and Uw-Cse data set.",
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
        source: "bar charts",
        statement: "Compared to RRBM-C, LRBM-Boost performs better for Sports and WebKB on both AUC-ROC and AUC-PR.",
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
        source: "bar charts",
        statement: "Also, our proposed model performs better on Yeast2 on AUC-ROC.",
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
        source: "bar charts",
        statement: "LRBM-Boost either performs comparably to or outperforms state-of-the-art relational neural networks.",
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
        source: "bar charts",
        statement: "LRBM-Boost performs better than MLN-Boost for Cora and WebKB on AUC-ROC metric.",
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
        source: "bar charts",
        statement: "Further, it performs better than MLN-Boost for Imdb, Uw-Cse, Sports and WebKB on AUC-PR.",
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
        source: "bar charts",
        statement: "For all the other data sets, both the models have comparable performance.",
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
        source: "Table 1",
        statement: "LRBM-Boost outperforms RDN-Boost across the board,",
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
        source: "Table 1",
        statement: "and substantially so on larger domains such as Cora.",
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
        source: "bar charts and Table 1",
        statement: "LRBM-Boost performs comparably or outperforms state-of-the-art SRL boosting baselines.",
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
        source: "Table 2",
        statement: "LRBM-Boost is statistically superior on Sports, Yeast2 and Cora on both AUC-ROC and AUC-PR",
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
        source: "Table 2",
        statement: "and is comparable on others.",
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
        source: "Table 2",
        statement: "This asserts the efficacy of learning ensembles of relational trees by LRBM-Boost rather than learning a single tree.",
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
        source: "Table 2",
        statement: "For our current domains, this restriction does not significantly affect the performance.",
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
        source: "Table 2",
        statement: "There is no noticeable loss in performance as the AUC values decrease marginally, if at all.",
        read_as: "the mean of the explainable model is nowhere lower than that of its ensemble by more than the standard deviation between folds, the larger of the two",
        first: EXPLAINABLE,
        others: &[BOOST],
        cells: &[(&BOTH, TABLE2)],
        relation: ClaimedRelation::LossWithinDeviation,
        arity: None,
        published: Some("table2"),
    },
];
