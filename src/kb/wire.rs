//! Serialized form of time rules in the JSON files of models.

use serde::{Deserialize, Serialize};

use super::time::{TimeRule, TimeSource};

/// The time rule under which a model was trained.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireTime {
    from: WireTimeSource,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    by_argument: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireTimeSource {
    Predicate(String),
    Type(String),
}

impl From<&TimeRule> for WireTime {
    fn from(rule: &TimeRule) -> Self {
        let source = match &rule.source {
            TimeSource::Predicate(name) => WireTimeSource::Predicate(name.clone()),
            TimeSource::Ids { type_name } => WireTimeSource::Type(type_name.clone()),
        };
        WireTime { from: source, by_argument: rule.by_argument.clone() }
    }
}

impl From<WireTime> for TimeRule {
    fn from(wire: WireTime) -> Self {
        let source = match wire.from {
            WireTimeSource::Predicate(name) => TimeSource::Predicate(name),
            WireTimeSource::Type(type_name) => TimeSource::Ids { type_name },
        };
        TimeRule { source, by_argument: wire.by_argument }
    }
}
