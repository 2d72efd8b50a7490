//! Output for programs and shells: JSON, completions, width of the terminal.

use serde_json::Value;

use crate::common::program::{command, succeeds};

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
    assert!(table_lines(&wide).iter().any(|&width| width > 60), "{wide}");
    assert!(table_lines(&narrow).iter().all(|&width| width <= 60), "{narrow}");
    assert!(table_lines(&narrow).len() > table_lines(&wide).len());
    // The best of a row is marked, and the caption says so.
    assert!(wide.contains(" *") && wide.contains("Best of a row marked *") && !wide.contains("bold"), "{wide}");
}
