//! Painting of scenes with the SVG and bitmap backends of plotters.

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Text as TextElement};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, FontTransform, RGBAColor, ShapeStyle, TextStyle};

use super::color::Color;
use super::compact;
use super::error::FigureError;
use super::scene::{Anchor, Position, Primitive, Scene, Stroke, Text};
use super::{font, png};
use crate::files::xml::escape;

/// Properties of an output format.
struct Medium {
    /// Units per scene pixel. plotters uses integer coordinates.
    scale: f64,
    /// plotters' font size for letters of size 1.
    letter: f64,
    /// Distance from the top of a text to its baseline, for letters of size 1.
    baseline: f64,
}

/// plotters divides sizes by 1.24 and shifts text down by 0.76 of the result.
const SVG: Medium = Medium { scale: 10.0, letter: 1.24, baseline: 0.76 };

/// Bitmaps are drawn at twice their size, since plotters smooths only some edges. The baseline is
/// at half the height of the letters.
const BITMAP: Medium = Medium { scale: 4.0, letter: font::PER_SIZE, baseline: font::PER_SIZE / 2.0 };

/// PNG pixels per scene pixel.
const PNG_SCALE: u32 = 2;

/// Renders a scene as an SVG document, with `title` for screen readers. It has no ids, classes or
/// style sheets, so that a page can embed several.
pub fn svg(scene: &Scene, title: &str) -> Result<String, FigureError> {
    let (width, height) = (scene.width.ceil(), scene.height.ceil());
    let mut drawn = String::new();
    paint(scene, SVGBackend::with_string(&mut drawn, units(scene, &SVG)), &SVG)?;
    // plotters' first line gives the size in units; ours gives pixels.
    let (_, shapes) = drawn.split_once('\n').unwrap_or_default();
    let (w, h) = (width * SVG.scale, height * SVG.scale);
    let label = escape(title);
    // Full opacity is the default. Quotes in texts are escaped, so no text can match.
    let shapes = compact::merge_polylines(&shapes.replace(" opacity=\"1\"", ""));
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {w} {h}\" \
         role=\"img\" aria-label=\"{label}\">\n{shapes}"
    ))
}

/// Renders a scene as PNG.
pub fn png(scene: &Scene) -> Result<Vec<u8>, FigureError> {
    let (width, height) = units(scene, &BITMAP);
    let mut pixels = vec![255; 3 * width as usize * height as usize];
    paint(scene, BitMapBackend::with_buffer(&mut pixels, (width, height)), &BITMAP)?;
    let times = BITMAP.scale as usize / PNG_SCALE as usize;
    let smooth = png::shrink(&pixels, width as usize, times);
    png::encode(&smooth, width / times as u32, 100 * PNG_SCALE).map_err(FigureError::drawing)
}

fn units(scene: &Scene, medium: &Medium) -> (u32, u32) {
    ((scene.width.ceil() * medium.scale) as u32, (scene.height.ceil() * medium.scale) as u32)
}

fn paint<DB: DrawingBackend>(scene: &Scene, backend: DB, medium: &Medium) -> Result<(), FigureError> {
    let area = backend.into_drawing_area();
    let pixel = |(x, y): Position| ((x * medium.scale).round() as i32, (y * medium.scale).round() as i32);
    let length = |length: f64| (length * medium.scale).round().max(1.0) as i32;
    let all = |positions: &[Position]| {
        let mut positions: Vec<(i32, i32)> = positions.iter().map(|&position| pixel(position)).collect();
        positions.dedup();
        positions
    };
    area.fill(&rgba(Color::PAPER, 1.0)).map_err(FigureError::drawing)?;
    for shape in &scene.shapes {
        match shape {
            Primitive::Line(positions, Stroke { color, width, dash }) => {
                let style = ShapeStyle { color: rgba(*color, 1.0), filled: false, stroke_width: length(*width) as u32 };
                let positions = all(positions);
                match dash.lengths() {
                    // plotters cannot draw a line that has shrunk to a single unit.
                    _ if positions.len() < 2 => Ok(()),
                    None => area.draw(&PathElement::new(positions, style)),
                    Some((on, off)) => area.draw(&DashedPathElement::new(positions, length(on), length(off), style)),
                }
            }
            Primitive::Area(positions, color, opacity) => {
                let style = rgba(*color, *opacity).filled();
                area.draw(&Polygon::new(positions.iter().map(|&position| pixel(position)).collect::<Vec<_>>(), style))
            }
            Primitive::Disc(center, radius, color, opacity) => {
                area.draw(&Circle::new(pixel(*center), length(*radius), rgba(*color, *opacity).filled()))
            }
            Primitive::Text(text) => {
                let (at, style) = text_style(text, medium);
                area.draw(&TextElement::new(printable(&text.text), pixel(at), style))
            }
        }
        .map_err(FigureError::drawing)?;
    }
    area.present().map_err(FigureError::drawing)
}

/// Replaces control characters in names: they have no glyph, and XML forbids most of them.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Returns position and style of a text for plotters, which positions texts by their top.
fn text_style(text: &Text, medium: &Medium) -> (Position, TextStyle<'static>) {
    let font = font::font(text.size * medium.letter * medium.scale);
    let (mut at, up) = (text.at, medium.baseline * text.size);
    if text.rotated {
        at.0 -= up
    } else {
        at.1 -= up
    }
    let h_pos = match text.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let turn = if text.rotated { FontTransform::Rotate270 } else { FontTransform::None };
    (at, font.transform(turn).color(&rgba(text.color, 1.0)).pos(Pos::new(h_pos, VPos::Top)))
}

fn rgba(Color(red, green, blue): Color, opacity: f64) -> RGBAColor {
    RGBAColor(red, green, blue, opacity)
}
