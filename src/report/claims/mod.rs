//! The paper's claims, held against the numbers of a run.
//!
//! A verdict is computed from the run alone. A claim about several datasets does not hold if it fails on one of them, and
//! cannot be said to hold while one of them is missing.

mod claim;
mod judge;
mod list;

pub use claim::{Claim, ClaimedRelation};
pub use judge::{ClaimComparison, ClaimEvidence, ClaimStatus, JudgedClaim, judge};
pub use list::{CLAIMS, QUESTIONS};
