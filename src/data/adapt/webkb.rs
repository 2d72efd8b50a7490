//! Adaptor for folds that predict `faculty`: its positives return to the facts, and the target
//! moves from the facts to the positives.
//!
//! It writes the pages of all universities together, as the paper uses them, and each university as
//! a given fold.

use super::error::AdaptError;
use super::folds::fold_directories;
use super::input::AdaptorInput;
use super::output::{ALL, ConvertedFiles, ExampleFiles};
use super::text::{read_facts, write_fact};
use crate::data::layout;

const NAME: &str = "webkb";

pub(super) fn convert(input: &AdaptorInput<'_>) -> Result<ConvertedFiles, AdaptError> {
    let target = input.manifest.target.predicate.as_str();
    let background = input.background();
    let mut converted = ConvertedFiles::default();
    let mut pooled = ExampleFiles::default();
    for (k, directory) in &fold_directories(input)? {
        for side in ["train", "test"] {
            let files = layout::find(&input.path_of(&format!("{directory}/{side}")));
            let (Some(given), Some(facts)) = (&files.positives, &files.facts) else {
                return Err(input.missing(NAME, format!("positives and facts in {directory}/{side}")));
            };
            let mut texts = ExampleFiles::default();
            let (mut positives, mut others, mut faculty) = (0, 0, 0);
            read_facts(input, facts, |symbols, predicate, args| {
                let is_target = predicate == target;
                let text = if is_target { &mut texts.positives } else { &mut texts.facts };
                write_fact(text, symbols, predicate, args);
                *(if is_target { &mut positives } else { &mut others }) += 1;
            })?;
            read_facts(input, given, |symbols, predicate, args| {
                write_fact(&mut texts.facts, symbols, predicate, args);
                faculty += 1;
            })?;
            if side == "test" {
                converted.count("positives", positives);
                converted.count("facts", others + faculty);
                converted.count("faculty_facts", faculty);
                pooled.positives.push_str(&texts.positives);
                pooled.facts.push_str(&texts.facts);
            }
            converted.add_directory(&format!("fold{k}/{side}"), texts, &background);
        }
    }
    converted.add_directory(ALL, pooled, &background);
    Ok(converted)
}
