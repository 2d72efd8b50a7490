//! Which kinds of models have something in common, and so parameters.

use crate::learn::Kind;

pub(super) const ALL: &[Kind] = &Kind::ALL;
pub(super) const ENSEMBLES: &[Kind] = &[Kind::LrbmBoost, Kind::LrbmExplainable, Kind::RdnBoost, Kind::MlnBoost];
/// Those whose trees test whether something is there.
pub(super) const TREES: &[Kind] =
    &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost, Kind::Rpt];
/// Those that add what they learn to a first ψ.
pub(super) const SUMS: &[Kind] =
    &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost, Kind::MlnBoost];
/// Those that grow trees of any kind.
pub(super) const GROWN: &[Kind] =
    &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost, Kind::MlnBoost, Kind::Rpt];
/// Those that grow on the gradients of examples which need not count alike.
pub(super) const BOOSTED: &[Kind] = &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost];
pub(super) const LRBM: &[Kind] = &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable];
pub(super) const EXPLAINABLE: &[Kind] = &[Kind::LrbmExplainable];
pub(super) const MLN: &[Kind] = &[Kind::MlnBoost];
pub(super) const RPT: &[Kind] = &[Kind::Rpt];
pub(super) const PROGOL: &[Kind] = &[Kind::Progol];
/// Those that search for clauses from seeds.
pub(super) const SEEDS: &[Kind] = &[Kind::Progol, Kind::Lrnn];
pub(super) const CLAUSES: &[Kind] = &[Kind::MlnBoost, Kind::Progol, Kind::Lrnn];
pub(super) const WALKS: &[Kind] = &[Kind::RrbmC, Kind::RrbmE];
pub(super) const TEMPLATE: &[Kind] = &[Kind::Lrnn];
pub(super) const DESCENT: &[Kind] = &[Kind::RrbmC, Kind::RrbmE, Kind::Lrnn];
pub(super) const STEPS: &[Kind] =
    &[Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RrbmC, Kind::RrbmE, Kind::Lrnn];
