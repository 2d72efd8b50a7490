//! Names with control characters reach neither a terminal nor a line-based file unescaped.

use std::fs;
use std::path::Path;

use crate::common::program::{command, files};

/// Constants with an escape sequence, a bell, a line break, a carriage return, a reversed reading
/// order, a C1 control, and a line separator.
const HOSTILE: [&str; 5] = ["x\u{1b}[2J\u{7}", "forged\\n1/1 done\\r", "r\u{202e}gnp", "c\u{9b}31m", "l\u{2028}line"];

/// Returns whether a character acts on a terminal; line breaks are checked by the number of lines.
fn is_active(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[track_caller]
fn assert_visible(what: &str, text: &str) {
    let found: Vec<char> = text.chars().filter(|&c| is_active(c)).collect();
    assert!(found.is_empty(), "{what}: {found:?} in {text:?}");
    let forged = text.lines().any(|line| line.starts_with("1/1 done") || line.starts_with("forged"));
    assert!(!forged, "{what}: a forged line in {text:?}");
}

/// Runs a command, which must end with one of these codes, and checks what it prints.
#[track_caller]
fn prints(home: &Path, args: &[&str], codes: &[i32]) -> String {
    let output = command(home).args(args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(codes.contains(&output.status.code().unwrap()), "{args:?}: {text}");
    assert_visible(&format!("{args:?}"), &text);
    text
}

/// Writes a dataset whose constants are hostile into a directory.
fn write_data(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    let (mut pos, mut neg, mut facts) = (String::new(), String::new(), String::new());
    for i in 0..20 {
        let name = HOSTILE[i % HOSTILE.len()];
        pos += &format!("t(\"p{i}{name}\").\n");
        neg += &format!("t(n{i}).\n");
        // The first constant alone separates the examples, so the model has to name it.
        facts += &format!("q(\"p{i}{name}\", \"{name}\").\nq(\"p{i}{name}\", \"{}\").\nq(n{i}, c{i}).\n", HOSTILE[0]);
    }
    let modes = "mode: q(+x, #c).\nmode: t(+x).\n";
    for (name, text) in [("pos", &pos[..]), ("neg", &neg), ("facts", &facts), ("bk", modes)] {
        fs::write(directory.join(format!("train_{name}.txt")), text).unwrap();
    }
}

const SPEC: &str = "name = \"x\"\nfolds = 2\nseed = 1\ndatasets = [\"DATA\"]\n\
                    [dataset.DATA]\nid = \"data\"\nDATA_TARGET\
                    [[model]]\nname = \"A\"\nkind = \"lrbm-boost\"\ntrees = 2\n\
                    [[model]]\nname = \"B\"\nkind = \"lrbm-explainable\"\nfrom = \"A\"\n";

#[test]
fn constants_with_control_characters_are_escaped_by_every_command() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    write_data(&home.join("data"));
    let target = ["--target", "t"];
    let with = |args: &[&'static str]| [args, &target[..]].concat();
    prints(home, &["datasets", "lint", "data"], &[0, 2]);
    prints(home, &with(&["train", "--data", "data", "--out", "m.json", "--set", "trees=3"]), &[0]);
    let rules = prints(home, &["explain", "--model", "m.json"], &[0]);
    assert!(rules.contains("\\u{1b}[2J"), "the constants are not in the model: {rules}");
    prints(home, &["explain", "--model", "m.json", "--trees"], &[0]);
    prints(home, &["predict", "--data", "data", "--model", "m.json"], &[0]);
    for (i, hostile) in HOSTILE.iter().enumerate() {
        let query = format!("t(\"p{i}{hostile}\")");
        prints(home, &["explain", "--model", "m.json", "--data", "data", "--query", &query], &[0]);
    }
    let example = format!("t(\"p0{}\")", HOSTILE[0]);
    prints(home, &["explain", "--model", "m.json", "--data", "data", "--query", &example, "--html", "why.html"], &[0]);
    prints(home, &["convert", "--model", "m.json", "--out", "n.json", "--dot", "n.dot", "--svg", "n.svg"], &[0]);
    prints(home, &["explain", "--model", "n.json"], &[0]);
    let written: Vec<String> =
        files(home).into_iter().filter(|file| [".dot", ".svg", ".html"].iter().any(|e| file.ends_with(e))).collect();
    assert!(written.len() >= 3, "{written:?}");
    for file in written {
        assert_visible(&file, &fs::read_to_string(home.join(&file)).unwrap());
    }
}

#[test]
fn rejected_arguments_with_control_characters_are_escaped() {
    let home = tempfile::tempdir().unwrap();
    for hostile in ["x\u{1b}[2J\u{7}", "x\nforged", "x\r1/1 done", "r\u{202e}gnp", "c\u{9b}31m", "l\u{2028}line"] {
        let option = format!("--{hostile}");
        for args in [
            &[hostile][..],
            &["train", &option],
            &["completions", hostile],
            &["datasets", hostile],
            &["run", "a", hostile],
        ] {
            prints(home.path(), args, &[2]);
        }
    }
}

#[test]
fn runs_on_such_data_print_and_write_escaped_text() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    write_data(&home.join("data"));
    let spec = SPEC.replace("DATA_TARGET", "").replace("[dataset.DATA]\nid = \"data\"\n", "").replace("DATA", "data");
    fs::write(home.join("x.toml"), spec).unwrap();
    prints(home, &["plan", "x.toml"], &[0]);
    prints(home, &["run", "x.toml", "--out", "out"], &[0]);
    prints(home, &["run", "x.toml", "--out", "out", "--fresh", "--set", "time_limit=0.000001"], &[3]);
    prints(home, &["run", "x.toml", "--out", "out", "--retry-failed"], &[0]);
    prints(home, &["report", "out"], &[0]);
    prints(home, &["check", "out", "--baseline", "b.csv", "--bless"], &[0]);
    prints(home, &["check", "out", "--baseline", "b.csv", "--junit", "j.xml", "--markdown", "c.md"], &[0]);
    prints(home, &["compare", "out", "--models", "A,B"], &[0]);
    let endings = [".html", ".md", ".svg", ".xml", "metrics.csv"];
    let written: Vec<String> =
        files(home).into_iter().filter(|file| endings.iter().any(|ending| file.ends_with(ending))).collect();
    assert!(written.len() >= 5, "{written:?}");
    for file in written {
        assert_visible(&file, &fs::read_to_string(home.join(&file)).unwrap());
    }
}

#[test]
fn names_in_specs_with_control_characters_are_rejected() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    write_data(&home.join("data"));
    for name in ["a\\u001B[2J", "a\\nforged", "a\\r1/1 done", "a\\u202Eb", "a\\tb", "\\u0085"] {
        let model = format!("name = \"x\"\ndatasets = [\"movies\"]\n[[model]]\nname = \"{name}\"\nkind = \"rpt\"\n");
        let dataset = format!("name = \"x\"\ndatasets = [\"{name}\"]\n[[model]]\nname = \"A\"\nkind = \"rpt\"\n");
        let id = format!(
            "name = \"x\"\ndatasets = [\"d\"]\n[dataset.d]\nid = \"{name}\"\n[[model]]\nname = \"A\"\nkind = \"rpt\"\n"
        );
        let key =
            format!("name = \"x\"\n\"{name}\" = 1\ndatasets = [\"movies\"]\n[[model]]\nname = \"A\"\nkind = \"rpt\"\n");
        let case = format!(
            "name = \"x\"\ndatasets = [\"movies\"]\n[[model]]\nname = \"A\"\nkind = \"rpt\"\n[sweep]\n\
             [[sweep.case]]\nname = \"{name}\"\n[[sweep.case]]\nname = \"b\"\nmax_depth = 2\n"
        );
        let experiment =
            format!("name = \"{name}\"\ndatasets = [\"movies\"]\n[[model]]\nname = \"A\"\nkind = \"rpt\"\n");
        for spec in [model, dataset, id, case] {
            fs::write(home.join("x.toml"), &spec).unwrap();
            let said = prints(home, &["run", "x.toml", "--out", "out"], &[2]);
            assert!(said.contains("without control characters"), "{spec}: {said}");
        }
        for spec in [key, experiment] {
            fs::write(home.join("x.toml"), &spec).unwrap();
            prints(home, &["run", "x.toml", "--out", "out"], &[2]);
        }
        assert!(!home.join("out").exists());
    }
}

/// Paths may come from archives or scripts, so their control characters are escaped.
#[cfg(unix)]
#[test]
fn directory_names_with_control_characters_are_escaped() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let name = "d\u{1b}[2J\r\nforged\u{202e}";
    let spec = SPEC.replace("DATA_TARGET", "").replace("[dataset.DATA]\nid = \"data\"\n", "").replace("DATA", "movies");
    fs::write(home.join("x.toml"), spec).unwrap();
    fs::write(home.join(format!("{name}.toml")), "nonsense = ").unwrap();
    write_data(&home.join(name));
    prints(home, &["datasets", "lint", name], &[0, 2]);
    prints(home, &["datasets", "lint", &format!("{name}/missing")], &[2]);
    prints(home, &["train", "--data", name, "--target", "t", "--out", &format!("{name}/m.json")], &[0]);
    prints(home, &["explain", "--model", &format!("{name}/m.json")], &[0]);
    prints(home, &["explain", "--model", &format!("{name}/none.json")], &[2]);
    prints(home, &["predict", "--data", name, "--model", &format!("{name}/m.json")], &[0]);
    prints(home, &["run", "x.toml", "--out", &format!("{name}/run")], &[0]);
    prints(home, &["run", &format!("{name}.toml")], &[2]);
    prints(home, &["plan", "x.toml", "--out", &format!("{name}/run")], &[0]);
    prints(home, &["report", &format!("{name}/run")], &[0]);
    prints(home, &["report", &format!("{name}/none")], &[2]);
    prints(home, &["check", &format!("{name}/run"), "--baseline", &format!("{name}/b.csv")], &[6]);
    prints(home, &["run-job", name, "0123"], &[2]);
    prints(home, &["datasets", "fetch", "imdb", "--mirror", name, "--data", &format!("{name}/cache")], &[2]);
    prints(home, &["datasets", "generate", "movies", "--out", &format!("{name}/gen")], &[0]);
}
