//! Restricted Boltzmann machines: the parameters θ of a leaf and their value ψ, the coordinate
//! descent that fits them, the lifted RBM as a [`network`], and an RBM over feature vectors.

pub mod dense;
mod descent;
mod interleaved;
pub mod network;
mod passes;
mod settings;
mod step;
mod theta;

pub use dense::DenseRbm;
pub use interleaved::{InterleavedRbm, UnitStates};
pub use network::Network;
pub use settings::{Descent, Outcome, Schedule, Visit};
pub use theta::{MAX_WEIGHT, Theta, check_weight};
