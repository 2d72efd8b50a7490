//! Markdown text.

use crate::files::visible::is_active;

/// Escapes text so that it cannot end a cell, start markup or break a line.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // `<` starts markup only before a name; before a number it is literal.
        let starts_tag =
            c == '<' && chars.peek().is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(*next));
        match c {
            '|' | '*' | '`' | '\\' | '[' => escaped.push('\\'),
            _ if starts_tag => escaped.push('\\'),
            _ => {}
        }
        match c {
            '\n' | '\r' => escaped.push(' '),
            c if is_active(c) => {
                escaped.extend(c.escape_debug().flat_map(|c| (c == '\\').then_some('\\').into_iter().chain([c])))
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escape("a\u{1b}[2J\u{202e}"), "a\\\\u{1b}\\[2J\\\\u{202e}");
        assert_eq!(escape("<b> <0.001 a\nb [x]"), "\\<b> <0.001 a b \\[x]");
    }
}
