//! The JSON Schema of specs, for editors, derived from the format tables and the parameter shapes.

use serde_json::{Map, Value as Json, json};

use super::format::{Field, FieldShape, MAX_FOLDS, Parameters, RANGE, Section, TOP};
use crate::learn::parameters;
use crate::learn::params::Shape;

/// Returns the schema as text.
pub fn text() -> String {
    let mut root = section(&TOP);
    let head = [
        ("$schema", json!("http://json-schema.org/draft-07/schema#")),
        ("title", json!("Experiment specification of lrbm")),
        ("definitions", json!({ "range": section(&RANGE) })),
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
        let entries = parameters().iter().map(|parameter| parameter.entry);
        for entry in entries.filter(|entry| entry.name != "seed" && section.field(entry.name).is_none()) {
            let mut schema = parameter(&entry.shape);
            if matches!(section.parameters, Parameters::Lists | Parameters::Ranges) {
                schema = json!({ "type": "array", "minItems": 1, "items": schema });
            }
            if section.parameters == Parameters::Ranges {
                schema = json!({ "anyOf": [schema, { "$ref": "#/definitions/range" }] });
            }
            if let Some(object) = schema.as_object_mut() {
                object.insert("description".to_owned(), json!(format!("{} ({})", entry.help, entry.shape)));
            }
            properties.insert(entry.name.to_owned(), schema);
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

fn shape(of: &FieldShape) -> Json {
    match of {
        FieldShape::Text | FieldShape::Label | FieldShape::Line => json!({ "type": "string", "minLength": 1 }),
        FieldShape::SbatchOption => json!({ "type": "string", "pattern": "^--[a-z-]+(=.*)?$" }),
        FieldShape::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9][-A-Za-z0-9_.]{0,79}$" }),
        FieldShape::Whole(from, to) => json!({ "type": "integer", "minimum": from, "maximum": to }),
        FieldShape::Folds => json!({ "type": "integer", "minimum": 1, "maximum": MAX_FOLDS }),
        FieldShape::Above(from, to) => json!({ "type": "number", "exclusiveMinimum": from, "maximum": to }),
        FieldShape::Between(from, to) => json!({ "type": "number", "minimum": from, "maximum": to }),
        FieldShape::Number => json!({ "type": "number" }),
        FieldShape::Bool => json!({ "type": "boolean" }),
        FieldShape::Time => json!({ "type": ["number", "string"] }),
        FieldShape::Memory => json!({ "type": "string" }),
        FieldShape::OneOf(names) => json!({ "enum": names() }),
        FieldShape::List(each) => json!({ "type": "array", "minItems": 1, "items": shape(each) }),
        FieldShape::Table(inner) => section(inner),
        FieldShape::Tables(inner) => json!({ "type": "array", "minItems": 1, "items": section(inner) }),
        FieldShape::Scalars => {
            json!({ "type": "object", "additionalProperties": { "type": ["number", "string", "boolean"] } })
        }
        FieldShape::Named(inner) => json!({ "type": "object", "additionalProperties": section(inner) }),
    }
}

/// Returns the schema of the values that a parameter accepts.
fn parameter(shape: &Shape) -> Json {
    match *shape {
        Shape::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Shape::Real { min, max, exclusive_min } => {
            let lower = if exclusive_min { "exclusiveMinimum" } else { "minimum" };
            json!({ "type": "number", lower: exact(min), "maximum": exact(max) })
        }
        Shape::Bool => json!({ "type": "boolean" }),
        Shape::Choice(words) => json!({ "enum": words }),
        Shape::IntegerOrWord { min, max, word } => {
            json!({ "anyOf": [parameter(&Shape::Integer { min, max }), { "enum": [word] }] })
        }
        Shape::RealOrWord { min, max, word } => {
            json!({ "anyOf": [parameter(&Shape::real(min, max)), { "enum": [word] }] })
        }
    }
}

/// Returns a JSON number, without a decimal point if it is whole.
fn exact(value: f64) -> Json {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::params::Value;
    use crate::learn::{ListedParameter, Unchecked};

    fn is_allowed(key: &ListedParameter, value: Value) -> bool {
        Unchecked::new(key.kinds[0]).spec(key.entry.name, value).check().is_ok()
    }

    /// The schema of a parameter agrees with its validation at and beyond every bound.
    #[test]
    fn parameters_have_the_bounds_of_the_learner() {
        for key in parameters().iter().filter(|key| key.entry.name != "seed") {
            let schema = parameter(&key.entry.shape);
            let all = schema["anyOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
            assert!(!all.is_empty(), "{}", key.entry.name);
            for schema in all {
                if let Some(names) = schema["enum"].as_array() {
                    assert!(
                        names.iter().all(|name| is_allowed(key, name.as_str().unwrap().into())),
                        "{}",
                        key.entry.name
                    );
                    continue;
                }
                if schema["type"] == "boolean" {
                    assert!([true, false].into_iter().all(|b| is_allowed(key, Value::Bool(b))), "{}", key.entry.name);
                    assert!(!is_allowed(key, Value::Integer(1)), "{}", key.entry.name);
                    continue;
                }
                let step = if schema["type"] == "integer" { 1.0 } else { 1e-9 };
                let number = |x: f64| if step == 1.0 { Value::Integer(x as i64) } else { Value::Number(x) };
                let maximum = schema["maximum"].as_f64().unwrap();
                assert!(is_allowed(key, number(maximum)), "{}", key.entry.name);
                assert!(!is_allowed(key, number(maximum + step)), "{}", key.entry.name);
                match schema["minimum"].as_f64() {
                    Some(minimum) => {
                        assert!(is_allowed(key, number(minimum)), "{}", key.entry.name);
                        assert!(!is_allowed(key, number(minimum - step)), "{}", key.entry.name);
                    }
                    None => {
                        let minimum = schema["exclusiveMinimum"].as_f64().unwrap();
                        assert!(!is_allowed(key, number(minimum)), "{}", key.entry.name);
                        assert!(is_allowed(key, number(minimum + step)), "{}", key.entry.name);
                    }
                }
            }
            assert!(!is_allowed(key, "no such value".into()));
        }
        assert_eq!(parameter(&parameters()[0].entry.shape)["maximum"], json!(1_000_000));
    }
}
