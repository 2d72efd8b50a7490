//! The legend, drawn above the data in as many lines as necessary.

use super::color::Color;
use super::font;
use super::panel::reference;
use super::scene::{Position, Scene, Stroke, Text};
use super::style::{BAND, DATA_LINE, LABEL, Marker, RADIUS, SeriesStyle};

/// Symbol of a legend entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LegendSymbol {
    /// A bar.
    Bar(SeriesStyle),
    /// A line with its band.
    Line(SeriesStyle),
    /// A line with its band and a marker.
    MarkedLine(SeriesStyle),
    /// A line with a marker.
    PointedLine(SeriesStyle),
    /// A marker.
    Marker(SeriesStyle),
    /// A reference line.
    Reference,
    /// The mark of a published number.
    Published,
}

/// Size of a symbol.
const SYMBOL: (f64, f64) = (26.0, 11.0);
const LINE: f64 = 18.0;

/// Draws the entries between `left` and `right`, and returns the lower edge.
pub fn legend(scene: &mut Scene, entries: &[(LegendSymbol, String)], (left, top): Position, right: f64) -> f64 {
    let (mut x, mut y) = (left, top + LINE / 2.0);
    for (symbol, name) in entries {
        let name = font::truncated(name, LABEL, right - left - SYMBOL.0 - 8.0);
        let needed = SYMBOL.0 + 5.0 + font::reserved_width(&name, LABEL);
        if x > left && x + needed > right {
            (x, y) = (left, y + LINE);
        }
        draw(scene, *symbol, (x, y));
        scene.text(Text::new(name, (x + SYMBOL.0 + 5.0, y), LABEL).centered_vertically());
        x += needed + 16.0;
    }
    if entries.is_empty() { top } else { y + LINE / 2.0 }
}

fn draw(scene: &mut Scene, symbol: LegendSymbol, (left, y): Position) {
    let (right, middle) = (left + SYMBOL.0, left + SYMBOL.0 / 2.0);
    let (top, bottom) = (y - SYMBOL.1 / 2.0, y + SYMBOL.1 / 2.0);
    let line = |scene: &mut Scene, style: SeriesStyle, band: bool| {
        if band {
            scene.rectangle((left, top), (right, bottom), style.color, BAND);
        }
        scene.line([(left, y), (right, y)], Stroke::new(style.color, DATA_LINE).dashed(style.dash));
    };
    match symbol {
        LegendSymbol::Bar(style) => bar(scene, (left, top), (right, bottom), style),
        LegendSymbol::Line(style) => line(scene, style, true),
        LegendSymbol::MarkedLine(style) => {
            line(scene, style, true);
            style.marker.draw(scene, (middle, y), RADIUS, style.color);
        }
        LegendSymbol::PointedLine(style) => {
            line(scene, style, false);
            style.marker.draw(scene, (middle, y), RADIUS, style.color);
        }
        LegendSymbol::Marker(style) => style.marker.draw(scene, (middle, y), RADIUS, style.color),
        LegendSymbol::Reference => scene.line([(left, y), (right, y)], reference()),
        LegendSymbol::Published => published(scene, (middle, y)),
    }
}

/// Draws a bar.
pub fn bar(scene: &mut Scene, upper_left: Position, lower_right: Position, style: SeriesStyle) {
    scene.rectangle(upper_left, lower_right, style.color, 1.0);
    style.hatch.draw(scene, upper_left, lower_right);
    scene.outline(upper_left, lower_right, Stroke::new(Color::INK, 0.6));
}

/// Draws the mark of a published number, which differs from all marks of ours.
pub fn published(scene: &mut Scene, position: Position) {
    Marker::Diamond.draw(scene, position, 3.6, Color::INK);
    Marker::Diamond.draw(scene, position, 2.2, Color::PAPER);
}
