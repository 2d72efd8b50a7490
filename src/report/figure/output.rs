//! Figures before and after painting, and the published numbers they show.

use super::error::FigureError;
use super::paint;
use super::scene::Scene;
use crate::metric::Column;

/// A painted figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// File stem, safe on every system.
    pub name: String,
    /// Title.
    pub title: String,
    /// Caption.
    pub caption: String,
    /// SVG document, which can be embedded in a page.
    pub svg: String,
    /// PNG file.
    pub png: Vec<u8>,
}

/// A published number, shown beside ours.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedMean {
    /// Name of the dataset in the experiment.
    pub dataset: String,
    /// Name of the model in the experiment.
    pub model: String,
    /// Metric.
    pub column: Column,
    /// Published mean.
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
    /// Contents.
    pub scene: Scene,
}

impl FigureScene {
    /// Paints the scene as SVG and PNG.
    ///
    /// # Errors
    /// If plotters cannot draw it, which would be a bug.
    pub fn paint(self) -> Result<Figure, FigureError> {
        let FigureScene { name, title, caption, scene } = self;
        let (svg, png) = (paint::svg(&scene, &title)?, paint::png(&scene)?);
        Ok(Figure { name, title, caption, svg, png })
    }
}
