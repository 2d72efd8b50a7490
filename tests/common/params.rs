//! Parameters as users set them.

use lrbm::internal::learn::{Kind, Params, Unchecked};

/// The parameters of a kind with settings such as `trees=3`.
pub fn params(kind: Kind, settings: &[&str]) -> Params {
    settings.iter().fold(Unchecked::new(kind), |all, setting| all.set(setting).unwrap()).check().unwrap()
}
