//! Runs `docs/src/tutorial.md` and `docs/src/boostsrl.md`: writes their files, runs their commands
//! and compares the output.
//!
//! A block ` ```LANGUAGE FILE ` is a file. In a block ` ```console ` a line `$ COMMAND` is run, and
//! the lines below it are its stdout. `…` matches anything within a line or, alone on a line, any
//! number of lines.

use std::fs;
use std::path::Path;
use std::process::Command;

#[derive(Debug)]
struct Block<'a> {
    info: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            blocks.push(Block { info, lines: lines.by_ref().take_while(|line| *line != "```").collect() });
        }
    }
    blocks
}

/// Returns whether a line matches a pattern, in which `…` matches anything.
fn line_matches(line: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('…') else { return line == pattern };
    let Some(line) = line.strip_prefix(start) else { return false };
    (0..=line.len()).any(|skip| line.is_char_boundary(skip) && line_matches(&line[skip..], rest))
}

/// Returns whether lines match patterns, where a line `…` matches any number of lines.
fn lines_match(lines: &[&str], pattern: &[&str]) -> bool {
    match pattern {
        [] => lines.is_empty(),
        ["…", rest @ ..] => (0..=lines.len()).any(|skip| lines_match(&lines[skip..], rest)),
        [first, rest @ ..] => {
            lines.first().is_some_and(|line| line_matches(line, first)) && lines_match(&lines[1..], rest)
        }
    }
}

fn run(command: &str, home: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_lrbm")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(program.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let output =
        Command::new("sh").args(["-c", command]).current_dir(home).env("PATH", path.unwrap()).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a page from top to bottom; returns the number of files and the commands.
fn run_page(page: &str) -> (usize, Vec<String>) {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
    let home = tempfile::tempdir().unwrap();
    let (mut files, mut commands) = (0, Vec::new());
    for block in blocks(&text) {
        match block.info.split_once(' ') {
            Some((_, file)) => {
                let path = home.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, block.lines.join("\n") + "\n").unwrap();
                files += 1;
            }
            None => {
                assert_eq!(block.info, "console");
                assert!(block.lines[0].starts_with("$ "));
                for part in block.lines.chunk_by(|_, next| !next.starts_with("$ ")) {
                    let command = part[0].strip_prefix("$ ").unwrap();
                    let printed = run(command, home.path());
                    let lines: Vec<&str> = printed.lines().collect();
                    assert!(lines_match(&lines, &part[1..]), "{command} prints\n{printed}");
                    commands.push(command.to_owned());
                }
            }
        }
    }
    (files, commands)
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
fn the_tutorial_prints_what_it_shows() {
    let (files, commands) = run_page("docs/src/tutorial.md");
    assert!(files >= 6);
    let steps = ["datasets import", "datasets lint", "run", "report", "explain"];
    let start = |what: &str| commands.iter().position(|command| command.starts_with(what)).unwrap();
    let (tables, database) = (start("lrbm datasets import office"), start("lrbm datasets generate movies"));
    is_a_path(&commands[tables..database], &steps);
    is_a_path(&commands[database..], &steps);
}

#[test]
fn the_page_about_boostsrl_prints_what_it_shows() {
    let (files, commands) = run_page("docs/src/boostsrl.md");
    assert!(files >= 8);
    is_a_path(&commands, &["datasets lint", "run", "report", "explain"]);
}

#[test]
fn patterns_can_fail() {
    assert!(
        line_matches("0.9512", "0.95…")
            && !line_matches("0.9412", "0.95…")
            && line_matches("a, b, c", "a…c")
            && !line_matches("ab", "a")
    );
    assert!(
        lines_match(&["a", "b", "c"], &["a", "…", "c"])
            && !lines_match(&["a", "b"], &["a"])
            && !lines_match(&[], &["a"])
    );
}
