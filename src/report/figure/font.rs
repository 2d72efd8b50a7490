//! Letters: which, and how wide they are.
//!
//! The font of the PNGs is part of the program, so no system font is needed and widths are the same everywhere. An SVG
//! names it and some that are everywhere; the reader's own may be a little wider, so [`reserved_width`] leaves space for that.

use std::sync::Once;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

/// The fonts of an SVG, the best first; PNGs know their one font by this name as well.
pub const FAMILY: &str = "Ubuntu, Helvetica, Arial, sans-serif";

/// What plotters calls the size of the font is its ascent and descent together: so much for letters of size 1. From the
/// tables of Ubuntu Light: 0.932 and 0.189.
pub(super) const PER_SIZE: f64 = 1.121;

/// How much wider letters of another font may be.
const OTHERS: f64 = 1.12;

/// The font, in a size as plotters takes it.
pub(super) fn font(size: f64) -> FontDesc<'static> {
    static REGISTERED: Once = Once::new();
    // A font that plotters cannot read would show as an error when the first text is drawn.
    REGISTERED.call_once(|| drop(register_font(FAMILY, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)));
    FontDesc::new(FontFamily::Name(FAMILY), size, FontStyle::Normal)
}

/// The width of a text with letters of a size.
pub fn width(text: &str, size: f64) -> f64 {
    // Asked for in a large size, since the answer is whole.
    const LARGE: f64 = 1000.0;
    let guess = 0.6 * LARGE * text.chars().count() as f64;
    let width = font(PER_SIZE * LARGE).box_size(text).map_or(guess, |(width, _)| f64::from(width));
    width * size / LARGE
}

/// The space to leave for a text, whatever the font.
pub fn reserved_width(text: &str, size: f64) -> f64 {
    OTHERS * width(text, size)
}

/// The text, or as much of it as there is space for, with an ellipsis.
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
        // An m is between a half and a whole of its size wide.
        assert!((6.0..12.0).contains(&one), "{one}");
        assert!((width("m", 24.0) - 2.0 * one).abs() < 1e-9);
        assert!(width("iii", 12.0) < width("mmm", 12.0));
    }

    #[test]
    fn long_texts_are_cut_to_fit() {
        assert_eq!(truncated("imdb", 12.0, 100.0), "imdb");
        let cut = truncated("a very long name of a dataset", 12.0, 60.0);
        assert!(cut.starts_with("a very") && cut.ends_with('…') && reserved_width(&cut, 12.0) <= 60.0, "{cut}");
        assert_eq!(truncated("wide", 12.0, 1.0), "");
    }
}
