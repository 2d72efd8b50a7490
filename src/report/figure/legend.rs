//! The legend: above the data, in as many lines as it needs, so that it covers nothing.

use super::font;
use super::panel::reference;
use super::scene::{Place, Scene, Stroke, Text};
use super::style::{BAND, Colour, DATA_LINE, LABEL, Look, Marker, RADIUS};

/// What stands before a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sign {
    /// A piece of a bar.
    Bar(Look),
    /// A piece of a line with its band.
    Line(Look),
    /// A piece of a line with its band and a marker.
    MarkedLine(Look),
    /// A piece of a line with a marker.
    PointedLine(Look),
    /// A marker.
    Marker(Look),
    /// A piece of a line that is no data.
    Reference,
    /// The mark of a published number.
    Published,
}

/// The size of a sign.
const SIGN: (f64, f64) = (26.0, 11.0);
const LINE: f64 = 18.0;

/// Draws signs with their names between `left` and `right`; gives the lower end.
pub fn legend(scene: &mut Scene, entries: &[(Sign, String)], (left, top): Place, right: f64) -> f64 {
    let (mut x, mut y) = (left, top + LINE / 2.0);
    for (sign, name) in entries {
        let name = font::fit(name, LABEL, right - left - SIGN.0 - 8.0);
        let needed = SIGN.0 + 5.0 + font::room(&name, LABEL);
        if x > left && x + needed > right {
            (x, y) = (left, y + LINE);
        }
        draw(scene, *sign, (x, y));
        scene.text(Text::new(name, (x + SIGN.0 + 5.0, y), LABEL).middled());
        x += needed + 16.0;
    }
    if entries.is_empty() { top } else { y + LINE / 2.0 }
}

fn draw(scene: &mut Scene, sign: Sign, (left, y): Place) {
    let (right, middle) = (left + SIGN.0, left + SIGN.0 / 2.0);
    let (top, bottom) = (y - SIGN.1 / 2.0, y + SIGN.1 / 2.0);
    let line = |scene: &mut Scene, look: Look, band: bool| {
        if band {
            scene.rectangle((left, top), (right, bottom), look.colour, BAND);
        }
        scene.line([(left, y), (right, y)], Stroke::new(look.colour, DATA_LINE).dashed(look.dash));
    };
    match sign {
        Sign::Bar(look) => bar(scene, (left, top), (right, bottom), look),
        Sign::Line(look) => line(scene, look, true),
        Sign::MarkedLine(look) => {
            line(scene, look, true);
            look.marker.draw(scene, (middle, y), RADIUS, look.colour);
        }
        Sign::PointedLine(look) => {
            line(scene, look, false);
            look.marker.draw(scene, (middle, y), RADIUS, look.colour);
        }
        Sign::Marker(look) => look.marker.draw(scene, (middle, y), RADIUS, look.colour),
        Sign::Reference => scene.line([(left, y), (right, y)], reference()),
        Sign::Published => published(scene, (middle, y)),
    }
}

/// A bar, or a piece of one.
pub fn bar(scene: &mut Scene, upper_left: Place, lower_right: Place, look: Look) {
    scene.rectangle(upper_left, lower_right, look.colour, 1.0);
    look.hatch.draw(scene, upper_left, lower_right);
    scene.outline(upper_left, lower_right, Stroke::new(Colour::INK, 0.6));
}

/// The mark of a published number: nothing that is ours looks like it.
pub fn published(scene: &mut Scene, place: Place) {
    Marker::Diamond.draw(scene, place, 3.6, Colour::INK);
    Marker::Diamond.draw(scene, place, 2.2, Colour::PAPER);
}
