//! What a figure shows, as shapes on a sheet; [`super::paint`] makes files of it.
//!
//! Figures are laid out once, in pixels of a page that is 100 to the inch, and painted at any scale, so that the SVG and
//! the PNG of a figure never differ and a test can ask where things are.

use super::font;
use super::style::{Colour, Dash};

/// A place: from the left, from the top.
pub type Place = (f64, f64);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// Its width.
    pub width: f64,
    /// How it is broken.
    pub dash: Dash,
}

impl Stroke {
    /// An unbroken line.
    pub fn new(colour: Colour, width: f64) -> Self {
        Stroke { colour, width, dash: Dash::Solid }
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
    pub at: Place,
    /// The size of the letters.
    pub size: f64,
    /// Which part of it is there.
    pub anchor: Anchor,
    /// Whether it runs from the bottom to the top.
    pub turned: bool,
    /// Its colour.
    pub colour: Colour,
}

/// What letters rise above the line they stand on, and what they hang below it, in parts of their size.
const RISE: f64 = 0.75;
const HANG: f64 = 0.21;

/// What must be added to the middle of a line of text to get the line that its letters stand on.
pub const TO_BASELINE: f64 = 0.35;

impl Text {
    /// A text that begins at a place.
    pub fn new(text: impl Into<String>, at: Place, size: f64) -> Self {
        Text { text: text.into(), at, size, anchor: Anchor::Start, turned: false, colour: Colour::INK }
    }

    /// With another part of it at its place.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Text { anchor, ..self }
    }

    /// From the bottom to the top.
    pub fn turned(self) -> Self {
        Text { turned: true, ..self }
    }

    /// The place is given as the middle of the height of the letters.
    pub fn middled(mut self) -> Self {
        let shift = TO_BASELINE * self.size;
        if self.turned {
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
        match self.turned {
            false => [x - back, y - rise, x - back + width, y + hang],
            true => [x - rise, y + back - width, x + hang, y + back],
        }
    }
}

/// Whether two rectangles, each given as left, top, right and bottom, have nothing in common but edges.
pub fn apart(a: [f64; 4], b: [f64; 4]) -> bool {
    a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1]
}

/// Something on a sheet.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line through places.
    Line(Vec<Place>, Stroke),
    /// A filled area, with its opacity.
    Area(Vec<Place>, Colour, f64),
    /// A filled circle, with its opacity.
    Disc(Place, f64, Colour, f64),
    /// A line of text.
    Text(Text),
}

/// A sheet with shapes, the first at the bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// What is on it.
    pub shapes: Vec<Shape>,
}

impl Scene {
    /// An empty sheet. Its height may be set when all is laid out.
    pub fn new(width: f64, height: f64) -> Self {
        Scene { width, height, shapes: Vec::new() }
    }

    /// Draws a line; a single place is none.
    pub fn line(&mut self, places: impl Into<Vec<Place>>, stroke: Stroke) {
        let mut places = places.into();
        places.dedup();
        if places.len() > 1 {
            self.shapes.push(Shape::Line(places, stroke));
        }
    }

    /// Fills an area.
    pub fn area(&mut self, places: impl Into<Vec<Place>>, colour: Colour, opacity: f64) {
        self.shapes.push(Shape::Area(places.into(), colour, opacity));
    }

    /// Fills a rectangle, given two of its corners.
    pub fn rectangle(&mut self, (left, top): Place, (right, bottom): Place, colour: Colour, opacity: f64) {
        self.area([(left, top), (right, top), (right, bottom), (left, bottom)], colour, opacity);
    }

    /// Draws the outline of a rectangle, given two of its corners.
    pub fn outline(&mut self, (left, top): Place, (right, bottom): Place, stroke: Stroke) {
        self.line([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], stroke);
    }

    /// Fills a circle.
    pub fn disc(&mut self, centre: Place, radius: f64, colour: Colour, opacity: f64) {
        self.shapes.push(Shape::Disc(centre, radius, colour, opacity));
    }

    /// Writes a text.
    pub fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            self.shapes.push(Shape::Text(text));
        }
    }

    /// Every text on the sheet.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.shapes.iter().filter_map(|shape| match shape {
            Shape::Text(text) => Some(text),
            _ => None,
        })
    }

    /// What a reader would stumble over: texts that overlap or leave the sheet. Empty for a figure as it should be.
    pub fn faults(&self) -> Vec<String> {
        let boxes: Vec<(&str, [f64; 4])> = self.texts().map(|text| (text.text.as_str(), text.bounds())).collect();
        let mut faults = Vec::new();
        for (i, &(text, here)) in boxes.iter().enumerate() {
            let [left, top, right, bottom] = here;
            if left < 0.0 || top < 0.0 || right > self.width || bottom > self.height {
                faults.push(format!("`{text}` leaves the sheet"));
            }
            let over = boxes[..i].iter().filter(|(_, there)| !apart(here, *there));
            faults.extend(over.map(|(other, _)| format!("`{text}` lies over `{other}`")));
        }
        faults
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
        assert_eq!(text.clone().turned().bounds(), [92.5, 50.0 - width, 102.1, 50.0]);
        assert_eq!(text.turned().middled().at, (103.5, 50.0));
    }

    #[test]
    fn faults_are_found() {
        let mut scene = Scene::new(200.0, 100.0);
        scene.text(Text::new("one", (10.0, 50.0), 12.0));
        scene.text(Text::new("two", (60.0, 50.0), 12.0));
        assert!(scene.faults().is_empty());
        scene.text(Text::new("three", (62.0, 55.0), 12.0));
        scene.text(Text::new("four", (190.0, 20.0), 12.0));
        assert_eq!(scene.faults(), ["`three` lies over `two`", "`four` leaves the sheet"]);
    }
}
