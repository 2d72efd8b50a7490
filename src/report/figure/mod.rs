//! Figures of a run, each as SVG and PNG.
//!
//! A figure is laid out as a [`scene`] of primitives with shared components ([`style`], [`axis`],
//! [`panel`], [`legend`], [`font`]), and painted by plotters once per file format. Each kind of
//! figure has one function, which returns nothing if the run has no data for it; [`figures`]
//! calls all of them.

mod all;
mod average;
mod bars;
mod calibration;
mod cases;
mod compact;
mod critical;
mod curves;
mod error;
mod fidelity;
mod heat;
mod naming;
mod output;
mod png;
mod rows;
mod sweep;
mod swept;
mod time;

pub mod axis;
pub mod color;
pub mod font;
pub mod legend;
pub mod paint;
pub mod panel;
pub mod scene;
pub mod style;

pub use all::{figures, scenes};
pub use bars::bars;
pub use calibration::calibration;
pub use cases::cases;
pub use critical::{CriticalDifference, critical_difference, mean_ranks};
pub(crate) use critical::{RankedRows, friedman_words, ranked};
pub use curves::curves;
pub use error::FigureError;
pub use fidelity::fidelity;
pub use heat::heat;
pub use output::{Figure, FigureScene, PublishedMean};
pub use sweep::sweep;
pub use time::time;
