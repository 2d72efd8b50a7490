//! The restricted Boltzmann machine in a leaf: five numbers, the value they give, and the descent that finds them.

pub mod descent;
pub mod theta;
mod walk;

pub use descent::{Descent, Outcome, Schedule, Visit};
pub use theta::{Theta, sigmoid, softplus};
