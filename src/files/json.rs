//! JSON files that say what they are: a format by name, and its version.

use serde::de::DeserializeOwned;

/// A text that is not a file of the format that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatError {
    /// It is something else, or damaged; what is wrong.
    Invalid(String),
    /// It is of this version, which is later than the last that is known.
    Newer(u64),
}

/// The name of the format that a text gives, if it is JSON and gives one.
pub fn format(text: &str) -> Option<String> {
    let any: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(any.get("format")?.as_str()?.to_owned())
}

/// Reads a text of a format, of any version up to `latest`.
///
/// # Errors
/// If it is not one.
pub fn read<T: DeserializeOwned>(text: &str, format: &str, latest: u32) -> Result<T, FormatError> {
    let invalid = FormatError::Invalid;
    // What comes first is what tells this file from any other, and from one of the future.
    let any: serde_json::Value = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
    if any.get("format").and_then(serde_json::Value::as_str) != Some(format) {
        return Err(invalid(format!("it does not say \"format\": \"{format}\"")));
    }
    match any.get("version").and_then(serde_json::Value::as_u64) {
        None | Some(0) => return Err(invalid("it has no version".to_owned())),
        Some(found) if found > u64::from(latest) => return Err(FormatError::Newer(found)),
        Some(_) => {}
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| invalid(error.to_string()))
}
