//! Own data in specs: directories relative to the spec, given and random folds, drawn negatives.

use std::fs;
use std::path::Path;

use crate::common::program::{lrbm, rejected, succeeds};

/// Writes a generated domain and returns the lines of its files: positives, negatives, facts and
/// background.
fn movies(home: &Path) -> [Vec<String>; 4] {
    succeeds(home, &["datasets", "generate", "movies", "--out", "movies"]);
    ["pos", "neg", "facts", "bk"].map(|kind| {
        let text = fs::read_to_string(home.join(format!("movies/train_{kind}.txt"))).unwrap();
        text.lines().map(str::to_owned).collect()
    })
}

fn write(path: &Path, lines: &[String]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

/// Writes `train` and `test` into a directory; the background stays apart.
fn write_sides(directory: &Path, [positives, negatives, facts, _]: &[Vec<String>; 4], folds: usize, fold: usize) {
    for (side, is_test) in [("train", false), ("test", true)] {
        let of = |lines: &[String]| -> Vec<String> {
            let here = |&(i, _): &(usize, &String)| (i % folds == fold) == is_test;
            lines.iter().enumerate().filter(here).map(|(_, line)| line.clone()).collect()
        };
        write(&directory.join(format!("{side}/{side}_pos.txt")), &of(positives));
        write(&directory.join(format!("{side}/{side}_neg.txt")), &of(negatives));
        write(&directory.join(format!("{side}/{side}_facts.txt")), facts);
    }
}

fn spec(own: &str) -> String {
    format!(
        "name = \"own\"\nseed = 3\ndatasets = [\"mine\"]\n\n[dataset.mine]\n{own}\n\n\
         [[model]]\nname = \"Boost\"\nkind = \"lrbm-boost\"\ntrees = 2\n"
    )
}

/// Returns the distinct values of a column of `metrics.csv`.
fn column(home: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(home.join("results/runs/own/metrics.csv")).unwrap();
    let mut lines = text.lines();
    let place = lines.next().unwrap().split(',').position(|known| known == name).unwrap();
    lines.map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
}

#[test]
fn paths_are_relative_to_the_spec() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    movies(home);
    fs::create_dir_all(home.join("project/specs")).unwrap();
    fs::create_dir_all(home.join("elsewhere")).unwrap();
    fs::rename(home.join("movies"), home.join("project/mine")).unwrap();
    let text = spec("path = \"../mine\" # own data\nfolds = 2");
    fs::write(home.join("project/specs/own.toml"), &text).unwrap();
    let away = home.join("elsewhere");
    let planned = succeeds(&away, &["plan", "../project/specs/own.toml", "--quiet"]);
    assert!(planned.contains("2 to do"), "{planned}");
    succeeds(&away, &["run", "../project/specs/own.toml", "--quiet", "--out", "run"]);
    // The stored spec is the same text with an absolute path, so that it works from anywhere.
    let stored = fs::read_to_string(away.join("run/spec.toml")).unwrap();
    assert!(stored.contains("mine\" # own data\nfolds = 2") && !stored.contains("path = \"../mine\""), "{stored}");
    succeeds(home, &["report", "elsewhere/run", "--quiet"]);
    let again = succeeds(home, &["plan", "elsewhere/run/spec.toml", "--out", "elsewhere/run"]);
    assert!(again.contains("2 done"), "{again}");
    let again = succeeds(home, &["plan", "project/specs/own.toml", "--out", "elsewhere/run"]);
    assert!(again.contains("2 done"), "{again}");
    // Isolated jobs and tasks of a cluster find the data, too.
    succeeds(&away, &["run", "../project/specs/own.toml", "--quiet", "--out", "apart", "--set", "isolate=true"]);
    let commands = succeeds(&away, &["plan", "../project/specs/own.toml", "--out", "task", "--format", "commands"]);
    for line in commands.lines() {
        let args: Vec<&str> = line.split_whitespace().skip(1).collect();
        succeeds(home, &args);
    }
    assert!(commands.contains("run-job"), "{commands}");
    let models = |run: &str| fs::read(away.join(run).join("jobs/mine/Boost/default/fold2-seed3/model.json")).unwrap();
    assert!(models("run") == models("apart") && models("run") == models("task"));
    // On the command line, a path is relative to the current directory.
    let set = ["--set", "dataset.mine.path=project/mine", "--out", "elsewhere/run"];
    let again = succeeds(home, &[&["plan", "project/specs/own.toml"][..], &set].concat());
    assert!(again.contains("2 done"), "{again}");
    // Data that are gone concern neither the report nor the stored results.
    fs::rename(home.join("project/mine"), home.join("gone")).unwrap();
    succeeds(home, &["report", "elsewhere/run", "--quiet"]);
    let said = rejected(home, &["plan", "project/specs/own.toml"]);
    assert!(said.contains("dataset.mine.path") && said.contains("no such directory"), "{said}");
}

#[test]
fn given_folds_and_both_sides_are_read() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let lines = movies(home);
    // `train` and `test` with one background file above them.
    write_sides(&home.join("data/sides"), &lines, 3, 0);
    write(&home.join("data/sides/sides_bk.txt"), &lines[3]);
    // Folds that share a background file outside of the data.
    for fold in 0..3 {
        write_sides(&home.join(format!("data/folds/fold{}", fold + 1)), &lines, 3, fold);
    }
    write(&home.join("data/modes.txt"), &lines[3]);
    for (own, folds) in [
        ("path = \"data/sides\"", 1),
        ("path = \"data/folds\"\nbackground = \"data/modes.txt\"\ntarget = \"workedunder\"", 3),
        ("path = \"data/folds\"\nbackground = \"data/modes.txt\"\nfolds = 3\nfold_scheme = \"given\"", 3),
    ] {
        fs::write(home.join("own.toml"), spec(own)).unwrap();
        let planned = succeeds(home, &["plan", "own.toml"]);
        assert!(planned.contains(&format!("{folds} to do")), "{own}: {planned}");
        succeeds(home, &["run", "own.toml", "--fresh", "--quiet"]);
        let tested: u32 = column(home, "test_positives").iter().map(|n| n.parse::<u32>().unwrap()).sum();
        assert_eq!(tested, if folds == 1 { 84 } else { 250 });
        assert!(column(home, "test_negatives_drawn").iter().all(|n| n == "0"));
    }
    // The same examples by hand.
    let fold = ["--data", "data/folds", "--fold", "2", "--seed", "3", "--background", "data/modes.txt"];
    let train = ["train", "-q", "--target", "workedunder", "--set", "trees=2", "--out", "model.json"];
    succeeds(home, &[&train[..], &fold].concat());
    let read = |path: &str| fs::read(home.join(path)).unwrap();
    assert!(read("model.json") == read("results/runs/own/jobs/mine/Boost/default/fold2-seed3/model.json"));
    // `info` and `lint` know the layouts.
    for command in ["info", "lint"] {
        let said = succeeds(home, &["datasets", command, "data/sides"]);
        assert!(said.contains("1 fold,"), "{said}");
        let said = succeeds(home, &["datasets", command, "data/folds", "--background", "data/modes.txt"]);
        assert!(said.contains("3 folds"), "{said}");
    }
    // Without a fold, the error names the layout.
    let said = rejected(home, &["train", "--data", "data/sides", "--target", "workedunder", "--out", "model.json"]);
    assert!(said.contains("has folds instead of example files; select one with --fold K"), "{said}");
    // A number of folds that differs.
    fs::write(home.join("own.toml"), spec("path = \"data/sides\"\nfolds = 5")).unwrap();
    let said = rejected(home, &["plan", "own.toml"]);
    assert!(said.contains("the data have 1 given fold; omit the number, or write 1"), "{said}");
}

#[test]
fn incomplete_and_misnumbered_folds_are_errors() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let lines = movies(home);
    for fold in 0..3 {
        write_sides(&home.join(format!("folds/fold{}", fold + 1)), &lines, 3, fold);
    }
    write(&home.join("folds/bk.txt"), &lines[3]);
    fs::write(home.join("own.toml"), spec("path = \"folds\"")).unwrap();
    assert!(succeeds(home, &["plan", "own.toml"]).contains("3 to do"));
    let path = |name: &str| home.join("folds").join(name);
    for (from, to, expected) in [
        ("fold2/test", "fold2/tset", "folds/fold2/test: no such directory; every fold has `train` and `test`"),
        ("fold2/train", "fold2/tarin", "folds/fold2/train: no such directory"),
        ("fold2", "fold_1", "folds/fold1 and "),
        ("fold2", "second", "folds: fold 2 is missing before "),
        ("fold1", "fold7", "folds: fold 1 is missing before "),
    ] {
        fs::rename(path(from), path(to)).unwrap();
        for command in [
            &["plan", "own.toml"][..],
            &["datasets", "lint", "folds"],
            &["datasets", "info", "folds"],
            &["train", "--data", "folds", "--fold", "1", "--target", "workedunder", "--out", "model.json"],
        ] {
            let said = rejected(home, command);
            assert!(said.contains(expected), "{command:?}: {said}");
        }
        fs::rename(path(to), path(from)).unwrap();
    }
    // Folds may be numbered from 0, and files with such a name are none.
    fs::rename(path("fold3"), path("fold0")).unwrap();
    write(&path("fold9"), &[]);
    assert!(succeeds(home, &["plan", "own.toml"]).contains("3 to do"));
}

#[test]
fn a_misnamed_background_file_above_folds_is_named() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let lines = movies(home);
    write_sides(&home.join("sides"), &lines, 3, 0);
    write_sides(&home.join("folds/fold1"), &lines, 3, 0);
    for (data, file, expected) in [
        ("sides", "sides/plants_bk.txt", "rename it to sides_bk.txt"),
        ("folds", "folds/plants_bk.txt", "rename it to folds_bk.txt"),
        ("folds", "folds/fold1/plants_bk.txt", "rename it to fold1_bk.txt"),
    ] {
        write(&home.join(file), &lines[3]);
        fs::write(home.join("own.toml"), spec(&format!("path = \"{data}\""))).unwrap();
        for command in [&["run", "own.toml"][..], &["datasets", "lint", data]] {
            let said = rejected(home, command);
            assert!(said.contains(&format!("{file}: this background file is not read")), "{said}");
            assert!(said.contains(expected), "{said}");
        }
        fs::remove_file(home.join(file)).unwrap();
    }
    // A file that is read stands for all others.
    write(&home.join("sides/plants_bk.txt"), &lines[3]);
    write(&home.join("sides/bk.txt"), &lines[3]);
    succeeds(home, &["datasets", "lint", "sides"]);
}

#[test]
fn drawn_negatives_are_announced_and_counted() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let [_, negatives, ..] = movies(home);
    // 13 folds of 250 positives and 500 negatives: some folds lack a negative, which is not drawn.
    write(&home.join("movies/train_neg.txt"), &negatives[..500]);
    fs::write(home.join("own.toml"), spec("path = \"movies\"\nfolds = 13")).unwrap();
    let (code, _, said) = lrbm(home, &["run", "own.toml"]);
    assert!(code == Some(0) && !said.contains("drawn"), "{said}");
    assert!(column(home, "train_negatives_drawn").iter().all(|n| n == "0"));
    assert!(!succeeds(home, &["datasets", "lint", "movies"]).contains("draws"));
    // Fewer listed ones than two per positive.
    write(&home.join("movies/train_neg.txt"), &negatives[..100]);
    let message = "400 of the 500 negatives are drawn under the closed-world assumption; 100 listed ones are used for 250 positives";
    let (code, _, said) = lrbm(home, &["run", "own.toml"]);
    assert!(code == Some(0) && said.contains(message), "{said}");
    let sum = |name: &str| column(home, name).iter().map(|n| n.parse::<u32>().unwrap()).sum::<u32>();
    assert_eq!((sum("test_negatives_drawn"), sum("train_negatives_drawn")), (400, 12 * 400));
    let (_, said, warned) = lrbm(home, &["datasets", "info", "./movies", "--folds", "13"]);
    assert!(said.contains("negatives  listed-then-closed-world") && warned.contains(message), "{said}{warned}");
    let said = succeeds(home, &["datasets", "lint", "movies"]);
    assert!(said.contains("`lrbm run` draws 400 negatives"), "{said}");
    let fold = ["train", "--data", "movies", "--fold", "1", "--target", "workedunder", "--out", "model.json"];
    let (_, _, said) = lrbm(home, &fold);
    assert!(said.contains("of the negatives drawn"), "{said}");
    // None are drawn on request, and all are without the list.
    for (negatives, drawn) in [("listed", 0), ("closed-world", 500), ("listed-then-closed-world", 400)] {
        let own = format!("path = \"movies\"\nfolds = 13\nnegatives = \"{negatives}\"");
        fs::write(home.join("own.toml"), spec(&own)).unwrap();
        let (code, _, said) = lrbm(home, &["run", "own.toml"]);
        assert_eq!((code, said.contains("are drawn")), (Some(0), drawn > 0), "{negatives}: {said}");
        assert_eq!(sum("test_negatives_drawn"), drawn, "{negatives}");
    }
    // A page shows the counts.
    succeeds(home, &["report", "results/runs/own", "--quiet"]);
    let page = fs::read_to_string(home.join("results/runs/own/report.html")).unwrap();
    assert!(page.contains("of these drawn"));
}

#[test]
fn the_choices_of_own_data_change_job_ids() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    movies(home);
    let modes = fs::read_to_string(home.join("movies/train_bk.txt")).unwrap();
    fs::write(home.join("fewer.txt"), modes.replace("mode: female", "// mode: female")).unwrap();
    let ids = |own: &str| {
        fs::write(home.join("own.toml"), spec(own)).unwrap();
        let commands = succeeds(home, &["plan", "own.toml", "--format", "commands", "--out", "ids"]);
        commands.split_whitespace().skip(3).map(str::to_owned).collect::<Vec<_>>()
    };
    let plain = ids("path = \"movies\"");
    for same in ["path = \"./movies\"", "id = \"movies/\"", "path = \"movies\"\nfolds = 5"] {
        assert_eq!(ids(same), plain, "{same}");
    }
    for other in ["target = \"workedunder\"", "negatives = \"listed\"", "background = \"fewer.txt\"", "folds = 4"] {
        let other = ids(&format!("path = \"movies\"\n{other}"));
        assert!(other.iter().all(|id| !plain.contains(id)), "{other:?}");
    }
    // A change of the target is named.
    fs::write(home.join("own.toml"), spec("path = \"movies\"")).unwrap();
    succeeds(home, &["run", "own.toml", "--quiet"]);
    let said = succeeds(home, &["plan", "own.toml", "--set", "dataset.mine.target=workedunder"]);
    assert!(said.contains("target default → workedunder"), "{said}");
}

#[test]
fn invalid_choices_are_rejected() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    movies(home);
    fs::write(home.join("table.csv"), "a,b\n1,2\n").unwrap();
    for (own, message) in [
        (
            "path = \"none\"",
            "no such directory; expected a directory with example and fact files, or with folds of them",
        ),
        ("path = \"table.csv\"", "a table, not a directory: `lrbm datasets import` converts tables"),
        ("path = \"movies\"\nid = \"imdb\"", "`id` and `path` exclude each other: remove one of them"),
        ("path = \"movies\"\nbackground = \"none.txt\"", "no such file"),
        ("path = \"movies\"\nnegatives = \"both\"", "must be one of"),
        ("path = 3", "must be text in quotes"),
        ("path = \"movies\"\nscale = 2", "only generated domains have this key"),
        ("path = \"movies\"\nevidence = \"all\"", "only published datasets offer several kinds"),
        ("path = \"movies\"\nfold_scheme = \"given\"", "does not support `folds = \"given\"`"),
        ("path = \"movies\"\ntarget = \"worksunder\"", "worksunder"),
        ("id = \"imdb\"\ntarget = \"female\"", "only directories have this key"),
    ] {
        fs::write(home.join("own.toml"), spec(own)).unwrap();
        let said = rejected(home, &["plan", "own.toml"]);
        assert!(said.contains(message), "{own}: {said}");
    }
    let train = ["train", "--data", "movies", "--target", "workedunder", "--out", "model.json"];
    let said = rejected(home, &[&train[..], &["--set", "redraw_negatives=true"]].concat());
    assert!(said.contains("redraw_negatives needs train_negatives"), "{said}");
}
