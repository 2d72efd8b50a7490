//! Selection of the figures of a run.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::bars::bars;
use super::calibration::calibration;
use super::cases::cases;
use super::critical::mean_ranks;
use super::curves::curves;
use super::error::FigureError;
use super::fidelity::fidelity;
use super::heat::heat;
use super::output::{Figure, FigureScene, PublishedMean};
use super::sweep::sweep;
use super::time::time;
use crate::experiment::Results;
use crate::metric::Column;

/// Lays out every figure that the run has data for, the most general first.
///
/// # Errors
/// If predictions of a job cannot be read.
pub fn scenes(results: &Results, published: &[PublishedMean]) -> Result<Vec<FigureScene>, FigureError> {
    let mut scenes = Vec::new();
    for column in [Column::AucRoc, Column::AucPr] {
        scenes.extend(bars(results, column, published));
        scenes.extend(sweep(results, column));
        scenes.extend(cases(results, column));
        scenes.extend(heat(results, column));
    }
    for column in [Column::AucRoc, Column::AucPr] {
        scenes.extend(mean_ranks(results, column)?);
    }
    scenes.extend(curves(results)?);
    scenes.extend(calibration(results)?);
    scenes.extend(fidelity(results)?);
    scenes.extend(time(results, Column::AucRoc));
    Ok(scenes)
}

/// Lays out and paints every figure that the run has data for, the most general first. Published
/// numbers are marked where a figure supports it.
///
/// # Errors
/// If predictions of a job cannot be read.
pub fn figures(results: &Results, published: &[PublishedMean]) -> Result<Vec<Figure>, FigureError> {
    scenes(results, published)?.into_par_iter().map(FigureScene::paint).collect()
}
