//! The header of learned models: how and for which task a model was trained.
//!
//! Every learned model has one, filled from the training task. Networks, which may also be written
//! by hand, have the [`Signature`] alone. Files hold the header fields at the places of their
//! format; all are written from and read into [`WireHeader`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::kind::Kind;
use super::params::Value;
use super::task::Task;
use crate::kb::wire::WireTime;
use crate::kb::{Signature, StoredRecursion, TimeRule};
use crate::logic::wire::WirePredicate;

/// How a model was trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The kind of the model.
    pub kind: Kind,
    /// Parameters of training; those at their default may be omitted.
    pub parameters: BTreeMap<String, Value>,
    /// Seed of all random streams.
    pub seed: u64,
    /// Numbers of positive and negative training examples; of a multi-class target all are
    /// positive.
    pub trained_on: (u64, u64),
    /// The task: target, classes, time limits and recursion.
    pub signature: Signature,
}

impl Header {
    /// Creates the header of a model that is trained on a task.
    pub(super) fn new(
        kind: Kind,
        task: &Task<'_>,
        parameters: BTreeMap<String, Value>,
        trained_on: (u64, u64),
    ) -> Self {
        let signature = task.database.signature(task.target);
        Header { kind, parameters, seed: task.seed, trained_on, signature }
    }

    /// Returns the target as files hold it.
    pub(super) fn target(&self) -> WirePredicate {
        WirePredicate { name: self.signature.target.clone(), arity: self.signature.arity }
    }
}

/// The fields of a header, except for the target, as files hold them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireHeader {
    pub kind: String,
    pub parameters: BTreeMap<String, Value>,
    pub seed: u64,
    pub positives: u64,
    pub negatives: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<WireTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recursive: Option<StoredRecursion>,
}

impl From<&Header> for WireHeader {
    fn from(header: &Header) -> Self {
        let Header { kind, parameters, seed, trained_on, signature } = header;
        WireHeader {
            kind: kind.name().to_owned(),
            parameters: parameters.clone(),
            seed: *seed,
            positives: trained_on.0,
            negatives: trained_on.1,
            classes: signature.classes.clone(),
            time: signature.time.as_ref().map(WireTime::from),
            recursive: signature.recursive,
        }
    }
}

impl WireHeader {
    /// Returns the header of a model for a target.
    ///
    /// # Errors
    /// If the kind is unknown or not one of `kinds`, those that the format is for.
    pub(super) fn read(self, target: &WirePredicate, kinds: &[Kind]) -> Result<Header, String> {
        let kind = Kind::find(&self.kind).map_err(|error| error.to_string())?;
        if !kinds.contains(&kind) {
            return Err(format!("models of kind {kind} have another format"));
        }
        let signature = Signature {
            classes: self.classes,
            time: self.time.map(TimeRule::from),
            recursive: self.recursive,
            ..Signature::new(&target.name, target.arity)
        };
        let trained_on = (self.positives, self.negatives);
        Ok(Header { kind, parameters: self.parameters, seed: self.seed, trained_on, signature })
    }
}
