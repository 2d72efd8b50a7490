//! Escaping of text for XML and SVG.

use super::visible::is_active;

/// Escapes text for XML content and attributes; characters invalid in XML become U+FFFD,
/// and active ones, such as control characters, are shown by their code.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Parsers normalize these to spaces in attributes.
            '\t' | '\n' => escaped.push(c),
            '\r' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if is_active(c) => escaped.extend(c.escape_debug()),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(escape("<a & \"b\"'>"), "&lt;a &amp; &quot;b&quot;&#39;&gt;");
        assert_eq!(escape("a\tb\nc\rd"), "a\tb\nc d");
        assert_eq!(escape("\0\u{1}\u{1b}\u{7f}\u{85}"), "\\0\\u{1}\\u{1b}\\u{7f}\\u{85}");
        assert_eq!(escape("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(escape("\u{fffe}\u{ffff}"), "\u{fffd}\u{fffd}");
        assert_eq!(escape("ψ ≥ ζ\u{a0}\u{1f600}\u{fffd}"), "ψ ≥ ζ\u{a0}\u{1f600}\u{fffd}");
    }
}
