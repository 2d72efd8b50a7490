//! The restricted Boltzmann machine: the five numbers of a leaf, the value they give, the descent that finds them, the
//! whole machine as a [`network`], and one over a row of numbers.

pub mod dense;
pub mod descent;
pub mod network;
mod passes;
mod step;
pub mod theta;

pub use dense::DenseRbm;
pub use descent::{Descent, Outcome, Schedule, Visit};
pub use network::Network;
pub use theta::{MOST_WEIGHT, Theta, check_weight};
