//! The code blocks of a Markdown page.

/// A fenced code block.
#[derive(Debug)]
pub struct Block<'a> {
    /// The line of the opening fence, from 1.
    pub line: usize,
    /// What precedes the fence, in lists.
    pub indent: &'a str,
    pub info: &'a str,
    pub lines: Vec<&'a str>,
}

/// What a block is for.
#[derive(Debug, PartialEq, Eq)]
pub enum Purpose<'a> {
    File(&'a str),
    Commands { needs: Vec<&'a str> },
    Rust,
    Python,
    NoRun,
}

impl<'a> Block<'a> {
    /// Returns what the block is for; `None` if its info string does not say.
    pub fn purpose(&self) -> Option<Purpose<'a>> {
        let (language, rest) = self.info.split_once(' ').unwrap_or((self.info, ""));
        if let Some(reason) = rest.strip_prefix("no-run:") {
            return (reason.trim().len() > 5).then_some(Purpose::NoRun);
        }
        match (language, rest) {
            ("console", "") => Some(Purpose::Commands { needs: Vec::new() }),
            ("console", _) => {
                let needs = rest.strip_prefix("needs: ")?;
                Some(Purpose::Commands { needs: needs.split(' ').collect() })
            }
            ("rust" | "rust,no_run", "") => Some(Purpose::Rust),
            ("python" | "text", "") => Some(Purpose::Python),
            (_, file) if !file.is_empty() && !file.contains(' ') => Some(Purpose::File(file)),
            _ => None,
        }
    }
}

/// Returns the code blocks of a page.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some((indent, info)) = line.split_once("```") else { continue };
        if !indent.trim().is_empty() {
            continue;
        }
        let body = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
        let lines = body.map(|line| line.strip_prefix(indent).unwrap_or(line)).collect();
        blocks.push(Block { line: number + 1, indent, info, lines });
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
pub fn lines_match(lines: &[&str], pattern: &[&str]) -> bool {
    match pattern {
        [] => lines.is_empty(),
        ["…", rest @ ..] => (0..=lines.len()).any(|skip| lines_match(&lines[skip..], rest)),
        [first, rest @ ..] => {
            lines.first().is_some_and(|line| line_matches(line, first)) && lines_match(&lines[1..], rest)
        }
    }
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
