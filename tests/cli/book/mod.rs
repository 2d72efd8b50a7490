//! Runs `README.md` and every page of the book: writes their files, runs their commands and
//! compares the output.
//!
//! The info string of a code block says what it is:
//!
//! - ` ```console `: a line `$ COMMAND` is run, and the lines below it are its stdout. `…` matches
//!   anything within a line or, alone on a line, any number of lines. `cargo run --release --` is
//!   the program. With `SNAPSHOTS=overwrite` other output is recorded, unless there is a `…`.
//! - ` ```console needs: NAME… `: the same, skipped where a dataset or program is missing.
//! - ` ```LANGUAGE FILE `: a file, which later commands of the page use.
//! - ` ```LANGUAGE no-run: REASON `: neither.
//! - ` ```rust ` on a page of [`DOC_TESTS`], and ` ```python ` with ` ```text ` on one of
//!   [`PYTHON_TESTS`], are run by those.

mod blocks;
mod generated;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use blocks::{Block, Purpose, blocks, lines_match};

/// Pages whose Rust blocks are documentation tests, included in `src/lib.rs`.
const DOC_TESTS: [&str; 1] = ["docs/src/library.md"];

/// Pages whose Python blocks `python/tests/test_documentation.py` runs.
const PYTHON_TESTS: [&str; 2] = ["README.md", "docs/src/python.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the landing page and all pages of the book, relative to the repository.
fn pages() -> Vec<String> {
    let book = fs::read_dir(root().join("docs/src")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = book.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(".md"));
    let mut pages: Vec<String> = names.map(|name| format!("docs/src/{name}")).collect();
    pages.push("README.md".to_owned());
    pages.sort();
    pages
}

/// A page in the making: the directory of its files and what was run.
struct PageRun {
    home: tempfile::TempDir,
    data: PathBuf,
    files: usize,
    commands: Vec<String>,
    skipped: usize,
    problems: Vec<String>,
    /// Whether other output is recorded instead of reported.
    is_recorded: bool,
    /// Lines to replace by others, from the top.
    records: Vec<(std::ops::Range<usize>, String)>,
}

impl PageRun {
    /// Runs a page from top to bottom.
    fn of(page: &str, text: &str, is_recorded: bool) -> Self {
        let home = tempfile::tempdir().unwrap();
        if text.contains("experiments/") {
            let specs = home.path().join("experiments");
            fs::create_dir(&specs).unwrap();
            for entry in fs::read_dir(root().join("experiments")).unwrap().map(|entry| entry.unwrap()) {
                fs::copy(entry.path(), specs.join(entry.file_name())).unwrap();
            }
        }
        let data = root().join("datasets/cache");
        let mut run = PageRun {
            home,
            data,
            files: 0,
            commands: Vec::new(),
            skipped: 0,
            problems: Vec::new(),
            is_recorded,
            records: Vec::new(),
        };
        for block in blocks(text) {
            run.block(page, &block);
        }
        run
    }

    fn block(&mut self, page: &str, block: &Block<'_>) {
        let place = format!("{page}:{}", block.line);
        match block.purpose() {
            Some(Purpose::File(name)) => {
                let path = self.home.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, block.lines.join("\n") + "\n").unwrap();
                self.files += 1;
            }
            Some(Purpose::Commands { needs }) => match needs.iter().find(|name| !self.provide(name)) {
                Some(missing) => {
                    eprintln!("{place}: skipped: {missing} is missing");
                    self.skipped += 1;
                }
                None => self.commands(&place, block),
            },
            Some(Purpose::Rust) if DOC_TESTS.contains(&page) => {}
            Some(Purpose::Python) if PYTHON_TESTS.contains(&page) => {}
            Some(Purpose::NoRun) => {}
            _ => self.problems.push(format!(
                "{place}: ```{}: name the file (```LANGUAGE FILE), make it ```console, or give the reason (```LANGUAGE no-run: REASON)",
                block.info
            )),
        }
    }

    /// Makes a dataset available, or finds a program; returns whether it is there.
    fn provide(&mut self, name: &str) -> bool {
        let is_dataset = root().join(format!("datasets/{name}.toml")).is_file();
        if !is_dataset {
            return Command::new(name).arg("--version").output().is_ok();
        }
        let mirror = root().join("../shared/datasets/mirror");
        if self.data.join(name).is_dir() {
            return true;
        }
        if !mirror.is_dir() {
            return false;
        }
        self.data = self.home.path().join("fetched");
        let mut fetch = Command::new(env!("CARGO_BIN_EXE_lrbm"));
        fetch.args(["datasets", "fetch", name, "--mirror"]).arg(mirror).arg("--data").arg(&self.data);
        fetch.output().unwrap().status.success()
    }

    fn commands(&mut self, place: &str, block: &Block<'_>) {
        if !block.lines.first().is_some_and(|line| line.starts_with("$ ")) {
            self.problems.push(format!("{place}: expected `$ COMMAND` in the first line"));
            return;
        }
        let mut line = block.line;
        for part in block.lines.chunk_by(|_, next| !next.starts_with("$ ")) {
            let (command, expected) = (part[0].strip_prefix("$ ").unwrap(), &part[1..]);
            let shown = line + 1..line + part.len();
            line += part.len();
            self.commands.push(command.to_owned());
            let printed = match self.run(command) {
                Ok(printed) => printed,
                Err(message) => {
                    self.problems.push(format!("{place}: {command}: {message}"));
                    return;
                }
            };
            if lines_match(&printed.lines().collect::<Vec<_>>(), expected) {
                continue;
            }
            if self.is_recorded && !expected.concat().contains('…') {
                let indent = block.indent;
                let lines = printed.lines().map(|line| format!("{indent}{line}\n"));
                self.records.push((shown, lines.collect()));
            } else {
                self.problems.push(format!("{place}: {command} prints\n{printed}"));
            }
        }
    }

    /// Runs a line of shell; returns its stdout.
    fn run(&self, command: &str) -> Result<String, String> {
        let program = Path::new(env!("CARGO_BIN_EXE_lrbm")).parent().unwrap();
        let old = std::env::var_os("PATH").unwrap();
        let path = std::env::join_paths(std::iter::once(program.to_owned()).chain(std::env::split_paths(&old)));
        let mut shell = Command::new("sh");
        shell.args(["-c", &command.replace("cargo run --release -- ", "lrbm ")]).current_dir(self.home.path());
        shell.env("PATH", path.unwrap()).env("LRBM_DATA", &self.data);
        for variable in ["LRBM_TEST_FAULT", "LRBM_MIRROR"] {
            shell.env_remove(variable);
        }
        let output = shell.output().unwrap();
        if output.status.success() {
            Ok(String::from_utf8(output.stdout).unwrap())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

/// Replaces ranges of lines, which count from 0.
fn replaced(text: &str, records: &[(std::ops::Range<usize>, String)]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut out, mut next) = (String::new(), 0);
    for (range, record) in records {
        out.extend(lines[next..range.start].iter().copied());
        out.push_str(record);
        next = range.end;
    }
    out.extend(lines[next..].iter().copied());
    out
}

/// Checks that commands go from a source to an explanation in this order and in fewer than ten.
fn is_a_path(commands: &[String], steps: &[&str]) {
    assert!(commands.len() < 10, "{commands:?}");
    let mut rest = commands.iter();
    for step in steps {
        assert!(rest.any(|command| command.starts_with(&format!("lrbm {step}"))), "{step}: {commands:?}");
    }
}

#[test]
fn every_page_does_what_it_shows() {
    let pages = pages();
    assert!(pages.len() > 20, "{pages:?}");
    let is_recorded = std::env::var("SNAPSHOTS").is_ok_and(|action| action == "overwrite");
    let run = |page: &str| {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let run = PageRun::of(page, &text, is_recorded);
        if !run.records.is_empty() {
            fs::write(root().join(page), replaced(&text, &run.records)).unwrap();
        }
        run
    };
    let runs: Vec<PageRun> = std::thread::scope(|scope| {
        let started: Vec<_> = pages.iter().map(|page| scope.spawn(|| run(page))).collect();
        started.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let problems: Vec<&str> = runs.iter().flat_map(|run| run.problems.iter().map(String::as_str)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let (files, commands) = runs.iter().fold((0, 0), |sum, run| (sum.0 + run.files, sum.1 + run.commands.len()));
    println!("{} pages, {files} files and {commands} commands", pages.len());

    let of = |name: &str| &runs[pages.iter().position(|page| page == name).unwrap()];
    let steps = ["datasets import", "datasets lint", "run", "report", "explain"];
    let tutorial = of("docs/src/tutorial.md");
    assert!(tutorial.files >= 6);
    let start = |what: &str| tutorial.commands.iter().position(|command| command.starts_with(what)).unwrap();
    let (tables, database) = (start("lrbm datasets import office"), start("lrbm datasets generate movies"));
    is_a_path(&tutorial.commands[tables..database], &steps);
    is_a_path(&tutorial.commands[database..], &steps);
    let boostsrl = of("docs/src/boostsrl.md");
    assert!(boostsrl.files >= 8);
    is_a_path(&boostsrl.commands, &steps[1..]);
}

#[test]
fn a_page_that_shows_something_else_is_found() {
    let problems = |text: &str| PageRun::of("page.md", text, false).problems;
    assert!(problems("```console\n$ echo a\na\n```\n").is_empty());
    assert!(problems("```sh no-run: needs a cluster\nx\n```\n").is_empty());
    assert!(problems("```text a.txt\na\n```\n- list\n\n  ```console\n  $ cat a.txt\n  a\n  ```\n").is_empty());
    for wrong in [
        "```console\n$ echo a\nb\n```\n",
        "```console\n$ false\n```\n",
        "```console\na\n```\n",
        "```sh\necho a\n```\n",
        "```sh no-run:\necho a\n```\n",
        "```\na\n```\n",
        "```rust\nfn main() {}\n```\n",
        "```python\nprint(1)\n```\n",
    ] {
        assert_eq!(problems(wrong).len(), 1, "{wrong}");
    }
    assert_eq!(PageRun::of("page.md", "```console needs: no-such-program\n$ false\n```\n", false).skipped, 1);
    assert_eq!(
        replaced("a\nb\nc\nd\n", &[(1..2, "x\ny\n".to_owned()), (3..3, "z\n".to_owned())]),
        "a\nx\ny\nc\nz\nd\n"
    );
}
