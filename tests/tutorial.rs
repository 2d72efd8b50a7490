//! `TUTORIAL.md`, typed line by line: its files are written, its commands run, and what they print is what it says.
//!
//! A block ` ```LANGUAGE FILE ` is a file. In a block ` ```console ` a line `$ COMMAND` is run, and the lines below it are its
//! stdout. `…` stands for anything within a line, or, alone on a line, for any number of lines.

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

/// Whether a line is as told, where `…` stands for anything.
fn is_like(line: &str, told: &str) -> bool {
    let Some((start, rest)) = told.split_once('…') else { return line == told };
    let Some(line) = line.strip_prefix(start) else { return false };
    (0..=line.len()).any(|skip| line.is_char_boundary(skip) && is_like(&line[skip..], rest))
}

/// Whether lines are as told, where a line `…` stands for any number of them.
fn are_like(lines: &[&str], told: &[&str]) -> bool {
    match told {
        [] => lines.is_empty(),
        ["…", rest @ ..] => (0..=lines.len()).any(|skip| are_like(&lines[skip..], rest)),
        [first, rest @ ..] => lines.first().is_some_and(|line| is_like(line, first)) && are_like(&lines[1..], rest),
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

#[test]
fn every_line_of_the_tutorial_is_true() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("TUTORIAL.md")).unwrap();
    let home = tempfile::tempdir().unwrap();
    let (mut files, mut commands) = (0, 0);
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
                    assert!(are_like(&lines, &part[1..]), "{command} prints\n{printed}");
                    commands += 1;
                }
            }
        }
    }
    assert!(files >= 6 && commands >= 5, "{files} files and {commands} commands");
}

#[test]
fn likeness_can_fail() {
    assert!(
        is_like("0.9512", "0.95…") && !is_like("0.9412", "0.95…") && is_like("a, b, c", "a…c") && !is_like("ab", "a")
    );
    assert!(are_like(&["a", "b", "c"], &["a", "…", "c"]) && !are_like(&["a", "b"], &["a"]) && !are_like(&[], &["a"]));
}
