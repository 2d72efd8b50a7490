//! The paper's claims about its experiments, restated, with the relation that each states.

use super::claim::Claim;
use crate::data::benchmark::Arity;
use crate::metric::Column::{self, AucPr, AucRoc};
use crate::metric::significance::decision::Relation;

const BOOST: &str = "lrbm-boost";
const EXPLAINABLE: &str = "lrbm-explainable";
const NO_BOOST: &str = "lrbm-noboost";
const BOTH: [Column; 2] = [AucRoc, AucPr];

/// Datasets of the paper's two bar charts, in their order.
const ALL: &[&str] = &["cora", "imdb", "mutagenesis", "sports", "uwcse", "webkb", "yeast2"];
const TABLE1: &[&str] = &["uwcse", "imdb", "cora", "webkb"];
const TABLE2: &[&str] = &["sports", "imdb", "uwcse", "yeast2", "cora", "webkb"];

/// Datasets whose task the paper does not define, so that ours is our own, with the reason.
pub(super) const OWN_TASKS: [(&str, &str); 1] =
    [("mutagenesis", "our own task definition: the paper does not say which memberships of atoms are known")];

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
        first: BOOST,
        others: &["lrnn"],
        cells: &[(&BOTH, &["mutagenesis", "cora"])],
        relation: Relation::Higher,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost scores higher than LRNN on Sports and UW-CSE, in both metrics",
        first: BOOST,
        others: &["lrnn"],
        cells: &[(&BOTH, &["sports", "uwcse"])],
        relation: Relation::Higher,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost scores higher than RRBM-C on Sports and WebKB, in both metrics",
        first: BOOST,
        others: &["rrbm-c"],
        cells: &[(&BOTH, &["sports", "webkb"])],
        relation: Relation::Higher,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost scores higher than RRBM-C on Yeast2, in AUC-ROC",
        first: BOOST,
        others: &["rrbm-c"],
        cells: &[(&[AucRoc], &["yeast2"])],
        relation: Relation::Higher,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost is nowhere worse than LRNN, which the paper leaves out on Yeast2",
        first: BOOST,
        others: &["lrnn"],
        cells: &[(&BOTH, &["cora", "imdb", "mutagenesis", "sports", "uwcse", "webkb"])],
        relation: Relation::NotWorse,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q1",
        source: "Section 4.2, bar charts",
        statement: "LRBM-Boost is nowhere worse than RRBM-C",
        first: BOOST,
        others: &["rrbm-c"],
        cells: &[(&BOTH, ALL)],
        relation: Relation::NotWorse,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, bar charts",
        statement: "LRBM-Boost scores higher than MLN-Boost on Cora and WebKB, in AUC-ROC",
        first: BOOST,
        others: &["mln-boost"],
        cells: &[(&[AucRoc], &["cora", "webkb"])],
        relation: Relation::Higher,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, bar charts",
        statement: "LRBM-Boost scores higher than MLN-Boost on IMDB, UW-CSE, Sports and WebKB, in AUC-PR",
        first: BOOST,
        others: &["mln-boost"],
        cells: &[(&[AucPr], &["imdb", "uwcse", "sports", "webkb"])],
        relation: Relation::Higher,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, bar charts",
        statement: "LRBM-Boost and MLN-Boost are on a par everywhere else",
        first: BOOST,
        others: &["mln-boost"],
        cells: &[
            (&[AucRoc], &["imdb", "mutagenesis", "sports", "uwcse", "yeast2"]),
            (&[AucPr], &["cora", "mutagenesis", "yeast2"]),
        ],
        relation: Relation::OnAPar,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, Table 1",
        statement: "LRBM-Boost scores higher than RDN-Boost in every cell",
        first: BOOST,
        others: &["rdn-boost"],
        cells: &[(&BOTH, TABLE1)],
        relation: Relation::Higher,
        arity: Some(Arity::Original),
        published: Some("table1"),
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, Table 1",
        statement: "The lead over RDN-Boost is large on Cora, an example of a larger domain",
        first: BOOST,
        others: &["rdn-boost"],
        cells: &[(&BOTH, &["cora"])],
        relation: Relation::ClearlyHigher,
        arity: Some(Arity::Original),
        published: Some("table1"),
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, bar charts",
        statement: "LRBM-Boost is nowhere worse than MLN-Boost",
        first: BOOST,
        others: &["mln-boost"],
        cells: &[(&BOTH, ALL)],
        relation: Relation::NotWorse,
        arity: Some(Arity::Binary),
        published: None,
    },
    Claim {
        question: "Q2",
        source: "Section 4.3, Table 1",
        statement: "LRBM-Boost is nowhere worse than RDN-Boost",
        first: BOOST,
        others: &["rdn-boost"],
        cells: &[(&BOTH, TABLE1)],
        relation: Relation::NotWorse,
        arity: Some(Arity::Original),
        published: Some("table1"),
    },
    Claim {
        question: "Q3",
        source: "Section 4.4, Table 2",
        statement: "The ensemble beats a single tree significantly on Sports, Yeast2 and Cora, in both metrics",
        first: BOOST,
        others: &[NO_BOOST],
        cells: &[(&BOTH, &["sports", "yeast2", "cora"])],
        relation: Relation::Higher,
        arity: None,
        published: Some("table2"),
    },
    Claim {
        question: "Q3",
        source: "Section 4.4, Table 2",
        statement: "The ensemble and a single tree are on a par on the remaining datasets",
        first: BOOST,
        others: &[NO_BOOST],
        cells: &[(&BOTH, &["imdb", "uwcse", "webkb"])],
        relation: Relation::OnAPar,
        arity: None,
        published: Some("table2"),
    },
    Claim {
        question: "Q3",
        source: "Section 4.4, Table 2",
        statement: "Boosting an ensemble of trees is more effective than learning one tree",
        first: BOOST,
        others: &[NO_BOOST],
        cells: &[(&BOTH, TABLE2)],
        relation: Relation::NotWorseAndSomewhereHigher,
        arity: None,
        published: Some("table2"),
    },
    Claim {
        question: "Q4",
        source: "Section 4.5, Table 2",
        statement: "Allowing one active hidden node per example, the explainable model, costs little or no AUC",
        first: EXPLAINABLE,
        others: &[BOOST],
        cells: &[(&BOTH, TABLE2)],
        relation: Relation::NotWorse,
        arity: None,
        published: Some("table2"),
    },
];
