//! Colors and dash patterns.

/// An RGB color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

impl Color {
    /// Text, axes and outlines.
    pub const INK: Color = Color(0x22, 0x22, 0x22);
    /// Chance levels and outlines of panels.
    pub const GREY: Color = Color(0x77, 0x77, 0x77);
    /// Grid lines.
    pub const GRID: Color = Color(0xdd, 0xdd, 0xdd);
    /// Background.
    pub const PAPER: Color = Color(0xff, 0xff, 0xff);
    /// Best value of a heat map.
    pub const BLUE: Color = Color(0x00, 0x72, 0xb2);

    /// Returns the mixture with a share of another color.
    pub fn mixed(self, other: Color, share: f64) -> Color {
        let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
        Color(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// Dash pattern of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dash {
    /// Solid.
    Solid,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Long dashes.
    Long,
    /// Short dashes.
    Short,
}

impl Dash {
    /// Returns the lengths of dash and gap.
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
