//! The mapping of tables to predicates, as a TOML file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::names::{is_word, word};
use crate::data::toml_file::{self, Checked, TomlFileError};
use crate::determinism::IndexMap;

/// The mapping of tables to predicates and a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The target with its examples.
    pub target: TargetMapping,
    /// The time limits on examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeMapping>,
    /// The key column of each table, whose values must be unique and not NULL.
    #[serde(default)]
    pub keys: IndexMap<String, String>,
    /// The predicates of the facts.
    #[serde(default, rename = "predicate")]
    pub predicates: Vec<PredicateMapping>,
}

/// The target: each row of a table is an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetMapping {
    /// The target predicate.
    pub predicate: String,
    /// The table of examples.
    pub table: String,
    /// The arguments.
    pub args: Vec<ArgumentMapping>,
    /// The column that tells positives from negatives. Without `label` and `class`, all rows are
    /// positives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The value of `label` that is positive, if the column is not boolean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// The column that holds the class, for a target with several classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// A table with the same columns whose rows are negatives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negatives: Option<String>,
}

/// A predicate: each row of a table without NULLs in the columns of its arguments is a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredicateMapping {
    /// The predicate.
    pub name: String,
    /// The table.
    pub table: String,
    /// The arguments.
    pub args: Vec<ArgumentMapping>,
    /// A boolean column; only rows where it is true are facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The modes, one symbol `+`, `-` or `#` per argument, such as `"+-"`.
    #[serde(default)]
    pub modes: Vec<String>,
}

/// An argument of a predicate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentMapping {
    /// The column.
    pub column: String,
    /// The type in the modes. Columns of one type name the same entities.
    #[serde(rename = "type")]
    pub type_name: String,
    /// How values become constants.
    #[serde(default, skip_serializing_if = "ArgumentKind::is_entity")]
    pub kind: ArgumentKind,
}

impl ArgumentMapping {
    /// Creates an argument that names entities of a type.
    pub fn entity(column: &str, type_name: &str) -> Self {
        ArgumentMapping { column: column.to_owned(), type_name: type_name.to_owned(), kind: ArgumentKind::Entity }
    }
}

/// How the values of a column become constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentKind {
    /// Names of entities.
    #[default]
    Entity,
    /// Values of a category, tested with `#`.
    Constant,
    /// Numbers, tested with `#` or, with `cuts`, with thresholds.
    Number,
}

impl ArgumentKind {
    fn is_entity(&self) -> bool {
        *self == ArgumentKind::Entity
    }
}

/// Time limits: each example sees only facts up to its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeMapping {
    /// The predicate that gives an entity its time, with the arguments entity and number.
    pub predicate: String,
    /// Predicates whose facts have the time of their first argument.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_argument: Vec<String>,
}

impl Mapping {
    /// Reads and validates a mapping file.
    pub fn read(path: &Path) -> Result<Mapping, TomlFileError> {
        toml_file::read(path)
    }

    /// Parses and validates the text of a mapping; `origin` names it in errors.
    pub fn parse(text: &str, origin: &str) -> Result<Mapping, TomlFileError> {
        toml_file::parse(text, origin)
    }
}

impl Checked for Mapping {
    /// Checks everything that does not depend on the tables. The error is a key path and a reason.
    fn check(&self) -> Result<(), (String, String)> {
        let target = &self.target;
        let fail = |key: &str, reason: String| Err((key.to_owned(), reason));
        check_word(&target.predicate).map_err(|reason| ("target.predicate".to_owned(), reason))?;
        check_args(&target.args, "target.args")?;
        if target.label.is_some() && target.class.is_some() {
            return fail("target", "`label` and `class` exclude each other: remove one of them".into());
        }
        if target.positive.is_some() && target.label.is_none() {
            return fail("target.positive", "requires `label`, the column it is a value of".into());
        }
        if target.negatives.is_some() && (target.label.is_some() || target.class.is_some()) {
            return fail(
                "target.negatives",
                "excludes `label` and `class`: the rows of both tables are labeled".into(),
            );
        }
        let mut types: IndexMap<(&str, usize), Vec<(&str, ArgumentKind)>> = IndexMap::default();
        for (number, predicate) in (1..).zip(&self.predicates) {
            let key = format!("predicate {number} (`{}`)", predicate.name);
            check_word(&predicate.name).map_err(|reason| (format!("{key}.name"), reason))?;
            check_args(&predicate.args, &format!("{key}.args"))?;
            check_modes(predicate).map_err(|reason| (format!("{key}.modes"), reason))?;
            if predicate.name == target.predicate {
                let reason = "is the target, whose examples are no facts: choose another name".to_owned();
                return Err((format!("{key}.name"), reason));
            }
            let own: Vec<(&str, ArgumentKind)> =
                predicate.args.iter().map(|arg| (arg.type_name.as_str(), arg.kind)).collect();
            let known = types.entry((&predicate.name, own.len())).or_insert_with(|| own.clone());
            if *known != own {
                let reason = "the same predicate has other types or kinds above: choose another name".to_owned();
                return Err((format!("{key}.args"), reason));
            }
        }
        if let Some(time) = &self.time {
            let is_known = |name: &String| self.predicates.iter().any(|predicate| predicate.name == *name);
            let is_time = |p: &PredicateMapping| {
                p.name == time.predicate && p.args.len() == 2 && p.args[1].kind == ArgumentKind::Number
            };
            if !self.predicates.iter().any(is_time) {
                let reason = format!(
                    "no predicate `{}` with an entity and an argument of kind \"number\": add one",
                    time.predicate
                );
                return fail("time.predicate", reason);
            }
            if let Some(name) = time.by_argument.iter().find(|name| !is_known(name)) {
                return fail("time.by_argument", format!("unknown predicate `{name}`"));
            }
        }
        Ok(())
    }
}

fn check_word(name: &str) -> Result<(), String> {
    if is_word(name) {
        return Ok(());
    }
    Err(format!(
        "`{name}` must be a lower-case letter followed by letters, digits and `_`, for example `{}`",
        word(name)
    ))
}

fn check_args(args: &[ArgumentMapping], key: &str) -> Result<(), (String, String)> {
    if args.is_empty() {
        return Err((key.to_owned(), "must have at least one argument".into()));
    }
    args.iter().try_for_each(|arg| check_word(&arg.type_name)).map_err(|reason| (format!("{key}.type"), reason))
}

fn check_modes(predicate: &PredicateMapping) -> Result<(), String> {
    let arity = predicate.args.len();
    for mode in &predicate.modes {
        if mode.chars().count() != arity || !mode.chars().all(|c| matches!(c, '+' | '-' | '#')) {
            return Err(format!("`{mode}` must have one of `+`, `-` and `#` for each of the {arity} arguments"));
        }
    }
    Ok(())
}

impl PredicateMapping {
    /// Returns the modes as symbols: those given, or one per entity argument, which is `+` there,
    /// `-` at other entities and `#` elsewhere.
    pub fn mode_symbols(&self) -> Vec<String> {
        if !self.modes.is_empty() {
            return self.modes.clone();
        }
        default_modes(&self.args)
    }
}

/// Returns the modes of a predicate that gives none.
pub fn default_modes(args: &[ArgumentMapping]) -> Vec<String> {
    let symbols = |input: Option<usize>| -> String {
        let symbol = |(i, arg): (usize, &ArgumentMapping)| match arg.kind {
            ArgumentKind::Entity if input == Some(i) => '+',
            ArgumentKind::Entity => '-',
            ArgumentKind::Constant | ArgumentKind::Number => '#',
        };
        args.iter().enumerate().map(symbol).collect()
    };
    let entities: Vec<usize> = (0..args.len()).filter(|&i| args[i].kind.is_entity()).collect();
    match entities.as_slice() {
        [] => vec![symbols(None)],
        entities => entities.iter().map(|&i| symbols(Some(i))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
[target]
predicate = "smokes"
table = "people"
args = [{ column = "id", type = "person" }]
label = "smokes"

[keys]
people = "id"

[[predicate]]
name = "friends"
table = "friends"
args = [{ column = "a", type = "person" }, { column = "b", type = "person" }]

[[predicate]]
name = "age"
table = "people"
args = [{ column = "id", type = "person" }, { column = "age", type = "age", kind = "number" }]
modes = ["+#"]
"#;

    #[test]
    fn modes_follow_from_kinds() {
        let mapping = Mapping::parse(GOOD, "m.toml").unwrap();
        assert_eq!(mapping.predicates[0].mode_symbols(), ["+-", "-+"]);
        assert_eq!(mapping.predicates[1].mode_symbols(), ["+#"]);
        let again = Mapping::parse(&toml::to_string(&mapping).unwrap(), "again").unwrap();
        assert_eq!(again, mapping);
    }

    #[test]
    fn errors_name_the_place() {
        for (from, to, expected) in [
            ("label = ", "lable = ", "m.toml:6: unknown field `lable`"),
            ("label = ", "lable = ", "did you mean `label`?"),
            ("kind = \"number\"", "kind = \"nmber\"", "did you mean `number`?"),
            ("predicate = \"smokes\"", "predicate = \"Smokes\"", "target.predicate: `Smokes` must be"),
            ("name = \"friends\"", "name = \"smokes\"", "predicate 1 (`smokes`).name: is the target"),
            ("name = \"age\"", "name = \"friends\"", "predicate 2 (`friends`).args: the same predicate"),
            ("[\"+#\"]", "[\"+\"]", "predicate 2 (`age`).modes: `+` must have"),
            ("label = \"smokes\"", "positive = \"1\"", "target.positive: requires `label`"),
            ("kind = \"number\"", "kind = \"numeric\"", "m.toml:19: unknown variant `numeric`"),
            ("[keys]", "[time]\npredicate = \"year\"\n[keys]", "time.predicate: no predicate `year`"),
            ("[{ column = \"id\", type = \"person\" }]", "[]", "target.args: must have"),
        ] {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD);
            let error = Mapping::parse(&text, "m.toml").unwrap_err().to_string();
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
