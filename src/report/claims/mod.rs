//! The paper's claims, evaluated on the numbers of a run and on the published ones.
//!
//! Verdicts follow the rule of [`crate::metric::significance::decision`]. A comparison is not
//! testable if its numbers are missing, if one of the models scores at chance or is nearly empty,
//! or if the data or the task are not those of the paper.

mod claim;
mod judge;
mod list;
mod obstacle;
mod published;

pub use claim::Claim;
pub use judge::{ClaimEvidence, JudgedClaim, judge};
pub use list::{CLAIMS, QUESTIONS};
pub use published::{PublishedDifference, PublishedReading};
