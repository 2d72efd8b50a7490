//! External systems of a spec: the keys of `kind = "command"` and `kind = "scores"`.

use super::diagnostic::{SpecDiagnostic, SpecLocation, listed};
use super::names;
use super::raw::{Item, RawTable, RawValue};
use super::shape::join;
use super::units;
use crate::experiment::external::config::{
    COMMAND, COMMAND_PLACEHOLDERS, CommandConfig, PATH_PLACEHOLDERS, SCORES, ScoreSource,
};
use crate::experiment::external::template;
use crate::learn::parameter;
use crate::learn::params::Value;

/// The keys of a command besides the common ones.
const COMMAND_KEYS: [&str; 7] = ["run", "version", "files", "params", "repeatable", "features", "time_limit"];
/// The keys of scores made elsewhere.
const SCORES_KEYS: [&str; 1] = ["path"];
/// The table of parameters of a command.
pub const PARAMS: &str = "params";

/// Returns the names of all parameters that the commands of a spec have.
pub fn parameter_names(table: &RawTable) -> Vec<String> {
    let models = table.get("model").map_or(&[][..], Item::items).iter().filter_map(Item::table);
    models.filter_map(params).flat_map(|params| params.keys().cloned()).collect()
}

/// Returns the parameters of a model of the raw spec, if it is a command.
pub fn params(model: &RawTable) -> Option<&RawTable> {
    let is_command = model.get("kind").and_then(Item::text) == Some(COMMAND);
    model.get(PARAMS).filter(|_| is_command).and_then(Item::table)
}

/// Sets a parameter of a command of the raw spec.
pub fn set_param(model: &mut RawTable, key: &str, item: Item) {
    if let Some(RawValue::Table(params)) = model.get_mut(PARAMS).map(|params| &mut params.value) {
        params.insert(key.to_owned(), item);
    }
}

/// Reports the keys of a model that its kind does not have.
pub fn check_keys(kind: &str, model: &RawTable, path: &str, diagnostics: &mut Vec<SpecDiagnostic>) {
    let others = match kind {
        COMMAND => [&SCORES_KEYS[..], &["preset", "from"]].concat(),
        SCORES => [&COMMAND_KEYS[..], &["preset", "from"]].concat(),
        _ => [&COMMAND_KEYS[..], &SCORES_KEYS[..]].concat(),
    };
    for (key, item) in model {
        let reason = if others.contains(&key.as_str()) {
            let kinds: Vec<&str> = match key.as_str() {
                "preset" | "from" => vec!["learners of this program"],
                key if SCORES_KEYS.contains(&key) => vec![SCORES],
                _ => vec![COMMAND],
            };
            format!("`{kind}` does not have this key, only {} does; remove it", listed(kinds))
        } else if kind == COMMAND && parameter(key).is_some() {
            format!("parameters of a command belong into `params = {{ {key} = … }}`")
        } else if kind == SCORES && parameter(key).is_some() {
            "scores have no parameters; remove this key".to_owned()
        } else {
            continue;
        };
        diagnostics.push(SpecDiagnostic::new(&item.place, join(path, key), reason).with(item.value.inline()));
    }
}

/// Reads the source of scores of an external model; `None` if a key is missing or invalid.
pub fn read(
    kind: &str,
    model: &RawTable,
    path: &str,
    place: &SpecLocation,
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<ScoreSource> {
    let before = diagnostics.len();
    let source = if kind == COMMAND {
        for key in ["run", "version"] {
            let arguments = model.get(key).map_or(&[][..], Item::items).iter().enumerate();
            for (i, argument) in arguments {
                let at = format!("{}[{i}]", join(path, key));
                check_placeholders(argument, &at, &COMMAND_PLACEHOLDERS, diagnostics);
            }
        }
        let texts = |key: &str| -> Vec<String> {
            let items = model.get(key).map_or(&[][..], Item::items).iter();
            items.filter_map(|item| item.text().map(str::to_owned)).collect()
        };
        let run = texts("run");
        if run.is_empty() {
            let reason = "missing: the program and its arguments, such as [\"python3\", \"{spec_dir}/model.py\"]";
            diagnostics.push(SpecDiagnostic::new(place, join(path, "run"), reason));
        }
        ScoreSource::Command(CommandConfig {
            run,
            version: model.contains_key("version").then(|| texts("version")),
            files: texts("files"),
            repeatable: !matches!(model.get("repeatable").and_then(Item::scalar), Some(Value::Bool(false))),
            features: model.get("features").and_then(Item::text).and_then(names::features),
            time_limit: model.get("time_limit").and_then(Item::scalar).and_then(units::time),
        })
    } else {
        let Some(item) = model.get("path") else {
            let reason = "missing: the files of scores, such as \"scores/{dataset}/fold{fold}-seed{seed}.csv\", relative to the spec";
            diagnostics.push(SpecDiagnostic::new(place, join(path, "path"), reason));
            return None;
        };
        check_placeholders(item, &join(path, "path"), &PATH_PLACEHOLDERS, diagnostics);
        ScoreSource::Files(item.text().unwrap_or_default().to_owned())
    };
    (diagnostics.len() == before).then_some(source)
}

fn check_placeholders(item: &Item, path: &str, known: &[&str], diagnostics: &mut Vec<SpecDiagnostic>) {
    let expanded = template::expand(item.text().unwrap_or_default(), |name| known.contains(&name).then(String::new));
    if let Err(error) = expanded {
        let braces: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
        let reason = format!("{error}; expected {}, or `{{{{` for a brace", listed(braces.iter().map(String::as_str)));
        diagnostics.push(SpecDiagnostic::new(&item.place, path, reason).with(item.value.inline()));
    }
}
