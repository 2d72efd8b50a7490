//! Penalties for kinds of tests that are numerous.

/// The additional gain required of some tests, as fractions of the squared error of a node.
///
/// There are many such tests, so the best of them is more likely to look better than it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Margins {
    /// For an at-least-k test.
    pub count: f64,
    /// For a test with look-ahead, per literal beyond the first.
    pub look_ahead: f64,
}
