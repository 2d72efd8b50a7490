//! The target as evidence for its own examples, for data in a plain directory. Folds of datasets
//! use [`super::split::SplitOptions::recursive`] instead.

use super::binary::{self, AddedFacts, Changes, RewriteError};
use super::load::Dataset;
use crate::kb::{Database, Example, Recursion, TimeRule};
use crate::logic::Constant;

impl Dataset {
    /// Adds the positives to the evidence for other examples, beside the facts of the target: for
    /// training.
    ///
    /// # Errors
    /// If there are too many facts, or the time rule does not apply to them.
    pub fn add_positives_to_evidence(&mut self, symmetric: bool, time: Option<&TimeRule>) -> Result<(), RewriteError> {
        self.database = self.evidence_with(self.examples.iter(), symmetric, time)?;
        Ok(())
    }

    /// Returns the evidence with the positives among known examples: for training on a part of the
    /// examples.
    ///
    /// # Errors
    /// As [`Dataset::add_positives_to_evidence`].
    pub fn evidence_with<'a>(
        &self,
        known: impl Iterator<Item = &'a Example>,
        symmetric: bool,
        time: Option<&TimeRule>,
    ) -> Result<Database, RewriteError> {
        let facts: Vec<&[Constant]> = known.filter(|example| example.positive).map(|example| &*example.args).collect();
        let with = Some(AddedFacts { predicate: self.target, facts: &facts, from: None });
        let mut database = binary::rewrite(&self.database, &Changes { with, ..Changes::default() }, time)?;
        database.recursion = Some(Recursion { target: self.target, symmetric });
        Ok(database)
    }

    /// Makes the facts of the target evidence for other examples, without labels: for prediction.
    pub fn use_target_facts_as_evidence(&mut self, symmetric: bool) {
        self.database.recursion = Some(Recursion { target: self.target, symmetric });
    }
}
