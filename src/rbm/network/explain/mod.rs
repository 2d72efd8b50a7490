//! Explanation of one prediction: the rules that are true with their contributions, the facts of
//! their groundings, what conditions rule out, and the single facts that would flip the decision.
//!
//! ```text
//! ψ = prior log-odds + Σ over the true rules of their contributions
//! ```
mod explainer;
mod explanation;
mod flip;
mod ground;
mod text;
mod view;

pub use explainer::{ExplainError, Explainer};
pub use explanation::{CheckedCondition, Explanation, Fired};
pub use flip::{Flip, FlipOptions, Flips};
pub use ground::{Grounding, substitute};
#[cfg(feature = "harness")]
pub(crate) use text::signed;
pub use view::{
    BindingView, ChangeView, ChangesView, ClassView, ConditionView, ExplanationView, ModelAgreement, QueryContext,
    RuleView,
};
#[cfg(feature = "harness")]
pub(crate) use view::{numbers, of_example};

#[cfg(test)]
mod tests;
