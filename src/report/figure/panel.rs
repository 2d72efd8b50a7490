//! Panels: rectangles with two axes in which data are drawn.

use super::axis::{Axis, Tick};
use super::color::{Color, Dash};
use super::font;
use super::scene::{Anchor, Position, Scene, Stroke, Text};
use super::style::{BAND, DATA_LINE, HEADING, LABEL, RADIUS, SeriesStyle, TICK};

/// Gap between a panel and its tick labels.
const GAP: f64 = 4.0;

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Panel {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
}

impl Panel {
    /// Returns the position of a pair of values.
    pub fn at(&self, x: f64, y: f64) -> Position {
        (self.left + self.width * self.x.position(x), self.bottom() - self.height * self.y.position(y))
    }

    /// Returns the lower edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Returns the right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Draws its outline.
    pub fn frame(&self, scene: &mut Scene) {
        scene.outline((self.left, self.top), (self.right(), self.bottom()), Stroke::new(Color::GREY, 0.8));
    }

    /// Draws grid lines and tick labels of the vertical axis.
    pub fn y_ticks(&self, scene: &mut Scene, ticks: &[Tick], written: bool) {
        for tick in ticks {
            let (_, y) = self.at(self.x.low, tick.at);
            scene.line([(self.left, y), (self.right(), y)], Stroke::new(Color::GRID, 0.7));
            if written {
                let text = Text::new(&tick.label, (self.left - GAP, y), TICK).anchored(Anchor::End);
                scene.text(text.centered_vertically());
            }
        }
    }

    /// Draws grid lines of the horizontal axis, and tick labels where there is space.
    pub fn x_ticks(&self, scene: &mut Scene, ticks: &[Tick], written: bool) {
        let mut free_from = f64::NEG_INFINITY;
        for tick in ticks {
            let (x, _) = self.at(tick.at, self.y.low);
            scene.line([(x, self.top), (x, self.bottom())], Stroke::new(Color::GRID, 0.7));
            let half = font::reserved_width(&tick.label, TICK) / 2.0;
            if written && x - half > free_from {
                let position = (x, self.bottom() + GAP + TICK);
                scene.text(Text::new(&tick.label, position, TICK).anchored(Anchor::Middle));
                free_from = x + half + 1.0;
            }
        }
    }

    /// Draws a heading above the panel.
    pub fn heading(&self, scene: &mut Scene, name: &str) {
        // The heading may use the free space on both sides.
        let name = font::truncated(name, HEADING, self.width + 24.0);
        let middle = self.left + self.width / 2.0;
        scene.text(Text::new(name, (middle, self.top - 6.0), HEADING).anchored(Anchor::Middle));
    }

    /// Draws the label of the horizontal axis.
    pub fn x_label(&self, scene: &mut Scene, label: &str) {
        let position = (self.left + self.width / 2.0, self.bottom() + GAP + TICK + 4.0 + LABEL);
        scene.text(Text::new(label, position, LABEL).anchored(Anchor::Middle));
    }

    /// Draws the label of the vertical axis, at distance `away`.
    pub fn y_label(&self, scene: &mut Scene, label: &str, away: f64) {
        let position = (self.left - away, self.top + self.height / 2.0);
        scene.text(Text::new(label, position, LABEL).anchored(Anchor::Middle).rotated());
    }

    /// Draws a line through data.
    pub fn curve(&self, scene: &mut Scene, points: &[(f64, f64)], style: SeriesStyle) {
        let positions: Vec<Position> = points.iter().map(|&(x, y)| self.at(x, self.within(y))).collect();
        scene.line(positions, Stroke::new(style.color, DATA_LINE).dashed(style.dash));
    }

    /// Fills the band between lower and upper values, clipped to the panel.
    pub fn band(&self, scene: &mut Scene, ends: &[(f64, f64, f64)], style: SeriesStyle) {
        let upper = ends.iter().map(|&(x, _, high)| self.at(x, self.within(high)));
        let lower = ends.iter().rev().map(|&(x, low, _)| self.at(x, self.within(low)));
        let positions: Vec<Position> = upper.chain(lower).collect();
        if ends.len() > 1 && ends.iter().any(|(_, low, high)| high > low) {
            scene.area(positions, style.color, BAND);
        }
    }

    /// Draws a marker.
    pub fn mark(&self, scene: &mut Scene, x: f64, y: f64, style: SeriesStyle) {
        style.marker.draw(scene, self.at(x, self.within(y)), RADIUS, style.color);
    }

    /// Draws a horizontal dotted line across the panel.
    pub fn level(&self, scene: &mut Scene, y: f64) {
        if (self.y.low..=self.y.high).contains(&y) {
            scene.line([self.at(self.x.low, y), self.at(self.x.high, y)], reference());
        }
    }

    fn within(&self, y: f64) -> f64 {
        y.clamp(self.y.low, self.y.high)
    }
}

/// Returns the style of reference lines: chance levels and diagonals.
pub fn reference() -> Stroke {
    Stroke::new(Color::GREY, 1.1).dashed(Dash::Dotted)
}

/// Largest number of panels in a row.
pub const COLUMNS: usize = 4;

/// Draws the axis labels shared by all panels between `top` and `bottom`, and sets the height of
/// the scene.
pub fn axis_names(scene: &mut Scene, (top, bottom): (f64, f64), below: &str, aside: &str) {
    let position = (16.0, f64::midpoint(top, bottom));
    scene.text(Text::new(aside, position, LABEL).anchored(Anchor::Middle).rotated());
    let below = font::truncated(below, LABEL, scene.width - 20.0);
    scene.text(Text::new(below, (scene.width / 2.0, bottom + LABEL), LABEL).anchored(Anchor::Middle));
    scene.height = bottom + LABEL + 8.0;
}

/// Margins of each panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanelMargins {
    /// Left, for tick labels.
    pub left: f64,
    /// Top, for the heading.
    pub top: f64,
    /// Bottom, for tick labels and the axis label.
    pub bottom: f64,
}

/// Right margin, which the last tick label may reach into.
const RIGHT: f64 = 14.0;

/// Largest height of a panel that grows with its width.
const MAX_HEIGHT: f64 = 230.0;

/// Returns the height of panels that fill a row: at least `least`, and more if they are few and
/// wide.
pub fn panel_height(columns: usize, (left, _, right): (f64, f64, f64), margins: PanelMargins, least: f64) -> f64 {
    let width = (right - left) / columns.max(1) as f64 - margins.left - RIGHT;
    (width / 1.6).clamp(least, MAX_HEIGHT)
}

/// Arranges `n` panels in rows of `columns`: returns the upper left corner of each, their width,
/// and the lower edge of the last row.
pub fn grid(
    n: usize,
    columns: usize,
    (left, top, right): (f64, f64, f64),
    height: f64,
    margins: PanelMargins,
) -> (Vec<Position>, f64, f64) {
    let columns = columns.max(1);
    let cell = (right - left) / columns as f64;
    let width = cell - margins.left - RIGHT;
    let down = margins.top + height + margins.bottom;
    let position = |i: usize| {
        let (row, column) = ((i / columns) as f64, (i % columns) as f64);
        (left + column * cell + margins.left, top + row * down + margins.top)
    };
    ((0..n).map(position).collect(), width, top + n.div_ceil(columns) as f64 * down)
}
