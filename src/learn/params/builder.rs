//! Typed, chainable setters for library users.

use super::error::ParamError;
use super::group::ParamSet;

/// Parameters of a kind that are being set, from the `params` function of its learner. There is one
/// setter per parameter; values are checked when the parameters are built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Builder<P> {
    pub(crate) params: P,
}

impl<P: ParamSet + Default> Builder<P> {
    /// Starts from the defaults of the kind.
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks the values.
    ///
    /// # Errors
    /// For the first value outside its range.
    pub fn build(self) -> Result<P, ParamError> {
        self.params.check().map(|()| self.params)
    }
}
