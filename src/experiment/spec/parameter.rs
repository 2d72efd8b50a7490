//! Parameters of models as the raw spec writes them.

use super::diagnostic::{SpecDiagnostic, SpecLocation};
use crate::learn::params::Value;

/// A parameter of the raw spec with its location.
#[derive(Clone, Debug)]
pub struct RawParameter {
    pub path: String,
    pub place: SpecLocation,
    pub key: String,
    pub value: Value,
}

impl RawParameter {
    /// Returns a diagnostic about its value.
    pub fn invalid(&self, reason: impl Into<String>) -> SpecDiagnostic {
        SpecDiagnostic::new(&self.place, &self.path, reason).with(self.value.to_string())
    }
}
