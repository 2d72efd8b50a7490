use super::*;
use crate::logic::parser::parse_sentence;
use crate::logic::{ModeArg, ModeDeclaration, Notation, Sentence};

/// A valid manifest that the tests modify.
const TOY: &str = r#"
id = "toy"
title = "Toy"
about = "Who is whose friend?"
citation = "none"
licence = "none"
adaptor = "boostsrl-single"
modes = ["mode: friends(+person,+person)."]

[target]
predicate = "friends"
arguments = ["person", "person"]

[[evidence]]
name = "base"
about = "all facts"
default = true

[[arity]]
predicate = "met"
arguments = ["person", "person", "place"]
becomes = [{ predicate = "knows", keep = [1, 2], modes = ["mode: knows(+person,-person)."] }]

[folds]
scheme = "random"
count = 5
about = "at random"

[negatives]
scheme = "closed-world"

[time]
type = "person"
from = "predicate"
predicate = "born"
about = "no one younger"

[expected]
positives = 1
about = "lines"

[[source]]
owner = "someone"
repository = "something"
commit = "0123456789abcdef0123456789abcdef01234567"
directory = "a/b"
files = [
    { path = "pos.txt", bytes = 3, sha256 = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
    { path = "all.zip", bytes = 3, sha256 = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", unpack = "zip" },
]
"#;

/// Returns the error after replacing `old` by `new`.
fn error_after(old: &str, new: &str) -> String {
    assert!(TOY.contains(old), "{old}");
    Manifest::parse(&TOY.replacen(old, new, 1), "toy.toml").unwrap_err().to_string()
}

#[test]
fn valid_manifests_are_parsed() {
    let toy = Manifest::parse(TOY, "toy.toml").unwrap();
    let (source, file) = toy.files().next().unwrap();
    assert_eq!(
        source.address(file),
        "https://raw.githubusercontent.com/someone/something/0123456789abcdef0123456789abcdef01234567/a/b/pos.txt"
    );
    assert_eq!(toy.files().filter_map(|(_, file)| file.unpacked_path()).collect::<Vec<_>>(), ["all"]);
    assert_eq!(toy.evidence(None).unwrap().name, "base");
    let unknown = toy.evidence(Some("more")).unwrap_err().to_string();
    assert_eq!(unknown, "dataset `toy` has no evidence variant `more`; expected one of base");
    let rule = toy.time.unwrap().rule();
    assert_eq!(rule, TimeRule { source: TimeSource::Predicate("born".to_owned()), by_argument: vec![] });
}

#[test]
fn errors_name_the_line_and_the_key() {
    assert_eq!(error_after("count = 5", "count = \"x\""), "toy.toml:26: invalid type: string \"x\", expected usize");
    let unknown = error_after("bytes = 3, sha256 = \"bb", "size = 3, sha256 = \"bb");
    assert!(unknown.starts_with("toy.toml:49: unknown field `size`"), "{unknown}");
    let scheme = error_after("scheme = \"random\"", "scheme = \"rnd\"");
    assert!(scheme.starts_with("toy.toml:25: unknown variant `rnd`, expected one of `given`"), "{scheme}");
    assert!(error_after("title = \"Toy\"", "title = Toy").starts_with("toy.toml:3: "));
    assert!(error_after("title = \"Toy\"\n", "").contains("missing field `title`"));
}

#[test]
fn invalid_values_are_rejected() {
    for (old, new, key) in [
        ("id = \"toy\"", "id = \"../toy\"", "id"),
        ("licence = \"none\"", "licence = \" \"", "licence"),
        ("name = \"base\"", "name = \"raw\"", "evidence[0].name"),
        ("default = true", "default = false", "evidence"),
        ("keep = [1, 2]", "keep = [1, 4]", "arity[0].becomes[0].keep"),
        ("keep = [1, 2]", "keep = [2, 2]", "arity[0].becomes[0].keep"),
        (", \"place\"]", "]", "arity[0].arguments"),
        ("count = 5", "count = 0", "folds.count"),
        ("type = \"person\"", "type = \"paper\"", "time.type"),
        ("predicate = \"born\"\n", "", "time.predicate"),
        ("from = \"predicate\"", "from = \"id\"", "time.predicate"),
        ("owner = \"someone\"", "owner = \"some/one\"", "source[0].owner"),
        ("owner = \"someone\"", "owner = \"..\"", "source[0].owner"),
        ("commit = \"0123456789abcdef0123456789abcdef01234567\"", "commit = \"main\"", "source[0].commit"),
        ("directory = \"a/b\"", "directory = \"a/../..\"", "source[0].directory"),
        ("path = \"pos.txt\"", "path = \"/etc/passwd\"", "source[0].files[0].path"),
        ("path = \"pos.txt\"", "path = \"pos.part\"", "source[0].files[0].path"),
        ("path = \"pos.txt\"", "path = \"all.zip/pos.txt\"", "source[0].files[1].path"),
        ("path = \"pos.txt\", bytes = 3,", "path = \"pos.txt\",", "source[0].files[0].bytes"),
        ("sha256 = \"aaa", "sha256 = \"AAA", "source[0].files[0].sha256"),
        ("path = \"all.zip\"", "path = \"all.tar\"", "source[0].files[1].path"),
    ] {
        let error = error_after(old, new);
        assert!(error.starts_with(&format!("toy.toml: {key}: ")), "{old} -> {new}: {error}");
    }
}

#[test]
fn a_user_supplied_file_needs_a_checksum() {
    let line = "    { path = \"pos.txt\", bytes = 3, sha256 = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" },";
    let error = error_after(line, "{ path = \"pos.txt\", supplied_by_user = \"ask\" },");
    assert!(error.starts_with("toy.toml: source[0].files[0]: needs `sha256` or `git_blob`"), "{error}");
    let blob = format!("{{ path = \"pos.txt\", supplied_by_user = \"ask\", git_blob = \"{}\" }},", "0".repeat(40));
    Manifest::parse(&TOY.replace(line, &blob), "toy.toml").unwrap();
}

#[test]
fn built_in_manifests_are_parsed() {
    let ids: Vec<&str> = Manifest::built_in().map(|m| m.id.as_str()).collect();
    assert_eq!(
        ids,
        ["uwcse", "imdb", "cora", "sports", "mutagenesis", "yeast2", "webkb", "aan", "icml", "roofworld20"]
    );
    assert!(Manifest::ids().eq(ids));
    assert_eq!(Manifest::find("cora").unwrap().evidence(None).unwrap().name, "matches");
    assert_eq!(Manifest::find("yeast2").unwrap().substitute.as_deref(), Some("earlier release (1950-2007)"));
    assert_eq!(
        Manifest::find("uw-cse").unwrap_err().to_string(),
        "unknown dataset `uw-cse`; did you mean `uwcse`? \
         expected one of uwcse, imdb, cora, sports, mutagenesis, yeast2, webkb, aan, icml and roofworld20"
    );
}

fn mode(text: &str) -> ModeDeclaration {
    let parsed = parse_sentence(text, 0, true, Notation::default(), false).unwrap();
    assert_eq!(parsed.end, text.len(), "{text}");
    match parsed.sentence {
        Sentence::Mode(mode) => mode,
        other => panic!("{text} parses as {other:?}"),
    }
}

fn types(mode: &ModeDeclaration) -> Vec<&str> {
    fn of(arg: &ModeArg) -> &str {
        match arg {
            ModeArg::Typed { type_name, .. } => type_name,
            ModeArg::Nested(name, _) => panic!("{name}"),
        }
    }
    mode.args.iter().map(of).collect()
}

#[test]
fn modes_of_built_in_manifests_are_consistent() {
    for manifest in Manifest::built_in() {
        for evidence in &manifest.evidence {
            let modes: Vec<ModeDeclaration> = manifest.modes_with(evidence).map(mode).collect();
            let of_target = modes.iter().filter(|m| m.predicate == manifest.target.predicate);
            let typed: Vec<_> = of_target.map(types).collect();
            assert!(!typed.is_empty(), "{}", manifest.id);
            assert!(typed.iter().all(|types| *types == manifest.target.arguments), "{}: {typed:?}", manifest.id);
            for a in &modes {
                // A predicate has the same types in all its modes.
                let other = modes.iter().find(|b| a.predicate == b.predicate && types(a) != types(b));
                assert_eq!(other, None, "{} {}", manifest.id, evidence.name);
            }
            for rule in &manifest.arity {
                if rule.evidence.as_ref().is_some_and(|name| *name != evidence.name) {
                    continue;
                }
                let original = modes.iter().find(|m| m.predicate == rule.predicate).unwrap();
                assert_eq!(types(original), rule.arguments, "{}", manifest.id);
                for projection in &rule.becomes {
                    let kept: Vec<&str> = projection.keep.iter().map(|k| rule.arguments[k - 1].as_str()).collect();
                    for text in &projection.modes {
                        let mode = mode(text);
                        assert_eq!(
                            (mode.predicate.as_str(), types(&mode)),
                            (projection.predicate.as_str(), kept.clone())
                        );
                    }
                }
            }
            // Every predicate with more than two arguments has a rule.
            for m in modes.iter().filter(|m| m.args.len() > 2) {
                assert!(manifest.arity.iter().any(|rule| rule.predicate == m.predicate), "{m}");
            }
        }
    }
}
