//! A mapping as TOML text with comments.

use std::fmt::Write;

use super::infer::Proposal;
use super::mapping::{ArgumentKind, ArgumentMapping, Mapping};

/// Returns a proposal as a file to edit: questions and notes as comments, then the mapping.
pub fn proposal(proposal: &Proposal) -> String {
    let mut text = String::from("# Proposed mapping: check and edit it, then pass it with --mapping.\n");
    for question in &proposal.questions {
        comment(&mut text, "question: ", question);
    }
    for note in &proposal.notes {
        comment(&mut text, "note: ", note);
    }
    text.push('\n');
    text.push_str(&mapping(&proposal.mapping));
    text
}

/// Writes one line, so that names from data cannot end the comment.
fn comment(text: &mut String, start: &str, line: &str) {
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(text, "# {start}{line}");
}

/// Writes a basic string, which is valid as a key and as a value.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            _ if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn argument(arg: &ArgumentMapping) -> String {
    let kind = match arg.kind {
        ArgumentKind::Entity => "",
        ArgumentKind::Constant => ", kind = \"constant\"",
        ArgumentKind::Number => ", kind = \"number\"",
    };
    format!("{{ column = {}, type = {}{kind} }}", quoted(&arg.column), quoted(&arg.type_name))
}

fn arguments(text: &mut String, args: &[ArgumentMapping]) {
    let args: Vec<String> = args.iter().map(argument).collect();
    let _ = writeln!(text, "args = [{}]", args.join(", "));
}

fn list(items: &[String]) -> String {
    items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", ")
}

/// Returns a mapping as TOML text that reads back as the same mapping.
pub fn mapping(mapping: &Mapping) -> String {
    let mut text = String::new();
    let target = &mapping.target;
    let _ = writeln!(text, "[target]\npredicate = {}\ntable = {}", quoted(&target.predicate), quoted(&target.table));
    arguments(&mut text, &target.args);
    let options = [
        ("label", &target.label),
        ("positive", &target.positive),
        ("class", &target.class),
        ("negatives", &target.negatives),
    ];
    for (key, value) in options {
        if let Some(value) = value {
            let _ = writeln!(text, "{key} = {}", quoted(value));
        }
    }
    if let Some(time) = &mapping.time {
        let _ = writeln!(text, "\n[time]\npredicate = {}", quoted(&time.predicate));
        if !time.by_argument.is_empty() {
            let _ = writeln!(text, "by_argument = [{}]", list(&time.by_argument));
        }
    }
    if !mapping.keys.is_empty() {
        text.push_str("\n[keys]\n");
        for (table, column) in &mapping.keys {
            let _ = writeln!(text, "{} = {}", quoted(table), quoted(column));
        }
    }
    for predicate in &mapping.predicates {
        let (name, table) = (quoted(&predicate.name), quoted(&predicate.table));
        let _ = writeln!(text, "\n[[predicate]]\nname = {name}\ntable = {table}");
        arguments(&mut text, &predicate.args);
        if let Some(when) = &predicate.when {
            let _ = writeln!(text, "when = {}", quoted(when));
        }
        let _ = writeln!(text, "modes = [{}]", list(&predicate.modes));
    }
    text
}
