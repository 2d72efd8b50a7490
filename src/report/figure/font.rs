//! Fonts and text widths.
//!
//! The font of PNGs is compiled in, so no system font is needed and widths are the same
//! everywhere. SVGs name it with common fallbacks, which may be wider: [`reserved_width`] allows
//! for that.

use std::sync::Once;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

/// Font family of SVGs, in order of preference; PNGs register their font under this name.
pub const FAMILY: &str = "Ubuntu, Helvetica, Arial, sans-serif";

/// plotters' font size is ascent plus descent: this much for letters of size 1. From the tables
/// of Ubuntu Light: 0.932 and 0.189.
pub(super) const PER_SIZE: f64 = 1.121;

/// Factor by which fallback fonts may be wider.
const FALLBACK_FACTOR: f64 = 1.12;

/// Returns the font in a plotters size.
pub(super) fn font(size: f64) -> FontDesc<'static> {
    static REGISTERED: Once = Once::new();
    // An unreadable font would surface as an error when the first text is drawn.
    REGISTERED.call_once(|| drop(register_font(FAMILY, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)));
    FontDesc::new(FontFamily::Name(FAMILY), size, FontStyle::Normal)
}

/// Returns the width of a text.
pub fn width(text: &str, size: f64) -> f64 {
    // Measured at a large size, since plotters returns integers.
    const LARGE: f64 = 1000.0;
    let guess = 0.6 * LARGE * text.chars().count() as f64;
    let width = font(PER_SIZE * LARGE).box_size(text).map_or(guess, |(width, _)| f64::from(width));
    width * size / LARGE
}

/// Returns the space to reserve for a text, whatever the font.
pub fn reserved_width(text: &str, size: f64) -> f64 {
    FALLBACK_FACTOR * width(text, size)
}

/// Truncates a text to the space, with an ellipsis.
pub fn truncated(text: &str, size: f64, space: f64) -> String {
    if reserved_width(text, size) <= space {
        return text.to_owned();
    }
    let mut kept: String = text.to_owned();
    while kept.pop().is_some() {
        let shorter = format!("{}…", kept.trim_end());
        if reserved_width(&shorter, size) <= space {
            return shorter;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_grow_with_text_and_size() {
        assert_eq!(width("", 12.0), 0.0);
        let one = width("m", 12.0);
        // An m is between half and full size wide.
        assert!((6.0..12.0).contains(&one), "{one}");
        assert!((width("m", 24.0) - 2.0 * one).abs() < 1e-9);
        assert!(width("iii", 12.0) < width("mmm", 12.0));
    }

    #[test]
    fn long_texts_are_truncated() {
        assert_eq!(truncated("imdb", 12.0, 100.0), "imdb");
        let cut = truncated("a very long name of a dataset", 12.0, 60.0);
        assert!(cut.starts_with("a very") && cut.ends_with('…') && reserved_width(&cut, 12.0) <= 60.0, "{cut}");
        assert_eq!(truncated("wide", 12.0, 1.0), "");
    }
}
