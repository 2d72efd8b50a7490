//! The formats of model files. Each is named `lrbm-` and what the file holds; former names are
//! still read.

use crate::files::json::Format;
pub use crate::rbm::network::FORMAT as NETWORK;

/// Sums of trees.
pub const TREES: Format =
    Format { name: "lrbm-trees", former: &["lrbm model"], thing: "model", maker: "lrbm train", version: 4 };

/// Markov logic networks.
pub const MLN: Format = Format { name: "lrbm-mln", former: &[], thing: "model", maker: "lrbm train", version: 1 };

/// RBMs over random walks.
pub const RRBM: Format = Format {
    name: "lrbm-rrbm",
    former: &["lrbm walks"],
    thing: "model over walks",
    maker: "lrbm train --kind rrbm-c",
    version: 1,
};

/// Weighted templates of lifted relational neural networks.
pub const LRNN: Format = Format {
    name: "lrbm-lrnn",
    former: &["lrbm template"],
    thing: "template with weights",
    maker: "lrbm train --kind lrnn",
    version: 1,
};
