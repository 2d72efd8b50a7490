//! Raw specs are preserved, and no input breaks the parser.

use lrbm::internal::experiment::Experiment;
use lrbm::internal::experiment::spec::edit::rewrite;
use lrbm::internal::experiment::spec::raw::{RawTable, read};
use proptest::prelude::*;

use crate::lab::{all_shipped, experiment, experiment_with, shipped};

#[test]
fn edited_specs_keep_their_comments() {
    let mut comments = 0;
    for name in all_shipped() {
        let text = shipped(&name);
        let set = experiment_with(&text, &["about=other", "seed=5"]);
        let (mut again, kept) = (experiment(&set.frozen), experiment(&text));
        again.frozen.clone_from(&set.frozen);
        assert_eq!((&again, again.about.as_str()), (&set, "other"), "{name}");
        again.datasets.iter_mut().zip(&kept.datasets).for_each(|(new, old)| new.seeds.clone_from(&old.seeds));
        // The seed also draws the universes of a multiverse.
        if kept.multiverse.is_none() {
            assert_eq!(again.datasets, kept.datasets, "{name}");
        }
        for line in text.lines().filter(|line| line.starts_with('#')) {
            assert!(set.frozen.contains(line), "{name}: {line}\n{}", set.frozen);
            comments += 1;
        }
    }
    assert!(comments > 20, "{comments}");
}

#[test]
fn edited_arrays_keep_the_comments_between_their_items() {
    let text = "x = [ # first\n  1, # one\n  2, # two\n  # last\n]\n";
    let edited = |list: &str| {
        let after = read(&format!("x = {list}")).unwrap();
        let edited = rewrite(text, &read(text).unwrap(), &after);
        let list = |raw: &RawTable| rewrite("", &RawTable::default(), raw);
        assert_eq!(list(&read(&edited).unwrap()), list(&after), "{edited}");
        edited
    };
    assert_eq!(edited("[1, 2]"), text);
    assert_eq!(edited("[1, 3]"), text.replace("  2,", "  3,"));
    for (list, comments) in [("[3, 4, 5]", 4), ("[2]", 2), ("[9]", 2), ("[]", 1)] {
        let edited = edited(list);
        assert!(edited.matches('#').count() >= comments, "{list}: {edited}");
    }
}

#[test]
fn special_characters_round_trip() {
    let text = "\"a key\" = \"quo\\\"te \\\\ ünï\\ncode\"\nempty = []\nnumber = 1.0\n[\"a.b\".c]\nx = [{ y = 1 }, 2]\n[[d.e]]\n[[d.e]]\nz = true\n";
    let raw = read(text).unwrap();
    assert_eq!(rewrite(text, &raw, &raw), text);
    // From scratch: every value is written.
    let printed = rewrite("", &RawTable::default(), &raw);
    assert_eq!(rewrite("", &RawTable::default(), &read(&printed).unwrap()), printed);
    for part in ["\"a key\"", "number = 1.0", "[\"a.b\".c]", "x = [{ y = 1 }, 2]", "z = true"] {
        assert!(printed.contains(part), "{printed}");
    }
    assert_eq!(printed.matches("[[d.e]]").count(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// A mutated spec is parsed or rejected with a message, and never panics.
    #[test]
    fn mutated_specs_are_parsed_or_rejected_without_panics(
        name in prop::sample::select(all_shipped()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..9), 1..6),
        setting in prop::sample::select(vec!["", "trees=", "=", "datasets=", "datasets=[", "dataset..x=1", "a.b.c=1", "seeds=[1,[2]]"]),
    ) {
        let mut lines: Vec<String> = shipped(&name).lines().map(str::to_owned).collect();
        for (at, edit) in edits {
            let at = at.index(lines.len());
            let cut = lines[at].char_indices().nth(lines[at].chars().count() / 2).map_or(0, |(i, _)| i);
            match edit {
                0 => lines[at].clear(),
                1 => lines[at].truncate(cut),
                2 => lines[at].insert(cut, '"'),
                3 => lines[at].insert_str(cut, "-1"),
                4 => lines[at] = lines[at].replace('=', "= ["),
                5 => lines[at] = lines[at].replace("[[", "[").replace("]]", "]"),
                6 => lines[at] = lines[at].replace('"', ""),
                7 => lines[at] = lines[at].replace(|c: char| c.is_ascii_digit(), "9"),
                _ => lines[at] = lines[at].clone().to_uppercase(),
            }
        }
        let settings: Vec<String> = if setting.is_empty() { Vec::new() } else { vec![setting.to_owned()] };
        if let Err(error) = Experiment::parse(&lines.join("\n"), "spec.toml", &settings) {
            let message = error.to_string();
            prop_assert!(message.ends_with("found: nothing was done"), "{}", message);
            prop_assert!(message.lines().count() > 1, "{}", message);
        }
    }
}
