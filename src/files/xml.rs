//! Text in XML and SVG.

/// Text as it may stand in XML, in an attribute as well. What may not stand there at all becomes U+FFFD.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // In attributes readers take these for spaces.
            '\t' | '\n' => escaped.push(c),
            '\r' => escaped.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_it() {
        assert_eq!(escape("<a & \"b\"'>"), "&lt;a &amp; &quot;b&quot;&#39;&gt;");
        assert_eq!(escape("a\tb\nc\rd"), "a\tb\nc d");
        assert_eq!(escape("\0\u{1}\u{1b}\u{7f}\u{85}"), "\u{fffd}".repeat(5));
        assert_eq!(escape("\u{fffe}\u{ffff}"), "\u{fffd}\u{fffd}");
        assert_eq!(escape("ψ ≥ ζ\u{a0}\u{1f600}\u{fffd}"), "ψ ≥ ζ\u{a0}\u{1f600}\u{fffd}");
    }
}
