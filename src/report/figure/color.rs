//! Colors and dash patterns.

/// A color: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

impl Color {
    /// Text, axes and outlines.
    pub const INK: Color = Color(0x22, 0x22, 0x22);
    /// What must not stand out: chance levels, outlines of panels.
    pub const GREY: Color = Color(0x77, 0x77, 0x77);
    /// Lines behind the data.
    pub const GRID: Color = Color(0xdd, 0xdd, 0xdd);
    /// The background.
    pub const PAPER: Color = Color(0xff, 0xff, 0xff);
}

/// How a line is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dash {
    /// Not at all.
    Solid,
    /// Into slug.
    Dashed,
    /// Into dots.
    Dotted,
    /// Into long slug.
    Long,
    /// Into short slug.
    Short,
}

impl Dash {
    /// The length of a dash and of a gap.
    pub fn lengths(self) -> Option<(f64, f64)> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some((6.0, 3.0)),
            Dash::Dotted => Some((1.6, 2.0)),
            Dash::Long => Some((11.0, 3.0)),
            Dash::Short => Some((3.5, 2.5)),
        }
    }
}
