//! Placeholders such as `{spec_dir}` in arguments and paths.

/// Why the placeholders of a text cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The name of a placeholder is unknown.
    #[error("unknown placeholder `{{{0}}}`")]
    Unknown(String),
    /// A brace is not closed; the text from it on.
    #[error("the brace of `{0}` is not closed")]
    Unclosed(String),
}

/// Replaces the placeholders of a text; `{{` and `}}` are braces.
///
/// # Errors
/// If a placeholder is unknown, or a brace is not closed.
pub fn expand(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, TemplateError> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, found) = rest.split_at(at);
        expanded.push_str(before);
        let brace = if found.starts_with('{') { '{' } else { '}' };
        let inner = &found[1..];
        if let Some(after) = inner.strip_prefix(brace) {
            expanded.push(brace);
            rest = after;
        } else if brace == '}' {
            expanded.push(brace);
            rest = inner;
        } else {
            let (name, after) = inner.split_once('}').ok_or_else(|| TemplateError::Unclosed(found.to_owned()))?;
            expanded.push_str(&value(name).ok_or_else(|| TemplateError::Unknown(name.to_owned()))?);
            rest = after;
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced_and_doubled_braces_kept() {
        let value = |name: &str| (name == "spec_dir").then(|| "/a b".to_owned());
        for (text, expected) in [
            ("{spec_dir}/x", Ok("/a b/x")),
            ("{{print $1}}", Ok("{print $1}")),
            ("{{spec_dir}}", Ok("{spec_dir}")),
            ("a}b", Ok("a}b")),
            ("", Ok("")),
            ("{home}", Err(TemplateError::Unknown("home".to_owned()))),
            ("{}", Err(TemplateError::Unknown(String::new()))),
            ("x{spec_dir", Err(TemplateError::Unclosed("{spec_dir".to_owned()))),
        ] {
            assert_eq!(expand(text, value), expected.map(str::to_owned), "{text}");
        }
    }
}
