//! Adaptor for BoostSRL files with one directory per fold that contains `train` and `test`, or
//! with one such directory without a number.
//!
//! Only the target is taken from the example files. An evidence variant may add the positives of
//! other predicates as facts, from the same file, so that a fold never sees those of another.

use std::collections::BTreeMap;

use super::error::AdaptError;
use super::input::AdaptorInput;
use super::output::{ConvertedFiles, ExampleFiles};
use super::text::{read_facts, write_fact};
use crate::data::layout;
use crate::data::manifest::Adaptor;

const NAME: &str = "boostsrl-folds";

pub(super) fn convert(input: &AdaptorInput<'_>) -> Result<ConvertedFiles, AdaptError> {
    let target = input.manifest.target.predicate.as_str();
    let background = input.background();
    let mut converted = ConvertedFiles::default();
    for (k, directory) in &fold_directories(input)? {
        for side in ["train", "test"] {
            let mut texts = ExampleFiles { negatives: Some(String::new()), ..ExampleFiles::default() };
            let (mut counts, mut reflexive) = (BTreeMap::<String, u64>::new(), 0);
            let files = layout::find(&input.path_of(&format!("{directory}/{side}")));
            let (Some(positives), Some(facts)) = (&files.positives, &files.facts) else {
                return Err(input.missing(NAME, format!("positives and facts in {directory}/{side}")));
            };
            read_facts(input, facts, |symbols, predicate, args| {
                // The target among the facts would leak the labels.
                if predicate != target {
                    write_fact(&mut texts.facts, symbols, predicate, args);
                    *counts.entry("facts".to_owned()).or_default() += 1;
                }
            })?;
            read_facts(input, positives, |symbols, predicate, args| {
                if predicate == target_as_published(input) {
                    write_fact(&mut texts.positives, symbols, target, args);
                    *counts.entry("positives".to_owned()).or_default() += 1;
                    reflexive += u64::from(matches!(args, [a, b] if a == b));
                } else {
                    if input.evidence.adds.iter().any(|added| added == predicate) {
                        write_fact(&mut texts.facts, symbols, predicate, args);
                    }
                    *counts.entry(format!("{predicate}_positives")).or_default() += 1;
                }
            })?;
            if let (Some(negatives), Some(text)) = (&files.negatives, &mut texts.negatives) {
                read_facts(input, negatives, |symbols, predicate, args| {
                    if predicate == target_as_published(input) {
                        write_fact(text, symbols, target, args);
                    }
                })?;
            }
            // The test files of all folds together are the complete data; the training files repeat
            // them.
            if side == "test" {
                counts.into_iter().for_each(|(name, n)| converted.count(name, n));
                converted.count("reflexive_positives", reflexive);
            }
            converted.add_directory(&format!("fold{k}/{side}"), texts, &background);
        }
    }
    Ok(converted)
}

/// Returns the name of the target in the published files, in lower case like all predicates after
/// reading.
fn target_as_published<'a>(input: &AdaptorInput<'a>) -> String {
    let target = &input.manifest.target;
    target.published.as_ref().unwrap_or(&target.predicate).to_lowercase()
}

/// Returns the directories named `fold1`, `Fold2` and so on that contain a `test` directory, by
/// number; without such, the only directory that contains one.
pub(super) fn fold_directories(input: &AdaptorInput<'_>) -> Result<BTreeMap<u32, String>, AdaptError> {
    let mut found = BTreeMap::new();
    for path in input.files() {
        let components: Vec<&str> = path.split('/').collect();
        let number = |name: &str| name.to_ascii_lowercase().strip_prefix("fold")?.parse::<u32>().ok();
        let fold = components.windows(2).position(|pair| pair[1] == "test" && number(pair[0]).is_some());
        if let Some(at) = fold
            && let Some(k) = number(components[at])
        {
            found.insert(k, components[..=at].join("/"));
        }
    }
    // One split is published as `train` and `test` without a number.
    if found.is_empty() {
        let split = input.files().find_map(|path| path.split_once("/test/").map(|(directory, _)| directory.to_owned()));
        found.extend(split.map(|directory| (1, directory)));
    }
    if found.is_empty() {
        let adaptor = if input.manifest.adaptor == Adaptor::Webkb { "webkb" } else { NAME };
        return Err(input.missing(adaptor, "directory `fold<number>` with `train` and `test`"));
    }
    Ok(found)
}
