//! A device-independent scene of drawing primitives; [`super::paint`] renders it.
//!
//! Figures are laid out once, at 100 pixels per inch, and painted at any scale, so that SVG and
//! PNG never differ and tests can inspect positions.

use super::color::{Color, Dash};
use super::font;

/// A position: x from the left, y from the top.
pub type Position = (f64, f64);

/// Line style.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its color.
    pub color: Color,
    /// Its width.
    pub width: f64,
    /// Dash pattern.
    pub dash: Dash,
}

impl Stroke {
    /// Creates a solid line style.
    pub fn new(color: Color, width: f64) -> Self {
        Stroke { color, width, dash: Dash::Solid }
    }

    /// Sets the dash pattern.
    pub fn dashed(self, dash: Dash) -> Self {
        Stroke { dash, ..self }
    }
}

/// Horizontal alignment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The position is the start of the text.
    Start,
    /// The position is the middle of the text.
    Middle,
    /// The position is the end of the text.
    End,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Content.
    pub text: String,
    /// Position on the baseline.
    pub at: Position,
    /// Font size.
    pub size: f64,
    /// Alignment.
    pub anchor: Anchor,
    /// Whether it is rotated to run upwards.
    pub rotated: bool,
    /// Its color.
    pub color: Color,
}

/// Ascent and descent of the letters, relative to the font size.
const RISE: f64 = 0.75;
const HANG: f64 = 0.21;

/// Offset from the vertical center of a text to its baseline, relative to the font size.
pub const TO_BASELINE: f64 = 0.35;

impl Text {
    /// Creates a text that starts at a position.
    pub fn new(text: impl Into<String>, at: Position, size: f64) -> Self {
        Text { text: text.into(), at, size, anchor: Anchor::Start, rotated: false, color: Color::INK }
    }

    /// Sets the alignment.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Text { anchor, ..self }
    }

    /// Rotates the text to run upwards.
    pub fn rotated(self) -> Self {
        Text { rotated: true, ..self }
    }

    /// Treats the position as the vertical center instead of the baseline.
    pub fn centered_vertically(mut self) -> Self {
        let shift = TO_BASELINE * self.size;
        if self.rotated {
            self.at.0 += shift
        } else {
            self.at.1 += shift
        }
        self
    }

    /// Returns the bounding box: left, top, right, bottom.
    pub fn bounds(&self) -> [f64; 4] {
        let (width, (x, y)) = (font::width(&self.text, self.size), self.at);
        let back = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let (rise, hang) = (RISE * self.size, HANG * self.size);
        match self.rotated {
            false => [x - back, y - rise, x - back + width, y + hang],
            true => [x - rise, y + back - width, x + hang, y + back],
        }
    }
}

/// Returns whether two rectangles (left, top, right, bottom) share no more than edges.
pub fn disjoint(a: [f64; 4], b: [f64; 4]) -> bool {
    a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1]
}

/// A drawing primitive.
#[derive(Clone, Debug, PartialEq)]
pub enum Primitive {
    /// A polyline.
    Line(Vec<Position>, Stroke),
    /// A filled polygon with its opacity.
    Area(Vec<Position>, Color, f64),
    /// A filled circle with its opacity.
    Disc(Position, f64, Color, f64),
    /// A line of text.
    Text(Text),
}

/// A canvas with primitives, painted in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// Primitives, the first at the bottom.
    pub shapes: Vec<Primitive>,
}

impl Scene {
    /// Creates an empty scene. Its height may be set after the layout.
    pub fn new(width: f64, height: f64) -> Self {
        Scene { width, height, shapes: Vec::new() }
    }

    /// Draws a polyline; a single point draws nothing.
    pub fn line(&mut self, positions: impl Into<Vec<Position>>, stroke: Stroke) {
        let mut positions = positions.into();
        positions.dedup();
        if positions.len() > 1 {
            self.shapes.push(Primitive::Line(positions, stroke));
        }
    }

    /// Fills a polygon.
    pub fn area(&mut self, positions: impl Into<Vec<Position>>, color: Color, opacity: f64) {
        self.shapes.push(Primitive::Area(positions.into(), color, opacity));
    }

    /// Fills a rectangle, given two of its corners.
    pub fn rectangle(&mut self, (left, top): Position, (right, bottom): Position, color: Color, opacity: f64) {
        self.area([(left, top), (right, top), (right, bottom), (left, bottom)], color, opacity);
    }

    /// Draws the outline of a rectangle, given two of its corners.
    pub fn outline(&mut self, (left, top): Position, (right, bottom): Position, stroke: Stroke) {
        self.line([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], stroke);
    }

    /// Fills a circle.
    pub fn disc(&mut self, center: Position, radius: f64, color: Color, opacity: f64) {
        self.shapes.push(Primitive::Disc(center, radius, color, opacity));
    }

    /// Draws a text.
    pub fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            self.shapes.push(Primitive::Text(text));
        }
    }

    /// Iterates over all texts.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.shapes.iter().filter_map(|shape| match shape {
            Primitive::Text(text) => Some(text),
            _ => None,
        })
    }

    /// Returns a description of each text that overlaps another or leaves the canvas. Empty for a
    /// valid layout.
    pub fn layout_problems(&self) -> Vec<String> {
        let boxes: Vec<(&str, [f64; 4])> = self.texts().map(|text| (text.text.as_str(), text.bounds())).collect();
        let mut layout_problems = Vec::new();
        for (i, &(text, here)) in boxes.iter().enumerate() {
            let [left, top, right, bottom] = here;
            if left < 0.0 || top < 0.0 || right > self.width || bottom > self.height {
                layout_problems.push(format!("`{text}` leaves the figure"));
            }
            let over = boxes[..i].iter().filter(|(_, there)| !disjoint(here, *there));
            layout_problems.extend(over.map(|(other, _)| format!("`{text}` lies over `{other}`")));
        }
        layout_problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_bounds_follow_alignment_and_rotation() {
        let text = Text::new("ab", (100.0, 50.0), 10.0);
        let width = font::width("ab", 10.0);
        assert_eq!(text.bounds(), [100.0, 42.5, 100.0 + width, 52.1]);
        assert_eq!(text.clone().anchored(Anchor::End).bounds()[0], 100.0 - width);
        // Rotated letters stand on a vertical baseline and grow upwards.
        assert_eq!(text.clone().rotated().bounds(), [92.5, 50.0 - width, 102.1, 50.0]);
        assert_eq!(text.rotated().centered_vertically().at, (103.5, 50.0));
    }

    #[test]
    fn overlaps_and_overflows_are_found() {
        let mut scene = Scene::new(200.0, 100.0);
        scene.text(Text::new("one", (10.0, 50.0), 12.0));
        scene.text(Text::new("two", (60.0, 50.0), 12.0));
        assert!(scene.layout_problems().is_empty());
        scene.text(Text::new("three", (62.0, 55.0), 12.0));
        scene.text(Text::new("four", (190.0, 20.0), 12.0));
        assert_eq!(scene.layout_problems(), ["`three` lies over `two`", "`four` leaves the figure"]);
    }
}
