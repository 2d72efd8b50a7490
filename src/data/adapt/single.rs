//! Adaptor for one list each of positives, negatives and facts; a split in the archive itself is
//! ignored.

use super::error::AdaptError;
use super::input::AdaptorInput;
use super::output::{ALL, ConvertedFiles, ExampleFiles};
use super::text::{read_facts, write_fact};
use crate::data::layout;

const NAME: &str = "boostsrl-single";

pub(super) fn convert(input: &AdaptorInput<'_>) -> Result<ConvertedFiles, AdaptError> {
    let target = input.manifest.target.predicate.as_str();
    let published = input.manifest.target.published.as_deref().unwrap_or(target).to_lowercase();
    // The list of positives nearest to the root decides the directory.
    let depth = |path: &&str| path.matches('/').count();
    let lists = input.files().filter(|path| matches!(path.rsplit('/').next(), Some("pos.txt" | "pos.pl")));
    let list = lists.min_by_key(depth).ok_or_else(|| input.missing(NAME, "file `pos.txt`"))?;
    let directory = input.path_of(list);
    let directory = directory.parent().unwrap_or(&directory);
    let files = layout::find(directory);
    let facts = files.facts.or_else(|| layout::find(&directory.join("train")).facts);
    let (Some(positives), Some(facts)) = (files.positives, facts) else {
        return Err(input.missing(NAME, format!("positives and facts beside {list}")));
    };
    let (mut converted, mut texts) = (ConvertedFiles::default(), ExampleFiles::default());
    read_facts(input, &facts, |symbols, predicate, args| {
        if predicate != target {
            write_fact(&mut texts.facts, symbols, predicate, args);
            converted.count("facts", 1);
            converted.count(format!("{predicate}_facts"), 1);
        }
    })?;
    let mut negatives = String::new();
    let lists = [Some((positives, true)), files.negatives.map(|path| (path, false))];
    for (path, positive) in lists.into_iter().flatten() {
        let (text, name) = match positive {
            true => (&mut texts.positives, "positives"),
            false => (&mut negatives, "listed_negatives"),
        };
        read_facts(input, &path, |symbols, predicate, args| {
            if predicate == published {
                write_fact(text, symbols, target, args);
                converted.count(name, 1);
            }
        })?;
    }
    texts.negatives = (!negatives.is_empty()).then_some(negatives);
    converted.add_directory(ALL, texts, &input.background());
    Ok(converted)
}
