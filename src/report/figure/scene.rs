//! What a figure shows, as shapes on a figure; [`super::paint`] makes files of it.
//!
//! Figures are laid out once, in pixels of a page that is 100 to the inch, and painted at any scale, so that the SVG and
//! the PNG of a figure never differ and a test can ask where things are.

use super::color::{Color, Dash};
use super::font;

/// A place: from the left, from the top.
pub type Position = (f64, f64);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its color.
    pub color: Color,
    /// Its width.
    pub width: f64,
    /// How it is broken.
    pub dash: Dash,
}

impl Stroke {
    /// An unbroken line.
    pub fn new(color: Color, width: f64) -> Self {
        Stroke { color, width, dash: Dash::Solid }
    }

    /// The same, broken.
    pub fn dashed(self, dash: Dash) -> Self {
        Stroke { dash, ..self }
    }
}

/// Which part of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// Where it is: a point of the line that the letters stand on.
    pub at: Position,
    /// The size of the letters.
    pub size: f64,
    /// Which part of it is there.
    pub anchor: Anchor,
    /// Whether it runs from the bottom to the top.
    pub rotated: bool,
    /// Its color.
    pub color: Color,
}

/// What letters rise above the line they stand on, and what they hang below it, in parts of their size.
const RISE: f64 = 0.75;
const HANG: f64 = 0.21;

/// What must be added to the middle of a line of text to get the line that its letters stand on.
pub const TO_BASELINE: f64 = 0.35;

impl Text {
    /// A text that begins at a place.
    pub fn new(text: impl Into<String>, at: Position, size: f64) -> Self {
        Text { text: text.into(), at, size, anchor: Anchor::Start, rotated: false, color: Color::INK }
    }

    /// With another part of it at its place.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Text { anchor, ..self }
    }

    /// From the bottom to the top.
    pub fn rotated(self) -> Self {
        Text { rotated: true, ..self }
    }

    /// The place is given as the middle of the height of the letters.
    pub fn centered_vertically(mut self) -> Self {
        let shift = TO_BASELINE * self.size;
        if self.rotated {
            self.at.0 += shift
        } else {
            self.at.1 += shift
        }
        self
    }

    /// The left, top, right and bottom end of it.
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

/// Whether two rectangles, each given as left, top, right and bottom, have nothing in common but edges.
pub fn disjoint(a: [f64; 4], b: [f64; 4]) -> bool {
    a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1]
}

/// Something on a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Primitive {
    /// A line through places.
    Line(Vec<Position>, Stroke),
    /// A filled area, with its opacity.
    Area(Vec<Position>, Color, f64),
    /// A filled circle, with its opacity.
    Disc(Position, f64, Color, f64),
    /// A line of text.
    Text(Text),
}

/// A figure with shapes, the first at the bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// What is on it.
    pub shapes: Vec<Primitive>,
}

impl Scene {
    /// An empty figure. Its height may be set when all is laid out.
    pub fn new(width: f64, height: f64) -> Self {
        Scene { width, height, shapes: Vec::new() }
    }

    /// Draws a line; a single place is none.
    pub fn line(&mut self, places: impl Into<Vec<Position>>, stroke: Stroke) {
        let mut places = places.into();
        places.dedup();
        if places.len() > 1 {
            self.shapes.push(Primitive::Line(places, stroke));
        }
    }

    /// Fills an area.
    pub fn area(&mut self, places: impl Into<Vec<Position>>, color: Color, opacity: f64) {
        self.shapes.push(Primitive::Area(places.into(), color, opacity));
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

    /// Writes a text.
    pub fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            self.shapes.push(Primitive::Text(text));
        }
    }

    /// Every text on the figure.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.shapes.iter().filter_map(|shape| match shape {
            Primitive::Text(text) => Some(text),
            _ => None,
        })
    }

    /// What a reader would stumble over: texts that overlap or leave the figure. Empty for a figure as it should be.
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
    fn bounds_of_texts() {
        let text = Text::new("ab", (100.0, 50.0), 10.0);
        let width = font::width("ab", 10.0);
        assert_eq!(text.bounds(), [100.0, 42.5, 100.0 + width, 52.1]);
        assert_eq!(text.clone().anchored(Anchor::End).bounds()[0], 100.0 - width);
        // Turned to the left, the letters stand on a vertical line and grow upwards.
        assert_eq!(text.clone().rotated().bounds(), [92.5, 50.0 - width, 102.1, 50.0]);
        assert_eq!(text.rotated().centered_vertically().at, (103.5, 50.0));
    }

    #[test]
    fn faults_are_found() {
        let mut scene = Scene::new(200.0, 100.0);
        scene.text(Text::new("one", (10.0, 50.0), 12.0));
        scene.text(Text::new("two", (60.0, 50.0), 12.0));
        assert!(scene.layout_problems().is_empty());
        scene.text(Text::new("three", (62.0, 55.0), 12.0));
        scene.text(Text::new("four", (190.0, 20.0), 12.0));
        assert_eq!(scene.layout_problems(), ["`three` lies over `two`", "`four` leaves the figure"]);
    }
}
