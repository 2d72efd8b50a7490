//! Figures before and after painting, and the published numbers they show.

use super::error::FigureError;
use super::paint;
use super::scene::Scene;
use crate::metric::Column;

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The name of its files, without what tells their kind; safe on every system.
    pub name: String,
    /// What it shows, in a few words.
    pub title: String,
    /// What is axis_label and how to read it, in a few sentences.
    pub caption: String,
    /// As an SVG document, which may stand in a page as it is.
    pub svg: String,
    /// As a PNG.
    pub png: Vec<u8>,
}

/// A number that somebody published, to be axis_label beside ours.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedMean {
    /// The name of the dataset in the experiment.
    pub dataset: String,
    /// The name of the model in the experiment.
    pub model: String,
    /// What was measured.
    pub column: Column,
    /// The number.
    pub mean: f64,
}

/// A figure that is laid out but not painted.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureScene {
    /// As in [`Figure`].
    pub name: String,
    /// As in [`Figure`].
    pub title: String,
    /// As in [`Figure`].
    pub caption: String,
    /// What is on it.
    pub scene: Scene,
}

impl FigureScene {
    /// Paints it.
    ///
    /// # Errors
    /// If plotters cannot draw it, which would be a bug.
    pub fn paint(self) -> Result<Figure, FigureError> {
        let FigureScene { name, title, caption, scene } = self;
        let (svg, png) = (paint::svg(&scene, &title)?, paint::png(&scene)?);
        Ok(Figure { name, title, caption, svg, png })
    }
}
