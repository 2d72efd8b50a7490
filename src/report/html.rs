//! Values in HTML templates.

use minijinja::{Error, Output, State, Value, escape_formatter};

use crate::files::visible::visible_lines;

/// Formats a value with HTML escapes, and shows control characters by their code. Markup of our own
/// is inserted unchanged.
pub fn format_visible(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) => escape_formatter(out, state, &Value::from(visible_lines(text).into_owned())),
        None => escape_formatter(out, state, value),
    }
}
