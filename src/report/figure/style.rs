//! Shared appearance of figures: palette, markers, hatching and sizes.
//!
//! Series differ in shape as well as in color, for black-and-white print and color-blind readers.

use super::color::{Color, Dash};
use super::scene::{Position, Scene, Stroke};

/// The palette of Okabe and Ito (2008, *Color universal design*) without its yellow, which is too
/// light for lines on white.
pub const PALETTE: [Color; 7] = [
    Color(0x00, 0x72, 0xb2),
    Color(0xd5, 0x5e, 0x00),
    Color(0x00, 0x9e, 0x73),
    Color(0xcc, 0x79, 0xa7),
    Color(0xe6, 0x9f, 0x00),
    Color(0x56, 0xb4, 0xe9),
    Color(0x00, 0x00, 0x00),
];

const DASHES: [Dash; 5] = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::Long, Dash::Short];

/// Shape of a data point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// An upward triangle.
    Triangle,
    /// A diamond.
    Diamond,
    /// A downward triangle.
    Down,
    /// An x.
    Cross,
    /// An upright cross.
    Plus,
    /// An x in a square.
    Crate,
}

const MARKERS: [Marker; 8] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Down,
    Marker::Cross,
    Marker::Plus,
    Marker::Crate,
];

impl Marker {
    /// Returns the `i`-th marker; they repeat after eight.
    pub fn number(i: usize) -> Marker {
        MARKERS[i % MARKERS.len()]
    }

    /// Draws the marker with about `radius` to each side; all markers have similar area.
    pub fn draw(self, scene: &mut Scene, (x, y): Position, radius: f64, color: Color) {
        let r = radius;
        let square = |scale: f64| {
            let r = scale * r;
            [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]
        };
        let thick = Stroke::new(color, 0.5 * r);
        match self {
            Marker::Circle => scene.disc((x, y), r, color, 1.0),
            Marker::Square => scene.area(square(0.88), color, 1.0),
            Marker::Triangle => {
                scene.area([(x, y - 1.35 * r), (x + 1.2 * r, y + 0.75 * r), (x - 1.2 * r, y + 0.75 * r)], color, 1.0);
            }
            Marker::Down => {
                scene.area([(x, y + 1.35 * r), (x + 1.2 * r, y - 0.75 * r), (x - 1.2 * r, y - 0.75 * r)], color, 1.0);
            }
            Marker::Diamond => {
                let r = 1.3 * r;
                scene.area([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], color, 1.0);
            }
            Marker::Cross => {
                let [a, b, c, d] = square(0.95);
                scene.line([a, c], thick);
                scene.line([b, d], thick);
            }
            Marker::Plus => {
                scene.line([(x - 1.2 * r, y), (x + 1.2 * r, y)], thick);
                scene.line([(x, y - 1.2 * r), (x, y + 1.2 * r)], thick);
            }
            Marker::Crate => {
                let [a, b, c, d] = square(0.95);
                let thin = Stroke::new(color, 0.35 * r);
                scene.line([a, b, c, d, a], thin);
                scene.line([a, c], thin);
                scene.line([b, d], thin);
            }
        }
    }
}

/// Hatching of a bar, in the background color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hatch {
    /// No hatching.
    None,
    /// Rising diagonal lines.
    Rising,
    /// Horizontal lines.
    Across,
    /// Falling diagonal lines.
    Falling,
    /// Both diagonals.
    Crossed,
    /// Dots.
    Dotted,
}

const HATCHES: [Hatch; 6] = [Hatch::None, Hatch::Rising, Hatch::Across, Hatch::Falling, Hatch::Crossed, Hatch::Dotted];

impl Hatch {
    /// Draws the hatching on a rectangle, given its upper left and lower right corners.
    pub fn draw(self, scene: &mut Scene, (left, top): Position, (right, bottom): Position) {
        const GAP: f64 = 5.0;
        let stroke = Stroke::new(Color::PAPER, 1.0);
        let (width, height) = (right - left, bottom - top);
        let mut slanted = |rising: bool| {
            // The line with this offset runs from (offset, bottom) to (offset + height, top),
            // relative to the left edge.
            let mut offset = GAP / 2.0 - height;
            while offset < width {
                let (from, to) = (offset.max(0.0), (offset + height).min(width));
                let flip = |x: f64| if rising { left + x } else { right - x };
                let position = |x: f64| (flip(x), bottom - (x - offset));
                if from < to {
                    scene.line([position(from), position(to)], stroke);
                }
                offset += GAP;
            }
        };
        match self {
            Hatch::None => {}
            Hatch::Rising => slanted(true),
            Hatch::Falling => slanted(false),
            Hatch::Crossed => {
                slanted(true);
                slanted(false);
            }
            Hatch::Across => {
                let lines = ((height - GAP / 2.0) / (0.8 * GAP)).max(0.0) as usize;
                for y in (0..=lines).map(|i| bottom - GAP / 2.0 - 0.8 * GAP * i as f64).filter(|&y| y > top) {
                    scene.line([(left, y), (right, y)], stroke);
                }
            }
            Hatch::Dotted => {
                // Every other row is shifted by half a gap.
                let rows = (height / (0.8 * GAP)) as usize;
                for row in 0..rows {
                    let y = bottom - GAP / 2.0 - 0.8 * GAP * row as f64;
                    let first = left + if row % 2 == 0 { GAP / 4.0 } else { 3.0 * GAP / 4.0 } + 1.0;
                    let dots = ((right - 1.5 - first) / GAP).floor();
                    for dot in 0..=dots.max(-1.0) as i64 {
                        let x = first + GAP * dot as f64;
                        if y - 1.0 > top && x + 1.0 < right {
                            scene.disc((x, y), 1.0, Color::PAPER, 1.0);
                        }
                    }
                }
            }
        }
    }
}

/// Style of a row of results in a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesStyle {
    /// Color, the same for all presets and cases of a model.
    pub color: Color,
    /// Marker.
    pub marker: Marker,
    /// Dash pattern.
    pub dash: Dash,
    /// Hatching of bars.
    pub hatch: Hatch,
}

impl SeriesStyle {
    /// Returns the style of the `row`-th row, which belongs to the `model`-th model.
    pub fn of(model: usize, row: usize) -> SeriesStyle {
        SeriesStyle {
            color: PALETTE[model % PALETTE.len()],
            marker: Marker::number(row),
            dash: DASHES[row % DASHES.len()],
            hatch: HATCHES[row % HATCHES.len()],
        }
    }
}

/// Width of a figure: a page with two columns, 7.2 inches.
pub const WIDTH: f64 = 720.0;
/// Font size of panel headings.
pub const HEADING: f64 = 13.0;
/// Font size of axis and legend labels.
pub const LABEL: f64 = 12.0;
/// Font size of tick labels.
pub const TICK: f64 = 11.0;
/// Opacity of a band around a line.
pub const BAND: f64 = 0.18;
/// Width of a data line.
pub const DATA_LINE: f64 = 1.6;
/// Radius of a marker.
pub const RADIUS: f64 = 3.4;
