//! Smaller SVG documents: the dashes of a line become one path.
//!
//! plotters writes every dash as an element of its own, most of a figure with dashed curves.

use std::fmt::Write;

/// Merges adjacent polylines with the same attributes into one path; everything else is kept.
///
/// A merged path looks the same only if it is opaque, since a path never covers itself twice.
pub fn merge_polylines(svg: &str) -> String {
    let mut merged = String::with_capacity(svg.len());
    let mut lines = svg.lines().peekable();
    while let Some(line) = lines.next() {
        let next_matches = |(attributes, _): (&str, &str), next: Option<&&str>| {
            next.and_then(|next| polyline(next)).is_some_and(|(others, _)| others == attributes)
        };
        match polyline(line) {
            Some(first) if !first.0.contains("opacity") && next_matches(first, lines.peek()) => {
                // Writing to a string cannot fail.
                let _ = write!(merged, "<path {}d=\"", first.0);
                write_segment(&mut merged, first.1);
                while let Some((attributes, points)) = lines.peek().and_then(|next| polyline(next))
                    && attributes == first.0
                {
                    write_segment(&mut merged, points);
                    lines.next();
                }
                merged.push_str("\"/>\n");
            }
            _ => {
                merged.push_str(line);
                merged.push('\n');
            }
        }
    }
    merged
}

/// Returns the attributes and the points of a line that is one polyline.
fn polyline(line: &str) -> Option<(&str, &str)> {
    let (attributes, rest) = line.strip_prefix("<polyline ")?.split_once("points=\"")?;
    Some((attributes, rest.strip_suffix("\"/>")?))
}

fn write_segment(path: &mut String, points: &str) {
    for (index, point) in points.split_whitespace().enumerate() {
        path.push(if index == 0 { 'M' } else { 'L' });
        path.push_str(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_dashes_become_one_path() {
        let svg = "<svg>\n\
            <polyline stroke=\"red\" points=\"1,2 3,4 \"/>\n\
            <polyline stroke=\"red\" points=\"5,6 7,8 9,9 \"/>\n\
            <polyline stroke=\"blue\" points=\"1,1 2,2 \"/>\n\
            <text>\n<polyline\n</text>\n\
            <polyline stroke=\"red\" points=\"0,0 1,1 \"/>\n</svg>\n";
        let expected = "<svg>\n\
            <path stroke=\"red\" d=\"M1,2L3,4M5,6L7,8L9,9\"/>\n\
            <polyline stroke=\"blue\" points=\"1,1 2,2 \"/>\n\
            <text>\n<polyline\n</text>\n\
            <polyline stroke=\"red\" points=\"0,0 1,1 \"/>\n</svg>\n";
        assert_eq!(merge_polylines(svg), expected);
    }

    #[test]
    fn translucent_lines_are_kept() {
        let svg = "<polyline opacity=\"0.5\" points=\"1,2 3,4 \"/>\n<polyline opacity=\"0.5\" points=\"5,6 7,8 \"/>\n";
        assert_eq!(merge_polylines(svg), svg);
    }
}
