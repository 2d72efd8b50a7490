//! BoostSRL files, one directory for each fold with `train` and `test` in it.
//!
//! Only the target is taken from the files of examples. An evidence variant may add the positives of other predicates as
//! facts: those of the same file, so that a fold never sees those of another.

use std::collections::BTreeMap;

use super::text::{read_facts, write_fact};
use super::{AdaptError, Input, Made, Part};
use crate::data::layout;
use crate::data::manifest::Adaptor;

const NAME: &str = "boostsrl-folds";

pub(super) fn convert(input: &Input<'_>) -> Result<Made, AdaptError> {
    let target = input.manifest.target.predicate.as_str();
    let background = input.background();
    let mut made = Made::default();
    for (k, place) in &fold_directories(input)? {
        for side in ["train", "test"] {
            let mut part = Part { negatives: Some(String::new()), ..Part::default() };
            let (mut counts, mut reflexive) = (BTreeMap::<String, u64>::new(), 0);
            let files = layout::find(&input.place(&format!("{place}/{side}")));
            let (Some(positives), Some(facts)) = (&files.positives, &files.facts) else {
                return Err(input.missing(NAME, format!("positives and facts in {place}/{side}")));
            };
            read_facts(input, facts, |symbols, predicate, args| {
                // A target among the facts would be an answer among the questions.
                if predicate != target {
                    write_fact(&mut part.facts, symbols, predicate, args);
                    *counts.entry("facts".to_owned()).or_default() += 1;
                }
            })?;
            read_facts(input, positives, |symbols, predicate, args| {
                if predicate == target_as_published(input) {
                    write_fact(&mut part.positives, symbols, target, args);
                    *counts.entry("positives".to_owned()).or_default() += 1;
                    reflexive += u64::from(matches!(args, [a, b] if a == b));
                } else {
                    if input.evidence.adds.iter().any(|added| added == predicate) {
                        write_fact(&mut part.facts, symbols, predicate, args);
                    }
                    *counts.entry(format!("{predicate}_positives")).or_default() += 1;
                }
            })?;
            if let (Some(negatives), Some(text)) = (&files.negatives, &mut part.negatives) {
                read_facts(input, negatives, |symbols, predicate, args| {
                    if predicate == target_as_published(input) {
                        write_fact(text, symbols, target, args);
                    }
                })?;
            }
            // The test files of all folds together are the data; the training files repeat them.
            if side == "test" {
                counts.into_iter().for_each(|(name, n)| made.count(name, n));
                made.count("reflexive_positives", reflexive);
            }
            made.add_directory(&format!("fold{k}/{side}"), part, &background);
        }
    }
    Ok(made)
}

/// The target as the files spell it, in lower case as all predicates are once read.
fn target_as_published<'a>(input: &Input<'a>) -> String {
    let target = &input.manifest.target;
    target.published.as_ref().unwrap_or(&target.predicate).to_lowercase()
}

/// The directories named `fold1`, `Fold2` and so on that have a `test` directory, by their numbers.
pub(super) fn fold_directories(input: &Input<'_>) -> Result<BTreeMap<u32, String>, AdaptError> {
    let mut found = BTreeMap::new();
    for path in input.files() {
        let parts: Vec<&str> = path.split('/').collect();
        let number = |part: &str| part.to_ascii_lowercase().strip_prefix("fold")?.parse::<u32>().ok();
        let fold = parts.windows(2).position(|pair| pair[1] == "test" && number(pair[0]).is_some());
        if let Some(at) = fold
            && let Some(k) = number(parts[at])
        {
            found.insert(k, parts[..=at].join("/"));
        }
    }
    if found.is_empty() {
        let adaptor = if input.manifest.adaptor == Adaptor::Webkb { "webkb" } else { NAME };
        return Err(input.missing(adaptor, "directory `fold<number>` with `train` and `test`"));
    }
    Ok(found)
}
