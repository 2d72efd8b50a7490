//! One list of positives, one of negatives and one of facts; any split of the archive's own is left alone.

use super::text::{read_facts, write_fact};
use super::{ALL, AdaptError, Input, Made, Part};
use crate::data::layout;

const NAME: &str = "boostsrl-single";

pub(super) fn convert(input: &Input<'_>) -> Result<Made, AdaptError> {
    let target = input.manifest.target.predicate.as_str();
    let published = input.manifest.target.published.as_deref().unwrap_or(target).to_lowercase();
    // The directory with the list of positives that is nearest to the root.
    let depth = |path: &&str| path.matches('/').count();
    let lists = input.files().filter(|path| matches!(path.rsplit('/').next(), Some("pos.txt" | "pos.pl")));
    let list = lists.min_by_key(depth).ok_or_else(|| input.missing(NAME, "file `pos.txt`"))?;
    let directory = input.place(list);
    let directory = directory.parent().unwrap_or(&directory);
    let files = layout::find(directory);
    let facts = files.facts.or_else(|| layout::find(&directory.join("train")).facts);
    let (Some(positives), Some(facts)) = (files.positives, facts) else {
        return Err(input.missing(NAME, format!("positives and facts beside {list}")));
    };
    let (mut made, mut part) = (Made::default(), Part::default());
    read_facts(input, &facts, |symbols, predicate, args| {
        if predicate != target {
            write_fact(&mut part.facts, symbols, predicate, args);
            made.count("facts", 1);
            made.count(format!("{predicate}_facts"), 1);
        }
    })?;
    let mut negatives = String::new();
    let lists = [Some((positives, true)), files.negatives.map(|path| (path, false))];
    for (path, positive) in lists.into_iter().flatten() {
        let (text, name) = match positive {
            true => (&mut part.positives, "positives"),
            false => (&mut negatives, "listed_negatives"),
        };
        read_facts(input, &path, |symbols, predicate, args| {
            if predicate == published {
                write_fact(text, symbols, target, args);
                made.count(name, 1);
            }
        })?;
    }
    part.negatives = (!negatives.is_empty()).then_some(negatives);
    made.add_directory(ALL, part, &input.background());
    Ok(made)
}
