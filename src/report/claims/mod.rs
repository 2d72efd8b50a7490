//! The paper's claims, evaluated on the numbers of a run.
//!
//! The evaluation uses the run alone. A claim about several datasets fails if it fails on one of
//! them, and is undecided while one of them is missing.

mod claim;
mod judge;
mod list;

pub use claim::{Claim, ClaimedRelation};
pub use judge::{ClaimComparison, ClaimEvidence, ClaimStatus, JudgedClaim, judge};
pub use list::{CLAIMS, QUESTIONS};
