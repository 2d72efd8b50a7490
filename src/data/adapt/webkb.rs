//! Folds that predict `faculty`: its positives go back into the facts, and the target moves from the facts to the
//! positives.
//!
//! The pages of all universities together are written, as the paper uses them, and each university as a given fold.

use super::folds::fold_directories;
use super::text::{read_facts, write_fact};
use super::{ALL, AdaptError, Input, Made, Part};
use crate::data::layout;

const NAME: &str = "webkb";

pub(super) fn convert(input: &Input<'_>) -> Result<Made, AdaptError> {
    let target = input.manifest.target.predicate.as_str();
    let background = input.background();
    let mut made = Made::default();
    let mut pooled = Part::default();
    for (k, place) in &fold_directories(input)? {
        for side in ["train", "test"] {
            let files = layout::find(&input.place(&format!("{place}/{side}")));
            let (Some(given), Some(facts)) = (&files.positives, &files.facts) else {
                return Err(input.missing(NAME, format!("positives and facts in {place}/{side}")));
            };
            let mut part = Part::default();
            let (mut positives, mut others, mut returned) = (0, 0, 0);
            read_facts(input, facts, |symbols, predicate, args| {
                let is_target = predicate == target;
                let text = if is_target { &mut part.positives } else { &mut part.facts };
                write_fact(text, symbols, predicate, args);
                *(if is_target { &mut positives } else { &mut others }) += 1;
            })?;
            read_facts(input, given, |symbols, predicate, args| {
                write_fact(&mut part.facts, symbols, predicate, args);
                returned += 1;
            })?;
            if side == "test" {
                made.count("positives", positives);
                made.count("facts", others + returned);
                made.count("faculty_facts", returned);
                pooled.positives.push_str(&part.positives);
                pooled.facts.push_str(&part.facts);
            }
            made.add_directory(&format!("fold{k}/{side}"), part, &background);
        }
    }
    made.add_directory(ALL, pooled, &background);
    Ok(made)
}
