//! What is known of a target as evidence for its own examples, in data that come as a plain directory. Folds of datasets have
//! it from [`super::split::Split::recursive`].

use super::binary::{self, Added, Changes, RewriteError};
use super::load::Loaded;
use crate::kb::{Recursion, TimeRule};
use crate::logic::Constant;

impl Loaded {
    /// Makes the positives evidence for other examples, beside what the facts say of the target: for learning.
    ///
    /// # Errors
    /// If there are too many facts, or the times do not fit.
    pub fn know_positives(&mut self, symmetric: bool, time: Option<&TimeRule>) -> Result<(), RewriteError> {
        let positives = self.examples.iter().filter(|example| example.positive);
        let facts: Vec<&[Constant]> = positives.map(|example| &*example.args).collect();
        let with = Some(Added { predicate: self.target, facts: &facts, from: None });
        self.database = binary::rewrite(&self.database, &Changes { with, ..Changes::default() }, time)?;
        self.know_facts(symmetric);
        Ok(())
    }

    /// Makes what the facts say of the target evidence for other examples: for examples whose labels are not known.
    pub fn know_facts(&mut self, symmetric: bool) {
        self.database.recursion = Some(Recursion { target: self.target, symmetric });
    }
}
