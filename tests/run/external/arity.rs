//! Models with an arity of their own beside others on the same dataset.

use std::fs;

use super::{lrbm, record, succeeds};
use crate::lab::{Lab, events, stderr};

/// Scores by position, and keeps the facts that it was given.
const SCRIPT: &str = r#"
cp train/train_facts.txt model.facts
echo "example,score" > scores.csv
n=0
while read -r query; do n=$((n+1)); echo "${query%.},$n" >> scores.csv; done < test/queries.txt
"#;

const SPEC: &str = r#"
name = "tiny"
seed = 7
folds = 2
datasets = ["data", "movies"]

[[model]]
name = "Boost"
kind = "rdn-boost"
trees = 2

[[model]]
name = "Walks"
kind = "rrbm-c"

[[model]]
name = "Binary walks"
kind = "rrbm-c"
arity = "binary"

[[model]]
name = "Command"
kind = "command"
run = ["sh", "{spec_dir}/script.sh"]
features = "random-walks"

[[model]]
name = "Binary command"
kind = "command"
run = ["sh", "{spec_dir}/script.sh"]
features = "random-walks"
arity = "binary"
"#;

/// A lab with a dataset that has a predicate of three arguments.
fn lab() -> Lab {
    let lab = Lab::with(SPEC);
    fs::write(lab.home().join("script.sh"), SCRIPT).unwrap();
    let data = lab.home().join("data");
    fs::create_dir(&data).unwrap();
    let mut files = [String::new(), String::new(), String::new()];
    for i in 0..20 {
        files[0] += &format!("likes(p{i},q{i}).\n");
        files[1] += &format!("likes(p{i},q{}).\n", (i + 7) % 20);
        files[2] += &format!("gave(p{i},q{i},t{}).\nknows(p{i},q{}).\n", i % 3, i / 2);
    }
    let modes = "mode: likes(+person,+thing).\nmode: gave(+person,-thing,-time).\nmode: knows(+person,-thing).\n";
    for (name, text) in ["pos", "neg", "facts", "bk"].iter().zip(files.iter().map(String::as_str).chain([modes])) {
        fs::write(data.join(format!("train_{name}.txt")), text).unwrap();
    }
    lab
}

#[test]
fn a_model_may_see_binary_predicates_where_others_do_not() {
    let lab = lab();
    succeeds(&lab, &["-q"]);
    let of = |model: &str| record(&lab, &format!("data/{model}/default/fold1-seed7"));
    for refused in ["Walks", "Command"] {
        assert_eq!(of(refused)["failure"], "refused", "{refused}");
    }
    // Names with a blank have a suffix.
    let directory = |prefix: &str| {
        let all = fs::read_dir(lab.out().join("jobs/data")).unwrap().map(|entry| entry.unwrap().file_name());
        let found = all.map(|name| name.into_string().unwrap()).find(|name| name.starts_with(prefix));
        found.unwrap()
    };
    let (walks, command) = (directory("Binary-walks"), directory("Binary-command"));
    for model in [&walks, &command] {
        let record = of(model);
        assert_eq!(record["status"], "done", "{record}");
        assert_eq!(record["key"]["dataset"]["variant"]["arity"], "binary");
        // The examples are those of the other models.
        assert_eq!(record["counts"], of("Boost")["counts"]);
    }
    let facts =
        fs::read_to_string(lab.out().join(format!("jobs/data/{command}/default/fold1-seed7/model.facts"))).unwrap();
    assert!(facts.contains("gave_1_2(p0,q0).") && !facts.contains("gave("), "{facts}");
    assert_eq!(of("Boost")["key"]["dataset"]["variant"]["arity"], "original");

    let output = lrbm(&lab, &["report", "out", "--out", "report"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let table = fs::read_to_string(lab.home().join("report/tables/all-metrics.md")).unwrap();
    assert_eq!(table.matches("learns from binary predicates in place of longer ones on data").count(), 2, "{table}");
    for model in ["Binary walks", "Binary command"] {
        assert!(table.contains(&format!("{model} \\[")), "{table}");
    }
    assert!(!table.contains("Boost \\["), "{table}");

    // An export has the split of either arity.
    let output = lrbm(&lab, &["datasets", "export", "tiny.toml", "--out", "splits"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let facts = |split: &str| fs::read_to_string(lab.home().join(format!("splits/data/{split}/train/train_facts.txt")));
    assert!(facts("fold2-seed7").unwrap().contains("gave("));
    assert!(facts("arity=binary/fold2-seed7").unwrap().contains("gave_1_2("));
    // Another arity is another job, and only that.
    lab.write_spec(&SPEC.replacen("arity = \"binary\"", "arity = \"original\"", 1));
    let output = lab.command(&["--json-events"]).output().unwrap();
    let started = events(&output, "start");
    assert!(!started.is_empty() && started.iter().all(|event| event["model"] == "Binary walks"), "{started:?}");
}

#[test]
fn an_arity_without_effect_is_an_error() {
    let sweep = format!("{SPEC}[sweep]\narity = [\"original\", \"binary\"]\n");
    let copy = SPEC.replace("rdn-boost\"", "lrbm-boost\"")
        + "[[model]]\nname = \"Copy\"\nkind = \"lrbm-explainable\"\nfrom = \"Boost\"\narity = \"binary\"\n";
    for (spec, message) in [
        (sweep, "varied by the sweep or the multiverse: a model cannot set its own value"),
        (copy, "a model with `from` inherits the arity of its ensemble; remove this key"),
    ] {
        let lab = lab();
        lab.write_spec(&spec);
        let output = lrbm(&lab, &["plan", "tiny.toml"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}
