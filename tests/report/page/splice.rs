//! Splicing of tables and figures into Markdown files.

use std::fs;

use super::lab::Lab;
use crate::common::program::files;

#[test]
fn readme_is_spliced_from_committed_files_and_checked() {
    let lab = Lab::run();
    lab.lrbm_ok(&["report", "out", "--copy-to", "results/tiny"]);
    let figure = files(&lab.path("results/tiny")).into_iter().find(|name| name.ends_with(".svg")).unwrap();
    let readme = format!(
        "# Title\n\n<!-- lrbm: table results/tiny/results.csv -->\n<!-- lrbm: end -->\n\ntext\n\n<!-- lrbm: figure results/tiny/{figure} -->\nold\n<!-- lrbm: end -->\n"
    );
    fs::write(lab.path("README.md"), &readme).unwrap();
    let message = lab.lrbm_fails(&["report", "--splice", "README.md", "--check"], 2);
    assert!(message.contains("README.md: the content at the markers of lines 3, 8 is out of date"), "{message}");
    assert_eq!(fs::read_to_string(lab.path("README.md")).unwrap(), readme, "a check writes nothing");
    let printed = lab.lrbm_ok(&["report", "--splice", "README.md"]);
    assert!(printed.contains("updated 2 of 2 markers, at lines 3, 8"), "{printed}");
    let filled = fs::read_to_string(lab.path("README.md")).unwrap();
    // The same table that the report wrote.
    let table = fs::read_to_string(lab.path("results/tiny/results.md")).unwrap();
    assert!(filled.contains(&table), "{filled}\n---\n{table}");
    assert!(filled.contains(&format!("](results/tiny/{figure})")) && !filled.contains("\nold\n"));
    let printed = lab.lrbm_ok(&["report", "--splice", "README.md", "--check"]);
    assert!(printed.contains("all 2 markers are up to date"), "{printed}");
}

#[test]
fn splice_errors_name_the_file() {
    let lab = Lab::with(super::lab::SPEC);
    assert!(lab.lrbm_fails(&["report", "--splice", "none.md"], 2).contains("none.md: cannot read the file"));
    fs::write(lab.path("a.md"), "text\n").unwrap();
    assert!(lab.lrbm_fails(&["report", "--splice", "a.md"], 2).contains("a.md: no markers found"));
    fs::write(lab.path("a.md"), "text\n<!-- lrbm: tabel x.csv -->\n").unwrap();
    let message = lab.lrbm_fails(&["report", "--splice", "a.md"], 2);
    assert!(
        message.contains("a.md:2: unknown marker `tabel x.csv`") && message.contains("did you mean `table`"),
        "{message}"
    );
}
