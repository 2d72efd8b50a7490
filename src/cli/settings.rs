//! `--set KEY=VALUE` for commands that read a plain directory.

use super::CommandError;
use crate::kb::{TimeRule, TimeSource};
use crate::logic::nearest::did_you_mean;

/// Keys about reading a directory.
const KEYS: [&str; 3] = ["time_predicate", "time_type", "time_by_argument"];

/// Returns whether a setting is about reading a directory.
pub fn is_about_time(setting: &str) -> bool {
    KEYS.contains(&setting.split('=').next().unwrap_or_default().trim())
}

/// Returns the error for an unknown setting.
pub fn unknown(setting: &str) -> CommandError {
    let key = setting.split('=').next().unwrap_or_default().trim();
    let known = KEYS.join(", ");
    let near = did_you_mean(key, KEYS);
    CommandError::input(format!("--set {key}: unknown setting; {near}expected one of {known}"))
}

/// Returns the time rule that the settings give, if any.
pub fn time_rule(settings: &[String]) -> Result<Option<TimeRule>, CommandError> {
    let mut source = None;
    let mut by_argument = Vec::new();
    for setting in settings {
        let Some((key, value)) = setting.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
            return Err(CommandError::input(format!(
                "--set {setting}: expected KEY=VALUE, such as time_predicate=year"
            )));
        };
        if value.is_empty() {
            return Err(CommandError::input(format!("--set {setting}: the value of {key} is empty")));
        }
        match key {
            "time_predicate" => source = Some(TimeSource::Predicate(value.to_owned())),
            "time_type" => source = Some(TimeSource::Ids { type_name: value.to_owned() }),
            "time_by_argument" => by_argument = value.split(',').map(|name| name.trim().to_owned()).collect(),
            _ => return Err(unknown(setting)),
        }
    }
    match source {
        Some(source) => Ok(Some(TimeRule { source, by_argument })),
        None if by_argument.is_empty() => Ok(None),
        None => Err(CommandError::input("--set time_by_argument: requires time_predicate or time_type")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_checked() {
        let rule = |settings: &[&str]| time_rule(&settings.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        assert_eq!(rule(&[]).unwrap(), None);
        let year = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: vec!["cites".into()] };
        assert_eq!(rule(&["time_predicate=year", "time_by_argument=cites"]).unwrap(), Some(year));
        for bad in [&["time_predicate"][..], &["time_predicate="], &["time_predicat=year"], &["time_by_argument=cites"]]
        {
            assert_eq!(rule(bad).unwrap_err().exit_code(), 2);
        }
        assert!(rule(&["time_predicat=year"]).unwrap_err().to_string().contains("did you mean `time_predicate`?"));
    }
}
