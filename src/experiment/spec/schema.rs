//! The JSON Schema of specs, for editors, made from the tables that the reader uses.

use serde_json::{Map, Value as Json, json};

use super::format::{Field, MOST_FOLDS, Parameters, Section, Shape, TOP};
use crate::learn::params::{KEYS, Key};

/// The schema as text.
pub fn text() -> String {
    let mut root = section(&TOP);
    let head = [
        ("$schema", json!("http://json-schema.org/draft-07/schema#")),
        ("title", json!("A specification of an experiment of lrbm")),
    ];
    if let Some(object) = root.as_object_mut() {
        object.extend(head.map(|(key, value)| (key.to_owned(), value)));
    }
    serde_json::to_string_pretty(&root).unwrap_or_default() + "\n"
}

fn section(section: &Section) -> Json {
    let mut properties: Map<String, Json> =
        section.fields.iter().map(|field| (field.name.to_owned(), described(field))).collect();
    if section.parameters != Parameters::No {
        for key in KEYS.iter().filter(|key| key.name != "seed" && section.field(key.name).is_none()) {
            let mut schema = parameter(key);
            if section.parameters == Parameters::Lists {
                schema = json!({ "type": "array", "minItems": 1, "items": schema });
            }
            if let Some(object) = schema.as_object_mut() {
                object.insert("description".to_owned(), json!(format!("{} ({})", key.about, key.allowed)));
            }
            properties.insert(key.name.to_owned(), schema);
        }
    }
    let required: Vec<&str> = section.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn described(field: &Field) -> Json {
    let mut schema = shape(&field.shape);
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), json!(field.about));
    }
    schema
}

fn shape(of: &Shape) -> Json {
    match of {
        Shape::Text | Shape::Line => json!({ "type": "string", "minLength": 1 }),
        Shape::SbatchOption => json!({ "type": "string", "pattern": "^--[a-z-]+(=.*)?$" }),
        Shape::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9][-A-Za-z0-9_.]{0,79}$" }),
        Shape::Whole(from, to) => json!({ "type": "integer", "minimum": from, "maximum": to }),
        Shape::Folds => json!({ "type": "integer", "minimum": 1, "maximum": MOST_FOLDS }),
        Shape::Above(from, to) => json!({ "type": "number", "exclusiveMinimum": from, "maximum": to }),
        Shape::Between(from, to) => json!({ "type": "number", "minimum": from, "maximum": to }),
        Shape::Number => json!({ "type": "number" }),
        Shape::Bool => json!({ "type": "boolean" }),
        Shape::Time => json!({ "type": ["number", "string"] }),
        Shape::Memory => json!({ "type": "string" }),
        Shape::OneOf(names) => json!({ "enum": names() }),
        Shape::List(each) => json!({ "type": "array", "minItems": 1, "items": shape(each) }),
        Shape::Table(inner) => section(inner),
        Shape::Tables(inner) => json!({ "type": "array", "minItems": 1, "items": section(inner) }),
        Shape::Named(inner) => json!({ "type": "object", "additionalProperties": section(inner) }),
    }
}

/// The schema of a parameter, read off the sentence that says what is allowed, so that there is only one such place.
fn parameter(key: &Key) -> Json {
    let mut kinds: Vec<Json> = Vec::new();
    let quoted: Vec<&str> = key.allowed.split('"').skip(1).step_by(2).collect();
    let numbers: Vec<f64> = key.allowed.split('"').step_by(2).flat_map(numbers).collect();
    let number = if key.allowed.contains("whole number") { "integer" } else { "number" };
    if key.allowed.contains("number") {
        let above = key.allowed.contains("above");
        let least = if above { "exclusiveMinimum" } else { "minimum" };
        let mut schema = Map::from_iter([("type".to_owned(), json!(number))]);
        let bounds = [least, "maximum"].into_iter().zip(numbers);
        schema.extend(bounds.map(|(bound, value)| (bound.to_owned(), exact(value))));
        kinds.push(Json::Object(schema));
    }
    if !quoted.is_empty() {
        kinds.push(json!({ "enum": quoted }));
    }
    if key.allowed == "true or false" {
        kinds.push(json!({ "type": "boolean" }));
    }
    match kinds.len() {
        1 => kinds.remove(0),
        _ => json!({ "anyOf": kinds }),
    }
}

fn numbers(text: &str) -> Vec<f64> {
    text.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
}

/// A whole number without a point.
fn exact(value: f64) -> Json {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Unchecked;
    use crate::learn::params::Value;

    fn is_allowed(key: &Key, value: Value) -> bool {
        Unchecked::new(key.kinds[0]).spec(key.name, value).check().is_ok()
    }

    /// The schema of a parameter and the code that takes it agree at and beyond every bound.
    #[test]
    fn parameters_have_the_bounds_of_the_learner() {
        for key in KEYS.iter().filter(|key| key.name != "seed") {
            let schema = parameter(key);
            let all = schema["anyOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
            assert!(!all.is_empty(), "{}", key.name);
            for schema in all {
                if let Some(names) = schema["enum"].as_array() {
                    assert!(names.iter().all(|name| is_allowed(key, name.as_str().unwrap().into())), "{}", key.name);
                    continue;
                }
                if schema["type"] == "boolean" {
                    assert!([true, false].into_iter().all(|b| is_allowed(key, Value::Bool(b))), "{}", key.name);
                    assert!(!is_allowed(key, Value::Integer(1)), "{}", key.name);
                    continue;
                }
                let step = if schema["type"] == "integer" { 1.0 } else { 1e-9 };
                let number = |x: f64| if step == 1.0 { Value::Integer(x as i64) } else { Value::Number(x) };
                let maximum = schema["maximum"].as_f64().unwrap();
                assert!(is_allowed(key, number(maximum)), "{}", key.name);
                assert!(!is_allowed(key, number(maximum + step)), "{}", key.name);
                match schema["minimum"].as_f64() {
                    Some(minimum) => {
                        assert!(is_allowed(key, number(minimum)), "{}", key.name);
                        assert!(!is_allowed(key, number(minimum - step)), "{}", key.name);
                    }
                    None => {
                        let minimum = schema["exclusiveMinimum"].as_f64().unwrap();
                        assert!(!is_allowed(key, number(minimum)), "{}", key.name);
                        assert!(is_allowed(key, number(minimum + step)), "{}", key.name);
                    }
                }
            }
            assert!(!is_allowed(key, "no such value".into()));
        }
        assert_eq!(parameter(&KEYS[0])["maximum"], json!(1_000_000));
    }
}
