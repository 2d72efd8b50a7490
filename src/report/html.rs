//! Values in HTML templates.

use minijinja::{Error, HtmlEscape, Output, State, Value, escape_formatter};

use crate::files::visible::visible_lines;

/// Formats a value with HTML escapes, and shows control characters by their code. Markup of our own
/// is inserted unchanged.
pub fn format_visible(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) => escape_formatter(out, state, &Value::from(visible_lines(text).into_owned())),
        None => escape_formatter(out, state, value),
    }
}

/// Returns a text as HTML, with what is between two backquotes as code.
pub fn with_code(text: &str) -> String {
    let text = visible_lines(text);
    let parts: Vec<&str> = text.split('`').collect();
    // A backquote without its counterpart stays.
    if parts.len().is_multiple_of(2) {
        return HtmlEscape(&text).to_string();
    }
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => HtmlEscape(part).to_string(),
        _ => format!("<code>{}</code>", HtmlEscape(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::with_code;

    #[test]
    fn code_is_marked_and_everything_escaped() {
        assert_eq!(with_code("a `b<c` & d"), "a <code>b&lt;c</code> &amp; d");
        assert_eq!(with_code("a ` <b>"), "a ` &lt;b&gt;");
        assert_eq!(with_code("`<i>`"), "<code>&lt;i&gt;</code>");
    }
}
