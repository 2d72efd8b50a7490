//! `lrbm explain` as users run it.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::common::program::{rejected, succeeds};

/// Colleagues share a town and a topic: as rules of a network, and as trees learned from examples.
fn staff() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("staff");
    fs::create_dir(&data).unwrap();
    let people = ["ann", "ben", "cid", "dee", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "leo"];
    let topics = ["logic", "trees", "nets", "ethics"];
    let (mut facts, mut pos, mut neg) = (String::new(), String::new(), String::new());
    // Three towns of four people; each person has two topics.
    let has = |i: usize| [topics[i % 4], topics[(i * i + 1) % 4]];
    for (i, person) in people.iter().enumerate() {
        facts += &format!("town({person}, {}).\n", ["rome", "oslo", "lima"][i / 4]);
        has(i).iter().for_each(|topic| facts += &format!("topic({person}, {topic}).\n"));
        for (k, other) in people.iter().enumerate().skip(i + 1) {
            let together = i / 4 == k / 4 && has(i).iter().any(|topic| has(k).contains(topic));
            let file = if together { &mut pos } else { &mut neg };
            *file += &format!("together({person}, {other}).\n");
        }
    }
    let modes = "mode: town(+person, -town).\nmode: topic(+person, -topic).\nmode: together(+person, +person).\n";
    for (name, text) in [("facts", facts.as_str()), ("pos", &pos), ("neg", &neg), ("bk", modes)] {
        fs::write(data.join(format!("{name}.txt")), text).unwrap();
    }
    let rules = "-1.5 together(_, _).\n5 together(A, B) :- town(A, C), town(B, C), topic(A, D), topic(B, D).\n\
        -1 together(A, B) :- not (town(A, C), town(B, C)).\n";
    fs::write(home.path().join("rules.txt"), rules).unwrap();
    succeeds(home.path(), &["convert", "--rules", "rules.txt", "--out", "network.json"]);
    home
}

const ASK: [&str; 6] = ["explain", "--model", "network.json", "--data", "staff", "--query"];

fn ask<'a>(query: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&ASK[..], &[query], more].concat()
}

#[test]
fn explanation_matches_hand_computation() {
    let home = staff();
    let output = succeeds(home.path(), &ask("together(ann, cid)", &[]));
    // Ann works on logic and trees, cid on nets and trees: the first shared topic in fact order is
    // trees.
    let expected = "\
together(ann, cid): true, probability of true 0.970688
in the data it is a positive example

    -1.5000  bias, without any rule
    +5.0000  rule 1: together(A, B) :- town(A, C), town(B, C), topic(A, D), topic(B, D)
             with A = ann, B = cid, C = rome, D = trees
             since town(ann, rome), town(cid, rome), topic(ann, trees), topic(cid, trees)
    +3.5000  = psi, the log-odds of true against false
1 of 2 rules hold

each of these changes flips the decision:
  without town(ann, rome), probability of true 0.075858: false
  without town(cid, rome), probability of true 0.075858: false
  without topic(ann, trees), probability of true 0.182426: false
  without topic(cid, trees), probability of true 0.182426: false
4 changes tried
";
    assert_eq!(output, expected);
    let output = succeeds(home.path(), &ask("together(ann,eve).", &[]));
    assert!(output.contains("ruled out: no grounding of town(ann, C), town(eve, C)\n"), "{output}");
    assert!(output.contains("with town(ann, oslo), probability of true 0.970688: true\n"), "{output}");
    // The threshold comes from the command line.
    let output = succeeds(home.path(), &ask("together(ann, cid)", &["--threshold", "0.99", "--tries", "0"]));
    assert!(
        output.starts_with("together(ann, cid): false, probability of true 0.970688\ntrue is predicted above 0.99\n")
    );
    assert!(output.ends_with("no single-fact change was tried\n"), "{output}");
    let output = succeeds(home.path(), &ask("together(ann, cid)", &["--top", "0"]));
    assert!(output.contains("    +5.0000  1 more rules: --top shows more\n"), "{output}");
}

#[test]
fn explanations_sum_to_the_score_for_every_kind() {
    let home = staff();
    for kind in ["lrbm-boost", "lrbm-noboost", "lrbm-explainable", "rdn-boost"] {
        succeeds(home.path(), &["train", "--data", "staff", "--target", "together", "--kind", kind, "--out", "m.json"]);
        let scores = ["predict", "--model", "m.json", "--data", "staff", "--out", "scores.csv"];
        succeeds(home.path(), &scores);
        let scores = fs::read_to_string(home.path().join("scores.csv")).unwrap();
        for (query, positive) in [("together(ann,cid)", true), ("together(ann,eve)", false)] {
            let args = ["explain", "--model", "m.json", "--data", "staff", "--json", "--query", query];
            let json = succeeds(home.path(), &args);
            assert_eq!(json, succeeds(home.path(), &args), "the same bytes");
            let output: serde_json::Value = serde_json::from_str(&json).unwrap();
            let line = scores.lines().find(|line| line.contains(query)).unwrap();
            let predicted: f64 = line.rsplit(',').next().unwrap().parse().unwrap();
            let explained = output["classes"][1]["probability"].as_f64().unwrap();
            assert!((predicted - explained).abs() < 1e-12, "{kind}: {predicted} {explained}");
            assert!(output["model"]["difference"].as_f64().unwrap() < 1e-12);
            assert_eq!(output["decision"], if predicted > 0.5 { "true" } else { "false" }, "{kind}");
            let adds: f64 = output["rules"].as_array().unwrap().iter().map(|rule| rule["adds"].as_f64().unwrap()).sum();
            let psi = output["psi"].as_f64().unwrap();
            assert!((output["before"].as_f64().unwrap() + adds - psi).abs() < 1e-12, "{kind}");
            assert!((explained - 1.0 / (1.0 + (-psi).exp())).abs() < 1e-12, "{kind}");
            assert_eq!(output["example"], if positive { "positive" } else { "negative" });
        }
        // The rules alone, the strongest first, and the trees unchanged.
        let rules = succeeds(home.path(), &["explain", "--model", "m.json"]);
        assert!(rules.contains("% 1: c="), "{kind}: {rules}");
        let trees = succeeds(home.path(), &["explain", "--model", "m.json", "--trees"]);
        assert!(trees.starts_with(&format!("% {kind} for together/2")), "{trees}");
    }
}

#[test]
fn html_page_is_self_contained_and_escaped() {
    let home = staff();
    let evil = "\"<script>alert(1)</script>\"";
    let facts = home.path().join("staff/facts.txt");
    let text = fs::read_to_string(&facts).unwrap() + &format!("town({evil}, rome). topic({evil}, trees).\n");
    fs::write(&facts, text).unwrap();
    succeeds(home.path(), &ask(&format!("together({evil}, ann)"), &["--html", "page.html"]));
    let html = fs::read_to_string(home.path().join("page.html")).unwrap();
    assert!(!html.contains("<script"), "{html}");
    assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
    // One rule is active; the other is drawn faintly.
    // Once for wide and once for narrow screens.
    assert_eq!(html.matches("<g opacity=\"0.2\"").count(), 2, "{html}");
    for word in ["http://", "https://"] {
        let outside = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.contains(word), "{html}");
    }
}

#[test]
fn importance_gives_a_table_a_file_and_a_figure() {
    let home = staff();
    let args = ["explain", "--model", "network.json", "--data", "staff", "--importance"];
    let table = succeeds(home.path(), &[&args[..], &["--csv", "i.csv", "--svg", "i.svg"]].concat());
    assert!(table.contains("AUC-ROC 1.000000"), "{table}");
    assert!(table.contains("town/2") && table.contains("2: together(A, B) :- not (town(A, C), town(B, C))"), "{table}");
    let csv = fs::read_to_string(home.path().join("i.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 + 2, "{csv}");
    assert!(fs::read_to_string(home.path().join("i.svg")).unwrap().starts_with("<svg "));
    let json: serde_json::Value =
        serde_json::from_str(&succeeds(home.path(), &[&args[..], &["--json"]].concat())).unwrap();
    assert_eq!(json["rules"].as_array().unwrap().len(), 2);
    // Both rules use town, so permuting it leaves nothing to rank by.
    assert_eq!(json["predicates"][0]["name"], "town/2");
    assert!((json["predicates"][0]["auc_roc_drop"].as_f64().unwrap() - 0.5).abs() < 1e-12);
}

#[test]
fn queries_need_facts_only() {
    let home = staff();
    let guests = home.path().join("guests");
    fs::create_dir(&guests).unwrap();
    fs::write(guests.join("facts.txt"), "town(mia, rome). town(ned, rome). topic(mia, logic).\n").unwrap();
    let output = succeeds(
        home.path(),
        &["explain", "--model", "network.json", "--data", "guests", "--query", "together(mia, ned)"],
    );
    assert!(output.contains("  with topic(ned, logic), probability of true 0.970688: true\n"), "{output}");
    let no_town = "topic(mia, logic). topic(ned, logic).\n";
    fs::write(guests.join("facts.txt"), no_town).unwrap();
    let output = succeeds(
        home.path(),
        &["explain", "--model", "network.json", "--data", "guests", "--query", "together(mia, ned)"],
    );
    assert!(output.contains("ruled out: no grounding of town(mia, C), town(ned, C)"), "{output}");
}

#[test]
fn invalid_queries_are_rejected_with_help() {
    let home = staff();
    for (query, words) in [
        ("togehter(ann, ben)", ["the model predicts together/2, got togehter", "write `together(…, …)`"]),
        ("town(ann, rome)", ["the model predicts together/2, got town", "write `together(…, …)`"]),
        ("together(ann)", ["together has 2 arguments, got 1", "write `together(…, …)`"]),
        ("together(ann, ", ["--query:1:15: error[query]: the query ends too early", "help: "]),
        ("together(ann ben)", ["expected `,` or `)`, found `ben`", "quote a constant"]),
        ("together(X, ben)", ["a query must be ground, got the variable `X`", "quote a constant of this name: \"X\""]),
        ("together(f(X), ben)", ["the variable `X`", "quote a constant of this name: \"X\""]),
        ("together(ann, benn)", ["unknown constant `benn`, argument 2", "did you mean `ben`? use --allow-unknown"]),
        ("together(ann, 7)", ["unknown constant `7`, argument 2", "use --allow-unknown to query it anyway"]),
    ] {
        let output = rejected(home.path(), &ask(query, &[]));
        assert!(words.iter().all(|word| output.contains(word)), "{query}: {output}");
    }
    // An unknown constant may be queried; it has no facts.
    let output = succeeds(home.path(), &ask("together(ann, benn)", &["--allow-unknown"]));
    assert!(output.starts_with("together(ann, benn): false, "), "{output}");
    // A capitalized name is a constant if the data have it.
    let facts: PathBuf = home.path().join("staff/facts.txt");
    fs::write(&facts, fs::read_to_string(&facts).unwrap() + "town(\"Zoe\", rome). topic(\"Zoe\", trees).\n").unwrap();
    assert!(succeeds(home.path(), &ask("together(ann, Zoe)", &[])).starts_with("together(ann, \"Zoe\"): true, "));
}

#[test]
fn incompatible_options_are_rejected() {
    let home = staff();
    let model = ["explain", "--model", "network.json"];
    for (more, words) in [
        (&["--query", "together(ann, ben)"][..], "give their directory with --data"),
        (&["--importance"], "give their directory with --data"),
        (&["--data", "staff"], "--query 'p(a, b)' or --importance"),
        (&["--html", "x.html"], "--html needs --query"),
        (&["--data", "staff", "--importance", "--html", "x.html"], "--html needs --query"),
        (&["--svg", "x.svg"], "--csv and --svg need --importance"),
        (&["--json"], "--json needs --query or --importance"),
        (&["--trees"], "the model is a network of rules and has no trees"),
        (&["--data", "staff", "--importance", "--csv", "x", "--svg", "x"], "give each its own"),
        (&["--data", "staff", "--query", "together(ann, ben)", "--threshold", "2"], "from 0 to 1"),
        (&["--data", "nowhere", "--query", "together(ann, ben)"], "no such directory"),
    ] {
        let output = rejected(home.path(), &[&model[..], more].concat());
        assert!(output.contains(words), "{more:?}: {output}");
    }
    let network = fs::read_to_string(home.path().join("network.json")).unwrap();
    let wide = network.replacen("\"arity\": 2", "\"arity\": 4000000000", 1);
    fs::write(home.path().join("wide.json"), wide).unwrap();
    let output = rejected(home.path(), &["explain", "--model", "wide.json"]);
    assert!(output.contains("wide.json: not a network: arity must be at most 9999, got 4000000000"), "{output}");
    let later = network.replace("\"version\": 1", "\"version\": 7");
    fs::write(home.path().join("later.json"), later).unwrap();
    let output = rejected(home.path(), &["explain", "--model", "later.json"]);
    assert!(output.contains("version 7") && output.contains("use a newer lrbm"), "{output}");
}

#[test]
fn count_models_report_contributions_of_clauses() {
    let home = staff();
    let home = home.path();
    succeeds(
        home,
        &["-q", "train", "--data", "staff", "--target", "together", "--kind", "mln-boost", "--out", "m.json"],
    );
    let clauses = succeeds(home, &["explain", "--model", "m.json"]);
    assert!(clauses.starts_with("% mln-boost for together/2") && clauses.contains(":- "), "{clauses}");
    let ask = ["-q", "explain", "--model", "m.json", "--data", "staff", "--query", "together(ann, eve)"];
    let output = succeeds(home, &ask);
    assert!(output.starts_with("together(ann,eve): false, probability of true 0."), "{output}");
    assert!(output.contains("in the data it is a negative example") && output.contains("= psi"), "{output}");
    // Contributions sum to ψ, and the probability equals that of predict.
    let json: serde_json::Value = serde_json::from_str(&succeeds(home, &[&ask[..], &["--json"]].concat())).unwrap();
    let added: f64 = json["clauses"].as_array().unwrap().iter().map(|clause| clause["adds"].as_f64().unwrap()).sum();
    let number = |key: &str| json[key].as_f64().unwrap();
    assert!((number("prior") + added - number("psi")).abs() < 1e-9, "{json}");
    assert!((1.0 / (1.0 + (-number("psi")).exp()) - number("probability")).abs() < 1e-12, "{json}");
    for (flags, message) in [
        (&["explain", "--model", "m.json", "--trees"][..], "clauses whose groundings are counted, and no trees"),
        (
            &["explain", "--model", "m.json", "--data", "staff", "--importance"],
            "--importance supports trees and networks only",
        ),
        (&["convert", "--model", "m.json", "--out", "n.json"], "it counts groundings"),
    ] {
        let error = rejected(home, flags);
        assert!(error.contains(message), "{error}");
    }
}
