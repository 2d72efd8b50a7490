//! Output for programs and shells: JSON, completions, width of the terminal.

use serde_json::Value;

use crate::common::program::{command, lrbm, succeeds};

#[test]
fn predictions_are_printed_as_json() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeeds(home, &["train", "-q", "--data", "movies", "--set", "trees=2", "--out", "m.json"]);
    let text = succeeds(home, &["predict", "--data", "movies", "--model", "m.json"]);
    let json: Value =
        serde_json::from_str(&succeeds(home, &["predict", "--data", "movies", "--model", "m.json", "--json"])).unwrap();
    let auc = json["metrics"]["auc_roc"].as_f64().unwrap();
    assert!(text.contains(&format!("AUC-ROC {auc:.6}")), "{text}{json}");
    assert!(json["examples"]["positive"].as_u64() > Some(0) && json["examples"]["negative"].as_u64() > Some(0));
    // A threshold of the training scores is not known here.
    let undefined = json["undefined"].as_object().unwrap();
    assert!(!undefined.is_empty() && undefined.keys().all(|name| json["metrics"][name].is_null()), "{json}");
}

#[test]
fn completions_offer_values() {
    let home = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = succeeds(home.path(), &["completions", shell]);
        // The generator for fish offers no values of positional arguments.
        let ids: &[&str] = if shell == "fish" { &[] } else { &["university", "mutagenesis"] };
        for value in ["lrbm-noboost", "lookahead"].iter().chain(ids) {
            assert!(script.contains(value), "{shell}: {value}");
        }
        // Ids of datasets beside paths, after `--data` of four commands.
        let all = "movies movies-classes university";
        let offered = match shell {
            "bash" => format!("--data)\n                    COMPREPLY=($(compgen -W \"{all}"),
            "zsh" => format!(":DIR|ID:{{_files; compadd -- {all}"),
            _ => format!(" -r -F -a \"{all}"),
        };
        assert_eq!(script.matches(&offered).count(), 4, "{shell}: {offered}");
    }
}

#[test]
fn tables_fit_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let spec = "name = \"wide\"\nfolds = 2\ndatasets = [\"movies\"]\n[sweep]\ntrees = [1, 2, 3, 4, 5]\n\
                [[model]]\nname = \"Boost\"\nkind = \"lrbm-boost\"\n";
    std::fs::write(home.path().join("wide.toml"), spec).unwrap();
    succeeds(home.path(), &["run", "wide.toml", "-q"]);
    let printed = |columns: &str| {
        // Runs are found by name.
        let output = command(home.path()).args(["report", "wide"]).env("COLUMNS", columns).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let table_lines = |text: &str| -> Vec<usize> {
        text.lines()
            .filter(|line| line.contains("dataset  model") || line.contains("movies   Boost"))
            .map(|line| line.chars().count())
            .collect()
    };
    let (wide, narrow) = (printed("400"), printed("60"));
    let texts = narrow.lines().take_while(|line| !line.starts_with("report: "));
    assert!(texts.clone().count() > 10 && texts.clone().all(|line| line.chars().count() <= 60), "{narrow}");
    assert!(table_lines(&wide).iter().any(|&width| width > 60), "{wide}");
    assert!(table_lines(&narrow).iter().all(|&width| width <= 60), "{narrow}");
    assert!(table_lines(&narrow).len() > table_lines(&wide).len());
    // The best of a row is marked, and the caption says so.
    assert!(wide.contains(" *") && wide.contains("Best of a row marked *") && !wide.contains("bold"), "{wide}");
}

#[test]
fn every_command_fits_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    std::fs::write(home.join("tiny.toml"), TINY).unwrap();
    let fits = |args: &[&str], code: i32| {
        let output = command(home).args(args).env("COLUMNS", "76").output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let is_free = |line: &&str| ["next: ", "  or: ", "results are in "].iter().any(|start| line.starts_with(start));
        for line in text.lines().filter(|line| !is_free(line)) {
            assert!(line.chars().count() <= 76, "{args:?}: {line}");
        }
        text
    };
    let run = fits(&["run", "tiny.toml", "-q", "--no-report"], 0);
    assert!(run.contains("AUC-PR") && run.contains("standard deviation"), "{run}");
    fits(&["plan", "tiny.toml"], 0);
    fits(&["datasets", "list"], 0);
    succeeds(home, &["check", "tiny", "--bless", "-q"]);
    let models = "Boost (paper, trees=1),Boost (paper, trees=2)";
    let compared = fits(&["compare", "tiny", "--models", models], 0);
    assert!(!compared.contains('|') && compared.contains("B − A"), "{compared}");
    // Elsewhere it is Markdown.
    assert!(succeeds(home, &["compare", "tiny", "--models", models]).contains("| dataset |"));
    let spec = std::fs::read_to_string(home.join("results/runs/tiny/spec.toml")).unwrap();
    std::fs::write(home.join("results/runs/tiny/spec.toml"), format!("{spec}\n{EXPECTED}")).unwrap();
    let checked = fits(&["check", "tiny"], 5);
    assert!(checked.contains("differs from") && !checked.contains(['|', '\\']), "{checked}");
}

#[test]
fn comparisons_name_what_can_be_paired() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    std::fs::write(home.join("tiny.toml"), TINY).unwrap();
    let other = TINY.replace("tiny", "other").replace("[1, 2]", "[3, 4]");
    std::fs::write(home.join("other.toml"), other).unwrap();
    succeeds(home, &["run", "tiny.toml", "-q"]);
    succeeds(home, &["run", "other.toml", "-q"]);
    // Runs of other cases have no row in common.
    let (code, out, err) = lrbm(home, &["compare", "tiny", "other"]);
    assert_eq!((code, out.as_str()), (Some(6), ""), "{err}");
    for name in ["A: `Boost (paper, trees=1)`, `Boost (paper, trees=2)`", "B: `Boost (paper, trees=3)`"] {
        assert!(err.contains(name), "{err}");
    }
    // One run alone: two of its models can be compared.
    let (code, out, err) = lrbm(home, &["compare", "tiny"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains("--models \"A,B\": `Boost (paper, trees=1)`, `Boost (paper, trees=2)`"), "{err}");
    let paired = "Boost (paper, trees=2),Boost (paper, trees=3)";
    let out = succeeds(home, &["compare", "tiny", "other", "--models", paired]);
    assert!(out.contains("Boost (paper, trees=2) → Boost (paper, trees=3)"), "{out}");
}

const EXPECTED: &str = "[expected]\ntolerance = 0.01\nrows = [{ dataset = \"movies\", model = \"Boost\", \
                        preset = \"paper\", case = \"trees=1\", metric = \"auc_roc\", mean = 0.1 }]\n";

const TINY: &str = "name = \"tiny\"\nfolds = 2\nseed = 3\ndatasets = [\"movies\"]\npresets = [\"paper\"]\n[sweep]\ntrees = [1, 2]\n\
                    [[model]]\nname = \"Boost\"\nkind = \"lrbm-boost\"\n";

#[test]
fn events_have_the_parts_of_a_job_as_fields() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("tiny.toml"), TINY).unwrap();
    let printed = succeeds(home.path(), &["run", "tiny.toml", "--json-events"]);
    let events: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for kind in ["start", "tree", "done"] {
        let of_kind: Vec<&Value> = events.iter().filter(|event| event["event"] == kind).collect();
        assert!(of_kind.len() >= 4, "{kind}: {printed}");
        for event in &of_kind {
            assert_eq!([&event["dataset"], &event["model"], &event["preset"]], ["movies", "Boost", "paper"], "{event}");
            assert!(event["seed"] == 3 && (event["fold"] == 1 || event["fold"] == 2), "{event}");
        }
        assert!(of_kind.iter().any(|event| event["case"] == "trees=2"), "{kind}: {printed}");
    }
    let end = events.last().unwrap();
    assert!(end["event"] == "end" && end["done"] == 4, "{end}");
}

#[test]
fn the_gate_is_printed_as_json() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    std::fs::write(home.join("tiny.toml"), TINY).unwrap();
    succeeds(home, &["run", "tiny.toml", "-q"]);
    succeeds(home, &["check", "tiny", "--bless", "-q"]);
    let check = |args: &[&str]| -> (Option<i32>, Value) {
        let (code, out, err) = lrbm(home, &[&["check", "tiny", "--json"], args].concat());
        (code, serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}")))
    };
    let (code, json) = check(&["--record", "history.csv", "--commit", "a"]);
    assert_eq!((code, &json["verdict"], &json["experiment"]), (Some(0), &"passed".into(), &"tiny".into()), "{json}");
    let row = &json["rows"][0];
    assert_eq!([&row["dataset"], &row["model"], &row["finding"]], ["movies", "Boost (paper, trees=1)", "identical"]);
    assert!(row["was"] == row["is"] && row["change"] == 0.0 && row["p"].is_null(), "{row}");
    // Values that the run does not reach.
    let file = home.join("results/baselines/tiny.csv");
    let baseline = std::fs::read_to_string(&file).unwrap();
    let raised: Vec<String> = baseline
        .lines()
        .map(|line| {
            let mut cells: Vec<&str> = line.split(',').collect();
            match cells.iter().position(|cell| *cell == "auc_roc") {
                Some(at) => {
                    cells[at + 3] = "1";
                    cells.join(",")
                }
                None => line.to_owned(),
            }
        })
        .collect();
    std::fs::write(&file, raised.join("\n") + "\n").unwrap();
    let (code, json) = check(&[]);
    assert_eq!((code, &json["verdict"]), (Some(5), &"regressed".into()), "{json}");
    let regressed = json["rows"].as_array().unwrap().iter().find(|row| row["finding"] == "regressed").unwrap();
    assert!(
        regressed["change"].as_f64() < Some(-0.01) && regressed["folds"] == serde_json::json!([1, 2]),
        "{regressed}"
    );
    // An expected mean that differs is another verdict.
    std::fs::write(&file, baseline).unwrap();
    let spec = std::fs::read_to_string(home.join("results/runs/tiny/spec.toml")).unwrap();
    std::fs::write(home.join("results/runs/tiny/spec.toml"), format!("{spec}\n{EXPECTED}")).unwrap();
    let (code, json) = check(&[]);
    assert_eq!((code, &json["verdict"]), (Some(5), &"differs-from-expected".into()), "{json}");
    assert_eq!(json["expected"][0]["finding"], "differs-from-expected", "{json}");
    let (code, out, err) = lrbm(home, &["check", "tiny"]);
    assert!(code == Some(5) && out.contains("failed (differs from [expected])"), "{out}");
    assert!(err.starts_with("differs from [expected]: tiny: nothing regressed"), "{err}");
}

#[test]
fn descriptions_of_datasets_are_printed_as_json() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let info = |args: &[&str]| -> Value {
        serde_json::from_str(&succeeds(home, &[&["datasets", "info", "--json"], args].concat())).unwrap()
    };
    let generated = info(&["movies", "--noise", "0.1"]);
    assert_eq!([&generated["id"], &generated["generated"]["noise"]], [&Value::from("movies"), &Value::from(0.1)]);
    assert_eq!(generated["folds"].as_array().unwrap().len(), 5, "{generated}");
    succeeds(home, &["datasets", "generate", "movies", "--noise", "0.1", "--out", "own", "-q"]);
    let own = info(&["own", "--target", "workedunder"]);
    // The same data under the same names.
    for name in ["positives", "listed_negatives", "facts"] {
        assert!(generated[name].as_u64() > Some(0) && generated[name] == own[name], "{name}: {generated} {own}");
    }
    let counts = |object: &Value| -> Vec<(String, u64)> {
        let all = object["predicates"].as_array().unwrap().iter();
        let mut all: Vec<_> =
            all.map(|row| (row["predicate"].as_str().unwrap().to_owned(), row["facts"].as_u64().unwrap())).collect();
        all.sort();
        all
    };
    assert_eq!(counts(&generated), counts(&own));
    assert!(own["folds"][0].get("fold").is_some() && generated["folds"][0].get("fold").is_some());
}

/// A line that ends within a sentence must be full: its break is the terminal's, not the text's.
#[test]
fn help_texts_wrap_once() {
    let home = tempfile::tempdir().unwrap();
    let commands = [
        &["run"][..],
        &["run-job"],
        &["plan"],
        &["report"],
        &["compare"],
        &["check"],
        &["convert"],
        &["explain"],
        &["predict"],
        &["completions"],
        &["datasets", "export"],
        &["datasets", "import"],
        &["datasets", "info"],
    ];
    for command_line in commands {
        for width in [72, 100] {
            let mut process = command(home.path());
            process.args(command_line).arg("--help").env("COLUMNS", width.to_string());
            let help = String::from_utf8(process.output().unwrap().stdout).unwrap();
            let lines: Vec<&str> = help.lines().collect();
            for pair in lines.windows(2) {
                let continues =
                    pair[1].starts_with(char::is_lowercase) && !pair[0].is_empty() && !pair[0].starts_with(' ');
                let word = pair[1].split(' ').next().unwrap().chars().count();
                let is_full = pair[0].chars().count() + 1 + word > width;
                assert!(!continues || is_full, "{command_line:?} in {width} columns: {pair:#?}");
            }
        }
    }
}

#[test]
fn drawings_merge_equal_rules_and_show_the_strongest() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeeds(home, &["datasets", "generate", "university", "--noise", "0.15", "--out", "uni", "-q"]);
    let train = ["train", "-q", "--data", "uni", "--target", "advisedby", "--preset", "lookahead", "--out", "m.json"];
    succeeds(home, &[&train[..], &["--set", "trees=12", "--set", "max_leaves=8"]].concat());
    let printed = succeeds(home, &["convert", "--model", "m.json", "--svg", "n.svg"]);
    assert!(printed.contains("n.svg: a drawing of the 12 strongest of "), "{printed}");
    let numbers = || -> Vec<usize> {
        let svg = std::fs::read_to_string(home.join("n.svg")).unwrap();
        let texts =
            svg.split("<text ").skip(1).filter_map(|text| text.split('>').nth(1)?.split_once(": ")?.0.parse().ok());
        texts.collect()
    };
    assert_eq!(numbers(), (1..=12).collect::<Vec<_>>());
    succeeds(home, &["convert", "--model", "m.json", "--svg", "n.svg", "--top", "3"]);
    assert_eq!(numbers(), [1, 2, 3]);
    // As many rules as the merged network has, with the numbers that `explain` prints.
    succeeds(home, &["convert", "--model", "m.json", "--svg", "n.svg", "--top", "100000"]);
    let described = succeeds(home, &["explain", "--model", "m.json"]);
    let rules = described.lines().filter(|line| line.starts_with("% ") && line.contains(": c=")).count();
    assert!(rules > 12, "{described}");
    assert_eq!(numbers().len(), rules);
}

/// Collects the names of fields, without those that come from data.
fn fields(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                names.push(name.clone());
                if !["metrics", "undefined", "examples", "variant", "published", "counts"].contains(&name.as_str()) {
                    fields(value, names);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| fields(value, names)),
        _ => {}
    }
}

#[test]
fn every_field_is_documented() {
    let page = include_str!("../../docs/src/programs.md");
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    std::fs::write(home.join("tiny.toml"), TINY.replace("[sweep]\ntrees = [1, 2]\n", "")).unwrap();
    succeeds(home, &["train", "-q", "--data", "movies", "--set", "trees=2", "--out", "m.json"]);
    succeeds(home, &["datasets", "generate", "movies", "--out", "own", "-q"]);
    let events = succeeds(home, &["run", "tiny.toml", "--json-events"]);
    succeeds(home, &["check", "tiny", "--bless", "-q"]);
    let objects: [&[&str]; 5] = [
        &["predict", "--data", "movies", "--model", "m.json", "--json"],
        &["datasets", "info", "movies", "--json"],
        &["datasets", "info", "own", "--target", "workedunder", "--json"],
        &["check", "tiny", "--json"],
        &["compare", "tiny", "tiny", "--json"],
    ];
    let objects = objects.map(|args| succeeds(home, args));
    for text in objects.iter().map(String::as_str).chain(events.lines()) {
        let mut names = Vec::new();
        fields(&serde_json::from_str(text).unwrap(), &mut names);
        assert!(names.len() > 1, "{text}");
        for name in names {
            assert!(page.contains(&format!("`{name}`")), "{name} of {text}");
        }
    }
}
