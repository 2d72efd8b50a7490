//! The page in a browser: no errors, tables sort, links open their targets, nothing overflows.
//!
//! A copy of the page gets a script that exercises it and writes its findings into the page,
//! which Chromium then dumps. Without Chromium the test is skipped. Screenshots are kept in the
//! temporary directory of the build.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::lab::Lab;
use crate::common::program::succeeds;

const BEFORE: &str = r#"<script>
window.found = { errors: [] };
addEventListener("error", (event) => window.found.errors.push(String(event.message)));
addEventListener("securitypolicyviolation", (event) => window.found.errors.push("blocked " + event.blockedURI));
</script>"#;

const AFTER: &str = r##"<script>
(() => {
  const found = window.found;
  const sorted = (table, column) => [...table.tBodies[0].rows].map((row) => Number(row.cells[column].dataset.sort));
  const is = (values, better) => values.every((value, i) => i === 0 || !better(value, values[i - 1]));
  // Question, answer and size are on the first screen, in this order.
  found.first = ["h1", ".lead", ".answer", ".counts"]
    .map((part) => document.querySelector(`header ${part}`).getBoundingClientRect().bottom);
  found.tables = document.querySelectorAll("table.sortable").length;
  const table = document.querySelector("#table-results table");
  const headings = [...table.tHead.rows[0].cells];
  const column = headings.findIndex((heading) => heading.textContent.startsWith("AUC-ROC"));
  const button = headings[column].querySelector("button");
  found.distinct = new Set(sorted(table, column)).size;
  button.focus();
  found.focus = document.activeElement === button;
  button.click();
  found.descending = headings[column].getAttribute("aria-sort");
  found.descendingSorted = is(sorted(table, column), (a, b) => a > b);
  button.click();
  found.ascending = headings[column].getAttribute("aria-sort");
  found.ascendingSorted = is(sorted(table, column), (a, b) => a < b);
  headings[0].querySelector("button").click();
  found.reset = headings[column].getAttribute("aria-sort");
  found.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  found.wideOpen = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  document.querySelectorAll("main details").forEach((details) => { details.open = false; });
  const ground = () => getComputedStyle(document.body).backgroundColor;
  const before = ground();
  document.getElementById("theme").click();
  found.themes = [before, ground()];
  document.getElementById("theme").click();
  found.anchors = [...document.querySelectorAll('a[href^="#"]')]
    .filter((link) => !document.getElementById(decodeURIComponent(link.hash.slice(1)))).length;
  found.broken = window.broken === 1;
  const drawings = [...document.querySelectorAll("figure .drawing")];
  found.figures = drawings.length;
  const inner = (drawing) => drawing.clientWidth - 2 * parseFloat(getComputedStyle(drawing).paddingLeft);
  // On narrow screens figures scroll, so that their letters stay legible.
  const least = innerWidth < 960 ? 38 * 16 : 0;
  found.filled = drawings.every((drawing) =>
    Math.abs(drawing.querySelector("svg").getBoundingClientRect().width - Math.max(inner(drawing), least)) < 2);
  const look = () => getComputedStyle(drawings[0]).filter;
  const light = look();
  document.getElementById("theme").click();
  found.looks = [light, look()].sort();
  document.getElementById("theme").click();
  const jobs = document.querySelector("#jobs details");
  location.hash = "%";
  setTimeout(() => { location.hash = jobs.id; }, 100);
  setTimeout(() => {
    found.opened = jobs.open;
    // The first column stays while a wide table scrolls, and the others move.
    const scroll = document.querySelector("#table-all-metrics .scroll");
    scroll.scrollLeft = 120;
    const left = (cell) => cell.getBoundingClientRect().left - scroll.getBoundingClientRect().left;
    const cells = [...scroll.querySelector("tbody tr").cells];
    found.scrolled = scroll.scrollLeft;
    // A name of a dataset that is wider than half of the table would hide the numbers.
    found.narrow = cells[0].offsetWidth <= scroll.clientWidth / 2;
    found.fixed = found.narrow === (Math.abs(left(cells[0])) < 1);
    found.moved = left(cells[cells.length - 1]) + 1 < cells[cells.length - 1].offsetLeft;
    const report = document.createElement("pre");
    report.id = "found";
    report.textContent = JSON.stringify(found);
    document.body.append(report);
  }, 500);
})();
</script>"##;

fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let directories: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    // Some systems have a stub of that name that only explains how to install the browser.
    let starts = |path: &PathBuf| {
        let version = Command::new(path).arg("--version").stdin(Stdio::null()).output();
        version.is_ok_and(|report| report.status.success() && String::from_utf8_lossy(&report.stdout).contains("Chrom"))
    };
    let all = names.iter().flat_map(|name| directories.iter().map(move |at| at.join(name)));
    all.filter(|path| path.is_file()).find(starts)
}

/// Runs the browser with a time limit, and returns its stdout and stderr.
fn browse(browser: &Path, profile_dir: &Path, page: &Path, args: &[&str]) -> (String, String) {
    let (out, err) = (profile_dir.join("out"), profile_dir.join("err"));
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000"]);
    // Containers often have little shared memory.
    command.arg("--disable-dev-shm-usage");
    command.arg(format!("--user-data-dir={}", profile_dir.join("profile").display()));
    command.args(["--enable-logging=stderr", "--no-first-run"]).args(args).arg(format!("file://{}", page.display()));
    command.stdin(Stdio::null()).stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(240) {
            child.kill().unwrap();
            panic!("the browser does not terminate: {}", fs::read_to_string(&err).unwrap());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let read = |path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    (read(&out), read(&err))
}

/// Returns what the script of a page found in a window of this size.
fn measured(browser: &Path, page: &Path, size: &str) -> Value {
    let profile_dir = tempfile::tempdir().unwrap();
    let (dom, stderr) = browse(browser, profile_dir.path(), page, &["--dump-dom", &format!("--window-size={size}")]);
    let report = dom.rsplit("<pre id=\"found\">").next().and_then(|rest| rest.split("</pre>").next());
    serde_json::from_str(report.unwrap()).unwrap_or_else(|_| panic!("{stderr}"))
}

#[test]
fn page_works_in_a_browser() {
    let Some(browser) = chromium() else {
        eprintln!("skipped: no Chromium on the path");
        return;
    };
    let lab = Lab::run();
    lab.lrbm_ok(&["report", "out"]);
    let page = lab.page();
    let checked =
        page.replacen("<head>", &format!("<head>{BEFORE}"), 1).replacen("</body>", &format!("{AFTER}</body>"), 1);
    let (path, copy) = (lab.path("out/report.html"), lab.path("out/checked.html"));
    fs::write(&copy, checked).unwrap();
    let profile_dir = tempfile::tempdir().unwrap();
    for size in ["1300,900", "500,900"] {
        let (dom, stderr) =
            browse(&browser, profile_dir.path(), &copy, &["--dump-dom", &format!("--window-size={size}")]);
        let console: Vec<&str> = stderr.lines().filter(|line| line.contains("CONSOLE")).collect();
        assert!(console.is_empty(), "{console:#?}");
        let report = dom.split("<pre id=\"found\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        let report = report.unwrap_or_else(|| panic!("the checks did not finish: {stderr}")).replace("&lt;", "<");
        let found: Value = serde_json::from_str(&report.replace("&gt;", ">").replace("&amp;", "&")).unwrap();
        assert_eq!(found["errors"], Value::Array(Vec::new()), "{found}");
        assert_eq!(
            [&found["descending"], &found["ascending"], &found["reset"]],
            ["descending", "ascending", "none"],
            "{found}"
        );
        for good in ["focus", "descendingSorted", "ascendingSorted", "opened", "filled", "fixed", "moved"] {
            assert_eq!(found[good], Value::Bool(true), "{good}: {found}");
        }
        for bad in ["wide", "wideOpen", "broken"] {
            assert_eq!(found[bad], Value::Bool(false), "{bad} at {size}: {found}");
        }
        let first: Vec<f64> = found["first"].as_array().unwrap().iter().map(|at| at.as_f64().unwrap()).collect();
        assert!(first.is_sorted() && first[3] < 900.0, "{size}: {found}");
        assert!(found["figures"].as_u64() > Some(3) && found["scrolled"] == 120, "{found}");
        assert!(size != "1300,900" || found["narrow"] == true, "{found}");
        assert_eq!(found["looks"], serde_json::json!(["invert(0.91) hue-rotate(180deg)", "none"]), "{found}");
        assert!(found["distinct"].as_u64() > Some(2), "nothing to sort: {found}");
        assert_eq!(found["anchors"], 0, "{found}");
        assert_ne!(found["themes"][0], found["themes"][1], "{found}");
    }
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    fs::create_dir_all(&pictures).unwrap();
    // A fresh profile without a chosen theme.
    let profile_dir = tempfile::tempdir().unwrap();
    let dark = "--blink-settings=preferredColorScheme=0";
    for (name, size, theme) in
        [("light", "1300,1600", None), ("dark", "1300,1600", Some(dark)), ("narrow", "500,1600", None)]
    {
        let picture = pictures.join(format!("{name}.png"));
        let (shot, size) = (format!("--screenshot={}", picture.display()), format!("--window-size={size}"));
        let args: Vec<&str> = [shot.as_str(), &size].into_iter().chain(theme).collect();
        let (_, stderr) = browse(&browser, profile_dir.path(), &path, &args);
        assert!(fs::metadata(&picture).is_ok_and(|file| file.len() > 5_000), "{name}: {stderr}");
    }
    let read = |name: &str| fs::read(pictures.join(name)).unwrap();
    assert!(read("light.png") != read("dark.png"), "dark is not dark");
}

/// Measures a page without scripts of its own.
const MEASURE: &str = r##"<script>
const found = {
  wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  drawings: [...document.querySelectorAll(".drawing svg")]
    .map((svg) => svg.getBoundingClientRect()).filter((box) => box.width > 0)
    .map((box) => [box.left >= 0 && box.right <= document.documentElement.clientWidth, box.width]),
  // Height of letters on the screen.
  letters: [...document.querySelectorAll(".drawing svg")].filter((svg) => svg.getBoundingClientRect().width > 0)
    .map((svg) => Number(svg.getAttribute("font-size")) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width),
  legend: [...document.querySelectorAll(".drawing text")].filter((text) => text.getBoundingClientRect().width > 0)
    .some((text) => text.textContent === "rule against the class"),
};
document.body.insertAdjacentHTML("beforeend", `<pre id="found"></pre>`);
document.getElementById("found").textContent = JSON.stringify(found);
</script>"##;

#[test]
fn explanations_fit_wide_and_narrow_screens() {
    let Some(browser) = chromium() else {
        eprintln!("skipped: no Chromium on the path");
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeeds(home, &["datasets", "generate", "university", "--noise", "0.1", "--out", "uni", "-q"]);
    let train = ["train", "-q", "--data", "uni", "--target", "advisedby", "--preset", "lookahead", "--out", "m.json"];
    succeeds(home, &[&train[..], &["--set", "trees=4", "--set", "max_leaves=6"]].concat());
    let first = fs::read_to_string(home.join("uni/train_pos.txt")).unwrap();
    let query = first.lines().next().unwrap().trim_end_matches('.');
    let args = ["explain", "--model", "m.json", "--data", "uni", "--query", query, "--html", "page.html"];
    let printed = succeeds(home, &args);
    assert!(printed.starts_with("wrote page.html\n"), "{printed}");
    assert!(!succeeds(home, &[&args[..], &["--json"]].concat()).contains("wrote"), "an object alone");
    let page = fs::read_to_string(home.join("page.html")).unwrap();
    let copy = home.join("checked.html");
    fs::write(&copy, page.replacen("</body>", &format!("{MEASURE}</body>"), 1)).unwrap();
    for (size, smallest) in [("1300,900", 10.0), ("500,900", 8.0)] {
        let found = measured(&browser, &copy, size);
        assert_eq!(found["wide"], false, "{size}: {found}");
        assert_eq!(found["drawings"].as_array().unwrap().len(), 1, "one drawing is shown: {found}");
        assert_eq!(found["drawings"][0][0], true, "{size}: {found}");
        assert!(found["letters"][0].as_f64() > Some(smallest), "{size}: {found}");
        assert_eq!(found["legend"], true, "{size}: {found}");
    }
}

/// A sweep over two parameters.
const SWEEP: &str = r#"
name = "sweep"
about = "How do the number of trees and their size interact?"
seed = 7
folds = 2
datasets = ["movies", "university"]

[dataset.movies]
noise = 0.2

[dataset.university]
noise = 0.2

[sweep]
trees = [1, 5]
max_leaves = [2, 4, 8]

[[model]]
name = "Boost"
kind = "lrbm-boost"
"#;

const MEASURE_SWEEP: &str = r##"<script>
const svgs = [...document.querySelectorAll("figure .drawing svg")];
const letters = (svg) => [...svg.querySelectorAll("text")]
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width);
const found = {
  wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  heat: [...document.querySelectorAll('figure[id^="figure-heat"]')].map((figure) => figure.textContent),
  lines: document.querySelectorAll('figure[id^="figure-sweep"]').length,
  letters: Math.min(...svgs.flatMap(letters)),
  answer: document.querySelector(".answer").textContent,
  tables: [...document.querySelectorAll("#tables article")].map((table) => table.id),
  more: [...document.querySelectorAll("#more-tables article")].map((table) => table.id),
};
document.body.insertAdjacentHTML("beforeend", `<pre id="found"></pre>`);
document.getElementById("found").textContent = JSON.stringify(found);
</script>"##;

#[test]
fn sweeps_over_two_parameters_have_legible_heat_maps() {
    let Some(browser) = chromium() else {
        eprintln!("skipped: no Chromium on the path");
        return;
    };
    let lab = Lab::with(SWEEP);
    lab.lrbm_ok(&["run", "tiny.toml", "--out", "out"]);
    lab.lrbm_ok(&["report", "out"]);
    let copy = lab.path("out/checked.html");
    fs::write(&copy, lab.page().replacen("</body>", &format!("{MEASURE_SWEEP}</body>"), 1)).unwrap();
    for size in ["1300,900", "500,900"] {
        let found = measured(&browser, &copy, size);
        assert_eq!(found["wide"], false, "{size}: {found}");
        // Beside the lines, one map per metric.
        assert_eq!(found["heat"].as_array().unwrap().len(), 2, "{found}");
        assert_eq!(found["lines"], 2, "{found}");
        assert!(found["heat"][0].as_str().unwrap().contains("A stronger color is better"), "{found}");
        assert!(found["letters"].as_f64() > Some(8.0), "{size}: {found}");
        let answer = found["answer"].as_str().unwrap();
        assert!(answer.contains("Boost (trees=") && answer.contains("highest AUC-ROC"), "the best setting: {answer}");
        // The same numbers by the other parameter come later.
        assert_eq!(found["tables"], serde_json::json!(["table-trees-auc_roc", "table-trees-auc_pr"]), "{found}");
        assert!(found["more"].as_array().unwrap().contains(&"table-max_leaves-auc_roc".into()), "{found}");
    }
}

/// 8 universes of two models on two domains, with published values of one of them.
const MULTIVERSE: &str = r#"
name = "many"
about = "Which choices move the numbers?"
seed = 7
folds = 2
datasets = ["movies", "university"]
keep = ["metrics", "scores"]

[dataset.movies]
noise = 0.2

[dataset.university]
noise = 0.2

[[model]]
name = "Boost"
kind = "lrbm-boost"

[[model]]
name = "Single"
kind = "lrbm-noboost"

[multiverse]
published = "paper.toml"

[[multiverse.choice]]
name = "smallest-leaf-of-a-tree"
stated = "A sentence on what the publication says about this choice, long enough that it cannot stay in one line of a table."
alternatives = [{ name = "one", min_leaf = 1 }, { name = "forty", min_leaf = 40 }]

[[multiverse.choice]]
name = "leaves"
stated = "Not stated."
alternatives = [{ name = "2", max_leaves = 2 }, { name = "4", max_leaves = 4 }]

[[multiverse.choice]]
name = "seed"
stated = "Not stated."
alternatives = [{ name = "a", seed = 7 }, { name = "b", seed = 8 }]

[[multiverse.choice]]
name = "pooling"
stated = "Not stated."
alternatives = [{ name = "folds", pooling = "folds" }, { name = "pooled", pooling = "pooled" }]
"#;

const PUBLISHED: &str = r#"
[mine]
label = "mine"
caption = "A table"
columns = ["movies"]
rows = [
    { kind = "Boost", metric = "auc_roc", mean = [0.77], sd = [0.3] },
    { kind = "Single", metric = "auc_roc", mean = [0.999], sd = [0.001] },
]
"#;

const MEASURE_MULTIVERSE: &str = r##"<script>
const wide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
const svgs = [...document.querySelectorAll("figure .drawing svg")];
const texts = svgs.flatMap((svg) => [...svg.querySelectorAll("text")].map((text) => [svg, text]));
const found = {
  wide: wide(),
  findings: [...document.querySelectorAll(".findings li")].map((line) => line.textContent),
  // Bottom of the answer, in heights of the window.
  answered: document.querySelector(".findings").getBoundingClientRect().bottom,
  counts: document.querySelector(".counts").textContent,
  sections: [...document.querySelectorAll("main section")].map((section) => section.id),
  anchors: [...document.querySelectorAll('a[href^="#"]')]
    .filter((link) => !document.getElementById(decodeURIComponent(link.hash.slice(1)))).length,
  long: [...document.querySelectorAll("td.long")].every((cell) => cell.offsetWidth <= 41 * 16),
  longs: document.querySelectorAll("td.long").length,
  figures: svgs.length,
  clipped: texts.filter(([svg, text]) => {
    const [outer, inner] = [svg.getBoundingClientRect(), text.getBoundingClientRect()];
    return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1;
  }).map(([, text]) => text.textContent),
};
document.querySelectorAll("details").forEach((details) => { details.open = true; });
found.wideOpen = wide();
document.body.insertAdjacentHTML("beforeend", `<pre id="found"></pre>`);
document.getElementById("found").textContent = JSON.stringify(found);
</script>"##;

#[test]
fn page_of_a_multiverse_answers_first_and_fits() {
    let Some(browser) = chromium() else {
        eprintln!("skipped: no Chromium on the path");
        return;
    };
    let lab = Lab::with(MULTIVERSE);
    fs::write(lab.path("paper.toml"), PUBLISHED).unwrap();
    lab.lrbm_ok(&["run", "tiny.toml", "--out", "out"]);
    lab.lrbm_ok(&["report", "out"]);
    let copy = lab.path("out/checked.html");
    fs::write(&copy, lab.page().replacen("</body>", &format!("{MEASURE_MULTIVERSE}</body>"), 1)).unwrap();
    for (size, height) in [("1300,900", 900.0), ("500,900", 1000.0)] {
        let found = measured(&browser, &copy, size);
        for bad in ["wide", "wideOpen"] {
            assert_eq!(found[bad], false, "{bad} at {size}: {found}");
        }
        let findings = found["findings"].as_array().unwrap();
        assert_eq!(findings[0], "1 of 2 published cells lie inside the multiverse.", "{found}");
        assert_eq!(findings[1], "Above all universes: movies 1 of 2.", "{found}");
        assert!(found["answered"].as_f64() < Some(height), "{size}: {found}");
        let counts = found["counts"].as_str().unwrap();
        assert!(counts.contains("2 models") && counts.contains("2 datasets"), "{counts}");
        // Neither models nor jobs are listed, and nothing links to them.
        let sections = serde_json::json!(["tables", "figures", "more-tables", "datasets", "spec", "provenance"]);
        assert_eq!(found["sections"], sections, "{found}");
        assert_eq!(found["anchors"], 0, "{found}");
        assert_eq!(found["figures"], 2, "{found}");
        assert_eq!(found["clipped"], Value::Array(Vec::new()), "{size}: {found}");
        assert!(found["longs"].as_u64() > Some(0) && found["long"] == true, "{found}");
    }
}
