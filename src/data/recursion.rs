//! The target as evidence for its own examples, for data in a plain directory. Folds of datasets use
//! [`super::split::Split::recursive`] instead.

use super::binary::{self, AddedFacts, Changes, RewriteError};
use super::load::Loaded;
use crate::kb::{Recursion, TimeRule};
use crate::logic::Constant;

impl Loaded {
    /// Adds the positives to the evidence for other examples, beside the facts of the target: for training.
    ///
    /// # Errors
    /// If there are too many facts, or the time rule does not apply to them.
    pub fn know_positives(&mut self, symmetric: bool, time: Option<&TimeRule>) -> Result<(), RewriteError> {
        let positives = self.examples.iter().filter(|example| example.positive);
        let facts: Vec<&[Constant]> = positives.map(|example| &*example.args).collect();
        let with = Some(AddedFacts { predicate: self.target, facts: &facts, from: None });
        self.database = binary::rewrite(&self.database, &Changes { with, ..Changes::default() }, time)?;
        self.know_facts(symmetric);
        Ok(())
    }

    /// Makes the facts of the target evidence for other examples, without labels: for prediction.
    pub fn know_facts(&mut self, symmetric: bool) {
        self.database.recursion = Some(Recursion { target: self.target, symmetric });
    }
}
